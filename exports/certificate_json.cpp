#include "allclear/exports/certificate_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/trajectories/trajectory_json.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "allclear_certificate";
constexpr int kVersion = 1;
constexpr int kDeepest = 8;
constexpr std::size_t kLargestFile = std::size_t{1} << 28;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json toJson(const Interval& interval) { return {interval.lower, interval.upper}; }

Json toJson(const CertifiedLimit& limit) {
  return {{"subject", limit.subject},
          {"quantity", limit.quantity},
          {"bounds", {limit.lower, limit.upper}},
          {"limits", {limit.lower_limit, limit.upper_limit}},
          {"t", limit.t},
          {"kept", limit.kept}};
}

Json toJson(const CertificatePair& pair) {
  Json cells = Json::array();
  for (const CoverCell& cell : pair.cells) {
    const Vec3& n = cell.normal;
    cells.push_back({cell.time.lower, cell.time.upper, cell.lower, n.x(), n.y(), n.z()});
  }
  return {{"a", pair.a},
          {"b", pair.b},
          {"closeness", static_cast<int>(pair.fidelity)},
          {"pieces", {pair.piece_a, pair.piece_b}},
          {"margin", pair.margin},
          {"cells", std::move(cells)}};
}

/// A key to a line, and an item of a list of objects to a line.
std::string layout(const Json& root) {
  std::string out;
  for (const auto& [key, value] : root.items()) {
    out += (out.empty() ? "{\n \"" : ",\n \"") + key + "\": ";
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      out += value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      out += (i == 0 ? "[\n  " : ",\n  ") + value[i].dump();
    }
    out += "\n ]";
  }
  return out + "\n}\n";
}

/// A value of the file with its place in it.
class Node {
 public:
  Node(const Json& value, std::string file, std::string key)
      : value_(value), file_(std::move(file)), key_(std::move(key)) {}

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, 0, key_, ""}, message);
  }
  Node at(const std::string& key) const {
    const std::string place = key_.empty() ? key : key_ + "." + key;
    if (!value_.is_object()) fail("must be an object {..}");
    const auto found = value_.find(key);
    if (found == value_.end()) throw InputError({file_, 0, place, ""}, "this key is missing");
    return {*found, file_, place};
  }
  std::size_t size() const {
    if (!value_.is_array()) fail("must be an array [..]");
    return value_.size();
  }
  Node at(std::size_t i) const {
    if (i >= size()) fail("has too few entries");
    return {value_[i], file_, key_ + "[" + std::to_string(i) + "]"};
  }
  void requireSize(std::size_t count) const {
    if (size() != count) fail("must have " + std::to_string(count) + " entries");
  }
  double number(double when_null = std::numeric_limits<double>::quiet_NaN()) const {
    if (value_.is_null() && !std::isnan(when_null)) return when_null;
    if (!value_.is_number()) fail("must be a number");
    return value_.get<double>();
  }
  int index() const {
    if (!value_.is_number_integer() || std::abs(value_.get<double>()) > 1e6) {
      fail("must be an integer");
    }
    return value_.get<int>();
  }
  bool flag() const {
    if (!value_.is_boolean()) fail("must be true or false");
    return value_.get<bool>();
  }
  std::string text() const {
    if (!value_.is_string()) fail("must be a string");
    return value_.get<std::string>();
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < size(); ++i) out.push_back(at(i).text());
    return out;
  }
  Interval interval(double lower_when_null, double upper_when_null) const {
    requireSize(2);
    return {at(0).number(lower_when_null), at(1).number(upper_when_null)};
  }
  const Json& json() const { return value_; }

 private:
  const Json& value_;
  std::string file_;
  std::string key_;
};

CertifiedLimit limitFrom(const Node& node) {
  CertifiedLimit limit;
  limit.subject = node.at("subject").text();
  limit.quantity = node.at("quantity").text();
  const Interval bounds = node.at("bounds").interval(-kInfinity, kInfinity);
  const Interval limits = node.at("limits").interval(-kInfinity, kInfinity);
  limit.lower = bounds.lower;
  limit.upper = bounds.upper;
  limit.lower_limit = limits.lower;
  limit.upper_limit = limits.upper;
  limit.t = node.at("t").number();
  limit.kept = node.at("kept").flag();
  return limit;
}

