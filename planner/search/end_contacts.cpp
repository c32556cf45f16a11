// Bodies that are too near whatever a plan does: at its start or goal, or where an obstacle comes
// to a body that no planned joint moves. Measured by the certificate's bodies and pairs, so that
// the numbers are those of `check` and of a verdict.
#include "allclear/planner/search/end_contacts.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/planner/clearance/cable_model.h"
#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/problem/end_margin.h"
#include "allclear/planner/problem/ground_pairs.h"
#include "allclear/planner/problem/reach.h"
#include "allclear/planner/problem/uncertainty.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/verdict.h"

namespace allclear {
namespace {

constexpr double kCableSlack = 1e-7;  ///< [m]: rounding of the task's numbers

/// Of an obstacle's motion, at most: 10 s of it every 10 ms. A mesh that bends costs more to look
/// at.
constexpr int kSamples = 1000;
constexpr int kSamplesOfMeshes = 100;
constexpr double kLongestStep = 0.01;  // [s]

/// Whether a planned joint moves the link.
bool isPlannedLink(const Problem& problem, int link) {
  return !reachOf(problem, link, Vec3::Zero()).joint.empty();
}

/// The pairs of bodies that no planned joint moves with obstacles that move, alone.
CertifiedGeometry heldAgainstMoving(const Problem& problem, const CertifiedGeometry& geometry) {
  CertifiedGeometry out{geometry.bodies, {}, {}};
  for (const CertifiedPair& pair : geometry.pairs) {
    const int link = geometry.bodies[pair.a].link, obstacle = geometry.bodies[pair.b].obstacle;
    if (obstacle < 0 || !problem.obstacles[obstacle].moves()) continue;
    if (!isPlannedLink(problem, link)) out.pairs.push_back(pair);
  }
  return out;
}

/// Whether an obstacle of these pairs bends.
bool hasMeshesThatBend(const CertifiedGeometry& geometry) {
  return std::any_of(geometry.pairs.begin(), geometry.pairs.end(), [&](const CertifiedPair& pair) {
    return geometry.bodies[pair.b].deforming != nullptr;
  });
}

/// How bodies in contact may part from the start, or come together at the goal.
std::string touchAdvice(const Problem& problem, const std::string& end, const PairDistance& pair) {
  const bool leaves = end == "start";
  if ((!leaves && end != "goal") || isUncertain(problem)) return "";
  const CollisionSettings& set = problem.collision;
  const std::string key = leaves ? "collision.leaves" : "collision.lands";
  if (holdsPair(leaves ? set.leaves : set.lands, pair.a, pair.b)) {
    return " (" + key + " lets them touch up to 1 mm deep)";
  }
  if (!(pair.distance >= -kTouchingDepth)) return "";
  return std::string("; if they ") + (leaves ? "part there" : "come together there") +
         ", say so: " + key + ": [[" + pair.a + ", " + pair.b + "]]";
}

}  // namespace

std::vector<PairDistance> contactsAt(const Problem& problem, const CertifiedGeometry& geometry,
                                     const VecX& q, std::optional<double> t) {
  const bool relaxes = problem.collision.end_margin == EndMargin::kRelax;
  std::vector<PairDistance> out;
  for (PairDistance& pair : pairDistances(problem, geometry, q, t)) {
    const CollisionSettings& set = problem.collision;
    const bool may_touch =
        (holdsPair(set.leaves, pair.a, pair.b) || holdsPair(set.lands, pair.a, pair.b)) &&
        pair.distance >= -kTouchingDepth;
    const bool is_granted = (relaxes && pair.distance > 0.0) || may_touch;
    if (pair.fixed || pair.distance >= pair.margin || is_granted) continue;
    out.push_back(std::move(pair));
  }
  return out;
}

std::string pairText(const PairDistance& pair) {
  const std::string names = "'" + pair.a + "' and '" + pair.b + "'";
  if (pair.distance < 0.0) {
    return names + formatted(" overlap by %.4g mm", -1e3 * pair.distance) +
           (pair.margin < 0.0
                ? formatted(", deeper than the %.4g mm of their contact", -1e3 * pair.margin)
                : "");
  }
  return names + formatted(" are %.4g mm apart, nearer than their margin of %.4g mm",
                           1e3 * pair.distance, 1e3 * pair.margin);
}

std::string contactAdvice(const Problem& problem, const std::string& end,
                          const PairDistance& pair) {
  const bool is_obstacle = std::any_of(problem.obstacles.begin(), problem.obstacles.end(),
                                       [&](const Obstacle& o) { return o.id == pair.b; });
  const bool is_carried = std::any_of(problem.attached.begin(), problem.attached.end(),
                                      [&](const AttachedObject& o) { return o.id == pair.b; });
  if (pair.margin < 0.0) {
    const std::vector<GroundPair> grounds = groundPairs(problem);
    const GroundPair* ground = groundPair(grounds, problem, pair.a, pair.b);
    if (ground != nullptr) return depthAdvice(*ground, pair.a, pair.b);
  }
  // A smaller margin helps bodies that are apart, and no others.
  std::string out = "move the " + end;
  if (is_obstacle) out += " or '" + pair.b + "'";
  if (pair.distance > 0.0) {
    out += ", or lower the margin of that pair (collision.pair_margins)";
    if (isUncertain(problem)) return out + " or the uncertainty";
    if (problem.collision.end_margin == EndMargin::kStrict && !end.starts_with("waypoint")) {
      out += ", or let it be as near as that at the ends only (collision.end_margin: relax)";
    }
    return out;
  }
  out += ", or, if these two may touch, list the pair: collision.allowed: [[" + pair.a + ", " +
         pair.b + "]]";
  if (is_carried && !is_obstacle) out += " (of a carried object also touch_links)";
  return out + touchAdvice(problem, end, pair);
}

std::vector<std::string> unavoidableMeetings(const Problem& problem,
                                             const CertifiedGeometry& geometry) {
  const CertifiedGeometry held = heldAgainstMoving(problem, geometry);
  if (held.pairs.empty()) return {};
  const double end = coveredUntil(problem, problem.duration.min);
  const int most = hasMeshesThatBend(held) ? kSamplesOfMeshes : kSamples;
  const int samples = std::clamp(static_cast<int>(std::ceil(end / kLongestStep)), 1, most);
  // Of each pair the worst instant.
  std::vector<std::pair<PairDistance, double>> worst;
  for (int i = 0; i <= samples; ++i) {
    const double t = end * i / samples;
    for (const PairDistance& pair : pairDistances(problem, held, problem.start, t)) {
      if (!(pair.distance < pair.margin)) break;  // the nearest to its margin comes first
      const auto known = std::find_if(worst.begin(), worst.end(), [&](const auto& other) {
        return other.first.a == pair.a && other.first.b == pair.b;
      });
      if (known == worst.end()) {
        worst.emplace_back(pair, t);
      } else if (pair.distance < known->first.distance) {
        *known = {pair, t};
      }
    }
  }
  std::stable_sort(worst.begin(), worst.end(), [](const auto& x, const auto& y) {
    return x.first.distance - x.first.margin < y.first.distance - y.first.margin;
  });
  std::vector<std::string> out;
  for (const auto& [pair, t] : worst) {
    out.push_back(pairText(pair) + formatted(" at t = %.4g s, and no planned joint moves '", t) +
                  pair.a + "': change the motion of '" + pair.b +
                  "', or, if they may meet, list the pair: collision.allowed: [[" + pair.a + ", " +
                  pair.b + "]]");
  }
  return out;
}

std::string contactText(const CollisionModel& model, const Clearance& c) {
  const CollisionPair& pair = model.pairs[c.pair];
  const std::string text =
      pairText({model.bodies[pair.a].name, model.bodies[pair.b].name, c.upper, pair.margin, false});
  const double stray = c.demand - pair.margin;
  return c.upper > 0.0 && stray > 0.0
             ? text + " and the " + number(1e3 * stray) + " mm that may stray"
             : text;
}

std::string cableFault(const Problem& problem, const VecX& q, std::optional<double> t) {
  const CableModel cables(problem);
  if (cables.isEmpty()) return "";
  const StrayReach::Placement at = cables.reach().place(problem.configuration(q));
  const std::vector<Pose> poses = cables.linkPoses(at);
  // The demand that is missed by most, whatever its kind.
  int worst = -1;
  double least = -kCableSlack;
  for (int d = 0; d < static_cast<int>(cables.demands().size()); ++d) {
    const double value = cables.measure(d, poses, t, 0.0).value - cables.allowance(d, at);
    if (!(value < least)) continue;
    least = value;
    worst = d;
  }
  return worst < 0 ? "" : cables.faultText(worst, poses, t.value_or(0.0));
}

}  // namespace allclear
