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
#include "allclear/planner/certificate/stray.h"
#include "allclear/robot_models/motion/link_curves.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// One solid of a body: indices into `CertifiedGeometry::bodies` and its `solids(fidelity)`.
struct PieceIndex {
  int body = -1;
  int piece = -1;
  MeshFidelity fidelity = MeshFidelity::kHull;
};

/// Subtracted from the bounds between exact meshes [m], so that the checker's own search can
/// confirm them. Not needed for truth: both searches' bounds hold by themselves. A search brackets
/// the least distance of the polynomial motions and then subtracts their error, which is the same
/// for both. The checker narrows its bracket to half of this padding, so it ends at least 1e-6 m
/// above what the certificate claims, in whatever order it searches; two machines differ by
/// roundings, which are far smaller.
inline constexpr double kSurfacePadding = 2e-6;

/// The motion of all bodies along a trajectory, and what it proves of their distances: the distance
/// of two pieces at an instant, and a lower bound of it during an interval.
///
/// The bound for convex pieces. Let n be a unit vector. During one cell of time the pose of a piece
/// is, to within a known error, a polynomial with the Bernstein coefficients (R_k, T_k), k = 0
/// ... 7. The farthest that the piece A reaches along n,
///
///     h_A(n) = n.T + max_{p in A} (R^T n).p
///
/// (its support function), is convex in (R, T): a maximum of linear functions. The pose at any t of
/// the cell is a convex combination of the coefficients, so h_A at t is at most the same
/// combination of the values (h_A)_k at the coefficients. The same holds for the piece B along -n.
/// Both combinations have the same weights, so they may be added before the least is taken: for all
/// t of the cell,
///
///     distance(t) >= min over a in A(t), b in B(t) of n.(b - a) = -(h_A(n) + h_B(-n))
///                 >= min_k -(h_A(n) + h_B(-n))_k - errors.
///
/// The first step is true in penetration as well: the signed distance of convex solids is the
/// greatest of these minima over all n (minus the shortest translation that separates them).
///
/// This holds for any n, so a wrong n costs tightness, never truth. A part of a cell has
/// coefficients of its own (de Casteljau), which are nearer to the curve, and so a better bound.
///
/// Spread. A body of which only a distribution is known (`PositionSpread`) stands for all places at
/// which it may be: at t the Minkowski sum of the body and the ellipsoid of K(t), which reaches
/// h_B(n) + sqrt(n' K n) along n. That term is convex in n as well, so with n seen from a frame
/// that turns its coefficients bound it like those of h; and its square is linear in K, which is
/// linear in t within a cell, so it is at most the greater of the values at both ends. Every
/// distance here is to all of these places.
///
/// Meshes that bend. A piece is a patch of such a mesh, a set of vertices that move along straight
/// lines within a cell (keyframes end cells). How far it reaches along n, the greatest n.b over
/// them, is convex in t: a maximum of linear functions. So it is at most the line between its
/// values at the ends of the cell, or of a part of it, and the Bernstein coefficients of that line
/// take the place of those of h_B. The patches' hulls hold all triangles. A closed mesh has an
/// inside as well: see deforming.h.
///
/// Between exact meshes, which are not convex, no single direction can prove a cell. Their bounds
/// come from the certified minimum over the interval (distance/minimum/mesh/mesh.h). So do those to
/// a cloud, of which all elements count as one piece (distance/cloud.h).
class CertifiedMotion {
 public:
  /// The motion of `geometry` (of `problem`) along `trajectory` over the planned coordinates. Poses
  /// are within about `tolerance` [m] of their polynomials. Borrows all three. Throws `InputError`
  /// when the trajectory is beyond what can be bounded.
  CertifiedMotion(const Problem& problem, const CertifiedGeometry& geometry,
                  const Trajectory& trajectory, double tolerance);

  /// [s]: the end of the trajectory, or of the rest after it (`coveredUntil`).
  double duration() const { return cells_.back().upper; }
  const CertifiedGeometry& geometry() const { return geometry_; }
  /// The end of the trajectory [s]: `duration()`, or less when the robot rests on.
  double trajectoryEnd() const { return trajectory_.duration(); }
  /// Consecutive cells of time, from 0 to `duration()`.
  const std::vector<Interval>& cells() const { return cells_; }

