// Puts the proven forces of unplanned contacts into limits that a certificate names, and into
// words: what is proven, what exceeds its limit and which duration would keep it, and what the
// model leaves out.
//
// Slowing down. The same path in s times the duration has 1/s of all rates, and energies that are
// 1/s^2: forces are 1/s, but for the part that the person's own motion brings.
#include "allclear/planner/certificate/impact_limits.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/core/formatted.h"
#include "allclear/planner/certificate/impact_bounds.h"
#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/impact_points.h"

namespace allclear {
namespace {

constexpr const char* kQuantity = "contact force with ";

/// A stretch is rounded up by this much, so that the slower motion keeps the limit itself.
constexpr double kStretchRounding = 1e-6;

/// "a hand", "an upper arm".
std::string withArticle(std::string region) {
  std::replace(region.begin(), region.end(), '_', ' ');
  const bool is_vowel = std::string("aeiou").find(region[0]) != std::string::npos;
  return (is_vowel ? "an " : "a ") + region;
}

/// The entry of this limit with the greatest force; null where the certificate has none.
const CertifiedLimit* worstOf(const ContactLimit& limit,
                              const std::vector<CertifiedLimit>& limits) {
  const CertifiedLimit* worst = nullptr;
  for (const CertifiedLimit& entry : limits) {
    if (entry.quantity != kQuantity + limit.region) continue;
    if (worst == nullptr || !(entry.upper <= worst->upper)) worst = &entry;
  }
  return worst;
}

double stretchFor(const ContactLimit& limit, double force) {
  const double own = ownForce(limit);
  const double stretch = (force - own) / (limit.forceLimit() - own);
  return stretch <= 1.0 ? 1.0 : stretch * (1.0 + kStretchRounding);
}

}  // namespace

void addImpactLimits(const Problem& problem, const Trajectory& trajectory,
                     std::vector<CertifiedLimit>* out) {
  if (problem.limits.contact.empty()) return;
  const ImpactModel model(problem);
  for (const ImpactBound& bound : impactBounds(problem, model, trajectory).bounds) {
    const ContactLimit& limit = problem.limits.contact[bound.limit];
    CertifiedLimit entry;
    entry.subject = model.bodies()[bound.body].name;
    entry.quantity = kQuantity + limit.region;
    entry.upper = bound.upper;
    entry.upper_limit = limit.forceLimit();
    entry.t = bound.t;
    entry.kept = entry.upper <= entry.upper_limit;  // NaN is not kept
    out->push_back(entry);
  }
}

bool isImpactLimit(const CertifiedLimit& limit) { return limit.quantity.starts_with(kQuantity); }

std::vector<std::string> impactSentences(const Problem& problem,
                                         const std::vector<CertifiedLimit>& limits) {
  std::vector<std::string> sentences;
  for (const ContactLimit& limit : problem.limits.contact) {
    // A limit that is not kept is a fault, and is said there.
    const CertifiedLimit* worst = worstOf(limit, limits);
    if (worst == nullptr || !worst->kept) continue;
    const std::string where = limit.links.empty() ? "any point" : "any point of the links named";
    sentences.push_back("Contact with " + withArticle(limit.region) +
                        formatted(": at most %.4g N", worst->upper) +
                        formatted(" (limit %.4g N)", worst->upper_limit) +
                        formatted(" at t = %.4g s, '", worst->t) + worst->subject + "'; " + where +
                        ", any direction, any time");
  }
  const std::vector<std::string> joints = jointsWithoutRotor(problem);
  if (!sentences.empty() && !joints.empty()) {
    sentences.push_back("These forces are too low by what the rotors of " +
                        std::to_string(joints.size()) +
                        (joints.size() == 1 ? " joint adds" : " joints add") +
                        ": their inertia is not known (robot: rotor_inertia)");
  }
  return sentences;
}

std::vector<std::string> impactFaults(const Problem& problem,
                                      const std::vector<CertifiedLimit>& limits, double duration) {
  std::vector<std::string> faults;
  for (const ContactLimit& limit : problem.limits.contact) {
    const CertifiedLimit* worst = worstOf(limit, limits);
    if (worst == nullptr || worst->kept) continue;
    // Forces fall with the duration, so the duration that would do is known at once.
    const double percent = 100.0 * (worst->upper / worst->upper_limit - 1.0);
    faults.push_back("contact with " + withArticle(limit.region) +
                     formatted(": up to %.4g N", worst->upper) +
                     formatted(" (limit %.4g N)", worst->upper_limit) +
                     formatted(" at t = %.4g s, '", worst->t) + worst->subject +
                     formatted("', beyond its limit by %.3g %%; ", percent) +
                     formatted("along the same path a duration of %.5g s would keep it",
                               duration * stretchFor(limit, worst->upper)));
  }
  return faults;
}

double provenContactStretch(const Problem& problem, const Trajectory& trajectory) {
  std::vector<CertifiedLimit> limits;
  addImpactLimits(problem, trajectory, &limits);
  double stretch = 1.0;
  for (const ContactLimit& limit : problem.limits.contact) {
    const CertifiedLimit* worst = worstOf(limit, limits);
    if (worst != nullptr) stretch = raised(stretch, stretchFor(limit, worst->upper));
  }
  return stretch;
}

std::vector<Assumption> impactAssumptions(const Problem& problem) {
  if (problem.limits.contact.empty()) return {};
  const auto shown = [](double value) {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  };
  // The values count, not the names: tables change.
  std::string regions;
  bool moves = false;
  for (const ContactLimit& limit : problem.limits.contact) {
    regions += (regions.empty() ? "" : "; ") + limit.region + ": " + shown(limit.mass) + " kg on " +
               shown(limit.stiffness / 1000.0) + " N/mm, " + shown(limit.forceLimit()) + " N";
    if (limit.human_speed > 0.0) regions += ", moving at " + shown(limit.human_speed) + " m/s";
    moves = moves || limit.human_speed > 0.0;
  }
  std::string model =
      "A region of the human body is a free mass on a spring (" + regions +
      "). Values that tasks take by name are those of docs/contact-limits.md (" +
      kBodyRegionSource +
      "). Links are rigid; at the instant of contact planned joints are free and all others are "
      "locked; drives and controllers do not push; a round surface is touched without friction. ";
  model += moves ? "The person moves no faster than said. " : "The person is at rest. ";
  if (!problem.contacts.empty()) {
    model += "The feet of the robot stand still; the bound holds whichever of them give way. ";
  }
  model +=
      "Clamping (quasi-static contact) is another matter (limits: gaps). This is a calculation, "
      "not "
      "a measurement: it validates nothing, and the risk assessment stays with the integrator.";
  std::vector<Assumption> list{{"unplanned contacts", model, "unplanned contacts by a model"}};
  const std::vector<std::string> joints = jointsWithoutRotor(problem);
  if (!joints.empty()) {
    std::string names;
    for (const std::string& joint : joints) names += (names.empty() ? "" : ", ") + joint;
    list.push_back({"rotor inertia",
                    "The inertia of the rotors is not known, and left out, of " + names +
                        " (robot: rotor_inertia): contact forces are greater than the figures.",
                    "rotors of " + std::to_string(joints.size()) + " joints left out"});
  }
  return list;
}

}  // namespace allclear
