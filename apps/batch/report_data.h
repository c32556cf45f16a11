#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allclear/apps/batch/results.h"
#include "allclear/apps/batch/svg.h"

namespace allclear::batch {

/// What the page of a run shows.
struct RunReport {
  struct Scene {
    std::map<std::string, long> by_status;
    std::vector<double> seconds, durations, clearances;  ///< of certified plans
    long all = 0;
  };
  struct Cause {
    long count = 0;
    std::string example;  ///< a query's id
    std::string message;  ///< the whole text of that one
  };
  struct Item {
    std::string id, status, message, folder;
    bool has_report = false;
    double seconds = 0.0;
    std::optional<double> duration, clearance;
  };

  std::map<std::string, Scene> scenes;
  std::map<std::string, Cause> causes;  ///< by status and the text without its numbers and names
  std::vector<Item> items;              ///< failures first, `kMostItems` at most
  long all = 0, certified = 0, expected = 0, cut_short = 0;
  double busy_seconds = 0.0;  ///< of reading, planning and writing, in all processes
  std::map<std::pair<double, double>, MapCell> map;
  std::string map_x, map_y;  ///< two parameters of a sweep; empty: no map
  std::vector<std::pair<std::string, std::string>> facts;
  std::string changed;  ///< how many rows rest on files that have changed since; empty: none

  static constexpr std::size_t kMostItems = 2000;
};

/// Goes through the rows once. Throws `InputError`.
RunReport collectReport(const Results& results);

/// A text without its numbers and quoted names, so that causes of the same kind are one.
std::string causeOf(const std::string& status, const std::string& message);

}  // namespace allclear::batch
