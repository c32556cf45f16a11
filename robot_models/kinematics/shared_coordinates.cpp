// Coordinates that several nodes repeat (mimic joints), by Schur's complement of the mass matrix:
// the tree is factored with them held (inertia_sweeps.cpp). Y_o, the motion of all nodes by a unit
// rate of coordinate o without impulses of the other joints, takes one pair of sweeps. A_oo' is the
// momentum of o' in Y_o. Then the inverse mass grows by Y A^-1 Y', and with A = L L' by y y' for
// each column y of Y L'^-1.
#include <cmath>

#include "allclear/robot_models/kinematics/impulse_sweeps.h"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace allclear {
namespace {

/// A shared coordinate's inertia, relative to what its nodes have: computed anew below the first;
/// below the second it moves no mass, or none that other coordinates do not.
constexpr double kSuspiciousShared = 1e-5;
constexpr double kMasslessShared = 1e-11;

/// Ω += y y'.
ALLCLEAR_MULTIVERSION
void addDirections(const SpatialPack* y, int nodes, int directions,
                   EffectiveInertia::Workspace::Inverse* inverse) {
  for (int i = 0; i < nodes; ++i) {
    for (int o = 0; o < directions; ++o, ++y) {
      for (int k = 0; k < 3; ++k) {
        inverse[i].a.c[k] += y->angular * y->angular[k];
        inverse[i].b.c[k] += y->angular * y->linear[k];
        inverse[i].d.c[k] += y->linear * y->linear[k];
      }
    }
  }
}

}  // namespace

/// The momentum of a shared coordinate after both sweeps: what its joints would have to supply.
double EffectiveInertia::sharedMomentum(const SharedCoordinate& shared, const Workspace& w) const {
  double sum = 0.0;
  for (int i : shared.users) {
    // S'(I V_i + p), and S'I V_i = U'V_i.
    const double share =
        product(w.answer[i].U, w.velocity[i]) + alongJoint(w.answer[i], w.momentum[i]);
    sum += multiplier_[i] * share;
  }
  return sum;
}

/// All nodes' motion by a unit rate of one shared coordinate, and its row of `shared_mass`.
void EffectiveInertia::releaseShared(int o, Workspace& w) const {
  const SharedCoordinate& shared = shared_[o];
  w.rate.setZero();
  for (SpatialPack& p : w.momentum) p = still();
  for (int i : shared.users) w.rate[i] = multiplier_[i];
  Sweeps::inward(Sweeps(w), shared.path.data(), static_cast<int>(shared.path.size()));
  Sweeps::outward(Sweeps(w), nodeCount());
  const int count = static_cast<int>(shared_.size());
  for (int i = 0; i < nodeCount(); ++i) w.shared_motion[i * count + o] = w.velocity[i];
  for (int k = 0; k <= o; ++k) w.shared_mass(o, k) = sharedMomentum(shared_[k], w);
  w.shared_mass(o, o) += rotor_[shared.coordinate];
}

/// What a shared coordinate would weigh if no other joint answered, or more.
double EffectiveInertia::wholeInertia(const SharedCoordinate& shared, const Workspace& w) const {
  double sum = rotor_[shared.coordinate];
  for (int i : shared.users) sum += multiplier_[i] * multiplier_[i] * w.answer[i].whole;
  return sum;
}

/// What the motion of row o of the factor weighs: a sum of squares, where the difference in A's
/// factor may be rounding.
double EffectiveInertia::inertiaOfShared(int o, Workspace& w) const {
  const int count = static_cast<int>(shared_.size());
  // The motion itself, then the energies of bodies and of all rotors that turn in it.
  double rotors = 0.0;
  for (int k = 0; k <= o; ++k) {
    const double rate = w.shared_factor(o, k);
    rotors += rotor_[shared_[k].coordinate] * rate * rate;
  }
  for (int i = 0; i < nodeCount(); ++i) {
    SpatialPack V = still();
    for (int k = 0; k <= o; ++k) {
      const SpatialPack& Y = w.shared_motion[i * count + k];
      V.angular += Y.angular * w.shared_factor(o, k);
      V.linear += Y.linear * w.shared_factor(o, k);
    }
    w.velocity[i] = V;
  }
  for (int i = 0; i < nodeCount(); ++i) {
    if (inertial_[i].motion != Motion::kFree || inertial_[i].rotor == 0.0) continue;
    const double rate = rateOf(i, w);
    rotors += inertial_[i].rotor * rate * rate;
  }
  return weightOf(0, nodeCount() - 1, frames_.nodes().data(), w.frames.data(), w.velocity.data()) +
         rotors;
}

/// Ω += Y A^-1 Y' with A = L L': the directions Y L'^-1 add up one by one.
void EffectiveInertia::factorShared(Workspace& w) const {
  const int count = static_cast<int>(shared_.size());
  for (int o = 0; o < count; ++o) releaseShared(o, w);
  // F = L^-1, row by row; a coordinate that moves no mass of its own gets a row of zeros.
  MatX& L = w.shared_mass;
  MatX& F = w.shared_factor;
  F.setZero();
  for (int o = 0; o < count; ++o) {
    const double whole = wholeInertia(shared_[o], w);
    for (int k = 0; k < o; ++k) {
      for (int j = 0; j < k; ++j) L(o, k) -= L(o, j) * L(k, j);
      L(o, k) *= F(k, k);
      L(o, o) -= L(o, k) * L(o, k);
    }
    // Row o of F, but for its scale 1 / L_oo: the motion of o to which the others answer.
    for (int k = 0; k < o; ++k) {
      F(o, k) = 0.0;
      for (int j = k; j < o; ++j) F(o, k) -= L(o, j) * F(j, k);
    }
    F(o, o) = 1.0;
    if (!(L(o, o) > kSuspiciousShared * whole)) L(o, o) = inertiaOfShared(o, w);
    if (!(L(o, o) > kMasslessShared * whole)) {
      L.row(o).head(o + 1).setZero();
      F.row(o).head(o + 1).setZero();
      continue;
    }
    L(o, o) = std::sqrt(L(o, o));
    F.row(o).head(o + 1) /= L(o, o);
  }
  for (int i = 0; i < nodeCount(); ++i) {
    SpatialPack* Y = &w.shared_motion[i * count];
    for (int o = count - 1; o >= 0; --o) {  // row o of F needs only columns up to o
      SpatialPack y{Y[o].angular * F(o, o), Y[o].linear * F(o, o)};
      for (int k = 0; k < o; ++k) {
        y.angular += Y[k].angular * F(o, k);
        y.linear += Y[k].linear * F(o, k);
      }
      Y[o] = y;
    }
  }
}

void EffectiveInertia::addShared(Workspace& w) const {
  addDirections(w.shared_motion.data(), nodeCount(), static_cast<int>(shared_.size()),
                w.inverse.data());
}

}  // namespace allclear
