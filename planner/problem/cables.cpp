// What follows from the cables of a problem alone: their stretches, what these may touch, and what
// is wrong with them.
//
// What holds a cable's end touches it there, so a link with a clip is exempt from the two stretches
// that the clip ends. So are links that are joined rigidly to it: they are parts of the same rigid
// body, which a URDF may divide as it likes (a flange without geometry that carries the clip, and
// the tool that has it). Objects that the robot carries are not: they come and go.
#include "allclear/planner/problem/cables.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "allclear/robot_models/kinematics.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kGreatest = TrajectoryLimits::kGreatestValue;  // as all lengths of a problem [m]

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

class CableChecks {
 public:
  explicit CableChecks(const Problem& problem) : problem_(problem) {}

  std::vector<Finding> run() {
    if (problem_.cables.empty()) return {};
    for (const Cable& cable : problem_.cables) checkShape(cable);
    if (!findings_.empty()) return std::move(findings_);
    for (const Cable& cable : problem_.cables) checkNumbers(cable);
    checkNames();
    if (findings_.empty()) checkStart();
    return std::move(findings_);
  }

 private:
  static std::string nameOf(const Cable& cable) { return "cable '" + cable.id + "'"; }
  void add(const std::string& what, const std::string& why, double value = kNone,
           double limit = kNone) {
    findings_.push_back({what, value, limit, what + ": " + why});
  }

  /// What everything else indexes by.
  void checkShape(const Cable& cable) {
    const std::string what = nameOf(cable);
    if (cable.clips.size() < 2) add(what, "needs two clips or more");
    if (cable.lengths.size() + 1 != cable.clips.size()) {
      add(what, "has " + std::to_string(cable.lengths.size()) + " lengths for " +
                    std::to_string(cable.clips.size()) +
                    " clips; there is one between every two neighbours");
    }
    for (const CableClip& clip : cable.clips) {
      if (clip.link < 0 || clip.link >= static_cast<int>(problem_.robot->links().size())) {
        add(what, "has no link " + std::to_string(clip.link));
      }
    }
  }

  void checkNumbers(const Cable& cable) {
    const std::string what = nameOf(cable);
    // Written so that NaN fails.
    for (const CableClip& clip : cable.clips) {
      if (!(clip.p_L.array().abs() <= kGreatest).all()) {
        add(what, "a clip's point is not finite or beyond 1e9 m");
      }
    }
    for (double length : cable.lengths) {
      if (!(length > 0.0 && length <= kGreatest)) {
        add(what + ": length", "must be positive and below 1e9 m", length);
      }
      if (length <= cable.reserve) {
        add(what + ": reserve", "must be below every length", cable.reserve, length);
      }
    }
    const std::pair<const char*, double> sizes[] = {{": radius", cable.radius},
                                                    {": reserve", cable.reserve}};
    for (const auto& [key, value] : sizes) {
      if (!(value >= 0.0 && value <= kGreatest)) {
        add(what + key, "must not be negative, and below 1e9 m", value, 0.0);
      }
    }
  }

  void checkNames() {
    std::set<std::string> ids;
    std::set<std::string> bodies;
    for (const Link& link : problem_.robot->links()) bodies.insert(link.name);
    for (const AttachedObject& object : problem_.attached) bodies.insert(object.id);
    for (const Obstacle& obstacle : problem_.obstacles) bodies.insert(obstacle.id);
    for (const Cable& cable : problem_.cables) {
      if (cable.id.empty()) add("cable", "has no id");
      // Limits and verdicts name cables and bodies side by side.
      if (!ids.insert(cable.id).second || bodies.count(cable.id) > 0) {
        add(nameOf(cable), "its id is in use already");
      }
      for (const std::string& name : cable.allowed) {
        // A misspelt name would exempt nothing, unnoticed.
        if (bodies.count(name) == 0) {
          add(nameOf(cable) + ": allowed", "there is no link or object '" + name + "'");
        }
      }
      checkBending(cable);
    }
  }

