#include "allclear/core/text/csv_table.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// All numbers, row after row; or the error.
std::string readAll(std::string_view text, const CsvStyle& style) {
  std::string out;
  try {
    CsvTable table(text, "x.csv", style);
    while (table.nextRow()) {
      for (int c = 0; c < static_cast<int>(table.names().size()); ++c) {
        out += std::to_string(static_cast<int>(table.number(c))) + " ";
      }
      out += "| ";
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return out;
}

TEST(CsvTable, ReadsRowsBelowAHeaderOfNames) {
  const CsvTable table("\xEF\xBB\xBFtime, \"x\"\r\n1,2\r\n", "x.csv", {});
  EXPECT_EQ(table.names(), (std::vector<std::string>{"time", "x"}));
  EXPECT_EQ(table.indexOf("x"), 1);
  EXPECT_EQ(table.indexOf("y"), -1);
  EXPECT_TRUE(table.endsWithNewline());
  EXPECT_EQ(readAll("a,b\n1,+2\n 3 ,\t4\n \n\n", {}), "1 2 | 3 4 | ");
}

TEST(CsvTable, BlankLinesAndCommentsAreSkippedOnlyWhereTheStyleSaysSo) {
  const std::string text = "# a motion\n\na,b\n1,2\n\n# more\n3,4\n";
  EXPECT_EQ(readAll(text, {.skip_comments = true}), "1 2 | 3 4 | ");
  EXPECT_EQ(readAll("a,b\n1,2\n\n3,4\n", {}), "x.csv:3: has 1 columns where the header has 2");
  EXPECT_EQ(readAll("a,b\n1,2\n\n3,x\n", {.skip_comments = true}),
            "x.csv:4: column 'b': 'x': is not a number");
}

TEST(CsvTable, ErrorsNameLineColumnAndValue) {
  EXPECT_EQ(readAll("", {}), "x.csv: is empty");
  EXPECT_EQ(readAll(" \n", {}), "x.csv:1: the header is missing");
  EXPECT_EQ(readAll("1,2\n", {}),
            "x.csv:1: header: '1': the header is missing: the first line holds numbers");
  EXPECT_EQ(readAll("a,a\n", {}), "x.csv:1: header: 'a': this column appears twice");
  EXPECT_EQ(readAll("a,b\n1,\n", {}), "x.csv:2: column 'b': a number is missing");
  EXPECT_EQ(readAll("a,b\n1,+-2\n", {}), "x.csv:2: column 'b': '+-2': is not a number");
  EXPECT_EQ(readAll("a,b\n1,inf\n", {}), "x.csv:2: column 'b': 'inf': must be finite");
  EXPECT_EQ(readAll("a\n2e3\n", {.greatest = 1e3}), "x.csv:2: column 'a': '2e3': is beyond 1000");
}

}  // namespace
}  // namespace allclear
