#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <map>

#include "allclear/trajectories/files/trajectory_value.h"
#include "allclear/trajectories/spline_fit.h"
#include "allclear/trajectories/trajectory_files.h"
#include "support/data.h"
#include "trajectories/curves.h"

namespace allclear {
namespace {

using test::Random32;

namespace fs = std::filesystem;
const std::vector<std::string> kJoints = {"shoulder", "elbow", "wrist_1"};

/// To the bit: tells -0.0 from 0.0. Matrices without entries are the same.
bool same(const MatX& a, const MatX& b) {
  if (a.size() == 0 && b.size() == 0) return true;
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(a.reshaped()[i]) !=
        std::bit_cast<std::uint64_t>(b.reshaped()[i])) {
      return false;
    }
  }
  return true;
}

bool same(const HermiteCurve& a, const HermiteCurve& b) {
  return a.times() == b.times() && same(a.positions(), b.positions()) &&
         same(a.velocities(), b.velocities()) && same(a.accelerations(), b.accelerations());
}

/// The error that reading `text` gives, which must be an `InputError` of one line.
template <class Parse>
std::string errorOf(Parse parse) {
  try {
    parse();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find_first_of("\n\r"), std::string::npos) << message;
    return message;
  }
  return "accepted";
}

/// Numbers of all magnitudes, now and then special ones.
MatX hardNumbers(Random32& random, int rows, int cols) {
  MatX M(rows, cols);
  for (double& x : M.reshaped()) {
    switch (random() % 6) {
      case 0:
        x = -0.0;
        break;
      case 1:
        x = 5e-324;
        break;
      case 2:
        x = 0.1 * static_cast<double>(random() % 100);
        break;
      default:
        x = (random() % 2 ? 1.0 : -1.0) * random.logUniform(1e-300, 1e9);
    }
  }
  return M;
}

/// Rows that give derivatives up to `given_order`.
HermiteCurve hardRows(Random32& random, const std::vector<double>& times, int given_order) {
  const int count = static_cast<int>(times.size());
  MatX rows[3];
  for (int order = 0; order <= given_order; ++order) rows[order] = hardNumbers(random, 3, count);
  return {times, rows[0], rows[1], rows[2]};
}

TEST(TrajectoryCsv, RowsAndBytesRoundTripExactly) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random32 random(seed);
    const int count = test::randomHermite(random).spanCount() + 1;
    std::vector<double> times{0.0};
    for (int i = 1; i < count; ++i) {
      times.push_back(times.back() + random.logUniform(1e-6, 1.0));
    }
    const HermiteCurve rows = hardRows(random, times, static_cast<int>(seed % 3));
    const std::string text = formatTrajectoryCsv(rows, kJoints);
    const NamedTrajectory read = parseTrajectoryCsv(text, "x.csv");
    ASSERT_NE(read.trajectory.hermite(), nullptr);
    EXPECT_TRUE(same(*read.trajectory.hermite(), rows)) << "seed " << seed;
    EXPECT_EQ(read.joint_names, kJoints);
    EXPECT_EQ(read.warnings.empty(), seed % 3 == 2);
    EXPECT_EQ(formatTrajectoryCsv(*read.trajectory.hermite(), read.joint_names), text);
  }
}

TEST(TrajectoryCsv, SamplingWhatWasReadAtTheSameRateGivesTheSameBytes) {
  Random32 random(1);
  const fs::path path = fs::temp_directory_path() / "allclear_trajectory_test.csv";
  for (int n = 0; n < 20; ++n) {
    const BSpline curve = test::randomSpline(random, 5, true).withDuration(1.2345);
    writeTrajectoryCsv(path, controllerRows(curve, 125.0), kJoints);
    const NamedTrajectory read = readTrajectoryCsv(path);
    EXPECT_EQ(formatTrajectoryCsv(controllerRows(read.trajectory, 125.0), kJoints),
              formatTrajectoryCsv(controllerRows(curve, 125.0), kJoints));
    for (double t = 0.0; t < 1.2345; t += 0.01) {
      EXPECT_LE((read.trajectory.value(t) - curve.value(t)).norm(),
                1e-4 * curve.control().cwiseAbs().maxCoeff());
    }
  }
  fs::remove(path);
}

