#include "allclear/exports/output_files.h"

#include <gtest/gtest.h>

#include "allclear/config/document/yaml.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

TEST(Ros2Trajectory, IsYamlWithTheMessagesFields) {
  MatX q = MatX::Zero(2, 3), v = q, a = q;
  q.row(0) = Eigen::RowVector3d(0.1, 1e-20, 3.0);
  q.row(1) = Eigen::RowVector3d(-1e300, 5.0, 1.0 / 3.0);
  v.row(1) = Eigen::RowVector3d(4.0, 5.0, 6.0);
  a(1, 0) = -0.5;
  const HermiteCurve rows({0.0, 0.5, 2.25}, q, v, a);
  const std::string text = formatRos2Trajectory(rows, {"joint \"a\"", "b: c"}, "base");
  const Value root = parseYaml(text, "ros2.yaml", {});
  root.only({"header", "joint_names", "points"});
  EXPECT_EQ(root.find("header")->find("frame_id")->text(), "base");
  const auto names = root.find("joint_names")->items();
  EXPECT_EQ(names[0].text(), "joint \"a\"");
  EXPECT_EQ(names[1].text(), "b: c");
  const auto points = root.find("points")->items();
  ASSERT_EQ(points.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    points[i].only({"positions", "velocities", "accelerations", "time_from_start"});
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(points[i].find("positions")->items()[k].number(), q(k, i));
      EXPECT_EQ(points[i].find("velocities")->items()[k].number(), v(k, i));
      EXPECT_EQ(points[i].find("accelerations")->items()[k].number(), a(k, i));
    }
  }
  EXPECT_EQ(points[2].find("time_from_start")->find("sec")->number(), 2);
  EXPECT_EQ(points[2].find("time_from_start")->find("nanosec")->number(), 250000000);
}

TEST(Ros2Trajectory, RowsInOneNanosecondAreRefused) {
  const MatX zero = MatX::Zero(2, 3);
  const HermiteCurve rows({0.0, 1e-10, 1.0}, zero, zero, zero);
  EXPECT_THROW(formatRos2Trajectory(rows, {"a", "b"}, "base"), InputError);
}

}  // namespace
}  // namespace allclear
