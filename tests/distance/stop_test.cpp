// Long work on meshes and clouds is given up in the midst (core/stop_scope.h), asks often enough,
// and leaves nothing behind: the next who asks gets the result.
#include <gtest/gtest.h>

#include <time.h>

#include <algorithm>
#include <functional>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/mesh/prepared.h"
#include "support/mesh_samples.h"
#include "support/random.h"

namespace allclear {
namespace {

/// Of this thread: what other work on the machine takes does not count.
double processorSeconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TriangleMesh roughMesh(int rings) { return test::torusMesh(0.3, 0.1, 2 * rings, rings, 0.3, 11); }

/// Without closed parts: every second triangle of a rough mesh.
TriangleMesh sieve(int rings) {
  const TriangleMesh whole = roughMesh(rings);
  std::vector<Triangle> triangles;
  for (std::size_t i = 0; i < whole.triangles().size(); i += 2) {
    triangles.push_back(whole.triangles()[i]);
  }
  return {whole.vertices(), triangles};
}

std::vector<Vec3> scattered(int count) {
  test::Random random(5);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    points.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  }
  return points;
}

struct Work {
  const char* name;
  std::function<void()> run;
};

std::vector<Work> hardWork() {
  return {
      {"cover of a solid", [] { convexCover(roughMesh(60)); }},
      {"cover of a surface", [] { convexCover(sieve(60)); }},
      {"many pieces", [] { coverOf(roughMesh(40), MeshFidelity::kManyPieces); }},
      {"body", [] { bodyOf(roughMesh(250)); }},
      {"distances",
       [] {
         const TriangleMesh a = roughMesh(50), b = roughMesh(51);
         for (int i = 0; i < 100; ++i) {
           meshDistance(a, Pose(), b, {Mat3::Identity(), Vec3(0.6 + 1e-3 * i, 0.1, 0.05)});
         }
       }},
      {"tree of a cloud", [] { Cloud::balls(scattered(300'000), 0.001); }},
      {"distance from a cloud over time",
       [] {
         const Cloud cloud = Cloud::balls(scattered(20'000), 0.001);
         const Shape A = Shape(Sphere(0.4));
         for (int i = 0; i < 300; ++i) {
           const Pose X_WA{Mat3::Identity(), Vec3(1.2 + 1e-3 * i, 0.0, 0.0)};
           signedDistance(A, X_WA, cloud, Pose());
           std::vector<char> marks(20'000, 0);
           markNear(A, X_WA, cloud, Pose(), 0.8, &marks);
         }
       }},
  };
}

/// The longest stretch between two questions, as a share of all: a step that does not ask shows,
/// whatever the machine. (Single calls of qhull are the longest.)
TEST(StoppedWork, AsksThroughout) {
  for (const Work& work : hardWork()) {
    SCOPED_TRACE(work.name);
    const double start = processorSeconds();
    double last = start, longest = 0.0;
    LibraryCall call;
    {
      const StopScope scope([&] {
        longest = std::max(longest, processorSeconds() - last);
        last = processorSeconds();
        return false;
      });
      work.run();
      call = scope.longestCall();
    }
    const double all = processorSeconds() - start;
    // Questions are a millisecond of wall clock apart at least.
    constexpr double kShare = 0.2, kBetweenQuestions = 0.005;
    EXPECT_LE(longest, kShare * all + kBetweenQuestions + call.seconds);
  }
}

TEST(StoppedWork, EndsByStopped) {
  for (const Work& work : hardWork()) {
    SCOPED_TRACE(work.name);
    int left = 3;
    const StopScope scope([&] { return left-- <= 0; });
    EXPECT_THROW(work.run(), Stopped);
  }
}

TEST(StoppedWork, IsDoneByTheNextWhoAsks) {
  const TriangleMesh mesh = roughMesh(40);
  {
    int left = 3;
    const StopScope scope([&] { return left-- <= 0; });
    EXPECT_THROW(coverOf(mesh, MeshFidelity::kPieces), Stopped);
  }
  const std::vector<ConvexMesh>& pieces = coverOf(mesh, MeshFidelity::kPieces);
  const std::vector<ConvexMesh> expected = convexCover(roughMesh(40));
  ASSERT_EQ(pieces.size(), expected.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].points(), expected[i].points());
  }
}

}  // namespace
}  // namespace allclear
