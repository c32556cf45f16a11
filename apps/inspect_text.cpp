// A robot as tables for people: summary, tree of links, coordinates, groups, pairs.
//
// Columns that stay empty are not printed (`Table`), so a robot without SRDF or masses gives short
// tables.
#include <cmath>
#include <map>
#include <numbers>
#include <ostream>

#include "allclear/apps/inspect.h"
#include "allclear/apps/table.h"
#include "allclear/core/formatted.h"
#include "allclear/distance/solid_and_shell.h"

namespace allclear {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

/// An axis this close to a coordinate axis is called x, y or z: files hold about so many digits.
constexpr double kAxisTolerance = 1e-9;

std::string times(const Vec3& size) {
  return shortNumber(size.x(), 3) + " × " + shortNumber(size.y(), 3) + " × " +
         shortNumber(size.z(), 3);
}

/// Edges of the box about a mesh, along the axes of its frame [m].
Vec3 boxOf(const TriangleMesh& mesh) {
  Vec3 lower = mesh.vertices().front();
  Vec3 upper = lower;
  for (const Vec3& p : mesh.vertices()) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  return upper - lower;
}

/// Sizes of a shape in metres, as a drawing would have them; empty where it has none.
std::string sizeOf(const Shape& shape) {
  if (const auto* s = std::get_if<Box>(&shape)) return times(s->size());
  if (const auto* s = std::get_if<Sphere>(&shape)) return "⌀ " + shortNumber(2.0 * s->radius(), 3);
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    return "⌀ " + shortNumber(2.0 * s->radius(), 3) + " × " + shortNumber(s->length(), 3);
  }
  if (const auto* s = std::get_if<TriangleMesh>(&shape)) return times(boxOf(*s));
  return "";
}

std::size_t trianglesOf(const Shape& shape) {
  const auto* mesh = std::get_if<TriangleMesh>(&shape);
  return mesh ? mesh->triangles().size() : 0;
}

/// x, y or z, with a sign, where the axis is one of these; else its components.
std::string axisName(const Joint& joint) {
  if (joint.type == JointType::kFixed || joint.type == JointType::kFloating) return "";
  for (int i = 0; i < 3; ++i) {
    if (std::abs(std::abs(joint.axis[i]) - 1.0) < kAxisTolerance) {
      return std::string(joint.axis[i] < 0 ? "-" : "") + "xyz"[i];
    }
  }
  return shortNumber(joint.axis.x(), 3) + " " + shortNumber(joint.axis.y(), 3) + " " +
         shortNumber(joint.axis.z(), 3);
}

/// How many joints there are of each type, as "6 revolute, 1 fixed".
std::string countedTypes(const RobotModel& robot) {
  std::map<JointType, int> counts;
  int mimics = 0;
  for (const Joint& joint : robot.joints()) {
    ++counts[joint.type];
    mimics += joint.mimic.has_value();
  }
  std::string out;
  for (const auto& [type, count] : counts) {
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + jointTypeName(type);
  }
  if (mimics > 0) out += "; " + std::to_string(mimics) + " of them mimic";
  return out;
}

/// Names, counts and mass: what tells at a glance whether the right file was read.
void printSummary(const RobotModel& robot, std::ostream& out) {
  std::size_t solid_links = 0, shapes = 0, triangles = 0;
  for (const Link& link : robot.links()) {
    solid_links += !link.collision.empty();
    shapes += link.collision.size();
    for (const Geometry& g : link.collision) triangles += trianglesOf(g.shape);
  }
  out << "Robot '" << robot.name() << "'\n";
  Table table({"", ""});
  table.addRow({"file", robot.sourceFile()});
  table.addRow({"sha256", robot.sourceSha256()});
  table.addRow({"coordinates", std::to_string(robot.dimension())});
  table.addRow({"joints", std::to_string(robot.joints().size()) +
                              (robot.joints().empty() ? "" : ": ") + countedTypes(robot)});
  table.addRow({"links", std::to_string(robot.links().size()) + ", " + std::to_string(solid_links) +
                             " with collision geometry"});
  table.addRow(
      {"geometry", groupedNumber(shapes) + " shapes, " + groupedNumber(triangles) + " triangles"});
  const double mass = robot.totalMass();
  table.addRow({"mass", mass > 0.0 ? shortNumber(mass) + " kg" : "not given"});
  table.print(out);
}

