#pragma once

#include <vector>

#include "allclear/core/extremes.h"
#include "allclear/planner/certificate/interval_series.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

// What the searches share that bound functions of the motion over a whole trajectory: torques,
// forces at contacts, balance (torque.cpp), and forces of unplanned contacts (impact_bounds.cpp).

using Enclosures = std::vector<EnclosedSeries>;

/// The coordinates of the robot and their derivatives over a cell of time, and wrenches at
/// contacts.
struct EnclosedState {
  Enclosures q, v, a, w;
};

/// Which derivatives a search needs: values with two derivatives take two orders more.
enum class StateRates { kSpeeds, kAccelerations };

/// The state over `time`, which may be a single instant; then it is as tight as rounding allows.
/// Coordinates that are not planned rest at the start. `wrenches` may be null.
EnclosedState enclosedState(const Problem& problem, const Trajectory& trajectory,
                            const Trajectory* wrenches, Interval time, StateRates rates);

/// Where pieces of either curve begin or end. Second derivatives may jump there, so no cell reaches
/// over such an instant.
std::vector<double> timesOfPieces(const Trajectory& trajectory, const Trajectory* wrenches);

/// Bounds a function over `time` from its enclosures at both ends and over the whole: its values
/// differ from the straight line between those of the ends by (length^2 / 8) sup |f''| at most.
Enclosure boundBetween(const EnclosedSeries& first, const EnclosedSeries& last,
                       const EnclosedSeries& inside, Interval time);

/// Covers the trajectory by cells of time: halves each piece until `bounded` is content, or
/// `most_halvings` times. `Bounded` has
///   Instant at(double t);                       evaluates an instant
///   bool bound(Interval, first, last, Cell*);   bounds a cell, and says whether that is good
///   enough void take(const Cell&);                     accepts a cell's bounds
/// with its own types Instant and Cell.
template <class Bounded>
class CellHalving {
 public:
  CellHalving(Bounded& bounded, int most_halvings)
      : bounded_(bounded), most_halvings_(most_halvings) {}

  void run(const std::vector<double>& times) {
    for (std::size_t i = 1; i < times.size(); ++i) {
      auto first = bounded_.at(times[i - 1]);
      auto last = bounded_.at(times[i]);
      search({times[i - 1], times[i]}, first, last, 0);
    }
  }

 private:
  using Instant = typename Bounded::Instant;
  void search(Interval time, Instant& first, Instant& last, int depth) {
    typename Bounded::Cell cell;
    const bool is_fine = bounded_.bound(time, first, last, &cell);
    if (is_fine || depth == most_halvings_) return bounded_.take(cell);
    const double middle = time.middle();
    Instant half = bounded_.at(middle);
    search({time.lower, middle}, first, half, depth + 1);
    search({middle, time.upper}, half, last, depth + 1);
  }

  Bounded& bounded_;
  const int most_halvings_;
};

}  // namespace allclear
