// The section `contacts` of a task: places of links that stay where the start puts them.
#include <cmath>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"
#include "allclear/core/formatted.h"
#include "allclear/planner/problem/settle.h"
#include "allclear/planner/problem/sole.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// [m] A given sole may stick out of the link's face by so much without a word: less than the
/// default margin that forces keep from its edge.
constexpr double kOverhang = 1e-3;

/// X_LC turned so that its z axis is `up_L`, by the least rotation.
Pose turnedUp(const Pose& X_LC, const Vec3& up_L) {
  const auto turn = Eigen::Quaterniond::FromTwoVectors(X_LC.R.col(2), up_L);
  return {turn.toRotationMatrix() * X_LC.R, X_LC.p};
}

/// Frame and size of a flat contact: as given, else those of the link's own sole.
void readSole(const Value& section, const Vec3& up_L, ContactFrames frames, Problem& problem,
              Contact& contact) {
  const RobotModel& robot = *problem.robot;
  const auto frame = section.find("frame");
  const auto size = section.find("size");
  // What is given replaces what the link itself has.
  const std::optional<Contact> sole = soleOf(robot, contact.link, up_L);
  if (sole) {
    contact.X_LC = sole->X_LC;
    contact.half_size = sole->half_size;
  }
  if (frame) contact.X_LC = readPose(*frame);
  if (frame && frames == ContactFrames::kAtStart) contact.X_LC = turnedUp(contact.X_LC, up_L);
  if (size) {
    contact.half_size = 0.5 * size->numbers(2, "[length, width]");
    if (!(contact.half_size.minCoeff() > 0.0)) size->fail("must be positive");
  } else if (frame) {
    section.fail("a flat contact with a frame needs its size: [length, width]");
  }
  if (size && !frame && !sole) {
    section.fail("needs a frame: the link has no face on its lower side");
  }
  if (!size) return;
  const double overhang = soleOverhang(robot, contact);
  if (!(overhang > kOverhang)) return;
  const std::string by = std::isfinite(overhang) ? "sticks out of the link's lowest face by " +
                                                       formatted("%f", overhang) + " m"
                                                 : "is not on a face of the link";
  problem.warnings.push_back(placeOf(*size) + ": the sole of '" + robot.links()[contact.link].name +
                             "' " + by + ": what is proven of forces may not hold on the robot");
}

Contact readContact(const Value& section, const std::vector<Pose>& X_WL, ContactFrames frames,
                    Problem& problem) {
  section.only({"link", "fixed", "kind", "frame", "size", "friction", "margin", "depth",
                "tolerance", "normal"});
  Contact contact;
  contact.link = readLink(section.need("link"), *problem.robot);
  if (const auto kind = section.find("kind")) {
    contact.kind =
        kind->word({"flat", "point"}) == "flat" ? Contact::Kind::kFlat : Contact::Kind::kPoint;
  }
  // "Up" is a direction of the world; the frame knows it in the link, as the start has it.
  Vec3 up_W = Vec3::UnitZ();
  if (const auto normal = section.find("normal")) up_W = readDirection(*normal);
  const Vec3 up_L = X_WL[contact.link].R.transpose() * up_W;
  if (contact.kind == Contact::Kind::kFlat) {
    readSole(section, up_L, frames, problem, contact);
  } else {
    if (const auto size = section.find("size")) size->fail("a point contact has no size");
    contact.X_LC = turnedUp(readPose(section.need("frame")), up_L);
  }
  if (const auto value = section.find("friction")) contact.friction = value->positive();
  if (const auto value = section.find("margin")) contact.margin = value->notNegative();
  if (const auto value = section.find("depth")) {
    contact.depth = value->positive();
    if (!(contact.depth <= Contact::kGreatestDepth)) value->fail("must be at most 0.02 m");
  }
  if (const auto tolerance = section.find("tolerance")) {
    tolerance->only({"position", "angle"});
    const auto read = [&](const char* key, double& to) {
      if (const auto value = tolerance->find(key)) to = value->positive();
    };
    read("position", contact.position_tolerance);
    read("angle", contact.angle_tolerance);
  }
  return contact;
}

}  // namespace

void readContacts(const Value& task, Problem& problem, ContactFrames frames) {
  const auto list = task.find("contacts");
  if (!list) return;
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  for (const Value& section : list->items()) {
    // `fixed: false`, of an earlier form, is a contact that is switched off.
    const auto fixed = section.find("fixed");
    if (fixed && !fixed->boolean()) continue;
    problem.contacts.push_back(readContact(section, X_WL, frames, problem));
  }
}

void settleContacts(Problem& problem) { problem = settledOnContacts(problem); }

}  // namespace allclear
