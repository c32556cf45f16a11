// Descent on the contact space ("iterative contact-space projection").
//
// At a free translation t in contact, the boundary of the blocked set consists of a few planes
// n.t = least, those of the features that touch there. Were these all there is, the nearest free
// translation would be the point p nearest to the origin beyond all of them (nearest_beyond.h). A
// step projects so, and then searches the line through p for its contact: when that is shorter than
// t it becomes t. When it is not, the planes at t told too little or too much:
// - too little: farther features block p. Planes of earlier contacts are added; or t slides
// straight
//   towards p until something is met, whose planes are then known;
// - too much: at a convex edge of the blocked set a free translation is beyond *one* of the two
//   planes. Each active plane is left out in turn.
// The descent ends when none of these finds a contact that is shorter by the least gain.
//
// Invariant: t is free and in contact, and `planes_` are the planes there.

#include "allclear/distance/mesh_depth/descent.h"

#include <algorithm>

namespace allclear::mesh {
namespace {

constexpr int kMostSteps = 60;
/// Planes kept of earlier contacts: enough for the corner that a descent turns around in.
constexpr std::size_t kMostRecent = 12;
/// Of the clearance, for a slide: the planes that t is in contact with must not stop it at once.
constexpr double kSlideClearance = 0.25;

}  // namespace

Vec3 ContactDescent::descend(Vec3 t, const std::vector<ContactPlane>& planes) {
  const double c = space_.clearance();
  planes_ = planes;
  recent_.clear();
  for (int step = 0; step < kMostSteps && t.norm() > kClearancesOfStep * c; ++step) {
    const std::optional<NearestBeyond> target = nearestBeyond(planes_, c);
    const bool shorter = jumpTo(target, &t) || jumpBeyondRecent(&t) || slideTowards(target, &t) ||
                         jumpWithoutOnePlane(target, &t);
    if (!shorter) break;
  }
  return t;
}

/// What a translation must be shorter than to count as a step from t.
double ContactDescent::lengthToBeat(const Vec3& t) const {
  return t.norm() * (1.0 - least_gain_) - kClearancesOfStep * space_.clearance();
}

/// Moves t to the contact on the line through the target, if that is shorter.
bool ContactDescent::jumpTo(const std::optional<NearestBeyond>& target, Vec3* t) {
  const double limit = lengthToBeat(*t);
  if (!target || !(target->point.norm() > 0.0) || target->point.norm() >= limit) return false;
  const Vec3 d = target->point.normalized();
  ++lines;
  const std::optional<double> s = space_.contactFromOutside(d, limit, &next_planes_);
  if (!s) return false;
  *t = *s * d;
  rememberPlanes();
  planes_.swap(next_planes_);
  return true;
}

/// Jumps to the projection beyond the planes of earlier contacts too.
bool ContactDescent::jumpBeyondRecent(Vec3* t) {
  if (recent_.empty()) return false;
  with_recent_ = planes_;
  with_recent_.insert(with_recent_.end(), recent_.begin(), recent_.end());
  return jumpTo(nearestBeyond(with_recent_, space_.clearance()), t);
}

void ContactDescent::rememberPlanes() {
  recent_.insert(recent_.end(), planes_.begin(), planes_.end());
  if (recent_.size() > kMostRecent) recent_.erase(recent_.begin(), recent_.end() - kMostRecent);
}

/// Moves t straight towards the target, through free translations all the way, until something is
/// met. A slide that is stopped before it gains enough still adds the planes that stop it.
bool ContactDescent::slideTowards(const std::optional<NearestBeyond>& target, Vec3* t) {
  const double c = space_.clearance(), limit = lengthToBeat(*t);
  if (!target || target->point.norm() >= limit) return false;
  const std::optional<double> share =
      space_.firstContact(*t, target->point, kSlideClearance * c, &next_planes_, 2.0 * c);
  const Vec3 next = *t + share.value_or(1.0) * (target->point - *t);
  if (!(next.norm() < limit)) return share && addPlanes(next_planes_);
  rememberPlanes();
  *t = next;
  planes_.swap(next_planes_);
  restoreClearance(t);
  return true;
}

/// Moves t back to the full clearance of its planes, so that the next slide along them does not
/// meet them. What moves away from one plane may come nearer to another: three rounds.
void ContactDescent::restoreClearance(Vec3* t) const {
  const double c = space_.clearance();
  for (int round = 0; round < 3; ++round) {
    for (const ContactPlane& plane : planes_) {
      const double lacks = plane.least + c - plane.normal.dot(*t);
      if (lacks > 0.0) *t += lacks * plane.normal;
    }
  }
}

/// Adds planes to those of the contact; false when all of them are known.
bool ContactDescent::addPlanes(const std::vector<ContactPlane>& planes) {
  const std::size_t before = planes_.size();
  for (const ContactPlane& added : planes) {
    const auto is_same = [&](const ContactPlane& known) {
      return (known.normal - added.normal).squaredNorm() < kSameNormalSquared;
    };
    if (std::none_of(planes_.begin(), planes_.end(), is_same)) planes_.push_back(added);
  }
  return planes_.size() > before;
}

/// Leaves out each active plane in turn and jumps to the projection beyond the others.
bool ContactDescent::jumpWithoutOnePlane(const std::optional<NearestBeyond>& target, Vec3* t) {
  if (!target || target->active < 2) return false;
  for (int i = 0; i < target->active; ++i) {
    fewer_ = planes_;
    fewer_.erase(fewer_.begin() + target->plane[i]);
    if (jumpTo(nearestBeyond(fewer_, space_.clearance()), t)) return true;
  }
  return false;
}

}  // namespace allclear::mesh
