// The verdict of a certificate in words: one headline, then what it rests on, the nearest pair
// first. All numbers are those of the certificate.
#include "allclear/planner/certificate/statements.h"

#include <algorithm>
#include <set>
#include <utility>

#include "allclear/core/formatted.h"
#include "allclear/planner/certificate/cable_limits.h"
#include "allclear/planner/certificate/contact_limits.h"
#include "allclear/planner/certificate/contact_touch.h"
#include "allclear/planner/certificate/follow_claim.h"
#include "allclear/planner/certificate/impact_limits.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/certificate/relief.h"
#include "allclear/planner/certificate/target_met.h"
#include "allclear/planner/certificate/torque_use.h"
#include "allclear/planner/certificate/tube.h"
#include "allclear/planner/problem/ground_pairs.h"
#include "allclear/planner/problem/uncertainty.h"

namespace allclear {
namespace {

/// Faults, and constant pairs, that the paragraph names; the lists have all of them.
constexpr std::size_t kShown = 3;

/// The names of two bodies, as messages have them.
std::string pairName(const std::string& a, const std::string& b) {
  return "'" + a + "' and '" + b + "'";
}

/// The first few, and how many there are besides.
std::string firstOf(const std::vector<std::string>& parts, const char* separator,
                    const char* what) {
  std::string all;
  const std::size_t shown = std::min(kShown, parts.size());
  for (std::size_t i = 0; i < shown; ++i) all += (i == 0 ? "" : separator) + parts[i];
  if (parts.size() > shown) {
    const std::size_t more = parts.size() - shown;
    all += formatted("; and %zu more %s%s", more, what, more == 1 ? "" : "s");
  }
  return all;
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : separator) + part;
  return all;
}

/// How the motion goes between rows; nothing of a spline, which has none.
std::string betweenRows(const Trajectory& trajectory) {
  const HermiteCurve* rows = trajectory.hermite();
  if (rows == nullptr) return "";
  static constexpr const char* kPieces[] = {"linear", "cubic", "quintic"};
  return formatted(" as piecewise %s motion between its %zu rows", kPieces[rows->givenOrder()],
                   rows->times().size());
}

/// Two bodies that touch at a contact, of all solids together.
std::size_t touchingPairCount(const Certificate& certificate) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const CertificatePair& pair : certificate.pairs) {
    if (pair.touchesAtContact()) pairs.insert({pair.a, pair.b});
  }
  return pairs.size();
}

/// "63 pairs keep their margin of 1 mm", or margins where they differ.
std::string marginsText(const Problem& problem, const Certificate& certificate) {
  const std::size_t count = bodyPairCount(certificate) - touchingPairCount(certificate);
  if (count == 0) return "no pair has a margin to keep";
  const std::string pairs =
      std::to_string(count) + (count == 1 ? " pair keeps its " : " pairs keep their ");
  const bool is_one = problem.collision.pair_margins.empty() && problem.collision.gaps.empty();
  const double millimetres = 1e3 * certificate.margin;
  return is_one ? pairs + formatted("margin of %.4g mm", millimetres)
                : pairs + (count == 1 ? "margin" : "margins") +
                      formatted(" (%.4g mm where the task gives no other)", millimetres);
}

/// The bracket of a distance, with the digits that tell it from a margin.
std::string between(const Interval& distance) {
  return formatted("between %.5g and %.5g mm", 1e3 * distance.lower, 1e3 * distance.upper);
}

/// The pair with the least slack, and the least distance where another pair has it.
std::string nearestText(const Certificate& certificate) {
  if (certificate.closest_pairs.empty()) return "";
  const RankedPair& first = certificate.closest_pairs.front();
  std::string out = ". Nearest to their margin of " + formatted("%.4g mm", 1e3 * first.margin) +
                    " come " + pairName(first.a, first.b) + ": " + between(first.distance) +
                    formatted(" apart at t = %.6g s", first.t);
  const bool is_same = first.a == certificate.closest_a && first.b == certificate.closest_b;
  if (!is_same && !certificate.closest_a.empty()) {
    out += "; the least distance, " + between(certificate.minimum_clearance) + ", is that of " +
           pairName(certificate.closest_a, certificate.closest_b) +
           formatted(" at t = %.6g s", certificate.closest_t);
  }
  return out;
}