CertificatePair pairFrom(const Node& node) {
  CertificatePair pair;
  pair.a = node.at("a").text();
  pair.b = node.at("b").text();
  const int fidelity = node.at("closeness").index();
  if (fidelity >= kMeshFidelityCount) {
    node.at("closeness").fail("must be 0 (hulls), 1 (pieces), 2 (many pieces) or 3 (surfaces)");
  }
  pair.fidelity = static_cast<MeshFidelity>(fidelity);
  node.at("pieces").requireSize(2);
  pair.piece_a = node.at("pieces").at(0).index();
  pair.piece_b = node.at("pieces").at(1).index();
  pair.margin = node.at("margin").number();
  const Node cells = node.at("cells");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Node cell = cells.at(i);
    cell.requireSize(6);
    pair.cells.push_back({{cell.at(0).number(), cell.at(1).number()},
                          cell.at(2).number(-kInfinity),
                          {cell.at(3).number(), cell.at(4).number(), cell.at(5).number()}});
  }
  return pair;
}

/// Parses with a bound on the depth, so that a hostile file makes no deep tree.
Json parse(std::string_view text, const std::string& file) {
  const auto watch = [&](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
    if (opens && depth >= kDeepest) {
      throw InputError({file, 0, "", ""}, "is nested too deeply for a certificate");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception&) {
    throw InputError({file, 0, "", ""}, "is not valid JSON");
  }
}

}  // namespace

std::string formatCertificateJson(const Certificate& certificate) {
  const NamedTrajectory& trajectory = certificate.trajectory;
  Json out = {{"format", kFormat}, {"version", kVersion}};
  out["message"] = certificate.message;
  out["clear"] = certificate.clear;
  out["robot_sha256"] = certificate.robot_sha256;
  out["task_sha256"] = certificate.task_sha256;
  out["trajectory_sha256"] = certificate.trajectory_sha256;
  out["margin"] = certificate.margin;
  out["tolerance"] = certificate.tolerance;
  out["minimum_clearance"] = toJson(certificate.minimum_clearance);
  out["at"] = {{"pair", Json::array({certificate.closest_a, certificate.closest_b})},
               {"t", certificate.closest_t}};
  out["trajectory"] =
      Json::parse(formatTrajectoryJson(trajectory.trajectory, trajectory.joint_names));
  out["limits"] = Json::array();
  for (const CertifiedLimit& limit : certificate.limits) out["limits"].push_back(toJson(limit));
  out["faults"] = certificate.faults;
  out["static_contacts"] = certificate.static_contacts;
  out["not_covered"] = certificate.not_covered;
  out["pairs"] = Json::array();
  for (const CertificatePair& pair : certificate.pairs) out["pairs"].push_back(toJson(pair));
  try {
    return layout(out);
  } catch (const Json::type_error&) {
    throw InputError("a name in the certificate is not UTF-8");
  }
}

void writeCertificateJson(const std::filesystem::path& path, const Certificate& certificate) {
  writeFileAtomically(path, formatCertificateJson(certificate));
}

Certificate readCertificateJson(const std::filesystem::path& path) {
  return parseCertificateJson(readFile(path, kLargestFile), path.string());
}

Certificate parseCertificateJson(std::string_view text, const std::string& file) {
  const Json json = parse(text, file);
  const Node root(json, file, "");
  if (root.at("format").text() != kFormat) {
    root.at("format").fail(std::string("must be '") + kFormat + "'");
  }
  if (root.at("version").index() != kVersion) root.at("version").fail("only version 1 is known");
  Certificate certificate{.trajectory =
                              parseTrajectoryJson(root.at("trajectory").json().dump(), file)};
  certificate.message = root.at("message").text();
  certificate.clear = root.at("clear").flag();
  certificate.robot_sha256 = root.at("robot_sha256").text();
  certificate.task_sha256 = root.at("task_sha256").text();
  certificate.trajectory_sha256 = root.at("trajectory_sha256").text();
  certificate.margin = root.at("margin").number();
  certificate.tolerance = root.at("tolerance").number();
  // Without pairs both are +infinity; an unknown lower bound is never stored as null otherwise.
  const bool has_lower = !root.at("minimum_clearance").at(1).json().is_null();
  certificate.minimum_clearance =
      root.at("minimum_clearance").interval(has_lower ? -kInfinity : kInfinity, kInfinity);
  const Node at = root.at("at");
  at.at("pair").requireSize(2);
  certificate.closest_a = at.at("pair").at(0).text();
  certificate.closest_b = at.at("pair").at(1).text();
  certificate.closest_t = at.at("t").number();
  const Node limits = root.at("limits");
  for (std::size_t i = 0; i < limits.size(); ++i) {
    certificate.limits.push_back(limitFrom(limits.at(i)));
  }
  certificate.faults = root.at("faults").texts();
  certificate.static_contacts = root.at("static_contacts").texts();
  certificate.not_covered = root.at("not_covered").texts();
  const Node pairs = root.at("pairs");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    certificate.pairs.push_back(pairFrom(pairs.at(i)));
  }
  return certificate;
}

}  // namespace allclear
