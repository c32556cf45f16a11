// allclear ik: configurations of a task's robot that bring a link to a pose, clear of everything.
//
// The one nearest to the start is what `plan` would go to. With --all others follow, found near
// configurations drawn at random, the same at every call.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "allclear/apps/cache_options.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/configuration_options.h"
#include "allclear/apps/json_text.h"
#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/parallel.h"
#include "allclear/planner/posture/posture.h"

namespace allclear {
namespace {

/// References that --all draws. A six-axis arm has at most eight classes of solutions.
constexpr int kReferences = 48;
/// Solutions nearer to each other than this [rad or m] in every joint are one.
constexpr double kSame = 0.05;
/// A quaternion's length may be off by this.
constexpr double kUnit = 1e-3;

struct IkCommand {
  std::string task;
  std::string link;
  std::vector<double> position, rpy, orientation, offset, tolerance;
  bool all = false;
  bool json = false;
  double time_limit = 5.0;
  CacheOptions cache;
};

Vec3 vectorOf(const std::vector<double>& numbers) { return {numbers[0], numbers[1], numbers[2]}; }

Mat3 orientationOf(const IkCommand& command) {
  if (!command.rpy.empty()) return rotationFromRpy(vectorOf(command.rpy));
  if (command.orientation.empty()) return Mat3::Identity();
  const auto& q = command.orientation;
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(norm - 1.0) <= kUnit)) {
    throw InputError("--orientation: must be a unit quaternion X Y Z W");
  }
  const Vec3 v = Vec3(q[0], q[1], q[2]) / norm;
  const double angle = 2.0 * std::atan2(v.norm(), q[3] / norm);
  return v.norm() > 0.0 ? rotationAbout(v.normalized(), angle) : Mat3::Identity();
}

PoseTarget targetOf(const IkCommand& command, const Problem& problem) {
  constexpr double kFree = std::numeric_limits<double>::infinity();
  PoseTarget target;
  std::vector<std::string> names;
  for (const Link& link : problem.robot->links()) {
    if (link.name == command.link) target.link = static_cast<int>(names.size());
    names.push_back(link.name);
  }
  if (target.link < 0) {
    throw InputError({"", 0, "--link", command.link},
                     "there is no such link" + insteadOf(command.link, names));
  }
  const bool has_orientation = !command.rpy.empty() || !command.orientation.empty();
  if (command.position.empty() && !has_orientation) {
    throw InputError("give --position, --rpy or --orientation");
  }
  if (!command.tolerance.empty()) target.position_tolerance = command.tolerance[0];
  if (command.tolerance.size() > 1) target.angle_tolerance = command.tolerance[1];
  if (command.position.empty()) target.position_tolerance = kFree;
  if (!has_orientation) target.angle_tolerance = kFree;
  if (!command.position.empty()) target.X_WP.p = vectorOf(command.position);
  target.X_WP.R = orientationOf(command);
  if (!command.offset.empty()) target.X_LP.p = vectorOf(command.offset);
  if (command.offset.size() == 6) {
    target.X_LP.R = rotationFromRpy({command.offset[3], command.offset[4], command.offset[5]});
  } else if (command.offset.size() > 3) {
    throw InputError("--offset: must be X Y Z, or X Y Z ROLL PITCH YAW");
  }
  return target;
}

/// Somewhere within the limits; a coordinate without them, within half a turn or 1 m of the start.
VecX drawn(const Problem& problem, std::mt19937_64* random) {
  const PlannedLimits limits = plannedLimits(problem);
  const VecX start = problem.plannedPart(problem.start);
  VecX q(start.size());
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    const bool is_angle = problem.robot->coordinates()[problem.planned[k]].is_angle;
    const double reach = is_angle ? std::numbers::pi : 1.0;
    const double lower = std::isfinite(limits.lower[k]) ? limits.lower[k] : start[k] - reach;
    const double upper = std::isfinite(limits.upper[k]) ? limits.upper[k] : start[k] + reach;
    const double share = static_cast<double>((*random)() >> 11) * 0x1p-53;
    q[k] = lower + share * (upper - lower);
  }
  return q;
}

void addNew(const std::vector<Posture>& found, std::vector<VecX>* all) {
  for (const Posture& posture : found) {
    const bool is_known = std::any_of(all->begin(), all->end(), [&](const VecX& q) {
      return (q - posture.q).cwiseAbs().maxCoeff() < kSame;
    });
    if (!is_known) all->push_back(posture.q);
  }
}

