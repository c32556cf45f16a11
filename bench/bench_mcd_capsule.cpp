#include <chrono>
#include <cstdio>
#include <algorithm>

#include "mcd_arm.h"
using namespace allclear;
using namespace allclear::bench;
int main() {
  std::mt19937_64 engine(1);
  Arm arm;
  std::uniform_real_distribution<double> pos(-0.9, 0.9), len(0.05,0.6), rad(0.03,0.12);
  std::vector<std::vector<CapsuleCurve>> obstacles;
  for (int i = 0; i < 12; ++i) {
    Vec3 p(pos(engine), pos(engine), pos(engine) * 0.6 + 0.4);
    if (p.head<2>().norm() < 0.35) { --i; continue; }
    Vec3 d = Vec3::Random().normalized() * len(engine);
    CapsuleAxis axis{p, p + d, rad(engine)};
    BodyCurve still = BodyCurve::still(Pose{}, {0, 1e3});
    std::vector<CapsuleCurve> c(1);
    capsuleCurves({&still, 1}, axis, c);
    obstacles.push_back(c);
  }
  std::vector<std::pair<int,int>> self;
  for (int i = 0; i < 7; ++i) for (int j = i + 2; j < 7; ++j) self.push_back({i, j});
  for (double eps : {1e-3, 1e-4, 1e-6}) {
    using Clock = std::chrono::steady_clock;
    double curve_time = 1e9, pair_time = 1e9; long n = 0, evals = 0, certs = 0; int fk = 0, cells = 0;
    std::mt19937_64 e2(2);
    std::vector<std::vector<ArmSpan>> trajectories;
    for (int i = 0; i < 20; ++i) trajectories.push_back(randomSpans(e2, 4, 0.4, 0.5));
    for (int rep = 0; rep < 10; ++rep) {
      double ct = 0, pt = 0; n = evals = certs = 0; fk = cells = 0;
      ArmCurves curves;
      std::vector<std::vector<CapsuleCurve>> cc(7);
      for (auto& tr : trajectories) for (auto& span : tr) {
        auto t0 = Clock::now();
        armCurves(arm, span, eps / 20, &curves);
        for (int l = 0; l < 7; ++l) { cc[l].resize(curves.cells); capsuleCurves(curves.links[arm.capsules[l].first], arm.capsules[l].second, cc[l]); }
        auto t1 = Clock::now();
        fk += curves.forward_kinematics; cells += curves.cells;
        CapsuleQuery q; q.tolerance = eps;
        for (int l = 0; l < 7; ++l) for (auto& o : obstacles) { auto b = capsuleMinimum(cc[l], o, q); ++n; evals += b.distance_evaluations; certs += b.certificates; }
        for (auto [i, j] : self) { auto b = capsuleMinimum(cc[i], cc[j], q); ++n; evals += b.distance_evaluations; certs += b.certificates; }
        auto t2 = Clock::now();
        ct += std::chrono::duration<double>(t1 - t0).count(); pt += std::chrono::duration<double>(t2 - t1).count();
      }
      curve_time = std::min(curve_time, ct); pair_time = std::min(pair_time, pt);
    }
    std::printf("eps %g: pairs %ld cells/span %.2f fk/pair %.3f curves %.3f us/pair, search %.3f us/pair evals %.2f certs %.2f\n", eps, n, cells / 80.0, double(fk) / n, 1e6 * curve_time / n, 1e6 * pair_time / n, double(evals) / n, double(certs) / n);
  }
}
