// Follows a line by inverse kinematics.
//
// At each of the stations along the line Newton's steps put frame P onto the line's pose. With the
// rows J of the line (and of held poses) there, the step is
//
//     dq = J^+ e + (1 - J^+ J) z,
//
// the least one that takes the error e away, and a motion z of what the line leaves free
// (A. Liegeois, "Automatic supervisory control of the configuration and behavior of multibody
// mechanisms", IEEE Trans. SMC 1977). z leads away from joint limits and towards a posture: the
// choice. The first choice has none (the least motion), then come the middle of the joints' ranges,
// ways along the self-motion at the start, both ways, and postures at random. Joints are measured
// by their speed limits, so that slow ones move less.
//
// Stations are even in time under the smooth step 10 s^3 - 15 s^4 + 6 s^5 along each stretch. So
// the spline of least jerk through them follows the line at rest at both ends.
#include "allclear/planner/seeds/line_motion.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allclear/core/formatted.h"
#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/problem/pose_error.h"
#include "allclear/planner/run/random_stream.h"
#include "allclear/planner/seeds/segment_certifier.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {
namespace {

// Stations of a stretch: one for each of these lengths and turns, within bounds. A quintic spline
// between them is off the line by their sixth power.
constexpr double kStationWay = 0.008;  // [m]
constexpr double kStationTurn = 0.03;  // [rad]
constexpr int kFewestStations = 16;
constexpr int kMostStations = 128;

constexpr int kNewtonSteps = 12;
/// Of the tolerances: near enough at a station, and still to be called on the line.
constexpr double kConverged = 1e-5;
constexpr double kOnLine = 0.02;
/// Relative to the greatest singular value: what is below takes no part in a step.
constexpr double kSingular = 1e-4;
/// A joint that moves farther than this from one station to the next [s at its speed limit] is
/// carried through a singularity.
constexpr double kLongestStep = 1.0;

/// How strongly the free motion leads to its posture: e^-3 of the way is left at the line's end.
constexpr double kPull = 3.0;
/// Nearer to its limits than this share of its range a joint is pushed away.
constexpr double kLimitZone = 0.1;
constexpr double kLimitPush = 4.0;

/// Ways along the self-motion at the start [rad of the joint that moves most], and random postures.
constexpr double kSelfMotions[] = {0.7, -0.7, 1.4, -1.4};
constexpr int kMostSelfMotions = 3;  // directions
constexpr int kRandomPostures = 10;
/// "line" in ASCII: a stream of random numbers of its own.
constexpr std::uint64_t kLineStream = 0x6c696e65u;

/// Pace of a path: twice the time that its joints need at full speed, and more than this [s].
constexpr double kSlowness = 2.0;
constexpr double kShortest = 0.05;

double smoothStep(double s) { return s * s * s * (10.0 - s * (15.0 - 6.0 * s)); }

/// A place along the line.
struct Station {
  int stretch = 0;
  double u = 0.0;
  double share = 0.0;  ///< of the whole line, by length (by turn where it has none)
};

class LineFollower {
 public:
  LineFollower(const ClearanceEvaluator& evaluator, const KeepOnLine& line)
      : evaluator_(evaluator),
        problem_(evaluator.problem()),
        kinematics_(evaluator.builder().kinematics()),
        path_(line),
        held_(problem_),
        limits_(plannedLimits(problem_)),
        kinematic_workspace_(kinematics_.makeWorkspace()),
        workspace_(evaluator),
        start_(problem_.plannedPart(problem_.start)) {
    speed_ = limits_.velocity.cwiseMin(kFastest);
    makeStations();
  }

  /// A trace of the line, towards a posture (or none, where that is empty).
  struct Trace {
    std::vector<VecX> q;      ///< by station
    std::size_t reached = 0;  ///< stations
    std::string why;          ///< it ended
  };
  Trace trace(const VecX& posture) {
    Trace out;
    VecX q = start_;
    for (const Station& station : stations_) {
      const double ahead = out.q.empty() ? 0.0 : station.share - stations_[out.q.size() - 1].share;
      const VecX before = q;
      if (!moveTo(station, ahead, posture, &q, &out.why)) break;
      if (((q - before).cwiseQuotient(speed_)).cwiseAbs().maxCoeff() > kLongestStep) {
        out.why = "it would have to pass a singular posture there (" + fastest(q - before) +
                  " would jump)";
        break;
      }
      out.q.push_back(q);
    }
    out.reached = out.q.size();
    return out;
  }

  std::size_t stationCount() const { return stations_.size(); }

