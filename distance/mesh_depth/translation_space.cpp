#include "allclear/distance/mesh_depth/translation_space.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "allclear/distance/mesh/tree_search.h"

namespace allclear::mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kClearance = 1e-10;
constexpr int kMostJumps = 64;

/// In single precision, no less than x.
float roundedUp(double x) {
  const auto y = static_cast<float>(x);
  return y + std::numeric_limits<float>::epsilon() * std::abs(y);
}

DepthVolume volumeAt(const MeshBody& body, std::int32_t ref) {
  return depthVolume(body.bvh()->nodes()[ref >> 3], ref & 7);
}

void addPlane(const ContactPlane& added, std::vector<ContactPlane>* planes) {
  for (ContactPlane& plane : *planes) {
    if ((plane.normal - added.normal).squaredNorm() > 1e-18) continue;
    plane.least = std::max(plane.least, added.least);
    return;
  }
  planes->push_back(added);
}

}  // namespace

TranslationSpace::TranslationSpace(const MeshBody& A, const MeshBody& B, const Pose& X_BA)
    : A_(A), B_(B), X_BA_(X_BA), thickness_(A.thickness() + B.thickness()) {
  const double size = A.reach() + B.reach();
  clearance_ = kClearance * size + 1e-14 * X_BA.p.norm();
  farthest_ = X_BA.p.norm() + size + 4.0 * clearance_;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) line_.R[3 * i + k] = X_BA.R(i, k);
  }
  root_A_ = depthVolume(A.root());
  root_B_ = depthVolume(B.root());
  setLine(Vec3::Zero(), Vec3::UnitX(), clearance_, 0.0);
}

void TranslationSpace::setLine(const Vec3& from, const Vec3& v, double clearance, double most) {
  for (int k = 0; k < 3; ++k) {
    line_.T[k] = X_BA_.p[k] + from[k];
    line_.v[k] = v[k];
  }
  line_.offset = clearance + thickness_;
  coarse_ = coarsen(line_, most, A_.reach(), B_.reach());
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

/// Calls `keep` for each pair of volumes below that may meet at some s from `first` to `last`.
template <class Keep>
void TranslationSpace::openNode(const Item& item, double first, double last, const Keep& keep) {
  ++node_tests;
  const std::int32_t a = below(A_, item.a), b = below(B_, item.b);
  const bool opens_A = isLeaf(b) || (!isLeaf(a) && radiusOf(A_, item.a) >= radiusOf(B_, item.b));
  LaneIntervals lanes;
  const float from = -roundedUp(-first), to = roundedUp(last);
  unsigned meeting = 0;
  if (opens_A) {
    const DepthVolume of_B = item.b == kRoot ? root_B_ : volumeAt(B_, item.b);
    meeting = intervalsOpeningA(coarse_, A_.bvh()->nodes()[a], of_B, from, to, &lanes);
  } else {
    const DepthVolume of_A = item.a == kRoot ? root_A_ : volumeAt(A_, item.a);
    meeting = intervalsOpeningB(coarse_, of_A, B_.bvh()->nodes()[b], from, to, &lanes);
  }
  const std::int32_t other = opens_A ? b : a;
  const MeshBody &opened = opens_A ? A_ : B_, &rest = opens_A ? B_ : A_;
  const LeafCorners* corners = opened.bvh()->corners(opens_A ? a : b);
  if (meeting != 0 && corners != nullptr && isLeaf(other) && rest.bvh() != nullptr) {
    meeting = facesMeeting(coarse_, *corners, opens_A, rest.bvh()->triangles()[~other], from, to,
                           meeting, &lanes);
  }
  const int width = opens_A ? A_.bvh()->width(a) : B_.bvh()->width(b);
  for (meeting &= (1U << width) - 1U; meeting != 0; meeting &= meeting - 1U) {
    const int l = std::countr_zero(meeting);
    keep(Item{double{lanes.in[l]}, double{lanes.out[l]}, opens_A ? a << 3 | l : item.a,
              opens_A ? item.b : b << 3 | l});
  }
}

LeafDistance TranslationSpace::leafAt(int a, int b, double s) const {
  Affine X;
  std::copy(line_.R, line_.R + 9, X.R);
  for (int k = 0; k < 3; ++k) X.T[k] = line_.T[k] + s * line_.v[k];
  return leafDistance(A_, a, X, B_, b);
}

TriangleSweep TranslationSpace::sweepLeaves(const Item& item, int a, int b) {
  ++triangle_tests;
  const TriangleCorners& of_A = A_.bvh()->triangles()[a];
  if (isRound()) return sweepRound(item, a, b);
  TriangleCorners turned;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      turned.p[i][k] = line_.R[3 * k] * of_A.p[i][0] + line_.R[3 * k + 1] * of_A.p[i][1] +
                       line_.R[3 * k + 2] * of_A.p[i][2];
    }
  }
  TriangleSweep sweep;
  sweepTriangles(line_, turned, B_.bvh()->triangles()[b], &sweep);
  return sweep.thin ? sweepRound(item, a, b) : sweep;
}

