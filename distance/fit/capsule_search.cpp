// Volume-minimising capsules. With the ends a, b as unknowns the radius is
//   R(a, b) = max_i dist(c_i, [a, b]) + r_i
// over the balls (c_i, r_i), and the volume pi R² |b - a| + 4/3 pi R³ is to be least: a minimax
// problem in six unknowns. It is solved as a sequence of quadratic programs: linearised distances
// as constraints on (da, db, dR), linearised volume plus a quadratic term whose weight rises when a
// step fails and falls when it succeeds (as Levenberg and Marquardt do).
//
// Starts come from rough capsules for many fixed axis directions: a nearly smallest circle about
// the projected balls, the ends exact for a few radii. The best few are refined. Symbols: a, b ends
// of the axis, d = b - a, R radius; c_i, r_i centre and radius of ball i. Positions are of unit
// order, so that absolute tolerances make sense.
#include "allclear/distance/fit/capsule_search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "allclear/distance/fit/least_distance.h"

namespace allclear::fitting {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSettled = 1e-9;     // relative gain of volume below which a step counts as idle
constexpr int kMostIdle = 3;          // idle steps in a row: the search ends
constexpr double kPointLike = 1e-12;  // unit coordinates: a shorter axis keeps its last direction
constexpr double kNoMove = 1e-11;     // unit coordinates: a failed step this short ends the search
constexpr double kSameAxis = 0.9998;  // cosine of 1.1 degrees
constexpr int kFan = 40;              // directions tried all over the sphere
constexpr int kCircleSteps = 24;

// Distance of one ball's far side from the axis and where on the axis it is nearest, in [0, 1].
struct BallReach {
  double value;
  double along;
  Vec3 normal;
};

BallReach reachOf(const Ball& ball, const Segment& s, const Vec3& d, double squared) {
  const Vec3 q = ball.center - s.a;
  const double along = squared > 0.0 ? std::clamp(q.dot(d) / squared, 0.0, 1.0) : 0.0;
  const Vec3 away = q - along * d;
  const double distance = away.norm();
  return {distance + ball.radius, along,
          distance > 0.0 ? Vec3(away / distance) : Vec3(Vec3::Zero())};
}

double radiusAbout(std::span<const Ball> balls, const Segment& s) {
  const Vec3 d = s.b - s.a;
  const double squared = d.squaredNorm();
  double radius = 0.0;
  for (const Ball& ball : balls) {
    const Vec3 q = ball.center - s.a;
    const double along = squared > 0.0 ? std::clamp(q.dot(d) / squared, 0.0, 1.0) : 0.0;
    radius = std::max(radius, (q - along * d).norm() + ball.radius);
  }
  return radius;
}

// The quadratic program of one step. Minimise g.x + x.D x / 2 over x = (da, db, dR), g the gradient
// of the volume, D the weights (of dR: the volume's second derivative), subject to the linearised
// distances
//   dist_i + n_i . ((1 - s_i) da + s_i db) + r_i <= R + dR,
// s_i where on the axis ball i is nearest, n_i from there to its centre. In y = sqrt(D) x + g /
// sqrt(D) it asks for the shortest y: a least-distance problem.
class QuadraticStep {
 public:
  QuadraticStep(std::span<const Ball> balls, const CapsuleFit& fit, const Vec3& direction)
      : fit_(fit), length_(fit.segment.length()) {
    const double R = fit.radius;
    gradient_ << -kPi * R * R * direction, kPi * R * R * direction,
        2.0 * kPi * R * length_ + 4.0 * kPi * R * R;
    const Vec3 d = fit.segment.b - fit.segment.a;
    const double squared = d.squaredNorm();
    reaches_.reserve(balls.size());
    for (const Ball& ball : balls) reaches_.push_back(reachOf(ball, fit.segment, d, squared));
  }

  // The weight of da and db at which steps are about a quarter of the radius long.
  double naturalWeight() const { return gradient_[6] / (0.25 * fit_.radius); }

