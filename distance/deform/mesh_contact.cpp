// Contact of two meshes that both bend: whether they keep a distance, and when they first do not.
//
// Contact (threshold 0) is that of features, as in self_contact.cpp. With a threshold each pair of
// triangles whose widened boxes meet is bounded from below: for any unit vector n and any interval
// of t whose ends are s and e,
//   distance(t) >= min over both ends [ min over a of n . a - max over b of n . b ]
// for all t between, because n . a is linear in t, the least of three linear functions is concave
// and the greatest convex: their difference is least at an end. n is the direction between the
// nearest points at the middle or at the start. Intervals are halved, early halves first, until the
// bound reaches the threshold or the distance at an instant is below it.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "allclear/distance/deform/feature_pairs.h"
#include "allclear/distance/deform/patch_cull.h"
#include "allclear/distance/deform/step_check.h"
#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/self_contact.h"

namespace allclear {
namespace {

using deform::FeaturePair;
using deform::TrianglePair;
using MovingTriangle = std::array<MovingPoint, 3>;

/// Rounding of n . a - n . b over the largest coordinate: interpolation, products and sums, fewer
/// than 30 roundings of 1.1e-16.
constexpr double kRounding = 4e-15;

MovingTriangle movingTriangle(const MeshStep& step, int t) {
  MovingTriangle out;
  for (int k = 0; k < 3; ++k) {
    const int v = step.triangles[t][k];
    out[k] = {step.start[v], step.end[v]};
  }
  return out;
}

double largestCoordinate(const MovingTriangle& t) {
  double most = 0.0;
  for (const MovingPoint& p : t)
    most = std::max({most, p.start.cwiseAbs().maxCoeff(), p.end.cwiseAbs().maxCoeff()});
  return most;
}

TriangleCorners cornersAt(const MovingTriangle& m, double t) {
  const auto at = [&](int k) -> Vec3 { return (1.0 - t) * m[k].start + t * m[k].end; };
  return cornersOf(at(0), at(1), at(2));
}

/// The room between two triangles along n, towards A.
double room(const Vec3& n, const TriangleCorners& A, const TriangleCorners& B) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    least = std::min(least, n.dot(A.corner(k)));
    most = std::max(most, n.dot(B.corner(k)));
  }
  return least - most;
}

/// When two triangles first come nearer than the threshold.
class PairApproach {
 public:
  PairApproach(const MovingTriangle& a, const MovingTriangle& b, const MeshContactOptions& options)
      : a_(a),
        b_(b),
        options_(options),
        slack_(kRounding * std::max(largestCoordinate(a), largestCoordinate(b))) {}

  /// Looks at [0, stop). `kTouches` with the instant, `kUndecided` or `kFree`.
  ContactVerdict search(double stop, double* time, bool* is_first) const {
    std::vector<Interval> stack{{0.0, 1.0}};
    double undecided = 2.0;
    for (int count = 0; !stack.empty(); ++count) {
      const Interval part = stack.back();
      stack.pop_back();
      // Early halves come first, so all that lies before `part` is decided.
      if (part.lower >= stop) continue;
      if (count >= options_.max_intervals) {
        undecided = std::min(undecided, part.lower);
        break;
      }
      const auto found = nearInstant(part);
      if (found >= 0.0) {
        *time = found;
        *is_first = undecided >= found - 2.0 * options_.time_resolution;
        return ContactVerdict::kTouches;
      }
      if (isClear(part)) continue;
      if (part.length() <= options_.time_resolution) {
        undecided = std::min(undecided, part.lower);
        continue;
      }
      stack.push_back({part.middle(), part.upper});
      stack.push_back({part.lower, part.middle()});
    }
    *time = undecided;
    return undecided <= 1.0 ? ContactVerdict::kUndecided : ContactVerdict::kFree;
  }

 private:
  double distanceAt(double t) const {
    return triangleDistance(cornersAt(a_, t), cornersAt(b_, t)).distance;
  }

  /// The interval's start when the triangles are near there, its end when the interval cannot be
  /// halved and they are near there; else -1.
  double nearInstant(const Interval& part) const {
    if (distanceAt(part.lower) < options_.threshold) return part.lower;
    if (part.length() <= options_.time_resolution && distanceAt(part.upper) < options_.threshold)
      return part.upper;
    return -1.0;
  }