TEST(TrajectoryCsv, TheHeaderIsAsDocumented) {
  const HermiteCurve rows({0.0, 0.5}, (MatX(2, 2) << 0.1, 1.0, 2.0, 3.0).finished(),
                          MatX::Zero(2, 2), MatX::Zero(2, 2));
  EXPECT_EQ(formatTrajectoryCsv(rows, {"a", "b"}),
            "time,a,b,a_velocity,b_velocity,a_acceleration,b_acceleration\n"
            "0,0.1,2,0,0,0,0\n"
            "0.5,1,3,0,0,0,0\n");
}

TEST(TrajectoryCsv, AcceptsWhatOtherProgramsWrite) {
  const std::string text =
      "\xEF\xBB\xBF\"a_velocity\", a_acceleration ,time,\"a\"\r\n"
      "+0.5, 0.25 ,0,1\r\n"
      " 1.5e0,\t0,2.0,1E1\r\n"
      "\r\n  \r\n";
  const NamedTrajectory read = parseTrajectoryCsv(text, "x.csv");
  const HermiteCurve& rows = *read.trajectory.hermite();
  EXPECT_EQ(read.joint_names, std::vector<std::string>{"a"});
  EXPECT_EQ(rows.times(), (std::vector<double>{0.0, 2.0}));
  EXPECT_EQ(rows.positions(), (MatX(1, 2) << 1.0, 10.0).finished());
  EXPECT_EQ(rows.velocities(), (MatX(1, 2) << 0.5, 1.5).finished());
  EXPECT_EQ(rows.accelerations(), (MatX(1, 2) << 0.25, 0.0).finished());
  EXPECT_TRUE(read.warnings.empty());
}

/// What ROS 2's joint_trajectory_controller makes of rows, in its own monomials
/// (`Trajectory::interpolate_between_points` of ros2_controllers).
double controllersPosition(const std::vector<double>& a, const std::vector<double>& b, double T,
                           double t) {
  if (a.size() == 1) return a[0] + t * (b[0] - a[0]) / T;
  const double d = b[0] - a[0];
  if (a.size() == 2) {
    const double c2 = (3.0 * d - 2.0 * a[1] * T - b[1] * T) / (T * T);
    const double c3 = (-2.0 * d + a[1] * T + b[1] * T) / (T * T * T);
    return a[0] + t * (a[1] + t * (c2 + t * c3));
  }
  const double c3 =
      (20.0 * d - 3.0 * a[2] * T * T + b[2] * T * T - 12.0 * a[1] * T - 8.0 * b[1] * T) /
      (2.0 * T * T * T);
  const double c4 =
      (-30.0 * d + 3.0 * a[2] * T * T - 2.0 * b[2] * T * T + 16.0 * a[1] * T + 14.0 * b[1] * T) /
      (2.0 * T * T * T * T);
  const double c5 = (12.0 * d - a[2] * T * T + b[2] * T * T - 6.0 * a[1] * T - 6.0 * b[1] * T) /
                    (2.0 * T * T * T * T * T);
  return a[0] + t * (a[1] + t * (0.5 * a[2] + t * (c3 + t * (c4 + t * c5))));
}

TEST(TrajectoryCsv, IsReadAsWhatAControllerMakesOfItsColumns) {
  const std::vector<std::vector<double>> rows{{0.1, 0.5, -2.0}, {0.9, -1.5, 3.0}};
  for (const std::size_t given : {1u, 2u, 3u}) {
    std::string text = given == 1   ? "time,a\n0,0.1\n0.7,0.9\n"
                       : given == 2 ? "time,a,a_velocity\n0,0.1,0.5\n0.7,0.9,-1.5\n"
                                    : "time,a,a_velocity,a_acceleration\n0,0.1,0.5,-2\n"
                                      "0.7,0.9,-1.5,3\n";
    const NamedTrajectory read = parseTrajectoryCsv(text, "x.csv");
    const std::vector<double> from(rows[0].begin(), rows[0].begin() + given);
    const std::vector<double> to(rows[1].begin(), rows[1].begin() + given);
    for (double t = 0.0; t < 0.7; t += 0.01) {
      EXPECT_NEAR(read.trajectory.value(t)[0], controllersPosition(from, to, 0.7, t), 1e-14);
    }
  }
}

