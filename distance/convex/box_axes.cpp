// Separating axes of two boxes (S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996). The difference
// B - A of two boxes is a polytope whose faces have the normals of A's faces (3), of B's faces (3)
// or of a pair of edges, one of each (9, a cross product). If the boxes overlap, the shortest way
// out leads through one of these faces: along its normal. So 15 axes are all that can be the
// answer.
//
// Along an axis n the centre of B is at `center` = n.p and the boxes reach half their projections
// to either side, `reach` together: the room is |center| - reach, along n or along -n, whichever
// leads from A to B.

#include "allclear/distance/convex/box_axes.h"

namespace allclear {
namespace {

/// Axes whose room differs by less than this share of the size are equally good: then the normal is
/// not unique. Well above rounding, and below what any user of the normal notices.
constexpr double kTie = 1e-10;

/// Normals whose cosine exceeds this (1.4e-6 rad) are one axis met twice: of parallel boxes, say.
constexpr double kSameCosine = 1.0 - 1e-12;

/// Two edges with a squared sine below this (1e-10 rad) count as parallel: their cross product is
/// noise, and the face normals near it are as good.
constexpr double kParallelSine2 = 1e-20;

/// The axis with the most room so far.
struct BestAxis {
  double separation = -1e300;  // no axis yet
  Vec3 n = Vec3::UnitX();
  bool isolated = true;
  double tie;

  void offer(double room, const Vec3& axis, double center) {
    if (room < separation - tie) return;
    const Vec3 toward = center < 0.0 ? Vec3(-axis) : axis;
    if (room <= separation && toward.dot(n) > kSameCosine) return;
    // Another axis is as good. So is the opposite one, if the centres are level along the axis.
    const bool rival = room <= separation + tie;
    if (room > separation) {
      separation = room;
      n = toward;
    }
    isolated = !rival && std::abs(center) > tie;
  }
};

}  // namespace

NormalCandidate bestBoxAxis(const CorePair& pair) {
  const Vec3& a = pair.A.size;
  const Vec3& b = pair.B.size;
  const Mat3& R = pair.R;
  const Vec3& p = pair.p;
  const Mat3 abs_R = R.cwiseAbs();
  BestAxis best;
  best.tie = kTie * pair.scale;
  // Normals of A's faces: along them A reaches half its edge, B the sum of its projected half
  // edges.
  for (int i = 0; i < 3; ++i) {
    const double room = std::abs(p[i]) - a[i] - abs_R.row(i).dot(b);
    best.offer(room, Vec3::Unit(i), p[i]);
  }
  // Normals of B's faces, likewise from B's frame.
  const Vec3 p_B = R.transpose() * p;
  for (int j = 0; j < 3; ++j) {
    const double room = std::abs(p_B[j]) - b[j] - abs_R.col(j).dot(a);
    best.offer(room, R.col(j), p_B[j]);
  }
  // An edge direction i of A with an edge direction j of B.
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3;
      const int j2 = (j + 2) % 3;
      // e_i x R e_j has components 0, -R(i2, j), R(i1, j) along i, i1, i2.
      const double sine2 = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      if (sine2 < kParallelSine2) continue;
      const double inverse = 1.0 / std::sqrt(sine2);
      const double center = inverse * (R(i1, j) * p[i2] - R(i2, j) * p[i1]);
      const double reach = inverse * (a[i1] * abs_R(i2, j) + a[i2] * abs_R(i1, j) +
                                      b[j1] * abs_R(i, j2) + b[j2] * abs_R(i, j1));
      const double room = std::abs(center) - reach;
      if (room <= best.separation - best.tie) continue;
      Vec3 axis = Vec3::Zero();
      axis[i1] = -inverse * R(i2, j);
      axis[i2] = inverse * R(i1, j);
      best.offer(room, axis, center);
    }
  }
  return {best.n, best.separation, best.isolated};
}

}  // namespace allclear
