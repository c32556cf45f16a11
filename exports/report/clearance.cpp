// Distances of many pairs at many frames, for the report's curves.
//
// A robot among obstacles has hundreds of pairs and a motion hundreds of frames; a report shows the
// few nearest pairs. Balls about the bodies give a lower bound (`Candidate::gap`) of every distance
// at every frame. Pairs are visited in the order of their least gap, so soon the nearest ones are
// known, and of the other pairs only the frames are measured where the gap leaves a chance to be
// the closest of all.
//
// Everywhere "beyond the margin" means distance minus margin: pairs are compared by that, since it
// says how near a pair is to being refused.
#include "allclear/exports/report/clearance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allclear/distance/cloud.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"
#include "allclear/planner/certificate/fidelity.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A ball that holds all of a body, in its frame: about the mean of the centres of its parts'
/// balls.
Ball ballOf(const CertifiedBody& body) {
  // Not the smallest ball, but one that is quick to find and not much larger.
  std::vector<Ball> balls;
  Vec3 center = Vec3::Zero();
  for (const Geometry& g : body.geometry) {
    Ball ball = boundingBall(g.shape);
    ball.center = g.X_BG * ball.center;
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
double beyondMargin(const ReportPair& pair) { return beyondMargin(pair.at[pair.nearest]); }

/// Measures pairs at the frames.
class ClearanceSampler {
 public:
  ClearanceSampler(const Problem& problem, const CertifiedGeometry& geometry,
                   const ReportFrames& frames, const Certificate* certificate)
      : problem_(problem),
        geometry_(geometry),
        frames_(frames),
        certificate_(certificate),
        solids_(geometry.bodies.size()) {
    // Poses of all bodies at all frames, once: every pair needs them.
    for (const CertifiedBody& body : geometry.bodies) {
      balls_.push_back(ballOf(body));
      poses_.emplace_back();
      double displaced = 0.0;
      for (int f = 0; f < frames.count(); ++f) {
        poses_.back().push_back(bodyPose(problem, body, frames, f));
        if (body.obstacle < 0) continue;
        const Mat3 K = problem.obstacles[body.obstacle].spreadAt(frames.times[f]);
        displaced = std::max(displaced, displacementRadius(K));
      }
      balls_.back().radius += displaced;
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
        // NaN is no bound: treat it as -infinity, so that the pair is measured.
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

  /// Measures a pair at all frames when it can be among the `most_pairs` closest, else only where
  /// it can be the closest of all.
  void addPair(const Candidate& candidate, int most_pairs, ReportClearance* out) {
    std::vector<ReportPair>& pairs = out->pairs;
    const bool is_full = static_cast<int>(pairs.size()) >= most_pairs;
    const bool in_full = !is_full || candidate.least < beyondMargin(pairs.back());
    ReportPair sampled;
    if (certificate_ != nullptr) {
      sampled = sample(candidate, certifiedFidelity(candidate.pair), in_full, &out->closest);
    } else {
      // Without a certificate, as closely as it takes to show that the pair keeps its margin.
      refineUntil([&](MeshFidelity fidelity) {
        if (fidelity != MeshFidelity::kHull) forget(candidate.pair, *out, &out->closest);
        sampled = sample(candidate, fidelity, in_full, &out->closest);
        return !in_full || !(beyondMargin(sampled) < 0.0) || !hasMesh(candidate.pair);
      });
    }
    if (!in_full) return;
    const auto after = std::upper_bound(
        pairs.begin(), pairs.end(), sampled,
        [](const ReportPair& x, const ReportPair& y) { return beyondMargin(x) < beyondMargin(y); });
    pairs.insert(after, std::move(sampled));
    if (static_cast<int>(pairs.size()) > most_pairs) pairs.pop_back();
  }

  /// The pair at the frames: at all of them (`in_full`), or where it can be the closest of all; the
  /// closest of each frame is updated. Consecutive frames share caches, which start the next search
  /// where the last one ended.
  ReportPair sample(const Candidate& candidate, MeshFidelity fidelity, bool in_full,
                    std::vector<ReportDistance>* closest) {
    ReportPair sampled;
    sampled.fidelity = fidelity;
    std::vector<DistanceCache> caches;
    for (int f = 0; f < frames_.count(); ++f) {
      // Outside of the pairs shown in full, a frame counts only where the ball's bound is less than
      // the least distance sampled so far.
      const bool is_known = candidate.gap[f] < kInfinity;
      if (!is_known || (!in_full && candidate.gap[f] >= beyondMargin((*closest)[f]))) {
        if (in_full) sampled.at.push_back(unknown(candidate.pair));
        continue;
      }
      const ReportDistance d = distanceAt(candidate.pair, fidelity, f, &caches);
      if (beyondMargin(d) < beyondMargin((*closest)[f])) (*closest)[f] = d;
      if (!in_full) continue;
      if (!sampled.at.empty() && beyondMargin(d) < beyondMargin(sampled)) sampled.nearest = f;
      sampled.at.push_back(d);
    }
    return sampled;
  }

  /// Removes a pair from the closest of all frames, before it is measured at a finer fidelity,
  /// which puts it farther away. The pairs known in full take its place.
  void forget(int pair, const ReportClearance& known, std::vector<ReportDistance>* closest) const {
    const CertifiedPair& p = geometry_.pairs[pair];
    for (int f = 0; f < frames_.count(); ++f) {
      ReportDistance& d = (*closest)[f];
      if (d.a != p.a || d.b != p.b) continue;
      d = ReportDistance{};
      d.distance = kInfinity;
      for (const ReportPair& other : known.pairs) {
        if (beyondMargin(other.at[f]) < beyondMargin(d)) d = other.at[f];
      }
    }
  }

  bool hasMesh(int pair) const {
    for (int body : {geometry_.pairs[pair].a, geometry_.pairs[pair].b}) {
      if (geometry_.bodies[body].deforming != nullptr) return true;
      for (const Geometry& g : geometry_.bodies[body].geometry) {
        if (std::holds_alternative<TriangleMesh>(g.shape)) return true;
      }
    }
    return false;
  }

  MeshFidelity certifiedFidelity(int pair) const {
    const CertifiedPair& p = geometry_.pairs[pair];
    for (const CertificatePair& proof : certificate_->pairs) {
      if (proof.a == geometry_.bodies[p.a].name && proof.b == geometry_.bodies[p.b].name) {
        return proof.fidelity;
      }
    }
    return MeshFidelity::kHull;
  }

  const std::vector<Geometry>& solids(int body, MeshFidelity fidelity) {
    auto& known = solids_[body][static_cast<int>(fidelity)];
    if (!known) known = geometry_.bodies[body].solids(fidelity);
    return *known;
  }

  /// Of a mesh that bends, at a frame: kept, as all links are measured to them.
  const std::vector<Geometry>& patchesAt(int body, MeshFidelity fidelity, int f) {
    const auto [entry, is_new] = patches_.try_emplace({body, static_cast<int>(fidelity), f});
    if (is_new) entry->second = geometry_.bodies[body].solidsAt(fidelity, frames_.times[f]);
    return entry->second;
  }

  ReportDistance unknown(int pair) const {
    const CertifiedPair& p = geometry_.pairs[pair];
    return {p.a, p.b, kInfinity, p.margin, Vec3::Zero(), Vec3::Zero()};
  }

  /// To the elements themselves; where the cloud may be displaced, the ball about the places.
  void measureCloud(const std::vector<Geometry>& A, int f, ReportDistance* out) const {
    const Obstacle& obstacle = problem_.obstacles[geometry_.bodies[out->b].obstacle];
    const double grown = displacementRadius(obstacle.spreadAt(frames_.times[f]));
    for (const Geometry& i : A) {
      const SignedDistance d =
          signedDistance(i.shape, poses_[out->a][f] * i.X_BG, *obstacle.cloud, poses_[out->b][f]);
      if (d.distance - grown >= out->distance) continue;
      out->distance = d.distance - grown;
      out->p_A = d.witness_A;
      out->p_B = d.witness_B - grown * d.normal;
    }
  }

  ReportDistance distanceAt(int pair, MeshFidelity fidelity, int f,
                            std::vector<DistanceCache>* caches) {
    ReportDistance out = unknown(pair);
    const std::vector<Geometry>& A = solids(out.a, fidelity);
    if (geometry_.bodies[out.b].cloud != nullptr) {
      measureCloud(A, f, &out);
      return out;
    }
    const std::vector<Geometry>& B = geometry_.bodies[out.b].deforming == nullptr
                                         ? solids(out.b, fidelity)
                                         : patchesAt(out.b, fidelity, f);
    caches->resize(A.size() * B.size());
    // To all places where an obstacle may be.
    const int obstacle = geometry_.bodies[out.b].obstacle;
    const bool has_spread = obstacle >= 0 && !problem_.obstacles[obstacle].spread.isEmpty();
    const Mat3 K =
        has_spread ? problem_.obstacles[obstacle].spreadAt(frames_.times[f]) : Mat3(Mat3::Zero());
    DistanceOptions options;
    if (has_spread) options.spread = &K;
    // A cache for each two solids, in the same order at every frame.
    std::size_t k = 0;
    for (const Geometry& i : A) {
      const Pose X_WA = poses_[out.a][f] * i.X_BG;
      for (const Geometry& j : B) {
        const SignedDistance d = signedDistance(i.shape, X_WA, j.shape, poses_[out.b][f] * j.X_BG,
                                                &(*caches)[k++], options);
        if (d.distance >= out.distance) continue;
        out.distance = d.distance;
        out.p_A = d.witness_A;
        out.p_B = d.witness_B;
      }
    }
    return out;
  }

  const Problem& problem_;
  const CertifiedGeometry& geometry_;
  const ReportFrames& frames_;
  const Certificate* certificate_;
  std::vector<std::array<std::optional<std::vector<Geometry>>, kMeshFidelityCount>> solids_;
  std::map<std::array<int, 3>, std::vector<Geometry>> patches_;  ///< by body, fidelity, frame
  std::vector<Ball> balls_;
  std::vector<std::vector<Pose>> poses_;  ///< by body, then frame
  std::vector<bool> is_elsewhere_;        ///< obstacles whose place at the goal is unknown
};

/// The lower envelope of two step functions over the same interval: goes through both at once, from
/// one end of a step to the next.
std::vector<ReportBound> lowerEnvelope(const std::vector<ReportBound>& x,
                                       const std::vector<ReportBound>& y) {
  if (x.empty()) return y;
  std::vector<ReportBound> out;
  std::size_t i = 0, j = 0;
  double t = x.front().t0;
  while (i < x.size() && j < y.size()) {
    // Up to the nearer of the two ends both functions are constant.
    const double end = std::min(x[i].t1, y[j].t1);
    if (end > t) out.push_back({t, end, std::min(x[i].lower, y[j].lower)});
    t = end;
    if (x[i].t1 <= end) ++i;
    if (j < y.size() && y[j].t1 <= end) ++j;
  }
  return out;
}

/// The bounds that the certificate proves of a pair: of its pieces the least at every instant.
std::vector<ReportBound> boundsOf(const Certificate& certificate, const std::string& a,
                                  const std::string& b) {
  std::vector<ReportBound> bounds;
  for (const CertificatePair& proof : certificate.pairs) {
    if (proof.a != a || proof.b != b) continue;
    std::vector<ReportBound> cells;
    for (const CoverCell& cell : proof.cells) {
      cells.push_back({cell.time.lower, cell.time.upper, cell.lower});
    }
    bounds = lowerEnvelope(bounds, cells);
  }
  return bounds;
}

/// Puts the pairs into the order of the proof. Their closest instants lie between frames, so by the
/// frames alone others may seem closer.
void orderByProof(const Certificate& certificate, const CertifiedGeometry& geometry,
                  std::vector<ReportPair>* pairs) {
  const std::vector<RankedPair>& ranked = certificate.closest_pairs;
  const auto rank = [&](const ReportPair& pair) {
    const std::string& a = geometry.bodies[pair.at.front().a].name;
    const std::string& b = geometry.bodies[pair.at.front().b].name;
    return std::find_if(ranked.begin(), ranked.end(),
                        [&](const RankedPair& r) { return r.a == a && r.b == b; });
  };
  std::stable_sort(pairs->begin(), pairs->end(),
                   [&](const ReportPair& x, const ReportPair& y) { return rank(x) < rank(y); });
}

}  // namespace

ReportClearance reportClearance(const Problem& problem, const CertifiedGeometry& geometry,
                                const ReportFrames& frames, const Certificate* certificate,
                                int most_pairs) {
  ReportClearance out = ClearanceSampler(problem, geometry, frames, certificate).run(most_pairs);
  if (certificate == nullptr) return out;
  if (certificate->clear) orderByProof(*certificate, geometry, &out.pairs);
  for (ReportPair& pair : out.pairs) {
    pair.bounds = boundsOf(*certificate, geometry.bodies[pair.at.front().a].name,
                           geometry.bodies[pair.at.front().b].name);
  }
  return out;
}

}  // namespace allclear
