#include "allclear/core/text/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <random>

#include "allclear/core/input_error.h"
#include "allclear/core/text/value.h"
#include "allclear/core/text/value_tree.h"

namespace allclear {
namespace {

template <class Read>
std::string errorOf(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string parseError(const std::string& text, const DocumentLimits& limits = {}) {
  return errorOf([&] { parseJson(text, "x.json", limits); });
}

TEST(Json, ValuesKnowTheirLineAndTheKeysThatLeadToThem) {
  const Value root = parseJson("{\n \"a\": 1,\n \"list\": [10\n,\n {\"b\": \"x\"}]\n}", "x.json");
  EXPECT_EQ(root.need("a").line(), 2);
  EXPECT_EQ(root.need("list").at(0).line(), 3) << "the newline that ends a number is read ahead";
  const Value inner = root.need("list").at(1).need("b");
  EXPECT_EQ(inner.line(), 5);
  EXPECT_EQ(inner.path(), "list[1].b");
  EXPECT_EQ(errorOf([&] { inner.number(); }), "x.json:5: list[1].b: 'x': must be a number");
}

TEST(Json, NumbersReadBackToTheBit) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    std::string list = "[" + std::string(text, end) + "]";
    const double read = parseJson(list, "x").at(0).number();
    if (value == 0.0) continue;  // JSON's -0 is the integer 0
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(value)) << list;
  }
}

TEST(Json, RepeatedKeysAreRefusedAtAnyDepth) {
  EXPECT_EQ(parseError("{\"a\": 1,\n\"a\": 2}"),
            "x.json:2: key 'a' is given twice, first on line 1");
  EXPECT_EQ(parseError("{\"p\": [{\"b\": 1, \"b\": 1}]}"),
            "x.json:1: key 'b' is given twice, first on line 1");
}

TEST(Json, BrokenTextIsRefusedAtItsLine) {
  EXPECT_EQ(parseError(""), "x.json: is empty");
  EXPECT_EQ(parseError("{\"a\": 1,\n\n"), "x.json:2: is not valid JSON: it ends too early");
  EXPECT_EQ(parseError("{\"a\": 1,\n}"), "x.json:2: is not valid JSON");
  EXPECT_EQ(parseError("[1,\n2] 3"), "x.json:2: is not valid JSON");
  EXPECT_EQ(parseError("[1,\n1e999]"), "x.json:2: '1e999': is out of range");
  EXPECT_EQ(parseError("\"\xff\""), "x.json:1: is not valid JSON");
  EXPECT_EQ(parseError("[NaN]"), "x.json:1: is not valid JSON");
}

TEST(Json, LimitsHoldWhileTheFileIsRead) {
  DocumentLimits limits;
  limits.depth = 3;
  EXPECT_EQ(parseError("[[[1]]]", limits), "accepted");
  EXPECT_EQ(parseError(std::string(1'000'000, '['), limits),
            "x.json:1: nested deeper than 3 levels");
  limits.values = 10;
  EXPECT_NE(parseError("[1,1,1,1,1,1,1,1,1,1,1,1]", limits).find("more than 10 values"),
            std::string::npos);
  limits.bytes = 4;
  EXPECT_NE(parseError("[1,1]", limits).find("is larger than"), std::string::npos);
}

TEST(Json, StringsNeedQuotesAndNumbersMustNotHaveThem) {
  const Value root = parseJson("[2, \"2\", true, \"true\", null, \"\"]", "x.json");
  EXPECT_EQ(errorOf([&] { root.at(0).text(); }), "x.json:1: [0]: '2': must be a string in quotes");
  EXPECT_EQ(root.at(1).text(), "2");
  EXPECT_EQ(errorOf([&] { root.at(1).number(); }),
            "x.json:1: [1]: '2': must be a number: leave the quotes out");
  EXPECT_TRUE(root.at(2).boolean());
  EXPECT_EQ(errorOf([&] { root.at(3).boolean(); }), "x.json:1: [3]: 'true': must be true or false");
  EXPECT_TRUE(root.at(4).isNull());
  EXPECT_EQ(root.at(5).textOrEmpty(), "");
}

TEST(JsonLines, PutAKeyToALineAndARowToALine) {
  JsonLines lines;
  lines.add("a", "1");
  lines.addRows("rows", {"[1]", "[2]"});
  lines.addRows("none", {});
  EXPECT_EQ(lines.text(), "{\n \"a\": 1,\n \"rows\": [\n  [1],\n  [2]\n ],\n \"none\": []\n}\n");
  EXPECT_EQ(parseJson(lines.text(), "x").need("rows").at(1).at(0).number(), 2.0);
}

}  // namespace
}  // namespace allclear
