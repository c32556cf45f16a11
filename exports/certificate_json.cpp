// Numbers are written as the shortest text that reads back to the same bits, so that a certificate
// that was read claims exactly what the one that was written claimed. JSON has no infinity: null
// stands for it, on the side where a bound or limit may be missing.
#include "allclear/exports/certificate_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/json.h"
#include "allclear/trajectories/files/trajectory_value.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "allclear_certificate";
constexpr int kVersion = kCertificateFormat;

// Writing.

Json toJson(const Interval& interval) { return {interval.lower, interval.upper}; }

Json toJson(const CertifiedLimit& limit) {
  return {{"subject", limit.subject},
          {"quantity", limit.quantity},
          {"bounds", {limit.lower, limit.upper}},
          {"limits", {limit.lower_limit, limit.upper_limit}},
          {"t", limit.t},
          {"kept", limit.kept}};
}

/// Counted from 1, as messages do.
Json toJson(const ReachedGoal& goal) {
  return {{"alternative", goal.alternative + 1}, {"of", goal.count}, {"name", goal.name}};
}

Json toJson(const ProvenTube& tube) {
  return {{"joints", {tube.joints_to_contact, tube.joints_to_margin}},
          {"factor", {tube.factor_to_contact, tube.factor_to_margin}},
          {"at", {{"pair", Json::array({tube.closest_a, tube.closest_b})}, {"t", tube.closest_t}}}};
}

Json toJson(const RankedPair& pair) {
  return {{"a", pair.a},
          {"b", pair.b},
          {"distance", toJson(pair.distance)},
          {"margin", pair.margin},
          {"t", pair.t}};
}

Json toJson(const TorqueUse& use) {
  return {{"joint", use.joint}, {"torque", use.torque}, {"effort", use.effort}, {"t", use.t}};
}

/// A cell is six numbers: its interval, its bound, and its direction.
Json toJson(const CertificatePair& pair) {
  Json cells = Json::array();
  for (const CoverCell& cell : pair.cells) {
    const Vec3& n = cell.normal;
    cells.push_back({cell.time.lower, cell.time.upper, cell.lower, n.x(), n.y(), n.z()});
  }
  Json out{{"a", pair.a},
           {"b", pair.b},
           {"fidelity", static_cast<int>(pair.fidelity)},
           {"pieces", {pair.piece_a, pair.piece_b}},
           {"margin", pair.margin},
           {"cells", std::move(cells)}};
  // Only where there is one: [margin, time] for each end, null where that end has none.
  const EndRelief& relief = pair.relief;
  if (relief.isNeeded()) {
    const bool at_goal = relief.from < std::numeric_limits<double>::infinity();
    out["start_relief"] =
        relief.until > 0.0 ? Json{relief.start_margin, relief.until} : Json(nullptr);
    out["goal_relief"] = at_goal ? Json{relief.goal_margin, relief.from} : Json(nullptr);
  }
  return out;
}

Json toJson(const Assumption& assumption) {
  return {{"kind", assumption.kind}, {"text", assumption.text}, {"brief", assumption.brief}};
}

Json toJson(const ExemptPair& pair) {
  return {{"a", pair.a}, {"b", pair.b}, {"reason", pair.reason}};
}

Json toJson(const CertifiedLimitOptions& tolerances) {
  return {{"limit", tolerances.limit_tolerance},
          {"path", tolerances.path_tolerance},
          {"end", tolerances.end_tolerance}};
}

template <class Item>
std::vector<std::string> rowsOf(const std::vector<Item>& items) {
  std::vector<std::string> rows;
  for (const Item& item : items) rows.push_back(toJson(item).dump());
  return rows;
}

/// A key to a line, and a pair or limit to a line.
std::string layout(const Certificate& certificate) {
  // The verdict comes first and the cells, which nobody reads, last.
  JsonLines lines;
  const auto add = [&](const char* key, const Json& value) { lines.add(key, value.dump()); };
  add("format", kFormat);
  add("version", kVersion);
  add("tool", certificate.tool);
  add("message", certificate.message);
  add("clear", certificate.clear);
  add("robot_sha256", certificate.robot_sha256);
  add("task_sha256", certificate.task_sha256);
  add("trajectory_sha256", certificate.trajectory_sha256);
  add("margin", certificate.margin);
  add("tolerance", certificate.tolerance);
  add("tolerances", toJson(certificate.tolerances));
  add("covered_until", certificate.covered_until);
  add("valid_during", Json::array({0.0, certificate.valid_until}));
  lines.addRows("assumptions", rowsOf(certificate.assumptions));
  lines.addRows("exempt_pairs", rowsOf(certificate.exempt_pairs));
  if (certificate.goal) add("goal", toJson(*certificate.goal));
  add("minimum_clearance", toJson(certificate.minimum_clearance));
  add("at", {{"pair", Json::array({certificate.closest_a, certificate.closest_b})},
             {"t", certificate.closest_t}});
  lines.addRows("closest_pairs", rowsOf(certificate.closest_pairs));
  if (certificate.torque_beyond_rating) {
    add("torque_beyond_rating", toJson(*certificate.torque_beyond_rating));
  }
  if (certificate.tube) add("tube", toJson(*certificate.tube));
  lines.add("trajectory", formatTrajectoryOnOneLine(certificate.trajectory));
  lines.addRows("limits", rowsOf(certificate.limits));
  add("faults", certificate.faults);
  add("static_contacts", certificate.static_contacts);
  add("not_covered", certificate.not_covered);
  if (!certificate.sent.empty()) add("sent", certificate.sent);
  if (certificate.follows) {
    const NamedTrajectory path{certificate.follows->path, certificate.trajectory.joint_names, {}};
    lines.add("follows", "{\"within\":" + Json(certificate.follows->within).dump() +
                             ",\"path\":" + formatTrajectoryOnOneLine(path) + "}");
  }
  lines.addRows("pairs", rowsOf(certificate.pairs));
  return lines.text();
}

}  // namespace

std::string formatCertificateJson(const Certificate& certificate) {
  try {
    return layout(certificate);
  } catch (const Json::type_error&) {
    throw InputError("a name in the certificate is not UTF-8");
  }
}

void writeCertificateJson(const std::filesystem::path& path, const Certificate& certificate) {
  writeFileAtomically(path, formatCertificateJson(certificate));
}

}  // namespace allclear
