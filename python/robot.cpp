// Robots and their groups of joints. Arrays of many configurations are read where they are; each
// row is a configuration.
#include "allclear/robot_models/robot.h"

#include "allclear/python/bindings.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"

namespace allclear::python {
namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

const std::vector<std::pair<std::string, BaseJoint>> kBases = {{"fixed", BaseJoint::kFixed},
                                                               {"planar", BaseJoint::kPlanar},
                                                               {"floating", BaseJoint::kFloating},
                                                               {"srdf", BaseJoint::kFromSrdf}};
const std::vector<std::pair<std::string, OpenMeshes>> kOpenMeshes = {
    {"shell", OpenMeshes::kShell}, {"fill", OpenMeshes::kFill}, {"error", OpenMeshes::kError}};

std::shared_ptr<Robot> loadNamed(const std::filesystem::path& urdf,
                                 const std::filesystem::path& srdf, const PackageMap& packages,
                                 const std::string& base, bool soft_limits, bool visuals,
                                 bool collide_as_visual, const std::string& open_meshes) {
  RobotSource source;
  source.urdf = urdf;
  source.srdf = srdf;
  source.package_map = packages;
  source.base = fromWord(base, kBases, "base");
  source.soft_limits = soft_limits;
  source.load_visuals = visuals;
  source.collide_as_visual = collide_as_visual;
  source.open_meshes = fromWord(open_meshes, kOpenMeshes, "open_meshes");
  return std::make_shared<Robot>(source);
}

/// One entry of every coordinate, such as its lower limit.
template <class Entry>
VecX perCoordinate(const Robot& robot, Entry entry) {
  VecX out(robot.model().dimension());
  for (int i = 0; i < out.size(); ++i) out[i] = robot.model().coordinates()[i].*entry;
  return out;
}

/// Throws unless the array has rows of configurations.
void requireRows(const Robot& robot, const Rows& q) {
  if (q.ndim() == 2 && q.shape(1) == robot.model().dimension()) return;
  throw InputError({"", 0, "q", ""}, "must have " + std::to_string(robot.model().dimension()) +
                                         " columns, one for each coordinate of the robot");
}

/// The poses of some links at every row of q: rows x links x 4 x 4.
py::array_t<double> posesAt(const Robot& robot, const Rows& q, const std::vector<int>& links) {
  requireRows(robot, q);
  const py::ssize_t rows = q.shape(0), count = static_cast<py::ssize_t>(links.size());
  py::array_t<double> out({rows, count, py::ssize_t{4}, py::ssize_t{4}});
  const double* from = q.data();
  double* to = out.mutable_data();
  const py::gil_scoped_release release;
  using RowMajor = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
  Kinematics::Workspace workspace = robot.kinematics().makeWorkspace();
  std::vector<Pose> X_WL;
  VecX configuration(robot.model().dimension());
  for (py::ssize_t i = 0; i < rows; ++i, from += configuration.size()) {
    configuration = Eigen::Map<const VecX>(from, configuration.size());
    robot.kinematics().linkPoses(configuration, workspace, X_WL);
    for (const int link : links) {
      Eigen::Map<RowMajor>{to} = fromPose(X_WL[link]);
      to += 16;
    }
  }
  return out;
}

VecX torques(const Robot& robot, const VecX& q, const VecX& v, const VecX& a) {
  const int n = robot.model().dimension();
  if (q.size() != n || v.size() != n || a.size() != n) {
    throw InputError({"", 0, "q, velocity, acceleration", ""},
                     "must have " + std::to_string(n) + " values each");
  }
  Kinematics::Workspace workspace = robot.kinematics().makeWorkspace();
  VecX tau;
  robot.kinematics().inverseDynamics(q, v, a, workspace, tau);
  return tau;
}

Vec3 centerOfMass(const Robot& robot, const VecX& q) {
  Kinematics::Workspace workspace = robot.kinematics().makeWorkspace();
  std::vector<Pose> X_WL = robot.poses(q);  // checks the length
  robot.kinematics().linkPoses(q, workspace, X_WL);
  return robot.kinematics().centerOfMass(workspace);
}

}  // namespace

void addRobot(py::module_& module) {
  py::class_<JointGroup>(module, "JointGroup")
      .def_property_readonly("name", &JointGroup::name)
      .def_property_readonly("joints", &JointGroup::jointNames)
      .def_property_readonly("indices", &JointGroup::coordinates)
      .def_property_readonly("states", &JointGroup::stateNames)
      .def("state", &JointGroup::state, py::arg("name"))
      .def("part", &JointGroup::part, py::arg("q"));

  py::class_<Robot, std::shared_ptr<Robot>>(module, "Robot")
      .def(py::init(&loadNamed), py::arg("urdf"), py::arg("srdf"), py::arg("packages"),
           py::arg("base"), py::arg("soft_limits"), py::arg("visuals"),
           py::arg("visual_as_collision"), py::arg("open_meshes"), WithoutGil())
      .def_property_readonly("name", [](const Robot& r) { return r.model().name(); })
      .def_property_readonly("file", [](const Robot& r) { return r.model().sourceFile(); })
      .def_property_readonly("joints", &Robot::coordinateNames)
      .def_property_readonly("links", &Robot::linkNames)
      .def_property_readonly("groups", &Robot::groupNames)
      .def_property_readonly("warnings", [](const Robot& r) { return r.model().warnings(); })
      .def_property_readonly("mass", [](const Robot& r) { return r.model().totalMass(); })
      .def_property_readonly("neutral",
                             [](const Robot& r) { return r.model().neutralConfiguration(); })
      .def_property_readonly("lower",
                             [](const Robot& r) { return perCoordinate(r, &Coordinate::lower); })
      .def_property_readonly("upper",
                             [](const Robot& r) { return perCoordinate(r, &Coordinate::upper); })
      .def_property_readonly("velocity",
                             [](const Robot& r) { return perCoordinate(r, &Coordinate::velocity); })
      .def_property_readonly("effort",
                             [](const Robot& r) { return perCoordinate(r, &Coordinate::effort); })
      .def("group", &Robot::group, py::arg("name"))
      .def("link_index", &Robot::linkIndex, py::arg("name"))
      .def("configuration", &Robot::configuration, py::arg("values"), py::arg("base"))
      .def("poses", &posesAt, py::arg("q"), py::arg("links"))
      .def("jacobian", &Robot::jacobian, py::arg("q"), py::arg("link"), py::arg("point"))
      .def("torques", &torques, py::arg("q"), py::arg("velocity"), py::arg("acceleration"))
      .def("center_of_mass", &centerOfMass, py::arg("q"));
}

}  // namespace allclear::python
