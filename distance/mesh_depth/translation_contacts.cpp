// Pairs of leaves in the space of translations: when they meet along a line, and the planes of
// contact that they give.
//
// Two triangles meet at the translations of a convex polytope (Minkowski difference). A facet of it
// that a line enters by, or one near a free translation, is a half-space n.t >= least in which this
// pair never meets: a ContactPlane. `sweepTriangles` has all facets in closed form. Where there are
// none (round bodies) or too many (triangles without area), the shortest connection of the two
// leaves takes the facet's place: the plane square to it supports the same convex set.

#include <algorithm>
#include <cmath>

#include "allclear/distance/mesh/tree_search.h"
#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear::mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An advance ends within this share of the clearance: the place need be no more exact than that.
constexpr double kReached = 1e-3;
/// A line slower than this share of its speed towards a plane runs along it and never meets it.
constexpr double kAlong = 1e-12;
/// Advances start no farther than this along the line: an interval of volumes may be infinite.
constexpr double kFarthestStart = 1e6;
/// The end of an interval may come this much before its begin by rounding [s].
constexpr double kEndBeforeBegin = 1e-9;
constexpr int kMostAdvances = 100;

/// Adds a plane, or raises the one with the same normal.
void addPlane(const ContactPlane& added, std::vector<ContactPlane>* planes) {
  for (ContactPlane& plane : *planes) {
    if ((plane.normal - added.normal).squaredNorm() > kSameNormalSquared) continue;
    plane.least = std::max(plane.least, added.least);
    return;
  }
  planes->push_back(added);
}

/// The unit direction from B to A between the nearest points, or 0; false when the cores meet.
bool normalOf(const LeafDistance& leaf, double* n) {
  const Vec3 w(leaf.a[0] - leaf.b[0], leaf.a[1] - leaf.b[1], leaf.a[2] - leaf.b[2]);
  const double length = w.norm();
  for (int k = 0; k < 3; ++k) n[k] = length > 0.0 ? w[k] / length : 0.0;
  return length > 0.0;
}

}  // namespace

LeafDistance TranslationSpace::leafAt(int a, int b, double s) const {
  Affine X;
  std::copy(line_.R, line_.R + 9, X.R);
  for (int k = 0; k < 3; ++k) X.T[k] = line_.T[k] + s * line_.v[k];
  return leafDistance(A_, a, X, B_, b);
}

/// The interval of s in which two leaves meet, and the planes at its ends.
TriangleSweep TranslationSpace::sweepLeaves(const Item& item, int a, int b) {
  ++triangle_tests;
  const TriangleCorners& of_A = A_.bvh()->triangles()[a];
  if (isRound()) return sweepByAdvancing(item, a, b);
  // A's triangle turned into B's frame; the line adds the translation.
  TriangleCorners turned;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      turned.p[i][k] = line_.R[3 * k] * of_A.p[i][0] + line_.R[3 * k + 1] * of_A.p[i][1] +
                       line_.R[3 * k + 2] * of_A.p[i][2];
    }
  }
  TriangleSweep sweep;
  sweepTriangles(line_, turned, B_.bvh()->triangles()[b], &sweep);
  return sweep.thin ? sweepByAdvancing(item, a, b) : sweep;
}

