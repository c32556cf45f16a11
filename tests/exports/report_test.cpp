// What a report's page holds, against the plan and the certificate it was made of.
#include "allclear/exports/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/exports/report/frames.h"
#include "allclear/planner/certificate/geometry.h"
#include "exports/report_payload.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::floats;
using test::reportPayload;

/// Rounding of 32 bit numbers, relative to `scale`.
double rounding(double scale) { return 2e-7 * std::max(1.0, std::abs(scale)); }

fs::path example(const std::string& name) {
  return test::testFolder().parent_path() / "examples" / name / "task.yaml";
}

struct Planned {
  Problem problem;
  Plan plan;
};

const Planned& shelf() {
  static const Planned planned = [] {
    Task task = loadTask(example("shelf"), {.load_visuals = true});
    Plan plan = allclear::plan(task.problem, task.options);
    return Planned{std::move(task.problem), std::move(plan)};
  }();
  return planned;
}

/// From start to goal at rest, straight through joint space.
Trajectory straightLine(const Problem& problem, double duration) {
  MatX positions(problem.plannedCount(), 2);
  positions.col(0) = problem.plannedPart(problem.start);
  positions.col(1) = problem.plannedPart(*goalConfiguration(problem));
  const MatX zero = MatX::Zero(problem.plannedCount(), 2);
  return HermiteCurve({0.0, duration}, positions, zero, zero);
}

/// Least distance of two bodies' solids as the certificate takes them, at one instant.
double distanceAt(const Problem& problem, const CertifiedGeometry& geometry, int a, int b,
                  MeshFidelity fidelity, const ReportFrames& frames, int f) {
  double least = std::numeric_limits<double>::infinity();
  const Pose X_WA = bodyPose(problem, geometry.bodies[a], frames, f);
  const Pose X_WB = bodyPose(problem, geometry.bodies[b], frames, f);
  for (const Geometry& i : geometry.bodies[a].solids(fidelity)) {
    for (const Geometry& j : geometry.bodies[b].solids(fidelity)) {
      least =
          std::min(least, signedDistance(i.shape, X_WA * i.X_BG, j.shape, X_WB * j.X_BG).distance);
    }
  }
  return least;
}

class Report : public testing::Test {
 protected:
  void SetUp() override {
    if (!hasReports()) GTEST_SKIP() << "built without reports";
  }
};

/// Those of the shelf's report: the closest instants are among them.
ReportFrames shelfFrames() {
  std::vector<double> instants;
  for (const RankedPair& pair : shelf().plan.certificate->closest_pairs) instants.push_back(pair.t);
  return motionFrames(shelf().problem, *shelf().plan.trajectory, instants);
}

TEST_F(Report, ShowsTheJointsOfThePlanAtEachOfItsTimes) {
  ASSERT_EQ(shelf().plan.status, PlanStatus::kCertified) << shelf().plan.message;
  const json data = reportPayload(formatPlanReport(shelf().problem, shelf().plan));
  const Trajectory& trajectory = *shelf().plan.trajectory;
  const std::vector<float> times = floats(data["times"]);
  ASSERT_GE(times.size(), 61u);
  EXPECT_EQ(times.front(), 0.0f);
  EXPECT_NEAR(times.back(), trajectory.duration(), rounding(trajectory.duration()));
  const PlannedLimits limits = plannedLimits(shelf().problem);
  ASSERT_EQ(data["joints"].size(), static_cast<std::size_t>(shelf().problem.plannedCount()));
  for (int i = 0; i < shelf().problem.plannedCount(); ++i) {
    const json& joint = data["joints"][i];
    EXPECT_DOUBLE_EQ(joint["upper"].get<double>(), limits.upper[i]);
    EXPECT_DOUBLE_EQ(joint["velocity_limit"].get<double>(), limits.velocity[i]);
    EXPECT_DOUBLE_EQ(joint["acceleration_limit"].get<double>(), limits.acceleration[i]);
    const char* const names[] = {"position", "velocity", "acceleration"};
    for (int order = 0; order < 3; ++order) {
      const std::vector<float> values = floats(joint[names[order]]);
      ASSERT_EQ(values.size(), times.size());
      for (std::size_t f = 0; f < times.size(); ++f) {
        // The page's times are rounded; the next derivative says what that may change.
        const double t = std::min<double>(times[f], trajectory.duration());
        const double change = 1e-6 * (1.0 + std::abs(trajectory.value(t, order + 1)[i]));
        EXPECT_NEAR(values[f], trajectory.value(t, order)[i], change + rounding(values[f]));
      }
    }
  }
}

