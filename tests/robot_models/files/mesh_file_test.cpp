#include "allclear/robot_models/files/mesh_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "allclear/core/input_error.h"
#include "support/data.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

double area(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles()) {
    const Vec3& a = mesh.vertices()[t[0]];
    sum += 0.5 * (mesh.vertices()[t[1]] - a).cross(mesh.vertices()[t[2]] - a).norm();
  }
  return sum;
}

/// Positive when the triangles face outwards.
double volume(const TriangleMesh& mesh) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles()) {
    const auto& v = mesh.vertices();
    sum += v[t[0]].dot(v[t[1]].cross(v[t[2]])) / 6.0;
  }
  return sum;
}

Vec3 corner(const TriangleMesh& mesh, bool upper) {
  Vec3 result = mesh.vertices().front();
  for (const Vec3& p : mesh.vertices()) {
    result = upper ? Vec3(result.cwiseMax(p)) : Vec3(result.cwiseMin(p));
  }
  return result;
}

Vec3 vectorOf(const json& values) {
  return Vec3(values[0].get<double>(), values[1].get<double>(), values[2].get<double>());
}

class MeshStatistics : public testing::TestWithParam<const char*> {};

TEST_P(MeshStatistics, OfEveryFileAreReproduced) {
  ALLCLEAR_REQUIRE_DATA(fs::path("robots") / GetParam());
  const fs::path package = test::dataFolder() / "robots" / GetParam();
  const json expected = json::parse(std::ifstream(package / "mesh_stats.json"));
  ASSERT_GE(expected.at("meshes").size(), 10u);
  for (const auto& [file, stats] : expected.at("meshes").items()) {
    const TriangleMesh mesh = loadMesh(package / file);
    EXPECT_EQ(mesh.triangles().size(), stats.at("triangles").get<std::size_t>()) << file;
    // Files and their reader hold single precision.
    const double tolerance = 2e-7 * extent(mesh);
    EXPECT_LT((corner(mesh, false) - vectorOf(stats.at("bbox_min"))).norm(), tolerance) << file;
    EXPECT_LT((corner(mesh, true) - vectorOf(stats.at("bbox_max"))).norm(), tolerance) << file;
    const double expected_area = stats.at("area");
    EXPECT_NEAR(area(mesh), expected_area, 1e-6 * expected_area) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(SharedRobots, MeshStatistics,
                         testing::Values("panda_description", "ur5_description",
                                         "fetch_description", "jvrc_description"));

const char kTetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

TEST(MeshFile, MirroringScaleKeepsTheOutsideOut) {
  for (const Vec3& scale :
       {Vec3(1, 1, 1), Vec3(-1, 1, 1), Vec3(2, -3, 1), Vec3(-1, -1, 2), Vec3(-1, -1, -1)}) {
    const TriangleMesh mesh = parseMesh(kTetrahedron, "t.obj", {scale, 1e3, 1e-6});
    EXPECT_NEAR(volume(mesh), std::abs(scale.prod()) / 6.0, 1e-12) << scale.transpose();
    EXPECT_EQ(mesh.vertices().size(), 4u);
  }
}

// With the first vertex lost, all faces would be of other corners.
TEST(MeshFile, AByteOrderMarkHidesNoVertex) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 9 9 9\nf 1 2 3\n";
  const TriangleMesh plain = parseMesh(text, "t.obj");
  const TriangleMesh marked = parseMesh("\xef\xbb\xbf" + text, "t.obj");
  EXPECT_EQ(plain.vertices(), marked.vertices());
  EXPECT_EQ(plain.triangles(), marked.triangles());
}

TEST(MeshFile, BlanksBeforeWordsHideNoVertexAndNoFace) {
  const TriangleMesh plain =
      parseMesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 9 9 9\nf 1 2 3\nf 1 3 4\n", "t.obj");
  const TriangleMesh indented =
      parseMesh("  v 0 0 0\r\n\tv 1 0 0\n v 1 1 0\n\n  v 9 9 9\n \tf 1 2 3\n f 1 3 4", "t.obj");
  EXPECT_EQ(plain.vertices(), indented.vertices());
  EXPECT_EQ(plain.triangles(), indented.triangles());
}

TEST(MeshFile, PolygonsAreCutIntoTriangles) {
  const TriangleMesh mesh =
      parseMesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", "quad.obj");
  EXPECT_EQ(mesh.triangles().size(), 2u);
  EXPECT_NEAR(area(mesh), 1.0, 1e-12);
}

/// One triangle in a node with the given transform, unit and up axis.
std::string collada(const std::string& transform, const std::string& unit, const std::string& up) {
  return "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
         "version=\"1.4.1\"><asset><unit name=\"u\" meter=\"" +
         unit + "\"/><up_axis>" + up +
         "</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>"
         "<source id=\"p\"><float_array id=\"pa\" count=\"9\">0 0 0 1 0 0 0 2 0</float_array>"
         "<technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\">"
         "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
         "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
         "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
         "<triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
         "<p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
         "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\">" +
         transform +
         "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
         "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";
}

TEST(MeshFile, ColladaAxesAreKeptAndNodesAndUnitsApplied) {
  for (const char* up : {"X_UP", "Y_UP", "Z_UP"}) {
    const TriangleMesh mesh = parseMesh(collada("", "1", up), "t.dae");
    EXPECT_LT((corner(mesh, true) - Vec3(1, 2, 0)).norm(), 1e-6) << up;
  }
  const TriangleMesh moved =
      parseMesh(collada("<translate>1 2 3</translate><scale>2 2 2</scale>", "1", "Z_UP"), "t.dae");
  EXPECT_LT((corner(moved, true) - Vec3(3, 6, 3)).norm(), 1e-6);
  const TriangleMesh millimetres = parseMesh(collada("", "0.001", "Z_UP"), "t.dae");
  EXPECT_LT((corner(millimetres, true) - Vec3(1e-3, 2e-3, 0)).norm(), 1e-9);
}

TEST(MeshFile, CommentsWithinNumbersOfColladaAreNoEnd) {
  std::string text = collada("", "1", "Z_UP");
  text.replace(text.find("0 1 2</p>"), 3, "0 <!-- zero --> 1");
  EXPECT_EQ(parseMesh(text, "t.dae").triangles().size(), 1u);
}

TEST(MeshFile, MirroringNodeTurnsTrianglesBack) {
  const auto normal = [](const TriangleMesh& mesh) {
    const Triangle& t = mesh.triangles().front();
    const auto& v = mesh.vertices();
    return Vec3((v[t[1]] - v[t[0]]).cross(v[t[2]] - v[t[0]]).normalized());
  };
  const TriangleMesh mirrored = parseMesh(collada("<scale>-1 1 1</scale>", "1", "Z_UP"), "t.dae");
  EXPECT_LT((normal(mirrored) - Vec3::UnitZ()).norm(), 1e-6);
}

TEST(MeshFile, WrongScaleIsAnErrorThatSaysSo) {
  EXPECT_THROW(parseMesh(kTetrahedron, "t.obj", {Vec3::Constant(2000.0)}), InputError);
  EXPECT_THROW(parseMesh(kTetrahedron, "t.obj", {Vec3::Constant(1e-7)}), InputError);
  EXPECT_THROW(parseMesh(kTetrahedron, "t.obj", {Vec3(1.0, 0.0, 1.0)}), InputError);
  EXPECT_NO_THROW(parseMesh(kTetrahedron, "t.obj", {Vec3::Constant(2000.0), 1e4, 1e-6}));
}

}  // namespace
}  // namespace allclear
