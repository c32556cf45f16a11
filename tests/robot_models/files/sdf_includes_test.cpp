// What worlds include: found by their URIs, counted, and refused where there is no end of it.
#include "allclear/robot_models/files/sdf_includes.h"

#include <gtest/gtest.h>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

std::string include(const std::string& name) {
  return "<include><uri>\n model://" + name + " </uri><name>n</name></include>";
}

class SdfIncludes : public ::testing::Test {
 protected:
  SdfIncludes() {
    files_.find = [this](const std::string& uri, const auto&) -> std::filesystem::path {
      const std::filesystem::path file = folder_.path() / uri.substr(8);
      if (!std::filesystem::exists(file)) throw InputError({"", 0, "uri", uri}, "no such file");
      return file;
    };
    files_.read = [this](const std::filesystem::path& file) {
      read_.push_back(file.filename());
      return readFile(file);
    };
  }
  void writeModel(const std::string& name, const std::string& inside) {
    folder_.write(name + "/model.config", "<model/>");
    folder_.write(name + "/model.sdf",
                  "<sdf version='1.7'><model name='m'>" + inside + "</model></sdf>");
  }
  std::map<std::string, std::filesystem::path> look(const std::string& inside) {
    return checkedIncludes("<sdf version='1.7'><world name='w'>\n" + inside + "</world></sdf>",
                           "w.sdf", files_);
  }
  std::string refusal(const std::string& inside) {
    try {
      look(inside);
    } catch (const InputError& error) {
      return error.what();
    }
    return "(read)";
  }

  test::TemporaryFolder folder_;
  SdfFiles files_;
  std::vector<std::string> read_;
};

TEST_F(SdfIncludes, AreFoundThroughOneAnother) {
  writeModel("table", include("cup"));
  writeModel("cup", "<link name='l'/>");
  const auto folders = look(include("table") + include("cup"));
  ASSERT_EQ(folders.size(), 2u);
  EXPECT_EQ(folders.at("model://table"), folder_.path() / "table");
  EXPECT_EQ(folders.at("model://cup"), folder_.path() / "cup");
  // Each folder once, its files in order.
  EXPECT_EQ(read_,
            (std::vector<std::string>{"model.config", "model.sdf", "model.config", "model.sdf"}));
  EXPECT_NE(refusal(include("none")).find("no such file"), std::string::npos);
}

TEST_F(SdfIncludes, OfThemselvesAreRefused) {
  writeModel("a", include("b"));
  writeModel("b", include("a"));
  EXPECT_EQ(refusal(include("a")), "w.sdf: include: 'model://a': the model includes itself");
}

TEST_F(SdfIncludes, CountWhereverTheyAreIncluded) {
  // Each of these models is ten times the one after it.
  for (int i = 0; i < 20; ++i) {
    std::string inside;
    for (int k = 0; k < 10; ++k) inside += include("a" + std::to_string(i + 1));
    writeModel("a" + std::to_string(i), inside);
  }
  writeModel("a20", "");
  EXPECT_EQ(refusal(include("a18")), "(read)");
  EXPECT_NE(refusal(include("a0")).find("too large with all that it includes"), std::string::npos);
  for (int i = 0; i < 100; ++i) {
    writeModel("c" + std::to_string(i), include("c" + std::to_string(i + 1)));
  }
  EXPECT_NE(refusal(include("c0")).find("too deeply"), std::string::npos);
}

TEST_F(SdfIncludes, AreBoundedByModelsAndPoses) {
  std::string models;
  for (int i = 0; i < 700; ++i) models += "<model name='m'><link name='l'/></model>";
  EXPECT_EQ(refusal(models), "(read)");
  EXPECT_NE(refusal(models + models).find("too large"), std::string::npos);
  EXPECT_EQ(refusal("<pose>1 2 3\n-2e9 0 0</pose>"),
            "w.sdf:2: pose: '-2e9': is not finite or beyond 1e9");
}

}  // namespace
}  // namespace allclear