  bool isClear(const Interval& part) const {
    for (double t : {part.middle(), part.lower}) {
      const TriangleDistance nearest = triangleDistance(cornersAt(a_, t), cornersAt(b_, t));
      const Vec3 between = nearest.pointA() - nearest.pointB();
      const double length = between.norm();
      if (!(length > 0.0)) continue;
      const Vec3 n = between / length;
      const double start = room(n, cornersAt(a_, part.lower), cornersAt(b_, part.lower));
      const double end = room(n, cornersAt(a_, part.upper), cornersAt(b_, part.upper));
      if (start >= options_.threshold + slack_ && end >= options_.threshold + slack_) return true;
    }
    return false;
  }

  const MovingTriangle& a_;
  const MovingTriangle& b_;
  const MeshContactOptions& options_;
  double slack_;
};

/// Keeps the earliest contact; a pair without an answer counts only where there is no contact, but
/// then an earlier one is not excluded.
class FirstContact {
 public:
  void add(ContactVerdict verdict, double time, bool is_first, const MeshFeature& a,
           const MeshFeature& b) {
    if (verdict == ContactVerdict::kUndecided) undecided_ = std::min(undecided_, time);
    if (!is_first) undecided_ = 0.0;
    const bool is_better = verdict == ContactVerdict::kTouches
                               ? result_.verdict != verdict || time < result_.time
                               : result_.verdict == ContactVerdict::kFree;
    if (verdict == ContactVerdict::kFree || !is_better) return;
    result_ = {verdict, a, b, time, false};
  }
  /// Nothing at or after this instant matters.
  double stop() const {
    return result_.verdict == ContactVerdict::kTouches ? result_.time : HUGE_VAL;
  }
  MeshContact result(double time_resolution) const {
    MeshContact out = result_;
    out.is_first =
        out.verdict == ContactVerdict::kTouches && undecided_ >= out.time - 2.0 * time_resolution;
    return out;
  }

 private:
  MeshContact result_{ContactVerdict::kFree};
  double undecided_ = HUGE_VAL;  ///< the first instant without an answer
};

void decideFeatures(const deform::FeatureSide& a, const deform::FeatureSide& b,
                    const std::vector<FeaturePair>& pairs, int max_boxes, FirstContact* first) {
  for (const FeaturePair& pair : pairs) {
    const FeatureMeeting meeting = deform::decide(a, b, pair, {.max_boxes = max_boxes});
    if (meeting.verdict == FeatureMeeting::Verdict::kApart) continue;
    const bool touches = meeting.verdict == FeatureMeeting::Verdict::kTouching;
    first->add(touches ? ContactVerdict::kTouches : ContactVerdict::kUndecided, meeting.time, true,
               pair.is_swapped ? pair.b : pair.a, pair.is_swapped ? pair.a : pair.b);
  }
}

}  // namespace

MeshContact contactOf(const MeshStep& a, const MeshStep& b, const MeshContactOptions& options) {
  deform::requireStep(a);
  deform::requireStep(b);
  const deform::BendingMesh mesh_a({a.triangles.begin(), a.triangles.end()}, a.start, 1);
  const deform::BendingMesh mesh_b({b.triangles.begin(), b.triangles.end()}, b.start, 1);
  deform::StepBoxes boxes_a, boxes_b;
  const double threshold = std::max(0.0, options.threshold);
  // Boxes of triangles nearer than the threshold meet when one of them is widened by it.
  deform::fillBoxes(a, mesh_a.trees[0], threshold, &boxes_a);
  deform::fillBoxes(b, mesh_b.trees[0], 0.0, &boxes_b);
  std::vector<TrianglePair> pairs;
  deform::pairsBetween(mesh_a.trees[0], boxes_a, mesh_b.trees[0], boxes_b, &pairs);
  FirstContact first;
  if (threshold > 0.0) {
    for (const TrianglePair& pair : pairs) {
      const MovingTriangle A = movingTriangle(a, pair[0]), B = movingTriangle(b, pair[1]);
      double time = 0.0;
      bool is_first = true;
      const ContactVerdict verdict =
          PairApproach(A, B, options).search(first.stop(), &time, &is_first);
      first.add(verdict, time, is_first, a.triangles[pair[0]], b.triangles[pair[1]]);
    }
    return first.result(options.time_resolution);
  }
  const deform::FeatureSide side_a{a, mesh_a.owned, boxes_a}, side_b{b, mesh_b.owned, boxes_b};
  std::vector<FeaturePair> features;
  deform::startCandidates(side_a, side_b, pairs, &features);
  decideFeatures(side_a, side_b, features, options.max_boxes, &first);
  deform::candidates(side_a, side_b, pairs, &features);
  decideFeatures(side_a, side_b, features, options.max_boxes, &first);
  return first.result(options.time_resolution);
}

}  // namespace allclear
