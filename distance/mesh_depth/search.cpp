// Penetration depth: the length of the shortest free translation of A (translation_space.h).
//
// Geometry. The blocked translations are a union of convex polytopes, one for each pair of
// triangles, and the depth is the distance from the origin to its outside. Seen from the origin,
// the boundary in direction d is at the distance s(d) of the contact on that line: the depth is the
// least s(d). Directions give starts, and descents (descent.h) lead from a start to a local
// minimum.
//
// Starts: the translation of the last query, a hint, the line of centres, the axes of the boxes,
// and directions all around; only the most promising are descended from, see `descendFromBest`.
//
// Lower bound: balls inside both bodies (overlap_balls.h) about points on the way that the
// contact's middle is moved. When they prove that nothing is shorter, the search is over; when they
// prove less than half, free pockets between the bodies' parts are looked for.
//
// Invariant: `best_.translation` is a free translation in contact, the shortest one met so far, and
// no translation shorter than `best_.lower` is free.

#include "allclear/distance/mesh_depth/search.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/distance/mesh_depth/descent.h"
#include "allclear/distance/mesh_depth/overlap_balls.h"
#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear::mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A descent goes on while a step gains this share of the length: little for the final answer, more
/// while starts are compared.
constexpr double kFinalGain = 1e-9, kCoarseGain = 1e-3;
/// The proof is refined only when the first balls prove at least this share of the depth.
constexpr double kNearlyProven = 0.8;
/// When less than this share of the depth is proven, pockets are looked for.
constexpr double kDoubtful = 0.5;
/// Translations tried beside the best one are shorter by this share, so that a find is a gain.
constexpr double kBeside = 1e-4;
/// Depths that differ by less than this share count as equal.
constexpr double kEqual = 1e-6;
/// Two ways out are different when their ends are farther apart than this share of the depth.
constexpr double kElsewhere = 1e-2;
/// And these clearances: each length has room for its own `kClearancesOfStep`.
constexpr double kClearancesOfEqual = 8.0;

/// A free translation in contact, and the planes of that contact.
struct Start {
  Vec3 translation;
  double nearest_plane;  ///< its distance from the origin: what the next projection can reach
  std::vector<ContactPlane> planes;
};

class DepthSearch {
 public:
  DepthSearch(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
              const DepthSearchOptions& options)
      : space_(A, B, X_BA), descent_(&space_), balls_(A, X_BA, B), options_(options) {
    descent_.setLeastGain(kCoarseGain);
  }

  DepthSearchResult run() {
    const Vec3 apart = space_.X_BA().p;
    const bool is_warm = options_.warm_start.has_value();
    if (is_warm && options_.warm_start->norm() > 0.0) tryDirection(*options_.warm_start);
    if (options_.hint) tryDirection(*options_.hint);
    if (!best_.found) tryDirection(apart.norm() > 0.0 ? apart : Vec3::UnitX());
    descendFromBest(1);
    if (proveDepth()) {
      findEqualWays();
      return finished();
    }
    if (apart.norm() > 0.0) tryDirection(apart);
    if (!is_warm) tryAxes();
    // After a warm start the others count only when they are shorter at once.
    if (is_warm) options_.start_ratio = 1.0;
    tryFan(is_warm ? options_.fan_directions / 2 : options_.fan_directions);
    descendFromBest(options_.descents);
    polish();
    if (!proveDepth() && !is_warm && best_.lower < kDoubtful * bestLength()) tryPockets();
    return finished();
  }

 private:
  double bestLength() const { return best_.found ? best_.translation.norm() : kInfinity; }

  void keepIfShorter(const Vec3& t) {
    if (best_.found && t.norm() >= bestLength()) return;
    best_.translation = t;
    best_.found = true;
  }

  // --- Starts.

