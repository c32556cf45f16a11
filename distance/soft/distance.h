#pragma once

#include <vector>

#include "allclear/distance/soft/result.h"
#include "allclear/distance/soft/support.h"

namespace allclear {

/// A convex solid made ready for `softDistance`: directions that go with it, and its supports
/// along them.
struct SoftPiece {
  SoftCore body;
  Pose X_BC;  ///< of the core's frame in the body's
  bool is_half_space = false;
  Columns own;  ///< normals of faces, unit, in the core's frame: C
  Columns fan;  ///< directions all about, then `own`
  std::vector<double> own_supports, fan_supports;  ///< of the core, without its ball
  double log_corners = 0.0;  ///< soft supports are above by at most this times their softness

  double reach() const { return body.core.extent + body.core.radius; }
};

/// A body of one or several convex solids, prepared; immutable, to be shared.
class SoftBody {
 public:
  /// A triangle mesh is taken as the pieces of its cover, which enclose it (`TriangleMesh::cover`).
  explicit SoftBody(const Shape& shape) : SoftBody(std::vector<Geometry>{{shape, Pose()}}) {}
  /// All of them, in the body's frame.
  explicit SoftBody(const std::vector<Geometry>& solids);

  const std::vector<SoftPiece>& pieces() const { return pieces_; }

 private:
  std::vector<Geometry> solids_;  ///< the cores borrow their points
  std::vector<SoftPiece> pieces_;
};

/// The signed distance made smooth. With d(n) = -h_A(n) - h_B(-n) the room that two convex solids
/// leave along the unit normal n, the distance is max d(n); this is
///   softness * log(mean over k of exp(d_k / softness)),   d_k = -g_A(n_k) - g_B(-n_k)
/// over K fixed directions n_k (a fan of A's, the normals of the faces of both), with supports g
/// softened over half of the softness. All derivatives exist but for where pieces are left out
/// (below 1e-12); the gradient is exact.
///
/// Never above the distance: g >= h, and a mean is not above the largest. Below it by about 7
/// times the softness, and by what the nearest direction of the fan loses (10 degrees between
/// neighbours). Between bodies of several pieces: the soft minimum over pairs of pieces, never
/// above the least of their distances; so > 0 only where the bodies are apart.
///
/// `tie`: the derivative by the translation is shorter than 1/2: directions far apart count alike.
/// `fallback`: two half-spaces. The state is not used. Pre: softness > 0.
SmoothDistance softDistance(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                            const Pose& X_WB, double softness);

}  // namespace allclear
