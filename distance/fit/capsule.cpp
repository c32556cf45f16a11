// One capsule about solids: an outer loop about the search of capsule_search.cpp.
//
// The search knows points and balls and wants few of them, near the origin and of unit size. So it
// gets a working set in a unit frame, to begin with the extreme points. What reaches out of the
// capsule found joins the set (a cutting-plane method: each added point is a constraint that was
// violated), and the search goes on, until nothing reaches out. Invariant: the final radius is
// computed from all solids and the axis as stored, so that the capsule encloses them however the
// search ended.
#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/distance/fit/enclose.h"
#include "allclear/distance/fitting.h"
#include "allclear/distance/geometry/smallest_ball.h"

namespace allclear {
namespace fitting {
namespace {

constexpr int kManyPoints = 160;  // above, the search starts from extreme points only
constexpr int kExtremeDirections = 48;
constexpr double kReached = 1e-8;    // of the radius: how far out a point may be and not join
constexpr double kRounding = 1e-13;  // unit coordinates: for capsules of radius 0
constexpr int kRounds = 30;
constexpr double kSide = 0.4;  // of a unit vector's component: cuts the sphere into 26 sectors

// The part of the input that the search works on, in unit coordinates; grows by the points that
// reach out of a trial capsule.
class WorkingSet {
 public:
  WorkingSet(const Solids& solids, const UnitFrame& frame) : solids_(solids), frame_(frame) {
    Solids without_balls = solids;  // the search takes balls as they are, no points for them
    without_balls.balls.clear();
    all_ = samplePoints(without_balls);
    for (Vec3& p : all_) p = frame.toUnit(p);
    for (const Ball& b : solids.balls) {
      balls_.push_back({frame.toUnit(b.center), b.radius / frame.scale});
    }
    if (all_.size() <= kManyPoints) {
      for (const Vec3& p : all_) balls_.push_back({p, 0.0});
    } else {
      for (int i : extremePoints(all_, kExtremeDirections)) balls_.push_back({all_[i], 0.0});
    }
  }

  std::span<const Ball> balls() const { return balls_; }

  // Adds what reaches out of the capsule: the farthest point in each of 26 sectors about its
  // middle, and of each curved piece. One point per sector keeps the set small and covers all sides
  // at once. False when nothing reaches out.
  bool addOutside(const CapsuleFit& fit) {
    const double limit = fit.radius * (1.0 + kReached) + kRounding;
    const std::size_t before = balls_.size();
    addOutsidePoints(fit, limit);
    // Samples may miss the farthest point of a curved piece: ask the pieces themselves, in the
    // body's frame.
    if (solids_.isCurved()) {
      Solids curved = solids_;
      curved.points.clear();
      const Segment s{frame_.fromUnit(fit.segment.a), frame_.fromUnit(fit.segment.b)};
      for (const Vec3& p : farthestFromSegment(curved, s, Accuracy::kSearch).witnesses) {
        const Vec3 unit = frame_.toUnit(p);
        if (fit.segment.distance(unit) > limit) balls_.push_back({unit, 0.0});
      }
    }
    return balls_.size() > before;
  }

 private:
  void addOutsidePoints(const CapsuleFit& fit, double limit) {
    const Vec3 middle = 0.5 * (fit.segment.a + fit.segment.b);
    std::array<double, 27> farthest;  // per sector; the one in the middle stays empty
    farthest.fill(limit);
    std::array<int, 27> index;
    index.fill(-1);
    for (int i = 0; i < static_cast<int>(all_.size()); ++i) {
      const double distance = fit.segment.distance(all_[i]);
      if (distance <= limit) continue;
      const Vec3 n = (all_[i] - middle).normalized();
      int sector = 0;
      for (int k = 0; k < 3; ++k) sector = 3 * sector + (n[k] < -kSide ? 0 : n[k] > kSide ? 2 : 1);
      if (distance > farthest[sector]) {
        farthest[sector] = distance;
        index[sector] = i;
      }
    }
    for (int i : index) {
      if (i >= 0) balls_.push_back({all_[i], 0.0});
    }
  }

  const Solids& solids_;
  const UnitFrame& frame_;
  std::vector<Vec3> all_;
  std::vector<Ball> balls_;
};

}  // namespace

UnitFrame::UnitFrame(const Solids& solids) {
  Vec3 lower;
  Vec3 upper;
  for (int k = 0; k < 3; ++k) {
    const Interval range = extent(solids, Vec3::Unit(k));
    lower[k] = range.lower;
    upper[k] = range.upper;
  }
  center = 0.5 * (lower + upper);
  scale = 0.5 * (upper - lower).norm();
  if (!(scale > 0.0)) scale = 1.0;
}

Pose poseAlong(const Vec3& p, const Vec3& d) {
  const Vec3 other = std::abs(d.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  Pose X;
  X.p = p;
  X.R.col(2) = d;
  X.R.col(0) = other.cross(d).normalized();
  X.R.col(1) = d.cross(X.R.col(0));
  return X;
}

Segment axisOf(const Geometry& capsule) {
  const double half = 0.5 * std::get<Capsule>(capsule.shape).length();
  return {capsule.X_BG * Vec3(0, 0, -half), capsule.X_BG * Vec3(0, 0, half)};
}

Geometry capsuleAlong(const Segment& axis, const Solids& solids) {
  const double length = axis.length();
  const Vec3 d = length > 0.0 ? Vec3((axis.b - axis.a) / length) : Vec3(Vec3::UnitZ());
  Geometry result{Capsule(1.0, length), poseAlong(0.5 * (axis.a + axis.b), d)};
  const double radius = farthestFromSegment(solids, axisOf(result)).distance;
  result.shape = Capsule(radius + padding(solids.largestCoordinate(), radius + length), length);
  return result;
}

Geometry encloseByCapsule(const Solids& solids, std::span<const Vec3> axes,
                          const CapsuleSearchEffort& effort) {
  const UnitFrame frame(solids);
  WorkingSet work(solids, frame);
  CapsuleFit fit = searchCapsule(work.balls(), axes, effort);
  for (int round = 0; round < kRounds && work.addOutside(fit); ++round) {
    fit = refineCapsule(work.balls(), fit, effort.iterations);
  }
  return capsuleAlong({frame.fromUnit(fit.segment.a), frame.fromUnit(fit.segment.b)}, solids);
}

}  // namespace fitting

Geometry fitCapsule(std::span<const Geometry> shapes) {
  const fitting::Solids solids = fitting::gather(shapes);
  const Geometry box = fitBox(shapes);
  // The axes of a small box are good starts; the smallest ball is a capsule too, and may win.
  const Vec3 axes[] = {box.X_BG.R.col(0), box.X_BG.R.col(1), box.X_BG.R.col(2)};
  const Geometry capsule = fitting::encloseByCapsule(solids, axes, {});
  const Geometry sphere = fitSphere(shapes);
  const Geometry ball = fitting::capsuleAlong({sphere.X_BG.p, sphere.X_BG.p}, solids);
  const auto volume = [](const Geometry& g) {
    const auto& c = std::get<Capsule>(g.shape);
    return c.radius() * c.radius() * (c.length() + 4.0 / 3.0 * c.radius());
  };
  return volume(ball) < volume(capsule) ? ball : capsule;
}

}  // namespace allclear
