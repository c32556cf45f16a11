// Forces at contacts in trajectory files.
#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear {
namespace {

NamedTrajectory withWrenches(const Trajectory& wrenches) {
  NamedTrajectory named{BSpline(MatX::Random(2, 9), 1.5), {"a", "b"}, {}};
  named.wrenches = ContactWrenches{wrenches, {"foot/fx", "foot/fy", "foot/fz"}};
  return named;
}

std::string errorOf(const std::string& text) {
  try {
    parseTrajectoryJson(text, "x.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ContactWrenches, ReadBackToTheBitWithTheTrajectory) {
  std::srand(1);
  const BSpline spline(100.0 * MatX::Random(3, 7), 1.5);
  const HermiteCurve rows({0.0, 0.4, 1.5}, MatX::Random(3, 3), MatX::Random(3, 3),
                          MatX::Random(3, 3));
  for (const Trajectory& wrenches : {Trajectory(spline), Trajectory(rows)}) {
    const NamedTrajectory named = withWrenches(wrenches);
    const std::string text = formatTrajectoryJson(named);
    const NamedTrajectory read = parseTrajectoryJson(text, "x.json", {"b", "a"});
    ASSERT_TRUE(read.wrenches);
    EXPECT_EQ(read.wrenches->names, named.wrenches->names);
    for (double t : {0.0, 0.2, 0.4, 1.1, 1.5}) {
      EXPECT_EQ(read.wrenches->curve.value(t), named.wrenches->curve.value(t));
    }
    EXPECT_EQ(formatTrajectoryJson(parseTrajectoryJson(text, "x.json")), text);
  }
  // Without them the text is what it was.
  NamedTrajectory bare = withWrenches(spline);
  bare.wrenches.reset();
  EXPECT_EQ(formatTrajectoryJson(bare), formatTrajectoryJson(bare.trajectory, bare.joint_names));
  EXPECT_EQ(formatTrajectoryJson(bare).find("contact_wrenches"), std::string::npos);
}

TEST(ContactWrenches, AreRefusedWhereTheyCannotBeThoseOfTheTrajectory) {
  const BSpline spline(100.0 * MatX::Ones(3, 6), 1.5);
  const std::string text = formatTrajectoryJson(withWrenches(spline));
  EXPECT_NE(errorOf(replaced(text, "\"duration\":1.5", "\"duration\":1.4")).find("last as long"),
            std::string::npos);
  EXPECT_NE(errorOf(replaced(text, "\"foot/fy\"", "\"foot/fx\"")).find("twice"), std::string::npos);
  EXPECT_NE(errorOf(replaced(text, "\"degree\":5", "\"degree\":5,\"colour\":1")), "accepted");
  EXPECT_NE(errorOf(replaced(text, "100.0,100.0,100.0]", "100.0,100.0]")), "accepted");
  EXPECT_NE(errorOf(replaced(text, "100.0,100.0,100.0]", "100.0,100.0,1e300]")), "accepted");
}

}  // namespace
}  // namespace allclear
