// Follows a line by inverse kinematics.
//
// At each of the stations along the line Newton's steps put frame P onto the line's pose. With the
// rows J of the line (and of held poses) there, the step is
//
//     dq = J^+ e + (1 - J^+ J) z,
//
// the least one that takes the error e away, and a motion z of what the line leaves free
// (A. Liegeois, "Automatic supervisory control of the configuration and behavior of multibody
// mechanisms", IEEE Trans. SMC 1977): away from joint limits, and towards a posture. Joints are
// measured by their speed limits, so that slow ones move less.
//
// Stations are even in time under the smooth step 10 s^3 - 15 s^4 + 6 s^5 along each stretch.
#include "allclear/planner/seeds/line_follower.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/planner/problem/pose_error.h"

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
/// Below this share of the greatest singular value a posture is called singular.
constexpr double kNearlySingular = 1e-2;
/// Keeps quotients finite where there is nothing at all.
constexpr double kTiny = 1e-12;
/// A joint that moves farther than this from one station to the next [s at its speed limit] is
/// carried through a singularity.
constexpr double kLongestStep = 0.3;

/// How strongly the free motion leads to its posture: e^-3 of the way is left at the line's end.
constexpr double kPull = 3.0;
/// Nearer to its limits than this share of its range a joint is pushed away, so strongly.
constexpr double kLimitZone = 0.1;
constexpr double kLimitPush = 4.0;

constexpr int kMostSelfMotions = 3;
/// [rad or m] A joint without two limits is at random within this of the start.
constexpr double kUnboundedRange = 2.0;
/// [rad/s or m/s] A joint without a speed limit counts as this fast.
constexpr double kFastest = 10.0;

double smoothStep(double s) { return s * s * s * (10.0 - s * (15.0 - 6.0 * s)); }

}  // namespace

LineFollower::LineFollower(const Problem& problem, const Kinematics& kinematics,
                           const KeepOnLine& line)
    : problem_(problem),
      kinematics_(kinematics),
      path_(line),
      held_(problem),
      limits_(plannedLimits(problem)),
      workspace_(kinematics.makeWorkspace()),
      start_(problem.plannedPart(problem.start)),
      speed_(limits_.velocity.cwiseMin(kFastest)) {
  makeStations();
}

void LineFollower::makeStations() {
  const KeepOnLine& line = path_.line();
  for (const KeepOnLine::Stretch& stretch : line.stretches) {
    length_ += stretch.way_W.norm();
    turn_ += stretch.turn_W.norm();
  }
  // The share of a line without a length is by its turn.
  if (length_ <= line.position_tolerance) length_ = 0.0;
  const double whole = std::max(kTiny, length_ > 0.0 ? length_ : turn_);
  double done = 0.0;
  for (int i = 0; i < path_.count(); ++i) {
    const double way = line.stretches[i].way_W.norm(), turn = line.stretches[i].turn_W.norm();
    const double wanted = std::ceil(std::max(way / kStationWay, turn / kStationTurn));
    const int count =
        static_cast<int>(std::clamp(wanted, double{kFewestStations}, double{kMostStations}));
    const double part = (length_ > 0.0 ? way : turn) / whole;
    for (int k = i == 0 ? 0 : 1; k <= count; ++k) {
      const double u = k == count ? 1.0 : smoothStep(static_cast<double>(k) / count);
      stations_.push_back({i, u, done + u * part});
    }
    corners_.push_back(stations_.size() - 1);
    done += part;
  }
}

LineFollower::Trace LineFollower::trace(const VecX& posture) {
  Trace out;
  VecX q = start_;
  for (const Station& station : stations_) {
    const double ahead = out.q.empty() ? 0.0 : station.share - stations_[out.q.size() - 1].share;
    // Each station from the one before: what is open stays near what it was.
    const VecX before = q;
    if (!moveTo(station, ahead, posture, &q)) {
      out.why = reason(q);
      break;
    }
    if (secondsOf(q - before) > kLongestStep) {
      out.why = "it would have to pass a singular posture there, in which " + fastest(q - before) +
                " jumps";
      break;
    }
    out.q.push_back(q);
  }
  return out;
}

bool LineFollower::isBounded(int k) const {
  return std::isfinite(limits_.lower[k]) && std::isfinite(limits_.upper[k]);
}

std::string LineFollower::jointName(int k) const {
  return "joint '" + problem_.robot->coordinates()[problem_.planned[k]].name + "'";
}

std::string LineFollower::fastest(const VecX& step) const {
  Eigen::Index k = 0;
  step.cwiseQuotient(speed_).cwiseAbs().maxCoeff(&k);
  return jointName(static_cast<int>(k));
}

std::string LineFollower::placeOf(std::size_t station) const {
  const double share = stations_[station].share;
  const std::string percent = formatted("%.0f %% of the way", 100.0 * share);
  if (length_ > 0.0) {
    return percent + formatted(" (%.1f cm", 100.0 * share * length_) +
           formatted(" of %.1f cm)", 100.0 * length_);
  }
  return percent + formatted(" (%.2f rad", share * turn_) + formatted(" of %.2f rad)", turn_);
}

