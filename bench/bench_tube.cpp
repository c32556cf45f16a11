// How tight and how safe the proven tube is: 50 plans (5 of each shared set) with the widest tube
// that is proven clear, then
//   1. random trajectories inside of the tube: no two bodies may meet (at random instants, half of
//      them with every joint at an end of its range);
//   2. the smallest tube found in which two bodies do meet, by following the gradient of their
//      distance from many instants, and by flipping joints one by one: the gap to the proven one.
//      Distances are between the solids that the certificate measured, and between exact meshes.
//   bench_tube [--plans N] [--trajectories N] [--json F]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <tuple>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/planner.h"
#include "allclear/robot_models/kinematics.h"
#include "bench/support/bench_report.h"

namespace allclear {
namespace {

constexpr int kInstants = 10;            ///< looked at per random trajectory
constexpr int kAttackTimes = 200;        ///< from which a contact is sought
constexpr int kPasses = 4;               ///< of the gradient, and over the joints
constexpr int kHalvings = 12;            ///< of the width: to 1e-3 of it
constexpr double kFar = 0.1;             ///< [m]: farther pairs are not attacked
constexpr std::size_t kCandidates = 40;  ///< pairs and instants that are attacked

/// Bodies and pairs of a problem at configurations, measured with none of the bounds over time.
class Bodies {
 public:
  /// At the fidelity that the certificate has for each pair, or all exactly.
  Bodies(const Problem& problem, const Certificate& certificate, bool exact)
      : problem_(problem), kinematics_(*problem.robot), workspace_(kinematics_.makeWorkspace()) {
    const CertifiedGeometry geometry = certifiedGeometry(problem);
    for (const CertifiedPair& pair : geometry.pairs) {
      if (pair.fixed) continue;
      const CertifiedBody &a = geometry.bodies[pair.a], &b = geometry.bodies[pair.b];
      MeshFidelity fidelity = MeshFidelity::kSurface;
      for (const CertificatePair& proven : certificate.pairs) {
        if (!exact && proven.a == a.name && proven.b == b.name) fidelity = proven.fidelity;
      }
      Pair added{side(a, fidelity), side(b, fidelity)};
      pairs_.push_back(std::move(added));
    }
  }

  int count() const { return static_cast<int>(pairs_.size()); }

  void place(const VecX& q, double t) {
    kinematics_.linkPoses(q, workspace_, X_WL_);
    t_ = t;
  }

  /// The signed distance of a pair where the robot is placed; above `enough` it does not matter.
  /// `closest` gets the witnesses, in the world.
  double distance(int pair, double enough, SignedDistance* closest = nullptr) const {
    const Side &a = pairs_[pair].a, &b = pairs_[pair].b;
    const Pose X_WA = poseOf(a), X_WB = poseOf(b);
    double least = enough;
    for (std::size_t i = 0; i < a.solids.size(); ++i) {
      for (std::size_t j = 0; j < b.solids.size(); ++j) {
        const double apart = (X_WA * a.balls[i].center - X_WB * b.balls[j].center).norm() -
                             a.balls[i].radius - b.balls[j].radius;
        if (apart >= least) continue;
        const Geometry &ga = a.solids[i], &gb = b.solids[j];
        const SignedDistance d = signedDistance(ga.shape, X_WA * ga.X_BG, gb.shape, X_WB * gb.X_BG);
        if (d.distance >= least) continue;
        least = d.distance;
        if (closest != nullptr) *closest = d;
      }
    }
    return least;
  }

  /// Of the distance by all coordinates where the robot is placed: the velocities of the witnesses
  /// along the normal.
  VecX gradient(int pair, const SignedDistance& closest) const {
    VecX out = VecX::Zero(problem_.robot->dimension());
    Jacobian J;
    const Side &a = pairs_[pair].a, &b = pairs_[pair].b;
    for (const auto& [side, p, sign] :
         {std::tuple(&a, closest.witness_A, -1.0), std::tuple(&b, closest.witness_B, 1.0)}) {
      if (side->link < 0) continue;
      kinematics_.pointJacobian(workspace_, side->link, p, J);
      out += sign * J.topRows<3>().transpose() * closest.normal;
    }
    return out;
  }

