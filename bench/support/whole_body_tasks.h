#pragma once

// The whole-body tasks of bench/tasks/whole_body: what design notes measured of them, and where
// hands are to go, so that variations of a task can be made.

#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "allclear/config/task_file.h"

namespace allclear::bench {

/// A point of a wrist's link that is to be at a place; places are given between the ankles.
struct HandPlace {
  char side;  ///< 'R' or 'L'
  Vec3 place;
  Vec3 point = {0.0, 0.0, -0.10};  ///< the palm
};

/// A posture by the places of the hands and joints near which it is to be.
struct PostureOf {
  std::vector<HandPlace> hands;
  std::vector<std::pair<std::string, double>> near;
};

/// The figures of the prototype that the notes describe, on an idle machine of the same kind.
struct NotedFigures {
  double straight_mm = 0, iterations = 0, solve_s = 0, certify_s = 0, clearance_mm = 0;
  double drift_nm = 0, zmp_mm = 0, torque_share = 0;
};

struct WholeBodyTask {
  std::string name;  ///< of its file
  PostureOf start, goal;
  NotedFigures noted;
  bool is_varied = true;
};

inline std::vector<WholeBodyTask> wholeBodyTasks() {
  const Vec3 finger(0.0, 0.0, -0.17), wrist = Vec3::Zero();
  const PostureOf twist_left{{{'R', {.22, .16, .60}}, {'L', {-.14, .22, .62}}},
                             {{"WAIST_Y", .7}, {"WAIST_P", .4}}};
  const PostureOf twist_right{{{'R', {-.14, -.22, .62}}, {'L', {.22, -.16, .60}}},
                              {{"WAIST_Y", -.7}}};
  const std::vector<std::pair<std::string, double>> bent{
      {"R_ELBOW_P", -1.4}, {"L_ELBOW_P", -1.4}, {"R_SHOULDER_Y", .6}, {"L_SHOULDER_Y", -.6}};
  const PostureOf before_cup{{{'R', {.38, -.30, .86}}}, {}};
  const PostureOf in_cup{{{'R', {.53, -.20, .90}, finger}, {'R', {.49, -.20, 1.0652}, wrist}}, {}};
  return {
      {"crossing",
       {{{'R', {.36, .10, 1.02}}, {'L', {.36, -.10, 1.20}}}, bent},
       {{{'R', {.36, .10, 1.20}}, {'L', {.36, -.10, 1.02}}}, bent},
       {-49.6, 25, 0.7, 0.22, 14.24, 11, 43, 0.68}},
      {"twisting", twist_left, twist_right, {-30.9, 26, 0.6, 0.26, 30.99, 44, 15, 0.78}},
      {"picking_behind",
       {{{'R', {.30, .06, .62}}}, {{"WAIST_P", .4}}},
       {{{'R', {-.27, -.14, .34}}}, {{"WAIST_Y", -.7}, {"NECK_Y", -.5}}},
       {-1.9, 33, 0.8, 0.26, 36.62, 14, 5.3, 0.70}},
      {"twisting_meshes", twist_left, twist_right, {-18.8, 25, 0.6, 0.23, 6.52, 51, 15, 0.73}},
      {"passing",
       {{{'R', {.30, -.62, 1.05}}, {'L', {.22, .10, 1.00}}}, {}},
       {{{'R', {.62, 0, 1.10}}, {'L', {.25, .30, .95}}}, {{"WAIST_Y", .3}}},
       {-236, 62, 1.2, 0.16, 10.12, 29, 5.2, 0.66}},
      {"placing", before_cup, in_cup, {-39, 83, 2.5, 0.08, 5.17, 4, 50, 0.46}},
      {"leaning", before_cup, in_cup, {-40, 77, 2.8, 0.09, 5.22, 6, 19, 0.27}, false},
  };
}

/// The middle between the ankles in the world of the tasks [m].
inline const Vec3 kBetweenAnkles(0.0, -0.096, 0.0);

/// A random vector in the ball of this radius, uniformly.
inline Vec3 randomShift(std::mt19937_64& engine, double radius) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  while (true) {
    const Vec3 v(number(engine), number(engine), number(engine));
    if (v.norm() <= 1.0) return radius * v;
  }
}

/// The posture as a target near half-sitting; each hand's places are shifted together by up to
/// `shift` [m].
inline PostureTarget targetOf(const Problem& problem, const PostureOf& posture, double shift,
                              std::mt19937_64& engine) {
  constexpr double kWeightOfNamed = 10.0;  // as the notes weigh named references
  const RobotModel& robot = *problem.robot;
  PostureTarget target;
  VecX q = problem.start;
  for (const GroupState& state : robot.groupStates()) {
    for (const auto& [c, value] : state.values) q[c] = value;
  }
  target.weights = VecX::Ones(problem.plannedCount());
  for (const auto& [joint, value] : posture.near) {
    const int c = robot.findCoordinate(joint);
    q[c] = value;
    const auto at = std::lower_bound(problem.planned.begin(), problem.planned.end(), c);
    target.weights[at - problem.planned.begin()] = kWeightOfNamed;
  }
  target.reference = {problem.planned, problem.plannedPart(q)};
  const Vec3 right = randomShift(engine, shift), left = randomShift(engine, shift);
  for (const HandPlace& hand : posture.hands) {
    PoseTarget pose;
    pose.link = robot.findLink(std::string(1, hand.side) + "_WRIST_Y_S");
    pose.X_LP.p = hand.point;
    pose.X_WP.p = hand.place + kBetweenAnkles + (hand.side == 'R' ? right : left);
    pose.angle_tolerance = std::numeric_limits<double>::infinity();
    target.poses.push_back(pose);
  }
  return target;
}

}  // namespace allclear::bench
