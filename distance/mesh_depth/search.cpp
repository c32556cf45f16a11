// The depth is the least over directions d of the way out along d. Each direction tried gives a
// translation in contact; the planes of that contact give the next direction, that of their point
// nearest to the origin (projection on the linearised contact space), until none is better.

#include "allclear/distance/mesh_depth/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "allclear/distance/mesh_depth/inner_balls.h"
#include "allclear/distance/mesh_depth/nearest_beyond.h"
#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear::mesh {
namespace {

constexpr int kMostSteps = 60;
/// A descent goes on while it gains this share.
constexpr double kGain = 1e-9, kCoarseGain = 1e-3;
/// Balls are moved about when they prove at least this.
constexpr double kNearlyProven = 0.8;
/// Shorter by this share are the translations tried beside the best one.
constexpr double kBeside = 1e-4;
/// Of the depth; when less of it is proven, more is tried.
constexpr double kDoubtful = 0.5;
/// Depths that differ by less than this share count as equal.
constexpr double kEqual = 1e-6;

struct Start {
  Vec3 translation;
  double height;  ///< of the plane of contact: what the next projection can give
  std::vector<ContactPlane> planes;
};

class DepthSearch {
 public:
  DepthSearch(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
              const DepthSearchOptions& options)
      : space_(A, B, X_BA), balls_(A, X_BA, B), options_(options) {}

  DepthFound run() {
    const Vec3 apart = space_.X_BA().p;
    if (options_.warm && options_.warm->norm() > 0.0) tryDirection(*options_.warm);
    if (options_.hint) tryDirection(*options_.hint);
    if (!found_.found) tryDirection(apart.norm() > 0.0 ? apart : Vec3::UnitX());
    descendFrom(1);
    if (isTight()) {
      // Nothing is shorter; but is another way as short?
      options_.promising = 1.0 + kEqual;
      tryDirection(-found_.translation);
      tryAxes();
      for (const Start& start : starts_) ends_.push_back(start.translation);
      return finished();
    }
    if (apart.norm() > 0.0) tryDirection(apart);
    if (!options_.warm) tryAxes();
    // From a warm start the others are only looked at for something shorter.
    if (options_.warm) options_.promising = 1.0;
    tryFan(options_.warm ? options_.fan / 2 : options_.fan);
    descendFrom(options_.descents);
    finish();
    if (!isTight() && !options_.warm && found_.lower < kDoubtful * bestLength()) tryPockets();
    return finished();
  }

 private:
  double bestLength() const { return found_.found ? found_.translation.norm() : kInfinity; }

  /// The way out along d, and the planes there.
  std::optional<double> exit(const Vec3& d, double most) {
    ++found_.lines;
    if (found_.found && !looks_inside_) return space_.inward(d, most, &planes_);
    const std::optional<double> s = space_.exit(d, most);
    if (s) space_.planesAt(*s * d, 2.0 * space_.clearance(), &planes_);
    return s;
  }

  void tryDirection(const Vec3& direction) {
    const Vec3 d = direction.normalized();
    const double most =
        std::min(options_.promising * bestLength() + 4.0 * space_.clearance(), space_.farthest());
    if (found_.found && !looks_inside_ && balls_.meetAt(most * d)) return;
    const std::optional<double> s = exit(d, most);
    if (!s) return;
    double height = *s;
    for (const ContactPlane& plane : planes_) height = std::min(height, std::abs(plane.least));
    starts_.push_back({*s * d, height, planes_});
    take(*s * d);
  }

  void take(const Vec3& t) {
    if (found_.found && t.norm() >= bestLength()) return;
    found_.translation = t;
    found_.found = true;
  }

  void tryAxes() {
    const auto both = [&](const Vec3& axis) {
      if (!(axis.norm() > 0.0)) return;
      tryDirection(axis);
      tryDirection(-axis);
    };
    for (const auto& axis : space_.B().root().axis) both(Vec3(axis[0], axis[1], axis[2]));
    for (const auto& axis : space_.A().root().axis) {
      both(space_.X_BA().R * Vec3(axis[0], axis[1], axis[2]));
    }
  }

