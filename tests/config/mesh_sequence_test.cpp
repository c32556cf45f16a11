// Objects of type mesh_sequence: what they become, and what is refused with which file.
#include <gtest/gtest.h>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/robot_models/files/mesh_sequence_file.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

const char* kTask =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
    "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n";

std::string taskWith(const std::string& object, const std::string& more = "") {
  return kTask + ("scene: {collision_objects: [" + object + "]}\n") + more;
}

/// A quadrilateral whose third corner is at height z.
std::string frame(const std::string& z) {
  return "# made by hand\no sheet\nv 0 0 0\nv 1 0 0\nvt 0 0\nv 1 1 " + z +
         "\nv 0 1 0\nf 1 2/1 3//2 -1\n";
}

class MeshSequence : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int k = 2; k <= 5; ++k) write(k, frame(std::to_string(k)));
  }
  void write(int k, const std::string& text) {
    folder_.write("cloth_" + std::string(k < 10 ? "00" : "0") + std::to_string(k) + ".obj", text);
  }
  Problem load(const std::string& task) {
    return loadTask(folder_.write("task.yaml", task)).problem;
  }
  std::string message(const std::string& task) {
    try {
      load(task);
    } catch (const InputError& error) {
      return error.what();
    }
    return "(loaded)";
  }
  std::string object(const std::string& more = "") const {
    return "{id: cloth, type: mesh_sequence, file: cloth_%03d.obj, rate: 10" + more + "}";
  }
  void expectFault(const std::string& task, const std::vector<std::string>& parts) {
    const std::string said = message(task);
    for (const std::string& part : parts) {
      EXPECT_NE(said.find(part), std::string::npos) << "expected " << part << "\ngot " << said;
    }
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }

  test::TaskFolder folder_;
};

TEST_F(MeshSequence, BecomesAnObstacleThatBends) {
  const Problem problem =
      load(taskWith(object(", start: 0.5, scale: 0.1, pose: {position: [1, 2, 3]}")));
  const Obstacle& cloth = problem.obstacles.at(0);
  ASSERT_NE(cloth.deforming, nullptr);
  EXPECT_TRUE(cloth.moves());
  EXPECT_TRUE(cloth.geometry.empty());
  EXPECT_EQ(cloth.X_WO.p, Vec3(1, 2, 3));
  const DeformingMesh& mesh = *cloth.deforming;
  EXPECT_EQ(mesh.keyframeCount(), 4);
  EXPECT_EQ(mesh.triangles().size(), 2u);
  EXPECT_NEAR(mesh.times()[0], 0.5, 1e-15);
  EXPECT_NEAR(mesh.times()[3], 0.8, 1e-15);
  EXPECT_NEAR(cloth.lastChange(), 0.8, 1e-15);
  EXPECT_NEAR(mesh.keyframe(1)[2].z(), 0.3, 1e-12);
  EXPECT_FALSE(mesh.hasInside());
  // The files are part of the task: another frame makes another task.
  const std::string before = problem.source_sha256;
  write(4, frame("4.001"));
  EXPECT_NE(
      load(taskWith(object(", start: 0.5, scale: 0.1, pose: {position: [1, 2, 3]}"))).source_sha256,
      before);
}

TEST_F(MeshSequence, TheDocumentedObjectLoads) {
  const std::string docs = readFile(test::sourceFolder() / "docs" / "task.md");
  const std::string fence = "```yaml sequence\n";
  const std::size_t begin = docs.find(fence) + fence.size();
  ASSERT_GT(begin, fence.size());
  for (int k = 0; k < 3; ++k) {
    folder_.write("curtain_000" + std::to_string(k) + ".obj", frame("0.1"));
  }
  const Problem problem = load(kTask + ("scene:\n  collision_objects:\n" +
                                        docs.substr(begin, docs.find("```\n", begin) - begin)));
  EXPECT_EQ(problem.obstacles.at(0).deforming->keyframeCount(), 3);
}

TEST_F(MeshSequence, CornersAtOnePlaceInAllFramesAreOne) {
  const auto box = [](double x) {
    std::string text;
    const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                             {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& face : faces) {
      for (const int i : face) {
        text += "v " + std::to_string((i & 1) + x) + " " + std::to_string(i >> 1 & 1) + " " +
                std::to_string(i >> 2 & 1) + "\n";
      }
      text += "f -4 -3 -2 -1\n";
    }
    return text;
  };
  for (int k = 2; k <= 5; ++k) write(k, box(0.1 * k));
  const Problem problem = load(taskWith(object()));
  EXPECT_EQ(problem.obstacles[0].deforming->vertexCount(), 8);
  EXPECT_TRUE(problem.obstacles[0].deforming->hasInside());
  // Turned inside out, a closed mesh is refused by the name of its file.
  for (int k = 2; k <= 5; ++k) {
    std::string text = box(0.0);
    for (std::size_t at = 0; (at = text.find("f -4 -3 -2 -1", at)) != std::string::npos; ++at) {
      text.replace(at, 13, "f -1 -2 -3 -4");
    }
    write(k, text);
  }
  expectFault(taskWith(object()), {"cloth_002.obj", "inside out"});
}

