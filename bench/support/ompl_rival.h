#pragma once

#include "allclear/planner/problem.h"

namespace allclear::bench {

/// What the usual sampler makes of a problem.
struct RivalFigures {
  bool solved = false;        ///< it says that it found a path
  double seconds = 0.0;       ///< of search and simplification
  double length_ratio = 0.0;  ///< of the path to the straight line, in the norm of the joints
  long samples = 0;           ///< of the path, looked at by FCL afterwards
  long contacts = 0;          ///< of these, at which two bodies touch or overlap
  long short_of_margin = 0;   ///< of these, at which two bodies are nearer than their margin
};

/// Plans by OMPL's RRT-Connect and simplifies the path, both with their defaults: edges are checked
/// at samples (`longestValidSegmentFraction` 0.01), each by FCL on the URDF's own meshes, for
/// contact. Then looks at `samples` random points of the path by FCL, as is done with certified
/// plans. Joint goals and still obstacles only. `seed` draws the samples of the audit.
RivalFigures planByOmpl(const Problem& problem, double time_limit, int samples, unsigned seed);

}  // namespace allclear::bench