std::vector<VecX> LineFollower::selfMotions() {
  const MatX J = rowsAt(stations_.front(), start_).J;
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

VecX LineFollower::middle() const {
  VecX q = start_;
  for (int k = 0; k < q.size(); ++k) {
    if (isBounded(k)) q[k] = 0.5 * (limits_.lower[k] + limits_.upper[k]);
  }
  return q;
}

VecX LineFollower::random(RandomStream& stream) const {
  VecX q = start_;
  for (int k = 0; k < q.size(); ++k) {
    const double share = stream.uniform();
    if (isBounded(k)) {
      q[k] = limits_.lower[k] + share * (limits_.upper[k] - limits_.lower[k]);
    } else {
      q[k] += kUnboundedRange * (2.0 * share - 1.0);
    }
  }
  return q;
}

LineFollower::Rows LineFollower::rowsAt(const Station& station, const VecX& q) {
  const KeepOnLine& line = path_.line();
  kinematics_.linkPoses(problem_.configuration(q), workspace_, poses_);
  const Pose X_WP = poses_[line.link] * line.X_LP, target = path_.at(station.stretch, station.u);
  // The twist that carries P onto the line, as long as the orientation counts.
  const int count = std::isfinite(line.angle_tolerance) ? 6 : 3;
  kinematics_.pointJacobian(workspace_, line.link, X_WP.p, whole_);
  Rows rows{VecX(count), MatX(count, q.size())};
  rows.error.head<3>() = target.p - X_WP.p;
  if (count == 6) rows.error.tail<3>() = rotationVector(target.R * X_WP.R.transpose());
  for (int k = 0; k < q.size(); ++k) {
    rows.J.col(k) = whole_.col(problem_.planned[k]).head(count);
  }
  addHeldRows(&rows);
  return rows;
}

void LineFollower::addHeldRows(Rows* rows) {
  for (int constraint : held_.constraints()) {
    if (std::holds_alternative<KeepOnLine>(problem_.path_constraints[constraint])) continue;
    const HeldError off = held_.of(constraint, kinematics_, workspace_, poses_, true);
    const int first = off.isPlaced() ? 0 : 3, last = off.isOriented() ? 6 : 3;
    for (int row = first; row < last; ++row) {
      const auto count = rows->error.size();
      rows->error.conservativeResize(count + 1);
      rows->J.conservativeResize(count + 1, Eigen::NoChange);
      rows->error[count] = row < 3 ? -off.position[row] : -off.turn[row - 3];
      rows->J.row(count) = off.by_q.row(row);
    }
  }
}

double LineFollower::tolerance() const {
  return std::min(path_.line().position_tolerance, path_.line().angle_tolerance);
}

/// What the free motion is to do for the share `ahead` of the line.
VecX LineFollower::freeMotion(const VecX& q, const VecX& posture, double ahead) const {
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
VecX LineFollower::leastStep(const MatX& J, const VecX& e, const VecX& z) {
  const MatX scaled = J * speed_.asDiagonal();
  Eigen::JacobiSVD<MatX> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(kSingular);
  const auto& values = svd.singularValues();
  condition_ = values[values.size() - 1] / std::max(kTiny, values[0]);
  const VecX free = z.cwiseQuotient(speed_);
  return speed_.cwiseProduct(svd.solve(e - scaled * free) + free);
}

/// Newton's steps onto a station; the first one also has the free motion.
bool LineFollower::moveTo(const Station& station, double ahead, const VecX& posture, VecX* q) {
  stopped_.assign(q->size(), false);
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Rows rows = rowsAt(station, *q);
    if (!rows.error.allFinite()) return false;
    if (i > 0 && rows.error.cwiseAbs().maxCoeff() <= kConverged * tolerance()) return true;
    const VecX z = i == 0 ? freeMotion(*q, posture, ahead) : VecX(VecX::Zero(q->size()));
    *q = stepped(rows, z, *q);
  }
  return rowsAt(station, *q).error.cwiseAbs().maxCoeff() <= kOnLine * tolerance();
}

/// q after a step. Joints that would leave their limits stay there, and the others solve for the
/// rest: each pass takes at least one out, so that it ends.
VecX LineFollower::stepped(Rows rows, VecX z, const VecX& q) {
  VecX at_bounds = VecX::Zero(q.size());
  while (true) {
    const VecX dq = leastStep(rows.J, rows.error, z);
    bool is_within = true;
    for (int k = 0; k < q.size(); ++k) {
      const double next = q[k] + dq[k];
      const bool is_inside = next >= limits_.lower[k] && next <= limits_.upper[k];
      if (rows.J.col(k).isZero(0.0) || is_inside || !std::isfinite(next)) continue;
      // To its limit, and out of what is left to solve.
      at_bounds[k] = std::clamp(next, limits_.lower[k], limits_.upper[k]) - q[k];
      rows.error -= at_bounds[k] * rows.J.col(k);
      rows.J.col(k).setZero();
      z[k] = 0.0;
      stopped_[k] = true;
      is_within = false;
    }
    if (is_within) return (q + dq + at_bounds).cwiseMax(limits_.lower).cwiseMin(limits_.upper);
  }
}

/// Why the latest station was not reached.
std::string LineFollower::reason(const VecX& q) const {
  std::string joints;
  for (int k = 0; k < q.size(); ++k) {
    const bool is_low = q[k] <= limits_.lower[k], is_high = q[k] >= limits_.upper[k];
    if (!stopped_[k] || !(is_low || is_high)) continue;
    joints += (joints.empty() ? "" : " and ") + jointName(k) +
              formatted(" is at its limit %.4g", is_low ? limits_.lower[k] : limits_.upper[k]);
  }
  if (!joints.empty()) return joints + " there";
  if (condition_ < kNearlySingular) {
    return "the arm is stretched out or singular there, and cannot go on in this direction";
  }
  return "the inverse kinematics finds no posture there";
}

}  // namespace allclear
