// Queries along lines in the space of translations of A.
//
// Geometry. Two convex sets meet at the translations of a convex polytope (their Minkowski
// difference), so the s at which two leaves meet on a line from + s v form one interval
// [in, out]. The blocked part of the line is the union of the intervals of all pairs of leaves (and
// the stretches where one body is inside the other, where no leaves meet). Bounding boxes contain
// their triangles, hence a box pair's interval contains those of all pairs of triangles below it:
// what lies outside of it need not be opened. `line_boxes.cpp` bounds the boxes in single precision
// with room for rounding, `line_kernels.cpp` gives the triangles' interval exactly.
//
// Four queries read this union in different ways:
// - firstFree: from the origin, where the union of intervals first has a gap;
// - contactFromOutside: from far out, the largest s that is in any interval (branch and bound);
// - firstContact: the least s in any interval, between two free translations;
// - planesAt: all pairs within a band at one translation (the line has no direction then).

#include "allclear/distance/mesh_depth/translation_space.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "allclear/distance/mesh/tree_search.h"

namespace allclear::mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Of the bodies' size: surfaces nearer than this count as meeting. Well above the rounding of a
/// pair of triangles (some 1e-15 of the size), well below what matters.
constexpr double kClearance = 1e-10;
/// Of the bodies' distance: coordinates far from the origin round to 1e-16 of it.
constexpr double kPlaceRounding = 1e-14;
/// Of the clearance: a line goes on this much behind a contact that it has left.
constexpr double kStepOn = 1e-3;
/// Of the clearance: pairs that are left at once were in contact at the start only by rounding.
constexpr double kLeftAtOnce = 0.1;
constexpr int kMostJumps = 64;

/// In single precision, no less than x.
float roundedUp(double x) {
  const auto y = static_cast<float>(x);
  return y + std::numeric_limits<float>::epsilon() * std::abs(y);
}

LineBox boxAt(const MeshBody& body, std::int32_t ref) {
  return lineBox(body.bvh()->nodes()[ref >> 3], ref & 7);
}

}  // namespace

TranslationSpace::TranslationSpace(const MeshBody& A, const MeshBody& B, const Pose& X_BA)
    : A_(A), B_(B), X_BA_(X_BA), thickness_(A.thickness() + B.thickness()) {
  const double size = A.reach() + B.reach();
  clearance_ = kClearance * size + kPlaceRounding * X_BA.p.norm();
  farthest_ = X_BA.p.norm() + size + 4.0 * clearance_;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) line_.R[3 * i + k] = X_BA.R(i, k);
  }
  root_A_ = lineBox(A.root());
  root_B_ = lineBox(B.root());
  setLine(Vec3::Zero(), Vec3::UnitX(), clearance_, 0.0);
}

void TranslationSpace::setLine(const Vec3& from, const Vec3& v, double clearance, double limit) {
  for (int k = 0; k < 3; ++k) {
    line_.T[k] = X_BA_.p[k] + from[k];
    line_.v[k] = v[k];
  }
  line_.offset = clearance + thickness_;
  coarse_ = coarsen(line_, limit, A_.reach(), B_.reach());
}

void TranslationSpace::startOver() {
  stack_.clear();
  stack_.push_back({-kInfinity, kInfinity, kRoot, kRoot});
}

bool TranslationSpace::isPairOfLeaves(const Item& item, int* a, int* b) const {
  *a = below(A_, item.a);
  *b = below(B_, item.b);
  return isLeaf(*a) && isLeaf(*b);
}

/// Opens the larger volume of a pair and calls `keep` for each pair below that may meet at some s
/// in [first, last].
template <class Keep>
void TranslationSpace::openNode(const Item& item, double first, double last, const Keep& keep) {
  ++node_tests;
  const std::int32_t a = below(A_, item.a), b = below(B_, item.b);
  const bool opens_A = isLeaf(b) || (!isLeaf(a) && radiusOf(A_, item.a) >= radiusOf(B_, item.b));
  LaneIntervals lanes;
  // The range is rounded outward for the kernels.
  const float from = -roundedUp(-first), to = roundedUp(last);
  unsigned meeting = 0;
  if (opens_A) {
    const LineBox of_B = item.b == kRoot ? root_B_ : boxAt(B_, item.b);
    meeting = intervalsOpeningA(coarse_, A_.bvh()->nodes()[a], of_B, from, to, &lanes);
  } else {
    const LineBox of_A = item.a == kRoot ? root_A_ : boxAt(A_, item.a);
    meeting = intervalsOpeningB(coarse_, of_A, B_.bvh()->nodes()[b], from, to, &lanes);
  }
  // Triangles against a triangle: their normals separate many pairs whose boxes meet.
  const std::int32_t other = opens_A ? b : a;
  const MeshBody &opened = opens_A ? A_ : B_, &rest = opens_A ? B_ : A_;
  const LeafCorners* corners = opened.bvh()->corners(opens_A ? a : b);
  if (meeting != 0 && corners != nullptr && isLeaf(other) && rest.bvh() != nullptr) {
    meeting = narrowAlongNormals(coarse_, *corners, opens_A, rest.bvh()->triangles()[~other], from,
                                 to, meeting, &lanes);
  }
  // Lanes past the width repeat the first.
  const int width = opens_A ? A_.bvh()->width(a) : B_.bvh()->width(b);
  for (meeting &= (1U << width) - 1U; meeting != 0; meeting &= meeting - 1U) {
    const int l = std::countr_zero(meeting);
    keep(Item{double{lanes.in[l]}, double{lanes.out[l]}, opens_A ? a << 3 | l : item.a,
              opens_A ? item.b : b << 3 | l});
  }
}

