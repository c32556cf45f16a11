// SDF worlds, where the build reads them.
#include "allclear/robot_models/files/sdf_world.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

SdfFiles noFiles() {
  SdfFiles files;
  files.find = [](const std::string& uri, const std::filesystem::path&) -> std::filesystem::path {
    throw InputError({"", 0, "uri", uri}, "there is no such file");
  };
  files.read = [](const std::filesystem::path&) { return std::string(); };
  files.mesh = [](const std::filesystem::path& file, const Vec3&) -> TriangleMesh {
    throw InputError({file.string(), 0, "", ""}, "no mesh is read here");
  };
  return files;
}

std::string worldWith(const std::string& inside) {
  return "<?xml version='1.0'?><sdf version='1.9'><world name='w'>" + inside + "</world></sdf>";
}

std::string refusal(const std::string& content) {
  try {
    parseSdfWorld(content, "w.sdf", noFiles());
  } catch (const InputError& error) {
    return error.what();
  }
  return "(read)";
}

std::string collision(const std::string& geometry) {
  return "<model name='m'><static>true</static><link name='l'><collision name='c'><geometry>" +
         geometry + "</geometry></collision></link></model>";
}

#ifdef ALLCLEAR_HAVE_SDFORMAT
TEST(SdfWorld, PlacesCollisionsByTheirFrames) {
  const SdfWorld world = parseSdfWorld(
      worldWith("<model name='table'><static>true</static><pose>1 2 0 0 0 1.5707963267948966</pose>"
                "<link name='top'><pose>0 0 0.7 0 0 0</pose>"
                "<collision name='c'><pose>0.1 0 0 0 0 0</pose><geometry><box><size>1 2 0.1</size>"
                "</box></geometry></collision></link>"
                "<link name='leg'><pose relative_to='top'>0 0 -0.35 0 0 0</pose>"
                "<collision name='c'><geometry><cylinder><radius>0.05</radius><length>0.7</length>"
                "</cylinder></geometry></collision></link></model>"
                "<model name='cup'><pose>0 0 1 0 0 0</pose><link name='l'>"
                "<collision name='c'><geometry><sphere><radius>0.04</radius></sphere></geometry>"
                "</collision></link></model>"),
      "w.sdf", noFiles());
  ASSERT_EQ(world.bodies.size(), 3u);
  EXPECT_EQ(world.bodies[0].name, "table::top");
  EXPECT_EQ(world.bodies[1].name, "table::leg");
  EXPECT_EQ(world.bodies[2].name, "cup");
  const Geometry& top = world.bodies[0].geometry.at(0);
  EXPECT_NEAR((world.bodies[0].X_WO * top.X_BG.p - Vec3(1, 2.1, 0.7)).norm(), 0, 1e-12);
  EXPECT_EQ(std::get<Box>(top.shape).size(), Vec3(1, 2, 0.1));
  EXPECT_NEAR((world.bodies[1].X_WO.p - Vec3(1, 2, 0.35)).norm(), 0, 1e-12);
  ASSERT_EQ(world.warnings.size(), 1u);
  EXPECT_NE(world.warnings[0].find("'cup' is not static"), std::string::npos);
}

TEST(SdfWorld, ReadsItsShapes) {
  const auto shapeOf = [](const std::string& geometry) {
    return parseSdfWorld(worldWith(collision(geometry)), "w.sdf", noFiles())
        .bodies.at(0)
        .geometry.at(0);
  };
  EXPECT_TRUE(std::holds_alternative<Capsule>(
      shapeOf("<capsule><radius>0.1</radius><length>1</length></capsule>").shape));
  EXPECT_TRUE(std::holds_alternative<Ellipsoid>(
      shapeOf("<ellipsoid><radii>1 2 3</radii></ellipsoid>").shape));
  const Geometry plane = shapeOf("<plane><normal>1 0 0</normal><size>1 1</size></plane>");
  EXPECT_TRUE(std::holds_alternative<HalfSpace>(plane.shape));
  EXPECT_NEAR((plane.X_BG.R.col(2) - Vec3::UnitX()).norm(), 0, 1e-12);
}

TEST(SdfWorld, RefusesWhatItDoesNotRead) {
  EXPECT_NE(refusal(worldWith(collision("<polyline><height>1</height><point>0 0</point>"
                                        "<point>1 0</point><point>0 1</point></polyline>")))
                .find("not read"),
            std::string::npos);
  EXPECT_NE(
      refusal(worldWith(collision("<mesh><uri>model://a/b.stl</uri></mesh>"))).find("no such file"),
      std::string::npos);
  EXPECT_NE(refusal(worldWith("<include><uri>model://nothing</uri></include>")).find("no such"),
            std::string::npos);
  EXPECT_NE(refusal(worldWith("<modell name='a'/>")), "(read)");
  EXPECT_NE(refusal(worldWith("")).find("no collision geometry"), std::string::npos);
  EXPECT_NE(refusal("hello"), "(read)");
  EXPECT_NE(refusal(worldWith(collision("<box><size>1 2 -1</size></box>"))), "(read)");
}
#else
TEST(SdfWorld, SaysThatTheBuildReadsNone) {
  EXPECT_NE(refusal(worldWith(collision("<box/>"))).find("libsdformat"), std::string::npos);
}
#endif

}  // namespace
}  // namespace allclear
