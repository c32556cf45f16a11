#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/support/bench_report.h"

namespace allclear::bench {

/// One problem as two planners left it.
struct ComparedPlan {
  std::string scene;  ///< "robot/scene"
  bool certified = false;
  bool violates = false;  ///< certified, and nearer than the margin at some sample of the audit
  double seconds = 0.0;
  double length_ratio = 0.0;  ///< of the path to the straight line
  bool rival_solved = false;
  bool rival_collides = false;  ///< solved, and in contact at some sample
  bool rival_too_near = false;  ///< solved, and nearer than the margin at some sample
  double rival_seconds = 0.0;
  double rival_length_ratio = 0.0;
};

inline double middleOf(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Prints one line per scene and one per robot: both planners on the same problems.
inline void printRivalTable(const std::vector<ComparedPlan>& plans, Report* report) {
  std::map<std::string, std::vector<ComparedPlan>> groups;
  for (const ComparedPlan& p : plans) {
    groups[p.scene].push_back(p);
    groups[p.scene.substr(0, p.scene.find('/')) + " (all)"].push_back(p);
  }
  std::printf("\n%-24s %5s | %9s %9s %9s %7s | %7s %6s %9s %9s %9s %7s\n", "beside OMPL", "of",
              "certified", "violating", "median s", "length", "solved", "free", "colliding",
              "< margin", "median s", "length");
  for (const auto& group : groups) {
    const std::string& name = group.first;  // a lambda below captures it: not a structured binding
    const auto& list = group.second;
    std::vector<double> seconds, length, rival_seconds, rival_length;
    int certified = 0, violating = 0, solved = 0, colliding = 0, too_near = 0;
    for (const ComparedPlan& p : list) {
      seconds.push_back(p.seconds);
      rival_seconds.push_back(p.rival_seconds);
      if (p.certified) length.push_back(p.length_ratio);
      if (p.rival_solved) rival_length.push_back(p.rival_length_ratio);
      certified += p.certified;
      violating += p.certified && p.violates;
      solved += p.rival_solved;
      colliding += p.rival_solved && p.rival_collides;
      too_near += p.rival_solved && p.rival_too_near;
    }
    const auto figure = [&](const char* key, double value) {
      return report->figure(name + "." + key, value);
    };
    std::printf("%-24s %5zu | %9d %9d %9.3f %7.3f | %7.0f %6.0f %9.0f %9.0f %9.3f %7.3f\n",
                name.c_str(), list.size(), certified, violating, middleOf(seconds),
                middleOf(length), figure("rival_solved", solved),
                figure("rival_free", solved - colliding), figure("rival_colliding", colliding),
                figure("rival_short_of_margin", too_near),
                figure("rival_median_s", middleOf(rival_seconds)),
                figure("rival_length_ratio", middleOf(rival_length)));
  }
  std::printf(
      "Paths are looked at by FCL at random samples: violating, < margin: nearer than the margin "
      "at one of them; colliding: in contact. OMPL asks for no margin. Times are of all problems, "
      "unsolved ones included.\n");
}

}  // namespace allclear::bench