  /// Directions of the start's self-motion, each with its greatest entry 1.
  std::vector<VecX> selfMotions() {
    VecX e;
    MatX J;
    measure(stations_.front(), start_, &e, &J);
    const Eigen::FullPivLU<MatX> lu(J);
    std::vector<VecX> out;
    if (lu.rank() >= J.cols()) return out;
    const MatX kernel = lu.kernel();
    for (int k = 0; k < std::min<int>(kMostSelfMotions, static_cast<int>(kernel.cols())); ++k) {
      const VecX n = kernel.col(k);
      const double most = n.cwiseAbs().maxCoeff();
      if (most > 0.0 && std::isfinite(most)) out.push_back(n / most);
    }
    return out;
  }

  VecX middle() const {
    VecX q = start_;
    for (int k = 0; k < q.size(); ++k) {
      if (isBounded(k)) q[k] = 0.5 * (limits_.lower[k] + limits_.upper[k]);
    }
    return q;
  }

  VecX random(RandomStream& stream) const {
    VecX q = start_;
    for (int k = 0; k < q.size(); ++k) {
      if (isBounded(k)) {
        q[k] = limits_.lower[k] + stream.uniform() * (limits_.upper[k] - limits_.lower[k]);
      } else {
        q[k] += 2.0 * (2.0 * stream.uniform() - 1.0);
      }
    }
    return q;
  }

  LineMotion motionOf(const Trace& trace, std::string origin) {
    LineMotion out{curveOf(trace.q), std::move(origin), 0.0, 0.0, ""};
    for (std::size_t i = 1; i < trace.q.size(); ++i) {
      out.seconds += (trace.q[i] - trace.q[i - 1]).cwiseQuotient(speed_).cwiseAbs().maxCoeff();
    }
    double worst = 0.0;
    int unclear = 0;
    for (std::size_t i = 0; i < trace.q.size(); ++i) {
      const Clearance c = evaluator_.atRest(trace.q[i], std::nullopt, workspace_);
      if (c.pair < 0 || c.upper >= c.demand) continue;
      ++unclear;
      if (c.upper - c.demand >= worst) continue;
      worst = c.upper - c.demand;
      out.contact = placeOf(i) + ", " + contactOf(c);
    }
    out.unclear = static_cast<double>(unclear) / static_cast<double>(trace.q.size());
    return out;
  }

  /// "62 % of the way (31.0 cm of 50.0 cm)".
  std::string placeOf(std::size_t station) const {
    const double share = stations_[station].share;
    std::string text = formatted("%.0f %% of the way", 100.0 * share);
    if (length_ > 0.0) {
      text += formatted(" (%.1f cm", 100.0 * share * length_) +
              formatted(" of %.1f cm)", 100.0 * length_);
    } else {
      text += formatted(" (%.2f rad", share * turn_) + formatted(" of %.2f rad)", turn_);
    }
    return text;
  }

 private:
  static constexpr double kFastest = 10.0;  ///< [rad/s or m/s] where a joint has no limit

  bool isBounded(int k) const {
    return std::isfinite(limits_.lower[k]) && std::isfinite(limits_.upper[k]);
  }

  std::string fastest(const VecX& step) const {
    Eigen::Index k = 0;
    step.cwiseQuotient(speed_).cwiseAbs().maxCoeff(&k);
    return jointName(static_cast<int>(k));
  }
  std::string jointName(int k) const {
    return "joint '" + problem_.robot->coordinates()[problem_.planned[k]].name + "'";
  }

  std::string contactOf(const Clearance& c) const {
    const CollisionModel& model = evaluator_.model();
    const std::string pair = "'" + model.bodies[model.pairs[c.pair].a].name + "' and '" +
                             model.bodies[model.pairs[c.pair].b].name + "' are ";
    if (c.upper < 0.0) return pair + formatted("%.4g m deep in each other", -c.upper);
    return pair + formatted("%.4g m apart, less than the margin of ", c.upper) +
           formatted("%.4g m", c.demand);
  }

  void makeStations() {
    const KeepOnLine& line = path_.line();
    for (const KeepOnLine::Stretch& stretch : line.stretches) {
      length_ += stretch.way_W.norm();
      turn_ += stretch.turn_W.norm();
    }
    const bool has_length = length_ > line.position_tolerance;
    if (!has_length) length_ = 0.0;
    double done = 0.0;
    const double whole = std::max(1e-12, has_length ? length_ : turn_);
    for (int i = 0; i < path_.count(); ++i) {
      const double way = line.stretches[i].way_W.norm(), turn = line.stretches[i].turn_W.norm();
      const double wanted = std::max(way / kStationWay, turn / kStationTurn);
      const int count = std::clamp(static_cast<int>(std::ceil(std::min(wanted, 1e6))),
                                   kFewestStations, kMostStations);
      const double part = (has_length ? way : turn) / whole;
      for (int k = i == 0 ? 0 : 1; k <= count; ++k) {
        const double u = smoothStep(static_cast<double>(k) / count);
        stations_.push_back({i, k == count ? 1.0 : u, done + u * part});
      }
      corners_.push_back(stations_.size() - 1);
      done += part;
    }
  }