  // The ends after the step. Balls farther than `band` inside the capsule are left out: no
  // constraint of theirs can become active. False when rounding keeps the step from being found.
  bool solve(double weight, double band, CapsuleFit* next) const {
    Vec7 D = Vec7::Constant(weight);
    D[6] = 2.0 * kPi * length_ + 8.0 * kPi * fit_.radius;
    // Constraints row.x >= reach - R, in y and scaled to unit order.
    const Vec7 root = D.cwiseSqrt();
    const Vec7 shift = gradient_.cwiseQuotient(D);
    const double scale = root[6];
    Constraints constraints(8, static_cast<Eigen::Index>(reaches_.size()));
    int count = 0;
    for (const BallReach& reach : reaches_) {
      if (reach.value < fit_.radius - band) continue;
      Vec7 row;
      row << (1.0 - reach.along) * reach.normal, reach.along * reach.normal, 1.0;
      const double bound = reach.value - fit_.radius + row.dot(shift);
      constraints.col(count).head<7>() = scale * row.cwiseQuotient(root);
      constraints(7, count++) = scale * bound / fit_.radius;
    }
    constraints.conservativeResize(8, count);
    Vec7 y;
    if (!leastDistance(constraints, &y)) return false;
    const Vec7 x = (fit_.radius * y).cwiseQuotient(root) - shift;
    next->segment = {fit_.segment.a + x.head<3>(), fit_.segment.b + x.segment<3>(3)};
    return true;
  }

 private:
  const CapsuleFit& fit_;
  double length_;
  Vec7 gradient_;
  std::vector<BallReach> reaches_;
};

// Coordinates in the plane across `direction`, for circles about projected balls.
struct CrossPlane {
  Vec3 u, v;
  explicit CrossPlane(const Vec3& direction) {
    const Vec3 other = std::abs(direction.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
    u = direction.cross(other).normalized();
    v = direction.cross(u);
  }
};

struct ProjectedBall {
  double x, y, along, radius;
};

// A nearly smallest circle about the projections: steps towards the farthest one, 1 / (k + 1) of
// the way (M. Badoiu and K. Clarkson, Smaller core-sets for balls, 2003). Returns the radius of the
// best centre.
double roughCircle(const std::vector<ProjectedBall>& balls, Vec2* center) {
  const auto farthest = [&](double* distance) {
    const ProjectedBall* best = &balls[0];
    *distance = -1.0;
    for (const ProjectedBall& b : balls) {
      const double dx = b.x - center->x();
      const double dy = b.y - center->y();
      const double reach = std::sqrt(dx * dx + dy * dy) + b.radius;
      if (reach > *distance) {
        *distance = reach;
        best = &b;
      }
    }
    return best;
  };
  // The steps do not improve the radius one by one: keep the best centre.
  *center = {balls[0].x, balls[0].y};
  Vec2 best_center = *center;
  double best = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= kCircleSteps; ++k) {
    double distance = 0.0;
    const ProjectedBall* far = farthest(&distance);
    if (distance < best) {
      best = distance;
      best_center = *center;
    }
    *center += (Vec2(far->x, far->y) - *center) / (k + 1.0);
  }
  *center = best_center;
  return best;
}

// The shortest axis on a given line, for a radius of at least the line's distances: ball i is
// inside when the axis reaches to within sqrt((R - r_i)^2 - distance^2) of its place along the
// line.
Interval ends(const std::vector<ProjectedBall>& balls, const Vec2& center, double radius) {
  double upper = -std::numeric_limits<double>::infinity();
  double lower = -upper;
  for (const ProjectedBall& b : balls) {
    const double dx = b.x - center.x();
    const double dy = b.y - center.y();
    const double room = radius - b.radius;
    const double cap = std::sqrt(std::max(room * room - dx * dx - dy * dy, 0.0));
    upper = std::max(upper, b.along - cap);
    lower = std::min(lower, b.along + cap);
  }
  if (lower > upper) lower = upper = 0.5 * (lower + upper);  // a ball there reaches all
  return {lower, upper};
}

// Adds a unit vector unless a similar axis, in either sense, is there.
void addAxis(const Vec3& axis, std::vector<Vec3>* axes) {
  if (axis.squaredNorm() < 0.5) return;
  for (const Vec3& other : *axes) {
    if (std::abs(axis.dot(other)) > kSameAxis) return;
  }
  axes->push_back(axis);
}

// Direction between the two centres that are farthest apart; zero when all are one point.
Vec3 farthestPairDirection(std::span<const Ball> balls) {
  std::size_t best_i = 0;
  std::size_t best_j = 0;
  double best = -1.0;
  for (std::size_t i = 0; i < balls.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double squared = (balls[i].center - balls[j].center).squaredNorm();
      if (squared > best) {
        best = squared;
        best_i = i;
        best_j = j;
      }
    }
  }
  if (best <= 0.0) return Vec3::Zero();
  return (balls[best_j].center - balls[best_i].center).normalized();
}

}  // namespace

double CapsuleFit::volume() const {
  return kPi * radius * radius * (segment.length() + 4.0 / 3.0 * radius);
}