/// Advances from either end of the volumes' interval: the set of translations that meet is convex,
/// so that the plane square to the shortest connection is never passed.
TriangleSweep TranslationSpace::sweepRound(const Item& item, int a, int b) {
  const double room = line_.offset - thickness_;
  const Vec3 v(line_.v[0], line_.v[1], line_.v[2]);
  TriangleSweep sweep;
  sweep.thin = true;
  const auto normalAt = [&](const LeafDistance& leaf, double* n) {
    const Vec3 w(leaf.a[0] - leaf.b[0], leaf.a[1] - leaf.b[1], leaf.a[2] - leaf.b[2]);
    const double length = w.norm();
    for (int k = 0; k < 3; ++k) n[k] = length > 0.0 ? w[k] / length : 0.0;
    return length > 0.0;
  };
  const LeafDistance now = leafAt(a, b, 0.0);
  sweep.gap = now.distance;
  if (!normalAt(now, sweep.normal_gap)) sweep.gap = -kInfinity;
  const auto advance = [&](double s, double direction, double end, double* n) {
    for (int step = 0; step < 100; ++step) {
      const LeafDistance leaf = leafAt(a, b, s);
      double here[3];
      const double left = leaf.distance - room;
      if (!normalAt(leaf, here)) return s;
      std::copy(here, here + 3, n);
      if (left <= 1e-3 * room) return s;
      const double speed = -direction * (here[0] * v[0] + here[1] * v[1] + here[2] * v[2]);
      if (!(speed > 1e-12 * v.norm())) return direction * kInfinity;
      s += direction * left / speed;
      if ((end - s) * direction < 0.0) return direction * kInfinity;
    }
    return s;
  };
  const double in = std::max(item.in, -1e6), out = std::min(item.out, 1e6);
  std::fill_n(sweep.normal_in, 3, 0.0);
  std::fill_n(sweep.normal_out, 3, 0.0);
  sweep.in = v.squaredNorm() > 0.0 ? advance(in, 1.0, out, sweep.normal_in) : in;
  sweep.out = sweep.in <= out && v.squaredNorm() > 0.0
                  ? advance(out, -1.0, sweep.in - 1e-9, sweep.normal_out)
                  : out;
  return sweep;
}

