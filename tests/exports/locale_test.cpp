// Files and messages in a host program whose locale has decimal commas: the same to the byte.
#include <gtest/gtest.h>

#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/planner.h"
#include "support/comma_locale.h"
#include "support/data.h"

namespace allclear {
namespace {

/// All that a run over the shelf gives: files, message, assumptions, faults of a narrow margin.
std::vector<std::string> runOverShelf() {
  const auto shelf = test::testFolder().parent_path() / "examples/shelf/task.yaml";
  Task task = loadTask(shelf);
  task.options.improve = Improve::kNone;
  task.options.time_limit = 60.0;
  const Plan plan = allclear::plan(task.problem, task.options);
  EXPECT_EQ(plan.status, PlanStatus::kCertified);
  OutputSettings output;
  output.csv = "trajectory.csv";
  output.trajectory = "trajectory.json";
  output.certificate = "certificate.json";
  output.proof = "plan.proof";
  output.ros2 = "ros2.yaml";
  std::vector<std::string> out{plan.certificate->message};
  const test::TemporaryFolder folder;
  for (const auto& [path, text] : formatOutputFiles(output, folder.path(), task.problem,
                                                    *plan.trajectory, &*plan.certificate, &out)) {
    out.push_back(text);
    if (path.extension() != ".csv" && path.filename() != "trajectory.json") continue;
    writeFileAtomically(path, text);
    EXPECT_TRUE(
        isSameTrajectory(readTrajectoryFile(path, task.problem), plan.certificate->trajectory));
  }
  for (const Assumption& assumption : plan.certificate->assumptions) out.push_back(assumption.text);
  task.problem.collision.margin = 0.05;
  for (const std::string& fault : certify(task.problem, *plan.trajectory).faults) {
    out.push_back(fault);
  }
  return out;
}

TEST(Locale, WithDecimalCommasChangesNoFileAndNoMessage) {
  const std::vector<std::string> expected = runOverShelf();
  ASSERT_GT(expected.size(), 7u);
  const test::CommaLocale commas;
  const std::vector<std::string> found = runOverShelf();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], expected[i]) << i;
  if (!commas.hasC()) GTEST_SKIP() << "no locale with commas, and no localedef: streams alone";
}

}  // namespace
}  // namespace allclear
