#pragma once

#include <span>

#include "allclear/distance/body_curve.h"
#include "allclear/robot_models/motion/motion_bounds.h"

namespace allclear {

/// Instants of a cell: the Lobatto nodes, then the checks.
inline constexpr int kNodes = LobattoNodes::kCount;
inline constexpr int kChecked = kNodes + LobattoNodes::kChecks;

inline constexpr double kEpsilon = 2.220446049250313e-16;  ///< of double precision

/// c such that interpolation at the nodes of a cell of `cell_length` [s] errs by at most
/// c sup|p^(8)|.
double remainderFactor(double cell_length);

/// c such that, with checks, it errs by at most kCheckedShare times the greatest deviation at a
/// check plus c sup|p^(15)|.
double checkedRemainderFactor(double cell_length);

/// Sets the curve's polynomial to the one through `samples` (poses at the nodes, or at nodes and
/// checks), and its error bounds and derivative bounds from `majorant`. Pre: time and reference_B
/// of the curve are set; `reach` [m] is the largest length that entered the poses. Returns the
/// error [m] at `radius` from the reference point, without the pad for rounding.
double interpolateCurve(std::span<const Pose> samples, const MotionMajorant& majorant, double reach,
                        double radius, BodyCurve* curve);

}  // namespace allclear
