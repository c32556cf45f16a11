#pragma once

// The formulas of volume_bounds.h, for one volume (float) or eight side by side (Lanes).
//
// Names as there: f holds n.X for each control X of the motion, so that n.X p is one dot product;
// `leastAlong` is min n.a over a volume of A, `mostAlong` is max n.b over one of B, and
// `roomAlong` their difference less the error.

#include "allclear/distance/mesh/volume_bounds.h"

namespace allclear::mesh {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

/// Squared lengths below this [m^2] count as this: divisors stay finite. Where it acts, a half edge
/// or a gap is shorter than 1e-15 m and any point or direction will do: it only steers a search.
constexpr float kLeastSquare = 1e-30F;

/// The leaves of one node: triangles, with the box that is about each.
struct LeafVolumes : CoarseVolumes<Lanes> {
  Lanes corner[3][3];
};

ALLCLEAR_INLINE void loadBoxes(const float (*box)[kWidth], CoarseVolumes<Lanes>* out) {
  for (int k = 0; k < 3; ++k) out->box[k] = lanesOf(box[k]);
  for (int k = 0; k < 9; ++k) out->axis[k / 3][k % 3] = lanesOf(box[3 + k]);
}
ALLCLEAR_INLINE void loadCorners(const float (*corner)[kWidth], LeafVolumes* out) {
  for (int k = 0; k < 9; ++k) out->corner[k / 3][k % 3] = lanesOf(corner[k]);
}

/// Calls with the children as triangles or boxes; their balls and, of triangles, the boxes stay
/// unset.
template <class Call>
ALLCLEAR_INLINE auto withContent(const Children& of, const Call& call) {
  if (of.are_triangles) {
    LeafVolumes leaves;
    loadCorners(of.lanes, &leaves);
    return call(leaves);
  }
  CoarseVolumes<Lanes> boxes;
  loadBoxes(of.lanes, &boxes);
  return call(boxes);
}
/// Calls with the children, balls and boxes included. Pre: `of.node` is not null.
template <class Call>
ALLCLEAR_INLINE void withVolumes(const Children& of, const Call& call) {
  const auto rest = [&](auto* out) ALLCLEAR_INLINE_LAMBDA {
    for (int k = 0; k < 3; ++k) out->center[k] = lanesOf(of.node->ball[k]);
    loadBoxes(of.node->box, out);
  };
  if (of.are_triangles) {
    LeafVolumes leaves;
    rest(&leaves);
    loadCorners(of.lanes, &leaves);
    call(leaves);
  } else {
    CoarseVolumes<Lanes> boxes;
    rest(&boxes);
    call(boxes);
  }
}

/// For each control X (B0, B1, B2 and C3 / 4): n.X p = w.p + shift.
template <class L>
struct Functionals {
  L w[4][4];  ///< [xyz, then the shift][control]

