// Reads a certificate from its file (certificate_json.cpp writes it). Claims are not checked here,
// but what nobody checks must not stand in a certificate: in every map a key that is not known is
// an error.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/core/file.h"
#include "allclear/core/text/json.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/trajectories/files/trajectory_value.h"

namespace allclear {
namespace {

constexpr const char* kFormat = "allclear_certificate";
constexpr int kVersion = kCertificateFormat;
constexpr int kDeepest = 5;  // the object, its pairs, one pair, its cells, one cell
constexpr std::size_t kLargestFile = std::size_t{1} << 28;
/// A number takes at least two characters of the file.
constexpr std::size_t kMostValues = kLargestFile / 2;
/// Above what any certificate needs; so that indices fit an `int`.
constexpr int kGreatestInteger = 1'000'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kToolName = "allclear ";
constexpr std::size_t kLongestVersion = 20;  // characters

using Keys = std::vector<std::string>;

/// A number, or null for `when_null`.
double numberOr(const Value& value, double when_null) {
  return value.isNull() ? when_null : value.number();
}

void requireSize(const Value& list, std::size_t count) {
  if (list.size() != count) list.fail("must have " + std::to_string(count) + " entries");
}

int indexFrom(const Value& value) {
  return static_cast<int>(value.integer(-kGreatestInteger, kGreatestInteger));
}

Interval intervalFrom(const Value& list, double lower_when_null, double upper_when_null) {
  requireSize(list, 2);
  return {numberOr(list.at(0), lower_when_null), numberOr(list.at(1), upper_when_null)};
}

std::vector<std::string> sentencesFrom(const Value& list) {
  std::vector<std::string> sentences;
  for (const Value& item : list.items()) sentences.push_back(item.textOrEmpty());
  return sentences;
}

CertifiedLimit limitFrom(const Value& value) {
  static const Keys kKeys = {"subject", "quantity", "bounds", "limits", "t", "kept"};
  value.only(kKeys);
  CertifiedLimit limit;
  limit.subject = value.need("subject").textOrEmpty();
  limit.quantity = value.need("quantity").text();
  const Interval bounds = intervalFrom(value.need("bounds"), -kInfinity, kInfinity);
  const Interval limits = intervalFrom(value.need("limits"), -kInfinity, kInfinity);
  limit.lower = bounds.lower;
  limit.upper = bounds.upper;
  limit.lower_limit = limits.lower;
  limit.upper_limit = limits.upper;
  limit.t = value.need("t").number();
  limit.kept = value.need("kept").boolean();
  return limit;
}

/// Reads which pair, and when, into the `closest_..` of a certificate or tube.
template <class Closest>
void closestFrom(const Value& at, Closest* out) {
  at.only({"pair", "t"});
  const Value pair = at.need("pair");
  requireSize(pair, 2);
  out->closest_a = pair.at(0).textOrEmpty();
  out->closest_b = pair.at(1).textOrEmpty();
  out->closest_t = at.need("t").number();
}

ProvenTube tubeFrom(const Value& value) {
  value.only({"joints", "factor", "at"});
  const auto widthsFrom = [](const Value& list, double* to_contact, double* to_margin) {
    requireSize(list, 2);
    *to_contact = numberOr(list.at(0), kInfinity);
    *to_margin = numberOr(list.at(1), kInfinity);
  };
  ProvenTube tube;
  widthsFrom(value.need("joints"), &tube.joints_to_contact, &tube.joints_to_margin);
  widthsFrom(value.need("factor"), &tube.factor_to_contact, &tube.factor_to_margin);
  closestFrom(value.need("at"), &tube);
  return tube;
}

ReachedGoal goalFrom(const Value& value) {
  value.only({"alternative", "of", "name"});
  ReachedGoal goal;
  goal.alternative = static_cast<int>(value.need("alternative").integer(1, kGreatestInteger)) - 1;
  goal.count = static_cast<int>(value.need("of").integer(1, kGreatestInteger));
  goal.name = value.need("name").textOrEmpty();
  return goal;
}

RankedPair rankedFrom(const Value& value) {
  value.only({"a", "b", "distance", "margin", "t"});
  return {value.need("a").textOrEmpty(), value.need("b").textOrEmpty(),
          intervalFrom(value.need("distance"), -kInfinity, kInfinity),
          value.need("margin").number(), value.need("t").number()};
}

TorqueUse torqueUseFrom(const Value& value) {
  value.only({"joint", "torque", "effort", "t"});
  return {value.need("joint").text(), value.need("torque").number(), value.need("effort").number(),
          value.need("t").number()};
}

CoverCell cellFrom(const Value& cell) {
  requireSize(cell, 6);
  const auto at = [&](int i) { return cell.at(i).number(); };
  return {{at(0), at(1)}, numberOr(cell.at(2), -kInfinity), {at(3), at(4), at(5)}};
}

CertificatePair pairFrom(const Value& value) {
  static const Keys kKeys = {"a",      "b",     "fidelity",     "pieces",
                             "margin", "cells", "start_relief", "goal_relief"};
  value.only(kKeys);
  CertificatePair pair;
  pair.a = value.need("a").textOrEmpty();
  pair.b = value.need("b").textOrEmpty();
  const Value fidelity = value.need("fidelity");
  const int level = indexFrom(fidelity);
  // The level is an index of tables later: an unknown one must not get past here.
  if (level < 0 || level >= kMeshFidelityCount) {
    fidelity.fail("must be 0 (hulls), 1 (pieces), 2 (many pieces) or 3 (surfaces)");
  }
  pair.fidelity = static_cast<MeshFidelity>(level);
  const Value pieces = value.need("pieces");
  requireSize(pieces, 2);
  pair.piece_a = indexFrom(pieces.at(0));
  pair.piece_b = indexFrom(pieces.at(1));
  pair.margin = value.need("margin").number();
  for (const Value& cell : value.need("cells").items()) pair.cells.push_back(cellFrom(cell));
  if (const auto relief = value.find("start_relief"); relief && !relief->isNull()) {
    requireSize(*relief, 2);
    pair.relief.start_margin = relief->at(0).number();
    pair.relief.until = relief->at(1).number();
  }
  if (const auto relief = value.find("goal_relief"); relief && !relief->isNull()) {
    requireSize(*relief, 2);
    pair.relief.goal_margin = relief->at(0).number();
    pair.relief.from = relief->at(1).number();
  }
  return pair;
}

CertifiedLimitOptions tolerancesFrom(const Value& value) {
  value.only({"limit", "path", "end"});
  CertifiedLimitOptions tolerances;
  tolerances.limit_tolerance = value.need("limit").number();
  tolerances.path_tolerance = value.need("path").number();
  tolerances.end_tolerance = value.need("end").number();
  return tolerances;
}

/// "1.2.3", with a short "-rc.1" or the like behind it.
bool isVersion(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("-+"), text.size());
  const std::string_view numbers = text.substr(0, end), rest = text.substr(end);
  const bool are_numbers = numbers.find_first_not_of("0123456789.") == std::string_view::npos &&
                           std::count(numbers.begin(), numbers.end(), '.') == 2 &&
                           numbers.find("..") == std::string_view::npos &&
                           !numbers.starts_with('.') && !numbers.ends_with('.');
  return are_numbers && numbers.size() + rest.size() <= kLongestVersion &&
         rest.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-+") ==
             std::string_view::npos;
}

/// Another version may have made it, but the name leaves no room for a claim.
std::string toolFrom(const Value& value) {
  const std::string tool = value.text();
  if (!tool.starts_with(kToolName) || !isVersion(std::string_view(tool).substr(kToolName.size()))) {
    value.fail("must be 'allclear' and a version, as 'allclear " ALLCLEAR_VERSION "'");
  }
  return tool;
}

/// What the certificate says about itself (`declareScope`).
void readScope(const Value& root, Certificate* certificate) {
  certificate->tool = toolFrom(root.need("tool"));
  certificate->margin = root.need("margin").number();
  certificate->tolerance = root.need("tolerance").number();
  certificate->tolerances = tolerancesFrom(root.need("tolerances"));
  certificate->covered_until = root.need("covered_until").number();
  // From the start on; null for ever.
  const Value valid = root.need("valid_during");
  const Interval during = intervalFrom(valid, -kInfinity, kInfinity);
  if (!(during.lower == 0.0)) valid.fail("must start at 0");
  certificate->valid_until = during.upper;
  for (const Value& item : root.need("assumptions").items()) {
    item.only({"kind", "text", "brief"});
    certificate->assumptions.push_back({item.need("kind").textOrEmpty(),
                                        item.need("text").textOrEmpty(),
                                        item.need("brief").textOrEmpty()});
  }
  static const Keys kPairKeys = {"a", "b", "reason"};
  for (const Value& item : root.need("exempt_pairs").items()) {
    item.only(kPairKeys);
    certificate->exempt_pairs.push_back({item.need("a").textOrEmpty(), item.need("b").textOrEmpty(),
                                         item.need("reason").textOrEmpty()});
  }
}

void requireFormat(const Value& root) {
  root.need("format").word({kFormat});
  const Value version = root.need("version");
  if (indexFrom(version) != kVersion)
    version.fail("only version 3 is known; certify the trajectory again");
  root.only({"format",
             "version",
             "tool",
             "message",
             "clear",
             "robot_sha256",
             "task_sha256",
             "trajectory_sha256",
             "margin",
             "tolerance",
             "tolerances",
             "covered_until",
             "valid_during",
             "assumptions",
             "exempt_pairs",
             "goal",
             "minimum_clearance",
             "at",
             "closest_pairs",
             "torque_beyond_rating",
             "tube",
             "trajectory",
             "limits",
             "faults",
             "static_contacts",
             "not_covered",
             "sent",
             "follows",
             "pairs"});
}

}  // namespace

