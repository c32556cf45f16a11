#include "allclear/planner/program/trajectory_program.h"

#include <gtest/gtest.h>

#include <map>

#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"
#include "support/example_arm.h"
#include "support/random_robot.h"
#include "support/standing_robot.h"

namespace allclear {
namespace {

Problem exampleProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.2, 0.6, 0.1, 1.2, -0.1, 0.8, 0.2;
  VecX goal(7);
  goal << 1.0, 0.8, -0.1, 1.0, 0.1, -0.3, 0.0;
  problem.goal = JointTarget{problem.planned, goal};
  problem.obstacles.push_back(
      {"post", {Mat3::Identity(), {0.6, 0.0, 0.5}}, {{Box({0.1, 0.1, 1.0}), {}}}, {}});
  problem.obstacles.push_back(
      {"ball", {Mat3::Identity(), {0.5, 0.4, 0.9}}, {{Sphere(0.1), {}}}, {}});
  return problem;
}

BSpline straightLine(const Problem& problem, const VecX& goal, double duration, int spans) {
  const VecX start = problem.plannedPart(problem.start);
  const int count = spans + 5;
  MatX control(start.size(), count);
  for (int l = 0; l < count; ++l) {
    const double s = std::clamp((l - 2.0) / (count - 5.0), 0.0, 1.0);
    control.col(l) = start + s * (goal - start);
  }
  return BSpline(control, duration);
}

/// Compares gradients with central differences at x; clearance rows only where they are smooth. The
/// Hessian leaves out the curvature of clearances and of the last `pose_rows` rows before them.
void probe(TrajectoryProgram& program, const VecX& x, int pose_rows, int wrench_variables = 0) {
  const int n = static_cast<int>(x.size());
  const auto entries = program.jacobianEntries();
  const auto hessian_entries = program.hessianEntries();
  const int m = static_cast<int>(program.bounds().g_lower.size());
  VecX values(static_cast<Eigen::Index>(entries.size()));
  VecX gradient(n);
  program.setPoint(x);
  program.costGradient(gradient);
  program.jacobian(values);
  MatX J = MatX::Zero(m, n);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    J(entries[e].row, entries[e].column) += values[static_cast<Eigen::Index>(e)];
  }
  const int clearance_rows = static_cast<int>(program.rows().size());
  VecX multipliers = VecX::Zero(m);
  for (int r = 0; r < m - clearance_rows - pose_rows; ++r) multipliers[r] = std::sin(1.0 + r);
  VecX h(static_cast<Eigen::Index>(hessian_entries.size()));
  program.hessian(0.7, multipliers, h);
  MatX H = MatX::Zero(n, n);
  for (std::size_t e = 0; e < hessian_entries.size(); ++e) {
    const auto [row, column] = hessian_entries[e];
    H(row, column) += h[static_cast<Eigen::Index>(e)];
    if (row != column) H(column, row) += h[static_cast<Eigen::Index>(e)];
  }

  struct Sample {
    double cost;
    VecX g;
    VecX lagrangian;  ///< gradient of 0.7 cost + multipliers . g over the smooth rows
  };
  const auto at = [&](const VecX& y) {
    Sample s{0.0, VecX(m), VecX(n)};
    program.setPoint(y);
    s.cost = program.cost();
    program.constraints(s.g);
    program.costGradient(s.lagrangian);
    s.lagrangian *= 0.7;
    VecX v(static_cast<Eigen::Index>(entries.size()));
    program.jacobian(v);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      s.lagrangian[entries[e].column] +=
          multipliers[entries[e].row] * v[static_cast<Eigen::Index>(e)];
    }
    return s;
  };
  int smooth = 0;
  for (int i = 0; i < n; ++i) {
    VecX e = VecX::Zero(n);
    e[i] = 1e-5;
    const Sample up = at(x + e), down = at(x - e), up2 = at(x + 2 * e), down2 = at(x - 2 * e);
    // Five points: error of fourth order.
    const auto slope = [&](auto f) {
      return (8.0 * (f(up) - f(down)) - (f(up2) - f(down2))) / (12.0 * 1e-5);
    };
    EXPECT_NEAR(gradient[i], slope([](const Sample& s) { return s.cost; }),
                1e-6 * (1.0 + std::fabs(gradient[i])));
    for (int r = 0; r < m; ++r) {
      const double difference = slope([&](const Sample& s) { return s.g[r]; });
      if (r >= m - clearance_rows) {
        // One-sided slopes that disagree: t_star or the witness jumps here.
        const double left = (up.g[r] - up2.g[r]) / -1e-5, right = (down2.g[r] - down.g[r]) / -1e-5;
        if (std::fabs(left - right) > 1e-3) continue;
        ++smooth;
      }
      EXPECT_NEAR(J(r, i), difference, 1e-6 * (1.0 + std::fabs(J(r, i))))
          << "row " << r << " of " << m << " variable " << i;
    }
    for (int k = 0; k < n; ++k) {
      double difference = slope([&](const Sample& s) { return s.lagrangian[k]; });
      const bool is_wrench = i >= n - wrench_variables;
      if (k == i && is_wrench) difference += TrajectoryProgram::kWrenchCurvature;
      EXPECT_NEAR(H(k, i), difference, 1e-5 * (1.0 + std::fabs(H(k, i)))) << k << " " << i;
    }
  }
  if (clearance_rows > 0) {
    EXPECT_GT(smooth, n * clearance_rows / 2);
  }
}

