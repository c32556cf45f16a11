// Shapes, and scenes of objects made of them.
//
// Arrays of points are copied once into the mesh, which owns them from then on.
#include <cmath>

#include "allclear/config/scene_file.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/workcell.h"
#include "allclear/python/bindings.h"
#include "allclear/robot_models/files/mesh_file.h"

namespace allclear::python {
namespace {

using Points = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;

std::vector<Vec3> toPoints(const Points& array) {
  if (array.ndim() != 2 || array.shape(1) != 3) {
    throw InputError({"", 0, "points", ""}, "must be an array of n x 3 numbers");
  }
  std::vector<Vec3> points;
  for (py::ssize_t i = 0; i < array.shape(0); ++i) points.emplace_back(array.data(i, 0));
  return points;
}

Shape meshOf(const Points& vertices, const Indices& triangles) {
  if (triangles.ndim() != 2 || triangles.shape(1) != 3) {
    throw InputError({"", 0, "triangles", ""}, "must be an array of n x 3 indices");
  }
  std::vector<Triangle> list;
  for (py::ssize_t i = 0; i < triangles.shape(0); ++i) {
    list.push_back({triangles.at(i, 0), triangles.at(i, 1), triangles.at(i, 2)});
  }
  return TriangleMesh(toPoints(vertices), std::move(list));
}

Shape meshFrom(const std::filesystem::path& file, const Vec3& scale, bool convex) {
  MeshOptions options;
  options.scale = scale;
  TriangleMesh mesh = loadMesh(file, options);
  if (convex) return ConvexMesh(mesh.vertices());
  return mesh;
}

/// A shape in the hands of Python: the variant alone would be taken apart by pybind11.
struct ShapeValue {
  Shape shape;
};

ShapeValue of(Shape shape) { return {std::move(shape)}; }

Obstacle& obstacleOf(Scene& scene, const std::string& id) {
  for (Obstacle& obstacle : scene.obstacles) {
    if (obstacle.id == id) return obstacle;
  }
  throw InputError({"", 0, "scene: id", id},
                   "there is no such obstacle" + insteadOf(id, scene.names()));
}

/// Makes an obstacle move: from pose to pose at constant speed and turn.
void setMotion(Scene& scene, const std::string& id, const std::vector<double>& times,
               const PoseArray& poses) {
  Obstacle& obstacle = obstacleOf(scene, id);
  const std::vector<Pose> X_WO = toPoses(poses, "poses");
  if (times.size() != X_WO.size() || times.empty()) {
    throw InputError({"", 0, "scene: '" + id + "': times", ""}, "must be as many as the poses");
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (std::isfinite(times[i]) && (i == 0 || times[i] > times[i - 1])) continue;
    throw InputError({"", 0, "scene: '" + id + "': times", std::to_string(times[i])},
                     "must be finite and ascend");
  }
  obstacle.motion.clear();
  for (std::size_t i = 0; i < times.size(); ++i) obstacle.motion.push_back({times[i], X_WO[i]});
}

void setSpread(Scene& scene, const std::string& id, const Mat3& covariance, double sigma) {
  PositionSpread spread;
  spread.knots.push_back({0.0, covariance});
  spread.sigma = sigma;
  obstacleOf(scene, id).spread = spread;
}

void addShapes(py::module_& module) {
  py::class_<ShapeValue>(module, "Shape",
                         "A solid in its own frame, in metres. Made by one of the functions below.")
      .def_static(
          "box", [](const Vec3& size) { return of(Box(size)); }, py::arg("size"),
          "Full edge lengths, centred.")
      .def_static(
          "sphere", [](double radius) { return of(Sphere(radius)); }, py::arg("radius"),
          "About the origin.")
      .def_static(
          "capsule", [](double r, double l) { return of(Capsule(r, l)); }, py::arg("radius"),
          py::arg("length"),
          "Points within the radius of a segment of this length along z, centred.")
      .def_static(
          "cylinder", [](double r, double l) { return of(Cylinder(r, l)); }, py::arg("radius"),
          py::arg("length"), "About z, centred.")
      .def_static(
          "cone", [](double r, double l) { return of(Cone(r, l)); }, py::arg("radius"),
          py::arg("length"), "About z: the base at -length/2, the apex at length/2.")
      .def_static(
          "ellipsoid", [](const Vec3& radii) { return of(Ellipsoid(radii)); }, py::arg("radii"),
          "Semi-axes along x, y and z.")
      .def_static(
          "half_space", [] { return of(HalfSpace{}); }, "Everything below the plane z = 0.")
      .def_static(
          "hull", [](const Points& points) { return of(ConvexMesh(toPoints(points))); },
          py::arg("points"), "The convex hull of n x 3 points.")
      .def_static(
          "mesh", [](const Points& v, const Indices& t) { return of(meshOf(v, t)); },
          py::arg("vertices"), py::arg("triangles"),
          "A triangle mesh: n x 3 vertices, m x 3 indices, normals outward by the right-hand rule.")
      .def_static(
          "load",
          [](const std::filesystem::path& file, const Vec3& scale, bool convex) {
            return of(meshFrom(file, scale, convex));
          },
          py::arg("file"), py::arg("scale") = Vec3(1.0, 1.0, 1.0), py::arg("convex") = false,
          "An STL, COLLADA or Wavefront file; convex: its hull.")
      .def_property_readonly("kind", [](const ShapeValue& s) { return shapeName(s.shape); })
      .def_property_readonly("volume", [](const ShapeValue& s) { return shapeVolume(s.shape); })
      .def("__repr__", [](const ShapeValue& s) { return "Shape(" + shapeName(s.shape) + ")"; });
}

}  // namespace

const Shape& shapeOf(py::handle value) { return value.cast<const ShapeValue&>().shape; }

void addScene(py::module_& module) {
  addShapes(module);
  py::class_<Scene, std::shared_ptr<Scene>>(module, "Scene")
      .def(py::init<>())
      .def(
          "add",
          [](Scene& s, const std::string& id, const ShapeValue& shape, const Pose& pose) {
            s.add(id, shape.shape, pose);
          },
          py::arg("id"), py::arg("shape"), py::arg("pose"))
      .def(
          "add_plane",
          [](Scene& s, const std::string& id, const Vec3& normal, double offset) {
            s.addPlane(id, normal, offset);
          },
          py::arg("id"), py::arg("normal"), py::arg("offset"))
      .def(
          "add_points",
          [](Scene& s, const std::string& id, const Points& points, double radius,
             const Pose& pose) { s.addPoints(id, toPoints(points), radius, pose); },
          py::arg("id"), py::arg("points"), py::arg("radius"), py::arg("pose"))
      .def(
          "attach",
          [](Scene& s, const std::string& id, const Robot& robot, const std::string& link,
             const ShapeValue& shape, const Pose& pose, const std::vector<std::string>& touch) {
            s.attach(id, robot, link, shape.shape, pose, touch);
          },
          py::arg("id"), py::arg("robot"), py::arg("link"), py::arg("shape"), py::arg("pose"),
          py::arg("touch_links"))
      .def("set_motion", &setMotion, py::arg("id"), py::arg("times"), py::arg("poses"))
      .def("set_spread", &setSpread, py::arg("id"), py::arg("covariance"), py::arg("sigma"))
      .def(
          "pose",
          [](Scene& s, const std::string& id, double t) { return obstacleOf(s, id).pose(t); },
          py::arg("id"), py::arg("t"))
      .def("allow", &Scene::allow, py::arg("a"), py::arg("b"))
      .def("remove", &Scene::remove, py::arg("id"))
      .def_property_readonly("names", &Scene::names)
      .def_readonly("allowed", &Scene::allowed)
      .def_readonly("warnings", &Scene::warnings);
  module.def(
      "load_scene",
      [](const std::filesystem::path& path, const Robot& robot, const VecX& q,
         const std::map<std::string, std::filesystem::path>& packages) {
        return std::make_shared<Scene>(loadScene(path, robot.model(), q, packages));
      },
      py::arg("path"), py::arg("robot"), py::arg("q"), py::arg("packages"), WithoutGil());
}

}  // namespace allclear::python
