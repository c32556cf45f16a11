// Says what a certificate takes for granted: one assumption per kind, each in full and, where a
// reader of the verdict should see it, in a few words.
//
// The proof is about a model. Every place where the model may differ from the robot, or where the
// claim stops, is named here: bodies and pairs that nothing looks at, joints that stay, limits that
// the robot's files do not give, masses, what comes after the end, and poses without error.
#include "allclear/planner/certificate/assumptions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allclear/planner/certificate/cable_limits.h"
#include "allclear/planner/certificate/contact_limits.h"
#include "allclear/planner/certificate/contact_touch.h"
#include "allclear/planner/certificate/file_assumptions.h"
#include "allclear/planner/certificate/gap_statement.h"
#include "allclear/planner/certificate/held_joints.h"
#include "allclear/planner/certificate/impact_limits.h"
#include "allclear/planner/certificate/limit_statement.h"
#include "allclear/planner/certificate/obstacle_statements.h"
#include "allclear/planner/certificate/words.h"
#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/uncertainty.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// " (a, b)" when they are few.
std::string inBrackets(const std::vector<std::string>& names) {
  return names.size() <= kNamedInBrief ? " (" + joined(names) + ")" : "";
}

class Assumptions {
 public:
  Assumptions(const Problem& problem, const CertifiedGeometry& geometry,
              const Trajectory& trajectory, const Trajectory* wrenches,
              const CertificateOptions& options)
      : problem_(problem), geometry_(geometry), trajectory_(trajectory), options_(options) {
    has_wrenches_ = usesWrenches(problem) && forcesLeftOpen(problem, trajectory, wrenches).empty();
  }

  /// The order is that of the one line: what is left out of the proof comes first.
  std::vector<Assumption> run() {
    addGeometry();
    addMeshes();
    add(fileAssumptions(problem_, options_));
    addExemptPairs();
    if (auto touch = contactTouchAssumption(problem_, geometry_)) add({*std::move(touch)});
    add(heldJointAssumptions(problem_));
    // What the curve is, and what holds it back.
    addInterpolation();
    add(limitAssumptions(problem_));
    addTolerances();
    addMasses();
    addContactForces();
    add(impactAssumptions(problem_));
    add(gapAssumptions(problem_, geometry_));
    add(cableAssumptions(problem_, geometry_));
    addAfterEnd();
    addMovingObstacles();
    addPoses();
    return std::move(list_);
  }

 private:
  void add(const char* kind, std::string text, std::string brief = "") {
    list_.push_back({kind, std::move(text), std::move(brief)});
  }
  void add(std::vector<Assumption> more) { list_.insert(list_.end(), more.begin(), more.end()); }

  void addGeometry() {
    // A link without either kind is a frame: there is nothing to touch.
    std::vector<std::string> ignored, visual;
    for (const Link& link : problem_.robot->links()) {
      if (link.collides_as_visual) visual.push_back(link.name);
      if (link.collision.empty() && link.has_visuals) ignored.push_back(link.name);
    }
    if (!ignored.empty()) {
      add("geometry",
          "Links that have visuals but no collision geometry are left out: " + joined(ignored) +
              ".",
          counted(ignored.size(), "link") + " without collision geometry ignored" +
              inBrackets(ignored));
    }
    if (!visual.empty()) {
      add("geometry",
          "Links without collision geometry are enclosed as they look (their visuals): " +
              joined(visual) + ".",
          counted(visual.size(), "link") + " enclosed by visuals" + inBrackets(visual));
    }
  }

  /// Where the proof is about surfaces, or about more than the meshes have.
  void addMeshes() {
    std::vector<std::string> shells, closed;
    for (const MeshStance& mesh : meshStances(problem_)) {
      if (mesh.has_surface) shells.push_back(mesh.body);
      if (mesh.has_closed_holes) closed.push_back(mesh.body + " (" + mesh.closedness + ")");
    }
    if (!shells.empty()) {
      add("meshes",
          "These meshes are not closed. Their open parts are surfaces, which nothing passes; "
          "what is wholly inside of one counts as free: " +
              joined(shells) + ".",
          std::to_string(shells.size()) + " open mesh" + (shells.size() == 1 ? "" : "es") +
              " as surfaces" + inBrackets(shells));
    }
    if (!closed.empty()) add("meshes", "Holes of meshes count as closed: " + joined(closed) + ".");
  }

