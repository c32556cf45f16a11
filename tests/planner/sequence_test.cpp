// Sequences of motions: states between them, certificates of the whole, and the search that looks
// ahead.

#include <gtest/gtest.h>

#include <array>

#include "allclear/distance/cloud.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/sequence_state.h"
#include "allclear/planner/search/sequence_search.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

// --- A checker of its own: the plane arm's boxes as rectangles, apart by a separating axis.

struct Rectangle {
  Eigen::Vector2d center;
  double angle = 0.0;
  Eigen::Vector2d half;
};

Rectangle rectangleOf(const Pose& X_WB, const Geometry& box) {
  const Pose X = X_WB * box.X_BG;
  const Vec3 half = 0.5 * std::get<Box>(box.shape).size();
  return {X.p.head<2>(), std::atan2(X.R(1, 0), X.R(0, 0)), half.head<2>()};
}

/// The greatest gap along the sides' normals: below the distance, and above 0 if they are apart.
double gapOf(const Rectangle& a, const Rectangle& b) {
  double gap = -1e9;
  for (const double angle : {a.angle, a.angle + 0.5 * M_PI, b.angle, b.angle + 0.5 * M_PI}) {
    const Eigen::Vector2d n(std::cos(angle), std::sin(angle));
    const auto reach = [&](const Rectangle& r) {
      const Eigen::Vector2d x(std::cos(r.angle), std::sin(r.angle)), y(-x.y(), x.x());
      return r.half.x() * std::abs(n.dot(x)) + r.half.y() * std::abs(n.dot(y));
    };
    gap = std::max(gap, std::abs(n.dot(b.center - a.center)) - reach(a) - reach(b));
  }
  return gap;
}

/// Poses of the plane arm's links from its joint angles: link i begins 0.4 m after link i - 1.
std::array<Pose, 3> armPoses(const VecX& q) {
  std::array<Pose, 3> X_WL;
  double angle = 0.0;
  Vec3 p = Vec3::Zero();
  for (int i = 0; i < 3; ++i) {
    if (i > 0) p += 0.4 * Vec3(std::cos(angle), std::sin(angle), 0.0);
    angle += q[i];
    X_WL[i].p = p;
    X_WL[i].R = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
  }
  return X_WL;
}

// --- A task: take up a part in the plane, carry it past a wall, put it down, come back.

SequenceStep motion(const std::string& name, std::function<void(Problem*)> complete) {
  SequenceMotion out;
  out.name = name;
  out.problem = [complete](const Problem& shared) {
    Problem problem = shared;
    complete(&problem);
    return problem;
  };
  return {std::move(out), {}};
}

SequenceStep toJoints(const std::string& name, const Vec3& q) {
  return motion(name, [q](Problem* p) { p->goal = JointTarget{{0, 1, 2}, q}; });
}

const Vec3 kTake(-0.7, 0.2, 0.1), kPut(0.7, -0.2, -0.1), kHome(1.2, -0.4, -0.3);

Sequence carrying() {
  Sequence sequence;
  Problem& shared = sequence.shared;
  shared = test::wallProblem();
  shared.start = Vec3(-1.2, 0.5, 0.4);
  // Beside the end of the arm where it takes the part, 2 mm away.
  const std::array<Pose, 3> X_WL = armPoses(kTake);
  Obstacle part{"part",
                X_WL[2] * Pose{Mat3::Identity(), Vec3(0.382 + 0.025, 0.0, 0.0)},
                {{Box(Vec3(0.046, 0.06, 0.05)), Pose()}},
                {}};
  shared.obstacles.push_back(part);
  const int hand = shared.robot->findLink("link2");
  sequence.steps.push_back(toJoints("reach", kTake));
  sequence.steps.push_back({SequenceAttach{"part", hand, {}, {}}, {}});
  sequence.steps.push_back(toJoints("carry", kPut));
  sequence.steps.push_back({SequenceDetach{"part"}, {}});
  sequence.steps.push_back(toJoints("home", kHome));
  return sequence;
}

std::vector<Certificate> certificatesOf(const SequenceCertificate& whole) {
  std::vector<Certificate> out;
  for (const SequenceSegment& segment : whole.segments) out.push_back(segment.certificate);
  return out;
}

