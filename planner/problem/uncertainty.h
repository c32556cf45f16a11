#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// Findings about `Problem::uncertainty`: sizes, and numbers that are negative or not finite.
std::vector<Finding> uncertaintyFindings(const Problem& problem);

/// Whether anything strays: joints, obstacles (by a distance or a covariance) or the base.
bool isUncertain(const Problem& problem);

/// What is wrong with a spread, "covariance: must not have negative eigenvalues, has -0.1"; empty
/// when nothing is.
std::string spreadFault(const PositionSpread& spread);

/// The probability that a Gaussian vector lies within `sigma` standard deviations of its mean, that
/// is, within the ellipsoid x' C^-1 x <= sigma^2; of as many dimensions (0 to 3) as its covariance
/// has positive eigenvalues.
double probabilityWithin(double sigma, int dimensions);

/// The least of it over time: at an instant with the most dimensions that its covariance has.
double probabilityWithin(const PositionSpread& spread);

/// The uncertainty in words: "joints within 1 mrad, 'wrist' within 2 mrad; obstacles within 2 mm".
/// Empty when there is none. Positions by covariances: "'cart' anywhere within 3 standard
/// deviations of its covariance, up to 90 mm at t = 0 and 120 mm at t = 2 s (a Gaussian is, at each
/// instant, with a probability of at least 97.07 %)".
std::string uncertaintyText(const Problem& problem);

/// What distances to obstacles with a covariance are, a sentence with a blank before it; empty
/// where there are none.
std::string spreadSentence(const Problem& problem);

}  // namespace allclear
