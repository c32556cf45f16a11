#include "allclear/distance/geometry/support_corners.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/random.h"

namespace allclear {
namespace {

TEST(PointCloud, ADirectionThatIsNoneStillNamesACorner) {
  // So many corners that directions are looked up by cells.
  test::Random random(5);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(random.directionOfNormals());
  const PointCloud cloud(points);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Vec3& d : {Vec3(0, 0, 0), Vec3(nan, nan, nan), Vec3(0, nan, 1), Vec3(1, 0, nan),
                        Vec3(infinity, -infinity, 0), Vec3(-1e-320, 1e-320, 0)}) {
    const int i = cloud.farthest(d);
    EXPECT_GE(i, 0);
    EXPECT_LT(i, cloud.count());
  }
}

}  // namespace
}  // namespace allclear