  /// The contact on the line of the unit vector d, at most at `limit`, and its planes. Once a free
  /// translation is known, the line is searched from outside inward, where only what is met first
  /// matters; before that, and in search of pockets, from the origin outward.
  std::optional<double> contactAlong(const Vec3& d, double limit,
                                     std::vector<ContactPlane>* planes) {
    ++best_.lines;
    if (best_.found && !seeks_pockets_) return space_.contactFromOutside(d, limit, planes);
    const std::optional<double> s = space_.firstFree(d, limit);
    if (s) planesAt(*s * d, planes);
    return s;
  }

  void planesAt(const Vec3& t, std::vector<ContactPlane>* planes) {
    space_.planesAt(t, 2.0 * space_.clearance(), planes);
  }

  /// Makes the contact in a direction a start, if it is short enough to be one.
  void tryDirection(const Vec3& direction) {
    const Vec3 d = direction.normalized();
    const double limit =
        std::min(options_.start_ratio * bestLength() + kClearancesOfStep * space_.clearance(),
                 space_.farthest());
    // Blocked at the limit: searched from outside, the line would have no contact within it.
    if (best_.found && !seeks_pockets_ && balls_.proveContactAt(limit * d)) return;
    Start start;
    const std::optional<double> s = contactAlong(d, limit, &start.planes);
    if (!s) return;
    start.translation = *s * d;
    start.nearest_plane = *s;
    for (const ContactPlane& plane : start.planes) {
      start.nearest_plane = std::min(start.nearest_plane, std::abs(plane.least));
    }
    starts_.push_back(start);
    keepIfShorter(start.translation);
  }

  void tryBothWays(const Vec3& axis) {
    if (!(axis.norm() > 0.0)) return;
    tryDirection(axis);
    tryDirection(-axis);
  }

  void tryAxes() {
    for (const auto& axis : space_.B().root().axis) tryBothWays(Vec3(axis[0], axis[1], axis[2]));
    for (const auto& axis : space_.A().root().axis) {
      tryBothWays(space_.X_BA().R * Vec3(axis[0], axis[1], axis[2]));
    }
  }

  /// Directions all around, evenly spread: heights in equal steps, turned by the golden angle.
  void tryFan(int count) {
    const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
    for (int i = 0; i < count; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / count, rho = std::sqrt(1.0 - z * z);
      tryDirection({rho * std::cos(golden * i), rho * std::sin(golden * i), z});
    }
  }

  /// The way out is proven shortest; the opposite one and the axes may be as short.
  void findEqualWays() {
    options_.start_ratio = 1.0 + kEqual;
    tryDirection(-best_.translation);
    tryAxes();
    for (const Start& start : starts_) ends_.push_back(start.translation);
  }

  /// Free places between the bodies' parts are not seen from outside: searches from the origin.
  void tryPockets() {
    const double before = bestLength();
    seeks_pockets_ = true;
    descent_.setLeastGain(kCoarseGain);
    tryAxes();
    tryFan(options_.fan_directions / 2);
    seeks_pockets_ = false;
    descendFromBest(options_.descents);
    if (bestLength() < before) {
      polish();
      proveDepth();
    }
  }

  // --- Descent.

