// Tasks and problems: read from files or text, or made in code; and what can be asked of a problem
// at rest. A problem in Python is a mutable object; whatever works on it later (a plan, a
// certificate) takes a copy.
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "allclear/config/task_file.h"
#include "allclear/planner/workcell.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

using SharedProblem = std::shared_ptr<Problem>;

const std::vector<std::pair<std::string, Improve>> kImprovements = {
    {"none", Improve::kNone}, {"some", Improve::kSome}, {"all", Improve::kAll}};
const std::vector<std::pair<std::string, EndMargin>> kEndMargins = {{"strict", EndMargin::kStrict},
                                                                    {"relax", EndMargin::kRelax}};
const std::vector<std::pair<std::string, GeometryMode>> kGeometries = {
    {"auto", GeometryMode::kAuto},
    {"capsule", GeometryMode::kCapsule},
    {"mesh", GeometryMode::kMesh},
    {"primitive", GeometryMode::kPrimitive}};
const std::vector<std::pair<std::string, ObjectiveWeights>> kObjectives = {
    {"min_time", ObjectiveWeights::minTime()},
    {"balanced", ObjectiveWeights::balanced()},
    {"smooth", ObjectiveWeights::smooth()},
    {"short", ObjectiveWeights::shortest()}};

SharedProblem toJoints(const Robot& robot, const std::string& group, const VecX& start,
                       const VecX& goal, const Scene& scene) {
  return std::make_shared<Problem>(makeProblem(robot, group, start, goal, scene));
}

/// One tolerance for all axes together, or one for each.
using Tolerance = std::variant<double, std::array<double, 3>>;

void setTolerance(const Tolerance& given, double& together, AxisBounds& axes) {
  if (const auto* one = std::get_if<double>(&given)) {
    together = *one;
    return;
  }
  together = std::numeric_limits<double>::infinity();
  const auto& each = std::get<std::array<double, 3>>(given);
  for (std::size_t k = 0; k < 3; ++k) {
    axes.most[static_cast<Eigen::Index>(k)] = each[k];
    axes.is_free[k] = std::isinf(each[k]);
  }
}

PoseTarget makeTarget(const Robot& robot, const std::string& link, const Pose& X_WP,
                      const Pose& X_LP, const Tolerance& position_tolerance,
                      const Tolerance& angle_tolerance, const std::vector<std::string>& free) {
  PoseTarget target = poseTarget(robot, link, X_WP, X_LP);
  setTolerance(position_tolerance, target.position_tolerance, target.position_axes);
  setTolerance(angle_tolerance, target.angle_tolerance, target.angle_axes);
  static const std::vector<std::pair<std::string, int>> kAxes = {{"x", 0},  {"y", 1},  {"z", 2},
                                                                 {"rx", 3}, {"ry", 4}, {"rz", 5}};
  for (const std::string& word : free) {
    const int axis = fromWord(word, kAxes, "free");
    AxisBounds& axes = axis < 3 ? target.position_axes : target.angle_axes;
    axes.is_free[static_cast<std::size_t>(axis % 3)] = true;
  }
  return target;
}

LookAtTarget makeLook(const Robot& robot, const std::string& link, const Vec3& axis,
                      const Vec3& point, const Pose& X_LP, double tolerance) {
  if (!(axis.norm() > 0.0)) throw InputError({"", 0, "axis", ""}, "must not be zero");
  return {robot.linkIndex(link), X_LP.p, (X_LP.R * axis).normalized(), point, tolerance};
}

/// Several poses and directions at once, near the problem's start.
Target makePosture(const Problem& problem, const std::vector<PoseTarget>& poses,
                   const std::vector<LookAtTarget>& looks) {
  return PostureTarget{poses,
                       {problem.planned, problem.plannedPart(problem.start)},
                       VecX::Ones(problem.plannedCount()),
                       looks};
}

/// Goals of which any would do; names may be empty.
Target makeAny(const std::vector<std::pair<std::string, Target>>& goals) {
  AnyTarget any;
  for (const auto& [name, goal] : goals) {
    GoalAlternative alternative{name, {}};
    std::visit(
        [&alternative](const auto& target) {
          if constexpr (std::is_same_v<std::decay_t<decltype(target)>, AnyTarget>) {
            throw InputError({"", 0, "goal", ""}, "alternatives cannot have alternatives");
          } else {
            alternative.target = target;
          }
        },
        goal);
    any.alternatives.push_back(std::move(alternative));
  }
  return any;
}

