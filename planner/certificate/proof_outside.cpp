// What a certificate claims and its proof file does not show: demands without a proof, limits that
// only the certificate bounds, bodies that the format does not know, margins near the ends.
#include "allclear/planner/certificate/proof_outside.h"

#include <algorithm>
#include <string_view>

#include "allclear/distance/cloud.h"
#include "allclear/planner/certificate/cable_limits.h"
#include "allclear/planner/certificate/contact_touch.h"
#include "allclear/planner/certificate/relief.h"

namespace allclear {
namespace {

/// Whether the file proves a limit of this kind; path constraints have lines of their own.
bool isProven(const std::string& quantity) {
  static constexpr std::string_view kProven[] = {"position", "velocity", "acceleration", "jerk",
                                                 "duration"};
  return std::find(std::begin(kProven), std::end(kProven), quantity) != std::end(kProven) ||
         quantity == "angle of the kept axis" || quantity.ends_with("in the box");
}

}  // namespace

std::vector<std::string> outsideOfProof(const Problem& problem, const CertifiedGeometry& geometry,
                                        const Certificate& certificate, bool path_constraints) {
  std::vector<std::string> out = certificate.not_covered;
  for (const CertifiedLimit& limit : certificate.limits) {
    if (isProven(limit.quantity) || isCableLimit(limit)) continue;
    const std::string subject = limit.subject.empty() ? "" : " of '" + limit.subject + "'";
    out.push_back(limit.quantity + subject + ": in the certificate only");
  }
  if (certificate.follows) {
    out.push_back("that the trajectory follows the given path: in the certificate only");
  }
  for (const Cable& cable : problem.cables) {
    out.push_back(
        "cable '" + cable.id +
        "' (never taut, and clear of all but what it may touch): in the certificate only");
  }
  for (const CertifiedBody& body : geometry.bodies) {
    if (body.cloud != nullptr) {
      out.push_back("not in this proof: obstacle '" + body.name + "', a cloud of " +
                    std::to_string(body.cloud->size()) +
                    (body.cloud->isBalls() ? " points" : " boxes") + ": in the certificate only");
    }
    if (body.deforming == nullptr) continue;
    out.push_back("not in this proof: obstacle '" + body.name +
                  "', which bends: in the certificate only");
  }
  if (!problem.path_constraints.empty() && !path_constraints) {
    out.push_back("path constraints: in the certificate only");
  }
  // A pair of the format has one margin.
  for (const auto& [text, is_touch] : reliefTexts(problem.collision, certificate.pairs)) {
    out.push_back(is_touch ? "near the ends (leaves, lands) " + text +
                                 ": in the certificate only, the pairs are exempt here"
                           : "near the ends (end_margin: relax) " + text +
                                 "; here they keep the least of these all the time, and the "
                                 "certificate proves the rest");
  }
  // A margin of the format is not below zero.
  const std::string touch = contactTouchText(problem, certificate.pairs);
  if (!touch.empty()) {
    out.push_back("at the contacts " + touch +
                  ": in the certificate only, the pairs are exempt here");
  }
  for (std::size_t w = 0; w < problem.waypoints.size(); ++w) {
    if (problem.waypoints[w].time) continue;
    out.push_back("waypoint " + std::to_string(w + 1) +
                  " (it has no time): in the certificate only");
  }
  return out;
}

}  // namespace allclear
