// All public headers in one source, and the version that they give.
#include <allclear/allclear.h>
#include <gtest/gtest.h>

#include <string>

namespace allclear {
namespace {

TEST(PublicHeaders, GiveTheVersionOfTheProject) {
  EXPECT_STREQ(kLibraryVersion, ALLCLEAR_PROJECT_VERSION);
  EXPECT_EQ(std::to_string(ALLCLEAR_VERSION_MAJOR) + "." + std::to_string(ALLCLEAR_VERSION_MINOR) +
                "." + std::to_string(ALLCLEAR_VERSION_PATCH),
            kLibraryVersion);
}

TEST(PublicHeaders, AreEnoughToCheckADistanceAndATrajectory) {
  const SignedDistance d = signedDistance(Sphere(1.0), {Mat3::Identity(), Vec3(0, 0, 0)},
                                          Sphere(1.0), {Mat3::Identity(), Vec3(3, 0, 0)});
  EXPECT_NEAR(d.distance, 1.0, 1e-12);
  const Trajectory line = BSpline(MatX::Zero(2, 8), 1.5);
  const NamedTrajectory read = parseTrajectoryJson(formatTrajectoryJson(line, {"a", "b"}), "text");
  EXPECT_EQ(read.trajectory.duration(), 1.5);
}

}  // namespace
}  // namespace allclear
