#pragma once

// Rows of the optimiser from an arm to one obstacle: what a row has to say by sampling, and its
// gradient by differences.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/clearance/soft_clearance.h"
#include "allclear/robot_models/kinematics.h"
#include "config/task_fixture.h"
#include "support/random_robot.h"

namespace allclear::test {

/// The arm of the fixture without any obstacle.
inline Problem armAlone() {
  return loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n");
}

inline VecX randomPlanned(const Problem& problem, Random& random) {
  return problem.plannedPart(randomConfiguration(random, *problem.robot));
}

inline std::vector<Pose> linkPosesAt(const Problem& problem, const VecX& q_planned) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(q_planned), workspace, X_WL);
  return X_WL;
}

/// About so far from the robot's hand.
inline Vec3 besideHand(const Problem& problem, const VecX& q_planned, Random& random, double least,
                       double most) {
  return linkPosesAt(problem, q_planned)[problem.robot->findLink("hand")].p +
         random.uniform(least, most) * random.direction();
}

/// The least of distance(shape, X_WG) over a link's hulls.
template <class Distance>
double leastOfHulls(const Problem& problem, const CollisionBody& body, const VecX& q_planned,
                    const Distance& distance) {
  const Pose X_WL = linkPosesAt(problem, q_planned)[body.link];
  double least = HUGE_VAL;
  for (const Geometry& solid : body.solids(MeshFidelity::kHull)) {
    least = std::min(least, distance(solid.shape, X_WL * solid.X_BG));
  }
  return least;
}

/// The rows to the obstacle within 0.3 m of a short random motion.
class SpanRows {
 public:
  SpanRows(const Problem& problem, const VecX& from, Random& random, double tolerance)
      : evaluator_(problem, FidelityPolicy::kHulls), span_(kTime, ends(from, random)) {
    ClearanceEvaluator::Workspace workspace(evaluator_);
    std::vector<Clearance> found;
    evaluator_.nearPairs(span_, 0, 0.3, tolerance, workspace, &found);
    for (const Clearance& clearance : found) {
      if (body(pair(clearance).b).obstacle >= 0) rows_.push_back(clearance);
    }
  }

  const std::vector<Clearance>& rows() const { return rows_; }
  const CollisionPair& pair(const Clearance& row) const {
    return evaluator_.model().pairs[row.pair];
  }
  const CollisionBody& body(int i) const { return evaluator_.model().bodies[i]; }
  /// The least of distance(q, t) at so many instants and the first.
  template <class Distance>
  double least(int instants, const Distance& distance) const {
    double least = HUGE_VAL;
    for (int i = 0; i <= instants; ++i) {
      const double t = kTime.lower + kTime.length() * i / instants;
      least = std::min(least, distance(span_.value(t), t));
    }
    return least;
  }

 private:
  static constexpr Interval kTime{0.5, 1.5};

  static MatX ends(const VecX& from, Random& random) {
    MatX control(from.size(), 2);
    control << from, from + random.vectorX(static_cast<int>(from.size()), 0.3);
    return control;
  }

  ClearanceEvaluator evaluator_;
  BernsteinSpan span_;
  std::vector<Clearance> rows_;
};

struct ProbeOptions {
  double least = -HUGE_VAL;  ///< [m]: nearer rows are left out
  double value = 1e-8;       ///< by which a value may be off [m]
  double kink = 1e-2;        ///< one-sided differences that differ by more show a kink
  double slope = 2e-3;       ///< by which gradients may be off
  double rate = 2e-3;
};

/// Holds gradients and rates of all rows to the obstacle at rest at (q, t) against differences.
/// Returns the values of the rows that have no kink there.
inline std::vector<double> probeGradients(const Problem& problem, const VecX& q, double t,
                                          const ProbeOptions& options) {
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  ClearanceEvaluator::Workspace workspace(evaluator);
  const double h = 1e-5;
  std::vector<double> probed;
  std::vector<Clearance> found;
  evaluator.pairsAtRest(q, t, 0.5, workspace, &found);
  for (const Clearance& clearance : found) {
    const CollisionPair& pair = evaluator.model().pairs[clearance.pair];
    if (evaluator.model().bodies[pair.b].obstacle < 0 || clearance.upper < options.least) continue;
    EXPECT_FALSE(SoftClearance(evaluator).isKnown(clearance.pair));
    const auto distance = [&](const VecX& x, double time) {
      std::vector<Clearance> others;
      evaluator.pairsAtRest(x, time, 1.0, workspace, &others);
      for (const Clearance& other : others) {
        if (other.pair == clearance.pair) return other.upper;
      }
      return std::nan("");
    };
    double value = 0.0, rate = 0.0;
    const VecX gradient = evaluator.gradient(clearance, q, workspace, &value, &rate);
    EXPECT_NEAR(value, clearance.upper, options.value);
    // A kink shows in the two one-sided differences; NaN counts as one.
    const auto agrees = [&](double up, double down, double slope, double tolerance) {
      if (!(std::abs(up - down) < options.kink)) return false;
      EXPECT_NEAR(slope, 0.5 * (up + down), tolerance);
      return true;
    };
    bool smooth = true;
    for (int k = 0; k < q.size() && smooth; ++k) {
      const VecX step = h * VecX::Unit(q.size(), k);
      smooth = agrees((distance(q + step, t) - value) / h, (value - distance(q - step, t)) / h,
                      gradient[k], options.slope);
    }
    if (smooth && agrees((distance(q, t + h) - value) / h, (value - distance(q, t - h)) / h, rate,
                         options.rate)) {
      probed.push_back(value);
    }
  }
  return probed;
}

}  // namespace allclear::test
