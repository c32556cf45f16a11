#pragma once

#include <string>
#include <vector>

#include "allclear/planner/certificate.h"

namespace allclear {

/// A proof that `allclear-verify` checks without any of the planner's code (docs/proof.md).
struct Proof {
  std::string text;
  std::size_t cells = 0;
  /// Pairs and path constraints without a proof: the verifier refuses the text. Empty for a
  /// certified plan, unless its room beyond a margin is below what the simpler bound can show.
  std::vector<std::string> unproven;
};

/// The proof of the trajectory that `certificate` (of `problem`) is about.
Proof makeProof(const Problem& problem, const Certificate& certificate);

}  // namespace allclear