/// Where the cover of s by pairs that meet ends, going on along the line; nothing beyond `most`.
/// Pairs that reach farthest first: then few matter.
std::optional<double> TranslationSpace::coveredUntil(double s, double most) {
  startOver();
  later_.clear();
  while (true) {
    while (!stack_.empty()) {
      const Item item = stack_.back();
      stack_.pop_back();
      if (item.out <= s) continue;
      int a, b;
      if (isPairOfLeaves(item, &a, &b)) {
        const TriangleSweep sweep = sweepLeaves(item, ~a, ~b);
        if (sweep.in > sweep.out || sweep.out <= s) continue;
        if (sweep.in > s) {
          later_.push_back({sweep.in, sweep.out, item.a, item.b});
          continue;
        }
        s = sweep.out;
        exit_normal_ = Vec3(sweep.normal_out[0], sweep.normal_out[1], sweep.normal_out[2]);
        if (s > most) return std::nullopt;
        continue;
      }
      const std::size_t first = stack_.size();
      openNode(item, s, most, [&](const Item& child) {
        if (child.out <= s) return;
        if (child.in > s) {
          later_.push_back(child);
          return;
        }
        stack_.push_back(child);
        for (std::size_t k = stack_.size() - 1; k > first && stack_[k - 1].out > stack_[k].out;
             --k) {
          std::swap(stack_[k - 1], stack_[k]);
        }
      });
    }
    const auto due =
        std::partition(later_.begin(), later_.end(), [&](const Item& item) { return item.in > s; });
    stack_.assign(due, later_.end());
    later_.erase(due, later_.end());
    if (stack_.empty()) return s;
  }
}

std::optional<double> TranslationSpace::exit(const Vec3& d, double most) {
  double s = 0.0;
  exit_normal_.setZero();
  for (int jump = 0; jump < kMostJumps; ++jump) {
    setLine(Vec3::Zero(), d, clearance_, std::min(most, farthest_));
    const std::optional<double> until = coveredUntil(s, most);
    if (!until) return std::nullopt;
    s = *until;
    if (!isContained(s * d)) return s;
    // Free surfaces, but inside: on to where the surfaces meet again.
    const double end = std::min(most, farthest_);
    if (s >= end) return std::nullopt;
    const std::optional<double> share = firstContact(s * d, end * d, clearance_);
    if (!share) return std::nullopt;
    s += *share * (end - s) + 1e-3 * clearance_;
  }
  return std::nullopt;
}

/// Pairs that were in the way lately are likely to be again, of translations nearby.
bool TranslationSpace::isStillMet() {
  for (std::size_t i = 0; i < in_the_way_.size(); ++i) {
    const Item pair = in_the_way_[i];
    const TriangleSweep sweep = sweepLeaves(pair, pair.a, pair.b);
    if (sweep.thin || sweep.in > 0.0 || sweep.out < 0.0) continue;
    std::rotate(in_the_way_.begin(), in_the_way_.begin() + i, in_the_way_.begin() + i + 1);
    return true;
  }
  return false;
}

void TranslationSpace::rememberMet(const TriangleSweep& sweep, int a, int b) {
  if (isRound() || sweep.thin) return;
  constexpr std::size_t kMany = 24;
  if (in_the_way_.size() == kMany) in_the_way_.pop_back();
  in_the_way_.insert(in_the_way_.begin(), Item{0.0, 0.0, a, b});
}

std::optional<double> TranslationSpace::inward(const Vec3& d, double most,
                                               std::vector<ContactPlane>* planes) {
  exit_normal_.setZero();
  planes->clear();
  met_.clear();
  setLine(most * d, -d, clearance_, most + clearance_);
  if (isStillMet()) return std::nullopt;
  startOver();
  double best = most;
  const double band = clearance_;
  while (!stack_.empty()) {
    const Item item = stack_.back();
    stack_.pop_back();
    if (item.in >= best + band) continue;
    int a, b;
    if (isPairOfLeaves(item, &a, &b)) {
      const TriangleSweep sweep = sweepLeaves(item, ~a, ~b);
      if (sweep.in > sweep.out || sweep.out < 0.0 || sweep.in > best + band) continue;
      if (sweep.in <= 0.0) {
        rememberMet(sweep, ~a, ~b);
        return std::nullopt;
      }
      met_.push_back({sweep.in, Vec3(sweep.normal_in[0], sweep.normal_in[1], sweep.normal_in[2])});
      best = std::min(best, sweep.in);
      continue;
    }
    const std::size_t first = stack_.size();
    openNode(item, 0.0, best + band, [&](const Item& child) {
      stack_.push_back(child);
      for (std::size_t k = stack_.size() - 1; k > first && stack_[k - 1].in < stack_[k].in; --k) {
        std::swap(stack_[k - 1], stack_[k]);
      }
    });
  }
  const double s = most - best;
  if (isContained(s * d)) return std::nullopt;
  for (const MetPair& pair : met_) {
    if (pair.in > best + band) continue;
    // On the plane at (most - in) d, with the clearance of this search beyond it.
    addPlane({pair.normal, pair.normal.dot((most - pair.in) * d) - clearance_}, planes);
    if (pair.in == best) exit_normal_ = pair.normal;
  }
  return s;
}

