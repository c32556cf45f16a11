// Impacts of a tree of links: M. Moore and J. Wilhelms, "Collision detection and response for
// computer animation" (SIGGRAPH 1988), as D. Jeong, E. Kim and K. Ryu take it up ("Faster collision
// response through reformulating linear equations"), without their linear system: the sweeps of
// impulse_sweeps.cpp give the same answer in linear time.
//
// The contact. With u the velocity of the first body seen from the second before, u' after, n the
// normal into the second, K the inverse mass and P the impulse on the first body,
//   u' = u + K P,     n'u' = −e n'u,
// and along the plane, with P_t that part of P: either u'_t = 0 and |P_t| <= mu |n'P| (sticking),
// or u'_t = −λ P_t, λ > 0, and |P_t| = mu |n'P| (sliding). Both are one family of linear systems,
//   (K + λ (1 − n n')) P = −(1 + e) (n'u) n − u_t,
// in which P_t falls to nothing as λ grows: λ is found by halving.
//
// Energy. K P = u' − u, so that the bodies lose −P'(u + u')/2. Sticking leaves u' = −e (n'u) n and
// takes u'K^-1 u/2 for u''K^-1 u'/2. Of all u with the same n'u, u ∝ K n has the least energy,
// (n'u)²/(n'Kn): some u gains when e² (n'K^-1 n) (n'Kn) > 1. With e = 0 no impact gains: sliding
// loses λ |P_t|² + P'K P/2.
#include "allclear/robot_models/kinematics/impact.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/impulse_sweeps.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

/// A link that cannot move along some direction has a K without rank there, but for rounding: the
/// recursion is good for 1e-13 of the largest.
constexpr double kRankTolerance = 1e-11;
constexpr double kClearRank = 1e-4;
/// λ of sliding is sought between these parts of the trace of K: friction within 1e-9 of sticking,
/// or of none, makes no difference that could be seen.
constexpr double kLeastSliding = 1e-9, kMostSliding = 1e9;
/// Halvings of the logarithm of that range to the last digit.
constexpr int kHalvings = 64;

/// The least x with A x = b, for A symmetric and not negative.
Vec3 leastSolution(const Mat3& A, const Vec3& b) {
  // With full rank, far from losing it, the adjugate is as good and many times as fast. The two
  // greater eigenvalues have at most a quarter of the trace's square as their product.
  const Vec3 c0 = A.col(1).cross(A.col(2)), c1 = A.col(2).cross(A.col(0));
  const double det = A.col(0).dot(c0), trace = A.trace();
  if (4.0 * det > kClearRank * trace * trace * trace) {
    return (c0 * b[0] + c1 * b[1] + A.col(0).cross(A.col(1)) * b[2]) / det;
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(A);
  Vec3 x = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double e = eigen.eigenvalues()[k];
    if (!(e > kRankTolerance * eigen.eigenvalues()[2])) continue;
    x += eigen.eigenvectors().col(k) * (eigen.eigenvectors().col(k).dot(b) / e);
  }
  return x;
}

/// One contact: K, u and the law.
class Contact {
 public:
  Contact(const Mat3& K, const Vec3& u, const ContactLaw& law)
      : K_(K),
        law_(law),
        plane_(Mat3::Identity() - law.normal * law.normal.transpose()),
        wanted_(-(1.0 + law.restitution) * law.normal.dot(u) * law.normal - plane_ * u) {}

  /// The impulse that leaves a share λ of the sliding.
  Vec3 impulse(double lambda) const { return leastSolution(K_ + lambda * plane_, wanted_); }

  /// Whether an impulse presses and is within the cone of friction.
  bool isWithinCone(const Vec3& P) const {
    const double pressing = -law_.normal.dot(P);
    return pressing > 0.0 && (plane_ * P).norm() <= law_.friction * pressing;
  }

  Vec3 withoutFriction() const {
    const Vec3& n = law_.normal;
    return n * (n.dot(wanted_) / n.dot(K_ * n));
  }