  /// Descends from the `most` starts whose nearest plane is nearest: a projection cannot come
  /// nearer to the origin than that plane.
  void descendFromBest(int most) {
    std::stable_sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) {
      return a.nearest_plane < b.nearest_plane;
    });
    int done = 0;
    for (const Start& start : starts_) {
      if (done == most) break;
      // The best may have become much shorter since this start was kept.
      if (start.translation.norm() > options_.start_ratio * bestLength()) continue;
      descendFrom(start.translation, start.planes);
      ++done;
    }
    starts_.clear();
  }

  void descendFrom(const Vec3& t, const std::vector<ContactPlane>& planes) {
    const Vec3 end = descent_.descend(t, planes);
    ends_.push_back(end);
    keepIfShorter(end);
  }

  /// Descends from the best translation to the end, then from slightly shorter ones in rings about
  /// it: planes seen only from beside may lead on.
  void polish() {
    constexpr int kAround = 6, kMostRounds = 8;
    if (!best_.found) return;
    descent_.setLeastGain(kFinalGain);
    planesAt(best_.translation, &planes_);
    keepIfShorter(descent_.descend(best_.translation, planes_));
    for (int round = 0; round < kMostRounds; ++round) {
      bool better = false;
      for (double angle : {0.01, 0.06}) {  // [rad]
        for (int i = 0; i < kAround; ++i) better = tryBeside(angle, i / double{kAround}) || better;
      }
      if (!better) return;
    }
  }

  /// Tries the direction at `angle` [rad] from the best one, `turn` (a share of a turn) around it.
  bool tryBeside(double angle, double turn) {
    const Vec3 d = best_.translation.normalized();
    const Vec3 e = d.unitOrthogonal(), f = d.cross(e);
    const double around = 2.0 * std::numbers::pi * turn;
    const Vec3 beside =
        (d + std::tan(angle) * (std::cos(around) * e + std::sin(around) * f)).normalized();
    const double limit = bestLength() * (1.0 - kBeside) - kClearancesOfStep * space_.clearance();
    if (!(limit > 0.0)) return false;
    // A contact within the limit is shorter than the best: descend from it.
    const std::optional<double> s = contactAlong(beside, limit, &planes_);
    if (!s) return false;
    descendFrom(*s * beside, planes_);
    return true;
  }

  // --- Proof.

  /// Raises the lower bound by balls about points on the way that the contact's middle is moved;
  /// true when it proves the best translation to be the shortest. The bound as a function of the
  /// place on the way has few maxima: six places, then steps that halve about the best of them.
  bool proveDepth() {
    if (!best_.found) return false;
    space_.planesAt(best_.translation, 2.0 * space_.clearance(), &planes_, &best_.middle);
    // Shares of the translation; the ends first, which often prove it all.
    double best = 0.0, step = 0.2;
    for (double share : {0.0, 1.0, 0.2, 0.4, 0.6, 0.8}) {
      if (raiseLowerBoundAt(share)) best = share;
      if (isProven()) return true;
      if (share == 0.8 && best_.lower < kNearlyProven * bestLength()) return false;
    }
    for (int i = 0; i < 4; ++i) {
      step *= 0.5;
      if (raiseLowerBoundAt(best + step)) {
        best += step;
      } else if (raiseLowerBoundAt(best - step)) {
        best -= step;
      }
      if (isProven()) return true;
    }
    return false;
  }

  /// Balls about the contact's middle, moved back by a share of the translation.
  bool raiseLowerBoundAt(double share) {
    const Vec3 c = best_.middle - share * best_.translation;
    const double lower = balls_.addAt(c);
    if (lower <= best_.lower) return false;
    best_.lower = lower;
    return true;
  }

  bool isProven() const {
    return bestLength() - best_.lower <=
           kEqual * bestLength() + kClearancesOfEqual * space_.clearance();
  }

  DepthSearchResult finished() {
    const double length = bestLength();
    for (const Vec3& end : ends_) {
      const bool as_short =
          end.norm() <= length * (1.0 + kEqual) + kClearancesOfEqual * space_.clearance();
      const bool elsewhere = (end - best_.translation).norm() > kElsewhere * length;
      if (as_short && elsewhere) best_.unique_normal = false;
    }
    // The balls' bound may exceed the length by their rounding.
    best_.lower = std::min(best_.lower, length);
    best_.lines += descent_.lines;
    best_.node_tests = space_.node_tests;
    best_.triangle_tests = space_.triangle_tests;
    return best_;
  }

  TranslationSpace space_;
  ContactDescent descent_;
  OverlapBalls balls_;
  DepthSearchOptions options_;
  DepthSearchResult best_;
  std::vector<Start> starts_;  ///< not descended from yet
  std::vector<Vec3> ends_;     ///< of descents: equally short ones elsewhere tell of another normal
  bool seeks_pockets_ = false;        ///< lines are searched from the origin outward
  std::vector<ContactPlane> planes_;  ///< memory
};

}  // namespace

DepthSearchResult searchDepth(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
                              const DepthSearchOptions& options) {
  return DepthSearch(A, B, X_BA, options).run();
}

}  // namespace allclear::mesh
