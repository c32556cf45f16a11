// The proof that a patch is free of contact, and what is left to test, against all pairs of
// features.
#include "allclear/distance/deform/patch_cull.h"

#include <gtest/gtest.h>

#include <set>

#include "distance/deform/bending_meshes.h"
#include "support/long_run.h"

namespace allclear::deform {
namespace {

using test::BendingSample;
using test::kBendingFamilies;
using test::OracleContact;
using test::Random;

struct Missed {
  int trials_with_contact = 0;
  int trials_with_misses = 0;
  long contacts = 0;
  long misses = 0;
};

/// Counts contacts of the oracle that are not among the candidates.
void count(const BendingSample& sample, int trees, const PatchRules& rules, Missed* missed) {
  const MeshStep step = sample.step();
  const std::vector<OracleContact> truth = test::oracleContacts(step);
  const BendingMesh mesh(sample.triangles, sample.start, trees);
  PatchCull cull;
  cull.run(step, mesh, trees, rules);
  const FeatureSide side{step, mesh.owned, cull.boxes};
  std::vector<FeaturePair> pairs;
  candidates(side, side, cull.pairs, &pairs);
  std::set<std::array<int, 6>> kept;
  for (const FeaturePair& pair : pairs) kept.insert(test::keyOf(pair.a, pair.b));
  EXPECT_EQ(kept.size(), pairs.size()) << "a pair of features is tested twice";
  int misses = 0;
  for (const OracleContact& contact : truth)
    misses += !kept.contains(test::keyOf(contact.a, contact.b));
  missed->trials_with_contact += !truth.empty();
  missed->trials_with_misses += misses > 0;
  missed->contacts += static_cast<long>(truth.size());
  missed->misses += misses;
}

/// Over all families; `seed` and counts are fixed.
Missed countAll(int trials, int trees, const PatchRules& rules, std::uint64_t seed) {
  Missed sum;
  for (const auto& family : kBendingFamilies) {
    Random draw(seed);
    Missed here;
    for (int i = 0; i < trials; ++i) count(family.draw(draw), trees, rules, &here);
    std::printf("%-18s %d of %d trials with contact, %d missed some\n", family.name,
                here.trials_with_contact, trials, here.trials_with_misses);
    // Each family is a fair mixture.
    EXPECT_GT(here.trials_with_contact, trials / 10) << family.name;
    sum.trials_with_contact += here.trials_with_contact;
    sum.trials_with_misses += here.trials_with_misses;
    sum.contacts += here.contacts;
    sum.misses += here.misses;
  }
  return sum;
}

// 23,000 trials in the long form: 6 families with 1, 2 and 3 trees.
TEST(PatchCull, MissesNoContactOfRandomMeshes) {
  const int trials = test::isLong() ? 1280 : 60;
  for (int trees = 1; trees <= 3; ++trees) {
    const Missed missed = countAll(trials, trees, {}, 100 + trees);
    EXPECT_EQ(missed.misses, 0) << "of " << missed.contacts << " with " << trees << " trees";
    EXPECT_GT(missed.contacts, trials);
  }
}

TEST(PatchCull, MissesNoContactWithTheStarTestAlone) {
  const Missed missed = countAll(test::isLong() ? 1280 : 60, 1, {.tries_full = false}, 104);
  EXPECT_EQ(missed.misses, 0);
}

TEST(PatchCull, WithoutTheSingleLoopContactsAreMissed) {
  EXPECT_GT(countAll(60, 1, {.needs_loop = false}, 200).misses, 0);
}

TEST(PatchCull, WithoutTheContourContactsAreMissed) {
  EXPECT_GT(countAll(60, 1, {.needs_contour = false}, 201).misses, 0);
}

TEST(PatchCull, WithTheContourAtTheStartAloneContactsAreMissed) {
  Missed missed;
  for (int family : {2, 3}) {  // waves and stars: in the others that is rarer still
    Random draw(202);
    Missed here;
    for (int i = 0; i < 400; ++i) {
      count(kBendingFamilies[family].draw(draw), 1, {.for_all_times = false}, &here);
    }
    missed.misses += here.misses;
  }
  EXPECT_GT(missed.misses, 0);
}

}  // namespace
}  // namespace allclear::deform