  /// Builds the solids of a body at this level, if they are not there yet, and returns their
  /// number. Hulls are always there; call this before any query with pieces of another level.
  int ensurePieces(int body, MeshFidelity fidelity);

  /// Lower bound [m] of the signed distance at every instant of `time`, from the room along `n`
  /// (from A to B, not zero). A plane is bounded along its own normal, which takes the place of n.
  double lowerBound(PieceIndex a, PieceIndex b, const Vec3& n, Interval time) const;

  /// Whether the bound of these two comes from a search of its own: at least one is an exact mesh
  /// or a cloud, and neither is a plane.
  bool areSurfaces(PieceIndex a, PieceIndex b) const;
  /// Whether one of the two is a cloud.
  bool haveCloud(PieceIndex a, PieceIndex b) const;
  bool isMesh(PieceIndex i) const {
    return std::holds_alternative<TriangleMesh>(piece(i).geometry->shape);
  }

  /// Pre: `areSurfaces(a, b)`. Brackets the least distance during `time`: to `tolerance` [m] where
  /// it is below `threshold` [m], else only so far that the bound reaches `threshold`.
  DistanceBracket surfaceBracket(PieceIndex a, PieceIndex b, Interval time, double threshold,
                                 double tolerance) const;

  /// Whether the distance is proven to be at least `lower` [m] at every instant of `time`: between
  /// exact meshes and clouds by boxes, or by a search of its own, which succeeds when the distance
  /// is `kSurfacePadding` above; else by the room along `n`.
  bool staysAbove(PieceIndex a, PieceIndex b, const Vec3& n, Interval time, double lower) const;

  /// Lower bound [m] during `time` from the boxes, along the world's axes, of what both pieces
  /// sweep, and the direction that separates these; -infinity when they overlap. Cheap and coarse.
  struct BoxGap {
    double distance;
    Vec3 normal;
  };
  BoxGap boxGap(PieceIndex a, PieceIndex b, Interval time) const;

  /// How much nearer the pieces can come during `time` when joints, obstacles and base stray.
  Stray stray(PieceIndex a, PieceIndex b, Interval time);

  /// What a bound must reach beyond the margin for the margin to be kept whatever strays [m]; 0 for
  /// a problem without uncertainty.
  double allowance(PieceIndex a, PieceIndex b, Interval time);

  /// The signed distance at t; at the true poses, from forward kinematics. To all places where the
  /// bodies may be.
  SignedDistance distanceAt(PieceIndex a, PieceIndex b, double t);

  /// A world point in the frame of a mesh that bends. Pre: `body` is one.
  Vec3 inFrameOf(int body, const Vec3& p_W) const {
    return problem_.obstacles[geometry_.bodies[body].obstacle].X_WO.inverse() * p_W;
  }
  /// A point [m, world] of the piece at t, from forward kinematics. Pre: not a plane.
  Vec3 pointAt(PieceIndex i, double t);

  /// The least over the solids of two bodies, which it builds when they are not there yet.
  double bodyDistanceAt(int a, int b, double t, MeshFidelity fidelity);

  /// The curve of a link that carries a body or a cable or is named in a path constraint, one per
  /// cell.
  const std::vector<BodyCurve>& linkCurve(int link) const;

  /// Curves of any link over [0, duration of the trajectory], to `tolerance` [m] at the radius of
  /// its geometry: made for the caller alone, in cells of their own.
  std::vector<BodyCurve> curvesOf(int link, double tolerance) const;

  /// World poses of all links at t.
  const std::vector<Pose>& linkPoses(double t);