/// A motion straight from one configuration to another in T seconds, at rest at both ends.
Trajectory straight(const Vec3& from, const Vec3& to, double T) {
  MatX positions(3, 2);
  positions << from, to;
  const MatX rest = MatX::Zero(3, 2);
  return HermiteCurve({0.0, T}, positions, rest, rest);
}

TEST(Sequence, RestsAtItsEndsToTheBit) {
  const Vec3 from(0.1, 0.2, 0.3);
  const HermiteCurve given = *straight(from, kTake, 2.0).hermite();
  MatX velocities = given.velocities();
  velocities(0, 1) = 1e-13;
  const Trajectory rounded =
      HermiteCurve(given.times(), given.positions(), velocities, given.accelerations());
  const auto rows = restingAtEnds(rounded, from + Vec3(1e-14, 0.0, 0.0));
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->value(0.0), from + Vec3(1e-14, 0.0, 0.0));
  EXPECT_TRUE(rows->value(2.0, 1).isZero(0.0));
  EXPECT_FALSE(restingAtEnds(rounded, from + Vec3(1e-3, 0.0, 0.0)).has_value());
}

/// Motions that are given, without any search: the part counts where it is carried, and no longer
/// where it was.
TEST(Sequence, IsCertifiedOfGivenMotions) {
  Sequence sequence = carrying();
  Obstacle& wall = sequence.shared.obstacles[0];
  wall.X_WO.p = Vec3(3.0, 0.0, 0.0);
  const Vec3 start = sequence.shared.start.head<3>();
  const std::vector<Trajectory> motions{straight(start, kTake, 2.0), straight(kTake, kPut, 4.0),
                                        straight(kPut, kHome, 2.5)};
  const SequenceCertificate good = certifySequence(sequence, motions);
  ASSERT_TRUE(good.clear) << good.message;
  EXPECT_EQ(good.segments[2].start_time, 6.0);
  EXPECT_EQ(good.events[0].time, 2.0);
  EXPECT_EQ(good.events[1].link, "link2");
  const std::vector<Certificate> certificates = certificatesOf(good);
  EXPECT_TRUE(verifySequence(sequence, certificates).valid)
      << verifySequence(sequence, certificates).message;
  for (int forgery = 0; forgery < 4; ++forgery) {
    std::vector<Certificate> forged = certificates;
    Sequence other = sequence;
    if (forgery == 0) std::swap(forged[0], forged[2]);
    if (forgery == 1) forged.pop_back();
    if (forgery == 2) std::swap(other.steps[1], other.steps[2]);   // taken later
    if (forgery == 3) other.steps.erase(other.steps.begin() + 3);  // never put down
    EXPECT_FALSE(verifySequence(other, forged).valid) << forgery;
  }
  // A motion that does not begin where the one before it ends is none.
  std::vector<Trajectory> torn = motions;
  torn[1] = straight(kTake + Vec3(1e-9, 0.0, 0.0), kPut, 4.0);
  EXPECT_THROW(certifySequence(sequence, torn), InputError);
  // A wall that only the part can reach: the arm ends 1.18 m from its base, the part 1.23 m.
  wall.geometry = {{Box(Vec3(0.02, 0.02, 0.4)), Pose()}};
  wall.X_WO.p = Vec3(1.21, 0.0, 0.0);
  const SequenceCertificate hit = certifySequence(sequence, motions);
  EXPECT_FALSE(hit.clear);
  EXPECT_NE(hit.message.find("segment 'carry'"), std::string::npos) << hit.message;
  EXPECT_NE(hit.message.find("'part' and 'wall'"), std::string::npos) << hit.message;
  // The whole, and cut again.
  const NamedTrajectory whole = wholeTrajectory(sequence.shared, good.segments);
  EXPECT_EQ(whole.trajectory.duration(), 8.5);
  const std::vector<std::string> names = whole.joint_names;
  const std::vector<Trajectory> parts = cutAt(whole, {2.0, 6.0, 8.5}, {names, names, names});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(parts[i].value(0.3), motions[i].value(0.3));
}

