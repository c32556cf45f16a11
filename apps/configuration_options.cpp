#include "allclear/apps/configuration_options.h"

#include <charconv>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

constexpr const char* kOption = "--configuration";

std::vector<std::string> namesOf(const RobotModel& robot) {
  std::vector<std::string> names;
  for (const Coordinate& joint : robot.coordinates()) names.push_back(joint.name);
  return names;
}

int coordinateNamed(const RobotModel& robot, const std::string& name) {
  const std::vector<std::string> names = namesOf(robot);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  throw InputError({"", 0, kOption, name}, "there is no such joint" + insteadOf(name, names));
}

}  // namespace

void ConfigurationOptions::addTo(CLI::App& command) {
  command
      .add_option(kOption, words_,
                  "joints as NAME=VALUE, the others as at the start; or a number for each planned "
                  "joint, in their order [rad; m for slides]")
      ->type_name("JOINTS")
      ->delimiter(',')
      ->allow_extra_args();
}

VecX ConfigurationOptions::read(const RobotModel& robot, const std::vector<int>& planned,
                                VecX base) const {
  // One way or the other: a mixture would leave it open which joints bare numbers stand for.
  const bool is_named = !words_.empty() && words_.front().find('=') != std::string::npos;
  if (!is_named && !words_.empty() && words_.size() != planned.size()) {
    throw InputError({"", 0, kOption, std::to_string(words_.size()) + " numbers"},
                     "must be " + std::to_string(planned.size()) + ", or NAME=VALUE");
  }
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::string& word = words_[i];
    const std::size_t equals = word.find('=');
    if ((equals != std::string::npos) != is_named) {
      throw InputError({"", 0, kOption, word}, "all must be numbers, or all NAME=VALUE");
    }
    const int c = is_named ? coordinateNamed(robot, word.substr(0, equals)) : planned[i];
    base[c] = numberFrom(is_named ? word.substr(equals + 1) : word, kOption);
  }
  return base;
}

double numberFrom(const std::string& word, const std::string& option) {
  double value = 0.0;
  const char* first = word.data() + (word.starts_with("+") ? 1 : 0);
  const auto [end, code] = std::from_chars(first, word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
    throw InputError({"", 0, option, word}, "must be a number");
  }
  return value;
}

std::string shownNumber(double value) {
  constexpr double kNothing = 5e-7;  // half of the last digit
  return formatted("%.6f", std::abs(value) < kNothing ? 0.0 : value);
}

}  // namespace allclear