TEST_F(Report, ShowsDistancesThatAreThoseOfTheBodiesAndBoundsThatAreThoseOfTheCertificate) {
  const Certificate& certificate = *shelf().plan.certificate;
  const json data = reportPayload(formatPlanReport(shelf().problem, shelf().plan));
  const CertifiedGeometry geometry = certifiedGeometry(shelf().problem);
  const ReportFrames frames = shelfFrames();
  ASSERT_EQ(data["clearance"]["pairs"].size(), 8u);
  for (const json& pair : data["clearance"]["pairs"]) {
    const int a = pair["a"], b = pair["b"];
    std::vector<const CertificatePair*> proofs;
    for (const CertificatePair& proof : certificate.pairs) {
      if (proof.a == geometry.bodies[a].name && proof.b == geometry.bodies[b].name) {
        proofs.push_back(&proof);
      }
    }
    ASSERT_FALSE(proofs.empty());
    EXPECT_EQ(pair["margin"].get<double>(), proofs.front()->margin);
    const std::vector<float> distances = floats(pair["distance"]), points = floats(pair["points"]);
    for (int f = 0; f < frames.count(); f += 7) {
      EXPECT_NEAR(distances[f],
                  distanceAt(shelf().problem, geometry, a, b, proofs.front()->fidelity, frames, f),
                  1e-6);
      const Eigen::Vector3f p_A(&points[6 * f]), p_B(&points[6 * f + 3]);
      EXPECT_NEAR((p_A - p_B).norm(), std::abs(distances[f]), 1e-5);
    }
    const std::vector<float> bounds = floats(pair["bounds"]);
    ASSERT_FALSE(bounds.empty());
    EXPECT_EQ(bounds.front(), 0.0f);
    EXPECT_NEAR(bounds[bounds.size() - 2], frames.times.back(), 1e-6);
    for (std::size_t k = 0; k < bounds.size(); k += 3) {
      EXPECT_EQ(bounds[k], k > 0 ? bounds[k - 2] : 0.0f) << "a gap";
      const double middle = 0.5 * (bounds[k] + bounds[k + 1]);
      double least = std::numeric_limits<double>::infinity();
      for (const CertificatePair* proof : proofs) {
        for (const CoverCell& cell : proof->cells) {
          if (cell.time.lower <= middle && middle <= cell.time.upper) {
            least = std::min(least, cell.lower);
          }
        }
      }
      EXPECT_NEAR(bounds[k + 2], least, rounding(least));
      for (int f = 0; f < frames.count(); ++f) {
        const bool inside = bounds[k] <= frames.times[f] && frames.times[f] <= bounds[k + 1];
        EXPECT_TRUE(!inside || distances[f] >= bounds[k + 2] - 1e-6) << frames.times[f];
      }
    }
  }
}

