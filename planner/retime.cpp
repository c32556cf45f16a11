// A path becomes a motion: round its corners, find the pace, certify, and where the certificate
// finds too little room, round less.
//
//   rooms of all points = tolerance
//   repeat
//     motion = fastest motion along the path, rounded within the rooms
//     certify the motion, and that it follows the path
//     where it is not clear, lessen the rooms of the points near there, at last to 0: a rest
//   until it is certified, or nothing is left to lessen
//
// Only the certificate's word counts; all that decides here where to round less are hints. When
// nothing helps, the path itself is certified, without its pace: what is not clear there is the
// answer.
#include "allclear/planner/retime.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/retiming/given_path.h"
#include "allclear/planner/retiming/path_motion.h"
#include "allclear/planner/retiming/retime.h"
#include "allclear/planner/workcell.h"

namespace allclear {
namespace {

/// Of a room that was too much, what is tried next; a room below this share of the tolerance is
/// none.
constexpr double kLessRoom = 0.3;
constexpr double kLeastRoom = 2e-3;
/// [rad or m] What can be told of a path that is to be followed exactly, by its polynomials.
constexpr double kExactly = 1e-9;
/// [rad or m] The same of a curve: the polynomials between rows are another degree than its own.
constexpr double kExactlyCurved = 1e-4;
/// Waypoints are passed as near as this (`CertifiedLimitOptions::end_tolerance`).
constexpr double kAtWaypoint = 1e-6;
/// Shares of the torques' limits, then times as slow, that are tried while limits that are kept at
/// samples only are not kept.
constexpr double kTorqueShares[] = {0.99, 0.95, 0.85};
constexpr double kSlower = 1.15;
constexpr int kMostSlower = 8;
/// Of durations, what rounding to nanoseconds may take back.
constexpr double kRoundingOfTimes = 1e-6;
/// Motions that are tried before the path itself is looked at.
constexpr int kRoundsBeforeLooking = 3;
/// [s] Rows along a curve: at first, and no nearer.
constexpr double kFirstCurveStep = 0.02;
constexpr double kLeastCurveStep = 1e-3;
/// Of the way between two rows: nearer than this is at the row.
constexpr double kAtRow = 1e-9;
/// Instants of the path that are looked at for its worst place.
constexpr std::size_t kMostInstants = 400;

using Spans = std::vector<Interval>;

/// When pairs are not proven to keep their margins.
Spans unclearTimes(const Certificate& certificate, double margin) {
  Spans out;
  for (const CertificatePair& pair : certificate.pairs) {
    for (const CoverCell& cell : pair.cells) {
      if (!(cell.lower >= pair.relief.marginDuring(cell.time, pair.margin))) {
        out.push_back(cell.time);
      }
    }
  }
  if (!(certificate.minimum_clearance.upper >= margin)) {
    out.push_back({certificate.closest_t, certificate.closest_t});
  }
  return out;
}

bool keepsLimits(const Certificate& certificate) {
  return std::all_of(certificate.limits.begin(), certificate.limits.end(),
                     [](const CertifiedLimit& limit) { return limit.kept; });
}

/// Whether the motion was slowed down for a limit that the pace keeps at samples only.
bool wantsLess(const Certificate& certificate) {
  return std::any_of(
      certificate.limits.begin(), certificate.limits.end(), [](const CertifiedLimit& limit) {
        return !limit.kept && limit.quantity != "duration" && limit.quantity != "position";
      });
}

HermiteCurve slower(const HermiteCurve& rows, double factor) {
  std::vector<double> times = rows.times();
  for (double& t : times) t *= factor;
  MatX v = rows.velocities() / factor, a = rows.accelerations() / (factor * factor);
  return {std::move(times), rows.positions(), std::move(v), std::move(a)};
}

/// One retiming, with its rooms.
class PathRetimer {
 public:
  PathRetimer(const Problem& problem, GivenPath given, const RetimeOptions& options)
      : problem_(problem), given_(std::move(given)), options_(options) {
    const double exactly = given_.isSmooth() ? kExactlyCurved : kExactly;
    tolerance_ = std::max(options.tolerance, exactly);
    rooms_.assign(static_cast<std::size_t>(given_.points.cols()),
                  given_.room_share * options.tolerance);
    passWaypoints();
  }