 private:
  struct PieceCell {
    std::array<Pose, BodyCurve::kDegree + 1> control;  ///< of the piece's own frame
    double error = 0.0;           ///< [m] of every point: pose polynomial and rounding
    DeformingMesh::Instant from;  ///< of a mesh that bends: where the cell begins,
    double passed = 0.0;          ///< and the share of the stretch between keyframes that it takes
    Mat3 spread_start = Mat3::Zero(), spread_end = Mat3::Zero();  ///< K at both ends of the cell
    Vec3 lower = Vec3::Zero();  ///< box that holds all that the piece sweeps, errors included
    Vec3 upper = Vec3::Zero();
  };
  struct Piece {
    const Geometry* geometry = nullptr;
    bool is_plane = false;
    bool is_still = false;
    const Obstacle* spread = nullptr;          ///< of which only a distribution is known; else null
    const DeformingMesh* deforming = nullptr;  ///< of a mesh that bends; else null
    const Cloud* cloud = nullptr;              ///< of a cloud: the geometry is a box about it
    std::vector<std::int32_t> patch;           ///< its vertices
    Pose X_WO;                                 ///< and its frame
    int stray_solid = -1;                      ///< of `StrayBound`; -1 before it is asked
    std::vector<PieceCell> cells;              ///< one when it is still
    const PieceCell& cell(int i) const { return cells[is_still ? 0 : i]; }
    std::shared_ptr<const MeshBody> body;  ///< at kSurface: for searches between exact meshes
  };
  struct Solids {
    std::vector<Geometry> geometry;
    std::vector<std::vector<std::int32_t>> patches;  ///< of a mesh that bends
    std::vector<Piece> pieces;                       ///< one for each geometry
    std::vector<BodyCurve> curves;  ///< of the body, one per cell, or one when still: at kSurface,
                                    ///< and where there are clouds
  };
  using Projected = std::array<Eigen::Vector4d, BodyCurve::kDegree + 1>;

  void makeLinkCurves(const Problem& problem, const CertifiedGeometry& geometry, double tolerance);
  std::vector<Interval> addCurves(const LinkCurveBuilder& builder,
                                  const std::vector<double>& breaks, double tolerance,
                                  LinkCurveBuilder::Workspace& workspace,
                                  std::vector<std::vector<BodyCurve>>* by_link) const;
  std::vector<double> timeBreaks(double tolerance) const;
  BernsteinSpan plannedSpan(Interval time) const;
  std::vector<BodyCurve> bodyCurves(const Obstacle* obstacle, int link) const;
  BernsteinSpan robotSpan(const BernsteinSpan& planned_span) const;
  VecX coordinateError(int span, const BernsteinSpan& robot_span) const;
  void makePieces(const CertifiedBody& body, bool surfaces, Solids* solids) const;
  void makePatches(const CertifiedBody& body, Solids* solids) const;
  /// What of two bodies' curves belongs to `time` within cell c of the motion.
  BodyCurve curveDuring(PieceIndex i, int c, Interval time) const;
  static PieceCell pieceCell(const BodyCurve& curve, const Geometry& geometry,
                             const Obstacle* spread);
  PieceCell patchCell(const Piece& piece, Interval cell) const;
  static double patchReach(const Piece& piece, const PieceCell& cell, const Vec3& n, double s);
  static double spreadReach(const Piece& piece, const PieceCell& cell, const Vec3& n, double s0,
                            double s1);
  static void reach(const Piece& piece, int cell, const Vec3& n, double s0, double s1,
                    std::array<double, BodyCurve::kDegree + 1>* h);
  const Piece& piece(PieceIndex i) const {
    return solids_[static_cast<int>(i.fidelity)][i.body].pieces[i.piece];
  }
  int cellAt(double t) const;
  double spreadRadius(PieceIndex i, Interval time) const;
  int straySolid(PieceIndex i);
  Pose pieceFrame(PieceIndex i, double t);

  const Problem& problem_;
  const CertifiedGeometry& geometry_;
  const Trajectory& trajectory_;
  std::unique_ptr<LinkCurveBuilder> builder_;
  std::unique_ptr<LinkCurveBuilder::Workspace> workspace_;
  std::vector<Interval> cells_;
  std::vector<std::vector<BodyCurve>> link_curves_;  ///< by link; empty where not needed
  /// By fidelity, then body; empty before `ensurePieces`.
  std::array<std::vector<Solids>, kMeshFidelityCount> solids_;
  std::unique_ptr<StrayBound> stray_;                    ///< null before it is asked
  std::unordered_map<double, std::vector<Pose>> poses_;  ///< of all links, at the times asked for
};

}  // namespace allclear
