// What a file says of joints that are not planned: a proof is about the planned ones, with the
// others where the task holds them or where planned ones put them. A file that says something else
// is about another motion.
#include "allclear/config/values/beside_planned.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>
#include <optional>

#include "allclear/core/formatted.h"
#include "allclear/core/text/csv_table.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/certificate.h"

namespace allclear {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// A held joint that is so near to where the task holds it, relative to its size (at least 1), is
/// there: two texts of one double with ten digits differ by less. An arm's length away this is a
/// nanometre, far below what any margin resolves.
constexpr double kHeldTolerance = 1e-9;
/// The same of what follows from other columns: these are printed with six digits, and other
/// software computes in another order.
constexpr double kDerivedTolerance = 1e-6;

constexpr std::array<const char*, 3> kOrders = {"", "_velocity", "_acceleration"};

double toleranceAt(double value, double relative) {
  return relative * std::max(1.0, std::abs(value));
}

/// Where row `i` is: a CSV has a header, and then a line for each row.
InputPlace placeOfRow(const InputPlace& names, Eigen::Index i, const std::string& column,
                      double value) {
  const bool is_csv = names.key == "column";
  const int row = static_cast<int>(i);
  return {names.file, is_csv ? row + 2 : names.line,
          is_csv ? names.key : "point " + std::to_string(row + 1) + ", joint",
          column + " = " + formatted("%.9g", value)};
}

/// One value of a file against what the robot computes.
void requireDerived(const InputPlace& names, Eigen::Index i, const std::string& column,
                    double given, double computed, const std::string& from) {
  if (std::abs(given - computed) <= toleranceAt(computed, kDerivedTolerance)) return;
  throw InputError(placeOfRow(names, i, column, given),
                   formatted("contradicts the robot: it follows from %s, which put it at %.9g",
                             from.c_str(), computed) +
                       " (take the column out, or mend it)");
}

class Judge {
 public:
  Judge(const Problem& problem, JointMotion& found)
      : problem_(problem), found_(found), base_(derivedBaseColumns(problem, plannedPart())) {}

  /// The names that are no joint of the robot.
  std::vector<std::string> run() {
    const std::vector<std::string> planned = plannedNames(problem_);
    std::vector<std::string> unknown;
    const auto& names = found_.motion.joint_names;
    for (std::size_t row = 0; row < names.size(); ++row) {
      if (std::find(planned.begin(), planned.end(), names[row]) != planned.end()) continue;
      if (!judge(names[row], static_cast<int>(row))) unknown.push_back(names[row]);
    }
    return unknown;
  }

 private:
  /// False where the robot has no joint of this name.
  bool judge(const std::string& name, int row) {
    const RobotModel& robot = *problem_.robot;
    const auto at = std::find(base_.names.begin(), base_.names.end(), name);
    if (at != base_.names.end()) {
      judgeBase(name, row, at - base_.names.begin());
      return true;
    }
    if (const int c = robot.findCoordinate(name); c >= 0) {
      judgeHeld(name, row, c);
      return true;
    }
    const int joint = robot.findJoint(name);
    // Joints of several coordinates are not one number.
    if (joint < 0 || robot.joints()[joint].first_coordinate >= 0) return false;
    judgeFollower(robot.joints()[joint], row);
    return true;
  }

  /// A joint that the task holds stays there, or within the task's uncertainty: then less of that
  /// is left for the robot, which is said.
  void judgeHeld(const std::string& name, int row, int c) {
    // What the joint does at any instant, between rows too.
    const double held = problem_.start[c];
    const Trajectory& curve = found_.motion.trajectory;
    const Trajectory::Bounds range = curve.bounds(0, {0.0, curve.duration()});
    const double lower = range.lower[row], upper = range.upper[row];
    const VecX& strays = problem_.uncertainty.joints;
    const double off = std::max(held - lower, upper - held);
    if (off <= toleranceAt(held, kHeldTolerance)) return;
    const InputPlace& at = found_.names;
    if (c < strays.size() && off <= strays[c]) {
      const std::string text = "joint '" + name +
                               formatted("' is up to %.3g off where the task holds it", off) +
                               ", which counts as part of its uncertainty";
      found_.motion.warnings.push_back(at.file + ": " + text);
      found_.motion.assumptions.push_back(text);
      return;
    }
    throw InputError(
        {at.file, at.line, at.key, name},
        formatted("the task does not plan this joint and holds it at %.9g, but here it is between "
                  "%.9g and %.9g, up to %.3g away: start where it is (start_state), plan it "
                  "(group_name, joints), or say how far it may stray (uncertainty.joints)",
                  held, lower, upper, off));
  }