  RetimedPath run() {
    for (out_.rounds = 1;; ++out_.rounds) {
      tryMotion();
      if (out_.certificate->clear) {
        out_.status = RetimeStatus::kCertified;
        out_.message = out_.certificate->message;
        return std::move(out_);
      }
      // A rounding may be clear where the path is not; but soon the path itself is worth a look.
      if (out_.rounds == kRoundsBeforeLooking) {
        explain();
        if (out_.status == RetimeStatus::kPathNotClear) return std::move(out_);
      }
      if (out_.rounds >= options_.rounds || !adapt()) break;
    }
    explain();
    return std::move(out_);
  }

  /// When `run` was stopped: the last motion that was tried to the end, if there is one.
  RetimedPath lastTried() { return std::move(out_); }

 private:
  /// A waypoint that the path has as a point is passed exactly.
  void passWaypoints() {
    for (const Waypoint& waypoint : problem_.waypoints) {
      const auto* target = std::get_if<JointTarget>(&waypoint.target);
      for (std::size_t i = 0; i < rooms_.size(); ++i) {
        if (target == nullptr || isAt(*target, static_cast<Eigen::Index>(i))) rooms_[i] = 0.0;
      }
    }
  }
  bool isAt(const JointTarget& target, Eigen::Index column) const {
    for (std::size_t n = 0; n < target.coordinates.size(); ++n) {
      const auto k = std::lower_bound(problem_.planned.begin(), problem_.planned.end(),
                                      target.coordinates[n]) -
                     problem_.planned.begin();
      if (std::abs(given_.points(k, column) - target.values[static_cast<Eigen::Index>(n)]) >
          kAtWaypoint) {
        return false;
      }
    }
    return true;
  }

  /// The motion with today's rooms and shares, and its certificate.
  void tryMotion() {
    HermiteCurve rows = given_.isSmooth() ? alongCurve() : alongPolyline();
    if (slower_ > 1.0) rows = slower(rows, slower_);
    motion_ = controllerRows(rows);
    Trajectory trajectory(*motion_);
    Certificate certificate = certify(problem_, trajectory, options_.certificate);
    certifyFollows(problem_, given_.path, tolerance_, &certificate);
    // Both or none: what comes first may be stopped.
    out_.trajectory = std::move(trajectory);
    out_.certificate = std::move(certificate);
  }

  HermiteCurve alongPolyline() {
    stretches_ = roundedPath(given_.points, rooms_);
    if (stretches_.empty()) throw InputError("the path stands still: all its points are one");
    out_.rests = static_cast<int>(stretches_.size()) - 1;
    PathMotion motion = fastestAlong(problem_, stretches_, {.torque_share = torque_share_});
    places_ = std::move(motion.places);
    times_ = motion.curve.times();
    return std::move(motion.curve);
  }

  HermiteCurve alongCurve() {
    const auto fast =
        retimed(problem_, given_.path,
                {.torque_share = torque_share_, .row_step = curve_step_, .most_rows = 4000});
    if (!fast) throw InputError("the path stands still, or no pace along it keeps the limits");
    return fast->curve;
  }

  /// Changes what the certificate's faults suggest; false when nothing is left to change.
  bool adapt() {
    const Certificate& certificate = *out_.certificate;
    const bool is_limit = !keepsLimits(certificate) && wantsLess(certificate) && useLess();
    const bool is_room =
        !given_.isSmooth() && lessenRooms(unclearTimes(certificate, problem_.collision.margin));
    const bool is_off = !certificate.follows && followNearer();
    return is_limit || is_room || is_off;
  }

