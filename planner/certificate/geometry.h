#pragma once

#include <string>
#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/enclosing_solids.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/end_margin.h"

namespace allclear {

/// One rigid body of a problem, as the certificate sees it. The planner has a model of its own
/// (planner/clearance/collision_model.h): the certificate finds out anew what must stay apart, so
/// that an error there cannot hide itself here.
struct CertifiedBody {
  enum class Kind { kLink, kAttached, kObstacle };

  std::string name;
  Kind kind = Kind::kLink;
  int link = -1;                   ///< the link that it moves with; -1 for obstacles
  int obstacle = -1;               ///< index into `Problem::obstacles`; -1 for the others
  std::vector<Geometry> geometry;  ///< in the frame of its link (or of the obstacle)

  /// Solids that together enclose the body (enclosing_solids.h).
  std::vector<Geometry> solids(MeshFidelity fidelity) const {
    return enclosingSolids(geometry, fidelity);
  }
};

/// Two bodies that must stay `margin` [m] apart.
struct CertifiedPair {
  int a = -1;  ///< index into `CertifiedGeometry::bodies`
  int b = -1;
  double margin = 0.0;
  EndMargins ends;  ///< what they keep near start and goal
  /// No planned coordinate moves one relative to the other: where they touch, no plan can help, so
  /// they are reported but refute no plan.
  bool fixed = false;
};

/// The bodies and pairs of a problem, found from the problem alone. Bodies are the links that have
/// collision geometry, then attached objects, then obstacles.
///
/// Pairs: links with links, unless the robot model disables them; links and attached objects with
/// obstacles; attached objects with links other than the one that carries them and those they may
/// touch, and with each other. Minus the pairs that task or scene allow to touch.
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
