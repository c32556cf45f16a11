#include "allclear/distance/convex/box_axes.h"

namespace allclear {
namespace {

struct Best {
  double separation = -1e300;
  Vec3 n = Vec3::UnitX();
  bool isolated = true;
  double tie;

  void take(double room, const Vec3& axis, double center) {
    if (room < separation - tie) return;
    const Vec3 toward = center < 0.0 ? Vec3(-axis) : axis;
    if (room <= separation && toward.dot(n) > 1.0 - 1e-12) return;  // the same normal again
    // Equal room along another axis, or along the opposite one.
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
  Best best;
  best.tie = 1e-10 * pair.scale;
  for (int i = 0; i < 3; ++i) {
    const double room = std::abs(p[i]) - a[i] - abs_R.row(i).dot(b);
    best.take(room, Vec3::Unit(i), p[i]);
  }
  const Vec3 p_B = R.transpose() * p;
  for (int j = 0; j < 3; ++j) {
    const double room = std::abs(p_B[j]) - b[j] - abs_R.col(j).dot(a);
    best.take(room, R.col(j), p_B[j]);
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3;
      const int j2 = (j + 2) % 3;
      // e_i x R e_j has components 0, -R(i2, j), R(i1, j) along i, i1, i2.
      const double sine2 = R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j);
      if (sine2 < 1e-20) continue;
      const double inverse = 1.0 / std::sqrt(sine2);
      const double center = inverse * (R(i1, j) * p[i2] - R(i2, j) * p[i1]);
      const double reach = inverse * (a[i1] * abs_R(i2, j) + a[i2] * abs_R(i1, j) +
                                      b[j1] * abs_R(i, j2) + b[j2] * abs_R(i, j1));
      const double room = std::abs(center) - reach;
      if (room <= best.separation - best.tie) continue;
      Vec3 axis = Vec3::Zero();
      axis[i1] = -inverse * R(i2, j);
      axis[i2] = inverse * R(i1, j);
      best.take(room, axis, center);
    }
  }
  return {best.n, best.separation, best.isolated};
}

}  // namespace allclear
