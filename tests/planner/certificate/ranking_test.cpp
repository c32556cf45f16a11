// The pairs nearest to their margins: against the distances of all pairs at many instants, by the
// same solids; and forged rankings are refused.
#include "allclear/planner/certificate/ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/ranking_check.h"
#include "allclear/planner/certificate/refutation.h"
#include "allclear/planner/certificate/statements.h"
#include "planner/certificate/certificate_fixture.h"
#include "support/long_run.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

const char* const kAcross = "{lift: 0.2, shoulder: 1.2, elbow: -0.4, wrist: 0.5}";

using Name = std::pair<std::string, std::string>;

/// The least slack of each pair that moves, at many instants: above the true one.
std::map<Name, double> sampledSlacks(const Problem& problem, const Trajectory& trajectory) {
  constexpr int kInstants = 800;
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  std::map<Name, double> slacks;
  for (int i = 0; i <= kInstants; ++i) {
    const double t = trajectory.duration() * i / kInstants;
    const VecX q = problem.configuration(trajectory.value(t));
    for (const PairDistance& pair : pairDistances(problem, geometry, q, t)) {
      if (pair.fixed) continue;
      const double slack = pair.distance - pair.margin;
      const auto [entry, is_new] = slacks.try_emplace({pair.a, pair.b}, slack);
      if (!is_new) entry->second = std::min(entry->second, slack);
    }
  }
  return slacks;
}

Problem randomProblem(Random& random) {
  std::string objects;
  for (int i = 0; i < 3; ++i) {
    const double angle = random.uniform(-0.5, 2.0), radius = random.uniform(0.6, 1.2);
    objects +=
        (i == 0 ? "" : ", ") +
        boxAt("box" + std::to_string(i), Vec3::Constant(random.logUniform(0.02, 0.2)),
              {radius * std::cos(angle), radius * std::sin(angle), random.uniform(0.3, 1.0)});
  }
  const std::string margins =
      random.chance(0.5) ? "collision: {pair_margins: {box0: 0.02, hand: {box1: 0.05}}}\n" : "";
  return loadText(armTask(kAcross, boxScene(objects) + margins));
}

TEST(Ranking, HoldsAgainstTheDistancesOfAllPairsAtManyInstants) {
  const int count = test::isLong() ? 400 : 25;
  int clear = 0;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(4400u + static_cast<unsigned>(seed));
    const Problem problem = randomProblem(random);
    const Trajectory trajectory = splineOf(problem, 4.0, random, 0.2);
    const Certificate certificate = certify(problem, trajectory);
    if (!certificate.clear) continue;
    ++clear;
    ASSERT_EQ(certificate.closest_pairs.size(), kRankedPairs);
    std::map<Name, double> sampled = sampledSlacks(problem, trajectory);
    EXPECT_EQ(bodyPairCount(certificate), sampled.size());
    double before = -1.0;
    for (const RankedPair& pair : certificate.closest_pairs) {
      const auto found = sampled.find({pair.a, pair.b});
      ASSERT_NE(found, sampled.end()) << pair.a << " " << pair.b << ": no pair, or listed twice";
      EXPECT_GE(found->second, pair.slack() - 1e-9) << pair.a << " " << pair.b;
      EXPECT_GE(pair.slack(), before) << "not in order";
      // Tight: to the tolerance, or to a tenth of the slack.
      const double width =
          std::max(problem.collision.tolerance, 0.1 * (pair.distance.upper - pair.margin));
      EXPECT_LE(pair.distance.length(), width + 1e-9) << pair.a << " " << pair.b;
      before = pair.slack();
      sampled.erase(found);
    }
    for (const auto& [name, slack] : sampled) {
      EXPECT_GE(slack, before - 1e-9) << name.first << " " << name.second << " is missing";
    }
    const CertificateVerdict verdict = verifyCertificate(problem, certificate);
    EXPECT_TRUE(verdict.valid) << verdict.message;
  }
  EXPECT_GE(clear, count / 5);
}