TEST(TrajectoryCsv, SaysHowItReadAnIncompleteFile) {
  const NamedTrajectory positions = parseTrajectoryCsv("time,a\n0,0\n1,1\n3,0\n", "x.csv");
  EXPECT_EQ(positions.interpolation(), Interpolation::kLinear);
  ASSERT_EQ(positions.warnings.size(), 1u);
  EXPECT_EQ(positions.warnings[0],
            "there are no velocities: read as linear between rows of positions, as a joint "
            "trajectory controller does");
  EXPECT_EQ(positions.trajectory.value(2.0)[0], 0.5);

  const NamedTrajectory velocities =
      parseTrajectoryCsv("time,a,a_velocity\n0,0,0\n1,1,0.5\n3,0,0\n", "x.csv");
  EXPECT_EQ(velocities.interpolation(), Interpolation::kCubic);
  ASSERT_EQ(velocities.warnings.size(), 1u);
  EXPECT_NE(velocities.warnings[0].find("no accelerations"), std::string::npos);
  EXPECT_EQ(velocities.trajectory.value(1.0, 1)[0], 0.5);

  const NamedTrajectory late = parseTrajectoryCsv("time,a\n5,0\n7,1", "x.csv");
  ASSERT_EQ(late.warnings.size(), 3u) << "cut short, late, and no velocities";
  EXPECT_EQ(late.trajectory.duration(), 2.0);
}

TEST(TrajectoryCsv, IsReadAsAskedFromTheColumnsThatThisNeeds) {
  const std::string all = "time,a,a_velocity,a_acceleration\n0,0,0,0\n2,1,0.5,0\n";
  const auto read = [](const std::string& text, Interpolation as) {
    return parseTrajectoryCsv(text, "x.csv", {}, as);
  };
  for (const Interpolation as :
       {Interpolation::kLinear, Interpolation::kCubic, Interpolation::kQuintic}) {
    EXPECT_EQ(read(all, as).interpolation(), as);
    EXPECT_TRUE(read(all, as).warnings.empty());
  }
  EXPECT_EQ(read(all, Interpolation::kLinear).trajectory.value(1.0)[0], 0.5);
  EXPECT_EQ(errorOf([&] { read("time,a\n0,0\n1,1\n", Interpolation::kCubic); }),
            "x.csv:1: header: 'a_velocity': this column is missing: the motion is to be cubic "
            "between rows of positions and velocities");
  EXPECT_EQ(errorOf([&] { read("time,a,a_velocity\n0,0,0\n1,1,0\n", Interpolation::kQuintic); }),
            "x.csv:1: header: 'a_acceleration': this column is missing: the motion is to be "
            "quintic between rows of positions, velocities and accelerations");
}

TEST(TrajectoryCsv, RefusesNamesThatNoColumnCanHave) {
  const HermiteCurve rows({0.0, 1.0}, MatX::Zero(1, 2), MatX::Zero(1, 2), MatX::Zero(1, 2));
  for (const std::string name : {"", "time", "a,b", "a\"", " a", "a ", "a\nb", "a_velocity"}) {
    EXPECT_NE(errorOf([&] { formatTrajectoryCsv(rows, {name}); }), "accepted") << name;
  }
  EXPECT_NO_THROW(formatTrajectoryCsv(rows, {"_velocity"})) << "a suffix of nothing is a name";
}

TEST(TrajectoryFiles, AreArrangedAsTheExpectedJoints) {
  const std::string csv = "time,b,a\n0,1,2\n1,3,4\n";
  const NamedTrajectory read = parseTrajectoryCsv(csv, "x.csv", {"a", "b"});
  EXPECT_EQ(read.joint_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.trajectory.value(0.0), Vec2(2.0, 1.0));
  EXPECT_EQ(errorOf([&] {
              parseTrajectoryCsv(csv, "x.csv", {"a", "b", "c"});
            }),
            "x.csv:1: column: 'c': this joint is missing");
  EXPECT_EQ(errorOf([&] { parseTrajectoryCsv(csv, "x.csv", {"a"}); }),
            "x.csv:1: column: 'b': no such joint is expected (did you mean 'a'?)");

  Random32 random(4);
  const BSpline spline = test::randomSpline(random, 5, true);
  const NamedTrajectory json = parseTrajectoryJson(formatTrajectoryJson(spline, kJoints), "x.json",
                                                   {"wrist_1", "elbow", "shoulder"});
  EXPECT_EQ(json.trajectory.bspline()->control().row(0), spline.control().row(2));
}