  /// On the cone. The most sliding is within it, the least is not.
  Vec3 sliding() const {
    double low = std::log(kLeastSliding * K_.trace());
    double high = std::log(kMostSliding * K_.trace());
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      (isWithinCone(impulse(std::exp(middle))) ? high : low) = middle;
    }
    return impulse(std::exp(high));
  }

 private:
  Mat3 K_;
  ContactLaw law_;
  Mat3 plane_;
  Vec3 wanted_;  ///< u' − u when nothing slides
};

/// The largest restitution for which no sticking contact gains energy; at most 1.
double safeRestitution(const Mat3& K, const Vec3& n) {
  const double product = n.dot(K * n) * n.dot(leastSolution(K, n));
  return product > 1.0 ? 1.0 / std::sqrt(product) : 1.0;
}

}  // namespace

Vec3 stoppingImpulse(const Mat3& K, const Vec3& velocity) { return leastSolution(K, velocity); }

const char* contactModeName(ContactMode mode) {
  constexpr const char* kNames[] = {"parting", "sticking", "sliding"};
  return kNames[static_cast<int>(mode)];
}

ContactImpulse contactImpulse(const Mat3& K, const Vec3& u, const ContactLaw& law) {
  ContactImpulse out;
  out.velocity_after = u;
  const Vec3& n = law.normal;
  if (!(n.dot(u) > 0.0) || !(n.dot(K * n) > 0.0)) return out;
  // Sticking first: it has the greatest friction. Beyond the cone the bodies slide.
  out.safe_restitution = safeRestitution(K, n);
  const Contact contact(K, u, law);
  out.mode = ContactMode::kSliding;
  if (law.friction > 0.0) {
    out.impulse = contact.impulse(0.0);
    if (std::isinf(law.friction) || contact.isWithinCone(out.impulse)) {
      out.mode = ContactMode::kSticking;
    } else {
      out.impulse = contact.sliding();
    }
  } else {
    out.impulse = contact.withoutFriction();
  }
  out.velocity_after = u + K * out.impulse;
  out.energy_lost = -0.5 * out.impulse.dot(u + out.velocity_after);
  return out;
}

/// Sums over the links, compiled for several instruction sets.
struct RobotImpacts::Kernels {
  /// The links' origins; no load yet.
  ALLCLEAR_MULTIVERSION
  static void origins(const Place* places, int count, const Frame4* frames, const Vec3* p_NL,
                      Workspace::Origin* origin, SpatialPack* load) {
    for (int l = 0; l < count; ++l) {
      const Place& place = places[l];
      load[l] = still();
      if (place.node < 0) {
        origin[l].p_W = pack(p_NL[l]);
        continue;
      }
      origin[l].p_W = frames[place.node].c[3];
      if (!place.is_at_node) origin[l].p_W += rotate(frames[place.node], pack(p_NL[l]));
    }
  }

  /// The momenta that the links' own bodies gained, about the links' origins.
  ALLCLEAR_MULTIVERSION
  static void gains(const Body* bodies, int count, const Frame4* frames,
                    const SpatialPack* velocity, SpatialPack* load) {
    for (int b = 0; b < count; ++b) {
      const Body& body = bodies[b];
      const Frame4& F = frames[body.node];
      // The turning part in the node's own axes, where its inertia is constant.
      const SpatialPack& V = velocity[body.node];
      const Pack4 c = rotate(F, body.p_NC), arm = rotate(F, body.p_NL);
      const Pack4 w = pack(dot(F.c[0], V.angular), dot(F.c[1], V.angular), dot(F.c[2], V.angular));
      const Pack4 momentum = (V.linear + cross(V.angular, c)) * body.mass;
      load[body.link] = {rotate(F, body.I_C * w) + cross(c - arm, momentum), momentum};
    }
  }

  /// Sums them over subtrees; what arrives at a link is what its joint must pass on.
  ALLCLEAR_MULTIVERSION
  static void gather(const Place* places, int count, const Workspace::Origin* origin,
                     SpatialPack* load, JointImpulse* joints) {
    // A link that comes right after its parent hands its sum on in registers.
    SpatialPack own = load[count - 1];
    for (int l = count - 1; l > 0; --l) {
      const Place& place = places[l];
      joints[place.joint].force = unpack(own.linear);
      joints[place.joint].moment = unpack(own.angular);
      if (!place.coincides) {
        own.angular += cross(origin[l].p_W - origin[place.parent].p_W, own.linear);
      }
      SpatialPack before = load[l - 1];
      if (place.parent == l - 1) {
        before.angular += own.angular;
        before.linear += own.linear;
      } else {
        load[place.parent].angular += own.angular;
        load[place.parent].linear += own.linear;
      }
      own = before;
    }
  }
};

