#include "allclear/core/formatted.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "allclear/core/input_error.h"
#include "allclear/core/text/json.h"
#include "support/comma_locale.h"

namespace allclear {
namespace {

TEST(Formatted, IsWhatPrintfPrints) {
  EXPECT_EQ(formatted("%.4g mm at t = %.3f s, %d of %zu '%s' %%", 1.23456, 0.5, 3, std::size_t{7},
                      "hand"),
            "1.235 mm at t = 0.500 s, 3 of 7 'hand' %");
  EXPECT_EQ(formatted("%s", std::string(5000, 'x').c_str()), std::string(5000, 'x'));
  EXPECT_EQ(formatted("%s", ""), "");
}

TEST(Formatted, HasPointsWhateverTheLocale) {
  const test::CommaLocale commas;
  EXPECT_EQ(formatted("%.3g %f", 1234.5, 0.25), "1.23e+03 0.250000");
  if (!commas.hasC()) GTEST_SKIP() << "no locale with commas, and no localedef";
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", 0.5);
  EXPECT_STREQ(text, "0,50") << "the host's own locale must be untouched";
}

TEST(Formatted, ClassicNumbersHoldForTheCLibraryWhileTheyLive) {
  const test::CommaLocale commas;
  if (!commas.hasC()) GTEST_SKIP() << "no locale with commas, and no localedef";
  EXPECT_EQ(std::strtod("0.01", nullptr), 0.0);
  {
    const ClassicNumbers point;
    EXPECT_EQ(std::strtod("0.01", nullptr), 0.01);
  }
  EXPECT_EQ(std::strtod("0,01", nullptr), 0.01);
}

TEST(Formatted, LinesOfErrorsAreNotGrouped) {
  const test::CommaLocale commas;
  EXPECT_STREQ(InputError({"a.yaml", 1234567, "key", ""}, "wrong").what(),
               "a.yaml:1234567: key: wrong");
}

TEST(Formatted, JsonNumbersReadToTheBitWhateverTheLocale) {
  const test::CommaLocale commas;
  const Value value = parseJson("[0.1, -2.5e-3, 7, 1e3]", "x.json");
  EXPECT_EQ(value.at(0).number(), 0.1);
  EXPECT_EQ(value.at(1).number(), -2.5e-3);
  EXPECT_EQ(value.at(2).number(), 7.0);
  EXPECT_EQ(value.at(3).number(), 1e3);
}

}  // namespace
}  // namespace allclear
