#include "allclear/distance/soft/distance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/core/simd.h"
#include "allclear/distance/enclosing_solids.h"
#include "allclear/distance/signed_distance.h"

namespace allclear {
namespace {

constexpr int kFan = 384;
constexpr int kRing = 24;
constexpr int kMostNormals = 64;
constexpr int kMostCorners = 64;
/// Every direction is within this angle of one of the fan (measured by the test).
constexpr double kFanCosine = 0.985;
/// What is left out adds up to e^-28 < 1e-12 of what counts.
constexpr double kNegligible = 28.0;
constexpr double kSupportShare = 0.5;  // of the softness, for the supports
constexpr double kTie = 0.5;
constexpr double kRounding = 1e-14;  // of the size of the pair: several times what sums lose
/// Of the places in the world: what the pieces' frames lose far from its origin.
constexpr double kPlaceRounding = 1e-15;

/// Nearly evenly spread over the sphere, by the golden angle.
Vec3 fanDirection(int k, int count) {
  const double z = 1.0 - (2.0 * k + 1.0) / count;
  const double angle = k * std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double rho = std::sqrt(1.0 - z * z);
  return {rho * std::cos(angle), rho * std::sin(angle), z};
}

/// Directions square to (or, of a cone, at one slant to) the axis.
void addRing(double slope, Columns* out) {
  for (int i = 0; i < kRing; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kRing;
    out->add(Vec3(std::cos(angle), std::sin(angle), slope).normalized());
  }
}

void addAxes(int first, Columns* out) {
  for (int i = first; i < 3; ++i) {
    out->add(Vec3::Unit(i));
    out->add(-Vec3::Unit(i));
  }
}

void addFaces(const PointCloud& cloud, Columns* out) {
  constexpr double kSame = 0.998;  // cosine of 4 degrees
  for (int i = 0; i < cloud.count(); ++i) {
    cloud.forFaces(i, [&](const Vec3& normal) {
      if (out->count() >= kMostNormals) return;
      for (int k = 0; k < out->count(); ++k) {
        if ((*out)[k].dot(normal) > kSame) return;
      }
      out->add(normal.normalized());
    });
  }
}

Columns ownNormals(const ConvexCore& core) {
  Columns out;
  switch (core.kind) {
    case ConvexCore::Kind::kPoint:
      break;
    case ConvexCore::Kind::kSegment:
      addRing(0.0, &out);
      break;
    case ConvexCore::Kind::kBox:
    case ConvexCore::Kind::kEllipsoid:
      addAxes(0, &out);
      break;
    case ConvexCore::Kind::kCylinder:
      addAxes(2, &out);
      addRing(0.0, &out);
      break;
    case ConvexCore::Kind::kCone:
      out.add(-Vec3::UnitZ());
      addRing(0.5 * core.size.x() / core.size.z(), &out);
      break;
    case ConvexCore::Kind::kPoints:
      addFaces(*core.points, &out);
      break;
    case ConvexCore::Kind::kTriangle:
      break;
  }
  return out;
}

std::vector<double> supportsAlong(const SoftCore& body, const Columns& directions) {
  std::vector<double> out(directions.count());
  if (!out.empty()) hardSupports(body, directions, out.data());
  return out;
}

/// The corners of a convex mesh or, of many, some of them: those farthest along directions all
/// about. The core's ball grows by what these lose, so that the piece still encloses the mesh.
void takeCorners(SoftCore* body) {
  ConvexCore& core = body->core;
  std::vector<Vec3> kept;
  if (core.points->count() <= kMostCorners) {
    for (int i = 0; i < core.points->count(); ++i) kept.push_back(core.points->corner(i));
  } else {
    std::vector<bool> is_kept(core.points->count());
    for (int k = 0; k < kMostCorners; ++k) {
      is_kept[core.points->farthest(fanDirection(k, kMostCorners))] = true;
    }
    for (int i = 0; i < core.points->count(); ++i) {
      if (is_kept[i]) kept.push_back(core.points->corner(i));
    }
    const Shape hull = ConvexMesh(kept);
    double lost = 0.0;
    for (int i = 0; i < core.points->count(); ++i) {
      if (is_kept[i]) continue;
      const double speck = 1e-12 * core.extent;
      const Pose X{Mat3::Identity(), core.points->corner(i)};
      const SignedDistance d = signedDistance(hull, Pose(), Sphere(speck), X);
      lost = std::max(lost, d.distance + d.gap + 1e-10 * core.extent);
    }
    core.radius += lost;
  }
  for (const Vec3& corner : kept) body->corners.add(corner);
  body->corner_count = body->corners.count();
  while (body->corners.count() % SoftCore::kBlock != 0) body->corners.add(kept.back());
}

SoftPiece pieceOf(const Shape& shape, const Pose& X_BG) {
  SoftPiece piece;
  piece.X_BC = X_BG;
  if (std::holds_alternative<HalfSpace>(shape)) {
    piece.is_half_space = true;
    piece.own.add(Vec3::UnitZ());
    piece.fan = piece.own;
    piece.own_supports = piece.fan_supports = {0.0};
    return piece;
  }
  ConvexCore& core = piece.body.core = coreOf(shape);
  piece.X_BC.p = X_BG * core.offset;
  if (core.kind == ConvexCore::Kind::kPoints) {
    takeCorners(&piece.body);
    piece.log_corners = std::log(piece.body.corner_count);
  } else {
    piece.log_corners = 3.0;
  }
  piece.own = ownNormals(core);
  for (int k = 0; k < kFan; ++k) piece.fan.add(fanDirection(k, kFan));
  for (int k = 0; k < piece.own.count(); ++k) piece.fan.add(piece.own[k]);
  piece.own_supports = supportsAlong(piece.body, piece.own);
  piece.fan_supports = supportsAlong(piece.body, piece.fan);
  return piece;
}

/// out_k = -(columns of R) . in_k, that is -R^T in_k: the same directions seen from the other side.
ALLCLEAR_MULTIVERSION void turnedAround(const double* R, const double* x, const double* y,
                                        const double* z, int n, double* ox, double* oy,
                                        double* oz) {
  for (int k = 0; k < n; ++k) {
    ox[k] = -(R[0] * x[k] + R[1] * y[k] + R[2] * z[k]);
    oy[k] = -(R[3] * x[k] + R[4] * y[k] + R[5] * z[k]);
    oz[k] = -(R[6] * x[k] + R[7] * y[k] + R[8] * z[k]);
  }
}

/// Reused from query to query; one per thread.
struct Scratch {
  Columns turned;
  std::vector<double> supports;
  std::vector<double> room;
};

/// What a body's directions say of a pair: the frame P of the piece that owns them, the frame Q of
/// the other one.
struct Side {
  const SoftPiece* owner = nullptr;
  const SoftPiece* other = nullptr;
  const Columns* directions = nullptr;  ///< outward of the owner
  const std::vector<double>* supports = nullptr;
  Pose X_WP, X_WQ;
  double sign = 1.0;  ///< of the normal from A to B along an outward direction of the owner
  Mat3 R_PQ;
  Vec3 p_PQ;
};

/// One direction of a pair.
struct Room {
  double value = 0.0;
  Vec3 normal = Vec3::Zero();  ///< world, from A to B
  Vec3 fixed = Vec3::Zero();   ///< world: soft support point of the piece that owns the direction
  Vec3 moving = Vec3::Zero();  ///< of the other
};

Room softRoom(const Side& side, int k, double hard_other, double softness) {
  const double sigma = kSupportShare * softness;
  const Vec3 n_P = (*side.directions)[k];
  const Vec3 n_Q = -(side.R_PQ.transpose() * n_P);
  Room out;
  SoftSupport own, other;
  if (!side.owner->is_half_space) {
    own = softSupport(side.owner->body, n_P, sigma, (*side.supports)[k]);
  }
  if (!side.other->is_half_space) other = softSupport(side.other->body, n_Q, sigma, hard_other);
  const double r_P = side.owner->body.core.radius;
  const double r_Q = side.other->body.core.radius;
  out.value = n_P.dot(side.p_PQ) - own.value - other.value - r_P - r_Q;
  const Vec3 outward = side.X_WP.R * n_P;
  out.normal = side.sign * outward;
  out.fixed = side.X_WP * own.point + r_P * outward;
  out.moving = side.X_WQ * other.point - r_Q * outward;
  return out;
}

/// Sums over directions (or pairs), each with its weight.
struct Sums {
  Vec3 normal = Vec3::Zero();
  Vec3 moment = Vec3::Zero();  ///< of the normals, about the world's origin
  Vec3 on_A = Vec3::Zero();
  Vec3 on_B = Vec3::Zero();

