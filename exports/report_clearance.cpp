#include "allclear/exports/report_clearance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allclear/distance/signed_distance.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Ball about all of a body, in its frame.
Ball ballOf(const CertifiedBody& body) {
  std::vector<Ball> balls;
  Vec3 center = Vec3::Zero();
  for (const Geometry& part : body.geometry) {
    Ball ball = boundingBall(part.shape);
    ball.center = part.X_BG * ball.center;
    center += ball.center / static_cast<double>(body.geometry.size());
    balls.push_back(ball);
  }
  Ball all{center, 0.0};
  for (const Ball& ball : balls) {
    all.radius = std::max(all.radius, (ball.center - center).norm() + ball.radius);
  }
  return all;
}

double beyondMargin(const ReportDistance& d) { return d.distance - d.margin; }

class ClearanceSampler {
 public:
  ClearanceSampler(const Problem& problem, const CertifiedGeometry& geometry,
                   const ReportFrames& frames)
      : geometry_(geometry), frames_(frames) {
    for (const CertifiedBody& body : geometry.bodies) {
      balls_.push_back(ballOf(body));
      poses_.emplace_back();
      for (int f = 0; f < frames.count(); ++f) {
        poses_.back().push_back(bodyPose(problem, body, frames, f));
      }
      const bool moves = body.obstacle >= 0 && problem.obstacles[body.obstacle].moves();
      is_elsewhere_.push_back(moves && !frames.isMotion() && !problem.duration.isFixed());
    }
  }

  ReportClearance run(int most_pairs) {
    ReportClearance out;
    out.closest.assign(frames_.count(), ReportDistance{});
    for (ReportDistance& d : out.closest) d.distance = kInfinity;
    const std::vector<Candidate> candidates = sortedCandidates();
    out.pair_count = static_cast<int>(candidates.size());
    for (const Candidate& candidate : candidates) addPair(candidate, most_pairs, &out);
    for (ReportDistance& d : out.closest) {
      if (d.a < 0) d.distance = 0.0;
    }
    return out;
  }

 private:
  struct Candidate {
    int pair = -1;
    double least = kInfinity;  ///< bound of the distance beyond the margin at all frames
    std::vector<double> gap;   ///< the same at each
  };

