#include "allclear/core/readable.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

TEST(Readable, TakesUtf8WithoutControlCharacters) {
  for (const char* text : {"", "hand", "Greifer_ä", "手首", "😀", "a b", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(isReadable(text)) << text;
    EXPECT_EQ(readable(text), text);
  }
}

TEST(Readable, RefusesControlCharactersAndBrokenUtf8) {
  const std::string broken[] = {"\x1b[31m",
                                "a\nb",
                                "\x7f",
                                "\xc2\x9b"
                                "31m",
                                "\xff",
                                "\xc3",
                                "\xc0\x80",
                                "\xe0\x80\x80",
                                "\xed\xa0\x80",
                                "\xf4\x90\x80\x80",
                                "\x80",
                                "\xf0\x9f\x98",
                                std::string(1, '\0')};
  for (const std::string& text : broken) {
    EXPECT_FALSE(isReadable(text));
    EXPECT_TRUE(isReadable(readable(text))) << readable(text);
  }
  EXPECT_EQ(readable("a\x1b[31m\xff"
                     "b\xc2\x9b"),
            "a [31m?b ");
}

TEST(Readable, ErrorsHoldNoControlCharacters) {
  const InputError error({"a\x1b.yaml", 3, "ke\x07y", "va\xff"}, "no \x1b]0;x\x07");
  EXPECT_TRUE(isReadable(error.what())) << error.what();
}

}  // namespace
}  // namespace allclear
