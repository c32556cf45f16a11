// Time per call of kinematics and dynamics on UR5 and JVRC-1 (with a floating base), beside
// pinocchio where this build has it, in the same run. Robots are those of the shared test data
// (ALLCLEAR_DATA).
#include <cstdio>
#include <filesystem>
#include <random>

#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "bench/support/bench_report.h"
#ifdef ALLCLEAR_HAVE_PINOCCHIO
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>
#endif

namespace allclear {
namespace {

struct Times {
  double poses = 0, jacobian = 0, rnea = 0, derivatives = 0;
};

constexpr int kDraws = 64;

std::vector<VecX> draws(int n, double scale, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<VecX> out;
  for (int i = 0; i < kDraws; ++i) {
    VecX v(n);
    for (int k = 0; k < n; ++k) v[k] = uniform(random);
    out.push_back(v);
  }
  return out;
}

Times timeBuiltin(const RobotModel& model) {
  const Kinematics kinematics(model, kStandardGravity, KinematicsBackend::kBuiltin);
  auto workspace = kinematics.makeWorkspace();
  std::mt19937 random(1);
  const auto q = draws(model.dimension(), 1.5, random);
  const auto v = draws(model.dimension(), 1.0, random);
  const auto a = draws(model.dimension(), 1.0, random);
  const int tip = static_cast<int>(model.links().size()) - 1;
  std::vector<Pose> X_WL;
  Jacobian J;
  VecX tau;
  InverseDynamics out;
  Times times;
  times.poses = bench::nanosecondsPerCall([&](int i) {
    kinematics.linkPoses(q[i % kDraws], workspace, X_WL);
    bench::keep(X_WL);
  });
  times.jacobian = bench::nanosecondsPerCall([&](int i) {
    kinematics.linkPoses(q[i % kDraws], workspace, X_WL);
    kinematics.pointJacobian(workspace, tip, X_WL[tip].p, J);
    bench::keep(J);
  });
  times.rnea = bench::nanosecondsPerCall([&](int i) {
    kinematics.inverseDynamics(q[i % kDraws], v[i % kDraws], a[i % kDraws], workspace, tau);
    bench::keep(tau);
  });
  times.derivatives = bench::nanosecondsPerCall([&](int i) {
    const int k = i % kDraws;
    kinematics.inverseDynamicsDerivatives(q[k], v[k], a[k], workspace, out);
    bench::keep(out);
  });
  return times;
}

#ifdef ALLCLEAR_HAVE_PINOCCHIO
Times timePinocchio(const std::string& urdf, bool floating) {
  namespace pin = pinocchio;
  pin::Model model;
  if (floating) {
    pin::urdf::buildModel(urdf, pin::JointModelFreeFlyer(), model);
  } else {
    pin::urdf::buildModel(urdf, model);
  }
  pin::Data data(model);
  std::mt19937 random(1);
  std::vector<VecX> q;
  const VecX range = VecX::Constant(model.nq, 1.5);
  for (int i = 0; i < kDraws; ++i) q.push_back(pin::randomConfiguration(model, -range, range));
  const auto v = draws(model.nv, 1.0, random);
  const auto a = draws(model.nv, 1.0, random);
  const auto tip = static_cast<pin::JointIndex>(model.njoints - 1);
  pin::Data::Matrix6x J = pin::Data::Matrix6x::Zero(6, model.nv);
  Times times;
  times.poses = bench::nanosecondsPerCall([&](int i) {
    pin::forwardKinematics(model, data, q[i % kDraws]);
    pin::updateFramePlacements(model, data);
    bench::keep(data);
  });
  times.jacobian = bench::nanosecondsPerCall([&](int i) {
    pin::computeJointJacobians(model, data, q[i % kDraws]);
    pin::getJointJacobian(model, data, tip, pin::LOCAL_WORLD_ALIGNED, J);
    bench::keep(J);
  });
  times.rnea = bench::nanosecondsPerCall([&](int i) {
    pin::rnea(model, data, q[i % kDraws], v[i % kDraws], a[i % kDraws]);
    bench::keep(data);
  });
  times.derivatives = bench::nanosecondsPerCall([&](int i) {
    const int k = i % kDraws;
    pin::computeRNEADerivatives(model, data, q[k], v[k], a[k]);
    bench::keep(data);
  });
  return times;
}
#endif

void compare(const char* name, const std::filesystem::path& urdf, bool floating,
             bench::Report* report) {
  RobotSource source;
  source.urdf = urdf;
  source.load_collision = false;
  if (floating) source.base = BaseJoint::kFloating;
  const RobotModel model = loadRobot(source);
  const Times ours = timeBuiltin(model);
#ifdef ALLCLEAR_HAVE_PINOCCHIO
  const Times theirs = timePinocchio(urdf.string(), floating);
#else
  const Times theirs;
#endif
  std::printf("\n%s: %zu links, %d coordinates\n%-18s %12s %12s %8s\n", name, model.links().size(),
              model.dimension(), "ns per call", "built-in", "pinocchio", "ratio");
  const auto row = [&](const char* what, double our, double their) {
    report->figure(std::string(name) + "." + what + ".builtin_ns", our);
    if (their == 0.0) {
      std::printf("%-18s %12.0f %12s %8s\n", what, our, "-", "-");
      return;
    }
    report->figure(std::string(name) + "." + what + ".pinocchio_ns", their);
    report->figure(std::string(name) + "." + what + ".ratio", our / their);
    std::printf("%-18s %12.0f %12.0f %8.2f\n", what, our, their, our / their);
  };
  row("poses", ours.poses, theirs.poses);
  row("jacobian", ours.jacobian, theirs.jacobian);
  row("rnea", ours.rnea, theirs.rnea);
  row("rnea_derivatives", ours.derivatives, theirs.derivatives);
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  const char* data = std::getenv("ALLCLEAR_DATA");
  const std::filesystem::path robots =
      std::filesystem::path(data ? data : "../shared/data") / "robots";
  if (!std::filesystem::exists(robots)) {
    std::fprintf(stderr, "no robots at %s: set ALLCLEAR_DATA\n", robots.c_str());
    return 2;
  }
  allclear::bench::Report report(argc, argv);
  allclear::compare("ur5", robots / "ur5_description/urdf/ur5_robotiq85.urdf", false, &report);
  allclear::compare("jvrc1", robots / "jvrc_description/urdf/jvrc1.urdf", true, &report);
  return 0;
}
