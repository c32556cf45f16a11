// The sections of a task that set numbers: collision, limits, duration, objective, balance, solver,
// output. A key that is not given leaves the default of its struct, so defaults stand in one place.
#include <algorithm>
#include <limits>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/shape.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// A margin of this [m] is rarely meant in metres: no arm moves among things that far apart.
constexpr double kWideMargin = 0.5;

constexpr double kHighestRate = 1e6;  // [Hz]: far above the rate of any controller

void warnOf(const Value& value, const char* what, Problem& problem) {
  problem.warnings.push_back(placeOf(value) + ": " + formatted("%.6g", value.number()) + what);
}

std::vector<std::string> bodyNames(const Problem& problem) {
  std::vector<std::string> names = linkNames(*problem.robot);
  for (const Obstacle& obstacle : problem.obstacles) names.push_back(obstacle.id);
  for (const AttachedObject& object : problem.attached) names.push_back(object.id);
  return names;
}

/// A name must be that of one body. If a link and an object share it, nothing tells which is meant.
void requireBody(const std::string& name, const Value& where,
                 const std::vector<std::string>& known) {
  const auto count = std::count(known.begin(), known.end(), name);
  if (count == 0) {
    where.fail("there is no link or object '" + name + "'" + didYouMean(name, known));
  }
  if (count > 1) where.fail("'" + name + "' names both a link and an object: rename the object");
}

/// Reads `{a: 0.01}` for a against everything, `{a: {b: 0.01}}` for one pair. A pair that is given
/// twice, in either order, is an error: which margin counts would be a guess.
void readPairMargins(const Value& section, const std::vector<std::string>& known,
                     std::vector<PairMargin>& out) {
  const auto add = [&](const std::string& a, const std::string& b, const Value& margin) {
    for (const PairMargin& other : out) {
      if ((other.a == a && other.b == b) || (other.a == b && other.b == a)) {
        margin.fail("the margin of this pair is given twice");
      }
    }
    out.push_back({a, b, margin.notNegative()});
  };
  // A typing error in a name would leave its pair with the general margin, unnoticed: names must be
  // known.
  for (const Value::Entry& first : section.entries()) {
    requireBody(first.key, first.value, known);
    if (!first.value.isMap()) {
      add(first.key, "", first.value);
      continue;
    }
    for (const Value::Entry& second : first.value.entries()) {
      requireBody(second.key, second.value, known);
      if (second.key == first.key) second.value.fail("a body has no margin to itself");
      add(first.key, second.key, second.value);
    }
  }
}

/// The words stand in the order of the enumeration.
GeometryMode readGeometryMode(const Value& value) {
  static const std::vector<std::string> kWords = {"auto", "capsule", "mesh", "primitive"};
  const auto it = std::find(kWords.begin(), kWords.end(), value.word(kWords));
  return static_cast<GeometryMode>(it - kWords.begin());
}

DistanceMode readDistanceMode(const Value& value) {
  static const std::vector<std::string> kWords = {"auto", "euclidean", "soft"};
  const auto it = std::find(kWords.begin(), kWords.end(), value.word(kWords));
  return static_cast<DistanceMode>(it - kWords.begin());
}

double scalingFactor(const Value& value) {
  const double factor = value.positive();
  if (factor > 1.0) value.fail("must not exceed 1");
  return factor;
}

/// A number caps all joints: those that the robot limits to less keep their own limit. A joint that
/// is named is meant, and what the robot cannot do is a mistake.
VecX readVelocityLimits(const Value& value, const RobotModel& robot) {
  // NaN, where the task gives none, compares as not above.
  VecX limits = readPerJoint(value, robot);
  for (int c = 0; c < robot.dimension(); ++c) {
    const Coordinate& joint = robot.coordinates()[c];
    if (!(limits[c] > joint.velocity)) continue;
    if (value.isScalar()) {
      limits[c] = joint.velocity;
    } else {
      value.need(joint.name)
          .fail("is above the robot's own limit " + formatted("%.9g", joint.velocity) +
                ": a task can only lower it");
    }
  }
  return limits;
}

