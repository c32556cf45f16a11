// Impacts and inverse masses.
//
// First the table of D. Jeong, E. Kim, K. Ryu, "Faster collision response through reformulating
// linear equations": the linear system of M. Moore and J. Wilhelms (1988) for two colliding trees
// of bodies, eliminated by 3x3 blocks in the paper's orders, beside the recursion. All times are
// for the whole answer: the system assembled and solved; the robot placed, the impulse found, all
// velocities after and what passes through every joint. Then the inverse mass of every link of real
// robots (ALLCLEAR_DATA), beside joint space.
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <random>
#include <vector>

#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/impact.h"
#include "allclear/robot_models/load_robot.h"
#include "bench/support/bench_report.h"
#include "support/impulse_robot.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined: no such value is passed by a call

namespace allclear {
namespace {

using test::ImpulseOrder;
using test::ImpulsePivot;
using test::ImpulseRobot;
using test::MooreImpulses;

constexpr int kDraws = 4;

struct Order {
  const char* name;
  ImpulseOrder order;
  ImpulsePivot pivot;
};

constexpr Order kOrders[] = {{"A", ImpulseOrder::kA, ImpulsePivot::kOwn},
                             {"A_leaves", ImpulseOrder::kALeaves, ImpulsePivot::kOwn},
                             {"B", ImpulseOrder::kB, ImpulsePivot::kOwn},
                             {"B_leaves", ImpulseOrder::kBLeaves, ImpulsePivot::kOwn},
                             {"C", ImpulseOrder::kC, ImpulsePivot::kOwn},
                             {"listed_A", ImpulseOrder::kA, ImpulsePivot::kListed},
                             {"listed_B", ImpulseOrder::kB, ImpulsePivot::kListed},
                             {"listed_C", ImpulseOrder::kC, ImpulsePivot::kListed}};
/// Orders that are too slow to be timed beyond this number of bodies.
constexpr int kSlowBodies = 80;

/// Greatest difference of velocities, relative to the greatest velocity.
double difference(const test::ImpulseSolution& a, const test::ImpulseSolution& b) {
  double most = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.v.size(); ++i) {
    // A solution that failed is NaN, and must show.
    const double d = std::max((a.v[i] - b.v[i]).norm(), (a.w[i] - b.w[i]).norm());
    if (!(d <= most)) most = d;
    size = std::max({size, b.v[i].norm(), b.w[i].norm()});
  }
  return most / size;
}

/// Two trees by recursion.
class Recursion {
 public:
  explicit Recursion(const ImpulseRobot& robot)
      : robot_(robot),
        impacts_(robot.model),
        effective_(impacts_.inertia()),
        workspace_(impacts_.makeWorkspace()),
        q_(VecX::Zero(robot.model.dimension())) {}

  const ImpactResponse& answer() {
    effective_.place(q_, workspace_);
    impacts_.respond(robot_.impact, robot_.rates, workspace_, response_);
    return response_;
  }
  test::ImpulseSolution solution() {
    answer();
    test::ImpulseSolution out;
    for (std::size_t i = 0; i < robot_.scene.bodies.size(); ++i) {
      const test::ImpulseBody& body = robot_.scene.bodies[i];
      const int link = robot_.link_of[i];
      out.v.push_back(
          effective_.pointVelocity(link, body.p_C, response_.velocity_after, workspace_));
      out.w.push_back(body.w + effective_.velocityChange(link, workspace_).angular);
    }
    return out;
  }

