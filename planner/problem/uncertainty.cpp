// What a problem says of its own uncertainty: faults in it, how likely a Gaussian is to lie within
// an ellipsoid of so many standard deviations, and all of it in words, for verdicts.
#include "allclear/planner/problem/uncertainty.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "allclear/core/formatted.h"

namespace allclear {
namespace {

std::string thousandths(double value, const char* unit) {
  return formatted("%.4g %s", 1e3 * value, unit);
}

/// Things of one kind with their values in thousandths: the value that most of them have stands for
/// all, then come those that differ.
class ValueGroup {
 public:
  explicit ValueGroup(std::string all) : all_(std::move(all)) {}
  void add(const std::string& name, double value, const char* unit) {
    const std::string shown = value == 0.0 ? "0" : thousandths(value, unit);
    entries_.emplace_back(name, shown);
    ++counts_[shown];
  }
  /// "joints within 1 mrad, 'wrist' within 2 mrad"; empty when all are zero.
  std::string text() const {
    std::string common;
    int most = 0;
    for (const auto& [shown, count] : counts_) {
      if (count > most) common = shown;
      most = std::max(most, count);
    }
    if (most < 2) common = "0";  // nothing that stands for several: each has its name
    std::string text = common == "0" ? "" : all_ + " within " + common;
    for (const auto& [name, shown] : entries_) {
      if (shown == common) continue;
      text += (text.empty() ? "'" : ", '") + name + "' within " + shown;
    }
    return text;
  }