void TranslationSpace::pushByEntry(const Item& item, double first, double last) {
  const std::size_t bottom = stack_.size();
  openNode(item, first, last, [&](const Item& child) {
    // Insertion sort of at most eight.
    stack_.push_back(child);
    for (std::size_t k = stack_.size() - 1; k > bottom && stack_[k - 1].in < stack_[k].in; --k) {
      std::swap(stack_[k - 1], stack_[k]);
    }
  });
}

/// The children that block the line somewhere beyond s: those that block s itself go on the stack,
/// the one that reaches farthest on top; those that begin later are deferred.
void TranslationSpace::pushReachingBeyond(const Item& item, double s, double limit) {
  const std::size_t bottom = stack_.size();
  openNode(item, s, limit, [&](const Item& child) {
    if (child.out <= s) return;
    if (child.in > s) {
      deferred_.push_back(child);
      return;
    }
    stack_.push_back(child);
    for (std::size_t k = stack_.size() - 1; k > bottom && stack_[k - 1].out > stack_[k].out; --k) {
      std::swap(stack_[k - 1], stack_[k]);
    }
  });
}

/// Moves s along the line as far as the pairs on the stack block it without a gap; false when that
/// is beyond the limit.
bool TranslationSpace::coverFrom(double* s, double limit) {
  while (!stack_.empty()) {
    steps_.step();
    const Item item = stack_.back();
    stack_.pop_back();
    if (item.out <= *s) continue;
    int a, b;
    if (!isPairOfLeaves(item, &a, &b)) {
      pushReachingBeyond(item, *s, limit);
      continue;
    }
    // Behind s, or never met; ahead of s, with a gap before it; or across s: then s moves on.
    const TriangleSweep sweep = sweepLeaves(item, ~a, ~b);
    if (sweep.in > sweep.out || sweep.out <= *s) continue;
    if (sweep.in > *s) {
      deferred_.push_back({sweep.in, sweep.out, item.a, item.b});
      continue;
    }
    *s = sweep.out;
    if (*s > limit) return false;
  }
  return true;
}

/// The end of the stretch from s on that pairs block without a gap; nothing when it is beyond the
/// limit. Pairs that reach farthest are visited first: then few others matter.
std::optional<double> TranslationSpace::endOfCover(double s, double limit) {
  startOver();
  deferred_.clear();
  while (true) {
    if (!coverFrom(&s, limit)) return std::nullopt;
    // Deferred pairs that begin before the new s are due.
    const auto due = std::partition(deferred_.begin(), deferred_.end(),
                                    [&](const Item& item) { return item.in > s; });
    stack_.assign(due, deferred_.end());
    deferred_.erase(due, deferred_.end());
    if (stack_.empty()) return s;
  }
}

std::optional<double> TranslationSpace::firstFree(const Vec3& d, double limit) {
  double s = 0.0;
  for (int jump = 0; jump < kMostJumps; ++jump) {
    setLine(Vec3::Zero(), d, clearance_, std::min(limit, farthest_));
    const std::optional<double> until = endOfCover(s, limit);
    if (!until) return std::nullopt;
    s = *until;
    if (!isContained(s * d)) return s;
    // The surfaces are apart, but one body is inside the other: on to where surfaces meet again.
    const double end = std::min(limit, farthest_);
    if (s >= end) return std::nullopt;
    const std::optional<double> share = firstContact(s * d, end * d, clearance_);
    if (!share) return std::nullopt;
    s += *share * (end - s) + kStepOn * clearance_;
  }
  return std::nullopt;
}