/// Advances from either end of the volumes' interval by distance over speed. The set of
/// translations at which the leaves meet is convex, so it lies behind the plane square to the
/// shortest connection: a step to that plane never passes a contact (conservative advancement).
TriangleSweep TranslationSpace::sweepByAdvancing(const Item& item, int a, int b) {
  const double clearance = line_.offset - thickness_;
  const Vec3 v(line_.v[0], line_.v[1], line_.v[2]);
  TriangleSweep sweep;
  sweep.thin = true;
  const LeafDistance now = leafAt(a, b, 0.0);
  sweep.gap = now.distance;
  if (!normalOf(now, sweep.normal_gap)) sweep.gap = -kInfinity;
  // From s in the given direction (1 or -1) to the contact, or to an infinity when there is none
  // before `end`; n becomes the last normal.
  const auto advance = [&](double s, double direction, double end, double* n) {
    for (int step = 0; step < kMostAdvances; ++step) {
      const LeafDistance leaf = leafAt(a, b, s);
      double here[3];
      const double left = leaf.distance - clearance;
      if (!normalOf(leaf, here)) return s;
      std::copy(here, here + 3, n);
      if (left <= kReached * clearance) return s;
      const double speed = -direction * (here[0] * v[0] + here[1] * v[1] + here[2] * v[2]);
      if (!(speed > kAlong * v.norm())) return direction * kInfinity;
      s += direction * left / speed;
      if ((end - s) * direction < 0.0) return direction * kInfinity;
    }
    return s;
  };
  const double in = std::max(item.in, -kFarthestStart), out = std::min(item.out, kFarthestStart);
  std::fill_n(sweep.normal_in, 3, 0.0);
  std::fill_n(sweep.normal_out, 3, 0.0);
  sweep.in = v.squaredNorm() > 0.0 ? advance(in, 1.0, out, sweep.normal_in) : in;
  sweep.out = sweep.in <= out && v.squaredNorm() > 0.0
                  ? advance(out, -1.0, sweep.in - kEndBeforeBegin, sweep.normal_out)
                  : out;
  return sweep;
}

/// Whether a pair that blocked a translation lately blocks the start of the line: translations
/// tried one after the other are often blocked by the same pair. The pair found moves to the front.
bool TranslationSpace::isBlockedByRecentPair() {
  for (std::size_t i = 0; i < blockers_.size(); ++i) {
    const Item pair = blockers_[i];
    const TriangleSweep sweep = sweepLeaves(pair, pair.a, pair.b);
    if (sweep.thin || sweep.in > 0.0 || sweep.out < 0.0) continue;
    std::rotate(blockers_.begin(), blockers_.begin() + i, blockers_.begin() + i + 1);
    return true;
  }
  return false;
}

void TranslationSpace::rememberBlocker(const TriangleSweep& sweep, int a, int b) {
  if (isRound() || sweep.thin) return;
  constexpr std::size_t kMany = 24;
  if (blockers_.size() == kMany) blockers_.pop_back();
  blockers_.insert(blockers_.begin(), Item{0.0, 0.0, a, b});
}

/// The planes of the pairs met until one clearance behind the first contact. At (limit - x) d a
/// pair met at x is still one clearance apart: its plane of contact lies that much behind.
void TranslationSpace::planesOfMetPairs(const Vec3& d, double limit, double entry,
                                        std::vector<ContactPlane>* planes) const {
  for (const MetPair& pair : met_) {
    if (pair.in > entry + clearance_) continue;
    addPlane({pair.normal, pair.normal.dot((limit - pair.in) * d) - clearance_}, planes);
  }
}

/// The planes at t, parameter s of the line: among the pairs that the search came by, for a pair
/// within the band there was not pruned before.
void TranslationSpace::planesOfVisited(const Vec3& t, double s, double band,
                                       std::vector<ContactPlane>* planes) {
  planes->clear();
  setLine(t, Vec3::Zero(), band, 0.0);
  for (const Item& item : visited_) {
    if (item.in <= s && item.out >= s) addPlaneOf(item, t, band, planes);
  }
}

/// Adds the plane of a pair of leaves if they are within the band at t, and apart.
bool TranslationSpace::addPlaneOf(const Item& pair, const Vec3& t, double band,
                                  std::vector<ContactPlane>* planes) {
  const TriangleSweep sweep = sweepLeaves(pair, pair.a, pair.b);
  if (!(sweep.gap <= band) || !(sweep.gap > -kInfinity)) return false;
  const Vec3 n(sweep.normal_gap[0], sweep.normal_gap[1], sweep.normal_gap[2]);
  addPlane({n, n.dot(t) - sweep.gap}, planes);
  return true;
}

}  // namespace allclear::mesh