/// Everything within 0.1 m of its margin along the curve.
std::vector<Clearance> nearAlong(const ClearanceEvaluator& evaluator, const BSpline& curve) {
  ClearanceEvaluator::Workspace workspace(evaluator);
  std::vector<Clearance> near;
  for (int s = 0; s < curve.spanCount(); ++s) {
    evaluator.nearPairs(curve.span(s), s, 0.1, 1e-4, workspace, &near);
  }
  return near;
}

TEST(TrajectoryProgram, GradientsAgreeWithDifferencesFarNearAndInContact) {
  const Problem problem = exampleProblem();
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  test::Random random(31);
  for (int draw = 0; draw < 3; ++draw) {
    BSpline curve = straightLine(problem, goal, 2.0, 8);
    MatX control = curve.control();
    for (int l = 3; l < control.cols() - 3; ++l) control.col(l) += random.vectorX(7, 0.2 * draw);
    curve = curve.withControl(control);
    TrajectoryProgram program(evaluator, curve, {.clearance_target = 1e-4, .ceiling = 0.3});
    const std::vector<Clearance> near = nearAlong(evaluator, curve);
    std::vector<ClearanceRow> rows;
    for (const Clearance& c : near) rows.push_back({c.pair, c.span});
    ASSERT_FALSE(rows.empty());
    rows.resize(std::min<std::size_t>(rows.size(), 6));
    program.setRows(rows);
    probe(program, program.pointOf(curve), 0);
  }
}

TEST(TrajectoryProgram, GradientsOfSoftRowsAgreeWithDifferences) {
  const Problem problem = exampleProblem();
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  test::Random random(35);
  for (const double softness : {0.03, 0.005}) {
    BSpline curve = straightLine(problem, goal, 2.0, 8);
    MatX control = curve.control();
    for (int l = 3; l < control.cols() - 3; ++l) control.col(l) += random.vectorX(7, 0.2);
    curve = curve.withControl(control);
    TrajectoryProgram program(evaluator, curve, {.clearance_target = 1e-4, .ceiling = 0.3});
    const std::vector<Clearance> near = nearAlong(evaluator, curve);
    std::vector<ClearanceRow> rows;
    for (const Clearance& c : near) rows.push_back({c.pair, c.span, softness, 0.01});
    ASSERT_FALSE(rows.empty());
    rows.resize(std::min<std::size_t>(rows.size(), 6));
    program.setRows(rows);
    probe(program, program.pointOf(curve), 0);
    program.setPoint(program.pointOf(curve));
    for (std::size_t r = 0; r < program.rows().size(); ++r) {
      const ClearanceRow& row = program.rows()[r];
      const auto same = [&](const Clearance& c) {
        return c.pair == row.pair && c.span == row.span;
      };
      const auto exact = std::find_if(near.begin(), near.end(), same);
      EXPECT_LE(program.rowClearances()[r].upper, exact->upper + 0.01 + 1e-4);  // soft is below
    }
  }
}

