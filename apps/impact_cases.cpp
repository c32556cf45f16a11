// Impacts of a robot on a trajectory, at what time, place and direction the user says; of what is
// left open, the worst by the energy that a contact which stays together takes up.
//
// At a point with the inverse mass K and the velocity u, that energy is largest, u'K^-1 u / 2, for
// a normal along K^-1 u (stoppingImpulse). Points are the corners of each convex part of the link,
// and centres of spheres and ends of capsules, moved to the surface along the normal: the impulse
// of a contact without friction goes through them. Instants are all joints of the trajectory's
// spans and a number between them. That is a search, not a proof: limits.contact has the proof.
#include "allclear/apps/impact_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/problem/claims.h"
#include "allclear/planner/problem/load.h"

namespace allclear {
namespace {

/// At least so many instants are looked at, the ends included.
constexpr int kInstants = 200;
/// Points of either half of a capsule's axis.
constexpr int kAlongAxis = 4;
/// [m] How far from a link's surface a point may be given: people measure so, and round shapes
/// have polyhedra about them that are up to 2 % larger.
constexpr double kOnSurface = 5e-3;
/// [m] Stands for a point in distances.
constexpr double kPointRadius = 1e-9;

std::string number(double value) { return formatted("%.4g", value); }

/// Rotors as they are known; coordinates that are not planned are held.
VecX rotorsOf(const Problem& problem) {
  VecX rotor = VecX::Constant(problem.robot->dimension(), std::numeric_limits<double>::infinity());
  for (int c : problem.planned) {
    rotor[c] = problem.robot->coordinates()[c].rotor_inertia.value_or(0.0);
  }
  return rotor;
}

std::vector<double> instantsOf(const Trajectory& trajectory) {
  std::vector<double> times{0.0, trajectory.duration()};
  for (int i = 0; i < trajectory.spanCount(); ++i) times.push_back(trajectory.spanTime(i).lower);
  for (int k = 1; k < kInstants - 1; ++k) {
    times.push_back(trajectory.duration() * k / (kInstants - 1));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

std::shared_ptr<const RobotModel> withMasses(const Problem& problem) {
  const std::vector<Finding> findings = massFindings(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
  return loadedRobot(problem);
}

}  // namespace

ImpactCases::ImpactCases(const Problem& problem, const Trajectory& trajectory)
    : problem_(problem),
      trajectory_(trajectory),
      loaded_(withMasses(problem)),
      model_(problem),
      impacts_(*loaded_, rotorsOf(problem)),
      effective_(impacts_.inertia()),
      workspace_(impacts_.makeWorkspace()),
      times_(instantsOf(trajectory)) {}

void ImpactCases::place(double t) {
  t_ = t;
  effective_.place(problem_.configuration(trajectory_.value(t)), workspace_);
  rates_ = VecX::Zero(problem_.robot->dimension());
  const VecX planned = trajectory_.value(t, 1);
  for (int k = 0; k < problem_.plannedCount(); ++k) rates_[problem_.planned[k]] = planned[k];
}

/// The body with this name, among those that move and have a surface.
const ImpactBody& ImpactCases::bodyNamed(const std::string& name) const {
  // Not among them: unknown, or known and out of the question. Each has its own message.
  std::vector<std::string> names;
  for (const ImpactBody& body : model_.bodies()) {
    if (body.name == name) return body;
    names.push_back(body.name);
  }
  const int link = problem_.robot->findLink(name);
  if (link < 0) {
    throw InputError("--link: there is no link or carried object '" + name + "'" +
                     insteadOf(name, names));
  }
  const bool has_shape = !problem_.robot->links()[link].collision.empty();
  throw InputError("--link: link '" + name + "' " +
                   (has_shape ? "is not moved by planned joints"
                              : "has no collision geometry that could be hit") +
                   whatThereIs(names));
}

void ImpactCases::checkWish(const ImpactWish& wish) const {
  const double duration = trajectory_.duration();
  if (wish.t && !(*wish.t >= 0.0 && *wish.t <= duration)) {
    throw InputError("--at: " + number(*wish.t) + " s is outside of the trajectory, 0 to " +
                     number(duration) + " s");
  }
  if (wish.n_W && !(wish.n_W->norm() > 0.0 && wish.n_W->allFinite())) {
    throw InputError("--direction: has no direction: its length is 0");
  }
  if (wish.p_L && wish.link.empty()) throw InputError("--point: is in the frame of --link");
}

/// Refuses a point that is not on the body's surface.
void ImpactCases::checkPoint(const ImpactBody& body, const Vec3& p_L) {
  const std::vector<Geometry>* geometry = &problem_.robot->links()[body.link].collision;
  for (const AttachedObject& object : problem_.attached) {
    if (object.id == body.name) geometry = &object.geometry;
  }
  // The nearest part counts; inside of any it is inside.
  const Shape point = Sphere(kPointRadius);
  double distance = std::numeric_limits<double>::infinity();
  for (const Geometry& part : *geometry) {
    const SignedDistance found =
        signedDistance(point, Pose{Mat3::Identity(), p_L}, part.shape, part.X_BG);
    distance = std::min(distance, found.distance);
  }
  if (std::fabs(distance) <= kOnSurface) return;
  throw InputError("--point: is " + number(1e3 * std::fabs(distance)) + " mm " +
                   (distance > 0.0 ? "away from" : "inside of") + " the surface of '" + body.name +
                   "' (at most " + number(1e3 * kOnSurface) + " mm)");
}

/// The impact at a point now, when there is one.
std::optional<ImpactCase> ImpactCases::caseAt(const ImpactBody& body, const Vec3& p_L,
                                              const ImpactWish& wish) {
  ImpactCase found;
  found.body = body.name;
  found.t = t_;
  found.p_L = p_L;
  // The normal that is worst here, unless one is wished.
  Impact& impact = found.impact;
  impact.link = body.link;
  impact.p_W = effective_.linkPose(body.link, workspace_) * p_L;
  impact.inverse_mass = wish.mass > 0.0 ? 1.0 / wish.mass : 0.0;
  found.velocity = effective_.pointVelocity(body.link, impact.p_W, rates_, workspace_);
  const Mat3 W = effective_.inverseMass(body.link, impact.p_W, workspace_);
  const Mat3 K = W + impact.inverse_mass * Mat3::Identity();
  Vec3 normal = wish.n_W ? *wish.n_W : stoppingImpulse(K, found.velocity);
  if (!(normal.norm() > 0.0)) return std::nullopt;
  normal.normalize();
  impact.law = {normal, wish.restitution, wish.friction};
  const double approach = normal.dot(found.velocity);
  if (!(approach > 0.0)) return std::nullopt;
  found.stored = 0.5 * approach * approach / normal.dot(K * normal);
  found.mass = effective_.effectiveMass(body.link, impact.p_W, normal, workspace_);
  return found;
}

/// The worst at the instant placed, by the energy stored: the same for all restitutions.
std::optional<ImpactCase> ImpactCases::worstNow(const ImpactBody& body, const ImpactWish& wish) {
  if (wish.p_L) return caseAt(body, *wish.p_L, wish);
  const Pose X_LN = effective_.mount(body.link).X_NL.inverse();
  std::optional<ImpactCase> worst;
  double radius = 0.0;
  for (const ImpactCore& core : body.cores) {
    const int between = core.count == 2 ? kAlongAxis : 1;
    for (int i = 0; i < core.count * between; ++i) {
      const Vec3& corner = body.points[core.first + i / between];
      // Of a capsule: from one end half-way to the other.
      const Vec3& next = body.points[core.first + (i / between + 1) % core.count];
      const double share = 0.5 * (i % between) / between;
      std::optional<ImpactCase> found =
          caseAt(body, X_LN * Vec3(corner + share * (next - corner)), wish);
      if (!found || (worst && found->stored <= worst->stored)) continue;
      worst = std::move(found);
      radius = core.radius;
    }
  }
  if (!worst || radius == 0.0) return worst;
  // From the centre to the surface: along the normal, which stays as it was found.
  ImpactWish here = wish;
  here.n_W = worst->impact.law.normal;
  const Mat3 R_LW = effective_.linkPose(body.link, workspace_).R.transpose();
  return caseAt(body, worst->p_L + radius * (R_LW * *here.n_W), here);
}

std::optional<ImpactCase> ImpactCases::worstOf(const ImpactBody& body, const ImpactWish& wish) {
  std::optional<ImpactCase> worst;
  const std::vector<double> times = wish.t ? std::vector<double>{*wish.t} : times_;
  for (const double t : times) {
    place(t);
    std::optional<ImpactCase> found = worstNow(body, wish);
    if (found && (!worst || found->stored > worst->stored)) worst = std::move(found);
  }
  return worst;
}

/// All that the impact does.
void ImpactCases::respondTo(ImpactCase& found) {
  place(found.t);
  found.rates = rates_;
  found.energy = effective_.kineticEnergy(rates_, workspace_);
  impacts_.respond(found.impact, rates_, workspace_, found.response);
}

ImpactCase ImpactCases::find(const ImpactWish& wish) {
  checkWish(wish);
  // All bodies, or the one that is named.
  const ImpactBody* named = wish.link.empty() ? nullptr : &bodyNamed(wish.link);
  std::optional<ImpactCase> worst;
  for (const ImpactBody& body : model_.bodies()) {
    if (named != nullptr && &body != named) continue;
    if (wish.p_L) checkPoint(body, *wish.p_L);
    std::optional<ImpactCase> found = worstOf(body, wish);
    if (found && (!worst || found->stored > worst->stored)) worst = std::move(found);
  }
  if (!worst) {
    throw InputError(std::string("there is no impact: ") +
                     (wish.n_W ? "nothing moves along --direction" : "nothing moves") +
                     (wish.t ? " at " + number(*wish.t) + " s" : " at any time"));
  }
  respondTo(*worst);
  return std::move(*worst);
}

std::vector<ImpactCase> ImpactCases::table(const ImpactWish& wish) {
  checkWish(wish);
  std::vector<ImpactCase> rows;
  for (const ImpactBody& body : model_.bodies()) {
    std::optional<ImpactCase> found = worstOf(body, wish);
    if (!found) continue;
    respondTo(*found);
    rows.push_back(std::move(*found));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ImpactCase& a, const ImpactCase& b) { return a.stored > b.stored; });
  return rows;
}

}  // namespace allclear
