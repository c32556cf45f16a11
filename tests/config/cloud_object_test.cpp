// Objects that are clouds: what they become, what is left out of them, and what is refused with
// which key.
#include "allclear/config/values/cloud_object.h"

#include <gtest/gtest.h>

#include "allclear/config/values/robot_filter.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/cloud.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/certificate/obstacle_statements.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

const char* kTask =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
    "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n";

std::string taskWith(const std::string& object, const std::string& more = "") {
  return kTask + ("scene: {collision_objects: [" + object + "]" + more + "}\n");
}

/// A root with all eight octants unknown but one, down to the smallest cells: two of them occupied.
std::string octreeFile() {
  std::string out = "# Octomap OcTree binary file\nid OcTree\nsize 17\nres 0.1\ndata\n";
  for (int depth = 0; depth < 16; ++depth) {
    const unsigned bits = depth == 0 ? 0xC000u : depth < 15 ? 0x0003u : 0x000Au;
    out += static_cast<char>(bits & 255);
    out += static_cast<char>(bits >> 8);
  }
  return out;
}

class CloudObject : public ::testing::Test {
 protected:
  Problem load(const std::string& task) {
    return loadTask(folder_.write("task.yaml", task)).problem;
  }
  const Cloud& cloud(const std::string& object) {
    problem_ = load(taskWith(object));
    EXPECT_EQ(problem_.obstacles.size(), 1u);
    EXPECT_TRUE(problem_.obstacles[0].geometry.empty());
    EXPECT_NE(problem_.obstacles[0].cloud, nullptr);
    return *problem_.obstacles[0].cloud;
  }
  void expectFault(const std::string& task, const std::vector<std::string>& parts) {
    std::string said = "(loaded)";
    try {
      load(task);
    } catch (const InputError& error) {
      said = error.what();
    }
    for (const std::string& part : parts) {
      EXPECT_NE(said.find(part), std::string::npos) << "expected " << part << "\ngot " << said;
    }
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }

  test::TaskFolder folder_;
  Problem problem_;
};

TEST_F(CloudObject, PointsInPlaceAndFromFiles) {
  const Cloud& inline_points = cloud(
      "{id: scan, type: point_cloud, points: [[5, 0, 0], [6, 0, 0]], radius: 0.02, "
      "pose: {position: [0, 0, 1]}}");
  EXPECT_EQ(inline_points.size(), 2);
  EXPECT_EQ(inline_points.radius(), 0.02);
  EXPECT_EQ(problem_.obstacles[0].X_WO.p, Vec3(0, 0, 1));
  folder_.write("scan.xyz", "5 0 0\n6 1 0\nnan 0 0\n7 0 0\n");
  const Cloud& scan =
      cloud("{id: scan, type: point_cloud, file: scan.xyz, radius: 0.02, scale: 2}");
  EXPECT_EQ(scan.size(), 3);
  EXPECT_EQ(scan.boxAbout().X_BG.p.x(), 12.0);
  ASSERT_EQ(problem_.obstacles[0].notes.size(), 1u);
  EXPECT_NE(problem_.obstacles[0].notes[0].find("1 point without a place"), std::string::npos);
  EXPECT_NE(problem_.warnings.back().find("'scan': 1 point"), std::string::npos);
  // Certificates say so.
  const std::vector<Assumption> said = obstacleAssumptions(problem_);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].text.find("scan (3 points, balls of radius 0.02 m)"), std::string::npos);
  EXPECT_NE(said[1].text.find("left out"), std::string::npos);
}

TEST_F(CloudObject, TheFileIsPartOfTheHash) {
  const std::string task = taskWith("{id: scan, type: point_cloud, file: scan.xyz, radius: 0.02}");
  folder_.write("scan.xyz", "5 0 0\n");
  const std::string first = load(task).source_sha256;
  folder_.write("scan.xyz", "5 0 1\n");
  EXPECT_NE(load(task).source_sha256, first);
}

