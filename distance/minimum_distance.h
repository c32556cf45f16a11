#pragma once

#include <optional>
#include <span>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/body_curve.h"
#include "allclear/distance/shape.h"

namespace allclear {

enum class McdStatus {
  kBracketed,       ///< upper - lower is within the tolerance
  kCertifiedAbove,  ///< the distance is >= threshold at every instant, proved
  kBelow,           ///< upper < threshold: some instant is below it, proved (bracketed as well,
                    ///< unless `decide_only` or out of evaluations)
  kUndecided,       ///< out of evaluations: the bracket holds, but is wider than the tolerance
};

const char* mcdStatusName(McdStatus status);

/// Where B may be besides its motion: displaced at every instant by any vector e with n.e <=
/// sqrt(n' K n) for all n. Between the first and the last instant of the query K changes linearly
/// from `start` to `end`: symmetric, without negative eigenvalues [m^2], along the world's axes.
struct Spread {
  Mat3 start = Mat3::Zero();
  Mat3 end = Mat3::Zero();
};

/// Of a search for the minimum of the continuous distance (MCD) over an interval of time.
struct McdOptions {
  /// Wanted width of the bracket [m]; the motion's own uncertainty is added where it exceeds half
  /// of this.
  double tolerance = 1e-3;
  /// Clearance to decide [m]. Far cheaper than a full bracket when the distance stays above it:
  /// then `lower` >= threshold and `upper` is any distance that occurs.
  std::optional<double> threshold;
  /// With a threshold: stop as soon as it is decided, also when the distance falls below it.
  bool decide_only = false;
  /// Make t_star, the witnesses and the normal exact (to rounding) rather than within the
  /// tolerance: needed for gradients.
  bool refine = false;
  /// With `refine`: find out whether they are unique, at the cost of eight static distances per
  /// cell.
  bool check_unique = true;
  /// Gives up (`kUndecided`) after so many static distances.
  int max_evaluations = 100000;
  /// Not null: the distance is that to all places of B together (a Minkowski sum), and `witness_B`
  /// a point of B displaced. Between convex bounded shapes that is exact. A half-space is displaced
  /// by the most that either end of the time asks for, and with a triangle mesh the displacements
  /// count as the ball about them: both only make the distance smaller.
  /// Borrowed for the query.
  const Spread* spread = nullptr;
};

/// What is known of the minimum over time of the signed distance of two moving shapes.
///
/// Distances [m] are negative in penetration. A pair of capsules (or spheres) has the distance
/// |axis_A axis_B| - (r_A + r_B): the penetration depth as long as the axes do not cross, and the
/// floor -(r_A + r_B) when they do.
struct DistanceBracket {
  double lower = 0.0;  ///< lower <= min_t distance(t) of the true motion
  double upper = 0.0;  ///< upper >= min_t distance(t) of the true motion
  double t_star = 0.0;
  /// False when the shapes were found far enough by what they sweep alone: `upper` is then coarse,
  /// and t_star, witnesses and normal mean nothing.
  bool evaluated = true;
  Vec3 witness_A = Vec3::Zero();  ///< world, at t_star, on the surface of A
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, world, from A to B
  McdStatus status = McdStatus::kUndecided;
  /// With `refine`: t_star and the witnesses are unique, as far as examined, so that the gradient
  /// of the minimum exists. False without `refine` and `check_unique`.
  bool unique = false;
  /// Meshes only: the bodies meet at t_star (surfaces to within the motion's error, or one body
  /// inside of the other throughout). Then `witness_B - witness_A` is the translation back of B
  /// that frees it there, unless the contact alone decided the threshold.
  bool penetrating = false;
  int distance_evaluations = 0;
  int bound_evaluations = 0;  ///< lower bounds over an interval computed beyond Lipschitz ones
};

/// A shape fixed to a moving body. `curves` are consecutive cells of time. Both bodies of a query
/// have the same cells; a body at rest may give one still curve (`BodyCurve::still`) for all.
struct MovingShape {
  const Shape* shape = nullptr;
  Pose X_BG;
  std::span<const BodyCurve> curves;
};

/// Brackets min_t distance(A(t), B(t)) over the cells' whole interval, remainders of the curves and
/// rounding included, by branch and bound: both ends are proved. The first query prepares a
/// triangle mesh (`TriangleMesh::body`); against a half-space a mesh counts as its convex hull.
/// Throws `InputError` for two half-spaces, for options out of range and for curves that do not
/// match.
DistanceBracket minimumDistance(const MovingShape& a, const MovingShape& b,
                                const McdOptions& options);

/// Of a search for the first instant below a threshold.
struct FirstContactOptions {
  /// Wanted width of the bracket of the instant [s]. The motion's own uncertainty, divided by the
  /// speed of the fall, is added.
  double tolerance = 1e-9;
  /// Gives up (`kUndecided`) after so many bounds of an interval.
  int max_evaluations = 100000;
};

enum class ContactStatus {
  kNone,       ///< the distance is >= threshold at every instant, proved
  kFound,      ///< below at `below_at`, proved; the first such instant is in the bracket
  kUndecided,  ///< closer to the threshold than the motion is known, or out of evaluations
};

/// What is known of the first instant at which two shapes are nearer than a threshold.
struct FirstContact {
  ContactStatus status = ContactStatus::kNone;
  /// The distance is >= threshold at every instant before this, proved [s]. `kNone`: the end.
  double clear_until = 0.0;
  /// `kFound`: an instant at which the distance is below, proved; within the tolerance of
  /// `clear_until` unless the shapes approach more slowly than the motion is known.
  double below_at = 0.0;
  // Of the instant `below_at`.
  double distance = 0.0;
  Vec3 witness_A = Vec3::Zero();  ///< world
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, world, from A to B
  int evaluations = 0;
};

/// Brackets the first instant at which the distance of two moving convex shapes is below
/// `threshold` [m], remainders of the curves and rounding included. No touch is too short to be
/// found, and no step of time is chosen. A triangle mesh against a half-space counts as its convex
/// hull; any other triangle mesh, and two half-spaces, throw `InputError`.
FirstContact firstContact(const MovingShape& a, const MovingShape& b, double threshold,
                          const FirstContactOptions& options = {});

/// What the gradient of the minimum needs from the query. By the envelope theorem t_star counts as
/// fixed: for parameters q with world point Jacobians J, d(minimum)/dq = normal . (J_B(p_B) -
/// J_A(p_A)) at t_star.
struct WitnessGradient {
  double t_star = 0.0;
  Vec3 p_A = Vec3::Zero();  ///< witness in A's body frame
  Vec3 p_B = Vec3::Zero();  ///< witness in B's body frame
  Vec3 normal = Vec3::UnitX();
  bool unique = false;
};
WitnessGradient witnessGradient(const MovingShape& a, const MovingShape& b,
                                const DistanceBracket& bracket);

}  // namespace allclear