  void add(double weight, const Sums& s) {
    normal += weight * s.normal;
    moment += weight * s.moment;
    on_A += weight * s.on_A;
    on_B += weight * s.on_B;
  }
};

struct Soft {
  double value = 0.0;
  double steepest_value = 0.0;
  Vec3 steepest = Vec3::UnitX();  ///< the normal with the most room
  Sums mean;
};

/// One side's hard rooms along its directions, and the largest.
void hardRooms(const Side& side, Scratch* scratch, std::vector<double>* other_supports,
               std::vector<double>* room) {
  const Columns& in = *side.directions;
  const int n = in.count();
  for (std::vector<double>* column : {&scratch->turned.x, &scratch->turned.y, &scratch->turned.z}) {
    column->resize(n);
  }
  other_supports->assign(n, 0.0);
  room->resize(n);
  turnedAround(side.R_PQ.data(), in.x.data(), in.y.data(), in.z.data(), n, scratch->turned.x.data(),
               scratch->turned.y.data(), scratch->turned.z.data());
  if (!side.other->is_half_space && n > 0) {
    hardSupports(side.other->body, scratch->turned, other_supports->data());
  }
  const double radii = side.owner->body.core.radius + side.other->body.core.radius;
  const Vec3& p = side.p_PQ;
  for (int k = 0; k < n; ++k) {
    (*room)[k] = in.x[k] * p.x() + in.y[k] * p.y() + in.z[k] * p.z() - (*side.supports)[k] -
                 (*other_supports)[k] - radii;
  }
}

Side sideOf(const SoftPiece& owner, const Pose& X_WP, const SoftPiece& other, const Pose& X_WQ,
            bool whole_fan, double sign) {
  Side side;
  side.owner = &owner;
  side.other = &other;
  side.directions = whole_fan ? &owner.fan : &owner.own;
  side.supports = whole_fan ? &owner.fan_supports : &owner.own_supports;
  side.X_WP = X_WP;
  side.X_WQ = X_WQ;
  side.sign = sign;
  side.R_PQ = X_WP.R.transpose() * X_WQ.R;
  side.p_PQ = X_WP.R.transpose() * (X_WQ.p - X_WP.p);
  return side;
}

/// One pair of convex pieces. Not two half-spaces.
Soft softPair(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B, const Pose& X_WB,
              double softness) {
  thread_local Scratch scratch;
  thread_local std::vector<double> supports[2], rooms[2];
  thread_local std::vector<Room> active;
  // A plane is asked along its own normal alone.
  Side sides[2];
  int count = 0;
  if (!B.is_half_space) sides[count++] = sideOf(A, X_WA, B, X_WB, true, 1.0);
  if (!A.is_half_space) sides[count++] = sideOf(B, X_WB, A, X_WA, false, -1.0);
  int total = 0, best_side = 0, best = 0;
  double most = -HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    hardRooms(sides[i], &scratch, &supports[i], &rooms[i]);
    total += static_cast<int>(rooms[i].size());
    for (std::size_t k = 0; k < rooms[i].size(); ++k) {
      if (rooms[i][k] <= most) continue;
      most = rooms[i][k];
      best_side = i;
      best = static_cast<int>(k);
    }
  }
  // A hard room bounds the soft one from above: most directions are out before they are softened.
  Soft out;
  const Room first = softRoom(sides[best_side], best, supports[best_side][best], softness);
  const double least = first.value - softness * (kNegligible + std::log(total));
  out.steepest = first.normal;
  out.steepest_value = first.value;
  active.clear();
  double top = -HUGE_VAL;
  std::size_t of_first_side = 0;
  for (int i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < rooms[i].size(); ++k) {
      if (rooms[i][k] < least) continue;
      active.push_back(softRoom(sides[i], static_cast<int>(k), supports[i][k], softness));
      top = std::max(top, active.back().value);
    }
    if (i == 0) of_first_side = active.size();
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < active.size(); ++k) {
    const Room& room = active[k];
    const double weight = std::exp((room.value - top) / softness);
    const bool owned_by_A = (k < of_first_side ? sides[0] : sides[1]).sign > 0.0;
    sum += weight;
    out.mean.normal += weight * room.normal;
    // The direction turns with its owner: it is the other one's support that moves along.
    out.mean.moment += weight * room.moving.cross(room.normal);
    out.mean.on_A += weight * (owned_by_A ? room.fixed : room.moving);
    out.mean.on_B += weight * (owned_by_A ? room.moving : room.fixed);
  }
  Sums scaled;
  scaled.add(1.0 / sum, out.mean);
  out.mean = scaled;
  out.value = top + softness * std::log(sum / total);
  const double size =
      A.reach() + B.reach() +
      (A.is_half_space || B.is_half_space ? (X_WA.p - X_WB.p).norm() : std::fabs(out.value));
  out.value -= kRounding * size + kPlaceRounding * (X_WA.p.norm() + X_WB.p.norm());
  return out;
}

