// The section `uncertainty`: how far joints, obstacles and base may be from where the plan has
// them.
#include <Eigen/Eigenvalues>

#include "allclear/config/task/sections.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/problem/uncertainty.h"

namespace allclear {
namespace {

constexpr const char* kDefault = "default";  ///< the key for all that are not named

/// Reads one number for all, or `{default: .., name: ..}`; what is neither named nor covered by a
/// default is certain. `indexOf` finds the place of a name, or fails.
template <class IndexOf>
VecX readByName(const Value& value, std::size_t count, const IndexOf& indexOf) {
  VecX out = VecX::Zero(static_cast<Eigen::Index>(count));
  if (!value.isMap()) {
    out.setConstant(value.notNegative());
    return out;
  }
  if (const auto all = value.find(kDefault)) out.setConstant(all->notNegative());
  for (const Value::Entry& entry : value.entries()) {
    if (entry.key != kDefault) out[indexOf(entry)] = entry.value.notNegative();
  }
  return out;
}

/// Of a matrix's size: what six digits in a file leave of symmetry and of eigenvalues that are 0 (a
/// digit's half in each entry, three of them in an eigenvalue).
constexpr double kDigits = 1e-5;

/// A covariance that rounded numbers make slightly unsymmetric or indefinite, mended upward: the
/// result minus the matrix meant has no negative eigenvalues beyond that rounding. Others stay as
/// they are and are refused later.
Mat3 withoutRounding(const Mat3& C) {
  const double size = C.cwiseAbs().maxCoeff();
  if (!((C - C.transpose()).cwiseAbs().maxCoeff() <= kDigits * size)) return C;
  const Mat3 S = 0.5 * (C + C.transpose());
  const double least =
      Eigen::SelfAdjointEigenSolver<Mat3>(S, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (!(least < 0.0 && least >= -kDigits * size)) return S;
  return S - least * Mat3::Identity();
}

/// Six numbers [xx, yy, zz, xy, xz, yz], or three rows of three.
Mat3 readCovariance(const Value& value) {
  Mat3 C;
  const std::vector<Value> items = value.items();
  if (items.size() == 3 && items[0].isList()) {
    for (int row = 0; row < 3; ++row) C.row(row) = items[row].vector3().transpose();
    return withoutRounding(C);
  }
  const Eigen::Matrix<double, 6, 1> x =
      value.numbers(6, "[xx, yy, zz, xy, xz, yz] or three rows of three");
  C << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
  return withoutRounding(C);
}

/// A covariance, or a list of `{time: .., covariance: ..}`.
std::vector<PositionSpread::Knot> readKnots(const Value& value) {
  const std::vector<Value> items = value.items();
  if (items.empty() || !items[0].isMap()) return {{0.0, readCovariance(value)}};
  std::vector<PositionSpread::Knot> knots;
  for (const Value& item : items) {
    item.only({"time", "covariance"});
    knots.push_back({item.need("time").number(), readCovariance(item.need("covariance"))});
  }
  return knots;
}

/// Where an obstacle may be: `{covariance: .., sigma: .., frame: .., growth: .., until: ..}`.
PositionSpread readSpread(const Value& value) {
  PositionSpread spread;
  spread.knots = readKnots(value.need("covariance"));
  if (const auto sigma = value.find("sigma")) spread.sigma = sigma->notNegative();
  if (const auto frame = value.find("frame")) {
    spread.in_obstacle = frame->word({"world", "obstacle"}) == "obstacle";
  }
  if (const auto growth = value.find("growth")) spread.growth = readCovariance(*growth);
  if (const auto until = value.find("until")) {
    // The growth ends there: one more knot instead.
    const PositionSpread::Knot last = spread.knots.back();
    const double time = until->number();
    if (!value.find("growth")) until->fail("needs `growth`, which it ends");
    if (!(time > last.time)) until->fail("must be later than the covariance's last time");
    spread.knots.push_back({time, last.covariance + (time - last.time) * spread.growth});
    spread.growth.setZero();
  }
  const std::string fault = spreadFault(spread);
  if (!fault.empty()) value.fail(fault);
  return spread;
}

/// An obstacle's entry: a number [m], or a map with a covariance, to which `distance` adds a
/// number.
double readObstacle(const Value& value, PositionSpread* spread) {
  if (!value.isMap()) return value.notNegative();
  value.only({"covariance", "sigma", "frame", "growth", "until", "distance"});
  *spread = readSpread(value);
  const auto distance = value.find("distance");
  return distance ? distance->notNegative() : 0.0;
}

int obstacleIndex(const Value::Entry& entry, const Problem& problem) {
  std::vector<std::string> known;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.id == entry.key) return static_cast<int>(known.size());
    known.push_back(obstacle.id);
  }
  entry.value.fail("there is no obstacle '" + entry.key + "'" + didYouMean(entry.key, known));
}

/// One number for all, or entries by name; `default` is for those not named.
void readObstacles(const Value& value, Problem& problem) {
  VecX& within = problem.uncertainty.obstacles;
  within = VecX::Zero(static_cast<Eigen::Index>(problem.obstacles.size()));
  if (!value.isMap()) {
    within.setConstant(value.notNegative());
    return;
  }
  // Those that are named first, then the default for the others.
  std::vector<bool> is_named(problem.obstacles.size(), false);
  for (const Value::Entry& entry : value.entries()) {
    if (entry.key == kDefault) continue;
    const int o = obstacleIndex(entry, problem);
    is_named[o] = true;
    within[o] = readObstacle(entry.value, &problem.obstacles[o].spread);
  }
  const auto all = value.find(kDefault);
  for (std::size_t o = 0; all && o < is_named.size(); ++o) {
    if (!is_named[o]) within[o] = readObstacle(*all, &problem.obstacles[o].spread);
  }
}

}  // namespace

/// Names must be known, or a misspelt one would leave its joint certain, unnoticed.
void readUncertainty(const Value& task, Problem& problem) {
  const auto section = task.find("uncertainty");
  if (!section) return;
  section->only({"joints", "obstacles", "base"});
  Uncertainty& uncertainty = problem.uncertainty;
  if (const auto joints = section->find("joints")) {
    uncertainty.joints =
        readByName(*joints, problem.robot->coordinates().size(), [&](const Value::Entry& entry) {
          return coordinateIndex(entry.key, entry.value, *problem.robot);
        });
  }
  if (const auto obstacles = section->find("obstacles")) {
    readObstacles(*obstacles, problem);
  }
  const auto base = section->find("base");
  if (!base) return;
  // A plain number is of the position: the base then stands at its angle exactly.
  if (!base->isMap()) {
    uncertainty.base_position = base->notNegative();
    return;
  }
  base->only({"position", "angle"});
  if (const auto value = base->find("position")) uncertainty.base_position = value->notNegative();
  if (const auto value = base->find("angle")) uncertainty.base_angle = value->notNegative();
}

}  // namespace allclear