RobotImpacts::RobotImpacts(const RobotModel& model, const VecX& rotor_inertia)
    : inertia_(MotionTree(model), rotor_inertia), joints_(static_cast<int>(model.joints().size())) {
  for (int l = 0; l < inertia_.linkCount(); ++l) {
    const Link& link = model.links()[l];
    const LinkMount& mount = inertia_.mount(l);
    Place place{};
    place.node = mount.node;
    place.joint = link.parent_joint;
    place.parent = l == 0 ? -1 : model.joints()[link.parent_joint].parent_link;
    place.is_at_node = mount.node >= 0 && mount.X_NL.p == Vec3::Zero();
    place.coincides = l > 0 && place.is_at_node && places_[place.parent].is_at_node &&
                      inertia_.coincide(place.node, places_[place.parent].node);
    places_.push_back(place);
    p_NL_.push_back(mount.X_NL.p);
    if (mount.node < 0 || (link.inertia.mass == 0.0 && link.inertia.I_C.isZero(0.0))) continue;
    // Seen from the node, so that the sums need no frames of links.
    const Inertia inertia = expressedIn(mount.X_NL, link.inertia);
    Body body{};
    for (int k = 0; k < 3; ++k) body.I_C.c[k] = pack(Vec3(inertia.I_C.col(k)));
    body.p_NL = pack(mount.X_NL.p);
    body.p_NC = pack(inertia.p_LC);
    body.mass = inertia.mass;
    body.node = mount.node;
    body.link = l;
    bodies_.push_back(body);
  }
}

RobotImpacts::Workspace RobotImpacts::makeWorkspace() const {
  Workspace w;
  static_cast<EffectiveInertia::Workspace&>(w) = inertia_.makeWorkspace();
  w.load.resize(places_.size());
  w.origin.resize(places_.size());
  return w;
}

void RobotImpacts::respond(const Impact& impact, const VecX& v, Workspace& w,
                           ImpactResponse& out) const {
  ALLCLEAR_ASSERT(impact.other_link < 0 || impact.inverse_mass == 0.0);
  Mat3 K = inertia_.contactInverseMass(impact.link, impact.other_link, impact.p_W, w);
  K.diagonal().array() += impact.inverse_mass;
  Vec3 u = inertia_.pointVelocity(impact.link, impact.p_W, v, w) - impact.velocity;
  if (impact.other_link >= 0) u -= inertia_.pointVelocity(impact.other_link, impact.p_W, v, w);
  out.contact = contactImpulse(K, u, impact.law);
  const Vec3& P = out.contact.impulse;
  inertia_.applyImpulse(impact.link, impact.other_link, impact.p_W, P, w, out.velocity_after);
  out.velocity_after += v;
  out.other_velocity = impact.velocity - impact.inverse_mass * P;
  // Momenta that subtrees gain, less the impulse itself, came through their joints.
  const int links = static_cast<int>(places_.size());
  Kernels::origins(places_.data(), links, w.frames.data(), p_NL_.data(), w.origin.data(),
                   w.load.data());
  Kernels::gains(bodies_.data(), static_cast<int>(bodies_.size()), w.frames.data(),
                 w.velocity.data(), w.load.data());
  for (const double sign : {1.0, -1.0}) {
    const int hit = sign > 0.0 ? impact.link : impact.other_link;
    if (hit < 0) continue;
    const Pack4 force = pack(Vec3(sign * P));
    w.load[hit].linear -= force;
    w.load[hit].angular -= cross(pack(impact.p_W) - w.origin[hit].p_W, force);
  }
  out.joints.resize(joints_);
  Kernels::gather(places_.data(), links, w.origin.data(), w.load.data(), out.joints.data());
}

}  // namespace allclear
