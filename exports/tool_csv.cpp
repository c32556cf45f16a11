// The tool's motion, sampled: for people and programs that think of the tool. No controller gets
// it, and nothing is proven of what lies between its lines.
#include <Eigen/Geometry>
#include <charconv>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/output_files.h"
#include "allclear/robot_models/robot.h"

namespace allclear {
namespace {

constexpr double kMostRows = 2e6;  // as of `output.rate`
/// Of a period: the last instant of the rate is left out when the end is as near as this.
constexpr double kSameInstant = 1e-6;

void append(double value, std::string* out) {
  char digits[40];
  out->append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// The robot's velocities: those of the planned coordinates, all others at rest.
VecX allVelocities(const Problem& problem, const VecX& planned) {
  VecX v = VecX::Zero(problem.robot->dimension());
  for (int k = 0; k < problem.plannedCount(); ++k) v[problem.planned[k]] = planned[k];
  return v;
}

}  // namespace

std::string formatToolCsv(const Problem& problem, const Trajectory& trajectory,
                          const ToolCsvSettings& tool) {
  const double T = trajectory.duration();
  if (!(T * tool.rate <= kMostRows)) {
    throw InputError({"", 0, "tool_csv.rate", formatted("%g", tool.rate)},
                     formatted("would make %.3g rows, more than %g", T * tool.rate, kMostRows));
  }
  // A quaternion and its negative are one orientation: the sign follows the line before.
  const Robot robot(problem.robot);
  std::string out = "time,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n";
  Eigen::Quaterniond before = Eigen::Quaterniond::Identity();
  const auto add = [&](double t) {
    const VecX q = problem.configuration(trajectory.value(t));
    const Pose X_WP = robot.pose(q, tool.link) * tool.X_LP;
    const VecX v =
        robot.jacobian(q, tool.link, tool.X_LP.p) * allVelocities(problem, trajectory.value(t, 1));
    Eigen::Quaterniond turn(X_WP.R);
    turn.normalize();
    if (turn.dot(before) < 0.0) turn.coeffs() *= -1.0;
    before = turn;
    append(t, &out);
    for (int i = 0; i < 13; ++i) {
      out += ',';
      append(i < 3 ? X_WP.p[i] : i < 7 ? turn.coeffs()[i - 3] : v[i - 7], &out);
    }
    out += '\n';
  };
  for (int i = 0; i < T * tool.rate - kSameInstant; ++i) add(i / tool.rate);
  add(T);
  return out;
}

}  // namespace allclear
