// Checks of the path constraints, one method for each kind. Comparisons are written so that NaN
// fails them.
#include "allclear/planner/problem/path_findings.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

/// A direction counts as a unit vector when its length is this near to 1: rounding of a normalised
/// vector is 1e-16, and an angle measured with it is off by as much.
constexpr double kUnitLength = 1e-9;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string shown(double value) { return formatted("%.9g", value); }

class PathChecks {
 public:
  std::vector<Finding> run(const Problem& problem) {
    for (const PathConstraint& constraint : problem.path_constraints) {
      std::visit([this](const auto& keep) { check(keep); }, constraint);
    }
    return std::move(findings_);
  }

 private:
  void add(const std::string& what, const std::string& why, double value = kNone,
           double limit = kNone) {
    findings_.push_back({what, value, limit, what + ": " + why});
  }
  void checkPositive(const std::string& what, double value) {
    if (std::isfinite(value) && value > 0.0) return;
    add(what, shown(value) + " must be positive", value, 0.0);
  }
  /// Infinite tolerances are allowed: they leave the position or the orientation free, not both.
  void checkTolerances(double position, double angle) {
    if (!(position > 0.0)) {
      add("path constraint: position tolerance", shown(position) + " must be positive", position);
    }
    if (!(angle > 0.0)) {
      add("path constraint: angle tolerance", shown(angle) + " must be positive", angle);
    }
    if (std::isinf(position) && std::isinf(angle)) {
      add("path constraint", "leaves both position and orientation free");
    }
  }

  void check(const KeepAxis& axis) {
    checkPositive("path constraint: tolerance", axis.tolerance);
    if (!(std::abs(axis.axis_L.norm() - 1.0) < kUnitLength) ||
        !(std::abs(axis.direction_W.norm() - 1.0) < kUnitLength)) {
      add("path constraint", "axis and direction must be unit vectors");
    }
  }

  void check(const KeepInBox& box) {
    // A box without a volume could not be entered by a plan that keeps anything beyond its edge.
    for (int i = 0; i < 3; ++i) checkPositive("path constraint: box size", box.size[i]);
    if (!box.p_L.allFinite() || !box.X_WB.p.allFinite() || !box.X_WB.R.allFinite()) {
      add("path constraint", "its box or point is not finite");
    }
  }

  void check(const KeepPose& keep) {
    checkTolerances(keep.position_tolerance, keep.angle_tolerance);
    if (keep.relative_to == keep.link) add("path constraint", "holds a link relative to itself");
  }

  void check(const KeepOnLine& line) {
    checkTolerances(line.position_tolerance, line.angle_tolerance);
    if (!std::isfinite(line.position_tolerance)) {
      add("path constraint: position tolerance", "a line needs a finite one");
    }
    if (line.stretches.empty()) add("path constraint", "its line has no stretch");
    for (const KeepOnLine::Stretch& stretch : line.stretches) {
      const double turn = stretch.turn_W.norm();
      if (turn <= std::numbers::pi + kUnitLength) continue;
      add("path constraint: turn",
          shown(turn) + " rad must be at most half a turn; divide the stretch of its line", turn,
          std::numbers::pi);
    }
  }

  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> pathFindings(const Problem& problem) { return PathChecks().run(problem); }

}  // namespace allclear