/// A bound that the soft distance of the pair is not below: what the fan's direction nearest to the
/// line of centres leaves.
double leastSoft(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B, const Pose& X_WB,
                 double softness) {
  if (A.is_half_space || B.is_half_space) return -HUGE_VAL;
  const double bias =
      std::log(kFan + 2.0 * kMostNormals) + kSupportShare * (A.log_corners + B.log_corners);
  return kFanCosine * (X_WA.p - X_WB.p).norm() - A.reach() - B.reach() - softness * bias;
}

}  // namespace

SoftBody::SoftBody(const std::vector<Geometry>& solids)
    : solids_(enclosingSolids(solids, MeshFidelity::kPieces)) {
  for (const Geometry& solid : solids_) pieces_.push_back(pieceOf(solid.shape, solid.X_BG));
}

SmoothDistance softDistance(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                            const Pose& X_WB, double softness) {
  if (!(softness > 0.0)) throw InputError("the softness of a distance must be positive");
  struct Pair {
    double least;
    const SoftPiece *a, *b;
    Pose X_WA, X_WB;
  };
  thread_local std::vector<Pair> pairs;
  pairs.clear();
  for (const SoftPiece& a : A.pieces()) {
    for (const SoftPiece& b : B.pieces()) {
      if (a.is_half_space && b.is_half_space) continue;
      const Pose X_WCa = X_WA * a.X_BC, X_WCb = X_WB * b.X_BC;
      pairs.push_back({leastSoft(a, X_WCa, b, X_WCb, softness), &a, &b, X_WCa, X_WCb});
    }
  }
  SmoothDistance out;
  if (pairs.empty()) {
    const HalfSpace plane;
    out = asSmooth(signedDistance(plane, X_WA * A.pieces().front().X_BC, plane,
                                  X_WB * B.pieces().front().X_BC),
                   X_WA, X_WB);
    out.fallback = true;
    return out;
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.least < b.least; });
  // Soft minimum: sums are kept relative to the least value so far.
  double least = HUGE_VAL, sum = 0.0;
  Sums sums;
  Vec3 steepest = Vec3::UnitX();
  const double negligible = softness * (kNegligible + std::log(pairs.size()));
  for (const Pair& pair : pairs) {
    if (pair.least > least + negligible) break;
    const Soft soft = softPair(*pair.a, pair.X_WA, *pair.b, pair.X_WB, softness);
    if (soft.value < least) {
      const double shrink = std::exp((soft.value - least) / softness);
      Sums shrunk;
      shrunk.add(shrink, sums);
      sums = shrunk;
      sum *= shrink;
      least = soft.value;
      steepest = soft.steepest;
    }
    const double weight = std::exp((least - soft.value) / softness);
    sum += weight;
    sums.add(weight, soft.mean);
  }
  Sums mean;
  mean.add(1.0 / sum, sums);
  out.distance = least - softness * std::log(sum);
  const double length = mean.normal.norm();
  out.normal = length > 1e-9 ? Vec3(mean.normal / length) : steepest;
  const Vec3 middle = 0.5 * (mean.on_A + mean.on_B);
  out.witness_A = middle - 0.5 * out.distance * out.normal;
  out.witness_B = middle + 0.5 * out.distance * out.normal;
  out.gradient.translation_A = -mean.normal;
  out.gradient.translation_B = mean.normal;
  out.gradient.rotation_A = -(mean.moment - X_WA.p.cross(mean.normal));
  out.gradient.rotation_B = mean.moment - X_WB.p.cross(mean.normal);
  out.tie = length < kTie;
  return out;
}

}  // namespace allclear
