#pragma once

#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/exports/report/frames.h"
#include "allclear/planner/certificate.h"

namespace allclear {

/// Two bodies at one instant.
struct ReportDistance {
  int a = -1;  ///< index into `CertifiedGeometry::bodies`; -1: no pairs at all
  int b = -1;
  double distance = 0.0;    ///< signed [m]
  double margin = 0.0;      ///< [m]
  Vec3 p_A = Vec3::Zero();  ///< world, on the surface of a
  Vec3 p_B = Vec3::Zero();
};

/// During [t0, t1] the distance is at least `lower` [m]: proven.
struct ReportBound {
  double t0 = 0.0;
  double t1 = 0.0;
  double lower = 0.0;
};

/// One pair over all frames.
struct ReportPair {
  std::vector<ReportDistance> at;               ///< by frame
  std::vector<ReportBound> bounds;              ///< consecutive; empty without a certificate
  MeshFidelity fidelity = MeshFidelity::kHull;  ///< that `at` is measured at
  int nearest = 0;                              ///< the frame where distance minus margin is least
  double least() const { return at[nearest].distance; }
};

struct ReportClearance {
  std::vector<ReportPair> pairs;        ///< the closest ones, the nearest to its margin first
  std::vector<ReportDistance> closest;  ///< of all pairs, by frame
  int pair_count = 0;                   ///< of all pairs that move
};

/// The distances of the pairs that move, at the frames: the `most_pairs` nearest ones in full, of
/// the others what is needed to tell the closest pair of each frame. With a certificate, each pair
/// comes with its proven bounds (the least over its pieces) and is measured at the fidelity of its
/// proof; else at the coarsest fidelity that keeps the margin. Those that a clear certificate
/// ranks come in its order. Pairs with an obstacle that moves have no distance at a goal whose
/// instant is not known.
ReportClearance reportClearance(const Problem& problem, const CertifiedGeometry& geometry,
                                const ReportFrames& frames, const Certificate* certificate,
                                int most_pairs);

}  // namespace allclear
