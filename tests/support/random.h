#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"

namespace allclear::test {

/// The one source of random draws of the tests; every test seeds its own, and prints the seed when
/// it fails.
///
/// A stream of draws is part of the test that uses it: its inputs, and the failures found by seed,
/// depend on every call and on the order of the calls. So each function fixes the order of its own
/// (a compiler may evaluate arguments in any order), and where tests draw the same kind of thing
/// from different streams, each way has a name of its own.
template <class Engine>
class RandomSource {
 public:
  using result_type = typename Engine::result_type;

  explicit RandomSource(std::uint64_t seed) : engine_(static_cast<result_type>(seed)) {}

  // Raw bits, as of a standard generator.
  result_type operator()() { return engine_(); }
  static constexpr result_type min() { return Engine::min(); }
  static constexpr result_type max() { return Engine::max(); }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double logUniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  /// Both ends included.
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  int index(int count) { return integer(0, count - 1); }
  bool chance(double share) { return uniform(0.0, 1.0) < share; }
  double normal() { return std::normal_distribution<double>()(engine_); }

  /// A unit vector from one normal distribution (which makes its values in pairs).
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return directionFrom([&] { return normal(engine_); });
  }
  /// A unit vector from three calls of `normal`.
  Vec3 directionOfNormals() {
    return directionFrom([&] { return normal(); });
  }

  /// In the cube [-half, half]^3, x first.
  Vec3 inBox(double half) {
    return {uniform(-half, half), uniform(-half, half), uniform(-half, half)};
  }
  /// In the cube [-scale, scale]^3, z first.
  Vec3 vector(double scale) {
    const double z = uniform(-1.0, 1.0);
    const double y = uniform(-1.0, 1.0);
    const double x = uniform(-1.0, 1.0);
    return scale * Vec3(x, y, z);
  }
  VecX vectorX(int n, double scale) {
    VecX v(n);
    for (int i = 0; i < n; ++i) v[i] = uniform(-scale, scale);
    return v;
  }

  /// About `direction()`, by up to half a turn either way.
  Mat3 rotation() {
    const double angle = uniform(-std::numbers::pi, std::numbers::pi);
    return rotationAbout(direction(), angle);
  }
  /// About `directionOfNormals()`, by up to nearly half a turn either way.
  Mat3 rotationOfNormals() {
    const double angle = uniform(-3.14, 3.14);
    return rotationAbout(directionOfNormals(), angle);
  }
  /// Every rotation as likely: a unit quaternion from four calls of `normal`.
  Mat3 rotationOfQuaternion() {
    const double z = normal();
    const double y = normal();
    const double x = normal();
    const double w = normal();
    return Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
  }

  /// Turned by `rotationOfNormals`, at a `vector`.
  Pose pose(double scale) {
    const Mat3 R = rotationOfNormals();
    return {R, vector(scale)};
  }
  /// Turned about a `direction` by up to half a turn, at a place `inBox`.
  Pose poseInBox(double half) {
    const double angle = uniform(0.0, std::numbers::pi);
    const Mat3 R = rotationAbout(direction(), angle);
    return {R, half * inBox(1.0)};
  }

 private:
  template <class Normal>
  static Vec3 directionFrom(Normal normal) {
    const double z = normal();
    const double y = normal();
    const double x = normal();
    return Vec3(x, y, z).normalized();
  }

  Engine engine_;
};

using Random = RandomSource<std::mt19937_64>;
/// For tests whose streams come from the 32-bit generator.
using Random32 = RandomSource<std::mt19937>;

}  // namespace allclear::test
