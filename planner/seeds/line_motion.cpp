// Motions along a line, one for each choice of what the joints that it leaves free do.
//
// The first choice is the least motion; then come the middle of the joints' ranges, ways along the
// self-motion at the start, both ways, and, while nothing is clear, postures at random. The spline
// of least jerk through the stations follows the line, at rest at both ends of each stretch.
#include "allclear/planner/seeds/line_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allclear/core/formatted.h"
#include "allclear/planner/run/random_stream.h"
#include "allclear/planner/seeds/line_follower.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {
namespace {

/// Ways along the self-motion at the start [rad or m of the joint that moves most].
constexpr double kSelfMotions[] = {0.7, -0.7, 1.4, -1.4};
constexpr int kRandomPostures = 10;
/// So many times the tolerance of the position: a lever turns by that of the orientation, too.
constexpr double kBeyondTolerances = 10.0;
/// "line" in ASCII: a stream of random numbers of its own.
constexpr std::uint64_t kLineStream = 0x6c696e65u;

/// Pace of a path: twice the time that its joints need at full speed, and more than this [s].
constexpr double kSlowness = 2.0;
constexpr double kShortest = 0.05;

/// Curves one after the other, at rest where two of them meet.
HermiteCurve joined(const std::vector<HermiteCurve>& parts) {
  std::vector<double> times;
  Eigen::Index count = 1;
  for (const HermiteCurve& part : parts) count += part.spanCount();
  MatX q(parts.front().dimension(), count), v = q, a = q;
  double begin = 0.0;
  Eigen::Index column = 0;
  for (const HermiteCurve& part : parts) {
    for (int i = times.empty() ? 0 : 1; i <= part.spanCount(); ++i, ++column) {
      times.push_back(begin + part.times()[i]);
      q.col(column) = part.positions().col(i);
      v.col(column) = part.velocities().col(i);
      a.col(column) = part.accelerations().col(i);
    }
    begin = times.back();
    // Exactly at rest: the next stretch starts with other accelerations.
    v.col(column - 1).setZero();
    a.col(column - 1).setZero();
  }
  return {std::move(times), std::move(q), std::move(v), std::move(a)};
}

/// Traces choice after choice, and sorts what comes out.
class LineChoices {
 public:
  LineChoices(const ClearanceEvaluator& evaluator, const KeepOnLine& line,
              const RunContext& context)
      : evaluator_(evaluator),
        line_(line),
        context_(context),
        follower_(evaluator.problem(), evaluator.builder().kinematics(), line),
        workspace_(evaluator) {}

  LineMotions run() {
    const Problem& problem = evaluator_.problem();
    const VecX start = problem.plannedPart(problem.start);
    tryOne({});
    const std::vector<VecX> free = follower_.selfMotions();
    if (!free.empty()) {
      tryOne(follower_.middle());
      for (const VecX& n : free) {
        for (double by : kSelfMotions) tryOne(start + by * n);
      }
      // More only where nothing leads to the end free of contacts.
      RandomStream stream(context_.seed, kLineStream);
      for (int i = 0; i < kRandomPostures && !hasClear(); ++i) tryOne(follower_.random(stream));
    }
    std::stable_sort(
        out_.motions.begin(), out_.motions.end(), [](const LineMotion& a, const LineMotion& b) {
          return a.unclear != b.unclear ? a.unclear < b.unclear : a.seconds < b.seconds;
        });
    return std::move(out_);
  }

 private:
  bool hasClear() const {
    return std::any_of(out_.motions.begin(), out_.motions.end(),
                       [](const LineMotion& motion) { return motion.unclear == 0.0; });
  }

