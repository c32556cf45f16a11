#pragma once

// Certificates of an arm beside one obstacle, against brute force at random instants.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "allclear/robot_models/kinematics.h"
#include "planner/certificate/certificate_fixture.h"
#include "support/random.h"

namespace allclear::test {

constexpr double kAcrossDuration = 4.0;

/// The arm that is to swing to one side.
inline Problem acrossProblem() {
  return loadText(armTask("{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}"));
}

/// A place beside its way.
inline Vec3 besideTheWay(Random& random) {
  const double angle = random.uniform(-0.5, 2.0), radius = random.uniform(0.9, 1.8);
  return {radius * std::cos(angle), radius * std::sin(angle), random.uniform(0.3, 1.0)};
}

/// The least of distance(shape, X_WG) over the hulls of all links at t.
template <class Distance>
double leastOfLinks(const Problem& problem, const Trajectory& trajectory, double t,
                    const Distance& distance) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  const double shown = std::min(t, trajectory.duration());
  kinematics.linkPoses(problem.configuration(trajectory.value(shown)), workspace, X_WL);
  double least = HUGE_VAL;
  for (std::size_t l = 0; l < X_WL.size(); ++l) {
    for (const Geometry& g : problem.robot->links()[l].collision) {
      for (const Geometry& solid : enclosingSolids({g}, MeshFidelity::kHull)) {
        least = std::min(least, distance(solid.shape, X_WL[l] * solid.X_BG));
      }
    }
  }
  return least;
}

struct CertificateCounts {
  int clear = 0, refused = 0;
};

/// Certifies `count` random motions of problems that `draw` makes. No clear one comes nearer than
/// its certificate says, at 100 instants, and all of them verify.
template <class Draw, class Least>
CertificateCounts certifyAtRandom(int count, const Draw& draw, const Least& leastAt) {
  CertificateCounts counts;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(4100u + seed);
    const Problem problem = draw(random);
    const Trajectory trajectory = splineOf(problem, kAcrossDuration, random, 0.3);
    const Certificate certificate = certify(problem, trajectory);
    double least = HUGE_VAL;
    for (int i = 0; i < 100; ++i) {
      least = std::min(
          least, leastAt(problem, trajectory, random.uniform(0.0, certificate.covered_until)));
    }
    if (!certificate.clear) {
      ++counts.refused;
      continue;
    }
    ++counts.clear;
    EXPECT_GE(least, certificate.minimum_clearance.lower - 1e-7);
    EXPECT_GE(least, problem.collision.margin - 1e-7);
    const CertificateVerdict verdict = verifyCertificate(problem, certificate);
    EXPECT_TRUE(verdict.valid) << verdict.message;
  }
  return counts;
}

/// A problem whose certificate is clear, with the obstacle not far.
struct ClearMotion {
  Problem problem;
  Trajectory trajectory;
  Certificate certificate;
};

template <class Draw>
ClearMotion clearMotion(Random& random, const Draw& draw) {
  for (;;) {
    const Problem problem = draw(random);
    const Trajectory trajectory = splineOf(problem, kAcrossDuration, random, 0.3);
    const Certificate certificate = certify(problem, trajectory);
    if (certificate.clear && certificate.minimum_clearance.lower < 0.4) {
      return {problem, trajectory, certificate};
    }
  }
}

}  // namespace allclear::test