  /// A mimic joint goes with its leader, at every row with all its rates; others do not move.
  void judgeFollower(const Joint& joint, int row) {
    const HermiteCurve* curve = found_.motion.trajectory.hermite();
    if (curve == nullptr) return;  // control points come for the planned joints alone
    const MatX* rows[] = {&curve->positions(), &curve->velocities(), &curve->accelerations()};
    const int leader = joint.mimic ? joint.mimic->coordinate : -1;
    const int leader_row = leader >= 0 ? rowOf(problem_.robot->coordinates()[leader].name) : -1;
    const std::string from =
        leader >= 0 ? "joint '" + problem_.robot->coordinates()[leader].name + "'" : "the URDF";
    for (int order = 0; order <= curve->givenOrder(); ++order) {
      for (Eigen::Index i = 0; i < rows[order]->cols(); ++i) {
        double computed = 0.0;
        if (joint.mimic && order == 0) computed = joint.mimic->offset;
        if (leader_row >= 0) {
          computed += joint.mimic->multiplier * (*rows[order])(leader_row, i);
        } else if (leader >= 0 && order == 0) {
          computed += joint.mimic->multiplier * problem_.start[leader];
        }
        // A joint without end is where it is after whole turns too.
        const double given = (*rows[order])(row, i);
        if (joint.type == JointType::kContinuous && order == 0) {
          computed += kTurn * std::round(((*rows[0])(row, 0) - computed) / kTurn);
        }
        requireDerived(found_.names, i, joint.name + kOrders[order], given, computed, from);
      }
    }
  }

  /// The coordinate `k` of a base that the joints carry.
  void judgeBase(const std::string& name, int row, Eigen::Index k) {
    const HermiteCurve* curve = found_.motion.trajectory.hermite();
    if (curve == nullptr) return;
    for (Eigen::Index i = 0; i < curve->positions().cols(); ++i) {
      requireBase(found_.names, i, name, curve->positions()(row, i), k, base_.values(k, i));
    }
  }

 public:
  /// Angles are the same after whole turns.
  static void requireBase(const InputPlace& names, Eigen::Index i, const std::string& name,
                          double given, Eigen::Index k, double computed) {
    if (k >= 3) computed += kTurn * std::round((given - computed) / kTurn);
    requireDerived(names, i, name, given, computed, "the joints and the contact that it stands on");
  }

 private:
  int rowOf(const std::string& name) const {
    const auto& names = found_.motion.joint_names;
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? -1 : static_cast<int>(at - names.begin());
  }

  /// The rows of the planned joints; none where the file has control points.
  MatX plannedPart() const {
    const HermiteCurve* curve = found_.motion.trajectory.hermite();
    if (curve == nullptr) return MatX(problem_.plannedCount(), 0);
    MatX planned(problem_.plannedCount(), curve->positions().cols());
    for (int k = 0; k < problem_.plannedCount(); ++k) {
      const Coordinate& joint = problem_.robot->coordinates()[problem_.planned[k]];
      planned.row(k) = curve->positions().row(rowOf(joint.name));
    }
    return planned;
  }

  const Problem& problem_;
  JointMotion& found_;
  DerivedColumns base_;
};

/// Whether a column of this name most likely holds times.
bool isLikeTime(const std::string& name) {
  static const std::vector<std::string> kWords = {"t",     "ts",     "tsec",    "tms", "sec",
                                                  "secs",  "second", "seconds", "ms",  "millis",
                                                  "stamp", "nsecs",  "nanosec"};
  std::string letters;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte)) letters += static_cast<char>(std::tolower(byte));
  }
  return letters.starts_with("time") ||
         std::find(kWords.begin(), kWords.end(), letters) != kWords.end();
}

}  // namespace

std::vector<std::string> judgedBeside(const Problem& problem, JointMotion* found) {
  return Judge(problem, *found).run();
}

void judgeDerivedColumns(const Problem& problem, std::string_view csv, const std::string& file,
                         const Trajectory& motion) {
  if (motion.hermite() == nullptr) return;
  const DerivedColumns base = derivedBaseColumns(problem, motion.hermite()->positions());
  // Row by row, beside the rows of the motion.
  CsvTable table(csv, file, {.greatest = TrajectoryLimits::kGreatestValue});
  for (Eigen::Index i = 0; i < base.values.cols() && table.nextRow(); ++i) {
    for (std::size_t k = 0; k < base.names.size(); ++k) {
      const int column = table.indexOf(base.names[k]);
      if (column < 0) continue;
      const auto row = static_cast<Eigen::Index>(k);
      Judge::requireBase({file, 0, "column", ""}, i, base.names[k], table.number(column), row,
                         base.values(row, i));
    }
  }
}

void requireNoHiddenTimes(const JointMotion& found, const std::vector<std::string>& unknown,
                          bool is_csv) {
  if (found.is_timed) return;
  for (const std::string& name : unknown) {
    // In a CSV each column counts; messages may name joints of other robots.
    const bool is_time = isLikeTime(name);
    if (!is_time && !is_csv) continue;
    throw InputError(
        {found.names.file, found.names.line, found.names.key, name},
        std::string("is no joint of the robot") +
            (is_time ? " (did you mean 'time'?): without times"
                     : ": name it 'time' if it holds the times, else take it out; without times") +
            " this would be a path, not the motion that it is");
  }
}

}  // namespace allclear