  ALLCLEAR_INLINE Vector<L> of(int k) const { return {w[0][k], w[1][k], w[2][k]}; }
  template <class M>
  ALLCLEAR_INLINE auto at(int k, const Vector<M>& p) const {
    return w[0][k] * p.x + w[1][k] * p.y + w[2][k] * p.z + w[3][k];
  }
};

/// Projects the motion onto n.
template <bool kMoving>
ALLCLEAR_INLINE void project(const CoarsePoses& m, const Vector<Lanes>& n,
                             Functionals<Lanes>* out) {
  for (int c = 0; c < 4; ++c) {
    const int i = c < 3 ? c : 9, step = c < 3 ? 3 : 1;
    for (int k = 0; k < (kMoving ? 4 : 1); ++k) {
      out->w[c][k] = n.x * m.controls[i][k] + n.y * m.controls[i + step][k] +
                     n.z * m.controls[i + 2 * step][k];
    }
  }
}
template <bool kMoving>
ALLCLEAR_INLINE void project(const CoarsePoses& m, const Vector<float>& n,
                             Functionals<float>* out) {
  // The four controls side by side in a register, a constant pose's three unused ones included.
  using Four = float __attribute__((vector_size(16)));
  Four x[12];
  std::memcpy(x, m.controls, sizeof x);
  for (int c = 0; c < 4; ++c) {
    const int i = c < 3 ? c : 9, step = c < 3 ? 3 : 1;
    const Four w = n.x * x[i] + n.y * x[i + step] + n.z * x[i + 2 * step];
    std::memcpy(out->w[c], &w, sizeof w);
  }
}

/// How far a box reaches from its centre along w: sum_i |w.g_i|.
template <class LV, class LW>
ALLCLEAR_INLINE auto reachAlong(const Vector<LW>& w, const CoarseVolumes<LV>& V) {
  using L = decltype(LV{} + LW{});
  return L(magnitude(L(dot(w, vectorOf(V.axis[0])))) + magnitude(L(dot(w, vectorOf(V.axis[1])))) +
           magnitude(L(dot(w, vectorOf(V.axis[2])))));
}

/// The least n.a over a volume of A during the interval, the error not subtracted.
template <bool kMoving, class LN, class VA>
ALLCLEAR_INLINE auto leastAlong(const Functionals<LN>& f, const VA& A) {
  using L = decltype(typename VA::Lane{} + LN{});
  if constexpr (requires { A.corner; }) {
    // A triangle: the least of its corners' quadratics, exact but for the cubic.
    L least = all<L>(std::numeric_limits<float>::infinity());
    for (int v = 0; v < 3; ++v) {
      const auto p = vectorOf(A.corner[v]);
      if constexpr (kMoving) {
        const L turning = leastOfQuadratic(L(f.at(0, p)), L(f.at(1, p)), L(f.at(2, p)));
        least = smaller(least, L(turning - magnitude(L(f.at(3, p)))));
      } else {
        least = smaller(least, L(f.at(0, p)));
      }
    }
    return least;
  } else if constexpr (kMoving) {
    L at[4], reach[4];
    for (int k = 0; k < 4; ++k) {
      at[k] = f.at(k, vectorOf(A.box));
      reach[k] = reachAlong(f.of(k), A);
    }
    // The half axes' reach is convex in s: it is largest at a control. `hull` takes centre and
    // half axes together at each control, the other bound takes the centre's exact quadratic.
    const L most = larger(larger(reach[0], reach[1]), reach[2]);
    const L hull = smaller(smaller(L(at[0] - reach[0]), L(at[1] - reach[1])), L(at[2] - reach[2]));
    return L(larger(hull, L(leastOfQuadratic(at[0], at[1], at[2]) - most)) - magnitude(at[3]) -
             reach[3]);
  } else {
    return L(f.at(0, vectorOf(A.box)) - reachAlong(f.of(0), A));
  }
}

/// The largest n.b over a volume of B.
template <class LN, class VB>
ALLCLEAR_INLINE auto mostAlong(const Vector<LN>& n, const VB& B) {
  using L = decltype(typename VB::Lane{} + LN{});
  if constexpr (requires { B.corner; }) {
    return larger(larger(L(dot(n, vectorOf(B.corner[0]))), L(dot(n, vectorOf(B.corner[1])))),
                  L(dot(n, vectorOf(B.corner[2]))));
  } else {
    return L(dot(n, vectorOf(B.box)) + reachAlong(n, B));
  }
}

/// The room between two volumes along n.
template <bool kMoving, class VA, class VB, class LN>
ALLCLEAR_INLINE auto roomAlong(const CoarsePoses& m, const VA& A, const VB& B, const Vector<LN>& n,
                               float error) {
  Functionals<LN> f;
  project<kMoving>(m, n, &f);
  return leastAlong<kMoving>(f, A) - mostAlong(n, B) - error;
}

/// The point of a box nearest to p, if its axes were exactly orthogonal.
template <class LV, class L>
ALLCLEAR_INLINE Vector<L> nearestIn(const CoarseVolumes<LV>& V, const Vector<L>& p) {
  const Vector<L> d{p.x - V.box[0], p.y - V.box[1], p.z - V.box[2]};
  Vector<L> r{L{} + V.box[0], L{} + V.box[1], L{} + V.box[2]};
  for (int i = 0; i < 3; ++i) {
    const Vector<LV> g = vectorOf(V.axis[i]);
    const L t = clamped(L(dot(d, g) / larger(dot(g, g), all<LV>(kLeastSquare))));
    r = {r.x + t * g.x, r.y + t * g.y, r.z + t * g.z};
  }
  return r;
}
/// A point of the triangle near the nearest one to p: the foot of p in its plane, coordinates along
/// the edges clamped to the triangle (not the nearest where the foot is outside).
template <class L>
ALLCLEAR_INLINE Vector<L> nearestIn(const CoarseTriangle& V, const Vector<L>& p) {
  const float(&c)[3][3] = V.corner;
  const Vector<L> d{p.x - c[0][0], p.y - c[0][1], p.z - c[0][2]};
  L u = larger(L(dot(d, vectorOf(V.dual[0]))), L{}),
    v = larger(L(dot(d, vectorOf(V.dual[1]))), L{});
  const L scale = 1.0F / larger(L(u + v), all<L>(1.0F));
  u = u * scale;
  v = v * scale;
  return {c[0][0] + u * (c[1][0] - c[0][0]) + v * (c[2][0] - c[0][0]),
          c[0][1] + u * (c[1][1] - c[0][1]) + v * (c[2][1] - c[0][1]),
          c[0][2] + u * (c[1][2] - c[0][2]) + v * (c[2][2] - c[0][2])};
}

/// A unit direction per lane, B to A, by projections from volume to volume in the middle of the
/// interval: B's centre onto A, the result onto B, the connection of the last two points. Any
/// direction gives a valid bound; this one is near the best. A second round would leave 2 % fewer
/// pairs and take more time than they do.
template <class VA, class VB>
ALLCLEAR_INLINE auto directionBetween(const CoarsePoses& m, const VA& A, const VB& B) {
  using LB = typename VB::Lane;
  using L = decltype(typename VA::Lane{} + LB{});
  const float* T = m.middle.T;
  const Vector<LB> back{B.box[0] - T[0], B.box[1] - T[1], B.box[2] - T[2]};
  const Vector<LB> turned_back = turnedBack(m.middle.R, back);
  const Vector<L> from{L{} + turned_back.x, L{} + turned_back.y, L{} + turned_back.z};
  const Vector<L> a = placed(m.middle, nearestIn(A, from));
  const Vector<L> b = nearestIn(B, a);
  const Vector<L> n{a.x - b.x, a.y - b.y, a.z - b.z};
  const L scale = 1.0F / root(larger(dot(n, n), all<L>(kLeastSquare)));
  return Vector<L>{n.x * scale, n.y * scale, n.z * scale};
}

/// The least squared distance of the balls' centres, A's moving along a straight line. An estimate
/// that orders pairs, not a bound.
template <bool kMoving, class VA, class VB>
ALLCLEAR_INLINE auto centerDistance(const CoarsePoses& m, const VA& A, const VB& B) {
  using LA = typename VA::Lane;
  using L = decltype(LA{} + typename VB::Lane{});
  const Vector<LA> c = vectorOf(A.center), p = placed(m.middle, c);
  Vector<L> q{p.x - B.center[0], p.y - B.center[1], p.z - B.center[2]};
  if constexpr (kMoving) {
    const Vector<LA> v = placed(m.velocity, c);
    const L s = clamped(L(-dot(q, v) / larger(dot(v, v), all<LA>(kLeastSquare))));
    q = {q.x + s * v.x, q.y + s * v.y, q.z + s * v.z};
  }
  return L(dot(q, q));
}

#pragma GCC diagnostic pop

}  // namespace allclear::mesh
