#include "allclear/robot_models/files/collada_check.h"

#include <gtest/gtest.h>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "support/data.h"

namespace allclear {
namespace {

std::string good() { return readFile(test::testFolder() / "robot_models" / "broken" / "good.dae"); }

std::string replaced(const std::string& from, const std::string& to) {
  std::string content = good();
  const std::size_t at = content.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return content.replace(at, from.size(), to);
}

TEST(PlainCollada, KeepsWhatMakesTrianglesAndDropsTheRest) {
  const std::string content =
      replaced("<library_geometries>",
               "<library_materials><material id=\"m\"/></library_materials><library_geometries>");
  const std::string plain = plainCollada(content, "a.dae");
  EXPECT_EQ(plain.find("material"), std::string::npos);
  EXPECT_NE(plain.find("0 2 1 0 1 3 0 3 2 1 2 3"), std::string::npos);
  // Nothing is left to reduce.
  EXPECT_EQ(plainCollada(plain, "a.dae"), plain);
}

TEST(PlainCollada, RefusesCountsAndReferencesThatTheFileDoesNotKeep) {
  const std::pair<const char*, const char*> breaks[] = {
      {"count=\"12\"", "count=\"13\""},              // of numbers in the array
      {"count=\"4\" stride", "count=\"5\" stride"},  // of the accessor
      {"stride=\"3\"", "stride=\"0\""},
      {"triangles count=\"4\"", "triangles count=\"5\""},
      {"source=\"#v\"", "source=\"#w\""},
      {"url=\"#g\"", "url=\"g\""},
      {"1 2 3</p>", "1 2 3mm</p>"},
      {"<node id=\"n\">", "<node id=\"n\"><instance_node url=\"#n\"/>"},
      {"<triangles", "<trifans count=\"1\"/><triangles"}};
  for (const auto& [from, to] : breaks) {
    EXPECT_THROW(plainCollada(replaced(from, to), "a.dae"), InputError) << to;
  }
}

TEST(PlainCollada, RefusesNodesThatDoubleTheSceneAgainAndAgain) {
  std::string nodes;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "<instance_node url=\"#x" + std::to_string(i + 1) + "\"/>";
    nodes += "<node id=\"x" + std::to_string(i) + "\">" + next + next + "</node>";
  }
  nodes += "<node id=\"x40\"/>";
  const std::string content = replaced("<library_visual_scenes>", "<library_nodes>" + nodes +
                                                                      "</library_nodes>"
                                                                      "<library_visual_scenes>");
  EXPECT_THROW(plainCollada(content, "a.dae"), InputError);
}

}  // namespace
}  // namespace allclear
