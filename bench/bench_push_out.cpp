// How often, and in how many iterations, Ipopt pushes a free body out of another one: least
// displacement, signed distance of at least a margin, 20 starts for each of five meshes and four
// pairs of ellipsoids, with each signed distance and its own gradient.
//   bench_push_out [--starts N] [--iterations N] [--softness S] [--methods soft,dual_phong,..]
//                  [--pairs cup,..] [--json F]
#include <chrono>
#include <string>

#include "bench/support/bench_report.h"
#include "support/push_out.h"

int main(int argc, char** argv) {
  using namespace allclear;
  bench::Report report(argc, argv);
  int starts = 20, iterations = 300;
  double softness = 0.01;
  std::string methods = "soft,dual_phong,gauge,euclidean", pairs;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string word = argv[i], value = argv[i + 1];
    if (word == "--starts") starts = std::stoi(value);
    if (word == "--iterations") iterations = std::stoi(value);
    if (word == "--softness") softness = std::stod(value);
    if (word == "--methods") methods = value;
    if (word == "--pairs") pairs = value;
  }
  std::printf("%-12s %-12s %10s %12s %12s %10s\n", "body", "distance", "converged", "iterations",
              "queries", "seconds");
  std::vector<test::PushOutPair> bodies = test::pushOutPairs();
  const std::size_t meshes = bodies.size();
  for (const test::PushOutPair& pair : test::ellipsoidPushOutPairs()) bodies.push_back(pair);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const test::PushOutPair& pair = bodies[b];
    if (!pairs.empty() && pairs.find(pair.name) == std::string::npos) continue;
    for (const SmoothMethod method : {SmoothMethod::kSoft, SmoothMethod::kDualPhong,
                                      SmoothMethod::kGauge, SmoothMethod::kEuclidean}) {
      const SmoothMethod others = b < meshes ? SmoothMethod::kGauge : SmoothMethod::kDualPhong;
      if (method == others) continue;  // those of the other kind of bodies
      const std::string name = smoothMethodName(method);
      if (methods.find(name) == std::string::npos) continue;
      SmoothOptions options;
      options.method = method;
      options.softness = softness;
      const auto start = std::chrono::steady_clock::now();
      const test::PushOutScore score = test::pushOut(pair, options, starts, 1, iterations);
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      std::printf("%-12s %-12s %5d / %2d %12.1f %12.1f %10.2f\n", pair.name.c_str(), name.c_str(),
                  score.converged, score.starts, score.iterations, score.queries, seconds);
      std::fflush(stdout);
      report.figure(pair.name + "." + name + ".converged", score.converged);
      report.figure(pair.name + "." + name + ".starts", score.starts);
      report.figure(pair.name + "." + name + ".iterations", score.iterations);
    }
  }
  return 0;
}