TEST(Sequence, IsClearAtDenseInstantsWithBodiesAsTheyAreThen) {
  const Sequence sequence = carrying();
  const SequencePlan plan = planSequence(sequence, {.time_limit = 60.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  ASSERT_EQ(plan.certificate.segments.size(), 3U);
  const Trajectory& whole = plan.trajectory->trajectory;
  EXPECT_NEAR(whole.duration(), plan.certificate.duration, 1e-9);
  ASSERT_EQ(plan.certificate.events.size(), 2U);
  const double taken = plan.certificate.events[0].time, left = plan.certificate.events[1].time;
  EXPECT_GT(left, taken);
  const Obstacle& wall = sequence.shared.obstacles[0];
  const Obstacle& part = sequence.shared.obstacles[1];
  const Pose X_LP = armPoses(kTake)[2].inverse() * part.X_WO;
  const Pose X_WPut = armPoses(kPut)[2] * X_LP;
  constexpr int kInstants = 3000;
  for (int i = 0; i <= kInstants; ++i) {
    const double t = whole.duration() * i / kInstants;
    const std::array<Pose, 3> X_WL = armPoses(whole.value(t));
    const bool is_carried = t > taken && t < left;
    const Pose X_WP = t <= taken ? part.X_WO : t >= left ? X_WPut : X_WL[2] * X_LP;
    const Rectangle of_part = rectangleOf(X_WP, part.geometry[0]);
    const Rectangle of_wall = rectangleOf(wall.X_WO, wall.geometry[0]);
    for (int l = 0; l < 3; ++l) {
      const Rectangle link =
          rectangleOf(X_WL[l], sequence.shared.robot->links()[l + 1].collision[0]);
      ASSERT_GT(gapOf(link, of_wall), 0.0) << "link" << l << " at " << t;
      if (is_carried && l == 2) continue;
      ASSERT_GT(gapOf(link, of_part), 0.0) << "link" << l << " at " << t;
    }
    if (!is_carried) continue;
    ASSERT_GT(gapOf(of_part, of_wall), 0.0) << "part at " << t;
  }
}

TEST(Sequence, JoinsToTheBitAndAtRest) {
  const Sequence sequence = carrying();
  const SequencePlan plan = planSequence(sequence, {.time_limit = 60.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  VecX end = sequence.shared.start;
  double time = 0.0;
  for (const SequenceSegment& segment : plan.certificate.segments) {
    const Trajectory& trajectory = segment.certificate.trajectory.trajectory;
    EXPECT_EQ(segment.start_time, time);
    EXPECT_EQ(trajectory.value(0.0), end);
    for (int order : {1, 2}) {
      EXPECT_TRUE(trajectory.value(0.0, order).isZero(0.0));
      EXPECT_TRUE(trajectory.value(trajectory.duration(), order).isZero(0.0));
    }
    // The whole has the same rows, and runs through them with the same motion.
    for (int i = 0; i <= 100; ++i) {
      const double t = trajectory.duration() * i / 100.0;
      const VecX off =
          plan.trajectory->trajectory.value(segment.start_time + t) - trajectory.value(t);
      EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-12);
    }
    end = trajectory.value(trajectory.duration());
    time = std::round((time + trajectory.duration()) * 1e9) / 1e9;
  }
  // Cut at the joints of the segments, the whole gives the segments back.
  std::vector<double> ends;
  std::vector<std::vector<std::string>> joints;
  std::vector<Trajectory> given;
  for (std::size_t i = 0; i < plan.certificate.segments.size(); ++i) {
    const SequenceSegment& segment = plan.certificate.segments[i];
    given.push_back(segment.certificate.trajectory.trajectory);
    ends.push_back(i + 1 < plan.certificate.segments.size()
                       ? plan.certificate.segments[i + 1].start_time
                       : plan.certificate.duration);
    joints.push_back(plannedNames(segment.problem));
  }
  const std::vector<Trajectory> parts = cutAt(*plan.trajectory, ends, joints);
  const SequenceCertificate again = certifySequence(sequence, parts);
  EXPECT_TRUE(again.clear) << again.message;
  EXPECT_THROW(cutAt(*plan.trajectory, {ends[0] + 1e-3, ends[1], ends[2]}, joints), InputError);
  joints[1].pop_back();
  EXPECT_THROW(cutAt(*plan.trajectory, ends, joints), InputError);
}

TEST(Sequence, IsVerifiedAsAWholeOnly) {
  const Sequence sequence = carrying();
  const SequencePlan plan = planSequence(sequence, {.time_limit = 60.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  const std::vector<Certificate> good = certificatesOf(plan.certificate);
  EXPECT_TRUE(verifySequence(sequence, good).valid) << verifySequence(sequence, good).message;
  std::vector<Certificate> swapped = good;
  std::swap(swapped[0], swapped[2]);
  EXPECT_FALSE(verifySequence(sequence, swapped).valid);
  std::vector<Certificate> dropped(good.begin(), good.end() - 1);
  EXPECT_FALSE(verifySequence(sequence, dropped).valid);
  // The same motions, but the part is never taken, or taken and never left.
  Sequence idle = sequence;
  idle.steps.erase(idle.steps.begin() + 1);
  EXPECT_FALSE(verifySequence(idle, good).valid);
  Sequence keeps = sequence;
  keeps.steps.erase(keeps.steps.begin() + 3);
  EXPECT_FALSE(verifySequence(keeps, good).valid);
  // Taken one motion later.
  Sequence late = sequence;
  std::swap(late.steps[1], late.steps[2]);
  EXPECT_FALSE(verifySequence(late, good).valid);
}

// Of a goal with alternatives the verdict of the whole says which one each motion ends at, and what
// follows begins there.
TEST(Sequence, NamesTheAlternativesThatItReaches) {
  Sequence sequence = carrying();
  const auto any = [](const Vec3& q) {
    AnyTarget goal;
    goal.alternatives.push_back({"beyond", JointTarget{{0, 1, 2}, Vec3(9.0, 0.0, 0.0)}});
    goal.alternatives.push_back({"there", JointTarget{{0, 1, 2}, q}});
    return goal;
  };
  sequence.steps[2] = motion("carry", [&](Problem* p) { p->goal = any(kPut); });
  sequence.steps[4] = motion("home", [&](Problem* p) { p->goal = any(kHome); });
  const SequencePlan plan = planSequence(sequence, {.time_limit = 60.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  for (const char* words :
       {"'carry' reaches 'there' (2 of 2)", "'home' reaches 'there' (2 of 2)"}) {
    EXPECT_NE(plan.message.find(words), std::string::npos) << plan.message;
  }
}

TEST(Sequence, SaysWhatItTakesForGranted) {
  const SequencePlan plan = planSequence(carrying(), {.time_limit = 60.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  for (const char* words :
       {"in 3 segments", "\n  from 0 s: '", " s: 'part' is taken up by 'link2'\n  from ",
        " s: 'part' is let go of by 'link2'\n  from ",
        "an object that is carried does not move in its link",
        "The robot may pause between two segments."}) {
    EXPECT_NE(plan.message.find(words), std::string::npos) << words << "\n" << plan.message;
  }
}

TEST(Sequence, NamesTheFirstMotionWithoutAPlan) {
  Sequence sequence = carrying();
  // Once carried, the part would have to pass through a wall that closes the way.
  sequence.shared.obstacles[0].geometry = {{Box(Vec3(3.0, 0.04, 0.4)), Pose()}};
  sequence.shared.obstacles[0].X_WO.p = Vec3(1.6, 0.0, 0.0);
  const SequencePlan plan = planSequence(sequence, {.time_limit = 5.0, .attempts = 2});
  EXPECT_NE(plan.status, PlanStatus::kCertified);
  ASSERT_TRUE(plan.failure.has_value());
  EXPECT_EQ(plan.failure->segment, "segment 'carry' (2 of 3)");
  EXPECT_NE(plan.message.find("segment 'carry' (2 of 3)"), std::string::npos) << plan.message;
  EXPECT_EQ(plan.message.find("No plan: "), std::string::npos) << plan.message;  // said already
  EXPECT_TRUE(plan.certificate.segments.empty());
  EXPECT_FALSE(plan.certificate.clear);
}

/// The search once went one call deeper at every step.
TEST(Sequence, MayBeLongerThanAStackIsDeep) {
  Sequence sequence = carrying();
  const SequenceStep attach = sequence.steps[1], detach = sequence.steps[3];
  sequence.steps.resize(1);
  for (int i = 0; i < 4000; ++i) {
    sequence.steps.push_back(attach);
    sequence.steps.push_back(detach);
  }
  const SequencePlan plan = planSequence(sequence, {.time_limit = 60.0});
  EXPECT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_EQ(plan.certificate.segments.size(), 1u);
}

TEST(Sequence, FailsWhereAnEventCannotBe) {
  Sequence sequence = carrying();
  sequence.steps[3] = {SequenceDetach{"nobody"}, {"task.yaml", 7, "segments[3]", ""}};
  const SequencePlan plan = planSequence(sequence, {.time_limit = 60.0});
  EXPECT_NE(plan.status, PlanStatus::kCertified);
  EXPECT_TRUE(plan.certificate.segments.empty());
  ASSERT_TRUE(plan.failure.has_value());
  EXPECT_EQ(plan.failure->segment, "segment 'carry' (2 of 3)");
  EXPECT_NE(plan.message.find("'nobody' is not carried then"), std::string::npos) << plan.message;
}

TEST(Sequence, RefusesEventsThatCannotBe) {
  const auto complaint = [](const Sequence& sequence) -> std::string {
    try {
      SequenceState state = sequenceStart(sequence);
      for (const SequenceStep& step : sequence.steps) state = afterEvent(sequence, step, state);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Sequence sequence = carrying();
  EXPECT_EQ(complaint(sequence), "");
  sequence.steps.push_back({SequenceDetach{"part"}, {"task.yaml", 7, "segments[5]", ""}});
  EXPECT_NE(complaint(sequence).find("task.yaml:7"), std::string::npos) << complaint(sequence);
  EXPECT_NE(complaint(sequence).find("'part' is not carried then"), std::string::npos);
  sequence = carrying();
  sequence.shared.obstacles[1].motion = {{0.0, Pose()}, {1.0, Pose()}};
  EXPECT_NE(complaint(sequence).find("moves by itself"), std::string::npos);
  // Its points would be in no claim any more: what is carried has shapes alone.
  sequence = carrying();
  sequence.shared.obstacles[1].geometry.clear();
  sequence.shared.obstacles[1].cloud =
      std::make_shared<const Cloud>(Cloud::balls({Vec3::Zero()}, 0.02));
  EXPECT_NE(complaint(sequence).find("is a cloud"), std::string::npos) << complaint(sequence);
  sequence = carrying();
  sequence.shared.uncertainty.obstacles = VecX::Zero(2);
  EXPECT_EQ(complaint(sequence), "");
  sequence.shared.uncertainty.obstacles[1] = 1e-3;
  EXPECT_NE(complaint(sequence).find("uncertainty"), std::string::npos);
}

/// An obstacle that comes down into the arm's way in the second motion, counted from the start of
/// the whole.
TEST(Sequence, CountsMotionsOfObstaclesFromItsStart) {
  Sequence sequence;
  sequence.shared = test::wallProblem();
  sequence.shared.obstacles.clear();
  sequence.shared.start = Vec3(-0.7, 0.0, 0.0);
  Obstacle gate{"gate", Pose(), {{Box(Vec3(0.1, 0.1, 0.1)), Pose()}}, {}};
  Pose away, there;
  away.p = Vec3(0.9, 0.0, 3.0);
  there.p = Vec3(0.9, 0.0, 0.0);
  gate.motion = {{0.0, away}, {4.0, away}, {5.0, there}, {7.0, there}, {8.0, away}};
  sequence.shared.obstacles = {gate};
  const auto fixed = [](double T, const Vec3& q) {
    return motion(q[0] < 0 ? "wait" : "pass", [T, q](Problem* p) {
      p->goal = JointTarget{{0, 1, 2}, q};
      p->duration = {T, T};
    });
  };
  sequence.steps = {fixed(2.0, Vec3(-0.6, 0.0, 0.0)), fixed(1.9, Vec3(0.7, 0.0, 0.0))};
  const SequencePlan before = planSequence(sequence, {.time_limit = 60.0});
  ASSERT_EQ(before.status, PlanStatus::kCertified) << before.message;
  EXPECT_NE(before.message.find("without a pause"), std::string::npos);
  const Problem& second = before.certificate.segments[1].problem;
  EXPECT_DOUBLE_EQ(second.obstacles[0].motion[2].time, 3.0);
  for (double t : {0.0, 1.7, 2.4, 3.1}) {
    EXPECT_TRUE(second.obstacles[0].pose(t).p.isApprox(gate.pose(t + 2.0).p, 1e-12));
  }
  // Slower, the same way is barred when the second motion comes to it.
  sequence.steps = {fixed(4.5, Vec3(-0.6, 0.0, 0.0)), fixed(1.9, Vec3(0.7, 0.0, 0.0))};
  std::vector<Trajectory> motions;
  for (const SequenceSegment& segment : before.certificate.segments) {
    motions.push_back(segment.certificate.trajectory.trajectory);
  }
  const HermiteCurve& first = *motions[0].hermite();
  std::vector<double> times = first.times();
  for (double& t : times) t *= 4.5 / 2.0;
  motions[0] = HermiteCurve(times, first.positions(), first.velocities() / 2.25,
                            first.accelerations() / (2.25 * 2.25));
  const SequenceCertificate late = certifySequence(sequence, motions);
  EXPECT_FALSE(late.clear);
  EXPECT_NE(late.message.find("segment 'pass'"), std::string::npos) << late.message;
  EXPECT_NE(late.message.find("'gate'"), std::string::npos) << late.message;
}

/// The tip's place can be reached with the elbow on either side; the next motion turns the first
/// joint alone, and a post leaves room for that on one side only: not on that which is nearest.
TEST(Sequence, EndsAMotionWhereTheNextOneCanBegin) {
  Sequence sequence;
  Problem& shared = sequence.shared;
  shared = test::wallProblem();
  shared.obstacles.clear();
  shared.start = Vec3(0.5, -0.9, -0.1);  // the elbow above the line to the tip
  PoseTarget tip;
  tip.link = shared.robot->findLink("link1");
  tip.X_LP.p = Vec3(0.4, 0.0, 0.0);
  tip.X_WP.p = Vec3(0.7, 0.0, 0.0);
  tip.angle_tolerance = std::numeric_limits<double>::infinity();
  sequence.steps.push_back(motion("reach", [tip](Problem* p) {
    p->planned = {0, 1};
    p->goal = tip;
  }));
  sequence.steps.push_back(motion("turn", [](Problem* p) {
    p->planned = {0};
    p->goal = JointTarget{{0}, VecX::Constant(1, p->start[0] + 0.9)};
  }));
  // Where the elbow comes when it is above and turns on by 0.9 rad: 0.4 m away at 0.5 + 0.9 rad.
  Obstacle post{"post", Pose(), {{Box(Vec3(0.08, 0.08, 0.2)), Pose()}}, {}};
  post.X_WO.p = Vec3(0.36 * std::cos(1.25), 0.36 * std::sin(1.25), 0.0);
  shared.obstacles = {post};
  // By itself the first motion ends at the nearer side, from which there is no second one.
  const Problem first = segmentProblem(sequence, 0, sequenceStart(sequence));
  const Plan alone = plan(first, {.time_limit = 30.0, .improve = Improve::kNone});
  ASSERT_EQ(alone.status, PlanStatus::kCertified) << alone.message;
  EXPECT_LT(alone.trajectory->value(alone.trajectory->duration())[1], 0.0);
  const SequenceState after = afterMotion(first, *alone.trajectory, sequenceStart(sequence));
  EXPECT_EQ(plan(segmentProblem(sequence, 1, after), {.time_limit = 10.0}).status,
            PlanStatus::kNotFound);
  const SequencePlan both = planSequence(sequence, {.time_limit = 30.0});
  ASSERT_EQ(both.status, PlanStatus::kCertified) << both.message;
  EXPECT_GT(both.certificate.segments[0].certificate.trajectory.trajectory.value(1e9)[1], 0.0);
  EXPECT_GT(both.statistics.looks, 0);
  // The same for every number of threads.
  const SequencePlan again = planSequence(sequence, {.time_limit = 30.0, .threads = 1});
  ASSERT_TRUE(again.trajectory.has_value());
  EXPECT_TRUE(isSameTrajectory(*again.trajectory, *both.trajectory));
}

}  // namespace
}  // namespace allclear