  /// The errors of the line and of held poses at q, in shares of nothing: [m, rad]; and their rows.
  void measure(const Station& station, const VecX& q, VecX* e, MatX* J) {
    const KeepOnLine& line = path_.line();
    kinematics_.linkPoses(problem_.configuration(q), kinematic_workspace_, poses_);
    const Pose X_WP = poses_[line.link] * line.X_LP, target = path_.at(station.stretch, station.u);
    const int rows = std::isfinite(line.angle_tolerance) ? 6 : 3;
    kinematics_.pointJacobian(kinematic_workspace_, line.link, X_WP.p, whole_);
    e->setZero(rows);
    J->resize(rows, q.size());
    e->head<3>() = target.p - X_WP.p;
    if (rows == 6) e->tail<3>() = rotationVector(target.R * X_WP.R.transpose());
    for (int k = 0; k < q.size(); ++k) J->col(k) = whole_.col(problem_.planned[k]).head(rows);
    for (int constraint : held_.constraints()) {
      if (std::holds_alternative<KeepOnLine>(problem_.path_constraints[constraint])) continue;
      const HeldError error = held_.of(constraint, kinematics_, kinematic_workspace_, poses_, true);
      const int first = error.isPlaced() ? 0 : 3;
      const int count = (error.isPlaced() ? 3 : 0) + (error.isOriented() ? 3 : 0);
      const auto before = e->size();
      e->conservativeResize(before + count);
      J->conservativeResize(before + count, Eigen::NoChange);
      for (int i = 0; i < count; ++i) {
        const int row = first + i;
        (*e)[before + i] = row < 3 ? -error.position[row] : -error.turn[row - 3];
        J->row(before + i) = error.by_q.row(row);
      }
    }
  }

  double tolerance() const {
    const KeepOnLine& line = path_.line();
    return std::min(line.position_tolerance, line.angle_tolerance);
  }

  /// What the free motion is to do for the share `ahead` of the line.
  VecX freeMotion(const VecX& q, const VecX& posture, double ahead) const {
    VecX z = VecX::Zero(q.size());
    if (posture.size() > 0) z = kPull * ahead * (posture - q);
    for (int k = 0; k < q.size(); ++k) {
      if (!isBounded(k)) continue;
      const double zone = kLimitZone * (limits_.upper[k] - limits_.lower[k]);
      const double low = limits_.lower[k] + zone - q[k], high = q[k] - limits_.upper[k] + zone;
      if (low > 0.0) z[k] += kLimitPush * ahead * low;
      if (high > 0.0) z[k] -= kLimitPush * ahead * high;
    }
    return z;
  }

  /// The least step, in seconds at full speed, with J dq = e, plus what z does that J does not see.
  VecX step(const MatX& J, const VecX& e, const VecX& z, double* condition) const {
    const MatX scaled = J * speed_.asDiagonal();
    Eigen::JacobiSVD<MatX> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(kSingular);
    *condition =
        svd.singularValues().minCoeff() / std::max(1e-300, svd.singularValues().maxCoeff());
    const VecX w = z.cwiseQuotient(speed_);
    const VecX seen = scaled * w;
    return speed_.cwiseProduct(svd.solve(e - seen) + w);
  }

  /// Newton's steps onto a station. Joints that would leave their limits stay there, and the others
  /// solve for the rest.
  bool moveTo(const Station& station, double ahead, const VecX& posture, VecX* q,
              std::string* why) {
    VecX e;
    MatX J;
    double condition = 1.0;
    std::vector<bool> stopped(q->size(), false);
    for (int i = 0; i < kNewtonSteps; ++i) {
      measure(station, *q, &e, &J);
      if (!e.allFinite()) break;
      if (i > 0 && e.cwiseAbs().maxCoeff() <= kConverged * tolerance()) return true;
      const VecX z = i == 0 ? freeMotion(*q, posture, ahead) : VecX(VecX::Zero(q->size()));
      *q = stepped(J, e, z, *q, &stopped, &condition);
    }
    measure(station, *q, &e, &J);
    if (e.cwiseAbs().maxCoeff() <= kOnLine * tolerance()) return true;
    *why = reason(stopped, condition, *q);
    return false;
  }

