// Proves a trajectory of an arm with the library of certificates alone: no planner, no Ipopt.
#include <allclear/core/input_error.h>
#include <allclear/planner/certificate.h>
#include <allclear/robot_models/load_robot.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace allclear;
  if (argc != 3) {
    std::fprintf(stderr, "usage: checker ROBOT.urdf ROBOT.srdf\n");
    return 2;
  }
  try {
    RobotSource source;
    source.urdf = argv[1];
    source.srdf = argv[2];
    Problem problem;
    problem.robot = std::make_shared<const RobotModel>(loadRobot(source));
    for (int k = 0; k < problem.robot->dimension(); ++k) problem.planned.push_back(k);
    problem.start = problem.robot->neutralConfiguration();
    VecX goal = problem.start;
    goal[0] = 1.0;
    problem.goal = JointTarget{problem.planned, goal};

    // From rest to rest in 4 s.
    MatX positions(goal.size(), 2), rest = MatX::Zero(goal.size(), 2);
    positions << problem.start, goal;
    const Trajectory trajectory = HermiteCurve({0.0, 4.0}, positions, rest, rest);

    const Certificate certificate = certify(problem, trajectory);
    std::printf("%s\n", certificate.message.c_str());
    const CertificateVerdict verdict = verifyCertificate(problem, certificate);
    std::printf("%s\n", verdict.message.c_str());
    return certificate.clear && verdict.valid ? 0 : 1;
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