  void addExemptPairs() {
    std::map<std::string, std::size_t> by_reason;
    std::vector<std::string> allowed;
    for (const ExemptPair& pair : geometry_.exempt) {
      ++by_reason[pair.reason];
      // What the task allows is the planner's wish, not the robot's build: worth a name each.
      if (pair.reason.starts_with("task")) allowed.push_back(pair.a + "-" + pair.b);
    }
    if (by_reason.empty()) return;
    std::vector<std::string> counts;
    for (const auto& [reason, count] : by_reason) {
      counts.push_back(std::to_string(count) + " (" + reason + ")");
    }
    const std::size_t count = geometry_.exempt.size();
    std::string brief = counted(count, "pair") + " exempt";
    if (!allowed.empty()) {
      brief += ", " + std::to_string(allowed.size()) + " by the task" + inBrackets(allowed);
    }
    add("exempt pairs",
        "The distance of " + counted(count, "pair") +
            " of bodies is not looked at, for these reasons: " + joined(counts) +
            (problem_.obstacles.size() > 1 ? "; nor that of obstacles to each other." : "."),
        brief);
  }

  void addInterpolation() {
    add("interpolation", "The joints follow the trajectory at every instant: " +
                             describe(interpolationOf(trajectory_)) + ".");
  }

  void addTolerances();
  void addMasses();
  void addContactForces();
  void addAfterEnd();
  void addMovingObstacles();
  void addPoses();

  const Problem& problem_;
  const CertifiedGeometry& geometry_;
  const Trajectory& trajectory_;
  const CertificateOptions& options_;
  bool has_wrenches_ = false;  ///< forces at contacts are proven
  std::vector<Assumption> list_;
};

void Assumptions::addTolerances() {
  const CertifiedLimitOptions& limits = options_.limits;
  add("tolerances", "Limits count as kept to " + shown(limits.limit_tolerance) +
                        " of their size, path constraints to " + shown(limits.path_tolerance) +
                        " rad or m, the ends to " + shown(limits.end_tolerance) +
                        " in the units of the joint; margins without a tolerance.");
}

/// Only where something is claimed that depends on them.
void Assumptions::addMasses() {
  if (!problem_.limits.torque && !problem_.balance && problem_.limits.contact.empty()) return;
  // What moves has a mass (claims.cpp); links without one are fixed to others, or to the world.
  std::vector<std::string> without, given;
  for (const Link& link : problem_.robot->links()) {
    if (link.inertia_is_given) {
      given.push_back(link.name + " (" + shown(link.inertia.mass) + " kg" +
                      (link.inertia.I_C.isZero(0.0) ? " in one point)" : ")"));
    }
    const bool has_shape = !link.collision.empty() || link.has_visuals;
    if (has_shape && !(link.inertia.mass > 0.0)) without.push_back(link.name);
  }
  std::string text =
      std::string("Masses and inertias are those of the URDF, ") +
      (given.empty() ? "" : "but for those that the task gives: " + joined(given) + "; ") +
      "gravity is 9.81 m/s^2 along -z of the root; " +
      (has_wrenches_ ? "friction in joints and motors are left out."
                     : "friction, motors and contact forces are left out.");
  if (!without.empty()) text += " These links have no mass: " + joined(without) + ".";
  for (const AttachedObject& object : problem_.attached) {
    if (!object.inertia) continue;
    const bool is_point = object.inertia->mass > 0.0 && object.inertia->I_C.isZero(0.0);
    text += " '" + object.id + "' weighs " + shown(object.inertia->mass) + " kg" +
            (is_point ? ", in one point." : ".");
  }
  add("masses", text,
      (given.empty() ? "masses of the URDF" : "masses of URDF and task") +
          (without.empty() ? "" : inBrackets(without)));
}

/// The wrenches are a witness: that they exist is proven, that they will act is not.
void Assumptions::addContactForces() {
  if (!has_wrenches_) return;
  add("contact forces",
      "There are contact forces within friction and soles (the contact wrenches of the trajectory, "
      "and what they leave to the base) with which the robot moves so" +
          std::string(problem_.limits.torque ? " and the torques stay within their limits" : "") +
          "; that these forces, and no others, will act is not claimed.",
      "contact forces exist, and may be others");
}

