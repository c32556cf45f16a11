// Questions about a problem that one call answers. All of them measure the bodies and pairs of the
// certificate, so that what is called clear here the certificate accepts.
//
// The least distance of two bodies over time is that of their solids, two by two. Each is bracketed
// by branch and bound over the curves that the certificate uses (`minimumDistance`). Once some pair
// was seen at a distance d, another one is searched only until it is proven to stay at d and above:
// the bracket of all is [least of the lower ends, least of the upper ends].
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "allclear/core/input_error.h"
#include "allclear/core/parallel.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/motion.h"
#include "allclear/planner/certificate/statements.h"
#include "allclear/planner/clearance/cable_model.h"
#include "allclear/planner/posture/posture.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/target_findings.h"
#include "allclear/planner/search/end_contacts.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/workcell.h"

namespace allclear {
namespace {

/// The share of a bracket's width that the polynomials of the bodies' motions may be off by, as in
/// certificates (`certifiedPoseTolerance`).
constexpr double kPoseShare = 0.02;

PairClearance clearanceOf(const PairDistance& pair) {
  return {pair.a, pair.b, pair.distance, pair.margin};
}

/// Those that move.
std::vector<PairClearance> movingPairs(const std::vector<PairDistance>& pairs) {
  std::vector<PairClearance> moving;
  for (const PairDistance& pair : pairs) {
    if (!pair.fixed) moving.push_back(clearanceOf(pair));
  }
  return moving;
}

void requireConfiguration(const Problem& problem, const VecX& q) {
  if (q.size() == problem.robot->dimension() && q.allFinite()) return;
  throw InputError({"", 0, "configuration", std::to_string(q.size()) + " values"},
                   "must be " + std::to_string(problem.robot->dimension()) + " finite numbers");
}

/// What `validate` finds, as an error: nothing can be measured in such a problem.
void requireValid(const Problem& problem) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
}

std::string millimetres(double metres) {
  constexpr int kDigits = 4;
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, 1e3 * metres, std::chars_format::general, kDigits);
  return std::string(text, end.ptr) + " mm";
}

/// The body of this name; an error that names what there is instead.
const CertifiedBody& bodyOf(const CertifiedGeometry& geometry, const std::string& name) {
  std::vector<std::string> known;
  for (const CertifiedBody& body : geometry.bodies) {
    if (body.name == name) return body;
    known.push_back(body.name);
  }
  throw InputError({"", 0, "body", name}, "there is no such body" + insteadOf(name, known));
}

/// The curves of a body over the cells of the motion up to the end of the trajectory; a single one
/// for an obstacle at rest.
std::vector<BodyCurve> curvesOf(const Problem& problem, const CertifiedMotion& motion,
                                const CertifiedBody& body) {
  std::vector<Interval> cells = motion.cells();
  // The motion may go on after the trajectory, while the robot rests and obstacles do not: the
  // question is about the trajectory alone.
  while (cells.back().lower >= motion.trajectoryEnd()) cells.pop_back();
  if (body.link >= 0) {
    const std::vector<BodyCurve>& all = motion.linkCurve(body.link);
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cells.size())};
  }
  const Obstacle& obstacle = problem.obstacles[body.obstacle];
  if (obstacle.motion.empty()) {
    return {BodyCurve::still(obstacle.X_WO, {cells.front().lower, cells.back().upper})};
  }
  std::vector<BodyCurve> curves;
  for (const Interval& cell : cells) curves.push_back(obstacle.curve(cell));
  return curves;
}

/// Measures one end of a problem; what is nearer than its margin is a fault, unless the problem
/// relaxes margins near the ends and the two are apart.
void addEnd(const Problem& problem, const std::string& name,
            const std::vector<PairDistance>& distances, ProblemCheck* check) {
  const bool relaxes = problem.collision.end_margin == EndMargin::kRelax;
  ProblemCheck::End end{name, movingPairs(distances)};
  bool is_first = true;
  for (const PairClearance& pair : end.pairs) {
    const bool is_granted = relaxes && pair.distance > 0.0;  // near the ends
    if (!(pair.distance >= pair.margin) && !is_granted) {
      // The first is the worst; what helps there often helps the others.
      const PairDistance worst{pair.a, pair.b, pair.distance, pair.margin, false};
      check->faults.push_back(name + ": " + describe(pair) +
                              (is_first ? "; " + contactAdvice(problem, name, worst) : ""));
      is_first = false;
    }
  }
  check->ends.push_back(std::move(end));
}

/// Measures the cables of the last end at its configuration; what they do not keep is a fault.
void addCables(const Problem& problem, const VecX& q, std::optional<double> t,
               ProblemCheck* check) {
  const CableModel cables(problem);
  if (cables.isEmpty()) return;
  ProblemCheck::End& end = check->ends.back();
  const std::vector<Pose> poses = cables.linkPoses(cables.reach().place(q));
  for (const CableModel::Summary& cable : cables.summaries(poses, t)) {
    end.cables.push_back({cable.name, cable.span, cable.longest, cable.room, cable.nearest});
  }
  for (int d = 0; d < static_cast<int>(cables.demands().size()); ++d) {
    if (cables.measure(d, poses, t, 0.0).value >= 0.0) continue;
    check->faults.push_back(end.name + ": " + cables.faultText(d, poses, t.value_or(0.0)));
  }
}

