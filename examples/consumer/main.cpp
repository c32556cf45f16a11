// Uses an installed Allclear from another project: the least distance over time of a moving ball
// and a box, with its proof.
#include <allclear/allclear.h>

#include <cstdio>

int main() {
  using namespace allclear;
  // A body that moves 2 m along x in 1 s; its curve is exact.
  BodyCurve motion = BodyCurve::still(Pose{}, {0.0, 1.0});
  for (int i = 0; i <= BodyCurve::kDegree; ++i) {
    motion.control[i].p = {-1.0 + 2.0 * i / BodyCurve::kDegree, 0.0, 0.5};
  }
  motion.bounds.linear[0] = 2.0;
  const BodyCurve rest = BodyCurve::still(Pose{}, {0.0, 1.0});
  const Shape ball = Sphere(0.1);
  const Shape box = Box({0.2, 0.2, 0.2});
  const DistanceBracket least =
      minimumDistance({&ball, Pose{}, {&motion, 1}}, {&box, Pose{}, {&rest, 1}}, McdOptions{});
  std::printf("least distance in [%.4f, %.4f] m at t = %.3f s\n", least.lower, least.upper,
              least.t_star);
  const bool right = least.lower <= 0.3 && 0.3 <= least.upper + 1e-9;
  std::printf("headers of %s; plan statuses: %s, %s\n", kLibraryVersion,
              planStatusName(PlanStatus::kCertified), planStatusName(PlanStatus::kNotFound));
  return right ? 0 : 1;
}