TEST(TrajectoryJson, RoundTripsExactly) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random32 random(seed);
    const BSpline spline = test::randomSpline(random, 1 + static_cast<int>(random() % 6), seed % 2);
    const BSpline hard = spline.withControl(hardNumbers(random, 3, spline.basis().controlCount()));
    const std::string text = formatTrajectoryJson(hard, kJoints);
    const NamedTrajectory read = parseTrajectoryJson(text, "x.json");
    ASSERT_NE(read.trajectory.bspline(), nullptr);
    EXPECT_TRUE(same(read.trajectory.bspline()->control(), hard.control())) << "seed " << seed;
    EXPECT_EQ(read.trajectory.bspline()->basis().knots(), hard.basis().knots());
    EXPECT_EQ(read.trajectory.duration(), hard.duration());
    EXPECT_EQ(read.joint_names, kJoints);
    EXPECT_EQ(formatTrajectoryJson(read.trajectory, read.joint_names), text);

    HermiteCurve rows = test::randomHermite(random);
    if (seed % 3 > 0) {
      rows = {rows.times(), rows.positions(), seed % 3 == 1 ? MatX() : rows.velocities()};
    }
    const NamedTrajectory again =
        parseTrajectoryJson(formatTrajectoryJson(rows, kJoints), "x.json");
    ASSERT_NE(again.trajectory.hermite(), nullptr);
    EXPECT_TRUE(same(*again.trajectory.hermite(), rows)) << "seed " << seed;
  }
}

TEST(TrajectoryJson, StandsInsideAnotherFileOnOneLine) {
  test::Random32 random(6);
  const NamedTrajectory curve{test::randomSpline(random, 5, false), kJoints, {}};
  const std::string line = formatTrajectoryOnOneLine(curve);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const NamedTrajectory read =
      readTrajectory(parseJson("{\"a\":\n[0, " + line + "]}", "x.json").need("a").at(1));
  EXPECT_EQ(formatTrajectoryJson(read.trajectory, read.joint_names),
            formatTrajectoryJson(curve.trajectory, curve.joint_names));
  std::string broken = line;
  broken.replace(broken.find("\"degree\":5"), 10, "\"degree\":0");
  EXPECT_EQ(errorOf([&] {
              readTrajectory(parseJson("{\"a\":\n[0, " + broken + "]}", "x.json").need("a").at(1));
            }),
            "x.json:2: a[1].degree: '0': must be between 1 and 15");
}

TEST(TrajectoryJson, IsWrittenToAndReadFromFiles) {
  Random32 random(5);
  const fs::path path = fs::temp_directory_path() / "allclear_trajectory_test.json";
  const BSpline spline = test::randomSpline(random, 5, false);
  writeTrajectoryJson(path, spline, {"a", "\"quoted\" \\ é", "c"});
  EXPECT_EQ(readTrajectoryJson(path).joint_names[1], "\"quoted\" \\ é");
  fs::remove(path);
  EXPECT_NE(errorOf([&] { formatTrajectoryJson(spline, {"a", "b\xff", "c"}); }), "accepted");
  EXPECT_NE(errorOf([&] { formatTrajectoryJson(spline, {"a", "a", "c"}); }), "accepted");
}