/// Constant pairs that are nearer than their margin, in the words of the certificate.
void addStaticContacts(const Problem& problem, const CertifiedGeometry& geometry,
                       ProblemCheck* check) {
  for (const PairDistance& pair : fixedContacts(problem, geometry)) {
    check->static_contacts.push_back(clearanceOf(pair));
  }
  FixedPairSentences fixed = fixedPairSentences(problem, geometry);
  for (const std::string& contact : fixed.contacts) {
    check->notes.push_back("constant, as no planned joint parts them: " + contact);
  }
  for (std::string& fault : fixed.faults) check->faults.push_back(std::move(fault));
  for (std::string& meeting : unavoidableMeetings(problem, geometry)) {
    check->faults.push_back(std::move(meeting));
  }
}

/// What else rules out a plan before anything is searched; contacts and cables are measured above.
void addOtherFaults(const Problem& problem, ProblemCheck* check) {
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  const std::string fault = endFaultBesideContacts(problem, evaluator);
  if (!fault.empty()) check->faults.push_back(fault.substr(0, fault.find_last_not_of('.') + 1));
}

/// The instant of the end, where that is known; else a note for each obstacle that is somewhere
/// else by then, and so is left out there.
std::optional<double> timeOfGoal(const Problem& problem, ProblemCheck* check) {
  std::optional<double> end;
  if (problem.duration.isFixed()) end = problem.duration.min;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (!obstacle.moves() || end) continue;
    const std::string why = obstacle.deforming != nullptr ? "' bends"
                            : obstacle.motion.empty()     ? "' has a covariance that changes"
                                                          : "' moves";
    check->notes.push_back("goal: '" + obstacle.id + why +
                           " and the duration is free: not checked there");
  }
  return end;
}

/// Measures a goal of joints.
void addJointGoal(const Problem& problem, const CertifiedGeometry& geometry,
                  const std::string& name, const JointTarget& joints, std::optional<double> end,
                  ProblemCheck* check) {
  VecX q = problem.start;
  for (std::size_t i = 0; i < joints.coordinates.size(); ++i) {
    q[joints.coordinates[i]] = joints.values[static_cast<Eigen::Index>(i)];
  }
  addEnd(problem, name, pairDistances(problem, geometry, q, end), check);
  addCables(problem, q, end, check);
}

/// Measures the alternatives of joints. One that is at fault is only noted, as long as another may
/// do.
void addAlternatives(const Problem& problem, const CertifiedGeometry& geometry,
                     const AnyTarget& any, ProblemCheck* check) {
  const std::optional<double> end = timeOfGoal(problem, check);
  // Each is measured for itself; at last it shows whether any is left.
  std::vector<std::string> faults;
  std::size_t at_fault = 0, to_find = 0;
  for (int i = 0; i < static_cast<int>(any.alternatives.size()); ++i) {
    const std::string name = "goal: " + alternativeName(any, i);
    const auto* joints = std::get_if<JointTarget>(&any.alternatives[i].target);
    to_find += joints == nullptr;
    if (joints == nullptr) continue;
    ProblemCheck own;
    for (std::size_t k = 0; k < joints->coordinates.size() && own.faults.empty(); ++k) {
      const auto finding = positionFinding(problem, name, joints->coordinates[k],
                                           joints->values[static_cast<Eigen::Index>(k)]);
      if (finding) own.faults.push_back(finding->message);
    }
    if (own.faults.empty()) {
      addJointGoal(withAlternative(problem, i), geometry, name, *joints, end, &own);
    }
    at_fault += !own.faults.empty();
    faults.insert(faults.end(), own.faults.begin(), own.faults.end());
    check->ends.insert(check->ends.end(), own.ends.begin(), own.ends.end());
  }
  if (to_find > 0) {
    check->notes.push_back("goal: the planner finds the configurations of " +
                           std::to_string(to_find) + " of its " +
                           std::to_string(any.alternatives.size()) + " alternatives");
  }
  const bool is_hopeless = at_fault == any.alternatives.size();
  for (std::string& fault : faults) {
    (is_hopeless ? check->faults : check->notes)
        .push_back(is_hopeless ? std::move(fault) : fault + ": left out");
  }
}

/// Measures the goal where its configuration is known. Its instant is known only when the duration
/// is fixed: without it the pairs of obstacles that move are left out.
void addGoal(const Problem& problem, const CertifiedGeometry& geometry, ProblemCheck* check) {
  if (const AnyTarget* any = alternativesOf(problem)) {
    return addAlternatives(problem, geometry, *any, check);
  }
  const auto* joints = std::get_if<JointTarget>(&problem.goal);
  if (joints == nullptr) {
    check->notes.emplace_back("the goal is a pose: the planner finds its configuration");
    return;
  }
  addJointGoal(problem, geometry, "goal", *joints, timeOfGoal(problem, check), check);
}

}  // namespace

