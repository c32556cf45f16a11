// What cables demand at one configuration, with its derivative.
//
// Span: value = length - reserve - |A - B|. Room: value = room of the body - margin, the least over
// its solids (distance/minimum/cable/cable.h). With x the point of the least room, and u, v the
// unit vectors to it from A and B, the derivative of the room is that of
// (|x - A| + |x - B|) / 2 with x fixed to the body, by the envelope theorem:
//
//     (u + v).x' / 2 - u.A' / 2 - v.B' / 2.
//
// A body that the segment AB meets has the same least room wherever it is: the gradient by its own
// motion vanishes, and nothing leads out. There the signed distance of body and segment, which is
// negative, is added.
#include "allclear/planner/clearance/cable_model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/minimum/cable/cable.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

/// Meshes are followed as closely as the certificate does without trying harder.
constexpr MeshFidelity kFidelity = MeshFidelity::kPieces;
/// [m] A sum of distances that is above |AB| by less belongs to a body that meets the segment.
constexpr double kMeets = 1e-9;
constexpr double kThin = 1e-6;        // [m] radius of the capsule that stands for the segment
constexpr double kClipRadius = 1e-9;  // [m] of the ball that stands for a clip
/// The certificate's bound of what strays is a few percent above it.
constexpr double kStrayReserve = 1.05;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string millimetres(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g mm", 1e3 * value);
  return text;
}

/// The capsule's z axis along AB.
Pose alongSegment(const Vec3& A, const Vec3& B) {
  const Vec3 d = B - A;
  Pose X{Mat3::Identity(), 0.5 * (A + B)};
  if (d.isZero(0.0)) return X;
  X.R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), d).toRotationMatrix();
  return X;
}

}  // namespace

CableModel::CableModel(const Problem& problem)
    : problem_(problem), is_uncertain_(!problem.uncertainty.isZero()), reach_(*problem.robot) {
  if (problem.cables.empty()) return;
  stretches_ = cableStretches(problem);
  // Bodies as certificates list them: links, what they carry, obstacles.
  const std::vector<Link>& links = problem.robot->links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    if (!links[l].collision.empty()) {
      addBody(links[l].name, static_cast<int>(l), -1, false, links[l].collision);
    }
  }
  for (const AttachedObject& object : problem.attached) {
    addBody(object.id, object.link, -1, true, object.geometry);
  }
  for (std::size_t o = 0; o < problem.obstacles.size(); ++o) {
    const Obstacle& obstacle = problem.obstacles[o];
    addBody(obstacle.id, -1, static_cast<int>(o), false, obstacle.geometry);
  }
  for (int s = 0; s < static_cast<int>(stretches_.size()); ++s) {
    const CableStretch& stretch = stretches_[s];
    const auto clip = [&](const CableClip& c) {
      return reach_.solid(c.link, {Sphere(kClipRadius), {Mat3::Identity(), c.p_L}});
    };
    clips_.push_back({clip(stretch.a), clip(stretch.b)});
    demands_.push_back({s, -1});
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      if (cableExemption(problem, reach_.tree(), stretch, bodies_[b].body).empty()) {
        demands_.push_back({s, b});
      }
    }
  }
}

void CableModel::addBody(const std::string& name, int link, int obstacle, bool is_attached,
                         const std::vector<Geometry>& geometry) {
  Body body{{name, link, is_attached}, obstacle, false, {}, {}};
  body.moves = obstacle >= 0 && problem_.obstacles[obstacle].moves();
  for (const Geometry& solid : enclosingSolids(geometry, kFidelity)) {
    const Ball ball = boundingBall(solid.shape);
    body.solids.push_back({solid, {solid.X_BG * ball.center, ball.radius}});
  }
  // Obstacles only shift as a whole: no reach is asked of them.
  if (link >= 0) {
    for (const Solid& solid : body.solids) {
      body.strays.push_back(reach_.solid(link, solid.geometry));
    }
  }
  bodies_.push_back(std::move(body));
}

std::string CableModel::name(int demand) const {
  const CableStretch& stretch = stretches_[demands_[demand].stretch];
  const int body = demands_[demand].body;
  return "cable '" + problem_.cables[stretch.cable].id + "' " + betweenClips(problem_, stretch) +
         (body < 0 ? ": its length" : ": room to '" + bodies_[body].body.name + "'");
}