/// Along the line from its start: the s at which the first pair is met, or `limit` when none is;
/// `met_` gets the pairs met until `band` later, and some others. Nothing when a pair meets at the
/// start already.
std::optional<double> TranslationSpace::pairsMetFirst(double limit, double band) {
  startOver();
  double best = limit;
  while (!stack_.empty()) {
    steps_.step();
    const Item item = stack_.back();
    stack_.pop_back();
    if (item.in >= best + band) continue;
    int a, b;
    if (!isPairOfLeaves(item, &a, &b)) {
      pushByEntry(item, 0.0, best + band);
      continue;
    }
    const TriangleSweep sweep = sweepLeaves(item, ~a, ~b);
    if (sweep.in > sweep.out || sweep.out < 0.0 || sweep.in > best + band) continue;
    // Met at the start: `limit` is not free, and nothing else matters.
    if (sweep.in <= 0.0) {
      rememberBlocker(sweep, ~a, ~b);
      return std::nullopt;
    }
    met_.push_back({sweep.in, Vec3(sweep.normal_in[0], sweep.normal_in[1], sweep.normal_in[2])});
    best = std::min(best, sweep.in);
  }
  return best;
}

std::optional<double> TranslationSpace::contactFromOutside(const Vec3& d, double limit,
                                                           std::vector<ContactPlane>* planes) {
  planes->clear();
  met_.clear();
  // The line runs from limit d inward: its parameter x is s = limit - x.
  setLine(limit * d, -d, clearance_, limit + clearance_);
  if (isBlockedByRecentPair()) return std::nullopt;
  const std::optional<double> entry = pairsMetFirst(limit, clearance_);
  if (!entry) return std::nullopt;
  const double s = limit - *entry;
  if (isContained(s * d)) return std::nullopt;
  planesOfMetPairs(d, limit, *entry, planes);
  return s;
}

std::optional<double> TranslationSpace::firstContact(const Vec3& from, const Vec3& to,
                                                     double clearance,
                                                     std::vector<ContactPlane>* planes,
                                                     double band) {
  setLine(from, to - from, clearance, 1.0);
  if (planes != nullptr) {
    // Volumes with room for the band: no pair within it is passed by.
    LineMotion wide = line_;
    wide.offset = std::max(line_.offset, band + thickness_);
    coarse_ = coarsen(wide, 1.0, A_.reach(), B_.reach());
  }
  visited_.clear();
  startOver();
  double best = kInfinity;
  // As a share of the way.
  const double left = kLeftAtOnce * clearance / std::max((to - from).norm(), clearance);
  while (!stack_.empty()) {
    steps_.step();
    const Item item = stack_.back();
    stack_.pop_back();
    if (item.in > best) continue;
    int a, b;
    if (!isPairOfLeaves(item, &a, &b)) {
      pushByEntry(item, 0.0, std::min(best, 1.0));
      continue;
    }
    visited_.push_back({item.in, item.out, ~a, ~b});
    const TriangleSweep sweep = sweepLeaves(item, ~a, ~b);
    if (sweep.in <= sweep.out && sweep.out > left && sweep.in <= 1.0) {
      best = std::min(best, std::max(sweep.in, 0.0));
    }
  }
  const double end = std::min(best, 1.0);
  if (planes != nullptr) planesOfVisited(from + end * (to - from), end, band, planes);
  if (best > 1.0) return std::nullopt;
  return best;
}

void TranslationSpace::planesAt(const Vec3& t, double band, std::vector<ContactPlane>* planes,
                                Vec3* middle) {
  planes->clear();
  Vec3 sum = Vec3::Zero();
  int count = 0;
  // A line without direction: volumes meet for all s or for none.
  setLine(t, Vec3::Zero(), band, 0.0);
  startOver();
  while (!stack_.empty()) {
    steps_.step();
    const Item item = stack_.back();
    stack_.pop_back();
    int a, b;
    if (!isPairOfLeaves(item, &a, &b)) {
      openNode(item, 0.0, 0.0, [&](const Item& child) { stack_.push_back(child); });
      continue;
    }
    if (!addPlaneOf({item.in, item.out, ~a, ~b}, t, band, planes)) continue;
    if (middle != nullptr) {
      const LeafDistance leaf = leafAt(~a, ~b, 0.0);
      sum += Vec3(leaf.a[0], leaf.a[1], leaf.a[2]);
      ++count;
    }
  }
  if (count > 0) *middle = sum / count;
}

bool TranslationSpace::isContained(const Vec3& t) const {
  if (!A_.hasInside() && !B_.hasInside()) return false;
  return isInside(A_, {X_BA_.R, X_BA_.p + t}, B_);
}

}  // namespace allclear::mesh