std::string describe(const PairClearance& pair) {
  const std::string name = "'" + pair.a + "' and '" + pair.b + "' ";
  if (pair.distance < 0.0) {
    return name + "overlap by " + millimetres(-pair.distance) +
           (pair.margin < 0.0 ? ", at their contact up to " + millimetres(-pair.margin) : "");
  }
  return name + "are " + millimetres(pair.distance) + " apart, margin " + millimetres(pair.margin);
}

std::vector<PairClearance> pairClearances(const Problem& problem, const VecX& q, double t) {
  requireValid(problem);
  requireConfiguration(problem, q);
  return movingPairs(pairDistances(problem, certifiedGeometry(problem), q, t));
}

std::optional<PairClearance> closestPair(const Problem& problem, const VecX& q, double t) {
  const std::vector<PairClearance> pairs = pairClearances(problem, q, t);
  if (pairs.empty()) return std::nullopt;
  return pairs.front();
}

LeastDistance leastDistance(const Problem& problem, const Trajectory& trajectory,
                            const std::string& a, const std::string& b, double tolerance) {
  requireValid(problem);
  if (!(tolerance > 0.0)) throw InputError("the tolerance of a distance must be positive");
  if (trajectory.dimension() != problem.plannedCount()) {
    throw InputError("the trajectory has " + std::to_string(trajectory.dimension()) +
                     " coordinates, the problem plans " + std::to_string(problem.plannedCount()));
  }
  const CertifiedGeometry all = certifiedGeometry(problem);
  CertifiedGeometry both{{bodyOf(all, a), bodyOf(all, b)}, {}, {}};
  if (both.bodies[0].cloud != nullptr) std::swap(both.bodies[0], both.bodies[1]);
  if (both.bodies[0].cloud != nullptr) {
    throw InputError({"", 0, "body", a},
                     "is a cloud, and so is the other: no distance is measured");
  }
  for (const CertifiedBody& body : both.bodies) {
    if (body.obstacle < 0 || !problem.obstacles[body.obstacle].deforming) continue;
    throw InputError({"", 0, "body", body.name}, "deforms: its least distance has no bracket here");
  }
  const CertifiedMotion motion(problem, both, trajectory, kPoseShare * tolerance);
  const std::vector<BodyCurve> curves_a = curvesOf(problem, motion, both.bodies[0]);
  const std::vector<BodyCurve> curves_b = curvesOf(problem, motion, both.bodies[1]);
  LeastDistance least{
      {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}, 0.0};
  const auto lower = [&](const DistanceBracket& found) {
    least.distance.lower = std::min(least.distance.lower, found.lower);
    if (!(found.upper < least.distance.upper)) return;
    least.distance.upper = found.upper;
    least.t = found.t_star;
  };
  for (const Geometry& A : both.bodies[0].geometry) {
    for (const Geometry& B : both.bodies[1].geometry) {
      McdOptions options;
      options.tolerance = tolerance;
      // A pair of solids that stays above what another was seen at cannot be the least one: proving
      // that much is far cheaper than a narrow bracket of it.
      if (std::isfinite(least.distance.upper)) options.threshold = least.distance.upper;
      const MovingShape moving{&A.shape, A.X_BG, curves_a};
      if (both.bodies[1].cloud != nullptr) {  // B is the box about it
        lower(minimumDistance(moving, {both.bodies[1].cloud.get(), curves_b}, options));
      } else {
        lower(minimumDistance(moving, {&B.shape, B.X_BG, curves_b}, options));
      }
    }
  }
  return least;
}

PoseSolution inverseKinematics(const Problem& problem, const PoseTarget& target,
                               double time_limit) {
  if (!(time_limit > 0.0)) throw InputError("the time limit must be positive");
  Problem query = problem;
  query.goal = target;
  requireValid(query);
  RunContext context;
  context.threads = threadCount(0);
  const PostureTarget posture = postureTarget(query, target);
  std::unique_ptr<ClearanceEvaluator> evaluator;
  const std::vector<Posture> found =
      findPostures(query, posture, context.endingAfter(time_limit), &evaluator);
  if (found.empty()) {
    return {std::nullopt, postureFault(*evaluator, posture, context.endingAfter(time_limit))};
  }
  return {query.configuration(found.front().q), ""};
}

ProblemCheck checkProblem(const Problem& problem) {
  ProblemCheck check;
  for (const Finding& finding : validate(problem)) check.faults.push_back(finding.message);
  if (!check.faults.empty()) return check;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  check.bodies = geometry.bodies.size();
  for (const CertifiedPair& pair : geometry.pairs) {
    (pair.fixed ? check.fixed_pairs : check.moving_pairs) += 1;
  }
  const std::vector<PairDistance> start = pairDistances(problem, geometry, problem.start, 0.0);
  addStaticContacts(problem, geometry, &check);
  addEnd(problem, "start", start, &check);
  addCables(problem, problem.start, 0.0, &check);
  addGoal(problem, geometry, &check);
  addOtherFaults(problem, &check);
  return check;
}

}  // namespace allclear