  /// Rows at whole nanoseconds may exceed a limit by a millionth: that much slower is enough. What
  /// samples could not see takes more.
  bool useLess() {
    // By bounds over whole spans, which sampled limits do not give.
    const double needed = neededStretch(plannedLimits(problem_), *motion_);
    if (needed > 1.0 && needed < kSlower && slower_steps_ < kMostSlower) {
      ++slower_steps_;
      slower_ *= needed * (1.0 + kRoundingOfTimes);
      return true;
    }
    if (problem_.limits.torque && torque_step_ < std::size(kTorqueShares)) {
      torque_share_ = kTorqueShares[torque_step_++];
      return true;
    }
    if (slower_steps_ == kMostSlower) return false;
    ++slower_steps_;
    slower_ *= kSlower;
    return true;
  }

  /// A motion that is farther from its path than it was made for: nearer rows, or less rounding.
  bool followNearer() {
    if (given_.isSmooth()) {
      curve_step_ *= 0.5;
      return curve_step_ > kLeastCurveStep;
    }
    bool is_less = false;
    for (double& room : rooms_) is_less = lessen(&room) || is_less;
    return is_less;
  }

  bool lessen(double* room) const {
    if (*room == 0.0) return false;
    *room *= kLessRoom;
    if (*room < kLeastRoom * options_.tolerance) *room = 0.0;
    return true;
  }

  /// The pieces of the path that are moved along during `time`, and the points that shape them.
  bool lessenRooms(const Spans& unclear) {
    std::vector<char> is_near(rooms_.size(), 0);
    const auto placeAt = [&](double t) {
      const auto later = std::lower_bound(times_.begin(), times_.end(), t / slower_);
      return std::min<std::size_t>(static_cast<std::size_t>(later - times_.begin()),
                                   times_.size() - 1);
    };
    // A row before and after: the motion between rows belongs to both.
    for (const Interval& time : unclear) {
      const std::size_t first = placeAt(time.lower), last = placeAt(time.upper);
      for (std::size_t row = first > 0 ? first - 1 : 0; row <= last; ++row) {
        const PathMotion::Place& place = places_[row];
        const PathStretch& stretch = stretches_[static_cast<std::size_t>(place.stretch)];
        const int piece = stretch.pieceAt(place.s);
        for (int i : stretch.pieces[static_cast<std::size_t>(piece)].points) is_near[i] = 1;
      }
    }
    bool is_less = false;
    for (std::size_t i = 0; i < rooms_.size(); ++i) {
      if (is_near[i] != 0) is_less = lessen(&rooms_[i]) || is_less;
    }
    return is_less;
  }

  void explain();
  std::string worstPlace(const Certificate& of_path, const Trajectory& path) const;
  /// Whether the path is one of rows without times: its "times" are their numbers.
  bool isPolyline() const {
    const HermiteCurve* rows = given_.path.hermite();
    return rows != nullptr && rows->givenOrder() == 0;
  }
  std::string placeName(double t) const;

