#include "allclear/robot_models/fitted_shapes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

class FittedShapesFile : public testing::Test {
 protected:
  fs::path path_ =
      fs::temp_directory_path() / ("allclear_fitted_" + std::to_string(::getpid()) + ".json");
  void TearDown() override { fs::remove(path_); }

  std::string errorOf(const std::string& content) {
    writeFileAtomically(path_, content);
    try {
      readFittedShapes(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
};

FittedShapes example() {
  const Pose X{rotationFromRpy({0.1, 0.2, 3.0}), {1e-3, 1.0 / 3.0, -7.0}};
  return {"arm \"1\"",
          "abc",
          {{"base", {{Capsule(0.1, 0.0), X}, {Box({1, 2, 3}), X}}},
           {"tip", {{Sphere(1.0 / 7.0), X}, {Cylinder(1e-3, 1e3), Pose{}}}}}};
}

TEST_F(FittedShapesFile, IsReadBackAsItWasWritten) {
  const FittedShapes written = example();
  writeFittedShapes(written, path_);
  const FittedShapes read = readFittedShapes(path_);
  EXPECT_EQ(read.robot, written.robot);
  EXPECT_EQ(read.robot_sha256, written.robot_sha256);
  ASSERT_EQ(read.links.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read.links[i].link, written.links[i].link);
    ASSERT_EQ(read.links[i].shapes.size(), 2u);
    for (int k = 0; k < 2; ++k) {
      const Geometry& a = read.links[i].shapes[k];
      const Geometry& b = written.links[i].shapes[k];
      EXPECT_EQ(a.shape.index(), b.shape.index());
      EXPECT_EQ(a.X_BG.p, b.X_BG.p);
      EXPECT_LT((a.X_BG.R - b.X_BG.R).norm(), 1e-15);
    }
  }
  EXPECT_EQ(std::get<Sphere>(read.links[1].shapes[0].shape).radius(), 1.0 / 7.0);
  EXPECT_EQ(std::get<Box>(read.links[0].shapes[1].shape).size(), Vec3(1, 2, 3));
}

TEST_F(FittedShapesFile, NamesWhatIsWrongWithIt) {
  const auto file = [](const std::string& shape) {
    return R"({"format": "allclear_fitted_shapes", "version": 1, "robot": "r", "robot_sha256": "s",
      "links": [{"name": "l", "shapes": [)" +
           shape + "]}]}";
  };
  const std::string rest = R"(, "position": [0, 0, 0], "orientation": [0, 0, 0, 1]})";
  EXPECT_EQ(errorOf(file(R"({"type": "sphere", "radius": 1)" + rest)), "no error");
  const std::pair<std::string, std::string> cases[] = {
      {file(R"({"type": "sphere", "radius": -1)" + rest), "must be a positive finite number"},
      {file(R"({"type": "sphere", "radius": "1")" + rest), "links[0].shapes[0].radius"},
      {file(R"({"type": "sphere", "radius": 1e999)" + rest), "out of range"},
      {file(R"({"type": "sphere", "radious": 1)" + rest), "did you mean 'radius'?"},
      {file(R"({"type": "mesh")" + rest),
       "must be 'sphere', 'capsule', 'cylinder', 'box' or 'ellipsoid'"},
      {file(R"({"type": "capsule", "radius": 1)" + rest), "'length' is missing"},
      {file(R"({"type": "sphere", "radius": 1, "position": [0, 0], "orientation": [0, 0, 0, 1]})"),
       "must have 3 entries"},
      {file(
           R"({"type": "sphere", "radius": 1, "position": [0, 0, 0], "orientation": [0, 0, 0, 2]})"),
       "unit quaternion"},
      {file(""), "must not be empty"},
      {file("[]"), "must be a map of keys"},
      {"{", "is not valid JSON"},
      {"{\"format\": 1, \"format\": 1}", "key 'format' is given twice"},
      {"[]", "must be a map of keys"},
      {"{}", "format"},
      {R"({"format": "other", "version": 1})", "must be 'allclear_fitted_shapes'"},
      {R"({"format": "allclear_fitted_shapes", "version": 2})", "must be 1"},
      {std::string(5000, '['), "nested deeper than 6 levels"},
  };
  for (const auto& [content, expected] : cases) {
    const std::string error = errorOf(content);
    EXPECT_NE(error.find(expected), std::string::npos) << content << "\n  gave: " << error;
    EXPECT_NE(error.find(path_.string()), std::string::npos) << error;
  }
}

TEST_F(FittedShapesFile, IsRefusedForAnotherRobot) {
  RobotModel::Data data;
  data.name = "r";
  data.source_sha256 = "abc";
  data.links = {{"base", -1, {}, {{Sphere(1.0), Pose{}}}, {}}};
  const RobotModel robot(data);
  FittedShapes shapes = fittedShapes(robot, fitLinks(robot));
  const auto errorFor = [&] {
    writeFittedShapes(shapes, path_);
    try {
      readFittedShapes(path_, robot);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(errorFor(), "");
  shapes.robot_sha256 = "abd";
  EXPECT_NE(errorFor().find("run allclear fit again"), std::string::npos);
  shapes.robot_sha256 = "abc";
  shapes.links[0].link = "other";
  EXPECT_NE(errorFor().find("no such link"), std::string::npos);
  shapes.links.clear();
  EXPECT_NE(errorFor().find("'base' is missing"), std::string::npos);
}

TEST_F(FittedShapesFile, HoldsEllipsoids) {
  RobotModel::Data data;
  data.name = "r";
  data.source_sha256 = "abc";
  data.links = {{"base", -1, {}, {{Box(Vec3(0.2, 0.4, 0.6)), Pose{}}}, {}}};
  const RobotModel robot(data);
  const std::vector<LinkFit> fits = fitLinkEllipsoids(robot, 1);
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_NEAR(fits[0].set.solid_volume, 0.048, 1e-9);
  // The least ellipsoid about a box: its half edges times the root of 3.
  EXPECT_NEAR(fits[0].set.volume, 4.0 / 3.0 * M_PI * std::pow(3.0, 1.5) * 0.1 * 0.2 * 0.3, 1e-4);
  writeFittedShapes(fittedShapes(robot, fits), path_);
  const FittedShapes read = readFittedShapes(path_, robot);
  ASSERT_EQ(read.links[0].shapes.size(), 1u);
  const Ellipsoid* written = std::get_if<Ellipsoid>(&fits[0].set.capsules[0].shape);
  const Ellipsoid* found = std::get_if<Ellipsoid>(&read.links[0].shapes[0].shape);
  ASSERT_TRUE(written && found);
  EXPECT_EQ(found->radii(), written->radii());
}

TEST(FitLinks, EncloseEveryVertexOfThePandaWhateverTheNumberOfThreads) {
  ALLCLEAR_REQUIRE_DATA("robots/panda_description/urdf/panda.urdf");
  RobotSource source;
  source.urdf = test::dataFolder() / "robots/panda_description/urdf/panda.urdf";
  const RobotModel robot = loadRobot(source);
  const std::vector<LinkFit> fits = fitLinks(robot, {}, 2);
  const std::vector<LinkFit> alone = fitLinks(robot, {}, 1);
  ASSERT_EQ(fits.size(), 11u);
  double own = 0.0;
  double volume = 0.0;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    own += fits[i].set.solid_volume;
    volume += fits[i].set.volume;
    EXPECT_EQ(fits[i].set.volume, alone[i].set.volume);
    EXPECT_TRUE(fits[i].set.covers_inside);
    for (const Geometry& g : robot.links()[fits[i].link].collision) {
      const auto& mesh = std::get<TriangleMesh>(g.shape);
      for (const Vec3& vertex : mesh.vertices()) {
        const Geometry point{ConvexMesh(std::vector<Vec3>{g.X_BG * vertex}), Pose{}};
        bool covered = false;
        for (const Geometry& capsule : fits[i].set.capsules) {
          covered = covered || reachOutside(point, capsule) <= 0.0;
        }
        EXPECT_TRUE(covered);
      }
    }
  }
  // As good as it was found to be when this was written, with a little room.
  EXPECT_LT(volume / own, 1.50);
}

}  // namespace
}  // namespace allclear