  std::vector<Candidate> sortedCandidates() const {
    std::vector<Candidate> out;
    for (int p = 0; p < static_cast<int>(geometry_.pairs.size()); ++p) {
      const CertifiedPair& pair = geometry_.pairs[p];
      if (pair.fixed) continue;
      Candidate candidate{p, kInfinity, {}};
      for (int f = 0; f < frames_.count(); ++f) {
        const Ball &A = balls_[pair.a], &B = balls_[pair.b];
        const double between = (poses_[pair.a][f] * A.center - poses_[pair.b][f] * B.center).norm();
        const double gap =
            isKnown(pair, f) ? between - A.radius - B.radius - pair.margin : kInfinity;
        candidate.gap.push_back(std::isnan(gap) ? -kInfinity : gap);
        candidate.least = std::min(candidate.least, candidate.gap.back());
      }
      out.push_back(std::move(candidate));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Candidate& x, const Candidate& y) { return x.least < y.least; });
    return out;
  }

  bool isKnown(const CertifiedPair& pair, int frame) const {
    return frame == 0 || !(is_elsewhere_[pair.a] || is_elsewhere_[pair.b]);
  }

  /// Looks at a pair at all frames when it can be among the `most_pairs` closest, else only where
  /// it can be the closest of all.
  void addPair(const Candidate& candidate, int most_pairs, ReportClearance* out) {
    std::vector<ReportPair>& pairs = out->pairs;
    const bool is_full = static_cast<int>(pairs.size()) >= most_pairs;
    const bool in_full = !is_full || candidate.least < worth(pairs.back());
    ReportPair found;
    std::vector<DistanceCache> caches;
    for (int f = 0; f < frames_.count(); ++f) {
      const bool is_known = std::isfinite(candidate.gap[f]) || candidate.gap[f] < 0.0;
      if (!is_known || (!in_full && candidate.gap[f] >= beyondMargin(out->closest[f]))) {
        if (in_full) found.at.push_back(unknown(candidate.pair));
        continue;
      }
      const ReportDistance d = distanceAt(candidate.pair, f, closenessOf(candidate.pair), &caches);
      if (beyondMargin(d) < beyondMargin(out->closest[f])) out->closest[f] = d;
      if (!in_full) continue;
      if (!found.at.empty() && beyondMargin(d) < worth(found)) found.nearest = f;
      found.at.push_back(d);
    }
    if (!in_full) return;
    const auto after = std::upper_bound(
        pairs.begin(), pairs.end(), found,
        [](const ReportPair& x, const ReportPair& y) { return worth(x) < worth(y); });
    pairs.insert(after, std::move(found));
    if (static_cast<int>(pairs.size()) > most_pairs) pairs.pop_back();
  }

  static double worth(const ReportPair& pair) { return beyondMargin(pair.at[pair.nearest]); }

  ReportDistance unknown(int pair) const {
    const CertifiedPair& p = geometry_.pairs[pair];
    return {p.a, p.b, kInfinity, p.margin, Vec3::Zero(), Vec3::Zero()};
  }

  /// As closely as it takes to see the margin kept at all frames, as the certificate does.
  Closeness closenessOf(int pair) {
    const auto known = closeness_.find(pair);
    if (known != closeness_.end()) return known->second;
    Closeness enough = Closeness::kManyPieces;
    for (Closeness closeness : {Closeness::kHull, Closeness::kPieces}) {
      std::vector<DistanceCache> caches;
      bool keeps = true;
      for (int f = 0; f < frames_.count() && keeps; ++f) {
        if (!isKnown(geometry_.pairs[pair], f)) continue;
        keeps = beyondMargin(distanceAt(pair, f, closeness, &caches)) >= 0.0;
      }
      if (!keeps) continue;
      enough = closeness;
      break;
    }
    return closeness_[pair] = enough;
  }

  const std::vector<Geometry>& solidsOf(int body, Closeness closeness) {
    auto& solids = solids_[{body, closeness}];
    if (solids.empty()) solids = geometry_.bodies[body].solids(closeness);
    return solids;
  }

  ReportDistance distanceAt(int pair, int f, Closeness closeness,
                            std::vector<DistanceCache>* caches) {
    ReportDistance out = unknown(pair);
    const std::vector<Geometry>& A = solidsOf(out.a, closeness);
    const std::vector<Geometry>& B = solidsOf(out.b, closeness);
    caches->resize(A.size() * B.size());
    std::size_t k = 0;
    for (const Geometry& i : A) {
      const Pose X_WA = poses_[out.a][f] * i.X_BG;
      for (const Geometry& j : B) {
        const SignedDistance d =
            signedDistance(i.shape, X_WA, j.shape, poses_[out.b][f] * j.X_BG, &(*caches)[k++]);
        if (d.distance >= out.distance) continue;
        out.distance = d.distance;
        out.p_A = d.witness_A;
        out.p_B = d.witness_B;
      }
    }
    return out;
  }

  const CertifiedGeometry& geometry_;
  const ReportFrames& frames_;
  std::vector<Ball> balls_;
  std::vector<std::vector<Pose>> poses_;  ///< by body, then frame
  std::vector<bool> is_elsewhere_;        ///< at the goal, no one knows where
  std::map<int, Closeness> closeness_;    ///< by pair
  std::map<std::pair<int, Closeness>, std::vector<Geometry>> solids_;
};

/// The lower envelope of two step functions over the same interval.
std::vector<ReportBound> lowerEnvelope(const std::vector<ReportBound>& x,
                                       const std::vector<ReportBound>& y) {
  if (x.empty()) return y;
  std::vector<ReportBound> out;
  std::size_t i = 0, j = 0;
  double t = x.front().t0;
  while (i < x.size() && j < y.size()) {
    const double end = std::min(x[i].t1, y[j].t1);
    if (end > t) out.push_back({t, end, std::min(x[i].lower, y[j].lower)});
    t = end;
    if (x[i].t1 <= end) ++i;
    if (j < y.size() && y[j].t1 <= end) ++j;
  }
  return out;
}

}  // namespace

ReportClearance reportClearance(const Problem& problem, const CertifiedGeometry& geometry,
                                const ReportFrames& frames, int most_pairs) {
  return ClearanceSampler(problem, geometry, frames).run(most_pairs);
}

void addBounds(const Certificate& certificate, const CertifiedGeometry& geometry,
               ReportClearance* clearance) {
  for (ReportPair& pair : clearance->pairs) {
    const std::string& a = geometry.bodies[pair.at.front().a].name;
    const std::string& b = geometry.bodies[pair.at.front().b].name;
    for (const CertificatePair& proof : certificate.pairs) {
      if (proof.a != a || proof.b != b) continue;
      std::vector<ReportBound> bounds;
      for (const CoverCell& cell : proof.cells) {
        bounds.push_back({cell.time.lower, cell.time.upper, cell.lower});
      }
      pair.bounds = lowerEnvelope(pair.bounds, bounds);
    }
  }
}

}  // namespace allclear
