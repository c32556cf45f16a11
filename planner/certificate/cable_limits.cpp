// Proves that no cable is pulled taut and that none can touch a body, whatever shape it takes
// (docs/algorithms/cables.md), and says so in words.
//
// Each stretch between two clips is bounded by itself: the greatest distance of its clips, and the
// least room that each body has beside it, by hulls first and by convex pieces where these do not
// decide. Nothing of this is stored as cells: the check of a certificate makes these limits anew.
//
// Uncertainty. |x' - A'| differs from |x - A| by no more than x and A stray relative to each other
// (stray.h), so the room falls by at most half of the strays of (x, A) and (x, B) together, and the
// span grows by at most that of (A, B). A body displaced by e loses at most |e| of its room.
//
// Symbols: A and B the clips of a stretch.
#include "allclear/planner/certificate/cable_limits.h"

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "allclear/core/extremes.h"
#include "allclear/distance/minimum/cable/cable.h"
#include "allclear/distance/support.h"
#include "allclear/planner/certificate/boundable.h"
#include "allclear/planner/certificate/cover.h"
#include "allclear/planner/certificate/stray.h"
#include "allclear/planner/problem/cables.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kSpan = "cable span from ";
constexpr const char* kRoom = "cable room to ";

/// [m] Width of the bracket of a span; it costs microseconds.
constexpr double kSpanTolerance = 1e-4;
/// [m] The same where that leaves open whether the cable is taut.
constexpr double kFineSpanTolerance = 1e-8;
/// [m] Radius of the ball that stands for a clip where strays are bounded: too small to add any.
constexpr double kClipRadius = 1e-9;
/// [m] More than the rounding of a difference of two lengths of less than a kilometre.
constexpr double kLostRounding = 1e-12;
/// Exact meshes are left out: the room beside a surface alone has no bound here.
constexpr MeshFidelity kLevels[] = {MeshFidelity::kHull, MeshFidelity::kPieces,
                                    MeshFidelity::kManyPieces};

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
  char buffer[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

bool hasMesh(const CertifiedBody& body) {
  return std::any_of(body.geometry.begin(), body.geometry.end(), [](const Geometry& part) {
    return std::holds_alternative<TriangleMesh>(part.shape);
  });
}

/// A stretch and a body (-1: its span), in the order of the limits.
struct CableEntry {
  CableStretch stretch;
  int body = -1;
};

CableBody cableBody(const CertifiedBody& body) {
  return {body.name, body.link, body.kind == CertifiedBody::Kind::kAttached};
}

std::vector<CableEntry> cableEntries(const Problem& problem, const CertifiedGeometry& geometry) {
  std::vector<CableEntry> entries;
  if (problem.cables.empty()) return entries;
  const MotionTree tree(*problem.robot);
  for (const CableStretch& stretch : cableStretches(problem)) {
    entries.push_back({stretch, -1});
    for (int b = 0; b < static_cast<int>(geometry.bodies.size()); ++b) {
      const CableBody body = cableBody(geometry.bodies[b]);
      if (cableExemption(problem, tree, stretch, body).empty()) entries.push_back({stretch, b});
    }
  }
  return entries;
}

/// Bounds the entries of one problem along one trajectory.
class CableProver {
 public:
  CableProver(const Problem& problem, const Trajectory& trajectory, const CertifiedMotion& motion)
      : problem_(problem), motion_(motion) {
    if (!problem.uncertainty.isZero()) stray_.emplace(problem, trajectory);
  }

  CertifiedLimit limitOf(const CableEntry& entry) {
    const auto& links = problem_.robot->links();
    const CableStretch& stretch = entry.stretch;
    CertifiedLimit limit;
    // Subject and quantity together name the stretch and what it is held against.
    limit.subject = problem_.cables[stretch.cable].id;
    const std::string clips = links[stretch.a.link].name + " to " + links[stretch.b.link].name;
    const std::string from = " from " + clips;
    if (entry.body < 0) {
      limit.quantity = kSpan + clips;
      boundSpan(stretch, &limit);
    } else {
      limit.quantity = kRoom + motion_.geometry().bodies[entry.body].name + from;
      boundRoom(stretch, entry.body, &limit);
    }
    return limit;
  }

 private:
  MovingCable cableOf(const CableStretch& stretch) const {
    return {stretch.a.p_L,
            stretch.b.p_L,
            motion_.linkCurve(stretch.a.link),
            motion_.linkCurve(stretch.b.link),
            stretch.length,
            stretch.radius};
  }

  void boundSpan(const CableStretch& stretch, CertifiedLimit* limit) {
    const MovingCable cable = cableOf(stretch);
    double stray = 0.0;
    if (stray_) {
      for (const Interval& cell : motion_.cells()) {
        stray = raised(stray, strayOf(clipSolid(stretch.a), clipSolid(stretch.b), cell));
      }
    }
    CableSpan span = greatestSpan(cable, kSpanTolerance);
    const double most = stretch.longestSpan() - stray;
    // The coarse bracket straddles the limit: only then is the fine one worth its time.
    if (!(span.upper <= most) && span.lower <= most) {
      span = greatestSpan(cable, kFineSpanTolerance, most);
    }
    limit->lower = std::max(0.0, span.lower) + stray;
    limit->upper = span.upper + stray;
    limit->lower_limit = 0.0;
    limit->upper_limit = stretch.longestSpan();
    limit->t = span.t;
    limit->kept = limit->upper <= limit->upper_limit;  // NaN is not kept
  }

  /// The coarsest solids that show enough room, else the finest.
  void boundRoom(const CableStretch& stretch, int body, CertifiedLimit* limit) {
    const CertifiedBody& b = motion_.geometry().bodies[body];
    limit->lower_limit = problem_.collision.margin;
    limit->upper_limit = kInfinity;
    // Without a mesh all levels are the same.
    const bool is_fine = hasMesh(b);
    for (MeshFidelity fidelity : kLevels) {
      const bool is_last = !is_fine || fidelity == MeshFidelity::kManyPieces;
      limit->lower = limit->upper = kInfinity;
      limit->t = 0.0;
      for (const Geometry& solid : solidsOf(body, fidelity)) {
        boundSolid(stretch, body, solid, is_last, limit);
        if (!is_last && !(limit->lower >= limit->lower_limit)) break;
      }
      limit->kept = limit->lower >= limit->lower_limit;
      if (limit->kept || is_last) return;
    }
  }

  /// Cell by cell, as what strays changes with time.
  void boundSolid(const CableStretch& stretch, int body, const Geometry& solid, bool is_last,
                  CertifiedLimit* limit) {
    const std::vector<BodyCurve>& curves = curvesOf(body);
    const MovingCable all = cableOf(stretch);
    const int of_solid = stray_ ? straySolid(body, solid) : -1;
    for (std::size_t c = 0; c < motion_.cells().size(); ++c) {
      MovingCable cable = all;
      cable.curves_A = all.curves_A.subspan(c, 1);
      cable.curves_B = all.curves_B.subspan(c, 1);
      const std::span<const BodyCurve> curve(&curves[curves.size() > 1 ? c : 0], 1);
      const double lost = allowance(stretch, body, of_solid, motion_.cells()[c]);
      CableRoomOptions options;
      options.tolerance = problem_.collision.tolerance;
      // What is taken off again below rounds: so much more is asked for.
      options.threshold = limit->lower_limit + lost + (lost > 0.0 ? kLostRounding : 0.0);
      // A coarse level that falls short is not reported: it may stop as soon as that is seen. The
      // last one is measured to the end, for the figure in the message.
      options.decide_only = !is_last;
      const CableRoom room = cableRoom(cable, {&solid.shape, solid.X_BG, curve}, options);
      limit->lower = lowered(limit->lower, room.lower - lost);
      if (room.evaluated && room.upper - lost < limit->upper) {
        limit->upper = room.upper - lost;
        limit->t = std::clamp(room.t, 0.0, motion_.duration());
      }
      if (!is_last && !(limit->lower >= limit->lower_limit)) return;
    }
  }

  /// What the room may lose in this time by what is uncertain [m].
  double allowance(const CableStretch& stretch, int body, int solid, Interval time) {
    double lost = 0.0;
    const int o = motion_.geometry().bodies[body].obstacle;
    if (o >= 0 && !problem_.obstacles[o].spread.isEmpty()) {
      const PositionSpread& spread = problem_.obstacles[o].spread;
      lost = raised(displacementRadius(spread.at(time.lower)),
                    displacementRadius(spread.at(time.upper)));
      lost += kCoverPadding;
    }
    if (!stray_) return lost;
    const double a = strayOf(clipSolid(stretch.a), solid, time);
    const double b = strayOf(clipSolid(stretch.b), solid, time);
    return lost + 0.5 * (a + b) + kCoverPadding;
  }

  double strayOf(int a, int b, Interval time) const { return stray_->between(a, b, time).total(); }

  int clipSolid(const CableClip& clip) {
    const auto key = std::tuple(clip.link, clip.p_L.x(), clip.p_L.y(), clip.p_L.z());
    const auto [entry, is_new] = clip_solids_.try_emplace(key, -1);
    if (is_new) {
      entry->second =
          stray_->addSolid(clip.link, -1, {Sphere(kClipRadius), {Mat3::Identity(), clip.p_L}});
    }
    return entry->second;
  }
  int straySolid(int body, const Geometry& solid) {
    const auto [entry, is_new] = solids_in_stray_.try_emplace(&solid, -1);
    const CertifiedBody& b = motion_.geometry().bodies[body];
    if (is_new) entry->second = stray_->addSolid(b.link, b.obstacle, solid);
    return entry->second;
  }

  const std::vector<Geometry>& solidsOf(int body, MeshFidelity fidelity) {
    const auto [entry, is_new] = solids_.try_emplace({body, fidelity});
    if (is_new) entry->second = motion_.geometry().bodies[body].solids(fidelity);
    return entry->second;
  }

  /// One per cell, or one for a body at rest.
  const std::vector<BodyCurve>& curvesOf(int body) {
    const CertifiedBody& b = motion_.geometry().bodies[body];
    if (b.link >= 0) return motion_.linkCurve(b.link);
    const auto [entry, is_new] = curves_.try_emplace(body);
    if (!is_new) return entry->second;
    const Obstacle& obstacle = problem_.obstacles[b.obstacle];
    // One curve serves all cells where nothing moves.
    if (!obstacle.moves()) {
      entry->second = {BodyCurve::still(obstacle.X_WO, {0.0, motion_.duration()})};
      return entry->second;
    }
    for (const Interval& cell : motion_.cells()) {
      entry->second.push_back(obstacle.curve(cell));
      requireFinite(entry->second.back(), "obstacle '" + obstacle.id + "'");
    }
    return entry->second;
  }

  const Problem& problem_;
  const CertifiedMotion& motion_;
  std::optional<StrayBound> stray_;
  std::map<std::tuple<int, double, double, double>, int> clip_solids_;
  std::map<const Geometry*, int> solids_in_stray_;
  std::map<std::pair<int, MeshFidelity>, std::vector<Geometry>> solids_;
  std::map<int, std::vector<BodyCurve>> curves_;  ///< of obstacles
};

std::string faultOf(const Problem& problem, const CertifiedGeometry& geometry,
                    const CableEntry& entry, const CertifiedLimit& limit) {
  if (entry.body < 0) return tautText(problem, entry.stretch, limit.upper, limit.t);
  const std::string cable = "cable '" + limit.subject + "': ";
  const std::string where = " '" + geometry.bodies[entry.body].name + "'";
  const std::string between = " " + betweenClips(problem, entry.stretch);
  const double margin = limit.lower_limit;
  // Cases: seen without room, seen with too little, and neither but not proven.
  if (limit.upper <= 0.0) {
    return cable + "may touch" + where + text(" at t = %.4g s", limit.t) + between;
  }
  if (limit.upper < margin) {
    return cable + text("may come within %.4g mm of", 1e3 * limit.upper) + where +
           text(" at t = %.4g s", limit.t) + between +
           text(", nearer than the margin of %.4g mm", 1e3 * margin);
  }
  return cable + text("cannot be shown to keep the margin of %.4g mm from", 1e3 * margin) + where +
         between;
}

}  // namespace