std::optional<double> TranslationSpace::firstContact(const Vec3& from, const Vec3& to,
                                                     double clearance,
                                                     std::vector<ContactPlane>* planes,
                                                     double band) {
  setLine(from, to - from, clearance, 1.0);
  if (planes != nullptr) {
    // Volumes with room for the band, so that none whose planes are asked for is passed by.
    LineMotion wide = line_;
    wide.offset = std::max(line_.offset, band + thickness_);
    coarse_ = coarsen(wide, 1.0, A_.reach(), B_.reach());
  }
  visited_.clear();
  startOver();
  double best = kInfinity;
  // Pairs left at once were in contact at the start, and only by rounding.
  const double left = 0.1 * clearance / std::max((to - from).norm(), clearance);
  while (!stack_.empty()) {
    const Item item = stack_.back();
    stack_.pop_back();
    if (item.in > best) continue;
    int a, b;
    if (isPairOfLeaves(item, &a, &b)) {
      visited_.push_back({item.in, item.out, ~a, ~b});
      const TriangleSweep sweep = sweepLeaves(item, ~a, ~b);
      if (sweep.in <= sweep.out && sweep.out > left && sweep.in <= 1.0) {
        best = std::min(best, std::max(sweep.in, 0.0));
      }
      continue;
    }
    const std::size_t first = stack_.size();
    openNode(item, 0.0, std::min(best, 1.0), [&](const Item& child) {
      stack_.push_back(child);
      for (std::size_t k = stack_.size() - 1; k > first && stack_[k - 1].in < stack_[k].in; --k) {
        std::swap(stack_[k - 1], stack_[k]);
      }
    });
  }
  const double end = std::min(best, 1.0);
  if (planes != nullptr) planesOfVisited(from + end * (to - from), end, band, planes);
  if (best > 1.0) return std::nullopt;
  return best;
}

void TranslationSpace::planesOfVisited(const Vec3& t, double s, double band,
                                       std::vector<ContactPlane>* planes) {
  planes->clear();
  setLine(t, Vec3::Zero(), band, 0.0);
  for (const Item& item : visited_) {
    if (item.in <= s && item.out >= s) addPlaneOf(item, t, band, planes);
  }
}

bool TranslationSpace::addPlaneOf(const Item& pair, const Vec3& t, double band,
                                  std::vector<ContactPlane>* planes) {
  const TriangleSweep sweep = sweepLeaves(pair, pair.a, pair.b);
  if (!(sweep.gap <= band) || !(sweep.gap > -kInfinity)) return false;
  const Vec3 n(sweep.normal_gap[0], sweep.normal_gap[1], sweep.normal_gap[2]);
  addPlane({n, n.dot(t) - sweep.gap}, planes);
  return true;
}

void TranslationSpace::planesAt(const Vec3& t, double band, std::vector<ContactPlane>* planes,
                                Vec3* middle) {
  planes->clear();
  Vec3 sum = Vec3::Zero();
  int count = 0;
  setLine(t, Vec3::Zero(), band, 0.0);
  startOver();
  while (!stack_.empty()) {
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
