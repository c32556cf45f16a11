// Planning problems whose first guess is in collision: a Panda's straight line through a mesh
// obstacle, refined as it is (no search), with the Euclidean distance and with the smooth one. Says
// how many come out clear, how many of these are certified, and in how many iterations.
//   bench_collision_starts [--count N] [--seed S] [--modes euclidean,auto,soft] [--deep M]
//                          [--iterations N] [--pieces] [--verbose] [--json F]
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <sstream>

#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/search/refinement.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "allclear/planner/timing.h"
#include "allclear/robot_models/files/mesh_file.h"
#include "bench/support/bench_report.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  int count = 50;
  unsigned seed = 1;
  std::string modes = "euclidean,auto";
  bool verbose = false;
  int iterations = 60;  ///< as many as the planner gives a straight line
  double deep = 0.1;    ///< of the straight line at its worst [m]
  bool pieces = false;  ///< meshes by their pieces in all pairs; else by hulls
  std::string json;     ///< read by the report
};

void addOptions(CLI::App* app, Arguments* out) {
  app->add_option("--count", out->count, "problems");
  app->add_option("--seed", out->seed, "of the problems");
  app->add_option("--modes", out->modes, "distances to compare");
  app->add_option("--iterations", out->iterations, "of the refinement");
  app->add_option("--deep", out->deep, "least depth of the straight line [m]");
  app->add_flag("--pieces", out->pieces, "meshes by their pieces in all pairs");
  app->add_flag("--verbose", out->verbose, "a line per problem");
  app->add_option("--json", out->json, "write the figures to this file");
}

fs::path dataFolder() {
  const char* data = std::getenv("ALLCLEAR_DATA");
  return data ? fs::path(data) : fs::path("../shared/data");
}

DistanceMode modeNamed(const std::string& name) {
  if (name == "euclidean") return DistanceMode::kEuclidean;
  return name == "soft" ? DistanceMode::kSoft : DistanceMode::kAuto;
}

class Problems {
 public:
  explicit Problems(const Arguments& arguments)
      : arguments_(arguments),
        random_(arguments.seed),
        set_(ProblemSet::load(dataFolder() / "problems" / "panda" / "box.json")) {
    for (const char* name : {"koala", "hammer", "torus", "wingnut"}) {
      const TriangleMesh mesh =
          loadMesh(dataFolder() / "meshes" / name / (std::string(name) + ".obj"));
      for (const double size : {0.3, 0.45, 0.6}) {
        meshes_.push_back(scaled(mesh, size));
        names_.push_back(name);
      }
    }
  }

