#include "allclear/planner/seeds/path_search.h"

#include <gtest/gtest.h>

#include "allclear/planner/seeds/coordinate_blocks.h"
#include "allclear/planner/seeds/seed_maker.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

TEST(PathSearch, WorkDoublesFromRunToRun) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(runShare(i + 1), 2 * runShare(i));
  EXPECT_EQ(runShare(0), 1);
  EXPECT_EQ(runShare(1000), runShare(2000));  // no overflow
}

/// What a search of the wall problem needs, held together.
struct WallSearch {
  explicit WallSearch(const PathSearchOptions& chosen)
      : options(chosen),
        evaluator(problem),
        certifier(problem, evaluator.model()),
        goal(std::get<JointTarget>(problem.goal).values),
        space(problem, goal, certifier.reach(problem.start)),
        search(problem, space, certifier, evaluator.builder().kinematics(), options) {}

  std::optional<FoundPath> find(const RunContext& context, std::uint64_t stream) {
    statistics = {};
    return search.find(problem.start, {goal}, context, stream, &statistics);
  }

  Problem problem = test::wallProblem();
  PathSearchOptions options;
  ClearanceEvaluator evaluator;
  SegmentCertifier certifier;
  VecX goal;
  ConfigurationSpace space;
  PathSearch search;
  PathSearchStatistics statistics;
};

TEST(PathSearch, ThreadsFindThePathOfOneThread) {
  // So little work per run that most streams need several: then threads have runs to share.
  WallSearch wall({.unit = 1});
  int most_runs = 0;
  for (std::uint64_t stream = 1; stream <= 12; ++stream) {
    SCOPED_TRACE("stream " + std::to_string(stream));
    RunContext context;
    const auto one = wall.find(context, stream);
    ASSERT_TRUE(one.has_value());
    const PathSearchStatistics alone = wall.statistics;
    most_runs = std::max(most_runs, alone.runs);
    for (int threads : {2, 3, 5}) {
      context.threads = threads;
      const auto several = wall.find(context, stream);
      ASSERT_TRUE(several.has_value());
      EXPECT_EQ(several->path, one->path);
      EXPECT_EQ(wall.statistics.runs, alone.runs);
      EXPECT_EQ(wall.statistics.work, alone.work);
      RandomStream a = one->random, b = several->random;
      EXPECT_EQ(a.uniform(), b.uniform());
    }
  }
  EXPECT_GT(most_runs, 3);
}

TEST(PathSearch, EndsWhenItsWorkIsDone) {
  WallSearch wall({.work = 7, .unit = 2});
  for (int threads : {1, 2}) {
    RunContext context;
    context.threads = threads;
    EXPECT_FALSE(wall.find(context, 1).has_value());
    EXPECT_LE(wall.statistics.runs, 3);  // 2, 4 and 1 of work
    // Edges of one step: a run may exceed its share by the edges of its last walk.
    EXPECT_GE(wall.statistics.work, 7);
  }
}

TEST(PathSearch, EndsAtAnyOfItsGoals) {
  Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const VecX near = VecX(problem.start) + Vec3(0.05, 0.05, 0.0);  // on this side of the wall
  const VecX inside = Vec3(0.0, 0.0, 0.0);                        // of the wall
  SeedOptions options;
  options.goals = {inside, near, goal};
  const auto seed = makeSeed(evaluator, goal, 1, {}, options);
  ASSERT_TRUE(seed.has_value());
  EXPECT_EQ(seed->path.back(), near);
  EXPECT_LT((seed->curve.value(seed->curve.duration()) - near).norm(), 1e-12);
  // A first goal that is not free leaves the others.
  EXPECT_EQ(makeSeed(evaluator, inside, 1, {}, options)->path.back(), near);
}

/// Two arms of three joints on one turning post: links 1, 2-4 and 5-7.
RobotModel twoArms() {
  RobotModel::Data data;
  data.name = "two_arms";
  data.links.push_back({"base", -1, {}, {}, {}});
  const std::vector<int> parents{0, 1, 2, 3, 1, 5, 6};
  for (int j = 0; j < static_cast<int>(parents.size()); ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.type = JointType::kRevolute;
    joint.parent_link = parents[j];
    joint.child_link = j + 1;
    joint.axis = Vec3::UnitZ();
    joint.first_coordinate = j;
    data.coordinates.push_back({joint.name, j, true, false, -2.0, 2.0, 2.0, 50.0});
    data.joints.push_back(joint);
    data.links.push_back({"link" + std::to_string(j + 1), j, {}, {}, {}});
  }
  return RobotModel(std::move(data));
}

TEST(CoordinateBlocks, AreTheArmsAndWhatCarriesBoth) {
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(twoArms());
  problem.start = VecX::Zero(7);
  problem.planned = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(coordinateBlocks(problem), (std::vector<std::vector<int>>{{0}, {1, 2, 3}, {4, 5, 6}}));
  problem.planned = {1, 3, 5};  // indices among the planned ones
  EXPECT_EQ(coordinateBlocks(problem), (std::vector<std::vector<int>>{{0, 1}, {2}}));
  problem.planned = {0, 2};
  EXPECT_EQ(coordinateBlocks(problem), (std::vector<std::vector<int>>{{0, 1}}));
  EXPECT_EQ(coordinateBlocks(test::wallProblem()), (std::vector<std::vector<int>>{{0, 1, 2}}));
}

}  // namespace
}  // namespace allclear
