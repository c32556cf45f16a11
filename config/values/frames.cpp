#include "allclear/config/values/frames.h"

#include "allclear/config/values/robot_names.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Forward kinematics once: frames of links are those at the start.
Frames::Frames(const RobotModel& robot, const VecX& q_start) : robot_(robot) {
  const Kinematics kinematics(robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  kinematics.linkPoses(q_start, workspace, X_WL_);
}

namespace {

/// Two poses of one frame, computed and printed, differ by less [m; rad].
constexpr double kSamePose = 1e-6;

bool isSamePose(const Pose& a, const Pose& b) {
  return (a.p - b.p).cwiseAbs().maxCoeff() <= kSamePose &&
         (a.R - b.R).cwiseAbs().maxCoeff() <= kSamePose;
}

/// ROS 1 wrote names with a leading slash.
std::string frameName(const Value& name) {
  std::string word = name.textOrEmpty();
  if (!word.empty() && word.front() == '/') word.erase(0, 1);
  return word;
}

}  // namespace

void Frames::define(const Value& name, const Pose& X_WF) {
  const std::string word = frameName(name);
  const int link = robot_.findLink(word);
  const bool is_world = word.empty() || word == "world";
  if (!is_world && link < 0) {
    defined_[word] = X_WF;
    return;
  }
  // They may be listed as what they are.
  if (isSamePose(X_WF, link >= 0 ? X_WL_[link] : Pose())) return;
  name.fail(link >= 0 ? "is a link of the robot, which stands elsewhere at the start: a scene must "
                        "not move it; name the frame otherwise"
                      : "is the world, which nothing can move: give the frame another name, or "
                        "place the robot by its base (robot: base)");
}

void Frames::defineIfNew(const std::string& name, const Pose& X_WF) {
  if (name != "world" && robot_.findLink(name) < 0) defined_.emplace(name, X_WF);
}

Frames Frames::at(const VecX& q) const {
  Frames moved(robot_, q);
  moved.defined_ = defined_;
  return moved;
}

Pose Frames::find(const Value& name) const {
  // An empty name is the world, as in messages.
  const std::string word = frameName(name);
  if (word.empty()) return Pose();
  const int link = robot_.findLink(word);
  if (link >= 0) return X_WL_[link];
  if (const auto it = defined_.find(word); it != defined_.end()) return it->second;
  if (word == "world") return Pose();
  std::vector<std::string> known = linkNames(robot_);
  known.push_back("world");
  for (const auto& [defined, X_WF] : defined_) known.push_back(defined);
  name.fail("there is no frame of this name" + insteadOf(word, known));
}

}  // namespace allclear