/// YAML's word for infinity: no limit.
bool isUnlimited(const Value& value) {
  return value.isScalar() && !value.isNull() && !value.isNumber() && value.text() == ".inf";
}

VecX readJerkLimits(const Value& value, const RobotModel& robot) {
  constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  if (isUnlimited(value)) return VecX::Constant(robot.dimension(), kUnlimited);
  if (value.isScalar()) return readPerJoint(value, robot);
  VecX limits = VecX::Constant(robot.dimension(), std::numeric_limits<double>::quiet_NaN());
  for (const Value::Entry& entry : value.entries()) {
    limits[coordinateIndex(entry.key, entry.value, robot)] =
        isUnlimited(entry.value) ? kUnlimited : entry.value.positive();
  }
  return limits;
}

ObjectiveWeights objectiveNamed(const Value& value) {
  const std::string word = value.word({"min_time", "balanced", "smooth", "short"});
  if (word == "min_time") return ObjectiveWeights::minTime();
  if (word == "smooth") return ObjectiveWeights::smooth();
  return word == "short" ? ObjectiveWeights::shortest() : ObjectiveWeights::balanced();
}

/// The words stand in the order of the enumeration.
Improve readImprove(const Value& value) {
  static const std::vector<std::string> kWords = {"none", "some", "all"};
  const auto it = std::find(kWords.begin(), kWords.end(), value.word(kWords));
  return static_cast<Improve>(it - kWords.begin());
}

/// The words stand in the order of the enumeration.
Balance::Criterion readCriterion(const Value& value) {
  static const std::vector<std::string> kWords = {"zmp", "com", "forces"};
  const auto it = std::find(kWords.begin(), kWords.end(), value.word(kWords));
  return static_cast<Balance::Criterion>(it - kWords.begin());
}

}  // namespace

/// The words stand in the order of the enumeration.
MissingCollision readMissingCollision(const Value& task) {
  static const std::vector<std::string> kWords = {"error", "visual", "ignore"};
  const auto section = task.find("collision");
  const auto value = section ? section->find("missing") : std::nullopt;
  if (!value) return MissingCollision::kError;
  const auto it = std::find(kWords.begin(), kWords.end(), value->word(kWords));
  return static_cast<MissingCollision>(it - kWords.begin());
}

OpenMeshes readOpenMeshesOf(const Value& task) {
  const auto section = task.find("collision");
  const auto value = section ? section->find("open_meshes") : std::nullopt;
  return value ? readOpenMeshes(*value) : OpenMeshes::kShell;
}

/// What the robot does once the trajectory has ended.
void readAfter(const Value& task, Problem& problem) {
  const auto value = task.find("after");
  if (value && value->word({"rest", "unknown"}) == "unknown") problem.after = AfterEnd::kUnknown;
}

/// Margins and pairs by name: needs the scene, whose objects may be named.
void readCollision(const Value& task, Problem& problem) {
  const auto section = task.find("collision");
  if (!section) return;
  section->only({"geometry", "distance", "margin", "tolerance", "pair_margins", "end_margin",
                 "allowed", "leaves", "lands", "missing", "open_meshes"});
  const std::vector<std::string> known = bodyNames(problem);
  CollisionSettings& set = problem.collision;
  set.missing = readMissingCollision(task);
  if (const auto value = section->find("geometry")) set.geometry = readGeometryMode(*value);
  if (const auto value = section->find("distance")) set.distance = readDistanceMode(*value);
  if (const auto value = section->find("margin")) {
    set.margin = value->notNegative();
    if (set.margin >= kWideMargin)
      warnOf(*value, " m on all sides of every body: metres?", problem);
  }
  if (const auto value = section->find("tolerance")) {
    set.tolerance = value->positive();
    if (set.tolerance > set.margin && set.margin > 0.0) {
      warnOf(*value, " m is more than the margin: plans keep up to twice that beyond it", problem);
    }
  }
  if (const auto value = section->find("end_margin")) {
    const bool relaxes = value->word({"strict", "relax"}) == "relax";
    set.end_margin = relaxes ? EndMargin::kRelax : EndMargin::kStrict;
  }
  if (const auto value = section->find("pair_margins")) {
    readPairMargins(*value, known, set.pair_margins);
  }
  for (const auto& [key, pairs] :
       {std::pair("allowed", &set.allowed), std::pair("leaves", &set.leaves),
        std::pair("lands", &set.lands)}) {
    if (const auto value = section->find(key)) readPairs(*value, problem, pairs);
  }
}