/// The planned coordinates of a waypoint that names some of them.
void addJointWaypoint(Problem& problem, const NamedValues& values, std::optional<double> time) {
  const Robot robot(problem.robot);
  std::map<int, double> by_index;
  for (const auto& [name, value] : values) by_index[robot.coordinateIndex(name)] = value;
  JointTarget target;
  target.values.resize(static_cast<Eigen::Index>(by_index.size()));
  for (const auto& [coordinate, value] : by_index) {
    target.values[static_cast<Eigen::Index>(target.coordinates.size())] = value;
    target.coordinates.push_back(coordinate);
  }
  problem.waypoints.push_back({std::move(target), time});
  chooseNearestTurns(problem);
}

void keepAxis(Problem& problem, const std::string& link, const Vec3& axis, const Vec3& direction,
              double tolerance) {
  const Robot robot(problem.robot);
  if (!(axis.norm() > 0.0) || !(direction.norm() > 0.0)) {
    throw InputError({"", 0, "axis, direction", ""}, "must not be zero");
  }
  problem.path_constraints.emplace_back(
      KeepAxis{robot.linkIndex(link), axis.normalized(), direction.normalized(), tolerance});
}

void keepInBox(Problem& problem, const std::string& link, const Vec3& point, const Pose& pose,
               const Vec3& size) {
  problem.path_constraints.emplace_back(
      KeepInBox{Robot(problem.robot).linkIndex(link), point, pose, size});
}

/// `relative_to`: a link, or empty for the world. Without `X_AP`, where the start has the frame.
void keepPose(Problem& problem, const std::string& link, const Pose& X_LP,
              const std::string& relative_to, const std::optional<Pose>& X_AP,
              double position_tolerance, double angle_tolerance) {
  const Robot robot(problem.robot);
  KeepPose keep;
  keep.link = robot.linkIndex(link);
  keep.X_LP = X_LP;
  if (!relative_to.empty()) keep.relative_to = robot.linkIndex(relative_to);
  const auto at_start = [&](const std::string& name) { return robot.pose(problem.start, name); };
  const Pose X_WA = relative_to.empty() ? Pose() : at_start(relative_to);
  keep.X_AP = X_AP ? *X_AP : X_WA.inverse() * at_start(link) * X_LP;
  keep.position_tolerance = position_tolerance;
  keep.angle_tolerance = angle_tolerance;
  problem.path_constraints.emplace_back(keep);
}

/// From where the start has the frame through the poses of the world; the last becomes the goal
/// where `is_goal` says so.
void keepOnLine(Problem& problem, const std::string& link, const std::vector<Pose>& poses,
                const Pose& X_LP, double position_tolerance, double angle_tolerance, bool is_goal) {
  if (poses.empty()) throw InputError({"", 0, "poses", ""}, "needs one pose or more");
  const Robot robot(problem.robot);
  KeepOnLine line;
  line.link = robot.linkIndex(link);
  line.X_LP = X_LP;
  line.X_WA = robot.pose(problem.start, link) * X_LP;
  std::vector<Pose> stops{line.X_WA};
  stops.insert(stops.end(), poses.begin(), poses.end());
  line.stretches = stretchesBetween(stops);
  line.position_tolerance = position_tolerance;
  line.angle_tolerance = angle_tolerance;
  if (is_goal) return goAlong(problem, std::move(line));
  problem.path_constraints.emplace_back(std::move(line));
}

/// A property that is a member of a member, such as the margin of the collision settings.
template <class Outer, class Value>
void addMember(py::class_<Problem, SharedProblem>& type, const char* name, Outer Problem::*outer,
               Value Outer::*member) {
  type.def_property(
      name, [=](const Problem& p) { return p.*outer.*member; },
      [=](Problem& p, Value value) { p.*outer.*member = value; });
}

py::list toList(const std::vector<PairClearance>& pairs) {
  py::list out;
  for (const PairClearance& p : pairs) out.append(py::make_tuple(p.a, p.b, p.distance, p.margin));
  return out;
}

py::dict checkOf(const SharedProblem& problem) {
  ProblemCheck check;
  {
    const py::gil_scoped_release release;
    check = checkProblem(*problem);
  }
  py::dict out;
  out["faults"] = check.faults;
  out["notes"] = check.notes;
  out["bodies"] = check.bodies;
  out["moving_pairs"] = check.moving_pairs;
  out["fixed_pairs"] = check.fixed_pairs;
  out["static_contacts"] = toList(check.static_contacts);
  for (const ProblemCheck::End& end : check.ends) out[end.name.c_str()] = toList(end.pairs);
  return out;
}