 private:
  struct Side {
    int link;
    int obstacle;
    std::vector<Geometry> solids;
    std::vector<Ball> balls;
  };
  struct Pair {
    Side a, b;
  };
  /// The solids of links are kept: preparing exact meshes takes far longer than measuring them.
  Side side(const CertifiedBody& body, MeshFidelity fidelity) const {
    static std::map<std::tuple<const RobotModel*, int, MeshFidelity>, std::vector<Geometry>> kept;
    Side out{body.link, body.obstacle, {}, {}};
    if (body.kind == CertifiedBody::Kind::kLink) {
      auto& solids = kept[{problem_.robot.get(), body.link, fidelity}];
      if (solids.empty()) solids = body.solids(fidelity);
      out.solids = solids;
    } else {
      out.solids = body.solids(fidelity);
    }
    for (const Geometry& solid : out.solids) {
      Ball ball = boundingBall(solid.shape);
      ball.center = solid.X_BG * ball.center;
      out.balls.push_back(ball);
    }
    return out;
  }
  Pose poseOf(const Side& side) const {
    return side.obstacle >= 0 ? problem_.obstacles[side.obstacle].pose(t_) : X_WL_[side.link];
  }

  const Problem& problem_;
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pair> pairs_;
  std::vector<Pose> X_WL_;
  double t_ = 0.0;
};

/// Random trajectories inside of a tube: the instants at which two bodies meet.
long contactsAtRandom(const Problem& problem, const Trajectory& trajectory, double width,
                      int trajectories, Bodies& bodies) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(-1.0, 1.0), time(0.0, trajectory.duration());
  long contacts = 0;
  for (int i = 0; i < trajectories; ++i) {
    for (int j = 0; j < kInstants; ++j) {
      const double t = time(random);
      VecX q = problem.configuration(trajectory.value(t));
      for (double& value : q) {
        const double draw = share(random);
        value += width * (i % 2 == 0 ? draw : draw < 0.0 ? -1.0 : 1.0);
      }
      bodies.place(q, t);
      for (int pair = 0; pair < bodies.count(); ++pair) {
        if (bodies.distance(pair, 1e-3) <= 0.0) ++contacts;
      }
    }
  }
  return contacts;
}

/// Seeks the smallest tube in which two bodies meet.
class Attack {
 public:
  Attack(const Problem& problem, const Trajectory& trajectory, Bodies& bodies)
      : problem_(problem), trajectory_(trajectory), bodies_(bodies) {}

  /// Infinite when none was found below `most`.
  double leastWidth(double most) {
    best_ = std::numeric_limits<double>::infinity();
    double limit = most;
    for (const Candidate& candidate : candidates()) {
      const double width = leastFrom(candidate, limit);
      if (width < limit) best_ = limit = width;
    }
    return best_;
  }

 private:
  struct Candidate {
    double t;
    int pair;
    double distance;
    double slope;  ///< [m per unit of width] at the planned configuration
  };

  VecX planned(double t) const { return problem_.configuration(trajectory_.value(t)); }

  double distance(const VecX& q, double t, int pair, SignedDistance* closest = nullptr) {
    bodies_.place(q, t);
    return bodies_.distance(pair, kFar, closest);
  }

  /// Pairs and instants, the most promising first: where the distance over its slope is least.
  std::vector<Candidate> candidates() {
    std::vector<Candidate> list;
    for (int i = 0; i <= kAttackTimes; ++i) {
      const double t = trajectory_.duration() * i / kAttackTimes;
      for (int pair = 0; pair < bodies_.count(); ++pair) {
        SignedDistance closest;
        const double d = distance(planned(t), t, pair, &closest);
        if (d >= kFar) continue;
        const double slope = bodies_.gradient(pair, closest).lpNorm<1>();
        if (slope > 0.0) list.push_back({t, pair, d, slope});
      }
    }
    std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
      return a.distance * b.slope < b.distance * a.slope;
    });
    if (list.size() > kCandidates) list.resize(kCandidates);
    return list;
  }

  /// The least width from this candidate; `most` when it is not below.
  double leastFrom(const Candidate& candidate, double most) {
    if (!meetsWithin(candidate, most)) return most;
    double low = 0.0, high = most;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      (meetsWithin(candidate, middle) ? high : low) = middle;
    }
    return high;
  }

  /// Whether the pair is brought in contact: every joint to the end of its range that the gradient
  /// points to, from there again, then one joint after the other to its other end.
  bool meetsWithin(const Candidate& candidate, double width) {
    const VecX middle = planned(candidate.t);
    VecX q = middle;
    double least = candidate.distance;
    for (int pass = 0; pass < kPasses; ++pass) {
      SignedDistance closest;
      if (distance(q, candidate.t, candidate.pair, &closest) >= kFar) break;
      const VecX slope = bodies_.gradient(candidate.pair, closest);
      VecX moved = middle;
      for (int k = 0; k < q.size(); ++k) {
        moved[k] -= slope[k] > 0.0 ? width : slope[k] < 0.0 ? -width : 0.0;
      }
      const double d = distance(moved, candidate.t, candidate.pair);
      if (d <= 0.0) return true;
      if (d >= least) break;
      least = d;
      q = moved;
    }
    for (int k = 0; k < q.size(); ++k) {
      for (double end : {-width, width}) {
        VecX moved = q;
        moved[k] = middle[k] + end;
        const double d = distance(moved, candidate.t, candidate.pair);
        if (d <= 0.0) return true;
        if (d >= least) continue;
        least = d;
        q = moved;
      }
    }
    return false;
  }

  const Problem& problem_;
  const Trajectory& trajectory_;
  Bodies& bodies_;
  double best_ = 0.0;
};

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Figures {
  std::vector<double> width, gap, gap_exact, seconds;
  long contacts = 0, invalid = 0;
};