void requireBodyOf(const Value& name, const Problem& problem) {
  requireBody(name.text(), name, bodyNames(problem));
}

/// Names must be known, or a misspelt one would leave its pair checked.
void readPair(const Value& pair, const Problem& problem, NamePairs* pairs) {
  if (!pair.isList() || pair.size() != 2) pair.fail("must be a pair of names [a, b]");
  for (const Value& name : pair.items()) requireBodyOf(name, problem);
  if (pair.at(0).text() == pair.at(1).text()) pair.fail("names one body twice");
  pairs->emplace_back(pair.at(0).text(), pair.at(1).text());
}

void readPairs(const Value& list, const Problem& problem, NamePairs* pairs) {
  for (const Value& pair : list.items()) readPair(pair, problem, pairs);
}

void readLimits(const Value& task, Problem& problem) {
  const auto section = task.find("limits");
  if (!section) return;
  section->only({"max_velocity_scaling_factor", "max_acceleration_scaling_factor", "velocity",
                 "acceleration", "jerk", "torque", "contact", "slow_down", "gaps"});
  // Factors scale what the robot's files say; accelerations and jerks, which URDF does not have,
  // are given outright. Velocities may be lowered.
  LimitSettings& set = problem.limits;
  if (const auto value = section->find("max_velocity_scaling_factor")) {
    set.max_velocity_scaling_factor = scalingFactor(*value);
  }
  if (const auto value = section->find("max_acceleration_scaling_factor")) {
    set.max_acceleration_scaling_factor = scalingFactor(*value);
  }
  if (const auto value = section->find("velocity")) {
    set.velocity = readVelocityLimits(*value, *problem.robot);
  }
  if (const auto value = section->find("acceleration")) {
    set.acceleration = readPerJoint(*value, *problem.robot);
  }
  if (const auto value = section->find("jerk")) set.jerk = readJerkLimits(*value, *problem.robot);
  if (const auto value = section->find("torque")) set.torque = value->boolean();
  readContactLimits(*section, problem);
}

/// Fixed, or between two bounds [s].
void readDuration(const Value& task, Problem& problem) {
  const auto section = task.find("duration");
  if (!section) return;
  if (!section->isMap()) {
    section->fail("must be a map: {fixed: 3} for a duration of 3 s, or {min: 1, max: 5}");
  }
  section->only({"min", "max", "fixed"});
  const auto min = section->find("min");
  const auto max = section->find("max");
  // A fixed duration is one whose least and greatest value are the same.
  if (const auto fixed = section->find("fixed")) {
    if (min || max) section->failAtKey("fixed", "give 'fixed', or 'min' and 'max', not both");
    problem.duration = {fixed->positive(), fixed->positive()};
    return;
  }
  if (min) problem.duration.min = min->positive();
  if (max) problem.duration.max = max->positive();
  if (problem.duration.min > problem.duration.max) {
    section->fail("the least duration, " + formatted("%f", problem.duration.min) +
                  " s, exceeds the greatest, " + formatted("%f", problem.duration.max) + " s");
  }
}

