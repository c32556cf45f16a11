#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/instant.h"

namespace allclear {

// What a certificate says in words. Made of verified values, by whoever makes a certificate and by
// whoever checks it, so that no sentence has to be believed (planner/certificate.cpp).

/// A sentence for each of `fixedContacts`.
struct FixedPairSentences {
  /// Bodies that touch, are nearer than their margin, or may meet when they stray.
  std::vector<std::string> contacts;
  std::vector<std::string> faults;  ///< bodies that are deeper in one another
};
FixedPairSentences fixedPairSentences(const Problem& problem, const CertifiedGeometry& geometry);

/// Demands that nothing here proves. They do not make a plan unclear, but the verdict says them.
std::vector<std::string> demandsNotCovered(const Problem& problem, const Trajectory& trajectory,
                                           const Trajectory* wrenches);

/// The whole verdict in one paragraph; the numbers in it are those of the certificate, rounded.
std::string verdictOf(const Problem& problem, const Certificate& certificate);

}  // namespace allclear
