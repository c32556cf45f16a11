// `Kinematics` over its backends. Where two are compiled in, a variant holds the one chosen: a
// query costs one branch and one direct call. With the built-in backend alone there is no branch.
#include "allclear/robot_models/kinematics.h"

#include <algorithm>
#include <variant>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/builtin.h"
#ifdef ALLCLEAR_HAVE_PINOCCHIO
#include "allclear/robot_models/kinematics/pinocchio.h"
#endif

namespace allclear {
namespace {

#ifdef ALLCLEAR_HAVE_PINOCCHIO
using AnyBackend = std::variant<BuiltinKinematics, PinocchioKinematics>;
using AnyWorkspace = std::variant<BuiltinKinematics::Workspace, PinocchioKinematics::Workspace>;

/// Calls function(backend) with the backend's own type.
template <class Function>
auto call(const AnyBackend& backend, const Function& function) {
  return std::visit(function, backend);
}

/// Calls function(backend, workspace) with their own types; the workspace must be of that backend.
template <class Function>
auto call(const AnyBackend& backend, AnyWorkspace& workspace, const Function& function) {
  return std::visit(
      [&](const auto& own_backend) {
        using OwnWorkspace = typename std::decay_t<decltype(own_backend)>::Workspace;
        auto* own_workspace = std::get_if<OwnWorkspace>(&workspace);
        ALLCLEAR_ASSERT(own_workspace != nullptr);
        return function(own_backend, *own_workspace);
      },
      backend);
}
#else
using AnyBackend = BuiltinKinematics;
using AnyWorkspace = BuiltinKinematics::Workspace;

template <class Function>
auto call(const AnyBackend& backend, const Function& function) {
  return function(backend);
}

template <class Function>
auto call(const AnyBackend& backend, AnyWorkspace& workspace, const Function& function) {
  return function(backend, workspace);
}
#endif

AnyBackend makeBackend(const RobotModel& model, const Vec3& gravity_W, KinematicsBackend backend) {
#ifdef ALLCLEAR_HAVE_PINOCCHIO
  if (backend == KinematicsBackend::kPinocchio) return PinocchioKinematics(model, gravity_W);
#endif
  ALLCLEAR_ASSERT(backend == KinematicsBackend::kBuiltin);  // else it is not available
  return BuiltinKinematics(model, gravity_W);
}

/// A rotor turns with its joint alone: what it does to the body that carries it is left out, as
/// usual for high gear ratios.
VecX rotorInertias(const RobotModel& model) {
  VecX rotors = VecX::Zero(model.dimension());
  for (int c = 0; c < model.dimension(); ++c) {
    rotors[c] = model.coordinates()[c].rotor_inertia.value_or(0.0);
  }
  return rotors;
}

}  // namespace

std::vector<KinematicsBackend> availableKinematicsBackends() {
#ifdef ALLCLEAR_HAVE_PINOCCHIO
  return {KinematicsBackend::kPinocchio, KinematicsBackend::kBuiltin};
#else
  return {KinematicsBackend::kBuiltin};
#endif
}

KinematicsBackend defaultKinematicsBackend() { return availableKinematicsBackends().front(); }

const char* kinematicsBackendName(KinematicsBackend backend) {
  return backend == KinematicsBackend::kPinocchio ? "pinocchio" : "builtin";
}

struct Kinematics::Impl {
  AnyBackend any;
  KinematicsBackend backend;
  VecX rotors;  ///< by coordinate
};

struct Kinematics::Workspace::Impl {
  AnyWorkspace any;
  bool holds_configuration = false;

  /// For a call that takes a configuration.
  AnyWorkspace& place() {
    holds_configuration = true;
    return any;
  }
  /// For a call that answers for the configuration held.
  AnyWorkspace& placed() {
    ALLCLEAR_ASSERT(holds_configuration);
    return any;
  }
};

Kinematics::Kinematics(const RobotModel& model, const Vec3& gravity_W, KinematicsBackend backend)
    : impl_(new const Impl{makeBackend(model, gravity_W, backend), backend, rotorInertias(model)}) {
}
Kinematics::Kinematics(Kinematics&&) noexcept = default;
Kinematics::~Kinematics() = default;

Kinematics::Workspace::Workspace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Kinematics::Workspace::Workspace(Workspace&&) noexcept = default;
Kinematics::Workspace& Kinematics::Workspace::operator=(Workspace&&) noexcept = default;
Kinematics::Workspace::~Workspace() = default;

bool Kinematics::Workspace::holdsConfiguration() const { return impl_->holds_configuration; }

KinematicsBackend Kinematics::backend() const { return impl_->backend; }

int Kinematics::dimension() const {
  return call(impl_->any, [](const auto& backend) { return backend.dimension(); });
}

int Kinematics::linkCount() const {
  return call(impl_->any, [](const auto& backend) { return backend.linkCount(); });
}

Kinematics::Workspace Kinematics::makeWorkspace() const {
  AnyWorkspace any =
      call(impl_->any, [](const auto& backend) { return AnyWorkspace(backend.makeWorkspace()); });
  return Workspace(std::unique_ptr<Workspace::Impl>(new Workspace::Impl{std::move(any)}));
}

void Kinematics::linkPoses(const VecX& q, Workspace& workspace, std::vector<Pose>& X_WL) const {
  call(impl_->any, workspace.impl_->place(),
       [&](const auto& backend, auto& w) { backend.linkPoses(q, w, X_WL); });
}

void Kinematics::pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ,
                               Jacobian& J) const {
  call(impl_->any, workspace.impl_->placed(),
       [&](const auto& backend, const auto& w) { backend.pointJacobian(w, link, p_WQ, J); });
}

void Kinematics::inverseDynamics(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                                 VecX& tau) const {
  call(impl_->any, workspace.impl_->place(),
       [&](const auto& backend, auto& w) { backend.inverseDynamics(q, v, a, w, tau); });
  tau += impl_->rotors.cwiseProduct(a);
}

void Kinematics::inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a,
                                            Workspace& workspace, InverseDynamics& out) const {
  call(impl_->any, workspace.impl_->place(),
       [&](const auto& backend, auto& w) { backend.inverseDynamicsDerivatives(q, v, a, w, out); });
  out.tau += impl_->rotors.cwiseProduct(a);
  out.dtau_da.diagonal() += impl_->rotors;
}

Vec3 Kinematics::centerOfMass(const Workspace& workspace) const {
  return call(impl_->any, workspace.impl_->placed(),
              [](const auto& backend, const auto& w) { return backend.centerOfMass(w); });
}

void Kinematics::centerOfMassJacobian(Workspace& workspace, Mat3X& J) const {
  call(impl_->any, workspace.impl_->placed(),
       [&](const auto& backend, auto& w) { backend.centerOfMassJacobian(w, J); });
}

Wrench Kinematics::groundReaction(const VecX& q, const VecX& v, const VecX& a,
                                  Workspace& workspace) const {
  return call(impl_->any, workspace.impl_->place(),
              [&](const auto& backend, auto& w) { return backend.groundReaction(q, v, a, w); });
}

std::optional<Vec3> zeroMomentPoint(const Wrench& ground_reaction, const Vec3& point,
                                    const Vec3& normal) {
  // Of the points on a plane, at which has the wrench no moment along the plane? With M the moment
  // about `point` and F the force: M - r x F is along n for r = n x M / (n.F), r in the plane.
  const double pressing = normal.dot(ground_reaction.force);
  if (!(pressing > 0.0)) return std::nullopt;
  const Vec3 moment = ground_reaction.moment - point.cross(ground_reaction.force);
  return point + normal.cross(moment) / pressing;
}

}  // namespace allclear
