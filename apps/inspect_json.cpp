#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "allclear/apps/inspect.h"
#include "allclear/distance/solid_and_shell.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null stands for a limit that is missing.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json vector(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json pose(const Pose& X) { return {{"xyz", vector(X.p)}, {"rpy", vector(rpyFromRotation(X.R))}}; }

/// A shape by its type and sizes; a mesh by its counts and its box, not by all its vertices.
Json shapeJson(const Shape& shape) {
  Json out{{"type", shapeName(shape)}};
  if (const auto* s = std::get_if<Box>(&shape)) out["size"] = vector(s->size());
  if (const auto* s = std::get_if<Sphere>(&shape)) out["radius"] = s->radius();
  if (const auto* s = std::get_if<Cylinder>(&shape)) {
    out["radius"] = s->radius();
    out["length"] = s->length();
  }
  if (const auto* s = std::get_if<TriangleMesh>(&shape)) {
    Vec3 lower = s->vertices().front();
    Vec3 upper = lower;
    for (const Vec3& p : s->vertices()) {
      lower = lower.cwiseMin(p);
      upper = upper.cwiseMax(p);
    }
    out["triangles"] = s->triangles().size();
    out["vertices"] = s->vertices().size();
    out["box"] = {vector(lower), vector(upper)};
    out["closedness"] = closednessText(solidAndShellOf(*s));
    out["stands_for"] = stanceText(solidAndShellOf(*s), s->open());
  }
  return out;
}

/// A link with its inertia about its centre of mass and its collision geometry.
Json linkJson(const RobotModel& robot, const Link& link) {
  Json out{{"name", link.name}};
  out["parent_joint"] =
      link.parent_joint < 0 ? Json(nullptr) : Json(robot.joints()[link.parent_joint].name);
  out["mass"] = link.inertia.mass;
  out["center_of_mass"] = vector(link.inertia.p_LC);
  const Mat3& I = link.inertia.I_C;
  out["inertia"] = {{"ixx", I(0, 0)}, {"ixy", I(0, 1)}, {"ixz", I(0, 2)},
                    {"iyy", I(1, 1)}, {"iyz", I(1, 2)}, {"izz", I(2, 2)}};
  out["collision"] = Json::array();
  for (const Geometry& geometry : link.collision) {
    Json item = shapeJson(geometry.shape);
    item["origin"] = pose(geometry.X_BG);
    out["collision"].push_back(std::move(item));
  }
  return out;
}

/// A joint with its place in the tree, and what it follows if it is a mimic joint.
Json jointJson(const RobotModel& robot, const Joint& joint) {
  Json out{{"name", joint.name},
           {"type", jointTypeName(joint.type)},
           {"parent", robot.links()[joint.parent_link].name},
           {"child", robot.links()[joint.child_link].name},
           {"origin", pose(joint.X_PJ)},
           {"axis", vector(joint.axis)}};
  if (joint.mimic) {
    out["mimic"] = {{"coordinate", robot.coordinates()[joint.mimic->coordinate].name},
                    {"multiplier", joint.mimic->multiplier},
                    {"offset", joint.mimic->offset}};
  }
  return out;
}

Json coordinateJson(const RobotModel& robot, const Coordinate& c) {
  return {{"name", c.name},
          {"joint", robot.joints()[c.joint].name},
          {"unit", c.is_angle ? "rad" : "m"},
          {"wraps", c.wraps},
          {"lower", number(c.lower)},
          {"upper", number(c.upper)},
          {"velocity", number(c.velocity)},
          {"effort", number(c.effort)}};
}

/// The states of a group, or those without one, with their values by coordinate.
Json statesJson(const RobotModel& robot, const std::string& group) {
  Json out = Json::object();
  for (const GroupState& state : robot.groupStates()) {
    if (state.group != group) continue;
    Json values = Json::object();
    for (const auto& [c, value] : state.values) values[robot.coordinates()[c].name] = value;
    out[state.name] = std::move(values);
  }
  return out;
}

/// A group of the SRDF with the states that belong to it.
Json groupJson(const RobotModel& robot, const Group& group) {
  Json out{{"name", group.name}, {"coordinates", Json::array()}, {"links", Json::array()}};
  for (int c : group.coordinates) out["coordinates"].push_back(robot.coordinates()[c].name);
  for (int l : group.links) out["links"].push_back(robot.links()[l].name);
  out["states"] = statesJson(robot, group.name);
  return out;
}

/// All pairs of links: those that are checked, and the others with the reason.
Json pairsJson(const RobotModel& robot) {
  const auto name = [&](int link) { return robot.links()[link].name; };
  Json out{{"checked", Json::array()}, {"disabled", Json::array()}};
  for (const auto& [a, b] : robot.collisionPairs()) {
    out["checked"].push_back(Json::array({name(a), name(b)}));
  }
  for (const DisabledPair& pair : robot.disabledPairs()) {
    out["disabled"].push_back(
        {{"links", {name(pair.link_a), name(pair.link_b)}}, {"reason", pair.reason}});
  }
  return out;
}

}  // namespace

void printRobotJson(const RobotModel& robot, std::ostream& out) {
  Json json{{"name", robot.name()},
            {"file", robot.sourceFile()},
            {"sha256", robot.sourceSha256()},
            {"mass", robot.totalMass()}};
  for (const char* key : {"links", "joints", "coordinates", "groups"}) json[key] = Json::array();
  for (const Link& link : robot.links()) json["links"].push_back(linkJson(robot, link));
  for (const Joint& joint : robot.joints()) json["joints"].push_back(jointJson(robot, joint));
  for (const Coordinate& c : robot.coordinates()) {
    json["coordinates"].push_back(coordinateJson(robot, c));
  }
  for (const Group& group : robot.groups()) json["groups"].push_back(groupJson(robot, group));
  json["pairs"] = pairsJson(robot);
  json["states_without_group"] = statesJson(robot, "");
  json["warnings"] = robot.warnings();
  json["assumptions"] = robot.assumptions();
  // Names in files may not be UTF-8.
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace allclear
