// The section `cables` of a task: cables and hoses between clips on links.
#include <cstdio>

#include "allclear/config/task/sections.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

std::vector<std::string> bodyNames(const Problem& problem) {
  std::vector<std::string> names = linkNames(*problem.robot);
  for (const AttachedObject& object : problem.attached) names.push_back(object.id);
  for (const Obstacle& obstacle : problem.obstacles) names.push_back(obstacle.id);
  return names;
}

CableClip readClip(const Value& section, const RobotModel& robot) {
  section.only({"link", "point"});
  CableClip clip;
  clip.link = readLink(section.need("link"), robot);
  clip.p_L = section.need("point").vector3();
  return clip;
}

/// `length` of all stretches together where there is but one, `lengths` of each.
std::vector<Value> readLengths(const Value& section, const Cable& cable) {
  const std::size_t stretches = cable.clips.size() - 1;
  // One of the two keys, so that neither can be overlooked.
  if (section.oneOf({"length", "lengths"}) == "length") {
    const Value length = section.need("length");
    if (stretches > 1) {
      length.fail("one length for " + std::to_string(stretches) +
                  " stretches; give lengths, one between every two neighbouring clips");
    }
    return {length};
  }
  const Value lengths = section.need("lengths");
  if (lengths.size() != stretches) {
    lengths.fail("needs " + std::to_string(stretches) + (stretches == 1 ? " length" : " lengths") +
                 ", one between every two neighbouring clips; has " +
                 std::to_string(lengths.size()));
  }
  return lengths.items();
}

/// Every stretch has to reach from clip to clip where the robot starts.
void requireReach(const Cable& cable, const std::vector<Value>& lengths,
                  const std::vector<Pose>& X_WL, const RobotModel& robot) {
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const CableClip &a = cable.clips[i], &b = cable.clips[i + 1];
    const double span = (X_WL[a.link] * a.p_L - X_WL[b.link] * b.p_L).norm();
    if (span <= cable.lengths[i]) continue;
    char text[64];
    std::snprintf(text, sizeof text, ", %.4g m", span);
    lengths[i].fail("is less than the distance of its ends at the start" + std::string(text) +
                    " between " + robot.links()[a.link].name + " and " +
                    robot.links()[b.link].name);
  }
}

Cable readCable(const Value& section, const std::vector<Pose>& X_WL, const Problem& problem) {
  section.only({"id", "clips", "length", "lengths", "radius", "reserve", "allowed"});
  Cable cable;
  const Value id = section.need("id");
  cable.id = id.text();
  for (const Cable& other : problem.cables) {
    if (other.id == cable.id) id.fail("another cable has this id");
  }
  const Value clips = section.need("clips");
  if (clips.size() < 2) clips.fail("a cable needs two clips or more");
  for (const Value& clip : clips.items()) cable.clips.push_back(readClip(clip, *problem.robot));
  // Their places are kept: a length that does not reach is blamed where it stands.
  const std::vector<Value> lengths = readLengths(section, cable);
  for (const Value& length : lengths) cable.lengths.push_back(length.positive());
  if (const auto radius = section.find("radius")) cable.radius = radius->notNegative();
  if (const auto reserve = section.find("reserve")) {
    cable.reserve = reserve->notNegative();
    for (double length : cable.lengths) {
      if (!(cable.reserve < length)) reserve->fail("must be less than every length");
    }
  }
  if (const auto allowed = section.find("allowed")) {
    // A name that nothing has would exempt nothing, unnoticed.
    const std::vector<std::string> known = bodyNames(problem);
    for (const Value& name : allowed->items()) cable.allowed.push_back(name.word(known));
  }
  requireReach(cable, lengths, X_WL, *problem.robot);
  return cable;
}

}  // namespace

void readCables(const Value& task, Problem& problem) {
  const auto list = task.find("cables");
  if (!list) return;
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  for (const Value& section : list->items()) {
    problem.cables.push_back(readCable(section, X_WL, problem));
  }
}

}  // namespace allclear