  /// Far from proven: there may be free places between the bodies' parts, which nothing from
  /// outside sees.
  void tryPockets() {
    const double before = bestLength();
    looks_inside_ = true;
    gain_ = kCoarseGain;
    tryAxes();
    tryFan(options_.fan / 2);
    looks_inside_ = false;
    descendFrom(options_.descents);
    if (bestLength() < before) {
      finish();
      isTight();
    }
  }

  void tryFan(int count) {
    const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
    for (int i = 0; i < count; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / count, rho = std::sqrt(1.0 - z * z);
      tryDirection({rho * std::cos(golden * i), rho * std::sin(golden * i), z});
    }
  }

  /// Descends from the most promising starts, each plane once.
  void descendFrom(int most) {
    std::stable_sort(starts_.begin(), starts_.end(),
                     [](const Start& a, const Start& b) { return a.height < b.height; });
    int done = 0;
    for (const Start& start : starts_) {
      if (done == most) break;
      if (start.translation.norm() > options_.promising * bestLength()) continue;
      planes_ = start.planes;
      const Vec3 end = descended(start.translation);
      ends_.push_back(end);
      take(end);
      ++done;
    }
    starts_.clear();
  }

  /// A free translation that is better, along the way to the point nearest beyond the planes.
  bool advance(const std::optional<NearestBeyond>& target, Vec3* t) {
    const double length = t->norm(), most = length * (1.0 - gain_) - 4.0 * space_.clearance();
    if (!target || !(target->point.norm() > 0.0) || target->point.norm() >= most) return false;
    const Vec3 d = target->point.normalized();
    kept_ = planes_;
    const std::optional<double> s = exit(d, most);
    if (s) {
      *t = *s * d;
      remember(kept_);
      return true;
    }
    planes_.swap(kept_);
    return false;
  }

  void planesHere(const Vec3& t) { space_.planesAt(t, 2.0 * space_.clearance(), &planes_); }

  /// From a translation in contact, of which `planes_` are those.
  Vec3 descended(Vec3 t) {
    const double c = space_.clearance();
    recent_.clear();
    for (int step = 0; step < kMostSteps && t.norm() > 4.0 * c; ++step) {
      const std::optional<NearestBeyond> target = nearestBeyond(planes_, c);
      if (advance(target, &t)) continue;
      if (!recent_.empty()) {
        both_ = planes_;
        both_.insert(both_.end(), recent_.begin(), recent_.end());
        if (advance(nearestBeyond(both_, c), &t)) continue;
      }
      if (slide(target, &t)) continue;
      if (!withFewer(target, &t)) break;
    }
    return t;
  }

  void remember(const std::vector<ContactPlane>& planes) {
    constexpr std::size_t kMany = 12;
    recent_.insert(recent_.end(), planes.begin(), planes.end());
    if (recent_.size() > kMany) recent_.erase(recent_.begin(), recent_.end() - kMany);
  }

  /// Straight towards the target until something is met.
  bool slide(const std::optional<NearestBeyond>& target, Vec3* t) {
    const double length = t->norm(), c = space_.clearance();
    const double most = length * (1.0 - gain_) - 4.0 * c;
    if (!target || target->point.norm() >= most) return false;
    const std::optional<double> share =
        space_.firstContact(*t, target->point, 0.25 * c, &fewer_, 2.0 * c);
    const Vec3 next = *t + share.value_or(1.0) * (target->point - *t);
    if (!(next.norm() < most)) return share && addPlanes(fewer_);
    remember(planes_);
    *t = next;
    planes_.swap(fewer_);
    // Back to the full clearance: sliding on along these planes must not meet them.
    for (int round = 0; round < 3; ++round) {
      for (const ContactPlane& plane : planes_) {
        const double lacks = plane.least + c - plane.normal.dot(*t);
        if (lacks > 0.0) *t += lacks * plane.normal;
      }
    }
    return true;
  }

  /// What stops a translation at once belongs to its contact; false when it is known to.
  bool addPlanes(const std::vector<ContactPlane>& planes) {
    const std::size_t before = planes_.size();
    for (const ContactPlane& found : planes) {
      const auto is_same = [&](const ContactPlane& known) {
        return (known.normal - found.normal).squaredNorm() < 1e-18;
      };
      if (std::none_of(planes_.begin(), planes_.end(), is_same)) planes_.push_back(found);
    }
    return planes_.size() > before;
  }