 private:
  const ImpulseRobot& robot_;
  RobotImpacts impacts_;
  const EffectiveInertia& effective_;
  RobotImpacts::Workspace workspace_;
  VecX q_;
  ImpactResponse response_;
};

struct Kind {
  const char* name;
  bool chains;
  bool loops;
};

void compareOrders(const Kind& kind, int bodies, bench::Report* report) {
  test::Random random(static_cast<std::uint64_t>(bodies) + (kind.chains ? 1000 : 0) +
                      (kind.loops ? 2000 : 0));
  std::vector<ImpulseRobot> robots;
  for (int k = 0; k < kDraws; ++k) {
    robots.push_back(test::randomImpulseRobot(
        random, {.bodies = bodies, .chains = kind.chains, .loops = kind.loops ? bodies / 8 : 0}));
  }
  const std::string key = std::string(kind.name) + "." + std::to_string(bodies) + ".";
  MooreImpulses best_known(ImpulseOrder::kBLeaves);
  double best = HUGE_VAL;
  std::printf("%-6s %4d", kind.name, bodies);
  for (const Order& order : kOrders) {
    const bool slow = order.pivot == ImpulsePivot::kListed || order.order == ImpulseOrder::kC;
    if (slow && bodies > kSlowBodies) {
      std::printf(" %10s", "-");
      continue;
    }
    MooreImpulses moore(order.order, order.pivot);
    double worst = 0.0;
    for (const ImpulseRobot& robot : robots) {
      const double d = difference(moore.solve(robot.scene), best_known.solve(robot.scene));
      if (!(d <= worst)) worst = d;
    }
    const double ns = bench::nanosecondsPerCall(
        [&](int i) { bench::keep(moore.solve(robots[i % kDraws].scene)); }, 0.02, 5);
    report->figure(key + order.name + "_us", 1e-3 * ns);
    report->figure(key + order.name + "_difference", worst);
    // An order with wrong answers, or none, is no rival.
    constexpr double kUsable = 1e-6;
    const bool right = worst <= kUsable;
    if (right) best = std::min(best, ns);
    std::printf(" %9.1f%s", 1e-3 * ns, right ? " " : "!");
  }
  if (kind.loops) {
    std::printf(" %9s\n", "-");
    return;
  }
  std::deque<Recursion> recursions;  // which are not moved
  for (const ImpulseRobot& robot : robots) recursions.emplace_back(robot);
  double worst = 0.0;
  for (int k = 0; k < kDraws; ++k) {
    worst =
        std::max(worst, difference(recursions[k].solution(), best_known.solve(robots[k].scene)));
  }
  const double ns = bench::nanosecondsPerCall(
      [&](int i) { bench::keep(recursions[i % kDraws].answer()); }, 0.02, 5);
  report->figure(key + "recursion_us", 1e-3 * ns);
  report->figure(key + "recursion_difference", worst);
  // The paper's best order as a compiler makes it for any x86-64.
  double plain = HUGE_VAL;
  for (const ImpulseOrder order :
       {ImpulseOrder::kALeaves, ImpulseOrder::kB, ImpulseOrder::kBLeaves}) {
    MooreImpulses moore(order, ImpulsePivot::kOwn, false);
    plain = std::min(
        plain, bench::nanosecondsPerCall(
                   [&](int i) { bench::keep(moore.solve(robots[i % kDraws].scene)); }, 0.02, 5));
  }
  report->figure(key + "plain_us", 1e-3 * plain);
  report->figure(key + "ratio", best / ns);
  report->figure(key + "plain_ratio", plain / ns);
  std::printf(" %9.1f %9.1e %6.1fx %9.1f %6.1fx\n", 1e-3 * ns, worst, best / ns, 1e-3 * plain,
              plain / ns);
}

void compareAllOrders(bench::Report* report) {
  std::printf(
      "Impulse response of two trees of ball joints, us (n: bodies of both; '!': wrong by "
      "more than 1e-6)\n%-6s %4s",
      "", "n");
  for (const Order& order : kOrders) std::printf(" %10s", order.name);
  std::printf(" %9s %9s %7s %9s %7s\n", "recursion", "differs", "ratio", "plain", "ratio");
  for (const Kind& kind :
       {Kind{"trees", false, false}, Kind{"chains", true, false}, Kind{"loops", false, true}}) {
    for (const int bodies : {12, 20, 44, 80, 160}) compareOrders(kind, bodies, report);
  }
}

/// The robot with every mimic joint a joint of its own.
RobotModel withoutMimics(const RobotModel& model) {
  RobotModel::Data data = model.data();
  for (std::size_t j = 0; j < data.joints.size(); ++j) {
    Joint& joint = data.joints[j];
    if (!joint.mimic) continue;
    Coordinate coordinate = data.coordinates[joint.mimic->coordinate];
    coordinate.name = joint.name;
    coordinate.joint = static_cast<int>(j);
    joint.first_coordinate = static_cast<int>(data.coordinates.size());
    joint.mimic.reset();
    data.coordinates.push_back(coordinate);
  }
  return RobotModel(std::move(data));
}

/// W of points by joint space: mass matrix, its factor, Jacobians.
class JointSpace {
 public:
  explicit JointSpace(const RobotModel& model)
      : kinematics_(model, Vec3::Zero(), KinematicsBackend::kBuiltin),
        workspace_(kinematics_.makeWorkspace()),
        zero_(VecX::Zero(model.dimension())) {}

  void place(const VecX& q) {
    kinematics_.inverseDynamicsDerivatives(q, zero_, zero_, workspace_, dynamics_);
    factor_.compute(dynamics_.dtau_da);
  }
  Mat3 inverseMass(int link, const Vec3& p_W) {
    kinematics_.pointJacobian(workspace_, link, p_W, J_);
    solved_ = J_.topRows<3>().transpose();
    factor_.solveInPlace(solved_);
    return J_.topRows<3>() * solved_;
  }

