#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"

namespace allclear::test {

/// The humanoid JVRC-1 of the shared data, on two feet: postures that were found for the tasks of
/// the thesis, to 1e-5. A test that uses it begins with `ALLCLEAR_REQUIRE_DATA(kJvrcUrdf)`.
inline constexpr const char* kJvrcUrdf = "robots/jvrc_description/urdf/jvrc1.urdf";

struct JvrcPosture {
  std::array<double, 6> pelvis;   ///< x y z roll pitch yaw
  std::array<double, 32> joints;  ///< in the order of `kJvrcJoints`
  std::vector<double> wrench;     ///< on the right foot about its sole: force and moment over the
                                  ///< weight; then the left hand's force
};

inline constexpr std::array<const char*, 32> kJvrcJoints{
    "L_ANKLE_P",    "L_ANKLE_R",    "L_KNEE",       "L_HIP_Y",      "L_HIP_R",   "L_HIP_P",
    "R_HIP_P",      "R_HIP_R",      "R_HIP_Y",      "R_KNEE",       "R_ANKLE_R", "R_ANKLE_P",
    "WAIST_Y",      "WAIST_P",      "WAIST_R",      "NECK_Y",       "NECK_R",    "NECK_P",
    "R_SHOULDER_P", "R_SHOULDER_R", "R_SHOULDER_Y", "R_ELBOW_P",    "R_ELBOW_Y", "R_WRIST_R",
    "R_WRIST_Y",    "L_SHOULDER_P", "L_SHOULDER_R", "L_SHOULDER_Y", "L_ELBOW_P", "L_ELBOW_Y",
    "L_WRIST_R",    "L_WRIST_Y"};

inline const JvrcPosture kCrossStart{
    {-0.00003, 0.01965, 0.81551, 0.10305, 0.02681, 0.05832},
    {-0.36186, 0.17016,  0.64859,  0.0796,   -0.25,    -0.319,   -0.3921,  -0.24008,
     0.1215,   0.83009,  0.18443,  -0.47354, 0.06216,  -0.23462, 0.80878,  0,
     -0.00002, -0.00007, -0.23074, -0.07044, 0.63271,  -1.29687, 0.02925,  0.09309,
     0,        -0.6749,  -0.14453, -0.7042,  -1.51036, 0.08691,  -0.29401, 0},
    {0, 0, 0.4949, 0, -0.0007, 0}};
inline const JvrcPosture kCrossGoal{
    {-0.00008, -0.21719, 0.81455, -0.10618, 0.02668, -0.05851},
    {-0.4755,  -0.19357, 0.83253,  -0.12985, 0.24882,  -0.39354, -0.31791, 0.25969,
     -0.08483, 0.64588,  -0.17824, -0.36082, -0.05004, -0.22764, -0.79899, 0,
     0.00001,  -0.00003, -0.68278, 0.14453,  0.70342,  -1.50844, -0.08432, 0.2898,
     0,        -0.23482, 0.06628,  -0.63428, -1.29853, -0.03024, -0.09772, 0},
    {0, 0, 0.4974, 0, -0.0003, 0}};
inline const JvrcPosture kPickStart{
    {0.0006, 0.00104, 0.82237, 0.00823, 0.17378, 0.19312},
    {-0.37021, 0.14325,  0.70011,  -0.08843, -0.17798, -0.48352, -0.4371,  -0.17308,
     -0.08641, 0.71047,  0.14914,  -0.42715, 0.30654,  0.39588,  0.24666,  -0.00005,
     0.00054,  -0.00212, -0.36886, -0.00414, 0.0459,   -0.5682,  -0.00026, 0.02288,
     0.00006,  -0.02301, 0.16145,  -0.00164, -0.508,   -0.00006, -0.00059, -0.00006},
    {0, 0, 0.1434, 0.004, -0.0105, 0}};
inline const JvrcPosture kPickGoal{
    {-0.03107, -0.04034, 0.79123, 0.17866, -0.27174, -0.0264},
    {-0.43309, 0.08704,  0.86779,  0.12053,  -0.22121, -0.17006, -0.27207, -0.20647,
     0.16186,  1.08852,  0.10305,  -0.55358, -0.71558, 0.39484,  0.67284,  -0.49995,
     -0.00575, 0.00183,  -0.02583, -0.69469, -0.09891, -0.32755, -0.00461, -0.07358,
     -0.00007, -0.08233, 0.20808,  0.00722,  -0.5224,  0.00001,  0.00272,  0.00001},
    {0, 0, 0.573, -0.0198, 0.0442, 0}};
inline const JvrcPosture kLeanStart{
    {-0.04618, -0.1195, 0.8241, 0.00856, -0.09707, 0.03477},
    {-0.33616, -0.03566, 0.72633,  -0.05336, 0.00521,  -0.29404, -0.29406, 0.00479,
     -0.05392, 0.74598,  -0.03572, -0.35577, 0.10378,  0.3278,   -0.09249, 0,
     -0.00001, 0,        -0.40923, -0.15191, 0.0016,   -0.72161, 0.00122,  -0.01263,
     -0.00027, -0.59248, -0.04228, -0.07913, -0.59916, -0.00018, -0.0597,  0},
    {-0.0005, -0.0002, 0.5021, -0.0001, 0, 0, 0.0017, 0.0096, 0.0971}};
inline const JvrcPosture kLeanGoal{
    {0.01972, -0.10239, 0.8357, -0.02453, -0.0028, 0.16604},
    {-0.37638, -0.01144, 0.66127,  -0.1732,  -0.01398, -0.27966, -0.20612, -0.00462,
     -0.17153, 0.59709,  -0.00731, -0.38625, 0.3655,   0.32293,  -0.47339, 0,
     0.00004,  -0.00003, -0.35581, -0.42323, 0.24113,  -0.5492,  0.13805,  0.64529,
     0,        -0.58538, -0.14451, -0.34147, -0.62264, 0.02655,  -0.2947,  0},
    {0.0092, -0.0013, 0.4851, 0.0006, -0.0001, 0.0004, -0.0092, -0.0297, 0.1082}};

inline std::shared_ptr<const RobotModel> jvrc() {
  RobotSource source;
  source.urdf = dataFolder() / kJvrcUrdf;
  source.base = BaseJoint::kFloating;
  source.load_collision = false;
  return std::make_shared<const RobotModel>(loadRobot(source));
}

/// The configuration of a robot with the coordinates of `jvrc()`.
inline VecX jvrcConfiguration(const RobotModel& robot, const JvrcPosture& posture) {
  VecX q = VecX::Zero(robot.dimension());
  for (int i = 0; i < 6; ++i) q[i] = posture.pelvis[i];
  for (std::size_t i = 0; i < kJvrcJoints.size(); ++i) {
    q[robot.findCoordinate(kJvrcJoints[i])] = posture.joints[i];
  }
  return q;
}

/// From one posture to the other in `duration` [s] on both feet, and the left hand where `leans`;
/// torque limits of the URDF. Without geometry. The base floats: not yet stood on (`standOn`).
inline Problem jvrcProblem(const JvrcPosture& from, const JvrcPosture& to, double duration,
                           bool leans = false) {
  Problem problem;
  problem.name = "jvrc";
  problem.robot = jvrc();
  const RobotModel& robot = *problem.robot;
  for (int i = 0; i < 6; ++i) problem.planned.push_back(i);
  for (int c = 6; c < robot.dimension(); ++c) {
    const auto isIt = [&](const char* name) { return robot.coordinates()[c].name == name; };
    if (std::any_of(kJvrcJoints.begin(), kJvrcJoints.end(), isIt)) problem.planned.push_back(c);
  }
  problem.start = jvrcConfiguration(robot, from);
  problem.goal = JointTarget{problem.planned, problem.plannedPart(jvrcConfiguration(robot, to))};
  for (const char* foot : {"L_ANKLE_P_S", "R_ANKLE_P_S"}) {
    Contact sole;
    sole.link = robot.findLink(foot);
    sole.X_LC.p = {0.02215, 0.0, -0.1077359};
    sole.half_size = {0.0835, 0.042};
    sole.margin = 0.005;
    problem.contacts.push_back(sole);
  }
  if (leans) {
    Contact hand;
    hand.kind = Contact::Kind::kPoint;
    hand.link = robot.findLink("L_WRIST_Y_S");
    hand.X_LC.p = {0.0, 0.0, -0.17};
    problem.contacts.push_back(hand);
  }
  problem.limits.torque = true;
  problem.collision.missing = MissingCollision::kIgnore;
  problem.duration = {duration, duration};
  return problem;
}

}  // namespace allclear::test