/// What each file of the corpus must be told, after its own name.
const std::map<std::string, std::string> kBroken = {
    {"acceleration_without_velocity.csv", ":1: header: 'a_velocity': this column is missing"},
    {"binary.csv", ": is a binary file, not CSV"},
    {"binary.json", ":1: is not valid JSON"},
    {"blank.csv", ":1: the header is missing"},
    {"blank_line.csv", ":3: has 1 columns where the header has 7"},
    {"control_characters.csv",
     ":1: header: '  PK  time': is not the header of a CSV file: control characters"},
    {"decimal_comma.csv",
     ":3: has 8 columns where the header has 4 (numbers take a decimal point, not a comma)"},
    {"degree_huge.json", ":7: degree: '1000000000000000000000000000000': must be a whole number"},
    {"degree_too_high.json", ":7: degree: '99': must be between 1 and 15"},
    {"duplicate_column.csv", ":1: header: 'a': this column appears twice"},
    {"duplicate_key.json", ":8: key 'degree' is given twice, first on line 2"},
    {"duration_is_text.json",
     ":6: duration: '2 s': must be a number without a unit: metres, radians, seconds (1 degree is "
     "0.0174532925 rad, 1 mm is 0.001)"},
    {"empty.csv", ": is empty"},
    {"empty.json", ": is empty"},
    {"fractional_version.json", ":3: version: '1.5': must be a whole number"},
    {"header_only.csv", ":1: there must be at least two rows below the header"},
    {"huge_value.csv", ":3: column 'b': '1e12': is beyond 1e+09"},
    {"infinite.csv", ":3: column 'b': '-inf': must be finite"},
    {"joint_is_number.json", ":5: joint_names[1]: '2': must be a string in quotes"},
    {"joint_twice.json", ":5: joint_names: 'a': this joint appears twice"},
    {"knots_go_back.json", ":8: normalized_knots: knot 4 goes back"},
    {"knots_jump.json",
     ":8: normalized_knots[5]: '0.5': this knot is repeated so often that the curve may jump"},
    {"knots_none.json", ":8: normalized_knots: there must be at least 2 (degree + 1) knots"},
    {"knots_not_clamped.json", ":8: normalized_knots: the first degree + 1 knots must be 0"},
    {"missing_key.json", ":1: 'control_points' is missing"},
    {"missing_number.csv", ":3: column 'b': a number is missing"},
    {"missing_velocity.csv", ":1: header: 'b_velocity': this column is missing"},
    {"nan.csv", ":3: column 'a': 'nan': must be finite"},
    {"nan.json", ":6: is not valid JSON"},
    {"negative_duration.json", ":6: duration: '-1': makes a span shorter than 1e-9 s"},
    {"no_header.csv", ":1: header: '0': the header is missing: the first line holds numbers"},
    {"no_joint.csv", ":1: header: there is no joint's column beside 'time'"},
    {"no_joint.json", ":5: joint_names: there must be at least one"},
    {"no_time.csv", ":1: header: the column 'time' is missing"},
    {"not_an_object.json", ":1: must be a map of keys (YAML or JSON), not a list"},
    {"one_row.csv", ":2: there must be at least two rows below the header"},
    {"overflow.csv", ":3: column 'b': '1e999': is out of range"},
    {"overflow.json", ":6: '1e999': is out of range"},
    {"point_is_text.json",
     ":9: control_points[1][0]: '1,5': must be a number with a decimal point: 1.5"},
    {"quoted_decimal_comma.csv",
     ":3: has 3 columns where the header has 2 (numbers take a decimal point, not a comma)"},
    {"ragged.csv", ":3: has 8 columns where the header has 7"},
    {"ragged_point.json", ":9: control_points[1]: has 1 numbers for 2 joints"},
    {"rows_missing.json", ":8: velocities: has 1 rows for 2 times"},
    {"semicolons.csv",
     ":1: header: the column 'time' is missing (columns are separated by commas, not "
     "semicolons)"},
    {"time_goes_back.csv", ":4: column 'time': '0.5': time goes back: the row before is at 1"},
    {"time_too_close.csv", ":3: column 'time': '1e-12': is less than 1e-9 s after the row before"},
    {"time_twice.csv", ":4: column 'time': '0.5': this time appears twice"},
    {"times_go_back.json", ":6: times[1]: '-1': must be at least 1e-9 s after the time before"},
    {"times_one.json", ":6: times: there must be at least two"},
    {"times_start_late.json", ":6: times[0]: '1': must be 0"},
    {"too_deep.json", ":9: nested deeper than 4 levels"},
    {"too_few_points.json", ":9: control_points: has 2 points where the knots need 4"},
    {"trailing_comma.json", ":10: is not valid JSON"},
    {"trailing_text.json", ":11: is not valid JSON"},
    {"trailing_unit.csv", ":3: column 'time': '0.5s': is not a number"},
    {"truncated.csv", ":4: has 4 columns where the header has 7"},
    {"truncated.json", ":9: is not valid JSON: it ends too early"},
    {"unknown_column.csv",
     ":1: header: 'a_vel': unknown column: of joint 'a' there may be 'a_velocity' and "
     "'a_acceleration'"},
    {"unknown_key.json",
     ":10: velocites: unknown key; known here: 'format', 'version', 'joint_names', "
     "'contact_wrenches', 'type', 'duration', 'degree', 'normalized_knots' or 'control_points'"},
    {"unnamed_column.csv", ":1: column 3: its name is empty"},
    {"utf16.csv", ": is UTF-16: save it as UTF-8"},
    {"velocity_of_no_joint.csv", ":1: header: 'b_velocity': there is no column 'b' for this one"},
    {"word.csv", ":3: column 'a_velocity': 'fast': is not a number"},
    {"wrong_format.json", ":1: is a certificate, not a trajectory"},
    {"wrong_type.json",
     ":4: type: 'bezier': must be 'bspline', 'linear', "
     "'cubic_hermite' or 'quintic_hermite'"},
    {"wrong_version.json", ":3: version: '2': only version 1 is known"},
    {"zero_duration.json", ":6: duration: '0': makes a span shorter than 1e-9 s"},
};