void addCableLimits(const Problem& problem, const Trajectory& trajectory,
                    const CertifiedMotion& motion, std::vector<CertifiedLimit>* out) {
  if (problem.cables.empty()) return;
  CableProver prover(problem, trajectory, motion);
  for (const CableEntry& entry : cableEntries(problem, motion.geometry())) {
    out->push_back(prover.limitOf(entry));
  }
}

bool isCableLimit(const CertifiedLimit& limit) {
  return limit.quantity.starts_with(kSpan) || limit.quantity.starts_with(kRoom);
}

std::vector<std::string> cableSentences(const Problem& problem,
                                        const std::vector<CertifiedLimit>& limits) {
  std::vector<std::string> sentences;
  for (const Cable& cable : problem.cables) {
    // What is left of the lengths, and the least room.
    const CertifiedLimit *tightest = nullptr, *nearest = nullptr;
    std::size_t bodies = 0;
    double least_seen = std::numeric_limits<double>::infinity();
    bool kept = true;
    for (const CertifiedLimit& limit : limits) {
      if (!isCableLimit(limit) || limit.subject != cable.id) continue;
      kept = kept && limit.kept;
      const auto left = [](const CertifiedLimit& l) { return l.upper_limit - l.upper; };
      if (limit.quantity.starts_with(kSpan)) {
        if (tightest == nullptr || left(limit) < left(*tightest)) tightest = &limit;
        continue;
      }
      ++bodies;
      if (nearest == nullptr || limit.lower < nearest->lower) nearest = &limit;
      least_seen = std::min(least_seen, limit.upper);
    }
    if (!kept || tightest == nullptr) continue;
    std::string sentence = "Cable '" + cable.id + "', whatever shape it takes, is never taut (" +
                           text("%.4g mm left", 1e3 * (tightest->upper_limit - tightest->upper)) +
                           (cable.reserve > 0.0 ? " beyond its reserve" : "") +
                           text(" at t = %.4g s, ", tightest->t) + tightest->quantity + ")";
    if (nearest != nullptr) {
      sentence += text(" and keeps its margin of %.4g mm from other bodies (%zu bounds",
                       1e3 * nearest->lower_limit, bodies);
      // Most bounds are only as good as the margin asks: the least of what was seen need not be the
      // least.
      sentence += nearest->upper <= least_seen && std::isfinite(nearest->upper)
                      ? text("; the least is between %.4g and %.4g mm at t = %.4g s, ",
                             1e3 * nearest->lower, 1e3 * nearest->upper, nearest->t)
                      : text("; the least is at least %.4g mm, ", 1e3 * nearest->lower);
      sentence += nearest->quantity + ")";
    }
    sentences.push_back(sentence);
  }
  return sentences;
}

