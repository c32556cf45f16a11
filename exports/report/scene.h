#pragma once

#include <string>
#include <vector>

#include "allclear/exports/report/clearance.h"
#include "allclear/exports/report/frames.h"
#include "allclear/exports/report/mesh.h"

namespace allclear {

/// A body to look at. `looks` is what it looks like, `solids` what is kept clear of it.
struct ReportBody {
  std::string name;
  CertifiedBody::Kind kind = CertifiedBody::Kind::kLink;
  bool is_plane = false;
  std::vector<PackedMesh> looks;   ///< in the body's frame
  std::vector<PackedMesh> solids;  ///< in the body's frame; empty when it is the same as `looks`
  std::vector<Pose> poses;         ///< by frame; a single one when it stands still
};

/// A point whose way is drawn.
struct ReportTool {
  int link = -1;
  Vec3 p_LT = Vec3::Zero();  ///< in the frame of that link
};

struct ReportScene {
  std::vector<ReportBody> bodies;  ///< those of the geometry, in its order, then links only seen
  Vec3 center = Vec3::Zero();      ///< of what there is to see [m]
  double radius = 1.0;             ///< [m]
  std::vector<ReportTool> tools;   ///< one to an end of what is planned
};

/// `most_triangles` bounds what is shown of meshes, so that files stay small. Solids are shown as
/// closely as the closest pairs take them.
ReportScene reportScene(const Problem& problem, const CertifiedGeometry& geometry,
                        const ReportFrames& frames, const ReportClearance& clearance,
                        int most_triangles);

}  // namespace allclear