/// The solution that `plan` would take, then others by their distance from the start.
std::vector<VecX> solutions(const Problem& problem, const PoseTarget& target,
                            const IkCommand& command, std::string* fault) {
  RunContext context;
  context.threads = threadCount(0);
  const RunContext ending = context.endingAfter(command.time_limit);
  // First as `plan` does; then from other references, in a fixed order.
  PostureTarget posture = postureTarget(problem, target);
  std::unique_ptr<ClearanceEvaluator> evaluator;
  std::vector<Posture> found = findPostures(problem, posture, ending, &evaluator);
  found.resize(std::min<std::size_t>(found.size(), 1));
  std::vector<VecX> all;
  addNew(found, &all);
  if (command.all) {
    std::mt19937_64 random(1);
    for (int i = 0; i < kReferences && !ending.mustEnd(); ++i) {
      posture.reference.values = drawn(problem, &random);
      addNew(findPostures(*evaluator, posture, ending), &all);
    }
  }
  if (all.empty()) *fault = postureFault(*evaluator, postureTarget(problem, target), ending);
  const VecX start = problem.plannedPart(problem.start);
  if (all.size() > 1) {
    std::sort(all.begin() + (found.empty() ? 0 : 1), all.end(), [&](const VecX& a, const VecX& b) {
      return (a - start).squaredNorm() < (b - start).squaredNorm();
    });
  }
  return all;
}

std::string nameOf(const Problem& problem, Eigen::Index k) {
  return problem.robot->coordinates()[problem.planned[k]].name;
}

/// As a task has a goal: `joint: value` lines, one block for each.
void printText(const Problem& problem, const std::vector<VecX>& all, const std::string& fault) {
  if (all.empty()) std::cout << "None found: " << fault << "\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() > 1) std::cout << "# " << i + 1 << " of " << all.size() << "\n";
    std::cout << "joint_constraints:\n";
    for (Eigen::Index k = 0; k < all[i].size(); ++k) {
      std::cout << "  " << nameOf(problem, k) << ": " << shownNumber(all[i][k]) << "\n";
    }
  }
}

void printJson(const Problem& problem, const std::vector<VecX>& all, const std::string& fault) {
  nlohmann::ordered_json out = {{"found", !all.empty()},
                                {"solutions", nlohmann::ordered_json::array()}};
  if (all.empty()) out["fault"] = fault;
  for (const VecX& q : all) {
    nlohmann::ordered_json joints;
    for (Eigen::Index k = 0; k < q.size(); ++k) joints[nameOf(problem, k)] = q[k];
    out["solutions"].push_back(joints);
  }
  std::cout << jsonText(out);
}

int runIk(const IkCommand& command) {
  // Of several motions: where the first one starts.
  const TaskOptions options{.covers = command.cache.covers(), .allow_segments = true};
  Problem problem = loadTask(command.task, options).problem;
  const PoseTarget target = targetOf(command, problem);
  problem.goal = target;
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
  std::string fault;
  const std::vector<VecX> all = solutions(problem, target, command, &fault);
  if (command.json) {
    printJson(problem, all, fault);
  } else {
    for (const std::string& warning : problem.warnings) std::cerr << "warning: " << warning << "\n";
    printText(problem, all, fault);
  }
  return all.empty() ? kNoPlan : kDone;
}

}  // namespace

void addIk(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "ik", "Find configurations that bring a link to a pose, clear of everything.");
  const auto options = std::make_shared<IkCommand>();
  command->add_option("task", options->task, "the task")->required()->type_name("TASK.yaml");
  command->add_option("--link", options->link, "the link to place")->required()->type_name("NAME");
  command->add_option("--position", options->position, "of the link in the world [m]")
      ->type_name("X Y Z")
      ->expected(3);
  CLI::Option* rpy = command->add_option("--rpy", options->rpy, "its roll, pitch and yaw [rad]")
                         ->type_name("R P Y")
                         ->expected(3);
  command->add_option("--orientation", options->orientation, "the same as a unit quaternion")
      ->type_name("X Y Z W")
      ->expected(4)
      ->excludes(rpy);
  command
      ->add_option("--offset", options->offset,
                   "place a frame on the link instead: X Y Z [m], then ROLL PITCH YAW [rad]")
      ->type_name("X Y Z")
      ->expected(3, 6);
  command
      ->add_option("--tolerance", options->tolerance,
                   "radius around the position [m], and angle left over [rad]")
      ->type_name("M RAD")
      ->expected(1, 2)
      ->check(positiveNumber());
  command->add_flag("--all", options->all,
                    "search for others besides the one nearest to the start");
  command->add_option("--time-limit", options->time_limit, "seconds at most")
      ->check(positiveNumber())
      ->type_name("S")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  options->cache.addTo(*command);
  command->callback([options, &exit_code] { exit_code = runIk(*options); });
}

}  // namespace allclear
