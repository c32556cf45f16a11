#include "allclear/apps/batch/results.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/progress.h"
#include "allclear/apps/batch/report_data.h"
#include "allclear/apps/batch/report_page.h"
#include "allclear/apps/batch/rested_on.h"
#include "allclear/apps/batch/svg.h"
#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear::batch {
namespace {

Query queryOf(std::int64_t number) {
  Query query;
  query.number = number;
  query.id = "scene/" + std::to_string(number);
  query.scene = "scene";
  query.parameters =
      R"({"x":)" + std::to_string(number % 2) + R"(,"y":)" + std::to_string(number / 2) + "}";
  return query;
}

Answer certified(std::int64_t number) {
  Answer answer;
  answer.number = number;
  answer.status = "certified";
  answer.message = "It keeps 5 mm.";
  answer.seconds = 0.25;
  answer.duration = 1.5;
  answer.clearance = 0.005;
  answer.seed = 7;
  answer.files = {{"trajectory.csv", "t\n" + std::to_string(number) + "\n"}};
  return answer;
}

Answer failed(std::int64_t number, const std::string& message) {
  Answer answer;
  answer.number = number;
  answer.status = "not_found";
  answer.message = message;
  return answer;
}

TEST(Messages, ComeBackAsTheyWere) {
  Answer answer = certified(3);
  answer.files.emplace_back("plan.proof", "line \"1\"\nline\t2 ⌀\n");
  const Answer back = parseAnswer(answerLine(answer));
  EXPECT_EQ(answerLine(back), answerLine(answer));
  EXPECT_EQ(back.files, answer.files);
  EXPECT_EQ(back.duration, answer.duration);
  EXPECT_FALSE(back.cost.has_value());
  EXPECT_EQ(answerLine(answer).find('\n'), std::string::npos) << "a message is one line";

  SolveSettings settings;
  settings.time_limit = 0.1;
  settings.seed = std::numeric_limits<std::uint64_t>::max();
  settings.files = {"csv"};
  const std::string line = queryLine(queryOf(5), settings);
  const auto [query, same] = parseQuery(line);
  EXPECT_EQ(same.time_limit, settings.time_limit);
  EXPECT_EQ(same.seed, settings.seed);
  EXPECT_EQ(query.number, 5);
  EXPECT_EQ(parseHello(helloLine({kProtocol, "1.2", 4}))->slots, 4);
  EXPECT_FALSE(parseHello(line).has_value());
  EXPECT_THROW(parseAnswer("{\"number\": 1"), std::runtime_error);
}

TEST(Results, KeepsRowsAndFilesWholeOrNotAtAll) {
  const test::TaskFolder folder;
  const auto run = folder.path() / "run";
  {
    Results results = Results::create(run);
    results.record(queryOf(1), certified(1), {});
    results.record(queryOf(2), failed(2, "no way"), {});
    EXPECT_THROW(Results::create(run), InputError) << "a run has one writer";
  }
  Results results = Results::create(run);
  EXPECT_EQ(results.finished(4, false), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(results.finished(4, true), (std::vector<bool>{false, true, false, false}));
  const Row row = *results.find("scene/1");
  EXPECT_EQ(row.answer.duration, 1.5);
  EXPECT_EQ(row.answer.seed, 7U);
  EXPECT_EQ(row.folder, "plans/000000/000000001");
  EXPECT_EQ(readFile(run / row.folder / "trajectory.csv"), "t\n1\n");
  EXPECT_FALSE(results.find("scene/9").has_value());

  // A row whose files have gone is solved again, and takes the old row's place.
  std::filesystem::remove_all(run / row.folder);
  EXPECT_FALSE(results.finished(4, false)[1]);
  results.record(queryOf(1), certified(1), {});
  results.record(queryOf(2), certified(2), {});
  EXPECT_EQ(results.counts(),
            (std::vector<std::pair<std::string, std::int64_t>>{{"certified", 2}}));
  EXPECT_THROW(Results::open(folder.path() / "nothing"), InputError);
}

TEST(Results, KnowWhichRowsRestOnFilesThatHaveChanged) {
  const test::TaskFolder folder;
  const auto scene = folder.write("scene.yaml", "a"), mesh = folder.write("mesh.stl", "b");
  const auto missing = folder.path() / "missing.yaml";
  Results results = Results::create(folder.path() / "run");
  // Anew each time: two writes may fall into one tick of the file system's clock.
  const auto record = [&](std::int64_t number, const std::vector<std::filesystem::path>& files) {
    Answer answer = certified(number);
    answer.rests_on = FileDigests().of(files);
    results.record(queryOf(number), parseAnswer(answerLine(answer)), {});
  };
  results.setFact("count", "5");
  record(0, {scene});
  record(1, {scene, mesh, scene});
  record(2, {mesh, missing});
  record(3, {});
  EXPECT_EQ(changedRows(results, 5).count, 0);
  EXPECT_EQ(changedRows(results, 5).text(), "");
  // As long as before, and perhaps in the same tick of the clock: the content counts.
  folder.write("scene.yaml", "c");
  ChangedRows changed = changedRows(results, 5);
  EXPECT_EQ(changed.rows, (std::vector<bool>{true, true, false, false, false}));
  EXPECT_EQ(changed.text(), "2 rows rest on files that have changed since: " + scene.string());
  folder.write("missing.yaml", "now it is there");
  std::filesystem::remove(mesh);
  changed = changedRows(results, 5);
  EXPECT_EQ(changed.rows, (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(changed.files.size(), 3U);
  EXPECT_NE(collectReport(results).changed.find("rows rest on files"), std::string::npos);
  record(1, {scene});
  folder.write("missing.yaml", "now it is another");
  EXPECT_EQ(changedRows(results, 5).rows[1], false);
}

// Such a run is that of an earlier version: nothing says what its rows rest on.
TEST(Results, RowsThatNameNoFilesCountAsChanged) {
  const test::TaskFolder folder;
  const auto run = folder.path() / "run";
  {
    Results results = Results::create(run);
    results.record(queryOf(0), certified(0), {});
    results.record(queryOf(1), failed(1, "no way"), {});
  }
  sqlite3* database = nullptr;
  ASSERT_EQ(::sqlite3_open((run / "results.sqlite").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      ::sqlite3_exec(database, "ALTER TABLE results DROP COLUMN rests_on; DROP TABLE rests_on",
                     nullptr, nullptr, nullptr),
      SQLITE_OK);
  ::sqlite3_close(database);
  EXPECT_EQ(collectReport(Results::open(run)).all, 2);
  const Results results = Results::create(run);
  EXPECT_EQ(changedRows(results, 2).rows, (std::vector<bool>{true, false}));
}

TEST(RunReport, CountsScenesCausesAndCells) {
  const test::TaskFolder folder;
  Results results = Results::create(folder.path() / "run");
  results.setFact("count", "6");
  results.record(queryOf(0), certified(0), {});
  results.record(queryOf(1), failed(1, "'a' and 'b' touch at t = 1.5 s."), {});
  results.record(queryOf(2), failed(2, "'c' and 'd' touch at t = 0.25 s."), {});
  results.record(queryOf(3), failed(3, "<script>alert(1)</script>"), {});
  const RunReport report = collectReport(results);
  EXPECT_EQ(report.all, 4);
  EXPECT_EQ(report.certified, 1);
  EXPECT_EQ(report.causes.size(), 2U);
  EXPECT_EQ(report.causes.at("not_found: '..' and '..' touch at t = N s.").count, 2);
  EXPECT_EQ(report.map.size(), 4U);
  EXPECT_EQ(report.map.at({0.0, 0.0}).certified, 1);
  ASSERT_EQ(report.items.size(), 4U);
  EXPECT_EQ(report.items[0].status, "not_found") << "failures first";
  const std::string page = formatRunReport("run", report);
  EXPECT_NE(page.find("1 of 6 queries have a certified plan"), std::string::npos);
  EXPECT_NE(page.find("plans/000000/000000000/"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos) << "text of users is no markup";
}

TEST(RunReport, PicturesTakeAnyNumbers) {
  EXPECT_EQ(histogramSvg({}, "s", false), "");
  EXPECT_EQ(histogramSvg({std::nan(""), -1.0, 0.0}, "s", true), "");
  for (const bool log_scale : {false, true}) {
    for (const auto& values : {std::vector<double>{2.0}, {1.0, 1.0, 1.0}, {1e-3, 1.0, 1e3}}) {
      const std::string svg = histogramSvg(values, "s", log_scale);
      EXPECT_NE(svg.find("median"), std::string::npos);
      EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
    }
  }
}

TEST(Progress, SaysRateAndTimeLeft) {
  Progress progress(10, 40, true);
  for (int i = 0; i < 10; ++i) progress.add(i > 0);
  EXPECT_EQ(progress.text(5.0, false), "20/40  9 certified, 1 not  2/s  10 s left");
  EXPECT_EQ(progress.text(5.0, true).substr(0, 27), "[############............] ");
  EXPECT_EQ(Progress(0, 5, true).text(0.0, false), "0/5  0 certified, 0 not  0/s  - left");
  EXPECT_EQ(spanText(3700.0), "1 h 1 min");
  EXPECT_EQ(spanText(200.0), "3 min 20 s");
}

TEST(BatchCauses, LeaveOutWhatDiffersFromRowToRow) {
  EXPECT_EQ(causeOf("bad_input", "/a/b.yaml:3: joint 'x' is -1.5e-3, see /c and a/b"),
            "bad_input: FILE:N: joint '..' is N, see FILE and a/b");
  EXPECT_EQ(causeOf("crashed", "signal 11 / it's -e5 7e"), "crashed: signal N / it's -eN Ne");
  EXPECT_EQ(causeOf("s", ""), "s: ");
}

TEST(Results, AFactThatCannotBeWrittenIsAnError) {
  const test::TaskFolder folder;
  Results results = Results::create(folder.path() / "run");
  results.setFact("a", "1");
  sqlite3* other = nullptr;
  ASSERT_EQ(::sqlite3_open((folder.path() / "run/results.sqlite").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(other, "DROP TABLE run", nullptr, nullptr, nullptr), SQLITE_OK);
  ::sqlite3_close(other);
  EXPECT_THROW(results.setFact("a", "2"), InputError);
}

TEST(Results, ARunThatWasRefusedLeavesNothing) {
  const test::TaskFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  Results::create(run).removeUnlessUsed();
  EXPECT_FALSE(std::filesystem::exists(run));
  // Nothing of somebody else's goes, and no run that has begun.
  std::filesystem::create_directory(run);
  folder.write("run/notes.txt", "mine");
  Results::create(run).removeUnlessUsed();
  EXPECT_TRUE(std::filesystem::exists(run / "notes.txt"));
  EXPECT_FALSE(std::filesystem::exists(run / "results.sqlite"));
  Results::create(run).setFact("a", "1");
  Results::create(run).removeUnlessUsed();
  EXPECT_TRUE(std::filesystem::exists(run / "results.sqlite")) << "it was there before";
}

}  // namespace
}  // namespace allclear::batch