  /// At a convex edge of the contact space one of its planes is enough: leaves out each.
  bool withFewer(const std::optional<NearestBeyond>& target, Vec3* t) {
    if (!target || target->active < 2) return false;
    for (int i = 0; i < target->active; ++i) {
      fewer_ = planes_;
      fewer_.erase(fewer_.begin() + target->plane[i]);
      if (advance(nearestBeyond(fewer_, space_.clearance()), t)) return true;
    }
    return false;
  }

  /// The best one to the end, and on from shorter translations beside it, off the planes seen.
  void finish() {
    constexpr int kAround = 6, kMostRounds = 8;
    if (!found_.found) return;
    gain_ = kGain;
    planesHere(found_.translation);
    take(descended(found_.translation));
    for (int round = 0; round < kMostRounds; ++round) {
      bool better = false;
      for (double angle : {0.01, 0.06}) {
        for (int i = 0; i < kAround; ++i) better = tryBeside(angle, i / double{kAround}) || better;
      }
      if (!better) return;
    }
  }

  bool tryBeside(double angle, double turn) {
    const Vec3 d = found_.translation.normalized();
    const Vec3 e = d.unitOrthogonal(), f = d.cross(e);
    const double around = 2.0 * std::numbers::pi * turn;
    const Vec3 beside =
        (d + std::tan(angle) * (std::cos(around) * e + std::sin(around) * f)).normalized();
    const double most = bestLength() * (1.0 - kBeside) - 4.0 * space_.clearance();
    if (!(most > 0.0)) return false;
    const std::optional<double> s = exit(beside, most);
    if (!s) return false;
    const Vec3 end = descended(*s * beside);
    ends_.push_back(end);
    take(end);
    return true;
  }

  /// The balls about points between the features in contact prove the depth.
  bool isTight() {
    if (!found_.found) return false;
    space_.planesAt(found_.translation, 2.0 * space_.clearance(), &planes_, &found_.middle);
    double best = 0.0, step = 0.2;
    for (double share : {0.0, 1.0, 0.2, 0.4, 0.6, 0.8}) {
      if (tryBalls(share)) best = share;
      if (proven()) return true;
      if (share == 0.8 && found_.lower < kNearlyProven * bestLength()) return false;
    }
    for (int i = 0; i < 4; ++i) {
      step *= 0.5;
      if (tryBalls(best + step)) {
        best += step;
      } else if (tryBalls(best - step)) {
        best -= step;
      }
      if (proven()) return true;
    }
    return false;
  }

  /// Balls about a point on the way that the contact's middle has been moved.
  bool tryBalls(double share) {
    const Vec3 c = found_.middle - share * found_.translation;
    const double lower = balls_.add(c);
    if (lower <= found_.lower) return false;
    found_.lower = lower;
    return true;
  }

  bool proven() const {
    return bestLength() - found_.lower <= kEqual * bestLength() + 8.0 * space_.clearance();
  }

  DepthFound finished() {
    const double length = bestLength();
    for (const Vec3& end : ends_) {
      const bool as_good = end.norm() <= length * (1.0 + kEqual) + 8.0 * space_.clearance();
      const bool elsewhere = (end - found_.translation).norm() > 1e-2 * length;
      if (as_good && elsewhere) found_.unique_normal = false;
    }
    found_.lower = std::min(found_.lower, length);
    found_.node_tests = space_.node_tests;
    found_.triangle_tests = space_.triangle_tests;
    return found_;
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TranslationSpace space_;
  InnerBalls balls_;
  DepthSearchOptions options_;
  DepthFound found_;
  std::vector<Start> starts_;
  std::vector<Vec3> ends_;
  double gain_ = kCoarseGain;
  bool looks_inside_ = false;  ///< at what is nearest to the origin, rather than from outside
  std::vector<ContactPlane> planes_, kept_, recent_, both_, fewer_;  // planes_: where t is
};

}  // namespace

DepthFound searchDepth(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
                       const DepthSearchOptions& options) {
  return DepthSearch(A, B, X_BA, options).run();
}

}  // namespace allclear::mesh