  void tryOne(const VecX& posture) {
    if (context_.mustEnd()) return;
    const std::string origin =
        out_.tried == 0 ? "line" : "line, another posture (" + std::to_string(out_.tried) + ")";
    ++out_.tried;
    const LineFollower::Trace trace = follower_.trace(posture);
    if (trace.q.size() == follower_.stationCount()) {
      out_.motions.push_back(motionOf(trace.q, origin));
    } else if (trace.q.size() >= farthest_) {
      farthest_ = trace.q.size() + 1;
      const std::size_t last = trace.q.empty() ? 0 : trace.q.size() - 1;
      out_.fault = follower_.placeOf(last) + ": " + trace.why;
    }
  }

  LineMotion motionOf(const std::vector<VecX>& q, std::string origin) {
    LineMotion out{curveOf(q), std::move(origin), 0.0, 0.0, false, ""};
    for (std::size_t i = 1; i < q.size(); ++i) out.seconds += follower_.secondsOf(q[i] - q[i - 1]);
    // At rest at the stations: between them, and in time, the certificate looks.
    double worst = 0.0;
    int unclear = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Clearance c = evaluator_.atRest(q[i], std::nullopt, workspace_);
      if (c.pair < 0 || c.upper >= c.demand) continue;
      ++unclear;
      out.is_hopeless = out.is_hopeless || isHopeless(c);
      if (c.upper - c.demand >= worst) continue;
      worst = c.upper - c.demand;
      out.contact = follower_.placeOf(i) + ", " + contactOf(c);
    }
    out.unclear = static_cast<double>(unclear) / static_cast<double>(q.size());
    return out;
  }

  /// Whether what the line leads is so deep in something at rest that no place within the
  /// tolerances parts them.
  bool isHopeless(const Clearance& c) const {
    const CollisionModel& model = evaluator_.model();
    const CollisionBody &a = model.bodies[model.pairs[c.pair].a],
                        &b = model.bodies[model.pairs[c.pair].b];
    const bool is_led = a.link == line_.link || b.link == line_.link;
    const bool is_other_still = a.obstacle >= 0 || b.obstacle >= 0;
    return is_led && is_other_still && std::isfinite(line_.angle_tolerance) &&
           c.upper < c.demand - kBeyondTolerances * line_.position_tolerance;
  }

  std::string contactOf(const Clearance& c) const {
    const CollisionModel& model = evaluator_.model();
    const std::string pair = "'" + model.bodies[model.pairs[c.pair].a].name + "' and '" +
                             model.bodies[model.pairs[c.pair].b].name + "' are ";
    if (c.upper < 0.0) return pair + formatted("%.4g m deep in each other", -c.upper);
    return pair + formatted("%.4g m apart, less than ", c.upper) + formatted("%.4g m", c.demand);
  }

  HermiteCurve curveOf(const std::vector<VecX>& q) const {
    std::vector<HermiteCurve> parts;
    std::size_t first = 0;
    for (std::size_t last : follower_.corners()) {
      double seconds = 0.0;
      MatX rows(q.front().size(), static_cast<Eigen::Index>(last - first + 1));
      for (std::size_t i = first; i <= last; ++i) {
        rows.col(static_cast<Eigen::Index>(i - first)) = q[i];
        if (i > first) seconds += follower_.secondsOf(q[i] - q[i - 1]);
      }
      // Stations are even in time.
      const double T = std::max(kShortest, kSlowness * seconds);
      std::vector<double> times;
      for (std::size_t i = first; i <= last; ++i) {
        times.push_back(T * static_cast<double>(i - first) / static_cast<double>(last - first));
      }
      parts.push_back(interpolatePositions(std::move(times), std::move(rows)));
      first = last;
    }
    return joined(parts);
  }

  const ClearanceEvaluator& evaluator_;
  const KeepOnLine& line_;
  const RunContext& context_;
  LineFollower follower_;
  ClearanceEvaluator::Workspace workspace_;
  LineMotions out_;
  std::size_t farthest_ = 0;
};

}  // namespace

LineMotions motionsAlong(const ClearanceEvaluator& evaluator, const KeepOnLine& line,
                         const RunContext& context) {
  return LineChoices(evaluator, line, context).run();
}

}  // namespace allclear
