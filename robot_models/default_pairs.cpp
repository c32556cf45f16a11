// Which pairs of links need no check, when no SRDF says so.
//
// Two kinds of pairs are left out. Neighbours ("Adjacent") touch by design: parts of one rigid
// body, and bodies with nothing solid between them but joints. Pairs in contact at every sampled
// configuration ("Always") are modelled as overlapping: checked, they would make every plan
// infeasible. That a pair touched in all samples does not prove that it always does; but the number
// of samples is large, one configuration apart is enough to keep the pair, and a warning of
// the loader says how many were left out.
#include "allclear/robot_models/load_robot.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/fits/link_solids.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Links joined by fixed joints are one body, named by its topmost link.
std::vector<int> bodiesOf(const RobotModel& robot) {
  std::vector<int> body(robot.links().size(), 0);
  for (const Joint& joint : robot.joints()) {  // parents come before their children
    body[joint.child_link] =
        joint.type == JointType::kFixed ? body[joint.parent_link] : joint.child_link;
  }
  return body;
}

/// For each link, the body with geometry next above its own body, or -1.
std::vector<int> bodiesAbove(const RobotModel& robot, const std::vector<int>& body) {
  const int count = static_cast<int>(robot.links().size());
  std::vector<bool> has_geometry(count, false);
  for (int l = 0; l < count; ++l) {
    if (!robot.links()[l].collision.empty()) has_geometry[body[l]] = true;
  }
  std::vector<int> above(count, -1);
  for (int l = 0; l < count; ++l) {
    int top = body[l];
    do {  // bodies without geometry, as the middle of a universal joint, are passed over
      const int joint = robot.links()[top].parent_joint;
      top = joint < 0 ? -1 : body[robot.joints()[joint].parent_link];
    } while (top >= 0 && !has_geometry[top]);
    above[l] = top;
  }
  return above;
}

/// A pair of links, and what the samples have shown of it.
struct Candidate {
  int a;
  int b;
  bool seen_contact = false;
  bool seen_apart = false;
};

VecX randomConfiguration(const RobotModel& robot, std::mt19937_64& random) {
  VecX q(robot.dimension());
  for (int i = 0; i < robot.dimension(); ++i) {
    const Coordinate& c = robot.coordinates()[i];
    const double reach = c.is_angle ? std::numbers::pi : 1.0;
    // Without limits: a whole turn, or a metre both ways.
    const double lower = std::isfinite(c.lower) ? c.lower : -reach;
    const double upper = std::isfinite(c.upper) ? c.upper : reach;
    // The same numbers whatever the standard library makes of a uniform distribution.
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    q[i] = lower + u * (upper - lower);
  }
  return q;
}

void sampleContacts(const RobotModel& robot, const DefaultPairOptions& options,
                    std::vector<Candidate>& candidates) {
  std::vector<LinkSolids> solids;
  for (const Link& link : robot.links()) solids.emplace_back(link.collision);
  // The same backend in every build: default pairs must not depend on what a machine has.
  const Kinematics kinematics(robot, kStandardGravity, KinematicsBackend::kBuiltin);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  std::mt19937_64 random(options.seed);
  StopSteps steps;
  for (int sample = 0; sample <= options.samples; ++sample) {
    const VecX q = sample == 0 ? robot.neutralConfiguration() : randomConfiguration(robot, random);
    kinematics.linkPoses(q, workspace, X_WL);
    for (Candidate& pair : candidates) {
      steps.step();
      if (pair.seen_contact && pair.seen_apart) continue;  // nothing more to learn
      const bool touches =
          LinkSolids::overlap(solids[pair.a], X_WL[pair.a], solids[pair.b], X_WL[pair.b]);
      (touches ? pair.seen_contact : pair.seen_apart) = true;
    }
  }
}

}  // namespace

DefaultPairs findDefaultPairs(const RobotModel& robot, const DefaultPairOptions& options) {
  DefaultPairs out;
  const std::vector<int> body = bodiesOf(robot);
  const std::vector<int> above = bodiesAbove(robot, body);
  // Neighbours by the tree; the others by samples.
  std::vector<Candidate> candidates;
  for (const auto& [a, b] : robot.collisionPairs()) {
    if (body[a] == body[b] || above[a] == body[b] || above[b] == body[a]) {
      out.disabled.push_back({a, b, "Adjacent"});
      ++out.adjacent;
    } else {
      candidates.push_back({a, b});
    }
  }
  sampleContacts(robot, options, candidates);
  for (const Candidate& pair : candidates) {
    out.always += !pair.seen_apart;
    out.never += !pair.seen_contact;
    if (!pair.seen_apart) {
      out.disabled.push_back({pair.a, pair.b, "Always"});
    } else if (!pair.seen_contact && options.disable_never) {
      out.disabled.push_back({pair.a, pair.b, "Never"});
    } else {
      ++out.checked;
    }
  }
  return out;
}

}  // namespace allclear