  /// No bound is known of the room beside a surface that bends, or beside a cloud.
  void checkBending(const Cable& cable) {
    for (const Obstacle& obstacle : problem_.obstacles) {
      const auto& allowed = cable.allowed;
      const bool is_bounded = obstacle.deforming == nullptr && obstacle.cloud == nullptr;
      if (is_bounded || std::find(allowed.begin(), allowed.end(), obstacle.id) != allowed.end()) {
        continue;
      }
      if (obstacle.cloud != nullptr) {
        add(nameOf(cable), "cannot be proven clear of '" + obstacle.id +
                               "', which is a cloud: enclose that in a box or another rigid "
                               "obstacle, or name it in allowed, which leaves the two unchecked");
        continue;
      }
      add(nameOf(cable), "cannot be proven clear of '" + obstacle.id +
                             "', which bends: enclose that in a box or another rigid obstacle, or "
                             "name it in allowed, which leaves the two unchecked");
    }
  }

  void checkStart() {
    if (!problem_.start.allFinite()) return;  // a finding of its own
    // A reserve that is used up at the start is for the planner to say: the task makes sense.
    const Kinematics kinematics(*problem_.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(problem_.start, workspace, X_WL);
    for (const CableStretch& stretch : cableStretches(problem_)) {
      const double span =
          (X_WL[stretch.a.link] * stretch.a.p_L - X_WL[stretch.b.link] * stretch.b.p_L).norm();
      if (span <= stretch.length) continue;
      add(nameOf(problem_.cables[stretch.cable]),
          "its length of " + shown(stretch.length) + " m " + betweenClips(problem_, stretch) +
              " is less than the distance of its ends at the start, " + shown(span) + " m",
          stretch.length, span);
    }
  }

  const Problem& problem_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<CableStretch> cableStretches(const Problem& problem) {
  std::vector<CableStretch> stretches;
  for (std::size_t c = 0; c < problem.cables.size(); ++c) {
    const Cable& cable = problem.cables[c];
    for (std::size_t i = 0; i < cable.lengths.size(); ++i) {
      stretches.push_back({static_cast<int>(c), cable.clips[i], cable.clips[i + 1],
                           cable.lengths[i], cable.radius, cable.reserve});
    }
  }
  return stretches;
}

std::string betweenClips(const Problem& problem, const CableStretch& stretch) {
  const auto& links = problem.robot->links();
  return "between " + links[stretch.a.link].name + " and " + links[stretch.b.link].name;
}

std::string tautText(const Problem& problem, const CableStretch& stretch, double span, double t) {
  const std::string reserve = stretch.reserve > 0.0 ? " of its reserve" : "";
  const bool is_taut = span > stretch.length;
  const double missing = span - (is_taut ? stretch.length : stretch.longestSpan());
  return "cable '" + problem.cables[stretch.cable].id + "': " + shown(1e3 * missing) + " mm short" +
         (is_taut ? "" : reserve) + " at t = " + shown(t) + " s " + betweenClips(problem, stretch);
}

std::string cableExemption(const Problem& problem, const MotionTree& tree,
                           const CableStretch& stretch, const CableBody& body) {
  // What the task says comes first: it is what a user looks for.
  const auto& allowed = problem.cables[stretch.cable].allowed;
  if (std::find(allowed.begin(), allowed.end(), body.name) != allowed.end()) {
    return "the task allows it";
  }
  if (body.link < 0 || body.is_attached) return "";
  // Links on the same node of the motion tree are one rigid body.
  for (const CableClip* clip : {&stretch.a, &stretch.b}) {
    if (body.link == clip->link) return "holds an end";
    if (tree.mounts()[body.link].node == tree.mounts()[clip->link].node) {
      return "is joined rigidly to " + problem.robot->links()[clip->link].name +
             ", which holds an end";
    }
  }
  return "";
}

std::vector<Finding> cableFindings(const Problem& problem) { return CableChecks(problem).run(); }

}  // namespace allclear
