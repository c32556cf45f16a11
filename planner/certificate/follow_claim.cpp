// The claim that a trajectory follows a path: its words, and its proof (followed_path.h).
#include "allclear/planner/certificate/follow_claim.h"

#include <charconv>
#include <cmath>

#include "allclear/planner/certificate/followed_path.h"
#include "allclear/planner/certificate/statements.h"

namespace allclear {
namespace {

/// A digit that rounding has raised is not raised again.
constexpr double kRoundingOfDigits = 1e-9;

/// Three digits, less than `value` by no more than a rounding: what is said is proven.
std::string raisedToThreeDigits(double value) {
  if (!(value > 0.0)) return "0";  // nothing has no first digit
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  char text[40];
  const double raised = std::ceil(value / unit - kRoundingOfDigits) * unit;
  return {text, std::to_chars(text, text + sizeof text, raised, std::chars_format::general, 3).ptr};
}

std::string pieces(const Trajectory& path) {
  const HermiteCurve* rows = path.hermite();
  if (rows == nullptr) return "a spline of " + std::to_string(path.spanCount()) + " spans";
  return std::to_string(rows->times().size()) +
         (rows->givenOrder() == 0 ? " rows, straight between them" : " rows, curved between them");
}

}  // namespace

std::string followSentence(const Certificate& certificate) {
  if (!certificate.follows) return "";
  return "It follows the given path (" + pieces(certificate.follows->path) +
         "), the whole of it in its order, and stays within " +
         raisedToThreeDigits(certificate.follows->within) +
         " rad (slides: m) of it in every joint.";
}

std::string followFault(const Certificate& certificate) {
  if (!certificate.follows) return "";
  const FollowedPath& claim = *certificate.follows;
  const Trajectory& curve = certificate.trajectory.trajectory;
  return isProvenToFollow(curve, claim.path, claim.within)
             ? ""
             : "that it follows its path does not follow from the two curves";
}

void certifyFollows(const Problem& problem, const Trajectory& path, double tolerance,
                    Certificate* certificate) {
  const double within = provenDeviation(certificate->trajectory.trajectory, path, tolerance);
  if (std::isfinite(within)) {
    certificate->follows.emplace(path, within);
  } else {
    certificate->clear = false;
    certificate->faults.push_back("it is not proven to follow the given path within " +
                                  raisedToThreeDigits(tolerance) + " rad (slides: m)");
  }
  certificate->message = verdictOf(problem, *certificate);
}

}  // namespace allclear