/// The link names with the branches of the tree drawn before them, in tree order.
std::vector<std::string> drawnTree(const RobotModel& robot) {
  const int count = static_cast<int>(robot.links().size());
  std::vector<int> parent(count, -1), last_child(count, -1);
  for (int l = 1; l < count; ++l) {
    parent[l] = robot.joints()[robot.links()[l].parent_joint].parent_link;
    last_child[parent[l]] = l;
  }
  // From each link up to the root: a bar where the ancestor has more children below, else blanks.
  std::vector<std::string> drawn;
  for (int l = 0; l < count; ++l) {
    std::string text = robot.links()[l].name;
    if (l > 0) text = (last_child[parent[l]] == l ? "└ " : "├ ") + text;
    for (int at = parent[l]; at > 0; at = parent[at]) {
      text = (last_child[parent[at]] == at ? "  " : "│ ") + text;
    }
    drawn.push_back(std::move(text));
  }
  return drawn;
}

/// A link's row: with its shape when it has one, else with their number.
void addLinkRows(const Link& link, const std::string& drawn, const Joint* joint, Table& table) {
  std::vector<std::string> row{drawn, joint ? joint->name : "",
                               joint ? jointTypeName(joint->type) : "",
                               joint ? axisName(*joint) : "",
                               link.inertia.mass > 0.0 ? shortNumber(link.inertia.mass, 4) : ""};
  if (link.collision.size() == 1) {
    const Shape& shape = link.collision.front().shape;
    row.push_back(shapeName(shape));
    row.push_back(sizeOf(shape));
    if (const std::size_t n = trianglesOf(shape)) row.push_back(groupedNumber(n));
  } else if (!link.collision.empty()) {
    row.push_back(std::to_string(link.collision.size()) + " shapes, see below");
  }
  table.addRow(std::move(row));
}

void printTree(const RobotModel& robot, std::ostream& out) {
  out << "\nTree\n";
  Table table(
      {"link", "carried by joint", "type", "axis", ">mass kg", "geometry", "size m", ">triangles"});
  const std::vector<std::string> drawn = drawnTree(robot);
  for (std::size_t l = 0; l < robot.links().size(); ++l) {
    const Link& link = robot.links()[l];
    const Joint* joint = link.parent_joint < 0 ? nullptr : &robot.joints()[link.parent_joint];
    addLinkRows(link, drawn[l], joint, table);
  }
  table.print(out);
}

/// Links of several shapes, which have no place in the row of the tree.
void printSeveralShapes(const RobotModel& robot, std::ostream& out) {
  Table table({"link", "geometry", "size m", ">triangles", "at x y z m"});
  for (const Link& link : robot.links()) {
    if (link.collision.size() < 2) continue;
    for (std::size_t i = 0; i < link.collision.size(); ++i) {
      const Geometry& g = link.collision[i];
      const std::size_t n = trianglesOf(g.shape);
      const Vec3& p = g.X_BG.p;
      table.addRow(
          {i == 0 ? link.name : "", shapeName(g.shape), sizeOf(g.shape), n ? groupedNumber(n) : "",
           shortNumber(p.x(), 4) + " " + shortNumber(p.y(), 4) + " " + shortNumber(p.z(), 4)});
    }
  }
  if (table.empty()) return;
  out << "\nLinks of several shapes\n";
  table.print(out);
}

/// Each mesh of a link: closed or how open, and what stands for it.
void printMeshes(const RobotModel& robot, std::ostream& out) {
  Table table({"link", "mesh", "stands for"});
  for (const Link& link : robot.links()) {
    for (const Geometry& geometry : link.collision) {
      const auto* mesh = std::get_if<TriangleMesh>(&geometry.shape);
      if (mesh == nullptr) continue;
      const SolidAndShell& parts = solidAndShellOf(*mesh);
      table.addRow({link.name, closednessText(parts), stanceText(parts, mesh->open())});
    }
  }
  if (table.empty()) return;
  out << "\nMeshes\n";
  table.print(out);
}

/// The range of an angle in degrees; empty for lengths and unlimited angles.
std::string degrees(const Coordinate& c) {
  if (c.wraps) return "any angle";
  if (!c.is_angle || !std::isfinite(c.lower) || !std::isfinite(c.upper)) return "";
  const auto whole = [](double radians) { return formatted("%.1f", radians * kDegrees); };
  return whole(c.lower) + "° .. " + whole(c.upper) + "°";
}