TEST_F(MeshSequence, FaultsNameTheFile) {
  std::filesystem::remove(folder_.path() / "cloth_004.obj");
  expectFault(taskWith(object()), {"cloth_004.obj", "missing", "cloth_002.obj to cloth_005.obj"});
  write(4, frame("nan"));
  expectFault(taskWith(object()), {"cloth_004.obj:6", "'nan' is no finite coordinate"});
  write(4, frame("1e999"));
  expectFault(taskWith(object()), {"cloth_004.obj:6", "is no finite coordinate"});
  write(4, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 4 3\n");
  expectFault(taskWith(object()), {"cloth_004.obj", "has other triangles than cloth_002.obj"});
  write(4, frame("1") + "v 1 1 1\n");
  expectFault(taskWith(object()), {"cloth_004.obj", "has 5 vertices, cloth_002.obj has 4"});
  write(4, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 9\n");
  expectFault(taskWith(object()), {"cloth_004.obj:4", "'9' is no vertex"});
  write(4, "");
  expectFault(taskWith(object()), {"cloth_004.obj"});
}

TEST_F(MeshSequence, AByteOrderMarkHidesNoVertex) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
  write(2, text);
  for (int k = 3; k <= 5; ++k) write(k, "\xef\xbb\xbf" + text);
  EXPECT_EQ(message(taskWith(object())), "(loaded)");
}

TEST_F(MeshSequence, WeightsOfVerticesAreRefusedAndColoursArePassedOver) {
  for (int k = 2; k <= 5; ++k) write(k, "v 0 0 0 1\nv 1 0 0 .5 .5 1\nv 1 1 0\nf 1 2 3\n");
  EXPECT_EQ(message(taskWith(object())), "(loaded)");
  write(3, "v 0 0 0\nv 1 0 0 2\nv 1 1 0\nf 1 2 3\n");
  expectFault(taskWith(object()), {"cloth_003.obj", "weight 2"});
}

TEST_F(MeshSequence, FramesOfAnotherPaddingAreNotLeftOutUnseen) {
  const auto with = [&](const std::string& file) {
    return taskWith("{id: cloth, type: mesh_sequence, file: '" + file + "', rate: 10}");
  };
  expectFault(with("cloth_%d.obj"), {"no file of this form", "there is cloth_002.obj"});
  folder_.write("cloth_10.obj", frame("1"));
  folder_.write("cloth_11.obj", frame("1"));
  expectFault(with("cloth_%d.obj"), {"cloth_%d.obj", "leaves out cloth_002.obj"});
  expectFault(with("cloth_%03d.obj"), {"leaves out cloth_10.obj"});
  folder_.write("rag_99999999999.obj", frame("1"));
  folder_.write("rag_0.obj", frame("1"));
  folder_.write("rag_1.obj", frame("1"));
  expectFault(with("rag_%d.obj"), {"leaves out rag_99999999999.obj"});
}

TEST_F(MeshSequence, OtherFilesAndKeysAreRefused) {
  const auto with = [&](const std::string& file) {
    return taskWith("{id: cloth, type: mesh_sequence, file: '" + file + "', rate: 10}");
  };
  expectFault(with("cloth.glb"), {"names no sequence", "glTF or Alembic, is not read"});
  expectFault(with("cloth_%s.obj"), {"names no sequence"});
  expectFault(with("cloth_%03d_%n.obj"), {"names no sequence"});
  expectFault(with("cloth_%099999999999d.obj"), {"names no sequence"});
  expectFault(with("cloth_%03d.stl"), {".obj files"});
  expectFault(with("cloth_%05d.obj"), {"there is no file of this form, such as cloth_00000.obj"});
  expectFault(taskWith("{id: cloth, type: mesh_sequence, file: cloth_%03d.obj}"), {"rate"});
  expectFault(taskWith("{id: cloth, type: mesh_sequence, file: cloth_%03d.obj, rate: 0}"),
              {"rate"});
  expectFault(taskWith(object(", motion: agv.csv")), {"motion"});
  expectFault(taskWith(object(),
                       "uncertainty: {obstacles: {cloth: {covariance: [1e-4, 1e-4, 1e-4, "
                       "0, 0, 0]}}}\n"),
              {"bends"});
  expectFault(kTask + std::string("scene: {attached: [{id: rag, link: hand, type: mesh_sequence, "
                                  "file: cloth_%03d.obj}]}\n"),
              {"not carried"});
}

}  // namespace
}  // namespace allclear
