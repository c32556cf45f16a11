// Certifies sequences. A sequence is clear when each of its motions is, for the problem that the
// steps before it lead to; nothing but that chain of states joins the proofs, so it is made anew
// here from the sequence and the trajectories, and two things are asked of neighbours: the next
// motion begins where the one before it ends, to the bit, and both rest there (which each of their
// certificates says of its ends).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/formatted.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/relief.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/problem/end_margin.h"
#include "allclear/planner/problem/sequence_state.h"

namespace allclear {
namespace {

/// [rad; m] A joint that a segment does not move may differ by so much in its rows: none at all.
constexpr double kHeld = 0.0;

/// [s] Half a nanosecond: rows are at whole ones.
constexpr double kSameInstant = 0.5e-9;

/// An event as it happens in this state.
SequenceEvent eventOf(const Sequence& sequence, const SequenceStep& step,
                      const SequenceState& state, int before_segment) {
  SequenceEvent event;
  event.time = state.time;
  event.before_segment = before_segment;
  // Who lets go is whoever carries it.
  int link = -1;
  if (const auto* taken = std::get_if<SequenceAttach>(&step.what)) {
    event.object = taken->object;
    link = taken->link;
  } else {
    event.object = std::get<SequenceDetach>(step.what).object;
    event.attaches = false;
    for (const AttachedObject& object : state.attached) {
      if (object.id == event.object) link = object.link;
    }
  }
  if (link >= 0) event.link = sequence.shared.robot->links()[link].name;
  return event;
}

/// Why a segment's trajectory does not follow on the state before it; empty when it does.
std::string joinFault(const SequenceSegment& segment, const Trajectory& trajectory) {
  if (trajectory.dimension() != segment.problem.plannedCount()) {
    return "its trajectory is of other joints";
  }
  const VecX start = segment.problem.plannedPart(segment.problem.start);
  if (trajectory.value(0.0) != start) {
    return "it does not begin where the one before it ends";
  }
  return "";
}

/// As messages have it.
std::string segmentName(const SequenceSegment& segment) { return "segment '" + segment.name + "'"; }

/// Whether something of the scene moves in the course of the sequence.
bool worldMoves(const Problem& shared) {
  return std::any_of(shared.obstacles.begin(), shared.obstacles.end(),
                     [](const Obstacle& obstacle) { return obstacle.moves(); });
}

/// "'part' is taken up by 'hand'".
std::string eventSentence(const SequenceEvent& event) {
  return "'" + event.object + "' is " + (event.attaches ? "taken up by '" : "let go of by '") +
         event.link + "'";
}

/// What the whole takes for granted beyond what its segments do.
std::string grantedSentence(const Problem& shared, const std::vector<SequenceEvent>& events) {
  std::string text;
  if (!events.empty()) {
    text =
        "Taken for granted: an object that is carried does not move in its link, and one that "
        "was put down stays where it is. ";
  }
  text += worldMoves(shared) ? "The segments follow one another without a pause: obstacles move on."
                             : "The robot may pause between two segments.";
  return text;
}

}  // namespace

/// Walks through the steps: events change the state, trajectories carry it on.
SequenceCertificate layOut(const Sequence& sequence, const std::vector<Trajectory>& trajectories) {
  const int count = motionCount(sequence);
  if (static_cast<int>(trajectories.size()) != count) {
    throw InputError("there are " + std::to_string(trajectories.size()) + " trajectories for the " +
                     std::to_string(count) + " motions of the sequence");
  }
  SequenceCertificate out;
  SequenceState state = sequenceStart(sequence);
  for (int s = 0; s < static_cast<int>(sequence.steps.size()); ++s) {
    const SequenceStep& step = sequence.steps[s];
    // An event takes no time: it happens where the motion before it ended.
    const auto* motion = std::get_if<SequenceMotion>(&step.what);
    if (motion == nullptr) {
      out.events.push_back(eventOf(sequence, step, state, static_cast<int>(out.segments.size())));
      state = afterEvent(sequence, step, state);
      continue;
    }
    const Trajectory& trajectory = trajectories[out.segments.size()];
    SequenceSegment segment{motion->name,
                            s,
                            state.time,
                            segmentProblem(sequence, s, state),
                            {.trajectory = {trajectory, {}, {}}}};
    const std::string fault = joinFault(segment, trajectory);
    if (!fault.empty()) throw InputError(segmentName(segment) + ": " + fault);
    segment.certificate.trajectory.joint_names = plannedNames(segment.problem);
    state = afterMotion(segment.problem, trajectory, state);
    out.segments.push_back(std::move(segment));
  }
  out.duration = state.time;
  return out;
}

/// One proof after the other; the first that fails is the verdict.
SequenceCertificate certifySequence(const Sequence& sequence,
                                    const std::vector<Trajectory>& trajectories,
                                    const CertificateOptions& options) {
  SequenceCertificate out = layOut(sequence, trajectories);
  for (SequenceSegment& segment : out.segments) {
    const Trajectory trajectory = segment.certificate.trajectory.trajectory;
    segment.certificate = certify(segment.problem, trajectory, options);
    // What follows begins in a state that this one does not reach.
    if (segment.certificate.clear) continue;
    out.message = "Not clear: " + segmentName(segment) + ": " + segment.certificate.message;
    return out;
  }
  out.clear = true;
  out.message = sequenceMessage(sequence, out);
  return out;
}

/// The problems come from the sequence and the trajectories, never from the certificates.
CertificateVerdict verifySequence(const Sequence& sequence,
                                  const std::vector<Certificate>& certificates,
                                  const CertificateOptions& options) {
  std::vector<Trajectory> trajectories;
  for (const Certificate& certificate : certificates) {
    trajectories.push_back(certificate.trajectory.trajectory);
  }
  try {
    SequenceCertificate laid = layOut(sequence, trajectories);
    // From here on each certificate stands for itself.
    for (std::size_t i = 0; i < certificates.size(); ++i) {
      SequenceSegment& segment = laid.segments[i];
      const CertificateVerdict verdict =
          verifyCertificate(segment.problem, certificates[i], options);
      if (!verdict.valid) return {false, segmentName(segment) + ": " + verdict.message};
      segment.certificate = certificates[i];
    }
    laid.clear = true;
    return {true, "The certificates of all " + std::to_string(certificates.size()) +
                      " segments hold: proven anew. " + sequenceMessage(sequence, laid)};
  } catch (const InputError& error) {
    return {false, std::string("The sequence does not hold: ") + error.what() + "."};
  }
}

namespace {

/// The pair that comes nearest to its margin in any segment, without those that may touch near an
/// end: of these the sentences about them say more. Null where there is none.
const RankedPair* nearestPair(const SequenceCertificate& certificate,
                              const SequenceSegment** in_segment) {
  const RankedPair* nearest = nullptr;
  for (const SequenceSegment& segment : certificate.segments) {
    const CollisionSettings& settings = segment.problem.collision;
    for (const RankedPair& pair : segment.certificate.closest_pairs) {
      const bool may_touch =
          holdsPair(settings.leaves, pair.a, pair.b) || holdsPair(settings.lands, pair.a, pair.b);
      if (may_touch || (nearest != nullptr && !(pair.slack() < nearest->slack()))) continue;
      nearest = &pair;
      *in_segment = &segment;
    }
  }
  return nearest;
}

/// A line for each segment, "from 2.4 s: 'lift'. ..", with its goal among several and the pairs
/// that may touch, and one for each event before it.
std::string segmentLines(const SequenceCertificate& certificate) {
  std::string lines;
  const SequenceEvent* event = certificate.events.data();
  const SequenceEvent* const end = event + certificate.events.size();
  const auto addEventsUntil = [&](double time) {
    for (; event != end && event->time <= time; ++event) {
      lines += "\n  at " + formatted("%.6g", event->time) + " s: " + eventSentence(*event);
    }
  };
  for (const SequenceSegment& segment : certificate.segments) {
    const Certificate& c = segment.certificate;
    // What happens at its start is over when it begins.
    addEventsUntil(segment.start_time);
    lines += formatted("\n  from %.6g s: '", segment.start_time) + segment.name + "'";
    if (c.goal) lines += " reaches " + alternativeText(*c.goal);
    const std::string relief = reliefText(segment.problem.collision, c.pairs);
    if (!relief.empty()) lines += ". Times from its start: " + relief.substr(0, relief.size() - 1);
  }
  addEventsUntil(certificate.duration);
  return lines;
}

}  // namespace

/// Counts are sums over the segments.
std::string sequenceMessage(const Sequence& sequence, const SequenceCertificate& certificate) {
  std::size_t pairs = 0, limits = 0;
  bool may_touch = false;
  std::set<std::string> not_covered;
  for (const SequenceSegment& segment : certificate.segments) {
    const Certificate& c = segment.certificate;
    pairs += bodyPairCount(c);
    limits += c.limits.size();
    may_touch = may_touch || !reliefText(segment.problem.collision, c.pairs).empty();
    for (const std::string& demand : c.not_covered) not_covered.insert(demand);
  }
  std::string out =
      formatted("Clear at every instant of %.6g s, in %zu segments: ", certificate.duration,
                certificate.segments.size()) +
      formatted("%zu pairs, counted in each segment, keep their margin%s", pairs,
                may_touch ? " but for those that may touch, named below" : "");
  // By its slack: a pair with a wide margin of its own may be the one that comes nearest to it.
  const SequenceSegment* segment = nullptr;
  if (const RankedPair* pair = nearestPair(certificate, &segment)) {
    out += formatted(", the nearest to its own (%.4g mm) is between %.5g and %.5g mm, '",
                     1e3 * pair->margin, 1e3 * pair->distance.lower, 1e3 * pair->distance.upper) +
           pair->a + "' and '" + pair->b +
           formatted("' at t = %.6g s (", segment->start_time + pair->t) + segment->name + ")";
  }
  out += formatted("; %zu limits are kept.", limits) + segmentLines(certificate) + "\n" +
         grantedSentence(sequence.shared, certificate.events);
  std::string open;
  for (const std::string& demand : not_covered) open += (open.empty() ? "" : ", ") + demand;
  if (!open.empty()) out += " Not covered: " + open + ".";
  return out;
}

/// Writes the rows of each segment into the columns that begin where the one before it ends.
NamedTrajectory wholeTrajectory(const Problem& shared,
                                const std::vector<SequenceSegment>& segments) {
  ALLCLEAR_ASSERT(!segments.empty());
  std::set<int> moved;
  Eigen::Index count = 1;
  for (const SequenceSegment& segment : segments) {
    moved.insert(segment.problem.planned.begin(), segment.problem.planned.end());
    const HermiteCurve* rows = segment.certificate.trajectory.trajectory.hermite();
    ALLCLEAR_ASSERT(rows != nullptr && rows->givenOrder() == 2);
    count += rows->spanCount();
  }
  const std::vector<int> joints(moved.begin(), moved.end());
  std::vector<std::string> names;
  for (int c : joints) names.push_back(shared.robot->coordinates()[c].name);

  std::array<MatX, 3> all;
  for (MatX& m : all) m = MatX::Zero(static_cast<Eigen::Index>(joints.size()), count);
  std::vector<double> times{0.0};
  Eigen::Index column = 0;  // where the segment begins: the last row of the one before
  for (const SequenceSegment& segment : segments) {
    const HermiteCurve& rows = *segment.certificate.trajectory.trajectory.hermite();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const auto row = static_cast<Eigen::Index>(j);
      const auto& planned = segment.problem.planned;
      const auto at = std::lower_bound(planned.begin(), planned.end(), joints[j]);
      if (at == planned.end() || *at != joints[j]) {
        all[0]
            .row(row)
            .segment(column, rows.spanCount() + 1)
            .setConstant(segment.problem.start[joints[j]]);
        continue;
      }
      const Eigen::Index of = at - planned.begin();
      all[0].row(row).segment(column, rows.spanCount() + 1) = rows.positions().row(of);
      all[1].row(row).segment(column, rows.spanCount() + 1) = rows.velocities().row(of);
      all[2].row(row).segment(column, rows.spanCount() + 1) = rows.accelerations().row(of);
    }
    for (std::size_t i = 1; i < rows.times().size(); ++i) {
      times.push_back(std::round((segment.start_time + rows.times()[i]) * 1e9) / 1e9);
    }
    column += rows.spanCount();
  }
  return {HermiteCurve(std::move(times), std::move(all[0]), std::move(all[1]), std::move(all[2])),
          std::move(names),
          {}};
}

