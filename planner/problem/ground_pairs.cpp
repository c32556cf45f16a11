// Which links touch which obstacles at contacts, and how deep they may be in one another.
//
// A contact says that one place of a link stays on an obstacle. It does not say that the rest of
// the link may go through it: about a point the link may turn. So the pair stays, with its margin
// below zero.
#include "allclear/planner/problem/ground_pairs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "allclear/core/formatted.h"
#include "allclear/distance/cloud.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/problem/cloud_distance.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// Thickness of the plate that stands for a sole, and edge of the cube that stands for a point [m].
constexpr double kPlate = 1e-3;

/// The sole as a plate whose lower face is the sole; a point as a small cube about it.
double distanceToGround(const PlacedContact& contact, const Obstacle& obstacle) {
  const Eigen::Vector2d size = (2.0 * contact.contact.half_size).cwiseMax(kPlate);
  const Box plate(Vec3(size.x(), size.y(), kPlate));
  // Half of its thickness above the place itself, along the normal.
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

/// Whether a link is near the obstacle at the start. Each level of solids encloses the link: one
/// that is far shows that the link is.
bool isNear(const std::vector<Geometry>& geometry, const Pose& X_WL, const Obstacle& obstacle) {
  if (geometry.empty()) return false;
  for (MeshFidelity fidelity : {MeshFidelity::kHull, MeshFidelity::kPieces}) {
    const std::vector<Geometry> solids = enclosingSolids(geometry, fidelity);
    const double distance =
        obstacle.cloud != nullptr
            ? cloudDistance(solids, X_WL, *obstacle.cloud, obstacle.X_WO)
            : leastSignedDistance(solids, X_WL, enclosingSolids(obstacle.geometry, fidelity),
                                  obstacle.X_WO);
    if (distance > kGroundReach) return false;
  }
  return true;
}

class GroundPairs {
 public:
  explicit GroundPairs(const Problem& problem) : problem_(problem), tree_(*problem.robot) {
    const Kinematics kinematics(*problem.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    kinematics.linkPoses(problem.start, workspace, X_WL_);
  }

  std::vector<GroundPair> of(const ContactSet& contacts) {
    for (const PlacedContact& contact : contacts.all()) {
      for (std::size_t o = 0; o < problem_.obstacles.size(); ++o) {
        const Obstacle& obstacle = problem_.obstacles[o];
        if (obstacle.moves() || !(distanceToGround(contact, obstacle) <= kGroundReach)) continue;
        addLinks(contact.contact, static_cast<int>(o));
      }
    }
    return std::move(pairs_);
  }

 private:
  /// A sole may be a frame of its own, fixed to the link that has the foot's geometry.
  void addLinks(const Contact& contact, int obstacle) {
    const int node = tree_.mounts()[contact.link].node;
    for (std::size_t l = 0; l < tree_.mounts().size(); ++l) {
      const int link = static_cast<int>(l);
      if (tree_.mounts()[l].node != node) continue;
      const bool touches = link == contact.link || isNear(problem_.robot->links()[l].collision,
                                                          X_WL_[l], problem_.obstacles[obstacle]);
      if (touches) add({link, obstacle, contact.kind, contact.depth});
    }
  }

  void add(const GroundPair& pair) {
    for (GroundPair& known : pairs_) {
      if (known.link != pair.link || known.obstacle != pair.obstacle) continue;
      known.depth = std::max(known.depth, pair.depth);
      if (pair.kind == Contact::Kind::kFlat) known.kind = pair.kind;
      return;
    }
    pairs_.push_back(pair);
  }

  const Problem& problem_;
  const MotionTree tree_;
  std::vector<Pose> X_WL_;
  std::vector<GroundPair> pairs_;
};

}  // namespace

std::vector<GroundPair> groundPairs(const Problem& problem) {
  const ContactSet contacts(problem);
  if (contacts.isEmpty()) return {};
  return GroundPairs(problem).of(contacts);
}

const GroundPair* groundPair(const std::vector<GroundPair>& pairs, int link, int obstacle) {
  for (const GroundPair& pair : pairs) {
    if (pair.link == link && pair.obstacle == obstacle) return &pair;
  }
  return nullptr;
}

const GroundPair* groundPair(const std::vector<GroundPair>& pairs, const Problem& problem,
                             const std::string& a, const std::string& b) {
  for (const GroundPair& pair : pairs) {
    if (problem.robot->links()[pair.link].name == a && problem.obstacles[pair.obstacle].id == b) {
      return &pair;
    }
  }
  return nullptr;
}

std::string depthAdvice(const GroundPair& pair, const std::string& link,
                        const std::string& obstacle) {
  return "they touch at a contact, up to " + formatted("%.4g", 1e3 * pair.depth) +
         " mm deep: put the contact's frame onto the surface of '" + link + "' and that onto '" +
         obstacle + "', or give that contact a greater depth (contacts: depth, up to " +
         formatted("%.4g", 1e3 * Contact::kGreatestDepth) + " mm)";
}

}  // namespace allclear