Mat3 principalAxes(std::span<const Ball> balls) {
  Vec3 mean = Vec3::Zero();
  for (const Ball& b : balls) mean += b.center;
  mean /= static_cast<double>(balls.size());
  Mat3 covariance = Mat3::Zero();
  for (const Ball& b : balls) covariance += (b.center - mean) * (b.center - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(covariance);
  return eigen.eigenvectors().rowwise().reverse();
}

CapsuleFit roughCapsule(std::span<const Ball> balls, const Vec3& direction) {
  const CrossPlane plane(direction);
  std::vector<ProjectedBall> projected;
  projected.reserve(balls.size());
  for (const Ball& b : balls) {
    projected.push_back(
        {plane.u.dot(b.center), plane.v.dot(b.center), direction.dot(b.center), b.radius});
  }
  Vec2 center;
  const double least = roughCircle(projected, &center);
  CapsuleFit best;
  double best_volume = std::numeric_limits<double>::infinity();
  // A larger radius than the least one makes the axis shorter: try a few.
  for (double factor : {1.0, 1.04, 1.1, 1.2, 1.35}) {
    const double radius = factor * least;
    const Interval along = ends(projected, center, radius);
    const Vec3 foot = center.x() * plane.u + center.y() * plane.v;
    const CapsuleFit fit{{foot + along.lower * direction, foot + along.upper * direction}, radius};
    if (fit.volume() < best_volume) {
      best_volume = fit.volume();
      best = fit;
    }
  }
  return best;
}

CapsuleFit refineCapsule(std::span<const Ball> balls, const CapsuleFit& start, int iterations) {
  CapsuleFit best = start;
  best.radius = radiusAbout(balls, best.segment);
  Vec3 direction = Vec3::UnitX();
  double weight = 0.0;
  double band = std::numeric_limits<double>::infinity();
  int idle = 0;
  for (int i = 0; i < iterations && best.radius > 0.0 && idle < kMostIdle;) {
    if (best.segment.length() > kPointLike) {
      direction = (best.segment.b - best.segment.a).normalized();
    }
    const QuadraticStep step(balls, best, direction);
    if (weight == 0.0) weight = step.naturalWeight();
    // The same linearisation with growing weights, until a step makes the capsule smaller.
    for (bool accepted = false; !accepted && i < iterations && idle < kMostIdle; ++i) {
      CapsuleFit next = best;
      const bool solved = step.solve(weight, band, &next);
      if (solved) next.radius = radiusAbout(balls, next.segment);
      const double gain = solved ? best.volume() - next.volume() : -1.0;
      accepted = gain > 0.0;
      idle = gain > kSettled * best.volume() ? 0 : idle + (accepted ? 1 : 0);
      const double moved =
          (next.segment.a - best.segment.a).norm() + (next.segment.b - best.segment.b).norm();
      // After a step of length `moved` distances change by no more than that: a few times as much
      // is enough for the next one. After a failure all balls count.
      band = accepted ? 4.0 * moved + 0.05 * best.radius : best.radius;
      weight *= accepted ? 0.35 : 5.0;
      if (!accepted && moved < kNoMove) idle = kMostIdle;
      if (accepted) best = next;
    }
  }
  return best;
}

CapsuleFit searchCapsule(std::span<const Ball> balls, std::span<const Vec3> given,
                         const CapsuleSearchEffort& effort) {
  // Many axes, a rough capsule along each; the best few are refined.
  std::vector<Vec3> axes;
  for (const Vec3& axis : given) addAxis(axis, &axes);
  const Mat3 principal = principalAxes(balls);
  for (int i = 0; i < 3; ++i) addAxis(principal.col(i), &axes);
  if (effort.fan) {
    addAxis(farthestPairDirection(balls), &axes);
    for (int i = 0; i < kFan; ++i) addAxis(fanDirection(i, kFan), &axes);
  }
  std::vector<CapsuleFit> starts;
  for (const Vec3& axis : axes) starts.push_back(roughCapsule(balls, axis));
  std::stable_sort(starts.begin(), starts.end(), [](const CapsuleFit& a, const CapsuleFit& b) {
    return a.volume() < b.volume();
  });
  const int count = std::min<int>(effort.starts, static_cast<int>(starts.size()));
  CapsuleFit best = starts[0];
  double best_volume = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count; ++i) {
    const CapsuleFit fit = refineCapsule(balls, starts[i], effort.iterations);
    if (fit.volume() < best_volume) {
      best_volume = fit.volume();
      best = fit;
    }
  }
  return best;
}

}  // namespace allclear::fitting
