#include "allclear/planner/problem/contact_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "allclear/planner/problem/contacts.h"

namespace allclear {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class ContactChecks {
 public:
  explicit ContactChecks(const Problem& problem) : problem_(problem) {}

  std::vector<Finding> run() {
    const ContactSet contacts(problem_);
    for (const PlacedContact& placed : contacts.all()) check(placed);
    // The energy of torques is summed without the forces at contacts.
    if (problem_.objective.torque > 0.0 && contacts.base() != nullptr) {
      add("objective: torque",
          "cannot be weighed for a robot that stands on contacts, whose forces carry a part of the "
          "load; leave it out (limits: torque keeps torques within their limits)");
    }
    return std::move(findings_);
  }

 private:
  void add(const std::string& what, const std::string& why, double value = kNone,
           double limit = kNone) {
    findings_.push_back({what, value, limit, what + ": " + why});
  }

  void requirePositive(const std::string& what, double value) {
    if (std::isfinite(value) && value > 0.0) return;
    add(what, "must be positive", value, 0.0);
  }

  void check(const PlacedContact& placed) {
    const Contact& contact = placed.contact;
    const std::string what = "contact of '" + problem_.robot->links()[contact.link].name + "'";
    if (!contact.X_LC.p.allFinite() || !contact.X_LC.R.allFinite()) {
      add(what, "its frame is not finite");
    }
    requirePositive(what + ": friction", contact.friction);
    requirePositive(what + ": position tolerance", contact.position_tolerance);
    requirePositive(what + ": angle tolerance", contact.angle_tolerance);
    if (!(contact.margin >= 0.0) || !std::isfinite(contact.margin)) {
      add(what + ": margin", "must not be negative", contact.margin, 0.0);
    }
    // Negated, so that NaN is refused.
    if (!(contact.depth > 0.0 && contact.depth <= Contact::kGreatestDepth)) {
      add(what + ": depth", "must be above 0 and at most 0.02 m", contact.depth,
          Contact::kGreatestDepth);
    }
    if (isHeldTwice(contact)) add(what, "a link with a flat contact can have no other one");
    // A link that nothing moves stays by itself, and needs no sole.
    const bool is_free = placed.is_held && !placed.is_base;
    if (contact.kind == Contact::Kind::kFlat && !is_free) checkSole(what, contact);
  }

  void checkSole(const std::string& what, const Contact& contact) {
    const double half = contact.half_size.minCoeff();
    if (!(half > contact.margin) || !contact.half_size.allFinite()) {
      add(what,
          "a flat contact needs a sole wider than its margins on both sides; give its frame and "
          "size",
          2.0 * half, 2.0 * contact.margin);
    }
    // The margin holds what the sole may drift: forces inside of it are inside for sure.
    if (contact.margin < contact.position_tolerance) {
      add(what + ": margin", "must be at least the tolerance of its position", contact.margin,
          contact.position_tolerance);
    }
  }

  bool isHeldTwice(const Contact& contact) const {
    const auto of_link = [&](const Contact& other) { return other.link == contact.link; };
    return contact.kind == Contact::Kind::kFlat &&
           std::count_if(problem_.contacts.begin(), problem_.contacts.end(), of_link) > 1;
  }

  const Problem& problem_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> contactFindings(const Problem& problem) {
  return ContactChecks(problem).run();
}

}  // namespace allclear