py::list pairsAt(const SharedProblem& problem, const VecX& q, double t) {
  std::vector<PairClearance> pairs;
  {
    const py::gil_scoped_release release;
    pairs = pairClearances(*problem, q, t);
  }
  return toList(pairs);
}

void addSettings(py::class_<Problem, SharedProblem>& type) {
  addMember(type, "margin", &Problem::collision, &CollisionSettings::margin);
  addMember(type, "tolerance", &Problem::collision, &CollisionSettings::tolerance);
  addMember(type, "velocity_scaling", &Problem::limits,
            &LimitSettings::max_velocity_scaling_factor);
  addMember(type, "acceleration_scaling", &Problem::limits,
            &LimitSettings::max_acceleration_scaling_factor);
  addMember(type, "torque_limits", &Problem::limits, &LimitSettings::torque);
  addMember(type, "min_duration", &Problem::duration, &DurationBounds::min);
  addMember(type, "max_duration", &Problem::duration, &DurationBounds::max);
  type.def_readwrite("name", &Problem::name)
      .def("set_objective",
           [](Problem& p, const std::string& word) {
             p.objective = fromWord(word, kObjectives, "objective");
           })
      .def("set_end_margin",
           [](Problem& p, const std::string& word) {
             p.collision.end_margin = fromWord(word, kEndMargins, "end_margin");
           })
      .def("leave", [](Problem& p, const std::string& a,
                       const std::string& b) { p.collision.leaves.emplace_back(a, b); })
      .def("land", [](Problem& p, const std::string& a,
                      const std::string& b) { p.collision.lands.emplace_back(a, b); })
      .def("set_geometry",
           [](Problem& p, const std::string& word) {
             p.collision.geometry = fromWord(word, kGeometries, "geometry");
           })
      .def("set_rests",
           [](Problem& p, bool rests) { p.after = rests ? AfterEnd::kRest : AfterEnd::kUnknown; })
      .def("set_pair_margin",
           [](Problem& p, const std::string& a, const std::string& b, double margin) {
             p.collision.pair_margins.push_back({a, b, margin});
           })
      .def("allow", [](Problem& p, const std::string& a,
                       const std::string& b) { p.collision.allowed.emplace_back(a, b); })
      .def("add_joint_waypoint", &addJointWaypoint)
      .def("add_waypoint",
           [](Problem& p, const TargetOf& target, std::optional<double> time) {
             p.waypoints.push_back({target.target, time});
           })
      .def("set_goal",
           [](Problem& p, const TargetOf& target) {
             p.goal = target.target;
             chooseNearestTurns(p);
           })
      .def("joint_target",
           [](const Problem& p, const VecX& q) {
             return TargetOf{JointTarget{p.planned, p.plannedPart(q)}};
           })
      .def("posture_target",
           [](const Problem& p, const std::vector<PoseTarget>& poses,
              const std::vector<LookAtTarget>& looks) {
             return TargetOf{makePosture(p, poses, looks)};
           })
      .def("keep_axis", &keepAxis)
      .def("keep_in_box", &keepInBox)
      .def("keep_pose", &keepPose)
      .def("keep_on_line", &keepOnLine)
      .def("set_start_velocity", [](Problem& p, const VecX& v) { p.start_velocity = v; })
      .def("set_start_acceleration", [](Problem& p, const VecX& a) { p.start_acceleration = a; });
}

void addOptions(py::module_& module) {
  py::class_<PlanOptions>(module, "PlanOptions", "How to solve (docs/task.md, `solver`).")
      .def(py::init<>())
      .def("__copy__", [](const PlanOptions& o) { return PlanOptions(o); })
      .def_readwrite("time_limit", &PlanOptions::time_limit)
      .def_readwrite("attempts", &PlanOptions::attempts)
      .def_readwrite("seed", &PlanOptions::seed)
      .def_readwrite("threads", &PlanOptions::threads)
      .def_readwrite("spans", &PlanOptions::spans)
      .def_property(
          "improve",
          [](const PlanOptions& o) {
            return kImprovements[static_cast<std::size_t>(o.improve)].first;
          },
          [](PlanOptions& o, const std::string& word) {
            o.improve = fromWord(word, kImprovements, "improve");
          });
  py::class_<OutputSettings>(module, "OutputSettings",
                             "Files to write; one with an empty name is not written.")
      .def(py::init<>())
      .def("__copy__", [](const OutputSettings& o) { return OutputSettings(o); })
      .def_readwrite("csv", &OutputSettings::csv)
      .def_readwrite("rate", &OutputSettings::rate)
      .def_readwrite("trajectory", &OutputSettings::trajectory)
      .def_readwrite("certificate", &OutputSettings::certificate)
      .def_readwrite("proof", &OutputSettings::proof)
      .def_readwrite("report", &OutputSettings::report)
      .def_readwrite("ros2", &OutputSettings::ros2);
}