TEST_F(Report, PutsTheProvenClosestPairFirstAndMarksItsInstant) {
  const Certificate& certificate = *shelf().plan.certificate;
  const json data = reportPayload(formatPlanReport(shelf().problem, shelf().plan));
  const json& first = data["clearance"]["pairs"][0];
  const RankedPair& ranked = certificate.closest_pairs.front();
  EXPECT_EQ(data["scene"]["bodies"][first["a"].get<int>()]["name"], ranked.a);
  EXPECT_EQ(data["scene"]["bodies"][first["b"].get<int>()]["name"], ranked.b);
  EXPECT_EQ(data["minimum"]["t"].get<double>(), ranked.t);
  EXPECT_EQ(data["minimum"]["distance"].get<double>(), ranked.distance.upper);
  // At that instant the curve meets the distance that the certificate names.
  const std::vector<float> times = floats(data["times"]), distances = floats(first["distance"]);
  double at_closest = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < times.size(); ++f) {
    if (std::abs(times[f] - ranked.t) < 1e-6) at_closest = distances[f];
  }
  EXPECT_NEAR(at_closest, ranked.distance.upper, 1e-6);
  // The table has the certificate's pairs, with proven distances.
  ASSERT_EQ(data["ranked"].size(), certificate.closest_pairs.size());
  EXPECT_EQ(data["ranked"][0]["lower"].get<double>(), ranked.distance.lower);
  EXPECT_EQ(data["ranked"][0]["upper"].get<double>(), ranked.distance.upper);
  // One verdict: its first words are the title, and not said again below.
  const std::string title = data["verdict"]["title"], message = data["verdict"]["message"];
  EXPECT_EQ(title.find("Certified: clear at every instant of "), 0u) << title;
  EXPECT_EQ(message.find("lear at every instant"), std::string::npos) << message;
  EXPECT_EQ("C" + title.substr(std::string("Certified: c").size()) + ": " + message,
            certificate.message);
  EXPECT_TRUE(data["verdict"]["good"].get<bool>());
  EXPECT_FALSE(floats(data["history"]["cost"]).empty());
}

TEST_F(Report, SaysWhatTheCertificateAssumes) {
  const Certificate& certificate = *shelf().plan.certificate;
  const json scope = reportPayload(formatPlanReport(shelf().problem, shelf().plan))["scope"];
  EXPECT_EQ(scope["brief"], assumptionsInBrief(certificate));
  EXPECT_EQ(scope["tool"], certificate.tool);
  ASSERT_EQ(scope["assumptions"].size(), certificate.assumptions.size());
  EXPECT_EQ(scope["assumptions"][0][1], certificate.assumptions[0].text);
  ASSERT_EQ(scope["exempt"].size(), certificate.exempt_pairs.size());
  EXPECT_EQ(scope["exempt"][0][2], certificate.exempt_pairs[0].reason);
}

TEST_F(Report, DrawsTheClosestPairOfAllAtEachInstant) {
  const json data = reportPayload(formatPlanReport(shelf().problem, shelf().plan));
  const CertifiedGeometry geometry = certifiedGeometry(shelf().problem);
  const ReportFrames frames = shelfFrames();
  const std::vector<float> closest = floats(data["clearance"]["closest"]["distance"]);
  for (int f = 0; f < frames.count(); f += 13) {
    double least = std::numeric_limits<double>::infinity();
    for (const CertifiedPair& pair : geometry.pairs) {
      if (pair.fixed) continue;
      const double gap =
          distanceAt(shelf().problem, geometry, pair.a, pair.b, MeshFidelity::kHull, frames, f) -
          pair.margin;
      least = std::min(least, gap);
    }
    const double margin = data["clearance"]["closest"]["who"][f][2];
    // A closer look than at the hulls only finds them farther apart.
    EXPECT_GE(closest[f] - margin, least - 1e-6);
  }
}

TEST_F(Report, OfAPlanIsTheSameToTheByteTwice) {
  const std::string once = formatPlanReport(shelf().problem, shelf().plan);
  EXPECT_TRUE(once == formatPlanReport(shelf().problem, shelf().plan));
}