TEST(TrajectoryProgram, GradientsAgreeWithMovingEndsAndAPoseGoal) {
  Problem problem = exampleProblem();
  test::Random random(32);
  problem.start_velocity = random.vectorX(7, 0.3);
  problem.start_acceleration = random.vectorX(7, 0.5);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  kinematics.linkPoses(goal, workspace, poses);
  PoseTarget target;
  target.link = problem.robot->findLink("tool");
  target.X_WP = poses[target.link];
  problem.goal = target;
  problem.objective.velocity = 0.1;
  problem.objective.acceleration = 0.1;
  const ClearanceEvaluator evaluator(problem);
  const BSpline curve = straightLine(problem, goal + random.vectorX(7, 0.1), 1.5, 8);
  TrajectoryProgram program(evaluator, curve, {});
  probe(program, program.pointOf(curve), 6);
}

TEST(TrajectoryProgram, GradientsAgreeWithFreeAxesAndDirections) {
  Problem problem = exampleProblem();
  test::Random random(37);
  const int tool = problem.robot->findLink("tool");
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  PoseTarget free;
  free.link = tool;
  free.X_WP = {random.rotationOfNormals(), Vec3(0.4, 0.1, 0.6)};
  free.position_axes.is_free[1] = true;
  free.position_axes.most[0] = 0.02;
  free.angle_axes.is_free[2] = true;
  LookAtTarget look;
  look.link = tool - 1;
  look.point_W = Vec3(1.0, 0.5, 0.7);
  look.axis_L = random.directionOfNormals();
  PostureTarget several{{free}, {problem.planned, problem.start}, VecX::Ones(7), {look}};
  problem.waypoints.push_back({several, std::nullopt});
  problem.waypoints.push_back({several, 0.9});  // at its own time: it moves in the normalised one
  free.X_WP.R = random.rotationOfNormals();
  problem.goal = free;
  const ClearanceEvaluator evaluator(problem);
  const BSpline curve = straightLine(problem, goal, 1.5, 8);
  TrajectoryProgram program(evaluator, curve, {}, 1, {0.37});
  const StateRows& state = program.stateRows();
  EXPECT_EQ(state.count(), 6 + 2 * (6 + 3));
  VecX x = program.pointOf(curve);
  for (double& value : x) value += random.uniform(-0.05, 0.05);
  probe(program, x, state.count());
  // What is free has no bounds, and what has two tolerances the narrower.
  const NonlinearProgram::Bounds bounds = program.bounds();
  const auto rows = bounds.g_upper.segment(bounds.g_upper.size() - state.count(), 6);
  EXPECT_EQ(rows[0], 0.5 * free.position_tolerance);
  EXPECT_EQ(rows[1], HUGE_VAL);
  EXPECT_EQ(rows[5], HUGE_VAL);
}

TEST(TrajectoryProgram, GradientsAgreeWithWaypointsPathConstraintsAndTorques) {
  Problem problem = exampleProblem();
  test::Random random(34);
  const int tool = problem.robot->findLink("tool");
  problem.start_velocity = random.vectorX(7, 0.3);
  problem.limits.torque = true;
  problem.balance = Balance{{problem.robot->rootLink()}, Balance::Criterion::kZmp, 0.01};
  problem.path_constraints.push_back(
      KeepAxis{tool, random.directionOfNormals(), random.directionOfNormals(), 0.4});
  problem.path_constraints.push_back(
      KeepInBox{tool, Vec3(0.0, 0.1, 0.2), {Mat3::Identity(), Vec3(0.3, 0.2, 0.5)}, {0.8, 0.5, 1}});
  problem.waypoints.push_back(
      {JointTarget{{1, 4}, VecX(Eigen::Vector2d(0.3, -0.2))}, std::nullopt});
  PoseTarget pose;
  pose.link = tool;
  pose.X_WP = {random.rotationOfNormals(), Vec3(0.4, 0.1, 0.6)};
  problem.waypoints.push_back({pose, 0.9});  // at its own time: it moves in the normalised one
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const BSpline curve = straightLine(problem, goal, 1.5, 8);
  TrajectoryProgram program(evaluator, curve, {}, 1, {0.37});
  StateRows& state = program.stateRows();
  std::vector<DemandRow> demands;
  for (int d = 0; d < state.demands().count(); ++d)
    demands.push_back({d, random.uniform(0.0, 1.0)});
  std::sort(demands.begin(), demands.end(),
            [](const DemandRow& a, const DemandRow& b) { return a.s < b.s; });
  ASSERT_GE(demands.size(), 1u + 6u + 14u + 3u);
  state.setDemands(demands);
  VecX x = program.pointOf(curve);
  for (double& value : x) value += random.uniform(-0.05, 0.05);
  probe(program, x, state.count());
}

