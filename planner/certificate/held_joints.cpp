#include "allclear/planner/certificate/held_joints.h"

#include <algorithm>
#include <string>

#include "allclear/planner/certificate/words.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/derived_base.h"

namespace allclear {
namespace {

/// Its coordinates are those of the foot in the model, and 0: to call them held would say that the
/// base stays.
void addDerivedBase(const Problem& problem, const std::string& coordinate,
                    std::vector<Assumption>* out) {
  const ContactSet contacts(problem);
  const std::string joint = coordinate.substr(0, coordinate.rfind('/'));
  const std::string& foot = problem.robot->links()[contacts.base()->contact.link].name;
  out->push_back({"derived base",
                  "The base ('" + joint +
                      "') is not planned, but it moves: it follows from the joints and from the "
                      "contact of '" +
                      foot + "', which counts as staying exactly where the start puts it.",
                  "base follows from the contact of " + foot});
}

}  // namespace

std::vector<Assumption> heldJointAssumptions(const Problem& problem) {
  std::vector<Assumption> out;
  const std::vector<std::string> derived = derivedBaseNames(problem);
  if (!derived.empty()) addDerivedBase(problem, derived.front(), &out);
  std::string names, values;
  std::size_t count = 0;
  for (int c = 0; c < problem.robot->dimension(); ++c) {
    const std::string& name = problem.robot->coordinates()[c].name;
    if (std::binary_search(problem.planned.begin(), problem.planned.end(), c)) continue;
    // The base of a robot that stands is planned by nobody, and moves all the same.
    if (std::find(derived.begin(), derived.end(), name) != derived.end()) continue;
    names += (count == 0 ? "" : ", ") + name;
    values += (count == 0 ? "" : ", ") + name + " = " + shown(problem.start[c]);
    ++count;
  }
  if (count == 0) return out;
  out.push_back(
      {"held joints", "Joints that are not planned stay where they are [rad or m]: " + values + ".",
       count <= kNamedInBrief ? names + " held" : std::to_string(count) + " joints held"});
  return out;
}

}  // namespace allclear