/// The headline, the nearest pair, the limits, then whatever else the task asked for.
std::string clearText(const Problem& problem, const Certificate& certificate) {
  const Trajectory& trajectory = certificate.trajectory.trajectory;
  const double end = trajectory.duration();
  std::string out = formatted("Clear at every instant of %.6g s", end) + betweenRows(trajectory);
  if (certificate.covered_until > end) {
    out += formatted(" and while the robot rests until t = %.6g s, when the last obstacle stops",
                     certificate.covered_until);
  }
  // What is proven, the nearest pair first.
  const std::string relief = reliefText(problem.collision, certificate.pairs);
  const std::string touch = contactTouchText(problem, certificate.pairs);
  out += ": ";
  out += certificate.pairs.empty()
             ? "there are no pairs of bodies to keep apart"
             : marginsText(problem, certificate) +
                   (touch.empty() ? "" : ", those that touch at contacts the depth named below") +
                   (relief.empty() ? "" : ", near the ends less where named below") +
                   nearestText(certificate);
  out += formatted("; %zu limits are kept.", certificate.limits.size());
  if (certificate.goal) out += " " + reachedText(*certificate.goal);
  const std::string follows = followSentence(certificate);
  if (!follows.empty()) out += " " + follows;
  if (!relief.empty()) out += " " + relief;
  if (!touch.empty()) out += " At the contacts " + touch + ".";
  const std::string uncertainty = uncertaintyText(problem);
  if (!uncertainty.empty()) {
    out += " The margins are kept whatever strays within the uncertainty: " + uncertainty + "." +
           spreadSentence(problem);
  }
  if (certificate.tube) out += " " + tubeText(problem, *certificate.tube);
  for (const std::string& sentence : impactSentences(problem, certificate.limits)) {
    out += " " + sentence + ".";
  }
  for (const std::string& sentence : cableSentences(problem, certificate.limits)) {
    out += " " + sentence + ".";
  }
  return out;
}

/// How far two bodies of a constant pair are apart, where that is worth a word.
std::string constantText(const PairDistance& pair) {
  const double millimetres = 1e3 * pair.distance;
  if (pair.distance < 0.0) return formatted(" overlap by %.4g mm", -millimetres);
  if (pair.distance == 0.0) return " touch";
  return formatted(" are %.4g mm apart, ", millimetres) +
         (pair.distance < pair.margin
              ? formatted("nearer than their margin of %.4g mm", 1e3 * pair.margin)
              : std::string("within what may stray"));
}

}  // namespace

FixedPairSentences fixedPairSentences(const Problem& problem, const CertifiedGeometry& geometry) {
  FixedPairSentences sentences;
  for (const PairDistance& contact : fixedContacts(problem, geometry)) {
    const std::string text = pairName(contact.a, contact.b) + constantText(contact);
    // No plan can part these two. What models are off by counts as touching; more is a fault of the
    // task, which only its author can mend.
    if (contact.distance >= (contact.margin < 0.0 ? contact.margin : -kTouchingDepth)) {
      sentences.contacts.push_back(text);
    } else if (contact.margin < 0.0) {
      const std::vector<GroundPair> grounds = groundPairs(problem);
      const GroundPair* ground = groundPair(grounds, problem, contact.a, contact.b);
      sentences.faults.push_back(
          text + " and do not move relative to each other" +
          (ground != nullptr ? "; " + depthAdvice(*ground, contact.a, contact.b) : ""));
    } else {
      sentences.faults.push_back(text +
                                 " and do not move relative to each other: move one of them, or "
                                 "add the pair to collision.allowed: [[" +
                                 contact.a + ", " + contact.b +
                                 "]], which leaves all other pairs checked");
    }
  }
  return sentences;
}

std::vector<std::string> demandsNotCovered(const Problem& problem, const Trajectory& trajectory,
                                           const Trajectory* wrenches) {
  std::vector<std::string> demands = demandsLeftOpen(problem, trajectory);
  const std::string forces = forcesLeftOpen(problem, trajectory, wrenches);
  if (!forces.empty()) demands.push_back(forces);
  return demands;
}

std::string verdictOf(const Problem& problem, const Certificate& certificate) {
  std::string out = certificate.clear
                        ? clearText(problem, certificate)
                        : "Not clear" + betweenRows(certificate.trajectory.trajectory) + ": " +
                              firstOf(certificate.faults, "; ", "fault") + ".";
  // What nobody asked for and a reader should know.
  if (certificate.torque_beyond_rating) {
    out += " Beyond its rating: " + torqueUseText(problem, *certificate.torque_beyond_rating) + ".";
  }
  if (!certificate.static_contacts.empty()) {
    out += " Constant, as no planned joint parts them: " +
           firstOf(certificate.static_contacts, "; ", "pair") + ".";
  }
  if (!certificate.not_covered.empty()) {
    out += " Not covered: " + joined(certificate.not_covered, ", ") + ".";
  }
  return out;
}

}  // namespace allclear