TEST(TrajectoryProgram, GradientsAgreeWithHeldPosesAndLines) {
  Problem problem = exampleProblem();
  test::Random random(35);
  const int tool = problem.robot->findLink("tool");
  KeepPose keep;
  keep.link = tool;
  keep.X_LP = random.pose(0.2);
  keep.relative_to = problem.robot->findLink("link3");
  keep.X_AP = {random.rotationOfNormals(), Vec3(0.1, 0.2, 0.5)};
  keep.position_tolerance = 0.5;
  keep.angle_tolerance = 0.5;
  problem.path_constraints.emplace_back(keep);
  KeepPose turned;
  turned.link = tool;
  turned.position_tolerance = HUGE_VAL;
  turned.angle_tolerance = 0.5;
  problem.path_constraints.emplace_back(turned);
  KeepOnLine line;
  line.link = tool;
  line.X_WA = {random.rotationOfNormals(), Vec3(-2.0, -0.4, 0.4)};
  line.stretches = {{Vec3(4.0, 0.8, 0.2), Vec3(0.3, 0.4, -0.5)}};
  line.position_tolerance = 0.5;
  line.angle_tolerance = 0.5;
  problem.path_constraints.emplace_back(line);
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const BSpline curve = straightLine(problem, goal, 1.5, 8);
  TrajectoryProgram program(evaluator, curve, {});
  StateRows& state = program.stateRows();
  ASSERT_EQ(state.demands().count(), 14 + 7 + 14);
  EXPECT_EQ(state.demands().name(6), "'tool': held position");
  EXPECT_EQ(state.demands().name(14), "'tool': held orientation");
  EXPECT_EQ(state.demands().name(28), "'tool': turn from the line");
  std::vector<DemandRow> demands;
  for (int d = 0; d < state.demands().count(); ++d) {
    demands.push_back({d, random.uniform(0.05, 0.95)});
  }
  std::sort(demands.begin(), demands.end(),
            [](const DemandRow& a, const DemandRow& b) { return a.s < b.s; });
  state.setDemands(demands);
  VecX x = program.pointOf(curve);
  for (double& value : x) value += random.uniform(-0.05, 0.05);
  probe(program, x, state.count());
}

// Wrenches cost nothing: without rows for the cones everywhere they would leave them between rows.
TEST(TrajectoryProgram, HasRowsForConesFromEndToEnd) {
  test::Random random(7);
  const Problem problem = test::randomStandingProblem(random);
  const ClearanceEvaluator evaluator(problem);
  const BSpline curve(problem.plannedPart(problem.start).replicate(1, 13), 1.5);
  const int rows = ContactSet(problem).wrenchCount();
  TrajectoryProgram program(evaluator, curve, {}, 1, {},
                            BSpline(curve.sharedBasis(), MatX::Zero(rows, 13), 1.5));
  const StateRows& state = program.stateRows();
  std::map<int, std::vector<double>> instants;
  for (const DemandRow& row : state.demandRows()) instants[row.demand].push_back(row.s);
  for (int d = 0; d < state.demands().count(); ++d) {
    EXPECT_EQ(instants.count(d), state.demands().isCone(d) ? 1U : 0U) << state.demands().name(d);
  }
  ASSERT_FALSE(instants.empty());
  for (const auto& [demand, s] : instants) {
    EXPECT_EQ(s.front(), 0.0);
    EXPECT_EQ(s.back(), 1.0);
    for (std::size_t i = 1; i < s.size(); ++i) {
      EXPECT_GT(s[i], s[i - 1]);
      EXPECT_LT(s[i] - s[i - 1], 0.5 / curve.spanCount());
    }
  }
}