  VecX stepped(MatX J, VecX e, VecX z, const VecX& q, std::vector<bool>* stopped,
               double* condition) const {
    VecX at_bounds = VecX::Zero(q.size());
    while (true) {
      const VecX dq = step(J, e, z, condition);
      bool is_within = true;
      for (int k = 0; k < q.size(); ++k) {
        if (J.col(k).isZero(0.0)) continue;
        const double next = q[k] + dq[k];
        if (!std::isfinite(next) || (next >= limits_.lower[k] && next <= limits_.upper[k]))
          continue;
        at_bounds[k] = std::clamp(next, limits_.lower[k], limits_.upper[k]) - q[k];
        e -= at_bounds[k] * J.col(k);
        J.col(k).setZero();
        z[k] = 0.0;
        (*stopped)[k] = true;
        is_within = false;
      }
      if (!is_within) continue;
      return (q + dq + at_bounds).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
    }
  }

  std::string reason(const std::vector<bool>& stopped, double condition, const VecX& q) const {
    std::string joints;
    for (int k = 0; k < q.size(); ++k) {
      const bool is_low = q[k] <= limits_.lower[k], is_high = q[k] >= limits_.upper[k];
      if (!stopped[k] || !(is_low || is_high)) continue;
      joints += (joints.empty() ? "" : " and ") + jointName(k) +
                formatted(" is at its limit %.4g", is_low ? limits_.lower[k] : limits_.upper[k]);
    }
    if (!joints.empty()) return joints + " there";
    if (condition < 1e-2) {
      return "the arm is stretched out or singular there, and cannot go on in this direction";
    }
    return "the inverse kinematics finds no posture there";
  }

  /// The stretches one after the other, each from rest to rest.
  HermiteCurve curveOf(const std::vector<VecX>& q) const {
    std::vector<HermiteCurve> parts;
    std::size_t first = 0;
    for (std::size_t last : corners_) {
      double seconds = 0.0;
      MatX rows(start_.size(), static_cast<Eigen::Index>(last - first + 1));
      for (std::size_t i = first; i <= last; ++i) {
        rows.col(static_cast<Eigen::Index>(i - first)) = q[i];
        if (i > first) seconds += (q[i] - q[i - 1]).cwiseQuotient(speed_).cwiseAbs().maxCoeff();
      }
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

  static HermiteCurve joined(const std::vector<HermiteCurve>& parts) {
    std::vector<double> times;
    Eigen::Index count = 1;
    for (const HermiteCurve& part : parts) count += part.spanCount();
    const int n = parts.front().dimension();
    MatX q(n, count), v = q, a = q;
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
      // Exactly at rest where two stretches meet.
      v.col(column - 1).setZero();
      a.col(column - 1).setZero();
    }
    return {std::move(times), std::move(q), std::move(v), std::move(a)};
  }

  const ClearanceEvaluator& evaluator_;
  const Problem& problem_;
  const Kinematics& kinematics_;
  const LinePath path_;
  const HeldErrors held_;
  const PlannedLimits limits_;
  Kinematics::Workspace kinematic_workspace_;
  ClearanceEvaluator::Workspace workspace_;
  const VecX start_;
  VecX speed_;
  std::vector<Station> stations_;
  std::vector<std::size_t> corners_;  ///< the last station of each stretch
  double length_ = 0.0, turn_ = 0.0;  ///< of the whole line
  std::vector<Pose> poses_;
  Jacobian whole_;
};

/// Traces choice after choice, and sorts what comes out.
class LineChoices {
 public:
  LineChoices(const ClearanceEvaluator& evaluator, const KeepOnLine& line,
              const RunContext& context)
      : context_(context), follower_(evaluator, line) {}

  LineMotions run(const VecX& start) {
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
    if (trace.reached == follower_.stationCount()) {
      out_.motions.push_back(follower_.motionOf(trace, origin));
    } else if (trace.reached >= farthest_) {
      farthest_ = trace.reached + 1;
      const std::size_t last = trace.reached > 0 ? trace.reached - 1 : 0;
      out_.fault = follower_.placeOf(last) + ": " + trace.why;
    }
  }

  const RunContext& context_;
  LineFollower follower_;
  LineMotions out_;
  std::size_t farthest_ = 0;
};

}  // namespace

LineMotions motionsAlong(const ClearanceEvaluator& evaluator, const KeepOnLine& line,
                         const RunContext& context) {
  const Problem& problem = evaluator.problem();
  return LineChoices(evaluator, line, context).run(problem.plannedPart(problem.start));
}

}  // namespace allclear
