#pragma once

#include <span>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

// Enclosing shapes of small volume about solids that share a body frame B.
//
// Enclosing: every point of every solid lies inside the result, of curved solids too. Sizes are
// computed from the result's own stored pose and padded for rounding (some 1e-14 of the largest
// coordinate), so that this holds in exact arithmetic. A single shape that encloses a triangle mesh
// encloses its convex hull.
//
// Every function throws `InputError` when there is no solid or one is a half-space. Flat solids and
// single points are allowed: sizes that would be 0 become the padding (at least 1e-12 m).

/// The smallest enclosing ball: exact to rounding for points and balls, to 1e-9 with discs.
Geometry fitSphere(std::span<const Geometry> solids);

/// A box of small volume: tries every box with a face flush with one of the hull's larger facets,
/// and others, then improves the best locally. Not proven minimal.
Geometry fitBox(std::span<const Geometry> solids);

/// A capsule of small volume: local optima from many axes, refined to about 1e-7. Never larger than
/// the smallest enclosing ball. Not proven minimal.
Geometry fitCapsule(std::span<const Geometry> solids);

/// A cylinder of small volume, by local search over its axis. Not proven minimal.
Geometry fitCylinder(std::span<const Geometry> solids);

/// An ellipsoid of little volume: within 1e-4 of the least about points; about curved solids by
/// points on them first, and then scaled. For obstacles and for what is round: links are mostly
/// enclosed better by a capsule or a box.
Geometry fitEllipsoid(std::span<const Geometry> solids);

/// When to use more than one capsule. Volumes are relative to the solids' own (`solidVolume`).
struct CapsuleSetOptions {
  int max_count = 4;                ///< capsules at the most
  double acceptable_excess = 0.10;  ///< excess volume below which no further capsule is added
  double minimum_gain = 0.10;       ///< excess volume that each further capsule has to remove
};

/// Capsules that together enclose the solids.
struct CapsuleSet {
  std::vector<Geometry> capsules;
  double volume = 0.0;        ///< of the union of the capsules [m^3], to 1e-3
  double hull_volume = 0.0;   ///< of the convex hull of the solids [m^3]
  double solid_volume = 0.0;  ///< `solidVolume` of the solids [m^3]
  /// Whether the solids' insides are covered too: always for convex solids and closed meshes. Of an
  /// open mesh, a surface without an inside, the triangles are covered.
  bool covers_inside = true;
};

/// Cuts the solids by planes where one capsule adds too much volume, and encloses each part by a
/// capsule. Deterministic.
CapsuleSet fitCapsules(std::span<const Geometry> solids, const CapsuleSetOptions& options = {});

/// How far [m] `inner` reaches out of the convex `outer` shape (sphere, capsule, box or cylinder);
/// at most 0 when it is inside. Exact to rounding; for an ellipsoid in a sphere, capsule or
/// cylinder an upper bound, above by some 1e-6 of its size. Throws `InputError` for other kinds of
/// `outer`.
double reachOutside(const Geometry& inner, const Geometry& outer);

/// The volume that the solids fill [m^3], to compare a fit with: the sum over the shapes, overlaps
/// counted twice. A mesh that is open or turned inside out counts as its convex hull.
double solidVolume(std::span<const Geometry> solids);

/// Volume of the union of capsules [m^3], by a grid of `lines` x `lines` parallel lines: 160 give
/// it to about 1e-3. Exact for one capsule. Pre: all shapes are capsules.
double capsuleUnionVolume(std::span<const Geometry> capsules, int lines = 160);

}  // namespace allclear