TEST_F(Report, OfFiveSecondsOfThePlansOfTheExamplesStaysBelowTwoMegabytes) {
  for (const char* name : {"shelf", "two_arms", "moving_obstacle", "upright", "humanoid"}) {
    const Problem problem = loadTask(example(name), {.load_visuals = true}).problem;
    const std::string html =
        formatTrajectoryReport(problem, certify(problem, straightLine(problem, 5.0)));
    EXPECT_LT(html.size(), 2'000'000u) << name;
  }
}

TEST_F(Report, NeverTakesALongerMotionOrLargerMeshesForALargerFileWithoutEnd) {
  Problem problem = loadTask(example("shelf"), {.load_visuals = true}).problem;
  const auto sizeOf = [&](double duration) {
    return formatTrajectoryReport(problem, certify(problem, straightLine(problem, duration)))
        .size();
  };
  EXPECT_LT(sizeOf(1000.0), sizeOf(10.0) + 100'000);
}

TEST_F(Report, SaysOfATrajectoryThatCollidesWhereWhenAndHowDeep) {
  const Problem problem = loadTask(example("two_arms"), {.load_visuals = true}).problem;
  const Certificate certificate = certify(problem, straightLine(problem, 4.0));
  ASSERT_FALSE(certificate.clear);
  const json data = reportPayload(formatTrajectoryReport(problem, certificate));
  EXPECT_FALSE(data["verdict"]["good"].get<bool>());
  EXPECT_EQ(data["verdict"]["faults"].get<std::vector<std::string>>(), certificate.faults);
  EXPECT_FALSE(data["verdict"]["advice"].empty());
  const json& deepest = data["clearance"]["pairs"][0];
  std::set<std::string> names;
  for (const char* side : {"a", "b"}) {
    names.insert(data["scene"]["bodies"][deepest[side].get<int>()]["name"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{certificate.closest_a, certificate.closest_b}));
  const std::size_t nearest = deepest["nearest"];
  const std::vector<float> distances = floats(deepest["distance"]);
  EXPECT_EQ(distances[nearest], *std::min_element(distances.begin(), distances.end()));
  EXPECT_LT(distances[nearest], -0.1);
  EXPECT_NEAR(floats(data["times"])[nearest], certificate.closest_t, 4.0 / 60.0);
}

TEST_F(Report, OfAPlanThatWasNotFoundShowsTheBestTryOrStartAndGoal) {
  Problem problem = loadTask(example("two_arms"), {.load_visuals = true}).problem;
  Plan failed;
  failed.status = PlanStatus::kTimedOut;
  failed.message = "Out of time.";
  failed.statistics.attempts = 1;
  failed.trajectory = straightLine(problem, 3.0);
  const json tried = reportPayload(formatPlanReport(problem, failed));
  EXPECT_FALSE(tried["verdict"]["good"].get<bool>());
  EXPECT_EQ(tried["verdict"]["message"], "Out of time.");
  EXPECT_FALSE(tried["verdict"]["faults"].empty());
  EXPECT_TRUE(tried["labels"].empty());
  bool names_pair = false, names_time = false;
  for (const json& line : tried["verdict"]["advice"]) {
    names_pair |= line.get<std::string>().find("'left_") != std::string::npos;
    names_time |= line.get<std::string>().find("--time-limit") != std::string::npos;
  }
  EXPECT_TRUE(names_pair && names_time) << tried["verdict"]["advice"];

  failed.trajectory.reset();
  const json ends = reportPayload(formatPlanReport(problem, failed));
  EXPECT_EQ(ends["labels"], json::parse(R"(["start", "goal"])"));
  EXPECT_TRUE(ends["joints"].empty());
  EXPECT_FALSE(ends["clearance"]["pairs"].empty());
}

/// Two bars on one pin, without masses, efforts or meshes; names as bad as they get.
constexpr char kPin[] = R"(<robot name="&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="bar &quot;x&quot; 'y' &lt;/script&gt;"><collision><origin xyz="0.3 0 0"/>
    <geometry><box size="0.4 0.05 0.05"/></geometry></collision></link>
  <joint name="pin &lt;!-- \ &amp;amp;" type="revolute"><parent link="base"/>
    <child link="bar &quot;x&quot; 'y' &lt;/script&gt;"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1" effort="0"/></joint>
</robot>)";
constexpr char kPinTask[] = R"(
name: "a </script> \" ' & <b> @DATA@ name"
robot: {urdf: pin.urdf}
joints: ["pin <!-- \\ &amp;"]
start_state: {"pin <!-- \\ &amp;": -1}
goal:
  joint_constraints: {"pin <!-- \\ &amp;": 1}
scene:
  collision_objects:
    - {id: "<img src=x onerror=alert(1)>", type: sphere, dimensions: [0.1], pose: {position: [0, 0, 0.6]}}
)";

