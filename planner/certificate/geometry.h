#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/deforming_pieces.h"
#include "allclear/planner/problem/end_margin.h"

namespace allclear {

/// One rigid body of a problem, as the certificate sees it. The planner has a model of its own
/// (planner/clearance/collision_model.h): the certificate finds out anew what must stay apart, so
/// that an error there cannot hide itself here.
struct CertifiedBody {
  enum class Kind { kLink, kAttached, kObstacle };

  std::string name;
  Kind kind = Kind::kLink;
  int link = -1;      ///< the link that it moves with; -1 for obstacles
  int obstacle = -1;  ///< index into `Problem::obstacles`; -1 for the others
  /// In the frame of its link (or of the obstacle); of a mesh that bends a box about all of it, at
  /// every instant.
  std::vector<Geometry> geometry;
  std::shared_ptr<const DeformingMesh> deforming = nullptr;  ///< of an obstacle that bends
  /// Of an obstacle that is a cloud; then `geometry`, and its solids, are a box about all of it.
  std::shared_ptr<const Cloud> cloud = nullptr;

  /// Solids that together enclose the body (convex_cover.h), at every instant: those of a mesh
  /// that bends are boxes, one for each patch.
  std::vector<Geometry> solids(MeshFidelity fidelity) const {
    if (deforming == nullptr) return enclosingSolids(geometry, fidelity);
    return sweptBoxes(*deforming, patchesOf(*deforming, fidelity));
  }
  /// Solids that enclose it at t [s].
  std::vector<Geometry> solidsAt(MeshFidelity fidelity, double t) const {
    return deforming == nullptr ? solids(fidelity) : hullsAt(*deforming, fidelity, t);
  }
};

/// Two bodies that must stay `margin` [m] apart. Below zero: they touch at a contact
/// (ground_pairs.h), and are never deeper in one another than this.
struct CertifiedPair {
  int a = -1;  ///< index into `CertifiedGeometry::bodies`
  int b = -1;
  double margin = 0.0;
  EndMargins ends;  ///< what they keep near start and goal
  bool touchesAtContact() const { return margin < 0.0; }
  /// No planned coordinate moves one relative to the other: where they touch, no plan can help, so
  /// they are reported but refute no plan.
  bool fixed = false;
};

/// The bodies and pairs of a problem, found from the problem alone. Bodies are the links that have
/// collision geometry, then attached objects, then obstacles.
///
/// Pairs: links with links, unless the robot model disables them; links and attached objects with
/// obstacles; attached objects with links other than the one that carries them and those they may
/// touch, and with each other. Minus the pairs that task or scene allow to touch, and with those
/// that the task says are to be avoided.
struct CertifiedGeometry {
  std::vector<CertifiedBody> bodies;
  std::vector<CertifiedPair> pairs;
  /// Every two bodies that are not in `pairs`, each with its reason; but for two obstacles.
  std::vector<ExemptPair> exempt;
};

/// Throws `InputError` when an obstacle is a plane that turns: only a direction that turns with it
/// could bound it.
CertifiedGeometry certifiedGeometry(const Problem& problem);

}  // namespace allclear