/// Limits in the unit of the coordinate, for angles also in degrees.
void printCoordinates(const RobotModel& robot, std::ostream& out) {
  if (robot.dimension() == 0) return;
  out << "\nCoordinates (q)\n";
  Table table({">#", "name", "type", ">lower", ">upper", "", "", ">velocity /s", ">effort"});
  for (int i = 0; i < robot.dimension(); ++i) {
    const Coordinate& c = robot.coordinates()[i];
    table.addRow({std::to_string(i), c.name, jointTypeName(robot.joints()[c.joint].type),
                  shortNumber(c.lower), shortNumber(c.upper), c.is_angle ? "rad" : "m", degrees(c),
                  shortNumber(c.velocity),
                  shortNumber(c.effort) +
                      (std::isfinite(c.effort) ? (c.is_angle ? " N m" : " N  ") : "    ")});
  }
  table.print(out);
}

/// Each mimic joint with the law that it follows: multiplier × leader + offset.
void printMimics(const RobotModel& robot, std::ostream& out) {
  Table table({"joint", "follows"});
  for (const Joint& joint : robot.joints()) {
    if (!joint.mimic) continue;
    const Mimic& m = *joint.mimic;
    std::string law = robot.coordinates()[m.coordinate].name;
    if (m.multiplier != 1.0) law = shortNumber(m.multiplier) + " × " + law;
    if (m.offset != 0.0) law += (m.offset < 0 ? " - " : " + ") + shortNumber(std::abs(m.offset));
    table.addRow({joint.name, std::move(law)});
  }
  if (table.empty()) return;
  out << "\nMimic joints\n";
  table.print(out);
}

/// The names of the states of a group; of those without one, for an empty name.
std::string statesOf(const RobotModel& robot, const std::string& group) {
  std::string states;
  for (const GroupState& state : robot.groupStates()) {
    if (state.group == group) states += (states.empty() ? "" : ", ") + state.name;
  }
  return states;
}

/// Groups of the SRDF, each with its first and last joint and its states.
void printGroups(const RobotModel& robot, std::ostream& out) {
  if (robot.groups().empty() && robot.groupStates().empty()) return;
  out << "\nGroups\n";
  Table table({"group", ">coordinates", "first .. last", "states"});
  for (const Group& group : robot.groups()) {
    std::string range;
    if (!group.coordinates.empty()) {
      range = robot.coordinates()[group.coordinates.front()].name;
      if (group.coordinates.size() > 1) {
        range += " .. " + robot.coordinates()[group.coordinates.back()].name;
      }
    }
    table.addRow(
        {group.name, std::to_string(group.coordinates.size()), range, statesOf(robot, group.name)});
  }
  const std::string of_none = statesOf(robot, "");
  if (!of_none.empty()) table.addRow({"(no group)", "", "", of_none});
  table.print(out);
}

void listPairs(const RobotModel& robot, std::ostream& out) {
  Table table({"link", "link", "checked"});
  for (const auto& [a, b] : robot.collisionPairs()) {
    table.addRow({robot.links()[a].name, robot.links()[b].name, "yes"});
  }
  for (const DisabledPair& pair : robot.disabledPairs()) {
    table.addRow(
        {robot.links()[pair.link_a].name, robot.links()[pair.link_b].name, "no: " + pair.reason});
  }
  out << '\n';
  table.print(out);
}

/// How many pairs of links are checked, and why the others are not; with `list_pairs` each by name.
void printPairs(const RobotModel& robot, bool list_pairs, std::ostream& out) {
  std::map<std::string, int> reasons;
  for (const DisabledPair& pair : robot.disabledPairs()) ++reasons[pair.reason];
  out << "\nPairs of links\n";
  Table table({"", ">"});
  table.addRow({"checked against each other", std::to_string(robot.collisionPairs().size())});
  for (const auto& [reason, count] : reasons) {
    table.addRow({"not checked: " + reason, std::to_string(count)});
  }
  table.print(out);
  if (list_pairs) listPairs(robot, out);
}

void printWarnings(const RobotModel& robot, std::ostream& out) {
  if (robot.warnings().empty()) return;
  out << "\nWarnings\n";
  for (const std::string& warning : robot.warnings()) out << "  " << warning << '\n';
}

}  // namespace

void printRobot(const RobotModel& robot, bool list_pairs, std::ostream& out) {
  printSummary(robot, out);
  printTree(robot, out);
  printSeveralShapes(robot, out);
  printMeshes(robot, out);
  printCoordinates(robot, out);
  printMimics(robot, out);
  printGroups(robot, out);
  printPairs(robot, list_pairs, out);
  printWarnings(robot, out);
}

}  // namespace allclear