TEST_F(Report, KeepsNamesThatLookLikeMarkupAsTheyAre) {
  const test::TemporaryFolder folder;
  folder.write("pin.urdf", kPin);
  const Problem problem = loadTask(folder.write("task.yaml", kPinTask)).problem;
  const Plan plan = allclear::plan(problem, {.time_limit = 100.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  const std::string html = formatPlanReport(problem, plan);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  const json data = reportPayload(html);
  EXPECT_EQ(data["title"], problem.name);
  EXPECT_EQ(data["title"], "a </script> \" ' & <b> @DATA@ name");
  EXPECT_EQ(data["joints"][0]["name"], "pin <!-- \\ &amp;");
  std::set<std::string> names;
  for (const json& body : data["scene"]["bodies"]) names.insert(body["name"]);
  EXPECT_TRUE(names.count("bar \"x\" 'y' </script>")) << data["scene"]["bodies"];
  EXPECT_TRUE(names.count("<img src=x onerror=alert(1)>"));
}

TEST_F(Report, OfARobotWithoutMassesHasNoTorquesToShow) {
  const test::TemporaryFolder folder;
  folder.write("pin.urdf", kPin);
  const Problem problem = loadTask(folder.write("task.yaml", kPinTask)).problem;
  const json data =
      reportPayload(formatTrajectoryReport(problem, certify(problem, straightLine(problem, 5.0))));
  const json& joint = data["joints"][0];
  for (float torque : floats(joint["torque"])) EXPECT_EQ(torque, 0.0f);
  EXPECT_FALSE(data["torque_limited"].get<bool>());
}

TEST_F(Report, OfATaskShowsItsEndsAndItsFaults) {
  const Problem problem = loadTask(example("humanoid")).problem;
  const json good = reportPayload(formatTaskReport(problem, {}));
  EXPECT_TRUE(good["verdict"]["good"].get<bool>());
  EXPECT_EQ(good["labels"], json::parse(R"(["start", "goal"])"));
  const json bad = reportPayload(formatTaskReport(problem, {"start: too near"}));
  EXPECT_FALSE(bad["verdict"]["good"].get<bool>());
  EXPECT_EQ(bad["verdict"]["faults"], json::parse(R"(["start: too near"])"));
}

TEST_F(Report, ThatCannotBeWrittenIsAnInputError) {
  const Problem problem = loadTask(example("humanoid")).problem;
  EXPECT_THROW(writeTaskReport("/nowhere/at/all.html", problem, {}), InputError);
}

TEST(ReportWithout, ReportsSaysWhatToInstall) {
  if (hasReports()) GTEST_SKIP() << "built with reports";
  try {
    requireReports();
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("libjs-three"), std::string::npos) << error.what();
  }
}

// The examples are to show what a planner is for.
TEST(Examples, AreNotSolvedByTheStraightLine) {
  for (const char* name : {"shelf", "two_arms", "upright", "humanoid"}) {
    const Problem problem = loadTask(example(name)).problem;
    EXPECT_FALSE(certify(problem, straightLine(problem, 6.0)).clear) << name;
  }
}

}  // namespace
}  // namespace allclear