  /// A start and a goal that are clear, and between them a mesh right in the hand's or the
  /// forearm's way.
  Problem next() {
    for (;;) {
      Problem problem = set_.problem(0);
      problem.obstacles.clear();
      const PlannedLimits limits = plannedLimits(problem);
      const auto draw = [&] {
        VecX q(problem.plannedCount());
        for (int j = 0; j < q.size(); ++j) {
          const double middle = 0.5 * (limits.lower[j] + limits.upper[j]);
          const double half = 0.5 * (limits.upper[j] - limits.lower[j]);
          q[j] = middle + 0.8 * half * uniform(-1.0, 1.0);
        }
        return q;
      };
      const VecX start = draw();
      VecX goal = draw();
      goal = start + std::min(1.0, 2.0 / (goal - start).norm()) * (goal - start);
      problem.start = problem.configuration(start);
      problem.goal = JointTarget{problem.planned, goal};
      const char* link = uniform(0.0, 1.0) < 0.5 ? "panda_hand" : "panda_link5";
      const Vec3 way = linkPoses(problem, 0.5 * (start + goal))[problem.robot->findLink(link)].p;
      const std::size_t which = random_() % meshes_.size();
      problem.obstacles.push_back(obstacle(which, way));
      problem.name = names_[which];
      if (isFair(problem, start, goal)) return problem;
    }
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  std::vector<Pose> linkPoses(const Problem& problem, const VecX& q) {
    const Kinematics kinematics(*problem.robot);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> poses;
    kinematics.linkPoses(problem.configuration(q), workspace, poses);
    return poses;
  }

  /// Centred; `size` is the diameter of a ball about it.
  static TriangleMesh scaled(const TriangleMesh& mesh, double size) {
    const Ball ball = ballAbout(mesh.vertices());
    std::vector<Vec3> points = mesh.vertices();
    for (Vec3& p : points) p = 0.5 * size / ball.radius * (p - ball.center);
    return {std::move(points), mesh.triangles()};
  }

  Obstacle obstacle(std::size_t which, const Vec3& at) {
    Obstacle out;
    out.id = names_[which];
    out.geometry = {{meshes_[which], Pose()}};  // shared, with what is made of it
    const auto normal = [&] { return std::normal_distribution<double>()(random_); };
    out.X_WO.R =
        Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized().toRotationMatrix();
    out.X_WO.p = at + 0.03 * Vec3(normal(), normal(), normal());
    return out;
  }

  /// Start and goal have room, the way between them is deep in contact, with the mesh.
  bool isFair(const Problem& problem, const VecX& start, const VecX& goal) const {
    const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
    ClearanceEvaluator::Workspace workspace(evaluator);
    const auto excess = [&](const VecX& q, bool* with_mesh) {
      const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
      const CollisionPair& pair = evaluator.model().pairs[worst.pair];
      *with_mesh = evaluator.model().bodies[pair.b].obstacle >= 0;
      return worst.lower - pair.margin;
    };
    bool with_mesh = false;
    if (excess(start, &with_mesh) < 0.02 || excess(goal, &with_mesh) < 0.02) return false;
    double deepest = 0.0;
    for (int i = 1; i < 20; ++i) {
      const double here = excess(start + i / 20.0 * (goal - start), &with_mesh);
      if (here < 0.0 && !with_mesh) return false;  // the robot with itself
      deepest = std::min(deepest, here);
    }
    return deepest < -arguments_.deep;
  }

  const Arguments& arguments_;
  std::mt19937 random_;
  ProblemSet set_;
  std::vector<TriangleMesh> meshes_;
  std::vector<std::string> names_;
};

struct Score {
  int clear = 0, certified = 0;
  std::vector<int> iterations;  ///< of all
  std::vector<double> seconds;
  std::vector<double> costs;
  std::vector<bool> solved;
};

void solve(Problem problem, const std::string& mode, const Arguments& arguments, Score* score) {
  problem.collision.distance = modeNamed(mode);
  const ClearanceEvaluator evaluator(
      problem, arguments.pieces ? FidelityPolicy::kEverywhere : FidelityPolicy::kHulls);
  const auto start = std::chrono::steady_clock::now();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const auto seed = makeSeed(evaluator, goal, 0);
  const BSpline guess = seed->curve.withDuration(feasibleDuration(problem, seed->curve));
  RefinementOptions options;
  options.iterations = arguments.iterations;
  RunContext context;
  context.progress = [&](const PlanProgress& p) {
    if (!arguments.verbose) return;
    std::printf("    %2d %3d %9.4f %9.2e %s\n", p.round, p.iteration, p.cost, p.infeasibility,
                p.worst.c_str());
  };
  const Refinement result = refine(evaluator, guess, context, options);
  const bool certified = result.clear && certify(problem, result.curve).clear;
  score->clear += result.clear;
  score->certified += certified;
  score->solved.push_back(certified);
  score->iterations.push_back(result.iterations);
  score->costs.push_back(result.cost);
  score->seconds.push_back(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  std::printf(
      "  %-10s %-9s %3d iterations %2d rounds cost %6.3f left %.4f m %.2f s\n", mode.c_str(),
      certified      ? "certified"
      : result.clear ? "clear"
                     : "-",
      result.iterations, result.rounds, result.cost, result.violation, score->seconds.back());
  std::fflush(stdout);
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (double v : values) sum += v;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  using namespace allclear;
  bench::Report report(argc, argv);
  Arguments arguments;
  CLI::App app("plans from straight lines through mesh obstacles");
  addOptions(&app, &arguments);
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> modes;
  std::stringstream list(arguments.modes);
  for (std::string mode; std::getline(list, mode, ',');) modes.push_back(mode);
  Problems problems(arguments);
  std::vector<Score> scores(modes.size());
  for (int i = 0; i < arguments.count; ++i) {
    const Problem problem = problems.next();
    std::printf("%d %s\n", i, problem.name.c_str());
    for (std::size_t m = 0; m < modes.size(); ++m) solve(problem, modes[m], arguments, &scores[m]);
  }
  std::printf("%-12s %6s %10s %12s %16s %16s %18s %8s\n", "distance", "clear", "certified",
              "iterations", "when certified", "when all are", "cost when all are", "mean s");
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const Score& score = scores[m];
    std::vector<double> all, solved, by_all, costs;
    for (std::size_t i = 0; i < score.solved.size(); ++i) {
      all.push_back(score.iterations[i]);
      if (score.solved[i]) solved.push_back(score.iterations[i]);
      if (std::all_of(scores.begin(), scores.end(), [&](const Score& s) { return s.solved[i]; })) {
        by_all.push_back(score.iterations[i]);
        costs.push_back(score.costs[i]);
      }
    }
    std::printf("%-12s %6d %10d %12.1f %16.1f %16.1f %18.3f %8.2f\n", modes[m].c_str(), score.clear,
                score.certified, mean(all), mean(solved), mean(by_all), mean(costs),
                mean(score.seconds));
    report.figure(modes[m] + ".clear", score.clear);
    report.figure(modes[m] + ".certified", score.certified);
    report.figure(modes[m] + ".iterations", mean(all));
    report.figure(modes[m] + ".iterations_where_certified", mean(solved));
    report.figure(modes[m] + ".iterations_where_all_certified", mean(by_all));
    report.figure(modes[m] + ".cost_where_all_certified", mean(costs));
    report.figure(modes[m] + ".mean_s", mean(score.seconds));
  }
  report.figure("problems", arguments.count);
  return 0;
}
