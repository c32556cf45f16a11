// One HTML file with everything in it: markup, style, scripts, three.js and the data as JSON.
//
// The data are what `data.js` reads. Long rows of numbers go in as base64 of 32 bit floats: a third
// of the size of text, and read in one step. The page is a template with @NAME@ marks.
//
// Names come from the user's files, so they must not be able to end a script or a tag: in JSON
// every "<" is written as \u003c, in the title "&" and "<" as entities.
#include "allclear/exports/report/html.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "allclear/exports/report/assets.h"
#include "allclear/planner/problem/alternatives.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;

Json numberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json vectorJson(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

std::string packedRow(const MatX& rows, int i) {
  return packedFloats({rows.row(i).begin(), rows.row(i).end()});
}

/// Position and unit quaternion (x, y, z, w) of each pose.
std::string packedPoses(const std::vector<Pose>& poses) {
  std::vector<double> out;
  Eigen::Quaterniond before = Eigen::Quaterniond::Identity();
  for (const Pose& X : poses) {
    Eigen::Quaterniond q(X.R);
    q.normalize();
    // q and -q are the same rotation. The viewer interpolates between neighbours, so they must lie
    // on the same side.
    if (q.dot(before) < 0.0) q.coeffs() = -q.coeffs();
    before = q;
    for (double value : {X.p.x(), X.p.y(), X.p.z(), q.x(), q.y(), q.z(), q.w()}) {
      out.push_back(value);
    }
  }
  return packedFloats(out);
}

Json meshesJson(const std::vector<PackedMesh>& meshes) {
  Json out = Json::array();
  for (const PackedMesh& m : meshes) {
    out.push_back({{"v", m.vertex_count},
                   {"t", m.triangle_count},
                   {"lower", vectorJson(m.lower)},
                   {"size", vectorJson(m.size)},
                   {"vertices", m.vertices},
                   {"triangles", m.triangles}});
  }
  return out;
}

Json sceneJson(const Problem& problem, const ReportScene& scene) {
  static constexpr const char* kKinds[] = {"link", "attached", "obstacle"};
  Json bodies = Json::array();
  // Bodies stand in the order of the geometry, so that pairs may name them by index.
  for (const ReportBody& body : scene.bodies) {
    bodies.push_back({{"name", body.name},
                      {"kind", kKinds[static_cast<int>(body.kind)]},
                      {"plane", body.is_plane},
                      {"poses", packedPoses(body.poses)},
                      {"looks", meshesJson(body.looks)},
                      {"solids", meshesJson(body.solids)}});
    if (const ReportCells& cells = body.cells; cells.count > 0) {
      bodies.back()["cells"] = {{"count", cells.count},
                                {"centers", packedFloats(cells.centers)},
                                {"half", packedFloats(cells.half_size)},
                                {"lower", vectorJson(cells.lower)},
                                {"size", vectorJson(cells.size)}};
    }
    if (body.bends) bodies.back()["bends"] = true;
    for (const ReportSpread& spread : body.spreads) {
      bodies.back()["spreads"].push_back(
          {{"first", spread.first_frame}, {"meshes", meshesJson(spread.meshes)}});
    }
  }
  Json out = {{"bodies", std::move(bodies)},
              {"center", vectorJson(scene.center)},
              {"radius", scene.radius}};
  std::vector<Pose> poses;
  for (const PoseTarget& each : posesOf(problem.goal)) poses.push_back(each.X_WP);
  if (!poses.empty()) out["goal"] = packedPoses(poses);
  return out;
}

/// The paths of the tools in the world, a point per frame.
Json toolPaths(const ReportData& data) {
  Json paths = Json::array();
  if (!data.frames.isMotion()) return paths;
  for (const ReportTool& tool : data.scene.tools) {
    std::vector<double> path;
    for (const std::vector<Pose>& poses : data.frames.X_WL) {
      const Vec3 p = poses[tool.link] * tool.p_LT;
      path.insert(path.end(), {p.x(), p.y(), p.z()});
    }
    paths.push_back(packedFloats(path));
  }
  return paths;
}

/// By frame the distance and the two closest points, of one pair or of the closest pair.
Json distancesJson(const std::vector<ReportDistance>& at) {
  std::vector<double> distances, points;
  for (const ReportDistance& d : at) {
    distances.push_back(d.distance);
    for (const Vec3* p : {&d.p_A, &d.p_B}) {
      points.insert(points.end(), {p->x(), p->y(), p->z()});
    }
  }
  return {{"distance", packedFloats(distances)}, {"points", packedFloats(points)}};
}

Json clearanceJson(const ReportClearance& clearance) {
  Json pairs = Json::array();
  // Bodies, margin and frame of each pair shown, then its curves; "closest" is the pair of each
  // frame.
  for (const ReportPair& pair : clearance.pairs) {
    Json out = distancesJson(pair.at);
    out["a"] = pair.at.front().a;
    out["b"] = pair.at.front().b;
    out["margin"] = pair.at.front().margin;
    out["nearest"] = pair.nearest;
    std::vector<double> bounds;
    for (const ReportBound& b : pair.bounds) bounds.insert(bounds.end(), {b.t0, b.t1, b.lower});
    out["bounds"] = packedFloats(bounds);
    pairs.push_back(std::move(out));
  }
  Json closest = distancesJson(clearance.closest);
  Json who = Json::array();
  for (const ReportDistance& d : clearance.closest) {
    who.push_back(Json::array({d.a, d.b, d.margin}));
  }
  closest["who"] = std::move(who);
  return {{"pairs", std::move(pairs)}, {"closest", std::move(closest)}};
}

/// Per planned joint its limits and its rows. JSON has no infinity: a missing limit is null.
Json jointsJson(const Problem& problem, const ReportData& data) {
  Json out = Json::array();
  if (data.joints.position.size() == 0) return out;
  const PlannedLimits limits = plannedLimits(problem);
  for (int i = 0; i < problem.plannedCount(); ++i) {
    const Coordinate& c = problem.robot->coordinates()[problem.planned[i]];
    out.push_back({{"name", c.name},
                   {"angle", c.is_angle},
                   {"lower", numberOrNull(limits.lower[i])},
                   {"upper", numberOrNull(limits.upper[i])},
                   {"velocity_limit", numberOrNull(limits.velocity[i])},
                   {"acceleration_limit", numberOrNull(limits.acceleration[i])},
                   {"jerk_limit", numberOrNull(limits.jerk[i])},
                   {"torque_limit", numberOrNull(c.effort)},
                   {"position", packedRow(data.joints.position, i)},
                   {"velocity", packedRow(data.joints.velocity, i)},
                   {"acceleration", packedRow(data.joints.acceleration, i)},
                   {"jerk", packedRow(data.joints.jerk, i)},
                   {"torque", packedRow(data.joints.torque, i)}});
  }
  return out;
}

std::string packedPoints(const std::vector<Vec3>& points) {
  std::vector<double> out;
  for (const Vec3& p : points) out.insert(out.end(), {p.x(), p.y(), p.z()});
  return packedFloats(out);
}

/// The contacts in their order: place, size and what acts there at each frame.
Json contactsJson(const ReportContacts& contacts) {
  Json list = Json::array();
  for (const ReportContact& contact : contacts.contacts) {
    const Contact& c = contact.placed.contact;
    const bool is_flat = c.kind == Contact::Kind::kFlat;
    list.push_back({{"name", contact.name},
                    {"flat", is_flat},
                    {"pose", packedPoses({contact.placed.X_WC})},
                    {"half", Json::array({c.half_size.x(), c.half_size.y()})},
                    {"friction", c.friction},
                    {"margin", c.margin},
                    {"force", packedPoints(contact.force)},
                    {"moment", packedPoints(contact.moment)},
                    {"pressure", packedPoints(contact.pressure)}});
  }
  return {{"list", std::move(list)},
          {"weight", contacts.weight},
          {"zero_moment", packedPoints(contacts.zero_moment)}};
}

/// Per stretch of a cable its sizes, and where its clips are at each frame.
Json cablesJson(const std::vector<ReportCable>& cables) {
  Json list = Json::array();
  for (const ReportCable& cable : cables) {
    list.push_back({{"name", cable.name},
                    {"length", cable.length},
                    {"reserve", cable.reserve},
                    {"radius", cable.radius},
                    {"a", packedPoints(cable.a)},
                    {"b", packedPoints(cable.b)},
                    {"span", packedFloats(cable.span)}});
  }
  return list;
}

/// Per region the force of the worst contact at each frame, where and with what; and the cells.
Json impactsJson(const std::vector<ReportRegion>& regions) {
  Json list = Json::array();
  for (const ReportRegion& region : regions) {
    list.push_back({{"name", region.name},
                    {"limit", region.limit},
                    {"force", packedFloats(region.force)},
                    {"body", region.body},
                    {"point", packedPoints(region.point)},
                    {"direction", packedPoints(region.direction)},
                    {"proven", packedFloats(region.proven)}});
  }
  return list;
}

/// Cost and infeasibility of every iteration of the solver, and the round that it belongs to.
Json historyJson(const std::vector<PlanProgress>& history) {
  std::vector<double> cost, infeasibility, round;
  for (const PlanProgress& p : history) {
    cost.push_back(p.cost);
    infeasibility.push_back(p.infeasibility);
    round.push_back(p.round);
  }
  return {{"cost", packedFloats(cost)},
          {"infeasibility", packedFloats(infeasibility)},
          {"round", packedFloats(round)}};
}

/// What the certificate takes for granted: in one line, in full, and pair by pair.
Json scopeJson(const Certificate& certificate) {
  Json assumptions = Json::array(), exempt = Json::array();
  for (const Assumption& assumption : certificate.assumptions) {
    assumptions.push_back(Json::array({assumption.kind, assumption.text}));
  }
  for (const ExemptPair& pair : certificate.exempt_pairs) {
    exempt.push_back(Json::array({pair.a, pair.b, pair.reason}));
  }
  return {{"brief", assumptionsInBrief(certificate)},
          {"assumptions", std::move(assumptions)},
          {"exempt", std::move(exempt)},
          {"tool", certificate.tool}};
}

/// The pairs nearest to their margins, proven, and the instant to jump to: that of the first of
/// them, or the worst one of a trajectory that is not clear.
void addClosest(const Certificate& certificate, Json* out) {
  Json ranked = Json::array();
  for (const RankedPair& pair : certificate.closest_pairs) {
    ranked.push_back({{"a", pair.a},
                      {"b", pair.b},
                      {"lower", pair.distance.lower},
                      {"upper", pair.distance.upper},
                      {"margin", pair.margin},
                      {"t", pair.t}});
  }
  // Of a trajectory that is not clear nothing is ranked: the worst pair seen is the one to look at.
  const bool is_ranked = !certificate.closest_pairs.empty();
  if (is_ranked) {
    const RankedPair& first = certificate.closest_pairs.front();
    (*out)["minimum"] = {{"t", first.t},
                         {"distance", first.distance.upper},
                         {"proven", certificate.minimum_clearance.lower}};
  } else if (!certificate.closest_a.empty()) {
    (*out)["minimum"] = {{"t", certificate.closest_t},
                         {"distance", certificate.minimum_clearance.upper}};
  }
  (*out)["ranked"] = std::move(ranked);
}

Json dataJson(const Problem& problem, const ReportData& data) {
  const ReportVerdict& v = data.verdict;
  // The keys are those that data.js reads. Without a certificate there is no "minimum".
  Json facts = Json::array();
  for (const auto& [name, value] : data.facts) facts.push_back(Json::array({name, value}));
  Json out = {{"verdict",
               {{"good", v.is_good},
                {"title", v.title},
                {"message", v.message},
                {"faults", v.faults},
                {"advice", v.advice}}},
              {"title", data.title},
              {"facts", std::move(facts)},
              {"times", packedFloats(data.frames.times)},
              {"labels", data.frames.labels},
              {"scene", sceneJson(problem, data.scene)},
              {"tool_paths", toolPaths(data)},
              {"clearance", clearanceJson(data.clearance)},
              {"joints", jointsJson(problem, data)},
              {"torque_limited", problem.limits.torque},
              {"contacts", contactsJson(data.contacts)},
              {"impacts", impactsJson(data.impacts)},
              {"cables", cablesJson(data.cables)},
              {"history", historyJson(data.history)}};
  if (data.certificate != nullptr) addClosest(*data.certificate, &out);
  if (data.certificate != nullptr) out["scope"] = scopeJson(*data.certificate);
  return out;
}

/// Text in the title, where no quotes matter.
std::string escapedForHtml(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

/// JSON that no HTML parser takes for the end of a script. "<" occurs in strings only, where it may
/// be written as an escape.
std::string escapedForScript(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string formatReportHtml(const Problem& problem, const ReportData& data) {
  const std::string json = escapedForScript(
      dataJson(problem, data).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  // Copies the template, and at each @KEY@ what the key stands for.
  std::string out;
  std::string_view rest = kReportPage;
  while (true) {
    const std::size_t open = rest.find('@');
    out += rest.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = rest.find('@', open + 1);
    const std::string_view key = rest.substr(open + 1, close - open - 1);
    if (key == "TITLE") out += escapedForHtml(data.title + ": " + data.verdict.title);
    if (key == "STYLE") out += kReportStyle;
    if (key == "THREE") out += kThreeScript;
    if (key == "SCRIPT") out += kReportScript;
    if (key == "DATA") out += json;
    rest.remove_prefix(close + 1);
  }
}

}  // namespace allclear
