#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "allclear/distance/body_curve.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/robot_models/motion/link_curves.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// A solid of a body: indices into `CertifiedGeometry::bodies` and its `solids`.
struct PieceIndex {
  int body = -1;
  int piece = -1;
  MeshFidelity fidelity = MeshFidelity::kHull;
};

/// What a certificate needs to know of a motion: how far apart two pieces are at an instant, and
/// how much room there is at least between them, along a direction, during an interval. (Of meshes
/// as they are no one direction tells: their bounds come from the certified minimum over the
/// interval, mcd_mesh.h.)
///
/// The room. Let n be a unit vector. During one cell of time the pose of a piece is, to within a
/// known error, a polynomial with the Bernstein coefficients (R_k, T_k), k = 0 ... 7. The farthest
/// that the piece A reaches along n, h_A = n.T + max_{p in A} (R^T n).p, is convex in (R, T), so it
/// is at most the greatest of the values at the coefficients; likewise -h_B, the nearest that B
/// reaches. Hence, for all t of the cell and with both errors taken off,
///
///     distance(t) >= n.(b - a) for all a in A(t), b in B(t) >= min_k -(h_A(n) + h_B(-n))_k.
///
/// A part of a cell has coefficients of its own (de Casteljau), and so a better bound.
class CertifiedMotion {
 public:
  /// The motion of `geometry` (of `problem`) along `trajectory` over the planned coordinates. Poses
  /// are within about `tolerance` [m] of their polynomials. Borrows all three. Throws `InputError`
  /// when the trajectory is beyond what can be bounded.
  CertifiedMotion(const Problem& problem, const CertifiedGeometry& geometry,
                  const Trajectory& trajectory, double tolerance);

  double duration() const { return cells_.back().upper; }
  /// Consecutive cells of time, from 0 to the duration.
  const std::vector<Interval>& cells() const { return cells_; }

  /// How many solids enclose a body. Others than hulls are made when first asked for, and may not
  /// be named below before.
  int pieceCount(int body, MeshFidelity fidelity);

  /// Lower bound [m] of the signed distance at every instant of `time`, from the room along `n`
  /// (from A to B, not zero). For a plane, its own normal takes the place of n.
  double lowerBound(PieceIndex a, PieceIndex b, const Vec3& n, Interval time) const;

  /// Whether one is a mesh as it is, and the other no plane.
  bool areSurfaces(PieceIndex a, PieceIndex b) const;

  /// For these: bracket of the least distance during `time`, to `tolerance` where it is below
  /// `threshold`.
  DistanceBracket surfaceBracket(PieceIndex a, PieceIndex b, Interval time, double threshold,
                                 double tolerance) const;

  /// Whether the distance is shown to be at least `lower` at every instant of `time`: of meshes as
  /// they are by searching anew (in vain when it is less than `kSurfacePadding` above), else from
  /// the room along `n`.
  bool staysAbove(PieceIndex a, PieceIndex b, const Vec3& n, Interval time, double lower) const;

  /// The same from boxes along the world's axes, and the direction that separates them; -infinity
  /// when they overlap. Cheap and coarse.
  struct BoxGap {
    double distance;
    Vec3 normal;
  };
  BoxGap boxGap(PieceIndex a, PieceIndex b, Interval time) const;

  /// The signed distance at t; at the true poses, from forward kinematics.
  SignedDistance distanceAt(PieceIndex a, PieceIndex b, double t);

  /// The least over the solids of two bodies.
  double bodyDistanceAt(int a, int b, double t, MeshFidelity fidelity);

  /// The curve of a link that carries a body or is named in a path constraint, one per cell.
  const std::vector<BodyCurve>& linkCurve(int link) const;

  /// World poses of all links at t.
  const std::vector<Pose>& linkPoses(double t);

 private:
  struct PieceCell {
    std::array<Pose, BodyCurve::kDegree + 1> control;  ///< of the piece's own frame
    double error = 0.0;                                ///< of every point [m]
    Vec3 lower = Vec3::Zero();                         ///< box of all that the piece sweeps
    Vec3 upper = Vec3::Zero();
  };
  struct Piece {
    const Geometry* geometry = nullptr;
    bool is_plane = false;
    bool is_still = false;
    std::vector<PieceCell> cells;  ///< one when it is still
    const PieceCell& cell(int i) const { return cells[is_still ? 0 : i]; }
    std::shared_ptr<const MeshBody> body;  ///< where it may meet a mesh
  };
  struct Solids {
    std::vector<Geometry> geometry;
    std::vector<Piece> pieces;      ///< of these
    std::vector<BodyCurve> curves;  ///< for surfaces: one, or one per cell
  };
  using Projected = std::array<Eigen::Vector4d, BodyCurve::kDegree + 1>;

  void makeLinkCurves(const Problem& problem, const CertifiedGeometry& geometry, double tolerance);
  std::vector<double> timeBreaks(double tolerance) const;
  BernsteinSpan robotSpan(const BernsteinSpan& planned_span) const;
  void makePieces(const CertifiedBody& body, bool surfaces, Solids* solids) const;
  static PieceCell pieceCell(const BodyCurve& curve, const Geometry& geometry);
  static void reach(const Piece& piece, int cell, const Vec3& n, double s0, double s1,
                    std::array<double, BodyCurve::kDegree + 1>* h);
  const Piece& piece(PieceIndex i) const {
    return solids_[static_cast<int>(i.fidelity)][i.body].pieces[i.piece];
  }
  int cellAt(double t) const;
  Pose pieceFrame(PieceIndex i, double t);

  const Problem& problem_;
  const CertifiedGeometry& geometry_;
  const Trajectory& trajectory_;
  std::unique_ptr<LinkCurveBuilder> builder_;
  std::unique_ptr<LinkCurveBuilder::Workspace> workspace_;
  std::vector<Interval> cells_;
  std::vector<std::vector<BodyCurve>> link_curves_;  ///< by link; empty where not needed
  /// By fidelity, then body; empty until asked for.
  std::array<std::vector<Solids>, kMeshFidelityCount> solids_;
  std::unordered_map<double, std::vector<Pose>> poses_;  ///< of all links, at the times asked for
};

/// Taken off the bounds of meshes as they are [m], so that another search finds them again.
inline constexpr double kSurfacePadding = 2e-6;

}  // namespace allclear