TEST(BrokenTrajectoryFiles, EachGetsOneClearLineThatNamesFilePlaceAndCause) {
  const fs::path folder = test::testFolder() / "trajectories" / "broken";
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const auto expected = kBroken.find(path.filename().string());
    ASSERT_NE(expected, kBroken.end()) << path << " is not listed in the test";
    const std::string error = errorOf(
        [&] { path.extension() == ".csv" ? readTrajectoryCsv(path) : readTrajectoryJson(path); });
    EXPECT_EQ(error, path.string() + expected->second);
    ++files;
  }
  EXPECT_EQ(files, kBroken.size());
}

TEST(BrokenTrajectoryFiles, OfMillionsOfBracketsOrOfJunkAreRefusedQuickly) {
  const std::size_t many = 10'000'000;
  EXPECT_EQ(errorOf([&] { parseTrajectoryJson(std::string(many, '['), "x.json"); }),
            "x.json:1: nested deeper than 4 levels");
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(errorOf([&] { parseTrajectoryJson(objects, "x.json"); }),
            "x.json:1: nested deeper than 4 levels");
  EXPECT_NE(errorOf([&] { parseTrajectoryCsv(std::string(many, 'x'), "x.csv"); }), "accepted");
  EXPECT_NE(errorOf([&] { parseTrajectoryCsv(std::string(many, ','), "x.csv"); }), "accepted");
  EXPECT_NE(errorOf([&] { parseTrajectoryCsv(std::string(many, '\n'), "x.csv"); }), "accepted");
  EXPECT_NE(errorOf([&] { parseTrajectoryCsv("time,a\n" + std::string(many, '9'), "x.csv"); }),
            "accepted");
}

TEST(BrokenTrajectoryFiles, RandomDamageIsReadOrRefusedButNeverCrashes) {
  const HermiteCurve rows({0.0, 0.5, 1.0}, MatX::Random(2, 3), MatX::Random(2, 3),
                          MatX::Random(2, 3));
  const std::string csv = formatTrajectoryCsv(rows, {"a", "b"});
  const std::string json = formatTrajectoryJson(BSpline(MatX::Random(2, 8), 1.5), {"a", "b"});
  constexpr std::string_view kPieces = "0919.-+eE,\n\r\"[]{}:; \t\xff\x01nulltime_velocity";
  const unsigned count = static_cast<unsigned>(test::samples(5000, 200000));
  for (unsigned seed = 0; seed < count; ++seed) {
    Random32 random(seed);
    std::string text = seed % 2 ? csv : json;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = kPieces[random() % kPieces.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        case 2:
          text.insert(at, 1, kPieces[random() % kPieces.size()]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
      if (text.empty()) text = "0";
    }
    errorOf([&] {
      const NamedTrajectory read =
          seed % 2 ? parseTrajectoryCsv(text, "x") : parseTrajectoryJson(text, "x");
      for (int order = 0; order < 4; ++order) {
        const VecX bound =
            read.trajectory.derivativeBound(order, {0.0, read.trajectory.duration()});
        EXPECT_TRUE(bound.allFinite()) << "seed " << seed;
      }
    });
  }
}

}  // namespace
}  // namespace allclear
