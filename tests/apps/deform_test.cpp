// `allclear deform check`: sequences of files that touch themselves, that do not, and bad ones.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allclear/apps/commands.h"
#include "allclear/core/input_error.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

/// A triangle on the ground, and one at a height that stands on a corner.
std::string frame(double height, const std::string& faces = "f 1 2 3\nf 4 5 6\n") {
  const std::string z = std::to_string(height), top = std::to_string(height + 1.0);
  return "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 " + z + "\nv 0.3 0.2 " + top + "\nv 0.2 0.3 " + top +
         "\n" + faces;
}

struct Outcome {
  int exit_code = -1;
  std::string text;
};

Outcome check(std::vector<std::string> words) {
  CLI::App app;
  Outcome out;
  addDeform(app, out.exit_code);
  words.insert(words.begin(), {"deform", "check"});
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  testing::internal::CaptureStdout();
  try {
    app.parse(words);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  out.text = testing::internal::GetCapturedStdout();
  return out;
}

TEST(DeformCheck, ProvesASequenceFreeOrNamesFeaturesAndInstant) {
  const test::TemporaryFolder folder;
  const std::string a = folder.write("f_0000.obj", frame(2.0)),
                    b = folder.write("f_0001.obj", frame(1.0));
  const Outcome free = check({a, b});
  EXPECT_EQ(free.exit_code, kDone) << free.text;
  EXPECT_NE(free.text.find("Free of self-contact at every instant"), std::string::npos);
  folder.write("f_0002.obj", frame(-1.0));
  const std::string pattern = (folder.path() / "f_%04d.obj").string();
  const Outcome touching = check({pattern, "--rate", "10"});
  EXPECT_EQ(touching.exit_code, kNotClear);
  // Two frames take 0.2 s; the corner reaches the ground halfway through the second step.
  EXPECT_NE(touching.text.find("vertex 3 and triangle 0-1-2 at t = 0.15 s, from f_0001.obj on"),
            std::string::npos)
      << touching.text;
  const auto json = nlohmann::json::parse(check({pattern, "--rate", "10", "--json"}).text);
  EXPECT_FALSE(json["free"]);
  EXPECT_TRUE(json["decided"]);
  EXPECT_EQ(json["a"], nlohmann::json({3}));
  EXPECT_EQ(json["b"], nlohmann::json({0, 1, 2}));
  EXPECT_NEAR(json["time"].get<double>(), 0.15, 1e-12);
}

TEST(DeformCheck, LooksAtASingleFrameToo) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(check({folder.write("apart.obj", frame(0.5))}).exit_code, kDone);
  EXPECT_EQ(check({folder.write("through.obj", frame(-0.5))}).exit_code, kNotClear);
}

TEST(DeformCheck, RefusesBadInputOnOneLine) {
  const test::TemporaryFolder folder;
  const std::string a = folder.write("g_0000.obj", frame(2.0));
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    try {
      check(words);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(why), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
  };
  refused({a, folder.write("other.obj", frame(1.0, "f 1 2 3\nf 4 6 5\n"))}, "other.obj");
  refused({a, folder.write("nan.obj", "v nan 0 0\n" + frame(1.0))}, "nan.obj");
  refused({a, (folder.path() / "none.obj").string()}, "none.obj");
  refused({a, "--rate", "0"}, "--rate");
  folder.write("g_0002.obj", frame(1.0));
  refused({(folder.path() / "g_%04d.obj").string()}, "g_0001.obj");
  // A closed mesh whose triangles face inward.
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  refused({folder.write("in.obj", corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")}, "in.obj");
}

}  // namespace
}  // namespace allclear
