// allclear impact, called without a process of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "allclear/apps/commands.h"
#include "allclear/apps/impact_cases.h"
#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/load_robot.h"
#include "config/task_fixture.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined: no such value is passed by a call

namespace allclear {
namespace {

/// One arm of a turn about z that carries a bar of 2 kg along x, and a ball at its end that nothing
/// moves but the bar.
constexpr const char* kUrdf = R"(<robot name="swing">
<link name="base"/>
<link name="bar">
 <inertial><origin xyz="0.5 0 0"/><mass value="2"/>
  <inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial>
 <collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>
</link>
<joint name="swing" type="revolute"><parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
 <limit lower="-3" upper="3" velocity="4" effort="100"/></joint>
<link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="fixing" type="fixed"><parent link="bar"/><child link="ball"/><origin xyz="1.1 0 0"/></joint>
%s
</robot>)";

/// A task folder, and what the subcommand prints.
class ImpactCommandTest : public ::testing::Test {
 protected:
  ImpactCommandTest() {
    writeRobot("");
    // 2 rad/s about z at every instant.
    folder_.write("swing.csv",
                  "time,swing,swing_velocity,swing_acceleration\n0,0,2,0\n0.5,1,2,0\n");
  }
  void writeRobot(const std::string& more, const std::string& robot_keys = "") {
    std::string urdf = kUrdf;
    urdf.replace(urdf.find("%s"), 2, more);
    folder_.write("swing.urdf", urdf);
    folder_.write("task.yaml",
                  "robot: {urdf: swing.urdf" + robot_keys +
                      "}\nstart_state: {swing: 0}\ngoal: {joint_constraints: {swing: 1}}\n"
                      "collision: {allowed: [[bar, ball]]}\n");
  }
  std::string run(std::vector<std::string> words) {
    CLI::App app;
    int exit_code = -1;
    addImpact(app, exit_code);
    std::vector<std::string> all = {"impact", (folder_.path() / "task.yaml").string(),
                                    (folder_.path() / "swing.csv").string()};
    all.insert(all.end(), words.begin(), words.end());
    std::reverse(all.begin(), all.end());  // as CLI11 takes them
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    try {
      app.parse(all);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      warnings_ = testing::internal::GetCapturedStderr();
      throw;
    }
    warnings_ = testing::internal::GetCapturedStderr();
    EXPECT_EQ(exit_code, kDone);
    return testing::internal::GetCapturedStdout();
  }
  nlohmann::json runJson(std::vector<std::string> words) {
    words.emplace_back("--json");
    return nlohmann::json::parse(run(std::move(words)));
  }
  /// The message of the bad input that the words are.
  std::string fault(std::vector<std::string> words) {
    try {
      run(std::move(words));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no fault";
  }

  test::TaskFolder folder_;
  std::string warnings_;
};

TEST_F(ImpactCommandTest, OfASwingingBarIsByHand) {
  // I = 0.2 + 2 * 0.5² about the axis; at 1.2 m from it the ball meets a wall head-on.
  const double I = 0.7, arm = 1.2, rate = 2.0, e = 0.5;
  const nlohmann::json out = runJson({"--at", "0", "--link", "ball", "--point", "0.1", "0", "0",
                                      "--direction", "0", "3", "0", "--restitution", "0.5"});
  const nlohmann::json& impact = out["impacts"][0];
  EXPECT_NEAR(impact["mass"].get<double>(), I / (arm * arm), 1e-12);
  const double impulse = (1.0 + e) * I * rate / arm;
  EXPECT_NEAR(impact["impulse"][1].get<double>(), -impulse, 1e-12);
  EXPECT_NEAR(impact["rates"]["swing"]["before"].get<double>(), rate, 1e-12);
  EXPECT_NEAR(impact["rates"]["swing"]["after"].get<double>(), -e * rate, 1e-12);
  EXPECT_NEAR(impact["energy"].get<double>(), 0.5 * I * rate * rate, 1e-12);
  EXPECT_NEAR(impact["energy_lost"].get<double>(), 0.5 * I * rate * rate * (1.0 - e * e), 1e-12);
  EXPECT_FALSE(impact["gains_energy"].get<bool>());
  // The joint gives the bar's momentum what the wall did not: m 0.5 Δω = P_joint − P.
  const double joint = -2.0 * 0.5 * rate * (1.0 + e) + impulse;
  EXPECT_NEAR(impact["joints"]["swing"]["force"][1].get<double>(), joint, 1e-12);
  EXPECT_NEAR(impact["joints"]["swing"]["moment"][2].get<double>(), 0.0, 1e-12) << "turns freely";
  // All that hits the ball goes through what fixes it.
  EXPECT_NEAR(impact["joints"]["fixing"]["force"][1].get<double>(), impulse, 1e-12);
}

TEST_F(ImpactCommandTest, AFreeMassTakesItsShare) {
  const nlohmann::json impact =
      runJson({"--at", "0", "--link", "ball", "--point", "0.1", "0", "0", "--direction", "0", "1",
               "0", "--mass", "0.5"})["impacts"][0];
  const double m = 0.7 / 1.44, v = 2.4;
  const double after = m * v / (m + 0.5);
  EXPECT_NEAR(impact["velocity_after"][1].get<double>(), after, 1e-12);
  EXPECT_NEAR(impact["hit_velocity_after"][1].get<double>(), after, 1e-12);
  EXPECT_NEAR(impact["stored"].get<double>(), impact["energy_lost"].get<double>(), 1e-12);
}

TEST_F(ImpactCommandTest, RotorsCountAndTheirAbsenceIsNamed) {
  EXPECT_NE(run({}).find("No rotor inertia is known (robot: rotor_inertia) of swing"),
            std::string::npos);
  writeRobot("", ", rotor_inertia: {swing: 0.3}");
  const std::vector<std::string> words = {"--at", "0", "--link",      "ball", "--point", "0.1",
                                          "0",    "0", "--direction", "0",    "1",       "0"};
  const nlohmann::json out = runJson(words);
  EXPECT_NEAR(out["impacts"][0]["mass"].get<double>(), 1.0 / 1.44, 1e-12);
  EXPECT_EQ(out.dump().find("No rotor inertia"), std::string::npos);
  // The rotor's momentum passes through the joint.
  const double moment = out["impacts"][0]["joints"]["swing"]["moment"][2].get<double>();
  EXPECT_NEAR(moment, 0.3 * 2.0, 1e-12);
}

TEST_F(ImpactCommandTest, WithoutALinkATableHasTheWorstOfEach) {
  const nlohmann::json out = runJson({});
  ASSERT_EQ(out["impacts"].size(), 2U);
  EXPECT_GE(out["instants"].get<int>(), 200);
  std::set<std::string> links;
  for (const nlohmann::json& impact : out["impacts"]) {
    links.insert(impact["link"].get<std::string>());
    // A wall stops the whole swing, wherever it is hit.
    EXPECT_NEAR(impact["energy_lost"].get<double>(), 1.4, 1e-9);
  }
  EXPECT_EQ(links, (std::set<std::string>{"bar", "ball"}));
  const std::string text = run({"--at", "0.25"});
  EXPECT_NE(text.find("The worst impact of each link with a rigid wall at t = 0.25 s"),
            std::string::npos)
      << text;
  EXPECT_NE(run({"--link", "bar"}).find("searched, not proven"), std::string::npos);
}

TEST_F(ImpactCommandTest, BadInputIsOneLine) {
  EXPECT_EQ(fault({"--link", "balll"}),
            "--link: there is no link or carried object 'balll' (did you mean 'ball'?)");
  EXPECT_EQ(fault({"--link", "base"}).rfind("--link: link 'base' has no collision geometry", 0),
            0U);
  EXPECT_EQ(fault({"--at", "0.7"}), "--at: 0.7 s is outside of the trajectory, 0 to 0.5 s");
  EXPECT_EQ(fault({"--at", "nan", "--link", "bar"}).rfind("--at: nan s is outside", 0), 0U);
  EXPECT_EQ(fault({"--direction", "0", "0", "0"}),
            "--direction: has no direction: its length is 0");
  EXPECT_EQ(fault({"--link", "ball", "--point", "0", "0.13", "0"}),
            "--point: is 30 mm away from the surface of 'ball' (at most 5 mm)");
  EXPECT_EQ(fault({"--link", "ball", "--point", "0", "0.03", "0"}),
            "--point: is 70 mm inside of the surface of 'ball' (at most 5 mm)");
  EXPECT_EQ(fault({"--at", "0", "--link", "ball", "--direction", "0", "0", "1"}),
            "there is no impact: nothing moves along --direction at 0 s");
  EXPECT_THROW(run({"--point", "0", "0", "0"}), CLI::ParseError) << "of which link?";
  EXPECT_THROW(run({"--restitution", "1.1"}), CLI::ParseError);
  EXPECT_THROW(run({"--mass", "0"}), CLI::ParseError);
  EXPECT_THROW(run({"--friction", "-1"}), CLI::ParseError);
}

TEST_F(ImpactCommandTest, MissingMassesAreNamed) {
  const std::string wrist =
      "<link name=\"hand\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision>"
      "</link><joint name=\"wrist\" type=\"revolute\"><parent link=\"ball\"/><child link=\"hand\"/>"
      "<axis xyz=\"0 0 1\"/><origin xyz=\"0.3 0 0\"/>"
      "<limit lower=\"-1\" upper=\"1\" velocity=\"1\" effort=\"1\"/></joint>";
  writeRobot(wrist);
  folder_.write("swing.csv", "time,swing,wrist\n0,0,0\n0.5,1,0\n");
  folder_.write("task.yaml",
                "robot: {urdf: swing.urdf}\nstart_state: {swing: 0, wrist: 0}\n"
                "goal: {joint_constraints: {swing: 1, wrist: 0}}\n"
                "collision: {allowed: [[bar, ball], [ball, hand]]}\n");
  const std::string text = fault({});
  EXPECT_NE(text.find("link 'hand' has no mass (no <inertial> in the URDF)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("(robot: inertia)"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

// A bar that is free in the plane: K = (1/m, 1/m + r²/I) at its tip. With u along K n it gains
// beyond e = 1 / sqrt((n'Kn)(n'K^-1 n)).
TEST_F(ImpactCommandTest, AGainOfEnergyIsReported) {
  const auto slide = [](const std::string& axis, const std::string& parent,
                        const std::string& vector) {
    return "<link name=\"" + axis + "\"/><joint name=\"along_" + axis +
           "\" type=\"prismatic\"><parent link=\"" + parent + "\"/><child link=\"" + axis +
           "\"/><axis xyz=\"" + vector +
           "\"/><limit lower=\"-9\" upper=\"9\" velocity=\"9\" effort=\"9\"/></joint>";
  };
  writeRobot("");
  std::string urdf = kUrdf;
  urdf.replace(urdf.find("%s"), 2, slide("x", "base", "1 0 0") + slide("y", "x", "0 1 0"));
  urdf.replace(urdf.find("<parent link=\"base\"/><child link=\"bar\"/>"), 40,
               "<parent link=\"y\"/><child link=\"bar\"/>");
  folder_.write("swing.urdf", urdf);
  folder_.write("task.yaml",
                "robot: {urdf: swing.urdf}\nstart_state: {swing: 0, along_x: 0, along_y: 0}\n"
                "goal: {joint_constraints: {swing: 1, along_x: 0, along_y: 0}}\n"
                "collision: {allowed: [[bar, ball]]}\n");
  // The answer of the bar at rest to an impulse of 1 N s along n at the tip.
  const double m = 2.0, I = 0.2, r = 0.7, n = std::sqrt(0.5);
  const double spin = r * n / I;
  const auto row = [&](double t) {
    std::string text = std::to_string(t);
    for (const double rate : {spin, n / m, n / m - 0.5 * spin}) {
      text += "," + std::to_string(rate * t);
    }
    return text + "\n";
  };
  folder_.write("swing.csv", "time,swing,along_x,along_y\n" + row(0.0) + row(0.01));
  const auto impactWith = [&](const char* restitution) {
    return std::vector<std::string>{"--at",     "0", "--link",     "ball",        "--point",
                                    "0.1",      "0", "0",          "--direction", "1",
                                    "1",        "0", "--friction", "inf",         "--restitution",
                                    restitution};
  };
  const double K[] = {1.0 / m, 1.0 / m + r * r / I};
  const double safe = 1.0 / std::sqrt(0.25 * (K[0] + K[1]) * (1.0 / K[0] + 1.0 / K[1]));
  const nlohmann::json gains = runJson(impactWith("0.8"))["impacts"][0];
  EXPECT_NEAR(gains["safe_restitution"].get<double>(), safe, 1e-9);
  EXPECT_TRUE(gains["gains_energy"].get<bool>());
  EXPECT_LT(gains["energy_lost"].get<double>(), -1e-3);
  EXPECT_FALSE(runJson(impactWith("0.7"))["impacts"][0]["gains_energy"].get<bool>());
  run(impactWith("0.8"));
  EXPECT_NE(warnings_.find("Newton's law gains"), std::string::npos) << warnings_;
  run(impactWith("0.7"));
  EXPECT_EQ(warnings_.find("gains"), std::string::npos) << warnings_;
}

}  // namespace
}  // namespace allclear
