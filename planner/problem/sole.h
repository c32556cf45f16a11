#pragma once

#include <optional>

#include "allclear/planner/problem.h"

namespace allclear {

/// The largest rectangle inside the lowest face of a link's collision geometry, seen along `up_L`
/// (a unit vector of the link's frame, out of the ground), as a flat contact: its frame has the
/// rectangle's centre, the face's normal for z, and the link's x axis along the face for x. Empty
/// when the link has no face there (a normal within 0.2 rad of `up_L`).
std::optional<Contact> soleOf(const RobotModel& robot, int link, const Vec3& up_L);

/// How far the rectangle of a flat contact sticks out of the lowest face of its link [m]; 0 when it
/// is inside, infinite when there is no such face.
double soleOverhang(const RobotModel& robot, const Contact& contact);

}  // namespace allclear