/// Weights of the cost, or a word that stands for some; 0 leaves a term out.
void readObjective(const Value& task, Problem& problem) {
  const auto section = task.find("objective");
  if (!section) return;
  if (!section->isMap()) {
    problem.objective = objectiveNamed(*section);
    return;
  }
  section->only({"duration", "velocity", "acceleration", "jerk", "torque"});
  ObjectiveWeights& weights = problem.objective;
  const auto read = [&](const char* key, double& weight) {
    if (const auto value = section->find(key)) weight = value->notNegative();
  };
  read("duration", weights.duration);
  read("velocity", weights.velocity);
  read("acceleration", weights.acceleration);
  read("jerk", weights.jerk);
  read("torque", weights.torque);
  // With no weight at all every trajectory would be as good as any other.
  if (weights.duration + weights.velocity + weights.acceleration + weights.jerk + weights.torque ==
      0.0) {
    section->fail("every weight is zero");
  }
}

/// [Hz]
double readRate(const Value& value) {
  const double rate = value.positive();
  if (rate > kHighestRate) value.fail("must be at most 1e6, a row for each microsecond");
  return rate;
}

ToolCsvSettings readToolCsv(const Value& section, const RobotModel& robot) {
  section.only({"file", "link", "offset", "rate"});
  ToolCsvSettings tool;
  tool.file = section.need("file").text();
  tool.link = robot.links()[readLink(section.need("link"), robot)].name;
  if (const auto offset = section.find("offset")) tool.X_LP = readPose(*offset);
  if (const auto rate = section.find("rate")) tool.rate = readRate(*rate);
  return tool;
}

/// The support polygon to stay in, or forces that carry the motion.
void readBalance(const Value& task, Problem& problem) {
  if (const auto section = task.find("balance")) {
    section->only({"support", "criterion", "margin"});
    // Without a support there is nothing to balance on: the contacts, where none is named.
    Balance balance;
    if (const auto support = section->find("support")) {
      balance.support_links = readLinks(*support, *problem.robot);
      if (balance.support_links.empty()) support->fail("must name a link");
    } else {
      if (problem.contacts.empty()) section->need("support");
      for (const Contact& contact : problem.contacts) {
        balance.support_links.push_back(contact.link);
      }
    }
    if (const auto value = section->find("criterion")) {
      balance.criterion = readCriterion(*value);
    }
    if (const auto value = section->find("margin")) balance.margin = value->notNegative();
    problem.balance = balance;
  }
}

PlanOptions readSolver(const Value& task) {
  PlanOptions options;
  const auto section = task.find("solver");
  if (!section) return options;
  section->only({"time_limit", "attempts", "seed", "threads", "spans", "improve"});
  if (const auto value = section->find("time_limit")) options.time_limit = value->positive();
  if (const auto value = section->find("attempts")) {
    options.attempts = static_cast<int>(value->integer(1, 1'000'000));
  }
  if (const auto value = section->find("seed")) {
    options.seed =
        static_cast<std::uint64_t>(value->integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  if (const auto value = section->find("threads")) {
    options.threads = static_cast<int>(value->integer(0, 1024));
  }
  if (const auto value = section->find("spans")) {
    options.spans = static_cast<int>(value->integer(0, 1000));
  }
  if (const auto value = section->find("improve")) options.improve = readImprove(*value);
  return options;
}

OutputSettings readOutput(const Value& task, const RobotModel& robot) {
  OutputSettings output;
  const auto section = task.find("output");
  if (!section) return output;
  section->only(
      {"csv", "rate", "trajectory", "certificate", "proof", "report", "ros2", "tool_csv"});
  const auto read = [&](const char* key, std::string& name) {
    if (const auto value = section->find(key)) name = value->text();
  };
  read("csv", output.csv);
  read("trajectory", output.trajectory);
  read("certificate", output.certificate);
  read("proof", output.proof);
  read("report", output.report);
  read("ros2", output.ros2);
  if (const auto value = section->find("rate")) output.rate = readRate(*value);
  if (const auto tool = section->find("tool_csv")) output.tool_csv = readToolCsv(*tool, robot);
  return output;
}

}  // namespace allclear