TEST_F(CloudObject, AnOctreeHasItsCells) {
  folder_.write("map.bt", octreeFile());
  const Cloud& tree = cloud("{id: map, type: octree, file: map.bt, pose: {position: [5, 0, 0]}}");
  EXPECT_FALSE(tree.isBalls());
  EXPECT_EQ(tree.size(), 2);  // neighbours along x from the origin on
  EXPECT_NEAR(tree.boxAbout().X_BG.p.x(), 0.1, 1e-6);
  EXPECT_NE(problem_.obstacles[0].notes.at(0).find("count as free"), std::string::npos);
  cloud("{id: map, type: octree, file: map.bt, unknown: occupied, pose: {position: [5, 0, 0]}}");
  EXPECT_NE(problem_.obstacles[0].notes.at(0).find("count as occupied"), std::string::npos);
  expectFault(taskWith("{id: map, type: octree, file: map.bt, occupancy: 0.7}"),
              {"occupancy", "no probabilities"});
}

TEST_F(CloudObject, AHeightMapIsColumns) {
  folder_.write("h.csv", "0.1, 0.1, 0.3\n0, 0, 0\n");
  const Cloud& map = cloud(
      "{id: ground, type: height_map, file: h.csv, resolution: 0.5, base: -0.1, "
      "pose: {position: [5, 0, 0]}}");
  EXPECT_EQ(map.size(), 3);  // runs of equal heights
  // The first row is the far one, along +y; the last column that of the greatest x.
  const double high =
      signedDistance(Sphere(0.01), {Mat3::Identity(), Vec3(0.5, 0.25, 0.5)}, map, Pose()).distance;
  EXPECT_NEAR(high, 0.19, 1e-9);
  const double low =
      signedDistance(Sphere(0.01), {Mat3::Identity(), Vec3(-0.5, -0.25, 0.05)}, map, Pose())
          .distance;
  EXPECT_NEAR(low, 0.04, 1e-9);
  expectFault(taskWith("{id: g, type: height_map, file: h.csv}"), {"resolution", "size"});
  expectFault(taskWith("{id: g, type: height_map, file: h.csv, resolution: 5e-324}"),
              {"resolution", "1e-30"});
  expectFault(taskWith("{id: g, type: height_map, file: h.csv, size: [1, 1e-320]}"),
              {"size[1]", "1e-30"});
  expectFault(taskWith("{id: g, type: height_map, file: h.csv, size: [1e300, 1]}"), {"1e9"});
  folder_.write("h.pgm", "P2\n1 1\n9\n5\n");
  expectFault(taskWith("{id: g, type: height_map, file: h.pgm, resolution: 1}"), {"scale"});
}

TEST_F(CloudObject, ADepthImageIsPointsBeforeTheCamera) {
  folder_.write("d.pgm", "P2\n3 2\n9999\n2000 0 4000\n1000 1000 9000\n");
  const Cloud& points = cloud(
      "{id: view, type: depth_image, file: d.pgm, intrinsics: {fx: 2, fy: 2, cx: 1, cy: 0}, "
      "radius: 0.01, max: 5, pose: {position: [5, 0, 0]}}");
  EXPECT_EQ(points.size(), 4);
  // u = 0, v = 0, 2 m: x = (0 - 1) 2 / 2.
  EXPECT_NEAR(
      signedDistance(Sphere(0.01), {Mat3::Identity(), Vec3(-1, 0, 2)}, points, Pose()).distance,
      -0.02, 1e-9);
  EXPECT_NE(problem_.obstacles[0].notes.at(0).find("1 value without a depth left out, 1 beyond"),
            std::string::npos);
}

TEST_F(CloudObject, TheRobotsOwnPointsAreLeftOutWhereAsked) {
  const std::string points =
      "{id: scan, type: point_cloud, points: [[0, 0, 0.3], [0.02, 0, 0.3], [5, 0, 0]], radius: "
      "0.001";
  const Problem as_it_is = load(taskWith(points + "}"));
  EXPECT_EQ(as_it_is.obstacles[0].cloud->size(), 3);
  EXPECT_TRUE(as_it_is.obstacles[0].notes.empty());
  const Problem filtered = load(taskWith(points + ", filter_robot: 0.2}"));
  EXPECT_LT(filtered.obstacles[0].cloud->size(), 3);
  ASSERT_FALSE(filtered.obstacles[0].notes.empty());
  const std::string note = filtered.obstacles[0].notes.back();
  EXPECT_NE(note.find("left out as its own ("), std::string::npos) << note;
  EXPECT_NE(filtered.warnings.back().find(note), std::string::npos);
  const Problem far = load(taskWith(
      "{id: scan, type: point_cloud, points: [[5, 0, 0]], radius: 0.001, filter_robot: 0.02}"));
  EXPECT_NE(far.obstacles[0].notes.back().find("left out nothing"), std::string::npos);
  expectFault(taskWith("{id: scan, type: point_cloud, points: [[0, 0, 0.3]], radius: 0.001, "
                       "filter_robot: 1}"),
              {"scan", "nothing is left"});
}