namespace {

/// The row at an instant. Throws `InputError` when there is none.
Eigen::Index rowAt(const HermiteCurve& rows, double t) {
  const auto& times = rows.times();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::abs(times[i] - t) <= kSameInstant) return static_cast<Eigen::Index>(i);
  }
  throw InputError(formatted("the trajectory has no row at t = %.9g s, where a segment ends", t));
}

/// Refuses joints that move although the segment does not.
void requireHeld(const NamedTrajectory& whole, Eigen::Index first, Eigen::Index last,
                 const std::vector<std::string>& moving) {
  const HermiteCurve& rows = *whole.trajectory.hermite();
  for (std::size_t j = 0; j < whole.joint_names.size(); ++j) {
    if (std::find(moving.begin(), moving.end(), whole.joint_names[j]) != moving.end()) continue;
    const auto k = static_cast<Eigen::Index>(j);
    const auto part = [&](const MatX& m) { return m.row(k).segment(first, last - first + 1); };
    const double off =
        (part(rows.positions()).array() - rows.positions()(k, first)).abs().maxCoeff();
    const double speed = std::max(part(rows.velocities()).cwiseAbs().maxCoeff(),
                                  part(rows.accelerations()).cwiseAbs().maxCoeff());
    if (off <= kHeld && speed <= kHeld) continue;
    throw InputError("joint '" + whole.joint_names[j] +
                     formatted("' moves between t = %.9g and %.9g s, where its segment holds it",
                               rows.times()[first], rows.times()[last]));
  }
}

}  // namespace

