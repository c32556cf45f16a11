// Distances of pairs at start and goal, from the finest solids that enclose the bodies: from hulls,
// which are cheap, where these keep the margin, else from pieces, at last from the exact meshes.
//
// Contact. Between exact meshes nothing is proven of bodies that touch, so a pair that may touch is
// measured between convex solids only: these enclose the bodies, which are no deeper in one another
// than they.
#include "allclear/planner/problem/end_margin.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/problem/cloud_distance.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Left below the distance at the end: the optimiser keeps its curves two tolerances above what is
/// asked for, and the bounds of the certificate need some of the rest.
constexpr double kTolerancesLeft = 4.0;

/// Levels of convex solids, that is all but the exact meshes.
constexpr int kSolidLevels = static_cast<int>(MeshFidelity::kSurface);

std::vector<Pose> posesAt(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return X_WL;
}

/// Whether the goal has a configuration of its own.
bool isJointGoal(const Problem& problem) {
  return std::holds_alternative<JointTarget>(problem.goal);
}

}  // namespace

double marginAtEnd(double margin, double distance, double tolerance) {
  if (!(distance > 0.0) || distance >= margin) return margin;
  return distance - std::min(kTolerancesLeft * tolerance, 0.5 * distance);
}

/// Contact counts like any distance, as far as it is a touch.
double marginAtTouch(double margin, double distance, double tolerance) {
  // Negated, so that a distance that is no number is not let touch.
  if (!(distance >= -kTouchingDepth)) return margin;
  return std::min(margin, distance - kTolerancesLeft * tolerance);
}

bool holdsPair(const std::vector<std::pair<std::string, std::string>>& pairs, const std::string& a,
               const std::string& b) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return (pair.first == a && pair.second == b) || (pair.first == b && pair.second == a);
  });
}

/// Poses are only made where some pair may need them.
EndClearances::EndClearances(const Problem& problem) : problem_(problem) {
  const CollisionSettings& settings = problem.collision;
  const bool relaxes = settings.end_margin == EndMargin::kRelax;
  if (relaxes || !settings.leaves.empty()) start_ = posesAt(problem, problem.start);
  if (!(relaxes || !settings.lands.empty()) || !isJointGoal(problem)) return;
  goal_ = posesAt(problem, problem.configuration(std::get<JointTarget>(problem.goal).values));
}

EndMargins EndClearances::of(const Body& a, const Body& b, double margin) const {
  for (const Body* body : {&a, &b}) {
    if (body->obstacle >= 0 && problem_.obstacles[body->obstacle].moves()) return {margin, margin};
  }
  const bool leaves = holdsPair(problem_.collision.leaves, *a.name, *b.name);
  const bool lands = holdsPair(problem_.collision.lands, *a.name, *b.name);
  EndMargins ends{startOf(a, b, margin, leaves), goalOf(a, b, margin, lands)};
  ends.leaves = leaves && ends.start < margin;
  ends.lands = lands && ends.goal < margin;
  return ends;
}

double EndClearances::startOf(const Body& a, const Body& b, double margin, bool leaves) const {
  const double tolerance = problem_.collision.tolerance;
  if (leaves) {
    return marginAtTouch(margin, distance(start_, a, b, margin, kSolidLevels), tolerance);
  }
  if (problem_.collision.end_margin != EndMargin::kRelax) return margin;
  return marginAtEnd(margin, distance(start_, a, b, margin, kMeshFidelityCount), tolerance);
}

double EndClearances::goalOf(const Body& a, const Body& b, double margin, bool lands) const {
  const double tolerance = problem_.collision.tolerance;
  if (lands) {
    const double there =
        goal_.empty() ? -kTouchingDepth : distance(goal_, a, b, margin, kSolidLevels);
    return marginAtTouch(margin, there, tolerance);
  }
  if (problem_.collision.end_margin != EndMargin::kRelax || goal_.empty()) return margin;
  return marginAtEnd(margin, distance(goal_, a, b, margin, kMeshFidelityCount), tolerance);
}

/// Each level encloses the bodies: the first that keeps the margin is enough, the last counts.
double EndClearances::distance(const std::vector<Pose>& X_WL, const Body& a, const Body& b,
                               double margin, int levels) const {
  const auto pose = [&](const Body& body) {
    return body.obstacle >= 0 ? problem_.obstacles[body.obstacle].X_WO : X_WL[body.link];
  };
  // Where both are at that end.
  const Pose X_WA = pose(a), X_WB = pose(b);
  double distance = 0.0;
  for (int level = 0; level < levels; ++level) {
    const auto fidelity = static_cast<MeshFidelity>(level);
    if (const Cloud* cloud =
            b.obstacle >= 0 ? problem_.obstacles[b.obstacle].cloud.get() : nullptr) {
      distance = cloudDistance(enclosingSolids(*a.geometry, fidelity), X_WA, *cloud, X_WB);
    } else {
      distance = leastSignedDistance(enclosingSolids(*a.geometry, fidelity), X_WA,
                                     enclosingSolids(*b.geometry, fidelity), X_WB);
    }
    if (distance >= margin) break;
  }
  return distance;
}

std::vector<Finding> touchingFindings(const Problem& problem) {
  std::vector<Finding> findings;
  const auto add = [&](const std::string& what, const std::string& why) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    findings.push_back({what, kNone, kNone, what + ": " + why});
  };
  const auto obstacle = [&](const std::string& name) -> const Obstacle* {
    for (const Obstacle& o : problem.obstacles) {
      if (o.id == name) return &o;
    }
    return nullptr;
  };
  const auto isRobots = [&](const std::string& name) {
    return problem.robot->findLink(name) >= 0 ||
           std::any_of(problem.attached.begin(), problem.attached.end(),
                       [&](const AttachedObject& object) { return object.id == name; });
  };
  // A touch is between the robot, or what it carries, and something at rest.
  const auto check = [&](const char* key, const auto& pairs) {
    const std::string what = std::string("collision: ") + key;
    if (!pairs.empty() && !problem.uncertainty.isZero()) {
      add(what, "cannot be had with an uncertainty: what strays would press the bodies together");
    }
    for (const auto& [a, b] : pairs) {
      for (const std::string* name : {&a, &b}) {
        const Obstacle* o = obstacle(*name);
        if (o == nullptr && !isRobots(*name)) {
          add(what, "there is no link or object '" + *name + "'");
        } else if (o != nullptr && (o->moves() || !o->spread.isEmpty())) {
          add(what, "obstacle '" + *name +
                        "' moves, or its place is uncertain: only obstacles at "
                        "rest can be touched");
        }
      }
      if (!isRobots(a) && !isRobots(b)) {
        add(what, "'" + a + "' and '" + b + "' are both obstacles, which no plan moves");
      }
    }
  };
  check("leaves", problem.collision.leaves);
  check("lands", problem.collision.lands);
  return findings;
}

}  // namespace allclear
