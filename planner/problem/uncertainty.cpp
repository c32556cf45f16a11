#include "allclear/planner/problem/uncertainty.h"

#include <cmath>
#include <cstdio>
#include <map>

namespace allclear {
namespace {

std::string thousandths(double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.4g %s", 1e3 * value, unit);
  return text;
}

/// Things of one kind with their values in thousandths: the value that most of them have stands for
/// all, then come those that differ.
class ValueGroup {
 public:
  explicit ValueGroup(std::string all) : all_(std::move(all)) {}
  void add(const std::string& name, double value, const char* unit) {
    const std::string shown = value == 0.0 ? "0" : thousandths(value, unit);
    entries_.emplace_back(name, shown);
    ++counts_[shown];
  }
  /// "joints within 1 mrad, 'wrist' within 2 mrad"; empty when all are zero.
  std::string text() const {
    std::string common;
    int most = 0;
    for (const auto& [shown, count] : counts_) {
      if (count > most) common = shown;
      most = std::max(most, count);
    }
    if (most < 2) common = "0";  // nothing that stands for several: each has its name
    std::string text = common == "0" ? "" : all_ + " within " + common;
    for (const auto& [name, shown] : entries_) {
      if (shown == common) continue;
      text += (text.empty() ? "'" : ", '") + name + "' within " + shown;
    }
    return text;
  }

 private:
  std::string all_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::map<std::string, int> counts_;
};

void addFinding(const std::string& what, double value, std::vector<Finding>* findings) {
  if (value >= 0.0 && std::isfinite(value)) return;
  findings->push_back({what, value, 0.0, what + ": must be finite and not negative"});
}

}  // namespace

// Written so that NaN is not zero.
bool Uncertainty::isZero() const {
  return (joints.array() == 0.0).all() && (obstacles.array() == 0.0).all() &&
         base_position == 0.0 && base_angle == 0.0;
}

std::vector<Finding> uncertaintyFindings(const Problem& problem) {
  const Uncertainty& uncertainty = problem.uncertainty;
  const auto isFor = [](const VecX& values, std::size_t count) {
    return values.size() == 0 || static_cast<std::size_t>(values.size()) == count;
  };
  std::vector<Finding> findings;
  // Without the right sizes the loops below would take names by an index that is not there.
  if (!isFor(uncertainty.joints, problem.robot->coordinates().size()) ||
      !isFor(uncertainty.obstacles, problem.obstacles.size())) {
    const std::string what = "uncertainty";
    const double none = std::nan("");
    return {{what, none, none, what + ": must have a value for every coordinate and obstacle"}};
  }
  for (int c = 0; c < uncertainty.joints.size(); ++c) {
    addFinding("uncertainty of joint '" + problem.robot->coordinates()[c].name + "'",
               uncertainty.joints[c], &findings);
  }
  for (int o = 0; o < uncertainty.obstacles.size(); ++o) {
    addFinding("uncertainty of obstacle '" + problem.obstacles[o].id + "'",
               uncertainty.obstacles[o], &findings);
  }
  addFinding("uncertainty of the base's position", uncertainty.base_position, &findings);
  addFinding("uncertainty of the base's angle", uncertainty.base_angle, &findings);
  return findings;
}

std::string uncertaintyText(const Problem& problem) {
  const Uncertainty& uncertainty = problem.uncertainty;
  ValueGroup turns("joints"), slides("sliding joints"), obstacles("obstacles");
  for (int c = 0; c < uncertainty.joints.size(); ++c) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    (coordinate.is_angle ? turns : slides)
        .add(coordinate.name, uncertainty.joints[c], coordinate.is_angle ? "mrad" : "mm");
  }
  for (int o = 0; o < uncertainty.obstacles.size(); ++o) {
    obstacles.add(problem.obstacles[o].id, uncertainty.obstacles[o], "mm");
  }
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  add(turns.text());
  add(slides.text());
  add(obstacles.text());
  if (uncertainty.base_position != 0.0 || uncertainty.base_angle != 0.0) {
    add("base within " + thousandths(uncertainty.base_position, "mm") + " and " +
        thousandths(uncertainty.base_angle, "mrad"));
  }
  return text;
}

}  // namespace allclear
