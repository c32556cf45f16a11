#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allclear/exports/report/clearance.h"
#include "allclear/exports/report/frames.h"
#include "allclear/exports/report/mesh.h"
#include "allclear/exports/report/tools.h"

namespace allclear {

/// All places where an obstacle of which only a distribution is known may be, during some frames.
struct ReportSpread {
  int first_frame = 0;             ///< until the first frame of the next one
  std::vector<PackedMesh> meshes;  ///< in the body's frame
};

/// Elements of a cloud, each drawn as a ball or a box: so many that a browser stays quick.
struct ReportCells {
  std::int32_t count = 0;         ///< of the cloud; 0 where the body is none
  std::vector<double> centers;    ///< x, y, z of those that are drawn
  std::vector<double> half_size;  ///< along x, y, z; of balls a single radius
  Vec3 lower = Vec3::Zero();      ///< of a box about all
  Vec3 size = Vec3::Zero();
};

/// A body in the viewer. `looks` are the meshes that show it, `solids` those that distances are
/// measured to.
struct ReportBody {
  std::string name;
  CertifiedBody::Kind kind = CertifiedBody::Kind::kLink;
  bool is_plane = false;
  std::vector<PackedMesh> looks;      ///< in the body's frame
  std::vector<PackedMesh> solids;     ///< in the body's frame; empty when it is the same as `looks`
  std::vector<Pose> poses;            ///< by frame; a single one when it stands still
  std::vector<ReportSpread> spreads;  ///< by time; a single one where it does not change
  bool bends = false;                 ///< then `spreads` are what it looks like, and `looks` empty
  ReportCells cells = {};             ///< of a cloud, and `looks` empty
};

struct ReportScene {
  std::vector<ReportBody>
      bodies;  ///< those of the geometry, in its order, then links that have a look only
  Vec3 center = Vec3::Zero();     ///< of the view [m]
  double radius = 1.0;            ///< [m]
  std::vector<ReportTool> tools;  ///< whose paths are drawn
};

/// The scene of a report. Meshes are thinned out to about `most_triangles` together, so that files
/// stay small. Solids are shown at the finest fidelity that any of the closest pairs is measured
/// at.
ReportScene reportScene(const Problem& problem, const CertifiedGeometry& geometry,
                        const ReportFrames& frames, const ReportClearance& clearance,
                        int most_triangles);

}  // namespace allclear
