// Plans with a hose on the arm: what is clear without it is not with it, and the planner mends
// that.
#include <gtest/gtest.h>

#include "allclear/config/task_file.h"
#include "allclear/planner/planner.h"
#include "support/data.h"

namespace allclear {
namespace {

const PlanOptions kPatient{.time_limit = 120.0};

Problem dressPack() {
  return loadTask(test::sourceFolder() / "examples/dress_pack/task.yaml").problem;
}

TEST(CablesPlan, PlanThatIsClearWithoutTheCableIsChangedForIt) {
  const Problem problem = dressPack();
  Problem bare = problem;
  bare.cables.clear();
  const Plan without = plan(bare, kPatient);
  ASSERT_EQ(without.status, PlanStatus::kCertified) << without.message;
  const Certificate with = certify(problem, *without.trajectory);
  EXPECT_FALSE(with.clear);
  EXPECT_NE(with.message.find("cable 'hose': "), std::string::npos) << with.message;
  // All that is wrong with it is the cable.
  for (const std::string& fault : with.faults) EXPECT_EQ(fault.find("cable 'hose'"), 0u) << fault;

  const Plan changed = plan(problem, kPatient);
  ASSERT_EQ(changed.status, PlanStatus::kCertified) << changed.message;
  ASSERT_TRUE(changed.certificate->clear);
  const CertificateVerdict verdict = verifyCertificate(problem, *changed.certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;
}

TEST(CablesPlan, TautStartIsSaidBeforePlanning) {
  Problem problem = dressPack();
  problem.cables[0].reserve = 0.10;  // more than is left at the start
  const Plan taut = plan(problem, kPatient);
  EXPECT_EQ(taut.status, PlanStatus::kNotFound);
  EXPECT_NE(taut.message.find("No plan: at the start, cable 'hose': "), std::string::npos)
      << taut.message;
  EXPECT_NE(taut.message.find(" mm short of its reserve at t = 0 s between link"),
            std::string::npos);
  EXPECT_EQ(taut.statistics.attempts, 0);
}

}  // namespace
}  // namespace allclear
