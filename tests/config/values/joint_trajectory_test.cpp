#include "allclear/config/values/joint_trajectory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/exports/output_files.h"
#include "allclear/trajectories/trajectory_files.h"
#include "support/random.h"

namespace allclear {
namespace {

std::string errorOf(const std::string& text, std::optional<Interpolation> as = std::nullopt) {
  try {
    parseJointTrajectory(text, "x.yaml", {}, as);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string message(const std::string& points) {
  return "header:\n  stamp: {sec: 3, nanosec: 0}\n  frame_id: base\njoint_names: [a]\npoints:\n" +
         points;
}

TEST(JointTrajectory, ReadsBackToTheBitWhatWasWritten) {
  test::Random random(1);
  for (int n = 0; n < 100; ++n) {
    const int count = 2 + n % 7;
    std::vector<double> times{0.0};
    while (static_cast<int>(times.size()) < count) {
      const double step = std::round(1e9 * random.logUniform(1e-9, 1e3) + 0.5);
      times.push_back((std::round(times.back() * 1e9) + step) / 1e9);
    }
    MatX rows[3];
    for (int order = 0; order <= n % 3; ++order) {
      rows[order].resize(2, count);
      for (double& x : rows[order].reshaped()) {
        x = random.uniform(-1.0, 1.0) * random.logUniform(1e-12, 1e9);
      }
    }
    const HermiteCurve curve(times, rows[0], rows[1], rows[2]);
    const std::vector<std::string> names{"b: \"c\"", "a"};
    const NamedTrajectory back =
        parseJointTrajectory(formatRos2Trajectory(curve, names, "base"), "x.yaml");
    EXPECT_EQ(formatTrajectoryJson(back.trajectory, back.joint_names),
              formatTrajectoryJson(curve, names))
        << n;
  }
}

TEST(JointTrajectory, TimesAreWhatTheNanosecondsSay) {
  const MatX q = (MatX(1, 3) << 0.0, 1.0, 2.0).finished();
  const HermiteCurve curve({0.0, 1.0 / 3.0, 2.0 / 3.0}, q);
  const auto back = parseJointTrajectory(formatRos2Trajectory(curve, {"a"}, "base"), "x.yaml");
  EXPECT_EQ(back.trajectory.hermite()->times(),
            (std::vector<double>{0.0, 0.333333333, 0.666666667}));
}

TEST(JointTrajectory, TheFieldsThatAreThereSayHowAControllerInterpolates) {
  const std::string q =
      "- {positions: [0], velocities: [], time_from_start: {sec: 0, nanosec: 0}}\n"
      "- {positions: [1], effort: [], time_from_start: {sec: 1, nanosec: 5}}\n";
  const NamedTrajectory read = parseJointTrajectory(message(q), "x.yaml");
  EXPECT_EQ(read.interpolation(), Interpolation::kLinear);
  EXPECT_EQ(read.trajectory.duration(), 1.000000005);
  const std::string v =
      "- {positions: [0], velocities: [0], time_from_start: {sec: 0, nanosec: 0}}\n"
      "- {positions: [1], velocities: [0], time_from_start: {sec: 1, nanosec: 0}}\n";
  EXPECT_EQ(parseJointTrajectory(message(v), "x.yaml").interpolation(), Interpolation::kCubic);
  EXPECT_EQ(parseJointTrajectory(message(v), "x.yaml", {}, Interpolation::kLinear).interpolation(),
            Interpolation::kLinear);
  EXPECT_EQ(errorOf(message(v), Interpolation::kQuintic),
            "x.yaml:5: points: 'accelerations' are missing: the motion is to be quintic between "
            "rows of positions, velocities and accelerations");
}

TEST(JointTrajectory, WhatIsAmbiguousIsRefused) {
  const std::string first = "- {positions: [0], time_from_start: {sec: 0, nanosec: 0}}\n";
  EXPECT_NE(errorOf(message(first)), "accepted") << "one point";
  const char* const broken[] = {
      "- {positions: [1], time_from_start: {sec: 0, nanosec: 0}}\n",
      "- {positions: [1], time_from_start: {sec: -1, nanosec: 0}}\n",
      "- {positions: [1], time_from_start: {sec: 0, nanosec: 1000000000}}\n",
      "- {positions: [1], time_from_start: {sec: 1.5, nanosec: 0}}\n",
      "- {positions: [1], time_from_start: {sec: 99999999999, nanosec: 0}}\n",
      "- {positions: [1, 2], time_from_start: {sec: 1, nanosec: 0}}\n",
      "- {positions: [.nan], time_from_start: {sec: 1, nanosec: 0}}\n",
      "- {positions: [1e10], time_from_start: {sec: 1, nanosec: 0}}\n",
      "- {positions: [1], velocities: [1], time_from_start: {sec: 1, nanosec: 0}}\n",
      "- {positions: [1], effort: [1], time_from_start: {sec: 1, nanosec: 0}}\n",
      "- {velocities: [1], time_from_start: {sec: 1, nanosec: 0}}\n",
      "- {positions: [1]}\n"};
  for (const char* const second : broken) {
    EXPECT_NE(errorOf(message(first + second)), "accepted") << second;
  }
  const std::string late =
      "- {positions: [0], time_from_start: {sec: 1, nanosec: 0}}\n"
      "- {positions: [1], time_from_start: {sec: 2, nanosec: 0}}\n";
  EXPECT_NE(errorOf(message(late)).find("time_from_start"), std::string::npos);
  EXPECT_NE(errorOf("joint_names: [a, a]\npoints: []\n"), "accepted");
}

}  // namespace
}  // namespace allclear
