#include "allclear/robot_models/motion/interpolated_curve.h"

#include <gtest/gtest.h>

namespace allclear {
namespace {

/// A point on a circle of radius `reach`, turning at `rate`: |p^(n)| = reach rate^n.
struct Circle {
  double reach, rate;
  Pose at(double t) const {
    const Mat3 R = Eigen::AngleAxisd(rate * t, Vec3::UnitZ()).toRotationMatrix();
    return {R, R * Vec3(reach, 0, 0)};
  }
  MotionMajorant majorant() const {
    MotionMajorant out;
    double power = 1.0;
    for (int n = 1; n <= kMotionOrder; ++n) {
      power *= rate;
      out.linear[n] = reach * power;
      out.angular[n] = power;
    }
    return out;
  }
};

BodyCurve curveOf(const Circle& circle, Interval time, int samples, double radius, double* error) {
  std::vector<Pose> poses;
  for (int i = 0; i < samples; ++i) {
    poses.push_back(circle.at(time.lower + time.length() * LobattoNodes::at(i)));
  }
  BodyCurve curve;
  curve.time = time;
  *error = interpolateCurve(poses, circle.majorant(), circle.reach, radius, &curve);
  return curve;
}

TEST(InterpolatedCurve, ErrorHoldsAtEverySampleAndIsNearlyAttained) {
  const Circle circle{0.8, 1.0};
  for (const double length : {0.5, 1.0, 3.0}) {
    for (const int samples : {kNodes, kChecked}) {
      const Interval time{0.2, 0.2 + length};
      const Vec3 p_B(0.1, -0.2, 0.3);
      double error = 0.0;
      const BodyCurve curve = curveOf(circle, time, samples, p_B.norm(), &error);
      double worst = 0.0;
      for (int i = 0; i <= 1000; ++i) {
        const double t = time.lower + time.length() * i / 1000.0;
        worst = std::max(worst, (curve.pose(t) * p_B - circle.at(t) * p_B).norm());
      }
      const double bound = curve.error(p_B.norm());
      EXPECT_LE(worst, bound);
      EXPECT_GE(bound, error);  // the pad for rounding
      EXPECT_GT(worst, 0.2 * error - 1e-12) << length << " " << samples;
    }
  }
}

TEST(InterpolatedCurve, ChecksNeverWorsenTheBound) {
  for (const double rate : {0.1, 1.0, 4.0, 20.0}) {
    double plain = 0.0, checked = 0.0;
    curveOf({1.0, rate}, {0, 1}, kNodes, 0.5, &plain);
    curveOf({1.0, rate}, {0, 1}, kChecked, 0.5, &checked);
    EXPECT_LE(checked, plain) << rate;
  }
}

TEST(InterpolatedCurve, FactorsScaleWithTheOrderOfTheRemainder) {
  EXPECT_DOUBLE_EQ(remainderFactor(2.0), 1.0 / 40320.0 / 64.0);
  EXPECT_DOUBLE_EQ(remainderFactor(4.0), 256.0 * remainderFactor(2.0));
  EXPECT_DOUBLE_EQ(checkedRemainderFactor(2.0), kCheckedRest);
  EXPECT_DOUBLE_EQ(checkedRemainderFactor(4.0), 32768.0 * kCheckedRest);
}

}  // namespace
}  // namespace allclear
