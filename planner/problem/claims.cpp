// Refuses a problem whose certificate could mislead: it would be true of the model and say nothing
// of the robot.
//
// A link without collision geometry is invisible to every distance, a link without a mass to every
// torque; a body that shares its name with another one cannot be told from it in the certificate.
// All of that is only refused where it matters: a link that does not move, torques that nobody asks
// for, are left alone.
#include "allclear/planner/problem/claims.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "allclear/core/input_error.h"
#include "allclear/planner/problem/cables.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return (names.size() == 1 ? "link " : "links ") + out;
}

class ClaimCheck {
 public:
  explicit ClaimCheck(const Problem& problem) : p_(problem) {}

  std::vector<Finding> run() {
    checkNames();
    checkMissingCollision();
    checkInertias();
    checkDynamics();
    for (Finding& finding : cableFindings(p_)) findings_.push_back(std::move(finding));
    return std::move(findings_);
  }

  std::vector<Finding> runForImpacts() {
    const char* what = "impact";
    checkInertias();
    checkInertiaFaults(what);
    checkMasses(MotionTree(*p_.robot), what);
    checkCarried(what);
    return std::move(findings_);
  }

 private:
  void add(const std::string& what, const std::string& why) {
    findings_.push_back({what, kNone, kNone, what + ": " + why});
  }

  /// Bodies share one name space: certificates and messages name them by it. A link without
  /// geometry is no body, so an object may have its name, as long as no margin or allowed pair uses
  /// that.
  void checkNames() {
    std::set<std::string> ids;
    const auto insert = [&](const std::string& kind, const std::string& id) {
      const std::string what = kind + " '" + id + "'";
      if (id.empty()) add(kind, "has no id");
      if (!ids.insert(id).second) add(what, "its id is in use already");
      const int link = p_.robot->findLink(id);
      if (link < 0 || p_.robot->links()[link].collision.empty()) return;
      add(what, "a link of the robot has this name; rename the object");
    };
    for (const Obstacle& obstacle : p_.obstacles) insert("obstacle", obstacle.id);
    for (const AttachedObject& object : p_.attached) insert("attached object", object.id);
    // A misspelt name would leave its pair with another margin, unnoticed.
    const auto need = [&](const char* what, const std::string& name) {
      const bool is_link = p_.robot->findLink(name) >= 0, is_object = ids.count(name) > 0;
      if (!is_link && !is_object) add(what, "there is no link or object '" + name + "'");
      if (is_link && is_object) add(what, "'" + name + "' names both a link and an object");
    };
    for (const PairMargin& pair : p_.collision.pair_margins) {
      need("pair margin", pair.a);
      if (!pair.b.empty()) need("pair margin", pair.b);
    }
    for (const auto* allowed : {&p_.collision.allowed, &p_.collision.allowed_by_scene}) {
      for (const auto& [a, b] : *allowed) {
        need("allowed pair", a);
        need("allowed pair", b);
      }
    }
  }

  void checkMissingCollision() {
    if (p_.collision.missing != MissingCollision::kError) return;
    std::vector<std::string> names;
    for (std::size_t l = 0; l < p_.robot->links().size(); ++l) {
      const Link& link = p_.robot->links()[l];
      // Neither kind of geometry: a frame. Both: nothing is missing.
      if (!link.collision.empty() || !link.has_visuals) continue;
      if (isMoved(p_, static_cast<int>(l))) names.push_back(link.name);
    }
    if (names.empty()) return;
    add("collision: missing",
        quoted(names) + (names.size() == 1 ? " moves and has" : " move and have") +
            " visuals but no collision geometry, so nothing would keep it off obstacles. "
            "'collision: {missing: visual}' encloses the visuals, 'missing: ignore' leaves them "
            "out, and 'missing: error' is the default");
  }

  void checkDynamics() {
    const bool torque = p_.limits.torque;
    if (!torque && !p_.balance && p_.limits.contact.empty()) return;
    const char* what = torque ? "limits: torque" : p_.balance ? "balance" : "limits: contact";
    const MotionTree tree(*p_.robot);
    if (torque) checkFloatingBase();
    checkInertiaFaults(what);
    checkMasses(tree, what);
    checkCarried(what);
    if (p_.balance && robotWeight(*p_.robot) == 0.0) add("balance", "the robot has no mass");
    if (torque) checkMovedMass(tree);
  }

  /// The torques of a floating robot depend on the forces of the ground, which nobody gives.
  void checkFloatingBase() {
    for (int c : p_.planned) {
      const Joint& joint = p_.robot->joints()[p_.robot->coordinates()[c].joint];
      if (joint.type != JointType::kFloating) continue;
      add("limits: torque",
          "the floating joint '" + joint.name +
              "' is planned, and torques depend on contact forces that no task gives; fix the base "
              "(robot: base), or leave torque limits out");
      return;
    }
  }