Pose CableModel::poseOf(const Body& body, const std::vector<Pose>& X_WL,
                        std::optional<double> t) const {
  return body.obstacle < 0 ? X_WL[body.body.link]
                           : problem_.obstacles[body.obstacle].pose(t.value_or(0.0));
}

CableModel::Measure CableModel::measure(int demand, const std::vector<Pose>& X_WL,
                                        std::optional<double> t, double enough) const {
  const CableStretch& stretch = stretches_[demands_[demand].stretch];
  const int body = demands_[demand].body;
  if (body < 0) return measureSpan(stretch, X_WL);
  return measureRoom(stretch, bodies_[body], X_WL, t, enough);
}

CableModel::Measure CableModel::measureSpan(const CableStretch& stretch,
                                            const std::vector<Pose>& X_WL) const {
  const Vec3 A = X_WL[stretch.a.link] * stretch.a.p_L;
  const Vec3 B = X_WL[stretch.b.link] * stretch.b.p_L;
  const double span = (B - A).norm();
  const Vec3 e = span > 0.0 ? Vec3((B - A) / span) : Vec3::Zero();
  return {stretch.longestSpan() - span,
          false,
          {{stretch.a.link, -1, A, e}, {stretch.b.link, -1, B, -e}}};
}

CableModel::Measure CableModel::measureRoom(const CableStretch& stretch, const Body& body,
                                            const std::vector<Pose>& X_WL, std::optional<double> t,
                                            double enough) const {
  Measure least{kInfinity, true, {}};
  if (body.moves && !t) return least;
  const Vec3 A = X_WL[stretch.a.link] * stretch.a.p_L;
  const Vec3 B = X_WL[stretch.b.link] * stretch.b.p_L;
  const Pose X_WB = poseOf(body, X_WL, t);
  double asked = problem_.collision.margin;
  if (body.obstacle >= 0 && !problem_.obstacles[body.obstacle].spread.isEmpty()) {
    asked += displacementRadius(problem_.obstacles[body.obstacle].spread.at(t.value_or(0.0)));
  }
  const double span = (B - A).norm();
  for (const Solid& solid : body.solids) {
    // Balls tell most solids to be far, or farther than another one.
    if (std::isfinite(solid.ball.radius)) {
      const Vec3 c = X_WB * solid.ball.center;
      const double sum = (c - A).norm() + (c - B).norm();
      const double far = 0.5 * (sum - stretch.length) - stretch.radius - solid.ball.radius - asked;
      if (far >= std::min(enough, least.value)) {
        if (far < least.value) least = {far, true, {}};
        continue;
      }
    }
    const Pose X_WG = X_WB * solid.geometry.X_BG;
    const CableInstant at =
        cableInstant(A, B, stretch.length, stretch.radius, solid.geometry.shape, X_WG);
    Measure here{at.room - asked,
                 false,
                 {{stretch.a.link, -1, A, -0.5 * at.u}, {stretch.b.link, -1, B, -0.5 * at.v}}};
    const auto addBodyTerm = [&](const Vec3& p, const Vec3& direction) {
      here.terms.push_back({body.body.link, body.moves ? body.obstacle : -1, p, direction});
    };
    addBodyTerm(at.x, 0.5 * (at.u + at.v));
    if (2.0 * (at.room + stretch.radius) + stretch.length - span < kMeets) {
      const SignedDistance depth =
          signedDistance(Capsule(kThin, span), alongSegment(A, B), solid.geometry.shape, X_WG);
      if (depth.distance < 0.0) {
        // The normal is from the segment to the body.
        here.value += depth.distance;
        const double share =
            span > 0.0 ? std::clamp((depth.witness_A - A).dot(B - A) / (span * span), 0.0, 1.0)
                       : 0.5;
        here.terms.push_back({stretch.a.link, -1, A, -(1.0 - share) * depth.normal});
        here.terms.push_back({stretch.b.link, -1, B, -share * depth.normal});
        addBodyTerm(depth.witness_B, depth.normal);
      }
    }
    if (here.value < least.value) least = std::move(here);
  }
  return least;
}