/// Rows from one end to the next, with times from there.
std::vector<Trajectory> cutAt(const NamedTrajectory& whole, const std::vector<double>& ends,
                              const std::vector<std::vector<std::string>>& joints) {
  const HermiteCurve* rows = whole.trajectory.hermite();
  if (rows == nullptr || rows->givenOrder() != 2) {
    throw InputError("a sequence needs rows of positions, velocities and accelerations");
  }
  // Each part begins in the row in which the one before it ends.
  std::vector<Trajectory> parts;
  Eigen::Index first = 0;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const Eigen::Index last = rowAt(*rows, ends[s]);
    if (last <= first)
      throw InputError(formatted("a segment ends before it begins, at %.9g s", ends[s]));
    requireHeld(whole, first, last, joints[s]);
    std::vector<double> times;
    for (Eigen::Index i = first; i <= last; ++i) {
      times.push_back(rows->times()[i] - rows->times()[first]);
    }
    std::array<MatX, 3> of;
    const MatX* from[] = {&rows->positions(), &rows->velocities(), &rows->accelerations()};
    for (int order = 0; order < 3; ++order) {
      of[order].resize(static_cast<Eigen::Index>(joints[s].size()), last - first + 1);
      for (std::size_t j = 0; j < joints[s].size(); ++j) {
        const auto it = std::find(whole.joint_names.begin(), whole.joint_names.end(), joints[s][j]);
        if (it == whole.joint_names.end()) {
          throw InputError("the trajectory has no joint '" + joints[s][j] + "'");
        }
        of[order].row(static_cast<Eigen::Index>(j)) =
            from[order]->row(it - whole.joint_names.begin()).segment(first, last - first + 1);
      }
    }
    parts.emplace_back(
        HermiteCurve(std::move(times), std::move(of[0]), std::move(of[1]), std::move(of[2])));
    first = last;
  }
  if (first != static_cast<Eigen::Index>(rows->times().size()) - 1) {
    throw InputError("the trajectory goes on after the last segment");
  }
  return parts;
}

}  // namespace allclear