 private:
  std::string all_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::map<std::string, int> counts_;
};

/// Relative: how far from symmetric a covariance may be, and how far below 0 an eigenvalue that is
/// 0 comes out by rounding (`upperDisplacementReach` allows for both).
constexpr double kSymmetry = 1e-14;
/// Relative: an eigenvalue below counts for no dimension of its own. The probability is then said
/// to be that of fewer dimensions only where the ellipsoid is a millionth as thick as it is long.
constexpr double kZeroEigenvalue = 1e-12;

/// The greatest entry of a covariance [m^2]: a standard deviation of a kilometre.
constexpr double kGreatestCovariance = 1e6;

std::string shortNumber(double value, const char* format = "%.4g") {
  return formatted(format, value);
}

Vec3 eigenvaluesOf(const Mat3& C) {
  return Eigen::SelfAdjointEigenSolver<Mat3>(C, Eigen::EigenvaluesOnly).eigenvalues();
}

/// Written so that NaN is a fault.
std::string matrixFault(const Mat3& C) {
  const double size = C.cwiseAbs().maxCoeff();
  if (!(size <= kGreatestCovariance)) return "must be finite, and at most 1e6 m^2";
  if (!((C - C.transpose()).cwiseAbs().maxCoeff() <= kSymmetry * size)) return "must be symmetric";
  const double least = eigenvaluesOf(C)[0];
  if (least >= -kSymmetry * size) return "";
  return "must not have negative eigenvalues, has " + shortNumber(least);
}

int rankOf(const Mat3& C) {
  const Vec3 values = eigenvaluesOf(C);
  return static_cast<int>((values.array() > kZeroEigenvalue * values[2]).count());
}

/// The longest semi-axis of the ellipsoid at an instant, "90 mm".
std::string longestAxis(const PositionSpread& spread, double t) {
  return thousandths(std::sqrt(std::max(0.0, eigenvaluesOf(spread.at(t))[2])), "mm");
}

std::string spreadText(const PositionSpread& spread) {
  std::string text = " anywhere within " + shortNumber(spread.sigma) +
                     " standard deviations of its covariance, up to " +
                     longestAxis(spread, spread.knots.front().time);
  // Then how large it is, and when: at the first and the last instant that the task names.
  if (spread.changes()) {
    text += " at t = " + shortNumber(spread.knots.front().time) + " s";
    const double last = spread.knots.back().time;
    if (spread.knots.size() > 1) {
      text += " and " + longestAxis(spread, last) + " at t = " + shortNumber(last) + " s";
    }
    if (spread.growsWithoutEnd()) text += ", growing without end";
  }
  return text + " (a Gaussian is, at each instant, with a probability of " +
         (spread.changes() ? "at least " : "") +
         shortNumber(100.0 * probabilityWithin(spread), "%.2f") + " %)";
}

void addFinding(const std::string& what, double value, std::vector<Finding>* findings) {
  if (value >= 0.0 && std::isfinite(value)) return;
  findings->push_back({what, value, 0.0, what + ": must be finite and not negative"});
}

/// The planar or floating joint that carries the whole robot; null where the robot stands.
const Joint* movingBase(const RobotModel& robot) {
  for (const Joint& joint : robot.joints()) {
    if (joint.type != JointType::kPlanar && joint.type != JointType::kFloating) continue;
    int link = joint.parent_link;
    while (link > 0 && robot.joints()[robot.links()[link].parent_joint].type == JointType::kFixed) {
      link = robot.joints()[robot.links()[link].parent_joint].parent_link;
    }
    if (link <= 0) return &joint;
  }
  return nullptr;
}

/// Where a base moves by a joint of its own, "about the root's origin" is not what a person means.
void addBaseFinding(const Problem& problem, std::vector<Finding>* findings) {
  const double angle = problem.uncertainty.base_angle;
  const Joint* base = movingBase(*problem.robot);
  if (base == nullptr || angle == 0.0) return;
  const std::string what = "uncertainty of the base's angle";
  const char* turn = base->type == JointType::kPlanar ? "/angle" : "/yaw";
  findings->push_back(
      {what, angle, std::nan(""),
       what + ": would turn the robot about the world's origin, as '" + base->name +
           "' moves its base. Say how far the base's own angles may be off: joints: {" +
           base->name + turn + formatted(": %.6g}", angle)});
}

}  // namespace

// Written so that NaN is not zero.
bool Uncertainty::isZero() const {
  return (joints.array() == 0.0).all() && (obstacles.array() == 0.0).all() &&
         base_position == 0.0 && base_angle == 0.0;
}

bool isUncertain(const Problem& problem) {
  return !problem.uncertainty.isZero() ||
         std::any_of(problem.obstacles.begin(), problem.obstacles.end(),
                     [](const Obstacle& obstacle) { return !obstacle.spread.isEmpty(); });
}

std::string spreadFault(const PositionSpread& spread) {
  if (!(spread.sigma >= 0.0) || !std::isfinite(spread.sigma)) {
    return "sigma: must be finite and not negative, is " + shortNumber(spread.sigma);
  }
  // Negated comparisons, so that NaN is a fault.
  double previous = -std::numeric_limits<double>::infinity();
  for (const PositionSpread::Knot& knot : spread.knots) {
    if (!(knot.time > previous) || !std::isfinite(knot.time)) {
      return "covariance: times must be finite and ascend";
    }
    previous = knot.time;
    const std::string fault = matrixFault(knot.covariance);
    if (!fault.empty()) return "covariance: " + fault;
  }
  const std::string fault = matrixFault(spread.growth);
  return fault.empty() ? "" : "growth: " + fault;
}

/// With r the length of a standard Gaussian vector, P(r <= s): of one dimension erf(s / sqrt 2); of
/// two 1 - exp(-s^2 / 2); of three erf(s / sqrt 2) - sqrt(2 / pi) s exp(-s^2 / 2).
double probabilityWithin(double sigma, int dimensions) {
  const double gauss = std::exp(-0.5 * sigma * sigma);
  const double within = std::erf(sigma / std::numbers::sqrt2);
  switch (dimensions) {
    case 0:
      return 1.0;
    case 1:
      return within;
    case 2:
      return 1.0 - gauss;
    default:
      return within - std::sqrt(2.0 / std::numbers::pi) * sigma * gauss;
  }
}

/// Between two knots, and where it grows, a covariance is a sum with positive weights: it has the
/// dimensions of both.
double probabilityWithin(const PositionSpread& spread) {
  Mat3 sum = spread.growth;
  int most = 0;
  for (std::size_t i = 0; i < spread.knots.size(); ++i) {
    const Mat3& C = spread.knots[i].covariance;
    most = std::max(most, rankOf(i == 0 ? C : Mat3(C + spread.knots[i - 1].covariance)));
    sum = i + 1 == spread.knots.size() ? Mat3(sum + C) : sum;
  }
  return probabilityWithin(spread.sigma, std::max(most, rankOf(sum)));
}

std::vector<Finding> uncertaintyFindings(const Problem& problem) {
  const Uncertainty& uncertainty = problem.uncertainty;
  const auto isFor = [](const VecX& values, std::size_t count) {
    return values.size() == 0 || static_cast<std::size_t>(values.size()) == count;
  };
  std::vector<Finding> findings;
  // Without the right sizes the loops below would take names by an index that is not there.
  if (!isFor(uncertainty.joints, problem.robot->coordinates().size()) ||
      !isFor(uncertainty.obstacles, problem.obstacles.size())) {
    const std::string what = "uncertainty";
    const double none = std::nan("");
    return {{what, none, none, what + ": must have a value for every coordinate and obstacle"}};
  }
  for (int c = 0; c < uncertainty.joints.size(); ++c) {
    addFinding("uncertainty of joint '" + problem.robot->coordinates()[c].name + "'",
               uncertainty.joints[c], &findings);
  }
  for (int o = 0; o < uncertainty.obstacles.size(); ++o) {
    addFinding("uncertainty of obstacle '" + problem.obstacles[o].id + "'",
               uncertainty.obstacles[o], &findings);
  }
  for (const Obstacle& obstacle : problem.obstacles) {
    const std::string fault = spreadFault(obstacle.spread);
    if (fault.empty()) continue;
    const std::string what = "uncertainty of obstacle '" + obstacle.id + "'";
    findings.push_back({what, std::nan(""), std::nan(""), what + ": " + fault});
  }
  addFinding("uncertainty of the base's position", uncertainty.base_position, &findings);
  addFinding("uncertainty of the base's angle", uncertainty.base_angle, &findings);
  addBaseFinding(problem, &findings);
  return findings;
}

std::string uncertaintyText(const Problem& problem) {
  const Uncertainty& uncertainty = problem.uncertainty;
  ValueGroup turns("joints"), slides("sliding joints"), obstacles("obstacles");
  for (int c = 0; c < uncertainty.joints.size(); ++c) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    (coordinate.is_angle ? turns : slides)
        .add(coordinate.name, uncertainty.joints[c], coordinate.is_angle ? "mrad" : "mm");
  }
  for (int o = 0; o < uncertainty.obstacles.size(); ++o) {
    obstacles.add(problem.obstacles[o].id, uncertainty.obstacles[o], "mm");
  }
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  add(turns.text());
  add(slides.text());
  add(obstacles.text());
  // Obstacles of which the same is known in one sentence.
  std::map<std::string, std::string> names;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.spread.isEmpty()) continue;
    std::string& alike = names[spreadText(obstacle.spread)];
    alike += (alike.empty() ? "'" : ", '") + obstacle.id + "'";
  }
  for (const auto& [said, alike] : names) add(alike + said);
  if (uncertainty.base_position != 0.0 || uncertainty.base_angle != 0.0) {
    const std::string turn = uncertainty.base_angle == 0.0
                                 ? ""
                                 : " and " + thousandths(uncertainty.base_angle, "mrad") +
                                       " about the origin of '" +
                                       problem.robot->links().front().name + "'";
    add("base within " + thousandths(uncertainty.base_position, "mm") + turn);
  }
  return text;
}

std::string spreadSentence(const Problem& problem) {
  std::string names;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.spread.isEmpty()) continue;
    names += (names.empty() ? "'" : ", '") + obstacle.id + "'";
  }
  return names.empty() ? "" : " Distances to " + names + " are to all places within that.";
}

}  // namespace allclear