/// How much a solid and a clip move relative to each other: what moves both alike drops out.
double CableModel::relative(const StraySolid& solid, int obstacle, const StraySolid& clip,
                            const StrayReach::Placement& at, const Uncertainty& uncertainty) const {
  if (obstacle >= 0) {
    const double own = uncertainty.obstacles.size() > 0 ? uncertainty.obstacles[obstacle] : 0.0;
    return own + reach_.displacement(at, clip, 0, true, uncertainty);
  }
  const std::size_t shared = sharedNodes(solid.path, clip.path);
  return reach_.displacement(at, solid, shared, false, uncertainty) +
         reach_.displacement(at, clip, shared, false, uncertainty);
}

double CableModel::total(int demand, const StrayReach::Placement& at,
                         const Uncertainty& uncertainty) const {
  const Clips& clips = clips_[demands_[demand].stretch];
  if (demands_[demand].body < 0) return relative(clips.a, -1, clips.b, at, uncertainty);
  const Body& body = bodies_[demands_[demand].body];
  static const StraySolid kNone;
  if (body.obstacle >= 0) {
    return 0.5 * (relative(kNone, body.obstacle, clips.a, at, uncertainty) +
                  relative(kNone, body.obstacle, clips.b, at, uncertainty));
  }
  // The most of all its solids, each against both clips.
  double most = 0.0;
  for (const StraySolid& solid : body.strays) {
    most = std::max(most, 0.5 * (relative(solid, -1, clips.a, at, uncertainty) +
                                 relative(solid, -1, clips.b, at, uncertainty)));
  }
  return most;
}

double CableModel::allowance(int demand, const StrayReach::Placement& at) const {
  return is_uncertain_ ? kStrayReserve * total(demand, at, problem_.uncertainty) : 0.0;
}

double CableModel::change(int demand, const StrayReach::Placement& at, const VecX& step) const {
  Uncertainty motion;
  motion.joints = step;
  return total(demand, at, motion);
}

std::vector<Pose> CableModel::linkPoses(const StrayReach::Placement& at) const {
  std::vector<Pose> poses;
  for (const LinkMount& mount : reach_.tree().mounts()) {
    poses.push_back(mount.node < 0 ? mount.X_NL : at.X_WN[mount.node] * mount.X_NL);
  }
  return poses;
}

std::vector<CableModel::Summary> CableModel::summaries(const std::vector<Pose>& X_WL,
                                                       std::optional<double> t) const {
  std::vector<Summary> out;
  for (int d = 0; d < static_cast<int>(demands_.size()); ++d) {
    const CableStretch& stretch = stretches_[demands_[d].stretch];
    const double value = measure(d, X_WL, t, kInfinity).value;
    // A stretch's own span comes before the bodies beside it.
    if (demands_[d].body < 0) {
      Summary summary;
      summary.name =
          "cable '" + problem_.cables[stretch.cable].id + "' " + betweenClips(problem_, stretch);
      summary.longest = stretch.longestSpan();
      summary.span = summary.longest - value;
      out.push_back(std::move(summary));
    } else if (const double room = value + problem_.collision.margin; room < out.back().room) {
      out.back().room = room;
      out.back().nearest = bodies_[demands_[d].body].body.name;
    }
  }
  return out;
}

std::string CableModel::faultText(int demand, const std::vector<Pose>& X_WL, double t) const {
  const CableStretch& stretch = stretches_[demands_[demand].stretch];
  const int body = demands_[demand].body;
  const double value = measure(demand, X_WL, t, kInfinity).value;
  if (body < 0) return tautText(problem_, stretch, stretch.longestSpan() - value, t);
  const double room = value + problem_.collision.margin;
  const std::string near =
      room > 0.0 ? "may come within " + millimetres(room) + " of '" : std::string("may touch '");
  return "cable '" + problem_.cables[stretch.cable].id + "': " + near + bodies_[body].body.name +
         "' " + betweenClips(problem_, stretch) +
         (room > 0.0 ? ", nearer than the margin of " + millimetres(problem_.collision.margin)
                     : "");
}

}  // namespace allclear