  /// Rigid bodies that move, have a shape and no mass. A link without a mass that is fixed to one
  /// with a mass counts with that: URDFs give one inertia to a gripper of several links.
  void checkMasses(const MotionTree& tree, const char* what) {
    std::vector<std::string> names;
    for (std::size_t l = 0; l < p_.robot->links().size(); ++l) {
      const Link& link = p_.robot->links()[l];
      const int node = tree.mounts()[l].node;
      // Only what has a shape must weigh something; frames for tools and sensors need not.
      const bool has_shape = !link.collision.empty() || link.has_visuals;
      if (!has_shape || node < 0 || tree.nodes()[node].inertia.mass > 0.0) continue;
      if (p_.balance || isMoved(p_, static_cast<int>(l))) names.push_back(link.name);
    }
    if (names.empty()) return;
    add(what,
        quoted(names) + (names.size() == 1 ? " has" : " have") +
            " no mass (no <inertial> in the URDF), and what it weighs is asked for; add it to "
            "the URDF or to the task (robot: inertia)" +
            orLeaveOut(what));
  }

  /// Limits may be left out of a task; the subcommand may not be left out of itself.
  static std::string orLeaveOut(const std::string& what) {
    return what == "impact" ? "" : ", or leave '" + what + "' out";
  }

  /// Links that the file gives a mass or inertia which cannot be used, whatever they are fixed to.
  void checkInertiaFaults(const char* what) {
    for (std::size_t l = 0; l < p_.robot->links().size(); ++l) {
      const Link& link = p_.robot->links()[l];
      if (link.inertia_fault.empty() || (!p_.balance && !isMoved(p_, static_cast<int>(l))))
        continue;
      add(what,
          "link '" + link.name + "' has no mass and inertia to count on (" + link.inertia_fault +
              "); correct its <inertial> in the URDF, or give it in the task (robot: inertia)" +
              orLeaveOut(what));
    }
  }

  /// Joints with an effort limit of zero, which nothing can keep, or that move nothing with a mass:
  /// then any torque would do.
  void checkMovedMass(const MotionTree& tree) {
    const VecX effort = plannedLimits(p_).effort;
    for (int i = 0; i < p_.plannedCount(); ++i) {
      if (!std::isfinite(effort[i])) continue;
      if (effort[i] == 0.0) {
        add("limits: torque", "the URDF gives joint '" +
                                  p_.robot->coordinates()[p_.planned[i]].name +
                                  "' an effort limit of 0, so nothing could hold it; give it the "
                                  "real one, or leave torque limits out");
        continue;
      }
      // All that any node of this coordinate moves, those of mimic joints included.
      double mass = 0.0;
      for (const MotionNode& top : tree.nodes()) {
        if (top.coordinate != p_.planned[i]) continue;
        const auto first = static_cast<int>(&top - tree.nodes().data());
        for (int n = first; n <= top.last_descendant; ++n) mass += tree.nodes()[n].inertia.mass;
      }
      if (mass > 0.0) continue;
      add("limits: torque", "nothing that joint '" + p_.robot->coordinates()[p_.planned[i]].name +
                                "' moves has a mass: its torque means nothing");
    }
  }

  /// Written so that NaN fails.
  void checkInertias() {
    for (const AttachedObject& object : p_.attached) {
      if (!object.inertia) continue;
      const Inertia& inertia = *object.inertia;
      const bool is_finite =
          std::isfinite(inertia.mass) && inertia.p_LC.allFinite() && inertia.I_C.allFinite();
      if (is_finite && inertia.mass >= 0.0) continue;
      add("attached object '" + object.id + "'",
          "its mass and inertia must be finite, and its mass not negative");
    }
  }

  void checkCarried(const char* what) {
    for (const AttachedObject& object : p_.attached) {
      if (object.inertia || (!p_.balance && !isMoved(p_, object.link))) continue;
      add("attached object '" + object.id + "'",
          "has no mass, which '" + std::string(what) +
              "' asks for; give 'mass' (0 if it is to count for nothing)");
    }
  }

  const Problem& p_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> claimFindings(const Problem& problem) { return ClaimCheck(problem).run(); }

std::vector<Finding> massFindings(const Problem& problem) {
  return ClaimCheck(problem).runForImpacts();
}

void requireCertifiable(const Problem& problem) {
  const std::vector<Finding> findings = claimFindings(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
}

}  // namespace allclear