void Assumptions::addAfterEnd() {
  const double end = trajectory_.duration(), last = lastMotion(problem_);
  if (!restsAfterEnd(problem_)) {
    const char* why = std::isinf(last) ? ": where an obstacle may be then grows without end." : ".";
    add("after the end",
        "Nothing is claimed after the end of the trajectory, t = " + shown(end) + " s" + why,
        "nothing claimed after the end");
    return;
  }
  // A robot that rests where nothing moves any more stays clear for ever.
  std::string text = "The robot rests where the trajectory ends, from t = " + shown(end) + " s on";
  if (last > end) {
    text +=
        "; obstacles are checked against it until the last one stops, at t = " + shown(last) + " s";
  }
  add("after the end", text + ".", "robot rests after the end");
}

void Assumptions::addMovingObstacles() {
  for (const Assumption& assumption : obstacleAssumptions(problem_)) {
    add(assumption.kind.c_str(), assumption.text, assumption.brief);
  }
}

void Assumptions::addPoses() {
  const std::string uncertainty = uncertaintyText(problem_);
  if (uncertainty.empty()) {
    add("poses",
        "Geometry, joint positions and the poses of all bodies are taken as exact: whatever errors "
        "tracking, calibration and perception have must fit into the margin.",
        "poses exact");
  } else {
    add("poses",
        "Margins are kept whatever strays within the task's uncertainty: " + uncertainty +
            ". Beyond it, errors of tracking, calibration and perception must fit into the margin.",
        uncertainty);
  }
}

bool operator==(const ExemptPair& a, const ExemptPair& b) {
  return a.a == b.a && a.b == b.b && a.reason == b.reason;
}

/// Written out: the operators above are out of reach for the one of `std::vector`.
template <class Item>
bool areSame(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return x == y; });
}

}  // namespace

void declareScope(const Problem& problem, const CertifiedGeometry& geometry,
                  const Trajectory& trajectory, const CertificateOptions& options,
                  Certificate* certificate) {
  certificate->margin = problem.collision.margin;
  certificate->tolerance = problem.collision.tolerance;
  certificate->tolerances = options.limits;
  certificate->covered_until = coveredUntil(problem, trajectory.duration());
  certificate->valid_until =
      restsAfterEnd(problem) ? std::numeric_limits<double>::infinity() : trajectory.duration();
  certificate->exempt_pairs = geometry.exempt;
  certificate->assumptions =
      Assumptions(problem, geometry, trajectory, certificate->trajectory.wrenchCurve(), options)
          .run();
}

std::string scopeDifference(const Certificate& made_anew, const Certificate& given) {
  const CertifiedLimitOptions &anew = made_anew.tolerances, &file = given.tolerances;
  // Each comparison fails on NaN.
  if (!(given.margin == made_anew.margin)) return "not the margin of the task";
  if (!(given.tolerance == made_anew.tolerance)) return "not the tolerance of the task";
  const auto differs = [](const char* name, double found, double wanted) {
    return std::string("it was made with the ") + name + " tolerance " + shown(found) + ", not " +
           shown(wanted);
  };
  if (!(file.limit_tolerance == anew.limit_tolerance)) {
    return differs("limit", file.limit_tolerance, anew.limit_tolerance);
  }
  if (!(file.path_tolerance == anew.path_tolerance)) {
    return differs("path", file.path_tolerance, anew.path_tolerance);
  }
  if (!(file.end_tolerance == anew.end_tolerance)) {
    return differs("end", file.end_tolerance, anew.end_tolerance);
  }
  if (!(given.covered_until == made_anew.covered_until)) return "it covers another time";
  if (!(given.valid_until == made_anew.valid_until)) return "it claims another time";
  if (!areSame(given.exempt_pairs, made_anew.exempt_pairs)) {
    return "its exempt pairs are not those of the task";
  }
  if (!saysAsMuch(given.assumptions, made_anew.assumptions)) return "its assumptions were changed";
  return "";
}

std::string assumptionsInBrief(const Certificate& certificate) {
  std::string line;
  for (const Assumption& assumption : certificate.assumptions) {
    if (!assumption.brief.empty()) line += (line.empty() ? "" : "; ") + assumption.brief;
  }
  return line.empty() ? "" : "Assumes: " + line + ".";
}

}  // namespace allclear
