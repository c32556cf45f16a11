// The clips of cables in a report.
#include "allclear/exports/report/cables.h"

#include <gtest/gtest.h>

#include "allclear/config/task_file.h"
#include "allclear/planner/problem/cables.h"
#include "support/data.h"

namespace allclear {
namespace {

TEST(ReportCables, HaveTheirClipsAtEveryFrame) {
  const Problem problem = loadTask(test::sourceFolder() / "examples/dress_pack/task.yaml").problem;
  const ReportFrames frames = endFrames(problem);
  const std::vector<ReportCable> cables = reportCables(problem, frames);
  ASSERT_EQ(cables.size(), 2U);
  EXPECT_EQ(cables[0].name, "hose: link2 to link4");
  EXPECT_EQ(cables[1].length, 0.36);
  EXPECT_EQ(cables[1].radius, 0.012);
  EXPECT_EQ(cables[1].reserve, 0.01);
  ASSERT_EQ(cables[0].span.size(), static_cast<std::size_t>(frames.count()));
  const CableStretch stretch = cableStretches(problem)[0];
  const std::vector<Pose>& poses = frames.X_WL[0];
  EXPECT_EQ(cables[0].a[0], Vec3(poses[stretch.a.link] * stretch.a.p_L));
  EXPECT_EQ(cables[0].span[0], (cables[0].a[0] - cables[0].b[0]).norm());
}

}  // namespace
}  // namespace allclear