  const Problem& problem_;
  GivenPath given_;
  const RetimeOptions& options_;
  double tolerance_ = 0.0;
  std::vector<double> rooms_;  ///< by point of the polyline
  double torque_share_ = 1.0;
  std::size_t torque_step_ = 0;
  double slower_ = 1.0;
  int slower_steps_ = 0;
  double curve_step_ = kFirstCurveStep;
  std::vector<PathStretch> stretches_;
  std::vector<PathMotion::Place> places_;
  std::vector<double> times_;  ///< of the rows that have these places
  std::optional<HermiteCurve> motion_;
  RetimedPath out_;
};

/// "between rows 12 and 13 (at 0.4 of the way)", by the time of a polyline of one row per second.
std::string PathRetimer::placeName(double t) const {
  if (!isPolyline()) return formatted("at t = %.6g s of the path", t);
  const double row = std::floor(t), share = t - row;
  if (share < kAtRow) return formatted("at row %.0f of the path", row + 1.0);
  return formatted("between rows %.0f and %.0f of the path (at %.3g of the way)", row + 1.0,
                   row + 2.0, share);
}

/// The pair that is the nearest, beyond its margin, where the path is not proven clear.
std::string PathRetimer::worstPlace(const Certificate& of_path, const Trajectory& path) const {
  // Cells that are not proven say where to look; what is seen there is the answer.
  std::optional<PairClearance> worst;
  double at = 0.0;
  std::size_t looked_at = 0;
  for (const Interval& time : unclearTimes(of_path, problem_.collision.margin)) {
    if (++looked_at > kMostInstants) break;
    const double t = time.middle();
    const auto pair = closestPair(problem_, problem_.configuration(path.value(t)));
    if (!pair) continue;
    if (!worst || pair->distance - pair->margin < worst->distance - worst->margin) {
      worst = pair;
      at = t;
    }
  }
  if (!worst || !(worst->distance < worst->margin)) return "";
  return describe(*worst) + ", " + placeName(at);
}

/// Whether the path itself is at fault, at no pace.
void PathRetimer::explain() {
  out_.message = out_.certificate->message;
  if (unclearTimes(*out_.certificate, problem_.collision.margin).empty()) return;
  // Of obstacles that move a path without a pace does not know where they are.
  const auto& obstacles = problem_.obstacles;
  const bool moves = std::any_of(obstacles.begin(), obstacles.end(),
                                 [](const Obstacle& obstacle) { return obstacle.moves(); });
  if (moves) return;
  // The path as rows of a second each: only distances count there.
  const Trajectory path = isPolyline() ? polyline(given_.points) : given_.path;
  const Certificate of_path = certify(problem_, path, options_.certificate);
  const std::string worst = worstPlace(of_path, path);
  if (worst.empty()) return;
  out_.status = RetimeStatus::kPathNotClear;
  out_.message = "No motion: the path itself is not clear: " + worst + ". " + out_.message;
}

/// The end came in the midst of something: what was tried before is all there is.
void tellEnd(RetimeStatus status, double seconds, RetimedPath* out) {
  out->status = status;
  out->message = status == RetimeStatus::kInterrupted ? "Interrupted" : "Out of time";
  out->message += formatted(" after %.3g s: no motion is certified.", seconds);
  if (out->certificate) {
    out->message += " The last that was tried: " + out->certificate->message;
  }
}

}  // namespace

const char* retimeStatusName(RetimeStatus status) {
  static constexpr const char* kNames[] = {"certified", "path_not_clear", "not_certified",
                                           "timed_out", "interrupted"};
  return kNames[static_cast<int>(status)];
}

RetimedPath retime(const Problem& problem, const Trajectory& path, const RetimeOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  if (!(options.tolerance >= 0.0) || !std::isfinite(options.tolerance)) {
    throw InputError("the tolerance of a retiming must be finite and not negative");
  }
  if (!(options.time_limit > 0.0)) throw InputError("the time limit must be above 0");
  bool is_interrupted = false;
  std::optional<StopScope> scope;
  // Without an end of its own, that of the caller's scope counts.
  if (options.stop || std::isfinite(options.time_limit)) {
    scope.emplace([&] {
      is_interrupted = options.stop && options.stop();
      return is_interrupted || seconds() > options.time_limit;
    });
  }
  RetimedPath out;
  std::optional<PathRetimer> retimer;
  try {
    retimer.emplace(problem, givenPath(problem, path, options.tolerance), options);
    out = retimer->run();
  } catch (const Stopped&) {
    if (!scope) throw;
    const RetimeStatus status =
        is_interrupted ? RetimeStatus::kInterrupted : RetimeStatus::kTimedOut;
    if (retimer) out = retimer->lastTried();
    tellEnd(status, seconds(), &out);
  }
  out.seconds = seconds();
  return out;
}

RetimedPath retime(const Problem& problem, const MatX& path, const RetimeOptions& options) {
  if (path.cols() < 2) throw InputError("a path needs at least two points");
  if (!path.allFinite()) throw InputError("a path's numbers must be finite");
  return retime(problem, polyline(path), options);
}

}  // namespace allclear
