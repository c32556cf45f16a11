#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/scene.h"
#include "allclear/robot_models/robot.h"
#include "allclear/trajectories/trajectory.h"

// A workcell in code: the scene around a robot, a problem in it, and questions that one call
// answers. Beside these, `plan` and `certify` are all that a program needs.

namespace allclear {

/// The objects around the robot and in its hands. Poses are in the world, lengths in metres.
///
/// The functions that add an object throw `InputError` when its name is empty or taken, and return
/// it, so that more can be said of it (`motion`, `spread`); the reference holds until the next one
/// is added.
struct Scene {
  std::vector<Obstacle> obstacles;
  std::vector<AttachedObject> attached;
  std::vector<std::pair<std::string, std::string>> allowed;  ///< pairs that may touch
  std::vector<std::string> warnings;
  /// Those of the warnings that a claim about the scene rests on, without paths.
  std::vector<std::string> assumptions;

  Obstacle& add(const std::string& id, Shape shape, const Pose& X_WO = {});
  Obstacle& addBox(const std::string& id, const Vec3& size, const Pose& X_WO = {});
  Obstacle& addSphere(const std::string& id, double radius, const Vec3& p_WO);
  /// About z of its frame, centred.
  Obstacle& addCylinder(const std::string& id, double radius, double length, const Pose& X_WO = {});
  /// All points at most `radius` from a segment along z of its frame, centred.
  Obstacle& addCapsule(const std::string& id, double radius, double length, const Pose& X_WO = {});
  Obstacle& addEllipsoid(const std::string& id, const Vec3& radii, const Pose& X_WO = {});
  /// Everything where normal . x <= offset [m]: a floor has the normal (0, 0, 1).
  Obstacle& addPlane(const std::string& id, const Vec3& normal, double offset = 0.0);
  /// An STL, COLLADA or Wavefront file.
  Obstacle& addMesh(const std::string& id, const std::filesystem::path& file, const Pose& X_WO = {},
                    const Vec3& scale = Vec3::Ones());

  /// A cloud: balls of `radius` [m] about points in its frame (a scan).
  Obstacle& addPoints(const std::string& id, const std::vector<Vec3>& points, double radius,
                      const Pose& X_WO = {});

  /// Puts an object into the robot's hand; the shape's pose is that in the link. It may touch the
  /// link that carries it, and `touch_links`.
  AttachedObject& attach(const std::string& id, const Robot& robot, const std::string& link,
                         Shape shape, const Pose& X_LG = {},
                         const std::vector<std::string>& touch_links = {});

  /// Lets two bodies (links, obstacles, attached objects) touch.
  void allow(const std::string& a, const std::string& b) { allowed.emplace_back(a, b); }
  /// Takes an obstacle or attached object out. Throws `InputError` when there is none of this name.
  void remove(const std::string& id);
  /// The names of all obstacles, then of attached objects.
  std::vector<std::string> names() const;
};

/// The frame P of a link's tool (X_LP) to be brought to X_WP.
PoseTarget poseTarget(const Robot& robot, const std::string& link, const Pose& X_WP,
                      const Pose& X_LP = {});

/// From a configuration of the robot to another one, or to a pose. Of the goal's configuration the
/// group's part counts. All that `Problem` has besides keeps its default, and may be set.
Problem makeProblem(const Robot& robot, const std::string& group, const VecX& start,
                    const VecX& goal, const Scene& scene = {});
Problem makeProblem(const Robot& robot, const std::string& group, const VecX& start,
                    const PoseTarget& goal, const Scene& scene = {});

/// Two bodies at rest.
struct PairClearance {
  std::string a, b;
  double distance = 0.0;  ///< signed [m]
  double margin = 0.0;    ///< that they are to keep [m]
};

/// The signed distances of all pairs that planned joints can move, in configuration q of the robot,
/// the nearest to its margin (or deepest beyond it) first. Obstacles that move are where they are
/// at time t [s]. The same bodies and pairs as in a certificate.
std::vector<PairClearance> pairClearances(const Problem& problem, const VecX& q, double t = 0.0);

/// The first of them; nothing where there are no pairs.
std::optional<PairClearance> closestPair(const Problem& problem, const VecX& q, double t = 0.0);

/// A bracket of the least distance over time of two bodies [m], both ends proven, and the instant
/// of the upper one [s].
struct LeastDistance {
  Interval distance;
  double t = 0.0;
};

/// The least signed distance of two bodies of the problem (links, obstacles, attached objects) at
/// any instant of a trajectory over the planned coordinates, to `tolerance` [m]. Bodies count as
/// they are, meshes exactly, without what `Problem::uncertainty` and `Obstacle::spread` let them
/// stray. Throws `InputError` for an unknown name and for an obstacle that deforms.
LeastDistance leastDistance(const Problem& problem, const Trajectory& trajectory,
                            const std::string& a, const std::string& b, double tolerance = 1e-4);

/// A configuration of the robot that meets a pose; without one, why.
struct PoseSolution {
  std::optional<VecX> q;
  std::string message;
};

/// Inverse kinematics: the configuration nearest to the problem's start that meets the pose and
/// keeps limits, path constraints and all clearances. Its goal does not matter. Most are found at
/// once; the search, and after it that for the reason why there is none, end after `time_limit`
/// [s].
PoseSolution inverseKinematics(const Problem& problem, const PoseTarget& target,
                               double time_limit = 2.0);

/// A stretch of a cable between two clips, at rest.
struct CableClearance {
  std::string stretch;   ///< "cable 'hose' between link3 and link7"
  double span = 0.0;     ///< of its clips [m]
  double longest = 0.0;  ///< that this may be [m]
  double room = 0.0;     ///< least that every shape of it has to a body [m]; infinite: none is near
  std::string nearest;   ///< the body of that room
};

/// What there is to say of a problem before it is planned.
struct ProblemCheck {
  struct End {
    std::string name;                  ///< "start" or "goal"
    std::vector<PairClearance> pairs;  ///< those that move, the nearest to its margin first
    std::vector<CableClearance> cables = {};
  };
  std::size_t bodies = 0, moving_pairs = 0, fixed_pairs = 0;
  std::vector<End> ends;
  /// Constant pairs, which no planned joint parts, that touch or are nearer than their margin.
  std::vector<PairClearance> static_contacts;
  std::vector<std::string> notes;
  std::vector<std::string> faults;  ///< why there is no plan; empty when the problem is well posed
};

/// Measures all pairs at the start and, where its configuration is known, at the goal.
ProblemCheck checkProblem(const Problem& problem);

/// "'hand' and 'box' are 3 mm apart, margin 5 mm".
std::string describe(const PairClearance& pair);

}  // namespace allclear