TEST_F(CloudObject, AnOctomapOfASceneFileIsAnObstacle) {
  std::string data;
  const std::string file = octreeFile();
  for (const char c : file.substr(file.find("data\n") + 5)) {
    data += (data.empty() ? "" : ", ") + std::to_string(static_cast<int>(c));
  }
  folder_.write("scene.yaml",
                "world: {octomap: {header: {frame_id: world}, origin: {position: {x: 5, y: 0, z: "
                "0}, orientation: {x: 0, y: 0, z: 0, w: 1}}, octomap: {binary: true, id: OcTree, "
                "resolution: 0.1, data: [" +
                    data + "]}}}\n");
  const Problem problem = load(kTask + std::string("scene: {file: scene.yaml}\n"));
  ASSERT_EQ(problem.obstacles.size(), 1u);
  EXPECT_EQ(problem.obstacles[0].id, "<octomap>");
  EXPECT_EQ(problem.obstacles[0].X_WO.p, Vec3(5, 0, 0));
  EXPECT_EQ(problem.obstacles[0].cloud->size(), 2);
}

TEST_F(CloudObject, TheDocumentedObjectsLoad) {
  const std::string docs = readFile(test::sourceFolder() / "docs" / "task.md");
  const std::string fence = "```yaml scan\n";
  const std::size_t begin = docs.find(fence) + fence.size();
  ASSERT_GT(begin, fence.size());
  folder_.write("scan.pcd",
                "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nWIDTH 1\nHEIGHT 1\n"
                "DATA ascii\n5 0 0\n");
  folder_.write("map.bt", octreeFile());
  folder_.write("ground.csv", "0, 1\n");
  folder_.write("depth.pgm", "P2\n1 1\n9999\n2000\n");
  const Problem problem = load(kTask + ("scene:\n  collision_objects:\n" +
                                        docs.substr(begin, docs.find("```\n", begin) - begin)));
  EXPECT_EQ(problem.obstacles.size(), 4u);
}

TEST_F(CloudObject, WhatDoesNotFitIsRefusedAtItsKey) {
  const std::string points = "{id: scan, type: point_cloud, points: [[5, 0, 0]]";
  expectFault(taskWith(points + "}"), {"radius"});
  expectFault(taskWith(points + ", radius: 0}"), {"radius", "positive"});
  expectFault(taskWith(points + ", radius: 5e-324}"), {"radius", "1e-30"});
  expectFault(taskWith(points + ", radius: 1e300}"), {"radius", "1e9"});
  expectFault(taskWith(points + ", radius: 1, file: a.xyz}"), {"points"});
  expectFault(taskWith(points + ", radius: 1, dimensions: [1]}"), {"dimensions"});
  expectFault(taskWith(points + ", radius: 1, filter_robot: -1}"), {"filter_robot"});
  expectFault(taskWith("{id: scan, type: point_cloud, points: [], radius: 1}"),
              {"scan", "element"});
  expectFault(taskWith("{id: scan, type: point_cloud, file: none.pcd, radius: 1}"), {"none.pcd"});
  expectFault(taskWith("{id: scan, type: point_clowd, file: none.pcd, radius: 1}"),
              {"point_cloud"});
  expectFault(kTask + std::string("scene: {attached: [{id: s, link: hand, type: point_cloud, "
                                  "points: [[0, 0, 0]], radius: 1}]}\n"),
              {"type"});
  const std::string cable =
      "cables: [{id: hose, clips: [{link: upper_arm, point: [0, 0, 0]}, {link: hand, point: [0, 0, "
      "0]}], lengths: [3], radius: 0.01}]\n";
  expectFault(taskWith(points + ", radius: 0.01}") + cable, {"hose"});
}

}  // namespace
}  // namespace allclear
