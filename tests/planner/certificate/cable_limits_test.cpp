// What a certificate proves of cables: against points of all bodies at many instants, with none of
// its code; and forged certificates.
#include "allclear/planner/certificate/cable_limits.h"

#include "allclear/distance/minimum/cable/cable.h"
#include "allclear/distance/support.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/planner/problem/cables.h"
#include "planner/certificate/certificate_fixture.h"
#include "support/example_arm.h"
#include "support/long_run.h"

namespace allclear {
namespace {

using test::Random;
using test::splineOf;

constexpr double kDuration = 3.0;

/// The seven-axis arm turns; a hose from link 2 by link 4 to link 6; three bodies about it.
Problem hoseProblem(const Vec3& ball = {0.1, -0.9, 0.6}) {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -0.8, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  VecX goal(7);
  goal << 0.8, 0.4, 0.1, 1.1, 0.2, 0.6, 0.0;
  problem.goal = JointTarget{problem.planned, goal};
  const auto add = [&](const std::string& id, const Shape& shape, const Vec3& p) {
    Obstacle obstacle;
    obstacle.id = id;
    obstacle.X_WO.p = p;
    obstacle.geometry = {{shape, {}}};
    problem.obstacles.push_back(obstacle);
  };
  add("ball", Sphere(0.05), ball);
  add("crate", Box({0.2, 0.2, 0.2}), {-0.6, 0.2, 0.3});
  add("floor", HalfSpace(), {0.0, 0.0, -0.01});
  const auto clip = [&](const char* link, const Vec3& p) {
    return CableClip{problem.robot->findLink(link), p};
  };
  problem.cables.push_back({"hose",
                            {clip("link2", {0.0, 0.11, 0.10}), clip("link4", {0.0, 0.10, 0.10}),
                             clip("link6", {0.0, 0.08, 0.02})},
                            {0.43, 0.36},
                            0.012,
                            0.01,
                            {"link3", "link5"}});
  problem.collision.margin = 0.005;
  return problem;
}

Trajectory hoseMotion(const Problem& problem, std::uint64_t seed = 1, double bend = 0.1) {
  Random random(seed);
  return splineOf(problem, kDuration, random, bend);
}

std::vector<CertifiedLimit> cableLimits(const Problem& problem, const Trajectory& trajectory) {
  std::vector<CertifiedLimit> out;
  for (const CertifiedLimit& limit : certify(problem, trajectory).limits) {
    if (isCableLimit(limit)) out.push_back(limit);
  }
  return out;
}

const CertifiedLimit& limitNamed(const std::vector<CertifiedLimit>& limits,
                                 const std::string& quantity) {
  for (const CertifiedLimit& limit : limits) {
    if (limit.quantity == quantity) return limit;
  }
  throw std::runtime_error("no limit '" + quantity + "'");
}

/// Least room and greatest span seen at instants of a motion whose joints stray by `strayed`.
struct Seen {
  double span = 0.0, room = std::numeric_limits<double>::infinity();
};
Seen look(const Problem& problem, const Trajectory& trajectory, const CableStretch& stretch,
          const std::vector<Geometry>& geometry, int link, int obstacle, const VecX& strayed) {
  const MotionTree tree(*problem.robot);
  Random random(5);
  Seen seen;
  for (int i = 0; i <= 300; ++i) {
    const double t = kDuration * i / 300.0;
    const VecX q = problem.configuration(trajectory.value(t) + strayed);
    const auto X_WL = linkPosesOf(tree, std::vector<double>(q.begin(), q.end()));
    const Vec3 A = X_WL[stretch.a.link] * stretch.a.p_L, B = X_WL[stretch.b.link] * stretch.b.p_L;
    seen.span = std::max(seen.span, (A - B).norm());
    const Pose X = link >= 0 ? X_WL[link] : problem.obstacles[obstacle].pose(t);
    for (const Geometry& part : geometry) {
      if (std::holds_alternative<HalfSpace>(part.shape)) continue;
      for (int k = 0; k < 12; ++k) {
        const Vec3 x = X * part.X_BG * support(part.shape, random.direction());
        const double sum = (x - A).norm() + (x - B).norm();
        seen.room = std::min(seen.room, 0.5 * (sum - stretch.length) - stretch.radius);
      }
    }
  }
  return seen;
}

void expectBounds(const Problem& problem, const Trajectory& trajectory, const VecX& strayed) {
  const std::vector<CertifiedLimit> limits = cableLimits(problem, trajectory);
  const auto& links = problem.robot->links();
  for (const CableStretch& stretch : cableStretches(problem)) {
    const std::string clips = links[stretch.a.link].name + " to " + links[stretch.b.link].name;
    const CertifiedLimit& span = limitNamed(limits, "cable span from " + clips);
    const auto check = [&](const std::string& name, const std::vector<Geometry>& geometry, int link,
                           int obstacle) {
      const Seen seen = look(problem, trajectory, stretch, geometry, link, obstacle, strayed);
      EXPECT_LE(seen.span, span.upper);
      const CertifiedLimit& room = limitNamed(limits, "cable room to " + name + " from " + clips);
      EXPECT_LE(room.lower, seen.room) << room.quantity;
      EXPECT_GE(room.upper, room.lower);
    };
    for (const char* name : {"link0", "link1", "tool"}) {
      const int link = problem.robot->findLink(name);
      check(name, links[link].collision, link, -1);
    }
    for (int o = 0; o < static_cast<int>(problem.obstacles.size()); ++o) {
      check(problem.obstacles[o].id, problem.obstacles[o].geometry, -1, o);
    }
  }
}

TEST(CableLimits, BoundWhatSamplesShow) {
  for (int seed = 1; seed <= (test::isLong() ? 40 : 3); ++seed) {
    Problem problem = hoseProblem();
    if (seed % 2 == 0) {  // the ball moves, the crate is displaced
      problem.obstacles[0].motion = {{0.5, problem.obstacles[0].X_WO},
                                     {2.0, {Mat3::Identity(), {0.4, 0.2, 0.9}}}};
      problem.obstacles[1].spread.knots = {{0.0, Mat3::Identity() * 1e-4}};
    }
    expectBounds(problem, hoseMotion(problem, seed, 0.4), VecX::Zero(7));
  }
}

TEST(CableLimits, CountWhatMayStray) {
  Random random(3);
  for (int i = 0; i < (test::isLong() ? 20 : 2); ++i) {
    Problem problem = hoseProblem();
    problem.uncertainty.joints = VecX::Constant(7, 0.02);
    const Trajectory trajectory = hoseMotion(problem, 4, 0.2);
    VecX strayed = random.vectorX(7, 0.02);
    if (i % 2 == 0) strayed = strayed.cwiseSign() * 0.02;
    expectBounds(problem, trajectory, strayed);
    Problem exact = problem;
    exact.uncertainty = {};
    const std::string name = "cable span from link2 to link4";
    EXPECT_GT(limitNamed(cableLimits(problem, trajectory), name).upper,
              limitNamed(cableLimits(exact, trajectory), name).upper + 1e-3);
  }
}

TEST(CableLimits, ExemptWhatHoldsTheEndsAndWhatTheTaskAllows) {
  const Problem problem = hoseProblem();
  std::string all;
  for (const CertifiedLimit& limit : cableLimits(problem, hoseMotion(problem))) {
    all += limit.quantity + "; ";
  }
  EXPECT_EQ(all.find("link3 from"), std::string::npos) << all;
  EXPECT_EQ(all.find("room to link2 from link2 to link4"), std::string::npos);
  EXPECT_EQ(all.find("room to link4 from link4 to link6"), std::string::npos);
  EXPECT_NE(all.find("room to link6 from link2 to link4"), std::string::npos);
  EXPECT_NE(all.find("room to tool from link4 to link6"), std::string::npos);
  EXPECT_NE(all.find("room to floor from link4 to link6"), std::string::npos);
}

TEST(CableLimits, CertificateSaysWhatIsProvenAndWhatIsNot) {
  const Problem problem = hoseProblem();
  const Certificate certificate = certify(problem, hoseMotion(problem));
  ASSERT_TRUE(certificate.clear) << certificate.message;
  EXPECT_NE(certificate.message.find("Cable 'hose', whatever shape it takes, is never taut"),
            std::string::npos)
      << certificate.message;
  EXPECT_NE(assumptionsInBrief(certificate).find("1 cable flexible, clips fixed"),
            std::string::npos);
  const CertificateVerdict verdict = verifyCertificate(problem, certificate);
  EXPECT_TRUE(verdict.valid) << verdict.message;
  const Certificate read = parseCertificateJson(formatCertificateJson(certificate), "c.json");
  EXPECT_TRUE(verifyCertificate(problem, read).valid);
  // A proof for the independent checker leaves them to the certificate.
  EXPECT_NE(makeProof(problem, certificate).text.find("outside \"cable 'hose'"), std::string::npos);
}

// What was seen at an instant of one body says nothing of a nearer one that only has a bound.
TEST(CableLimits, SentenceNamesTheLeastOfAllBounds) {
  const Problem problem = hoseProblem();
  const auto room = [](const char* body, double lower, double upper) {
    CertifiedLimit limit{"hose", std::string("cable room to ") + body + " from a to b"};
    limit.lower = lower;
    limit.upper = upper;
    limit.lower_limit = 0.01;
    limit.kept = true;
    return limit;
  };
  CertifiedLimit span{"hose", "cable span from a to b"};
  span.upper_limit = 1.0;
  span.kept = true;
  constexpr double kUnseen = std::numeric_limits<double>::infinity();
  const auto sentence = [&](double lower, double upper) {
    return cableSentences(problem,
                          {span, room("post", 0.48, 0.481), room("ball", lower, upper)})[0];
  };
  EXPECT_NE(sentence(0.14, kUnseen).find("the least is at least 140 mm, cable room to ball"),
            std::string::npos);
  EXPECT_NE(sentence(0.14, 0.5).find("the least is at least 140 mm, cable room to ball"),
            std::string::npos);
  EXPECT_NE(sentence(0.14, 0.141).find("the least is between 140 and 141 mm"), std::string::npos);
  EXPECT_NE(sentence(0.5, kUnseen).find("the least is between 480 and 481 mm"), std::string::npos);
}

TEST(CableLimits, FaultsNameStretchInstantAndAmount) {
  Problem problem = hoseProblem();
  problem.cables[0].lengths[1] = 0.316;  // taut where link 6 stretches
  problem.cables[0].reserve = 0.0;
  const Certificate taut = certify(problem, hoseMotion(problem));
  EXPECT_FALSE(taut.clear);
  ASSERT_FALSE(taut.faults.empty());
  EXPECT_NE(taut.message.find("cable 'hose': "), std::string::npos) << taut.message;
  EXPECT_NE(taut.message.find(" mm short at t = "), std::string::npos);
  EXPECT_NE(taut.message.find(" s between link4 and link6"), std::string::npos);
  // A ball in the way of the hose alone.
  problem = hoseProblem();
  const MotionTree tree(*problem.robot);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const auto X_WL = linkPosesOf(tree, std::vector<double>(goal.begin(), goal.end()));
  const CableStretch stretch = cableStretches(problem)[0];
  const Pose &X_A = X_WL[stretch.a.link], &X_B = X_WL[stretch.b.link];
  problem.obstacles[0].geometry[0].shape = Sphere(0.02);
  problem.obstacles[0].X_WO.p =
      0.5 * (X_A * stretch.a.p_L + X_B * stretch.b.p_L) + 0.05 * X_A.R.col(1);
  const Certificate touching = certify(problem, hoseMotion(problem));
  EXPECT_FALSE(touching.clear);
  EXPECT_NE(touching.message.find("cable 'hose': may touch 'ball' at t = "), std::string::npos)
      << touching.message;
  Problem bare = problem;
  bare.cables.clear();
  EXPECT_TRUE(certify(bare, hoseMotion(bare)).clear);
}

TEST(CableLimits, ForgedOnesAreRefused) {
  const Problem problem = hoseProblem();
  const Certificate certificate = certify(problem, hoseMotion(problem));
  ASSERT_TRUE(certificate.clear) << certificate.message;
  std::size_t first = 0;
  while (!isCableLimit(certificate.limits[first])) ++first;
  const auto refuses = [&](auto&& forge, const Problem& of) {
    Certificate forged = certificate;
    forge(forged);
    return !verifyCertificate(of, forged).valid;
  };
  for (std::size_t i : {first, first + 1}) {
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].subject = "other"; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].quantity += "x"; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].lower += 0.01; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].lower -= 0.01; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].upper = 0.1; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].lower_limit -= 1e-3; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].upper_limit = 9.0; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].t += 0.5; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits[i].kept = false; }, problem));
    EXPECT_TRUE(refuses([&](auto& c) { c.limits.erase(c.limits.begin() + i); }, problem));
  }
  EXPECT_TRUE(refuses([](auto& c) { c.limits.push_back(c.limits.back()); }, problem));
  EXPECT_TRUE(refuses(
      [](auto& c) {
        for (Assumption& a : c.assumptions) {
          if (a.kind == "cables") a.text += " Nothing else.";
        }
      },
      problem));
  // The same certificate for another cable.
  const auto none = [](auto&) {};
  EXPECT_FALSE(refuses(none, problem));
  for (int k = 0; k < 5; ++k) {
    Problem other = problem;
    Cable& cable = other.cables[0];
    if (k == 0) cable.lengths[0] += 0.01;
    if (k == 1) cable.radius += 1e-3;
    if (k == 2) cable.reserve += 1e-3;
    if (k == 3) cable.clips[1].p_L.y() += 0.01;
    if (k == 4) cable.allowed.clear();
    EXPECT_TRUE(refuses(none, other)) << k;
  }
}

}  // namespace
}  // namespace allclear
