// Self-contact of cloth: pairs of triangles left, time of culling and with the tests of features,
// and contacts missed, per step, for no culling of patches, the cones of Tang and of the thesis
// (both unsound: support/normal_cones.h) and the certified patches of distance/deform, in one run
// on the same tree. Then contacts missed in random trials, and the thesis's own tables.
//
// Options: --scene NAME (or none), --frames N, --detail X (1: 28,320 triangles), --trials N, --json
// FILE.

#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "allclear/distance/deform/patch_cull.h"
#include "allclear/distance/self_contact.h"
#include "bench/support/bench_report.h"
#include "bench/support/cloth_scenes.h"
#include "bench/support/normal_cones.h"
#include "distance/deform/bending_meshes.h"

namespace allclear::bench {
namespace {

using deform::PatchCull;

/// CPU time of this thread [ms]: other work on the machine counts less than by the wall clock.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

constexpr int kRounds = 3;  ///< the least time of so many counts

struct Method {
  const char* name;
  const char* key;
  int trees = 0;                      ///< of ours
  const ConeMethod* cones = nullptr;  ///< instead of ours
  bool tries_full = false;
  double pairs = 0.0, cull = 0.0, total = 0.0;
  long missed = 0;
};

constexpr ConeMethod kTang = ConeMethod::kTang, kLee = ConeMethod::kLee;

std::vector<Method> methods() {
  return {{"no patches", "none"},
          {"Tang 2009 (unsound)", "tang", 0, &kTang},
          {"thesis 2020 (unsound)", "thesis", 0, &kLee},
          {"ours: star", "star", 1},
          {"ours: star or full", "full", 1, nullptr, true},
          {"ours: + second tree", "two_trees", 2, nullptr, true},
          {"ours: + third tree", "three_trees", 3, nullptr, true}};
}

void cull(const Method& method, const MeshStep& step, const deform::BendingMesh& mesh,
          std::vector<NormalCone>* cones, PatchCull* out) {
  if (!method.cones) {
    out->run(step, mesh, method.trees, {.tries_full = method.tries_full});
    return;
  }
  deform::fillBoxes(step, mesh.trees[0], 0.0, &out->boxes);
  fillCones(step, mesh.trees[0], *method.cones, cones);
  out->certified = {skippedNodes(mesh.trees[0], *cones), {}};
  deform::pairsWithin(mesh.trees[0], out->boxes, out->certified, &out->pairs);
}

/// Clear contacts among candidates, by the roots of the cubic.
std::vector<std::array<int, 6>> contactsOf(const MeshStep& step,
                                           const std::vector<deform::FeaturePair>& pairs) {
  std::vector<std::array<int, 6>> found;
  const auto &P = step.start, &Q = step.end;
  const auto at = [&](int v, double t) -> Vec3 { return (1 - t) * P[v] + t * Q[v]; };
  for (const deform::FeaturePair& pair : pairs) {
    const bool is_face = pair.count_a == 1;
    const int a = pair.a[0], b = is_face ? pair.b[0] : pair.a[1];
    const int c = is_face ? pair.b[1] : pair.b[0], d = is_face ? pair.b[2] : pair.b[1];
    for (double t : test::coplanarTimes({P[a], P[b], P[c], P[d]}, {Q[a], Q[b], Q[c], Q[d]})) {
      const bool touches = is_face ? test::isClearlyWithin(at(a, t), at(b, t), at(c, t), at(d, t))
                                   : test::clearlyCross(at(a, t), at(b, t), at(c, t), at(d, t));
      if (!touches) continue;
      found.push_back(test::keyOf(pair.a, pair.b));
      break;
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void printRow(const Method& m, double steps) {
  std::printf("  %-24s %9.0f pairs  cull %7.2f ms  with features %8.2f ms  missed %ld\n", m.name,
              m.pairs / steps, m.cull / steps, m.total / steps, m.missed);
}

/// Ratios that the design sets as bars, and all rows.
void reportScene(const std::string& scene, const std::vector<Method>& rows, double steps,
                 Report* report) {
  for (const Method& m : rows) {
    printRow(m, steps);
    const std::string key = scene + "/" + m.key;
    report->figure(key + "/pairs", m.pairs / steps);
    report->figure(key + "/cull_ms", m.cull / steps);
    report->figure(key + "/total_ms", m.total / steps);
    report->figure(key + "/missed", static_cast<double>(m.missed));
  }
  const Method &tang = rows[1], &thesis = rows[2];
  for (std::size_t i = 3; i < rows.size(); ++i) {
    const Method& m = rows[i];
    std::printf("  %-24s of the thesis: pairs %.2f, cull %.2f, total %.2f; of Tang: cull %.2f\n",
                m.name, m.pairs / thesis.pairs, m.cull / thesis.cull, m.total / thesis.total,
                m.cull / tang.cull);
  }
}

/// The whole proof that a step is free (two trees, every pair of features decided) [ms].
struct Proofs {
  int free = 0, tried = 0;
  double time = 0.0;

  void add(const SelfContactSearch& search, const MeshStep& step) {
    const double start = now();
    const SelfContact found = search.step(step.start, step.end, true);
    ++tried;
    if (found.verdict != ContactVerdict::kFree) return;
    ++free;
    time += now() - start;
  }
};

void runScene(const std::string& name, double detail, int frames, Report* report) {
  const ClothScene scene = clothScene(name, detail, frames);
  const deform::BendingMesh mesh(scene.triangles, scene.keyframes[0], 3);
  const SelfContactSearch search(scene.triangles, scene.keyframes[0]);
  Proofs proofs;
  std::vector<Method> rows = methods();
  std::vector<NormalCone> cones;
  std::vector<PatchCull> culls(rows.size());
  std::vector<deform::FeaturePair> pairs;
  long contacts = 0;
  const std::size_t steps = scene.keyframes.size() - 1;
  for (std::size_t k = 0; k < steps; ++k) {
    const MeshStep step{mesh.triangles, scene.keyframes[k], scene.keyframes[k + 1]};
    std::vector<std::array<int, 6>> truth;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double least_cull = HUGE_VAL, least_total = HUGE_VAL;
      std::vector<std::array<int, 6>> found;
      for (int round = 0; round < (i == 0 ? 1 : kRounds); ++round) {
        const double start = now();
        cull(rows[i], step, mesh, &cones, &culls[i]);
        const double culled = now();
        const deform::FeatureSide side{step, mesh.owned, culls[i].boxes};
        deform::candidates(side, side, culls[i].pairs, &pairs);
        found = contactsOf(step, pairs);
        least_cull = std::min(least_cull, culled - start);
        least_total = std::min(least_total, now() - start);
      }
      rows[i].pairs += static_cast<double>(culls[i].pairs.size());
      rows[i].cull += least_cull;
      rows[i].total += least_total;
      if (i == 0) {
        truth = found;
        contacts += static_cast<long>(truth.size());
      }
      std::vector<std::array<int, 6>> missed;
      std::set_difference(truth.begin(), truth.end(), found.begin(), found.end(),
                          std::back_inserter(missed));
      rows[i].missed += static_cast<long>(missed.size());
    }
    if (truth.empty()) proofs.add(search, step);
  }
  std::fflush(stdout);
  std::printf("%s: %zu triangles, %zu steps, %ld contacts; per step:\n", name.c_str(),
              scene.triangles.size(), steps, contacts);
  report->figure(name + "/contacts", static_cast<double>(contacts));
  reportScene(name, rows, static_cast<double>(steps), report);
  if (proofs.free > 0) {
    std::printf("  proved free: %d of %d steps without clear contacts, %.2f ms each\n", proofs.free,
                proofs.tried, proofs.time / proofs.free);
    report->figure(name + "/proof_ms", proofs.time / proofs.free);
  }
}

/// Trials of random meshes with contacts, and in how many of them a method misses one.
void runTrials(int trials, Report* report) {
  std::printf("\nrandom meshes: trials in which contacts are missed, of those with contacts\n");
  for (const auto& family : test::kBendingFamilies) {
    test::Random draw(7);
    std::vector<Method> rows = methods();
    int with_contact = 0;
    for (int i = 0; i < trials; ++i) {
      const test::BendingSample sample = family.draw(draw);
      const MeshStep step = sample.step();
      const std::vector<test::OracleContact> truth = test::oracleContacts(step);
      if (truth.empty()) continue;
      ++with_contact;
      const deform::BendingMesh mesh(sample.triangles, sample.start, 3);
      for (Method& method : rows) {
        std::vector<NormalCone> cones;
        PatchCull out;
        cull(method, step, mesh, &cones, &out);
        std::vector<deform::FeaturePair> pairs;
        const deform::FeatureSide side{step, mesh.owned, out.boxes};
        deform::candidates(side, side, out.pairs, &pairs);
        std::set<std::array<int, 6>> kept;
        for (const auto& pair : pairs) kept.insert(test::keyOf(pair.a, pair.b));
        method.missed += std::any_of(truth.begin(), truth.end(), [&](const auto& contact) {
          return !kept.contains(test::keyOf(contact.a, contact.b));
        });
      }
    }
    std::printf("  %-18s (%d)", family.name, with_contact);
    for (const Method& m : rows) {
      std::printf("  %s %ld", m.key, m.missed);
      report->figure(std::string("trials/") + family.name + "/" + m.key,
                     static_cast<double>(m.missed));
    }
    std::printf("\n");
  }
}

/// Tables 5-1 to 5-5 of the thesis (i7-980, 3.33 GHz): pairs, construction, traversal [ms], of Tang
/// and of the thesis.
void printThesis() {
  struct Row {
    const char* scene;
    int triangles;
    double tang[3], thesis[3];
  };
  const Row rows[] = {{"one-piece", 20849, {41213, 9.27, 24.41}, {28832, 11.94, 18.39}},
                      {"pleated skirt", 25897, {83543, 6.99, 39.86}, {58137, 8.70, 30.07}},
                      {"blouse", 9952, {22173, 2.67, 11.48}, {16782, 3.42, 9.42}},
                      {"coat", 18713, {35938, 5.01, 16.91}, {27862, 6.34, 13.61}},
                      {"hung cloth", 28802, {11261, 7.72, 6.72}, {1367, 10.30, 2.28}}};
  std::printf("\nthe thesis's tables: pairs, construction + traversal = total [ms]\n");
  for (const Row& r : rows) {
    std::printf(
        "  %-14s %6d triangles  Tang %6.0f  %5.2f + %5.2f = %5.2f  thesis %6.0f  %5.2f + "
        "%5.2f = %5.2f\n",
        r.scene, r.triangles, r.tang[0], r.tang[1], r.tang[2], r.tang[1] + r.tang[2], r.thesis[0],
        r.thesis[1], r.thesis[2], r.thesis[1] + r.thesis[2]);
  }
}

int run(int argc, char** argv) {
  Report report(argc, argv);
  std::vector<std::string> scenes{"hung", "flag", "twist", "skirt", "drape"};
  double detail = 1.0;
  int frames = 30, trials = 200;
  for (int i = 1; i + 1 < argc; ++i) {
    if (!std::strcmp(argv[i], "--scene")) scenes = {argv[i + 1]};
    if (!std::strcmp(argv[i], "--frames")) frames = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--detail")) detail = std::atof(argv[i + 1]);
    if (!std::strcmp(argv[i], "--trials")) trials = std::atoi(argv[i + 1]);
  }
  for (const std::string& scene : scenes) {
    if (scene != "none") runScene(scene, detail, frames, &report);
  }
  if (trials > 0) runTrials(trials, &report);
  printThesis();
  return 0;
}

}  // namespace
}  // namespace allclear::bench

int main(int argc, char** argv) { return allclear::bench::run(argc, argv); }
