// The least signed distance over time of two bodies that meet: a few depths, polished about the
// deepest, and a bound for the time between them.
//
// The depth of bodies that are not convex may jump in time, so no bound of its slope exists. Two
// other facts bound it. The signed distance of the convex hulls is at most the bodies' (what
// separates hulls separates bodies), and it changes by no more than the bodies move. And a
// translation of length L after which the bodies are `room` apart frees them as long as neither has
// moved by more than `room`: the depth stays below L.

#include "allclear/distance/minimum/mesh/depth.h"

#include <algorithm>
#include <cmath>

#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/mesh_depth/depth.h"

namespace allclear::mcd {
namespace {

constexpr int kSamples = 8;  // over the whole time, one per cell at least
constexpr int kPolish = 4;   // halvings of the step about the deepest sample

class DepthSearch {
 public:
  explicit DepthSearch(const MeshMotion& motion)
      : motion_(motion),
        A_(motion.A()),
        B_(motion.B()),
        curves_(motion.relativeCurves()),
        error_(motion.error(curves_)) {
    best_.motion_error = error_;
  }

  DeepestInstant run(TimePoint contact) {
    best_.there.distance = std::numeric_limits<double>::infinity();
    best_.upper = error_;  // the bodies meet, to within the motion's error
    sample(contact);
    best_.lower = sampleAll();
    polish();
    best_.lower = std::min(best_.lower, best_.upper);
    toWorld();
    return best_;
  }

 private:
  struct Sample {
    Pose X_A, X_B;  ///< geometry frames, seen from B's centre
    SignedDistance found;
  };

  /// Samples the middles of equal parts of all cells; returns a lower bound for the whole time.
  double sampleAll() {
    double lower = std::numeric_limits<double>::infinity();
    const int pieces = std::max(1, kSamples / motion_.cells());
    const double half = 0.5 / pieces;
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      // How far the bodies may be from where they are sampled: half a part of motion, and its
      // error.
      const double room =
          motion_.leverSpeed(cell) * motion_.cellTime(cell).length() * half + error_;
      for (int i = 0; i < pieces; ++i) {
        const TimePoint middle{cell, (2 * i + 1) * half};
        lower = std::min(lower, boundNear(sample(middle), room));
      }
    }
    half_part_ = half;
    return lower;
  }

  /// Halves the step about the deepest instant.
  void polish() {
    double step = 0.5 * half_part_;
    for (int k = 0; k < kPolish; ++k, step *= 0.5) {
      const TimePoint at = best_.when;
      for (double s : {at.s - step, at.s + step}) {
        if (s >= 0.0 && s <= 1.0) sample({at.cell, s});
      }
    }
  }

  void toWorld() {
    const Pose X_WC = motion_.frameOfB(best_.when);
    best_.there.witness_A = X_WC * best_.there.witness_A;
    best_.there.witness_B = X_WC * best_.there.witness_B;
    best_.there.normal = (X_WC.R * best_.there.normal).normalized();
  }

  Sample sample(TimePoint when) {
    Pose X_BA = poseOf(curves_[when.cell].at(2.0 * when.s - 1.0));
    X_BA.R = Eigen::Quaterniond(X_BA.R).normalized().toRotationMatrix();
    Sample out{{X_BA.R, X_BA.p - X_BA.R * A_.center()}, {Mat3::Identity(), -B_.center()}, {}};
    out.found = signedMeshDistance(A_, out.X_A, B_, out.X_B, &cache_);
    ++best_.evaluations;
    best_.upper = std::min(best_.upper, out.found.distance + out.found.gap + error_);
    if (out.found.distance < best_.there.distance) {
      best_.there = out.found;
      best_.when = when;
    }
    return out;
  }

  /// Lower bound of the signed distance while the bodies move by less than `room` from the sample.
  double boundNear(const Sample& at, double room) {
    double lower = convexDistance(A_.hull(), at.X_A, B_.hull(), at.X_B).distance - room;
    if (at.found.distance > room) return std::max(lower, at.found.distance - room);
    // Move B out by its depth and once or twice the room more: how far is it away then?
    const double out = std::max(-at.found.distance, 0.0);
    MeshDistanceOptions options;
    options.enough = room;
    for (double share : {1.0, 2.0}) {
      const double length = out + share * room;
      if (-length <= lower) break;
      const Pose moved{at.X_B.R, at.X_B.p + length * at.found.normal};
      const MeshDistance freed = meshDistance(A_, at.X_A, B_, moved, options);
      if (!freed.contact && freed.distance >= room) return -length;
    }
    return lower;
  }

  const MeshMotion& motion_;
  const MeshBody& A_;
  const MeshBody& B_;
  std::vector<RelativeCurve> curves_;
  double error_;
  double half_part_ = 0.0;  ///< of a sampled part, in s
  MeshDepthCache cache_;    ///< consecutive samples are near each other
  DeepestInstant best_;
};

}  // namespace

DeepestInstant deepestInstant(const MeshMotion& motion, TimePoint contact) {
  return DepthSearch(motion).run(contact);
}

}  // namespace allclear::mcd
