// Joint names of a trajectory from a file: sound, and in the order of the robot's coordinates.
#include "allclear/trajectories/named_trajectory.h"

#include <algorithm>
#include <set>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

/// An empty matrix, of what a file does not give, stays empty.
MatX rowsInOrder(const MatX& rows, const std::vector<int>& order) {
  if (rows.size() == 0) return rows;
  MatX result(static_cast<Eigen::Index>(order.size()), rows.cols());
  for (std::size_t k = 0; k < order.size(); ++k) {
    result.row(static_cast<Eigen::Index>(k)) = rows.row(order[k]);
  }
  return result;
}

Trajectory coordinatesInOrder(const Trajectory& curve, const std::vector<int>& order) {
  if (const BSpline* spline = curve.bspline()) {
    return spline->withControl(rowsInOrder(spline->control(), order));
  }
  const HermiteCurve& rows = *curve.hermite();
  return HermiteCurve(rows.times(), rowsInOrder(rows.positions(), order),
                      rowsInOrder(rows.velocities(), order),
                      rowsInOrder(rows.accelerations(), order));
}

}  // namespace

Interpolation interpolationOf(const Trajectory& trajectory) {
  const HermiteCurve* rows = trajectory.hermite();
  if (rows == nullptr) return Interpolation::kSpline;
  static constexpr Interpolation kOf[] = {Interpolation::kLinear, Interpolation::kCubic,
                                          Interpolation::kQuintic};
  return kOf[rows->givenOrder()];
}

std::string describe(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kSpline:
      return "a B-spline";
    case Interpolation::kLinear:
      return "linear between rows of positions";
    case Interpolation::kCubic:
      return "cubic between rows of positions and velocities";
    case Interpolation::kQuintic:
      return "quintic between rows of positions, velocities and accelerations";
  }
  ALLCLEAR_ASSERT(false);
  return {};
}

void requireJointNames(const std::vector<std::string>& names, const InputPlace& place) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    const auto fail = [&](const std::string& message) {
      throw InputError({place.file, place.line, place.key, name}, message);
    };
    if (name.empty()) fail("a joint's name is empty");
    for (const char c : name) {  // names end up in messages and in files with one row per line
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        fail("a joint's name holds a control character");
      }
    }
    if (!seen.insert(name).second) fail("this joint appears twice");
  }
}

NamedTrajectory arranged(NamedTrajectory found, const std::vector<std::string>& expected,
                         const InputPlace& place) {
  ALLCLEAR_ASSERT(static_cast<int>(found.joint_names.size()) == found.trajectory.dimension());
  // Unknown names first: a misspelt joint is both unknown and missing, and the first message helps.
  for (const std::string& name : found.joint_names) {
    if (std::find(expected.begin(), expected.end(), name) == expected.end()) {
      throw InputError({place.file, place.line, place.key, name},
                       "no such joint is expected" + didYouMean(name, expected));
    }
  }
  for (const std::string& name : expected) {
    if (std::find(found.joint_names.begin(), found.joint_names.end(), name) ==
        found.joint_names.end()) {
      throw InputError({place.file, place.line, place.key, name}, "this joint is missing");
    }
  }
  return arrangedPart(std::move(found), expected);
}

NamedTrajectory arrangedPart(NamedTrajectory found, const std::vector<std::string>& wanted) {
  std::vector<int> order;
  for (const std::string& name : wanted) {
    const auto at = std::find(found.joint_names.begin(), found.joint_names.end(), name);
    ALLCLEAR_ASSERT(at != found.joint_names.end());
    order.push_back(static_cast<int>(at - found.joint_names.begin()));
  }
  return {coordinatesInOrder(found.trajectory, order),
          wanted,
          std::move(found.warnings),
          std::move(found.wrenches),
          std::move(found.assumptions),
          found.first_time};
}

}  // namespace allclear