std::vector<std::string> cableFaults(const Problem& problem, const CertifiedGeometry& geometry,
                                     const std::vector<CertifiedLimit>& limits) {
  std::vector<std::pair<double, std::string>> faults;
  const std::vector<CableEntry> entries = cableEntries(problem, geometry);
  // The limits are in the order of the entries.
  std::size_t next = 0;
  for (const CertifiedLimit& limit : limits) {
    if (!isCableLimit(limit) || next >= entries.size()) continue;
    const CableEntry& entry = entries[next++];
    if (limit.kept) continue;
    const double beyond = entry.body < 0 ? limit.upper - limit.upper_limit
                                         : limit.lower_limit - std::min(limit.upper, 1.0);
    faults.emplace_back(beyond, faultOf(problem, geometry, entry, limit));
  }
  std::stable_sort(faults.begin(), faults.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> sentences;
  for (auto& [beyond, sentence] : faults) sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<Assumption> cableAssumptions(const Problem& problem,
                                         const CertifiedGeometry& geometry) {
  if (problem.cables.empty()) return {};
  const auto shown = [](double value) {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  };
  // All that the proof of cables rests on, and every body that a stretch may touch.
  const MotionTree tree(*problem.robot);
  std::string model =
      "A cable is flexible, does not stretch, and stays in its clips, which stay where the task "
      "puts them. Its shape is not modelled: what is proven holds for every shape within its "
      "lengths. Not looked at: cables among each other, loops about a body, bending radii. A mesh "
      "counts by its hull or by convex pieces that enclose it. A tube of what may stray beyond the "
      "task's uncertainty is of bodies alone, not of cables.";
  for (const CableStretch& stretch : cableStretches(problem)) {
    model += " Cable '" + problem.cables[stretch.cable].id + "' " + betweenClips(problem, stretch) +
             ": " + shown(stretch.length) + " m, radius " + shown(stretch.radius) + " m, reserve " +
             shown(stretch.reserve) + " m; it may touch";
    std::string allowed;
    for (const CertifiedBody& body : geometry.bodies) {
      const std::string why = cableExemption(problem, tree, stretch, cableBody(body));
      if (!why.empty()) allowed += (allowed.empty() ? " " : ", ") + body.name + " (" + why + ")";
    }
    model += (allowed.empty() ? " nothing" : allowed) + ".";
  }
  const std::size_t count = problem.cables.size();
  return {{"cables", model,
           std::to_string(count) + (count == 1 ? " cable" : " cables") + " flexible, clips fixed"}};
}

}  // namespace allclear
