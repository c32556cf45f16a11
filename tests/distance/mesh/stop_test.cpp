// A stop reaches every loop over a mesh, and what was made by then is given back at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/mesh/bvh.h"
#include "allclear/distance/mesh/topology.h"
#include "allclear/distance/shape.h"
#include "allclear/distance/solid_and_shell.h"
#include "support/random.h"

namespace allclear {
namespace {

/// Of this thread [s]: other work on the machine does not count.
double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Loose triangles: no closed part, no neighbours, every edge on the rim.
TriangleMesh soup(int count) {
  test::Random random(3);
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (int i = 0; i < count; ++i) {
    const Vec3 center = random.vector(0.3);
    for (int k = 0; k < 3; ++k) vertices.push_back(center + random.vector(0.01));
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return {std::move(vertices), std::move(triangles)};
}

/// Shares of the whole [of processor time]: between two questions, and after the last one.
struct Shares {
  double unasked = 0.0, after = 0.0;
};

Shares sharesOf(const std::function<void()>& work) {
  Shares out;
  const double begin = processorSeconds();
  double last = begin, longest = 0.0;
  const auto ask = [&] {
    const double now = processorSeconds();
    longest = std::max(longest, now - std::exchange(last, now));
  };
  {
    const StopScope scope([&] {
      ask();
      return false;
    });
    work();
    ask();
  }
  const double whole = last - begin;
  out.unasked = longest / whole;
  // Stopped on the way: what is done then is giving back memory.
  for (const double share : {0.2, 0.4, 0.6, 0.8, 0.95}) {
    const double start = processorSeconds();
    double stopped = start;
    const StopScope scope([&] {
      stopped = processorSeconds();
      return stopped - start > share * whole;
    });
    try {
      work();
    } catch (const Stopped&) {
      out.after = std::max(out.after, (processorSeconds() - stopped) / whole);
    }
  }
  return out;
}

TEST(MeshStop, ReachesAllThatIsMadeOfTriangles) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "giving back memory has another share of the time under a sanitizer";
#endif
  const TriangleMesh mesh = soup(300000);
  const MeshTopology clean = cleaned(mesh.vertices(), mesh.triangles());
  const std::vector<std::pair<const char*, std::function<void()>>> works = {
      {"cleaned", [&] { cleaned(mesh.vertices(), mesh.triangles()); }},
      {"solidAndShell", [&] { solidAndShell(mesh); }},
      {"whyNotClosed", [&] { whyNotClosed(mesh); }},
      {"MeshBvh",
       [&] {
         std::vector<TriangleCorners> corners;
         for (const Triangle& t : clean.triangles) {
           corners.push_back(
               cornersOf(clean.vertices[t[0]], clean.vertices[t[1]], clean.vertices[t[2]]));
         }
         std::vector<std::int32_t> order;
         const MeshBvh tree(std::move(corners), &order);
       }},
  };
  for (const auto& [name, work] : works) {
    SCOPED_TRACE(name);
    const Shares shares = sharesOf(work);
    RecordProperty(name, std::to_string(shares.unasked) + " " + std::to_string(shares.after));
    // (What asks for memory, and what else the machine does, is not nothing.)
    EXPECT_LT(shares.unasked, 0.3);
    EXPECT_LT(shares.after, 0.12);
  }
}

}  // namespace
}  // namespace allclear