 private:
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  VecX zero_;
  InverseDynamics dynamics_;
  Eigen::LLT<MatX> factor_;
  Jacobian J_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> solved_;
};

void timeRobot(const std::string& name, const RobotModel& model, bench::Report* report) {
  const EffectiveInertia effective{MotionTree(model)};
  auto w = effective.makeWorkspace();
  JointSpace joint_space(model);
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  constexpr int kConfigurations = 64;
  std::vector<VecX> q, v;
  for (int i = 0; i < kConfigurations; ++i) {
    for (std::vector<VecX>* list : {&q, &v}) {
      list->emplace_back(model.dimension());
      for (double& x : list->back()) x = uniform(engine);
    }
  }
  const int links = effective.linkCount();
  double worst = 0.0;
  for (const VecX& at : q) {
    effective.place(at, w);
    joint_space.place(at);
    for (int link = 1; link < links; ++link) {
      const Vec3 p_W = effective.linkPose(link, w) * Vec3(0.1, -0.05, 0.2);
      const Mat3 expected = joint_space.inverseMass(link, p_W);
      if (!(expected.norm() > 0.0) || !expected.allFinite()) continue;
      worst = std::max(worst,
                       (effective.inverseMass(link, p_W, w) - expected).norm() / expected.norm());
    }
  }
  const int tip = links - 1;
  const Vec3 p_W(0.3, 0.2, 0.5);
  const auto time = [&](const char* what, const auto& call) {
    const double ns = bench::nanosecondsPerCall(call);
    report->figure(name + "." + what + "_us", 1e-3 * ns);
    return 1e-3 * ns;
  };
  const double place = time("place", [&](int i) {
    effective.place(q[i % kConfigurations], w);
    bench::keep(w.frames);
  });
  const double all = time("all_links", [&](int i) {
    effective.place(q[i % kConfigurations], w);
    bench::keep(effective.inverseMass(tip, p_W, w));
  });
  const double point =
      time("one_point", [&](int) { bench::keep(effective.inverseMass(tip, p_W, w)); });
  const double energy = time("energy", [&](int i) {
    const double T = effective.kineticEnergy(v[i % kConfigurations], w);
    bench::keep(T);
  });
  KineticEnergy gradient;
  const double gradients = time("energy_gradient", [&](int i) {
    effective.kineticEnergy(v[i % kConfigurations], w, gradient);
    bench::keep(gradient);
  });
  const double rival_one = time("joint_space_one", [&](int i) {
    joint_space.place(q[i % kConfigurations]);
    bench::keep(joint_space.inverseMass(tip, p_W));
  });
  const double rival_all = time("joint_space_all", [&](int i) {
    joint_space.place(q[i % kConfigurations]);
    for (int link = 1; link < links; ++link) bench::keep(joint_space.inverseMass(link, p_W));
  });
  report->figure(name + ".inverse_us", all - place);
  report->figure(name + ".difference", worst);
  std::printf("%-22s %4d %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %10.2f %10.2f %9.1e\n", name.c_str(),
              model.dimension(), place, all, all - place, point, energy, gradients, rival_one,
              rival_all, worst);
}

void timeRobots(const std::filesystem::path& robots, bench::Report* report) {
  std::printf(
      "\nInverse mass of all links, us ('alone': without placing; joint space: one point, "
      "one per link)\n%-22s %4s %8s %8s %8s %8s %8s %8s %10s %10s %9s\n",
      "", "n", "place", "all", "alone", "a point", "energy", "gradient", "js, one", "js, links",
      "differs");
  struct Source {
    const char* name;
    const char* urdf;
    bool floating;
  };
  // The Panda's meshes have no masses: those of its URDF of spheres stand for them.
  for (const Source& source :
       {Source{"panda", "panda_description/urdf/panda_spherized.urdf", false},
        Source{"ur5", "ur5_description/urdf/ur5_robotiq85.urdf", false},
        Source{"fetch", "fetch_description/urdf/fetch.urdf", false},
        Source{"jvrc1", "jvrc_description/urdf/jvrc1.urdf", true}}) {
    RobotSource file;
    file.urdf = robots / source.urdf;
    file.load_collision = false;
    if (source.floating) file.base = BaseJoint::kFloating;
    const RobotModel model = loadRobot(file);
    const RobotModel open = withoutMimics(model);
    timeRobot(source.name, open, report);
    if (open.dimension() != model.dimension()) {
      timeRobot(std::string(source.name) + "_mimics", model, report);
    }
  }
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  const char* data = std::getenv("ALLCLEAR_DATA");
  const std::filesystem::path robots =
      std::filesystem::path(data ? data : "../shared/data") / "robots";
  allclear::bench::Report report(argc, argv);
  allclear::compareAllOrders(&report);
  if (!std::filesystem::exists(robots)) {
    std::fprintf(stderr, "no robots at %s: set ALLCLEAR_DATA\n", robots.c_str());
    return 2;
  }
  allclear::timeRobots(robots, &report);
  return 0;
}