Certificate readCertificateJson(const std::filesystem::path& path) {
  return parseCertificateJson(readFile(path, kLargestFile), path.string());
}

/// Reads key by key, in the order of the file. Claims are not checked here.
Certificate parseCertificateJson(std::string_view text, const std::string& file) {
  const Value root = parseJson(text, file, {kLargestFile, kMostValues, kDeepest});
  requireFormat(root);
  Certificate certificate{.trajectory = readTrajectory(root.need("trajectory"))};
  certificate.message = root.need("message").textOrEmpty();
  certificate.clear = root.need("clear").boolean();
  certificate.robot_sha256 = root.need("robot_sha256").textOrEmpty();
  certificate.task_sha256 = root.need("task_sha256").textOrEmpty();
  certificate.trajectory_sha256 = root.need("trajectory_sha256").textOrEmpty();
  readScope(root, &certificate);
  // Without pairs both are +infinity; otherwise the upper bound is a distance that was met.
  const Value minimum = root.need("minimum_clearance");
  requireSize(minimum, 2);
  const bool has_pairs = !minimum.at(1).isNull();
  certificate.minimum_clearance =
      intervalFrom(minimum, has_pairs ? -kInfinity : kInfinity, kInfinity);
  closestFrom(root.need("at"), &certificate);
  if (const auto goal = root.find("goal")) certificate.goal = goalFrom(*goal);
  for (const Value& pair : root.need("closest_pairs").items()) {
    certificate.closest_pairs.push_back(rankedFrom(pair));
  }
  if (const auto use = root.find("torque_beyond_rating")) {
    certificate.torque_beyond_rating = torqueUseFrom(*use);
  }
  if (const auto tube = root.find("tube")) certificate.tube = tubeFrom(*tube);
  for (const Value& limit : root.need("limits").items()) {
    certificate.limits.push_back(limitFrom(limit));
  }
  certificate.faults = sentencesFrom(root.need("faults"));
  certificate.static_contacts = sentencesFrom(root.need("static_contacts"));
  certificate.not_covered = sentencesFrom(root.need("not_covered"));
  if (const auto sent = root.find("sent")) {
    for (const Value::Entry& hash : sent->only({"csv", "ros2"}).entries()) {
      certificate.sent[hash.key] = hash.value.text();
    }
  }
  if (const auto follows = root.find("follows")) {
    follows->only({"within", "path"});
    const NamedTrajectory path =
        readTrajectory(follows->need("path"), certificate.trajectory.joint_names);
    certificate.follows.emplace(path.trajectory, follows->need("within").positive());
  }
  for (const Value& pair : root.need("pairs").items()) certificate.pairs.push_back(pairFrom(pair));
  return certificate;
}

}  // namespace allclear
