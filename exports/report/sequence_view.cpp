// A sequence of motions as one motion, for the viewer: rows of all segments one after the other,
// and objects that change hands as obstacles that follow the links that carry them.
#include "allclear/exports/report/sequence_view.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "allclear/exports/report/frames.h"

namespace allclear {
namespace {

/// An object at one instant: what moves it, and its shapes in that frame.
struct Placed {
  int link = -1;  ///< -1: the world
  Pose X_WO;      ///< of an obstacle
  const std::vector<Geometry>* geometry = nullptr;
};

Placed placedIn(const Problem& problem, const std::string& id) {
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.id == id) return {-1, obstacle.X_WO, &obstacle.geometry};
  }
  for (const AttachedObject& object : problem.attached) {
    if (object.id == id) return {object.link, Pose(), &object.geometry};
  }
  return {};
}

/// The segment that an instant of the whole belongs to; at a joint the later one.
const SequenceSegment& segmentAt(const SequenceCertificate& certificate, double t) {
  const SequenceSegment* at = &certificate.segments.front();
  for (const SequenceSegment& segment : certificate.segments) {
    if (segment.start_time <= t) at = &segment;
  }
  return *at;
}

/// The object as an obstacle that goes wherever it is carried. Its frame is the one in which it was
/// given first.
Obstacle carried(const std::string& id, const SequenceCertificate& certificate,
                 const ReportFrames& frames) {
  const Placed first = placedIn(certificate.segments.front().problem, id);
  Obstacle obstacle;
  obstacle.id = id;
  obstacle.geometry = *first.geometry;
  const Pose X_GO = obstacle.geometry.front().X_BG.inverse();
  for (int i = 0; i < frames.count(); ++i) {
    const Placed now = placedIn(segmentAt(certificate, frames.times[i]).problem, id);
    if (now.geometry == nullptr) continue;
    const Pose X_WB = now.link < 0 ? now.X_WO : frames.X_WL[i][now.link];
    obstacle.motion.push_back({frames.times[i], X_WB * now.geometry->front().X_BG * X_GO});
  }
  obstacle.X_WO = obstacle.motion.front().X_WO;
  return obstacle;
}

/// Without the objects that change hands.
template <class List>
void drop(const std::set<std::string>& ids, List* list) {
  std::erase_if(*list, [&](const auto& item) { return ids.count(item.id) > 0; });
}

/// What no segment looks at, or only in part, is not drawn as if it were.
void allowWhatMayTouch(const SequenceCertificate& certificate, Problem* problem) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const SequenceSegment& segment : certificate.segments) {
    for (const ExemptPair& pair : segment.certificate.exempt_pairs) pairs.insert({pair.a, pair.b});
    const CollisionSettings& set = segment.problem.collision;
    pairs.insert(set.leaves.begin(), set.leaves.end());
    pairs.insert(set.lands.begin(), set.lands.end());
  }
  problem->collision.allowed.assign(pairs.begin(), pairs.end());
  problem->collision.leaves.clear();
  problem->collision.lands.clear();
  problem->collision.avoided.clear();
}

Problem viewProblem(const Sequence& sequence, const SequenceCertificate& certificate,
                    const NamedTrajectory& whole) {
  Problem problem = sequence.shared;
  problem.planned.clear();
  for (const std::string& name : whole.joint_names) {
    for (int c = 0; c < problem.robot->dimension(); ++c) {
      if (problem.robot->coordinates()[c].name == name) problem.planned.push_back(c);
    }
  }
  const Trajectory& motion = whole.trajectory;
  problem.goal = JointTarget{problem.planned, motion.value(motion.duration())};
  problem.uncertainty = {};  // its obstacles are in another order
  const ReportFrames frames = motionFrames(problem, motion);
  std::set<std::string> ids;
  for (const SequenceEvent& event : certificate.events) ids.insert(event.object);
  drop(ids, &problem.obstacles);
  drop(ids, &problem.attached);
  for (const std::string& id : ids) problem.obstacles.push_back(carried(id, certificate, frames));
  allowWhatMayTouch(certificate, &problem);
  return problem;
}

/// "all segments", or their names.
std::string namesOf(const std::vector<std::string>& names, std::size_t count) {
  if (names.size() == count) return "all segments";
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "'" : ", '") + name + "'";
  return all;
}

/// What the segments take for granted: each sentence, and each of the few words for one line, once
/// with the segments that it is about.
std::vector<Assumption> assumptionsOfAll(const std::vector<SequenceSegment>& segments) {
  std::vector<Assumption> all;
  std::map<std::string, std::vector<std::string>> by_text, by_brief;
  for (const SequenceSegment& segment : segments) {
    for (const Assumption& assumption : segment.certificate.assumptions) {
      if (by_text[assumption.text].empty()) all.push_back(assumption);
      by_text[assumption.text].push_back(segment.name);
      std::vector<std::string>& names = by_brief[assumption.brief];
      if (names.empty() || names.back() != segment.name) names.push_back(segment.name);
    }
  }
  for (Assumption& assumption : all) {
    // Of several sentences with the same few words, those of the first speak for all.
    const auto brief = by_brief.find(assumption.brief);
    const bool is_said = brief == by_brief.end() || assumption.brief.empty();
    if (is_said) {
      assumption.brief.clear();
    } else {
      const bool is_of_all = brief->second.size() == segments.size();
      if (!is_of_all) assumption.brief += " (" + namesOf(brief->second, segments.size()) + ")";
      by_brief.erase(brief);
    }
    assumption.text = namesOf(by_text[assumption.text], segments.size()) + ": " + assumption.text;
  }
  return all;
}

}  // namespace

SequenceView sequenceView(const Sequence& sequence, const SequenceCertificate& certificate) {
  NamedTrajectory whole = wholeTrajectory(sequence.shared, certificate.segments);
  Problem problem = viewProblem(sequence, certificate, whole);
  Certificate of_whole{.trajectory = std::move(whole)};
  of_whole.clear = certificate.clear;
  of_whole.message = certificate.message;
  of_whole.margin = problem.collision.margin;
  of_whole.tool = certificate.segments.front().certificate.tool;
  of_whole.assumptions = assumptionsOfAll(certificate.segments);
  double least = std::numeric_limits<double>::infinity();
  for (const SequenceSegment& segment : certificate.segments) {
    const Certificate& c = segment.certificate;
    for (const std::string& fault : c.faults) {
      of_whole.faults.push_back("'" + segment.name + "': " + fault);
    }
    if (c.closest_a.empty() || !(c.minimum_clearance.upper < least)) continue;
    least = c.minimum_clearance.upper;
    of_whole.minimum_clearance = c.minimum_clearance;
    of_whole.closest_a = c.closest_a;
    of_whole.closest_b = c.closest_b;
    of_whole.closest_t = segment.start_time + c.closest_t;
  }
  return {std::move(problem), std::move(of_whole)};
}

}  // namespace allclear
