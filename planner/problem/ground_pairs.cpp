#include "allclear/planner/problem/ground_pairs.h"

#include <algorithm>

#include "allclear/distance/cloud.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Thickness of the plate that stands for a sole, and edge of the cube that stands for a point [m].
constexpr double kPlate = 1e-3;

/// The sole as a plate whose lower face is the sole; a point as a small cube about it.
double distanceToGround(const PlacedContact& contact, const Obstacle& obstacle) {
  const Eigen::Vector2d size = (2.0 * contact.contact.half_size).cwiseMax(kPlate);
  const Box plate(Vec3(size.x(), size.y(), kPlate));
  Pose X_WB = contact.X_WC;
  X_WB.p += 0.5 * kPlate * X_WB.R.col(2);
  double least = std::numeric_limits<double>::infinity();
  if (obstacle.cloud != nullptr) {
    return signedDistance(plate, X_WB, *obstacle.cloud, obstacle.X_WO).distance;
  }
  for (const Geometry& part : obstacle.geometry) {
    const SignedDistance d = signedDistance(plate, X_WB, part.shape, obstacle.X_WO * part.X_BG);
    least = std::min(least, d.distance);
  }
  return least;
}

}  // namespace

std::vector<GroundPair> groundPairs(const Problem& problem) {
  std::vector<GroundPair> pairs;
  const ContactSet contacts(problem);
  if (contacts.isEmpty()) return pairs;
  const MotionTree tree(*problem.robot);
  for (const PlacedContact& contact : contacts.all()) {
    for (std::size_t o = 0; o < problem.obstacles.size(); ++o) {
      const Obstacle& obstacle = problem.obstacles[o];
      if (obstacle.moves() || !(distanceToGround(contact, obstacle) <= kGroundReach)) continue;
      // A sole may be a frame of its own, fixed to the link that has the foot's geometry.
      const int node = tree.mounts()[contact.contact.link].node;
      for (std::size_t l = 0; l < tree.mounts().size(); ++l) {
        const int link = static_cast<int>(l), ground = static_cast<int>(o);
        if (tree.mounts()[l].node != node || isGroundPair(pairs, link, ground)) continue;
        pairs.push_back({link, ground});
      }
    }
  }
  return pairs;
}

bool isGroundPair(const std::vector<GroundPair>& pairs, int link, int obstacle) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const GroundPair& pair) {
    return pair.link == link && pair.obstacle == obstacle;
  });
}

}  // namespace allclear