// Torques and cones of a robot that stands, with the control points of wrenches as variables.
TEST(TrajectoryProgram, GradientsAgreeWithForcesAtContacts) {
  for (int seed = 0; seed < 6; ++seed) {
    test::Random random(50 + seed);
    const Problem problem = test::randomStandingProblem(random);
    if (problem.plannedCount() == 0) continue;
    const ClearanceEvaluator evaluator(problem);
    MatX control(problem.plannedCount(), 13);
    for (auto column : control.colwise()) {
      column = problem.plannedPart(problem.start) + random.vectorX(problem.plannedCount(), 0.3);
    }
    const BSpline curve(control, 1.5);
    const int rows = ContactSet(problem).wrenchCount();
    MatX forces(rows, 13);
    for (auto column : forces.colwise()) column = test::randomWrenches(random, rows);
    const BSpline wrenches(curve.sharedBasis(), forces, 1.5);
    TrajectoryProgram program(evaluator, curve, {}, 1, {}, wrenches);
    StateRows& state = program.stateRows();
    // Every demand at a random instant, some at the ends and where spans meet.
    std::vector<DemandRow> demands;
    for (int d = 0; d < state.demands().count(); ++d) {
      const double s = random.chance(0.3) ? random.integer(0, 8) / 8.0 : random.uniform(0.0, 1.0);
      demands.push_back({d, s});
    }
    std::sort(demands.begin(), demands.end(),
              [](const DemandRow& a, const DemandRow& b) { return a.s < b.s; });
    state.setDemands(demands);
    const VecX x = program.pointOf(curve, wrenches);
    EXPECT_LT((program.wrenchesAt(x)->control() - forces).norm(), 1e-9);
    probe(program, x, state.count(), 13 * rows);
  }
}

TEST(TrajectoryProgram, GradientsAgreeWithContacts) {
  test::Random random(36);
  for (const bool has_pose_goal : {false, true}) {
    Problem problem = exampleProblem();
    Contact flat, point;
    flat.link = problem.robot->findLink("tool");
    flat.X_LC = {random.rotationOfNormals(), random.vector(0.1)};
    flat.half_size = {0.1, 0.05};
    point.link = flat.link - 2;
    point.kind = Contact::Kind::kPoint;
    point.X_LC.p = random.vector(0.1);
    problem.contacts = {flat, point};
    const VecX goal = std::get<JointTarget>(problem.goal).values;
    if (has_pose_goal) problem.goal = PoseTarget{flat.link, {}, {}};
    const ClearanceEvaluator evaluator(problem);
    const BSpline curve = straightLine(problem, goal, 1.5, 8);
    TrajectoryProgram program(evaluator, curve, {});
    // Seven free control points, nine rows at each; and the goal, where it is a pose.
    StateRows& state = program.stateRows();
    EXPECT_EQ(state.count(), has_pose_goal ? 6 + 8 * 9 : 7 * 9);
    VecX x = program.pointOf(curve);
    for (double& value : x) value += random.uniform(-0.05, 0.05);
    probe(program, x, state.count());
    // At the start all contacts are in place; this curve leaves it.
    std::string what;
    EXPECT_GT(state.targetViolation(curve, &what), 0.01);
    EXPECT_FALSE(what.empty());
    const NonlinearProgram::Bounds bounds = program.bounds();
    const int rows = static_cast<int>(bounds.g_lower.size()) - 7 * 9;
    EXPECT_TRUE(bounds.g_lower.segment(rows, 7 * 9).isZero(0.0) || has_pose_goal);
  }
}

TEST(TrajectoryProgram, KeepsPositionVelocityAndAccelerationAtTheEnds) {
  Problem problem = exampleProblem();
  test::Random random(33);
  problem.start_velocity = random.vectorX(7, 0.3);
  problem.start_acceleration = random.vectorX(7, 0.5);
  problem.goal_velocity = random.vectorX(7, 0.3);
  problem.goal_acceleration = random.vectorX(7, 0.5);
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const BSpline guess = straightLine(problem, goal, 1.5, 9);
  const TrajectoryProgram program(evaluator, guess, {});
  const BSpline curve = program.curveAt(program.pointOf(guess));
  EXPECT_LT((curve.value(0.0) - problem.start).norm(), 1e-12);
  EXPECT_LT((curve.value(0.0, 1) - problem.start_velocity).norm(), 1e-11);
  EXPECT_LT((curve.value(0.0, 2) - problem.start_acceleration).norm(), 1e-10);
  EXPECT_LT((curve.value(1.5) - goal).norm(), 1e-12);
  EXPECT_LT((curve.value(1.5, 1) - problem.goal_velocity).norm(), 1e-11);
  EXPECT_LT((curve.value(1.5, 2) - problem.goal_acceleration).norm(), 1e-10);
}

}  // namespace
}  // namespace allclear