class ForgedRanking : public testing::Test {
 protected:
  ForgedRanking() {
    Random random(1);
    problem_ =
        loadText(armTask(kAcross, boxScene(boxAt("post", {0.1, 0.1, 0.5}, {0.9, -0.8, 0.5}))));
    certificate_ = certify(problem_, splineOf(problem_, 4.0, random, 0.0));
  }
  /// The sentence is made anew, so that the numbers are what is refused.
  void expectRefused(const std::string& why) {
    certificate_->message = verdictOf(problem_, *certificate_);
    const CertificateVerdict verdict = verifyCertificate(problem_, *certificate_);
    EXPECT_FALSE(verdict.valid);
    EXPECT_NE(verdict.message.find(why), std::string::npos) << verdict.message;
  }
  std::vector<RankedPair>& pairs() { return certificate_->closest_pairs; }

  Problem problem_;
  std::optional<Certificate> certificate_;
};

TEST_F(ForgedRanking, IsSeen) {
  ASSERT_TRUE(certificate_->clear) << certificate_->message;
  ASSERT_TRUE(verifyCertificate(problem_, *certificate_).valid);
  const Certificate honest = *certificate_;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  pairs().erase(pairs().begin());
  expectRefused("missing among the nearest pairs");
  *certificate_ = honest;
  pairs().clear();
  expectRefused("not as many nearest pairs");
  *certificate_ = honest;
  std::swap(pairs()[0], pairs()[1]);
  expectRefused("not in their order");
  *certificate_ = honest;
  pairs()[1] = pairs()[0];
  expectRefused("come twice");
  *certificate_ = honest;
  pairs()[0].a = "nobody";
  expectRefused("or are no pair");
  *certificate_ = honest;
  for (RankedPair& pair : pairs()) pair.distance.lower += 1e-3, pair.distance.upper += 1e-3;
  expectRefused("not proven by the cells");
  *certificate_ = honest;
  pairs()[0].distance.upper = pairs()[0].distance.lower;
  pairs()[0].t = 0.0;
  expectRefused("is not met at the instant");
  *certificate_ = honest;
  for (RankedPair& pair : pairs()) pair.margin *= 0.5;
  expectRefused("");
  for (const auto& number :
       std::vector<std::function<double&()>>{[&]() -> double& { return pairs()[0].distance.lower; },
                                             [&]() -> double& { return pairs()[0].distance.upper; },
                                             [&]() -> double& { return pairs()[0].margin; },
                                             [&]() -> double& { return pairs()[0].t; }}) {
    *certificate_ = honest;
    number() = nan;
    expectRefused("");
  }
}

TEST_F(ForgedRanking, TheVerdictNamesTheFirstOnce) {
  const RankedPair& first = certificate_->closest_pairs.front();
  const std::string name = "'" + first.a + "' and '" + first.b + "'";
  const std::size_t at = certificate_->message.find(name);
  ASSERT_NE(at, std::string::npos) << certificate_->message;
  EXPECT_EQ(certificate_->message.find(name, at + 1), std::string::npos) << certificate_->message;
}

TEST(Faults, NameTwoBodiesOnceHoweverManyPiecesMeet) {
  Random random(3);
  const Problem problem =
      loadText(armTask(kAcross, boxScene(boxAt("wall", {0.02, 1.0, 1.0}, {0.6, 0.5, 0.6})) +
                                    "limits: {torque: true}\n"));
  const Certificate certificate = certify(problem, splineOf(problem, 4.0, random, 0.0));
  ASSERT_FALSE(certificate.clear);
  std::set<std::string> names;
  for (const std::string& fault : certificate.faults) {
    if (fault.find("' and '") == std::string::npos) continue;
    EXPECT_TRUE(names.insert(fault.substr(0, fault.find("' ", fault.find("' and '") + 6))).second)
        << fault;
  }
  EXPECT_GE(names.size(), 1u);
}

TEST_F(ForgedRanking, IsRefutedByItsOwnCheck) {
  const CertifiedGeometry geometry = certifiedGeometry(problem_);
  CertifiedMotion motion(problem_, geometry, certificate_->trajectory.trajectory,
                         certifiedPoseTolerance(problem_));
  EXPECT_NO_THROW(checkRanking(geometry, *certificate_, motion));
  pairs().front().distance.lower += 0.5;
  EXPECT_THROW(checkRanking(geometry, *certificate_, motion), Refutation);
}

}  // namespace
}  // namespace allclear