/// Widest tube first allowed in an attack, in proven widths.
constexpr double kMostGap = 100.0;

void measure(const Problem& problem, const Plan& plan, int trajectories, Figures* figures) {
  CertificateOptions options;
  options.cover.widest_tube = true;
  const auto start = std::chrono::steady_clock::now();
  const Certificate certificate = certify(problem, *plan.trajectory, options);
  figures->seconds.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (!certificate.tube || !verifyCertificate(problem, certificate).valid) {
    ++figures->invalid;
    return;
  }
  const double width = certificate.tube->joints_to_contact;
  Bodies proven(problem, certificate, false), exact(problem, certificate, true);
  const long contacts = contactsAtRandom(problem, *plan.trajectory, width, trajectories, proven);
  const double most = kMostGap * width;
  const double gap = Attack(problem, *plan.trajectory, proven).leastWidth(most) / width;
  const double gap_exact = Attack(problem, *plan.trajectory, exact).leastWidth(most) / width;
  figures->width.push_back(width);
  figures->gap.push_back(gap);
  figures->gap_exact.push_back(gap_exact);
  figures->contacts += contacts;
  std::printf("%-36s %9.3f %9.3f %8ld %8.2f %8.2f\n", problem.name.c_str(), 1e3 * width,
              1e3 * certificate.tube->joints_to_margin, contacts, gap, gap_exact);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  bench::Report report(argc, argv);
  int plans = 50, trajectories = 10000;
  std::string json;
  CLI::App app("the proven tube against random and against adverse motions");
  app.add_option("--plans", plans, "how many, over all sets");
  app.add_option("--trajectories", trajectories, "random ones of each plan");
  app.add_option("--json", json, "write the figures to this file");
  CLI11_PARSE(app, argc, argv);
  const char* folder = std::getenv("ALLCLEAR_DATA");
  const std::filesystem::path data = folder != nullptr ? folder : "../shared/data";
  const std::vector<std::string> sets{"panda/table_pick",    "panda/box",
                                      "panda/table_bars",    "panda/bookshelf_small",
                                      "ur5/table_pick",      "ur5/box",
                                      "ur5/bookshelf_small", "fetch/table_pick",
                                      "fetch/box",           "fetch/bookshelf_small"};
  std::printf("%-36s %9s %9s %8s %8s %8s\n", "plan", "tube*", "margin*", "contacts", "gap**",
              "gap***");
  Figures figures;
  const int per_set = std::max(1, plans / static_cast<int>(sets.size()));
  for (const std::string& name : sets) {
    const ProblemSet set = ProblemSet::load(data / "problems" / (name + ".json"));
    int found = 0;
    for (int i = 0; i < set.count() && found < per_set; ++i) {
      Problem problem = set.problem(i);
      problem.name = name + " " + std::to_string(i);
      PlanOptions options;
      options.threads = 1;
      const Plan plan = allclear::plan(problem, options);
      if (plan.status != PlanStatus::kCertified) continue;
      measure(problem, plan, trajectories, &figures);
      ++found;
    }
  }
  std::printf(
      "* mrad (slides: mm): no contact, and the margins kept\n"
      "** smallest tube found with a contact, in proven ones, between the solids of the "
      "certificate; *** between exact meshes\n"
      "%zu plans, %ld not proven, %ld contacts; tube %.3f mrad, gap %.2f, between exact meshes "
      "%.2f, certified in %.3f s (medians)\n",
      figures.width.size(), figures.invalid, figures.contacts, 1e3 * median(figures.width),
      median(figures.gap), median(figures.gap_exact), median(figures.seconds));
  report.figure("plans", static_cast<double>(figures.width.size()));
  report.figure("contacts", static_cast<double>(figures.contacts));
  report.figure("tube_mrad_p50", 1e3 * median(figures.width));
  report.figure("gap_p50", median(figures.gap));
  report.figure("gap_exact_p50", median(figures.gap_exact));
  report.figure("certify_s_p50", median(figures.seconds));
  return figures.contacts == 0 && figures.invalid == 0 ? 0 : 1;
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) { return allclear::run(argc, argv); }