/// Problem, options and output of a task.
py::tuple parts(Task task) {
  return py::make_tuple(std::make_shared<Problem>(std::move(task.problem)), task.options,
                        task.output);
}

py::tuple loaded(const std::filesystem::path& path, bool visuals) {
  Task task;
  {
    const py::gil_scoped_release release;
    task = loadTask(path, {.load_visuals = visuals});
  }
  return parts(std::move(task));
}

py::tuple parsed(const std::string& text, const std::filesystem::path& path, bool visuals) {
  Task task;
  {
    const py::gil_scoped_release release;
    task = parseTask(text, path, {.load_visuals = visuals});
  }
  return parts(std::move(task));
}

}  // namespace

void addProblem(py::module_& module) {
  py::class_<PoseTarget>(module, "PoseTarget");
  py::class_<LookAtTarget>(module, "LookAtTarget");
  py::class_<TargetOf>(module, "Target").def(py::init([](const PoseTarget& pose) {
    return TargetOf{pose};
  }));
  module.def("pose_target", &makeTarget);
  module.def("look_at_target", &makeLook);
  module.def("any_target", [](const std::vector<std::pair<std::string, TargetOf>>& goals) {
    std::vector<std::pair<std::string, Target>> targets;
    for (const auto& [name, goal] : goals) targets.emplace_back(name, goal.target);
    return TargetOf{makeAny(targets)};
  });
  py::class_<Problem, SharedProblem> type(module, "Problem");
  type.def_property_readonly("planned", [](const Problem& p) { return p.planned; })
      .def_property_readonly("joints", [](const Problem& p) { return plannedNames(p); })
      .def_property_readonly("robot",
                             [](const Problem& p) { return std::make_shared<Robot>(p.robot); })
      .def_property_readonly("group", [](const Problem& p) { return p.group; })
      .def_property_readonly("start", [](const Problem& p) { return p.start; })
      .def_property_readonly("goal",
                             [](const Problem& p) -> std::optional<VecX> {
                               const auto* joints = std::get_if<JointTarget>(&p.goal);
                               if (joints == nullptr) return std::nullopt;
                               VecX q = p.start;
                               for (std::size_t i = 0; i < joints->coordinates.size(); ++i) {
                                 q[joints->coordinates[i]] =
                                     joints->values[static_cast<Eigen::Index>(i)];
                               }
                               return q;
                             })
      .def_readonly("warnings", &Problem::warnings)
      .def_readonly("source_file", &Problem::source_file)
      .def("__copy__", [](const Problem& p) { return std::make_shared<Problem>(p); })
      .def("configuration", &Problem::configuration, py::arg("planned"))
      .def("pairs", &pairsAt, py::arg("q"), py::arg("t"))
      .def("check", &checkOf)
      .def("inverse_kinematics",
           [](const Problem& problem, const PoseTarget& target, double time_limit) {
             const py::gil_scoped_release release;
             PoseSolution solution = inverseKinematics(problem, target, time_limit);
             return std::pair{std::move(solution.q), std::move(solution.message)};
           })
      .def("least_distance", [](const Problem& problem, const NamedTrajectory& trajectory,
                                const std::string& a, const std::string& b, double tolerance) {
        const py::gil_scoped_release release;
        const LeastDistance least = leastDistance(problem, trajectory.trajectory, a, b, tolerance);
        return std::tuple{least.distance.lower, least.distance.upper, least.t};
      });
  addSettings(type);
  addOptions(module);
  module.def("problem_to_joints", &toJoints);
  module.def("load_task", &loaded, py::arg("path"), py::arg("visuals"));
  module.def("parse_task", &parsed, py::arg("text"), py::arg("path"), py::arg("visuals"));
}

}  // namespace allclear::python
