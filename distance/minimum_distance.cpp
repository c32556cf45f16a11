#include "allclear/distance/minimum_distance.h"

namespace allclear {

const char* mcdAlgorithmName(McdAlgorithm algorithm) {
  switch (algorithm) {
    case McdAlgorithm::kCertified:
      return "certified";
    case McdAlgorithm::kGolden:
      return "golden";
    case McdAlgorithm::kAdvancement:
      return "advancement";
    case McdAlgorithm::kAdvancementIsotropic:
      return "advancement-isotropic";
    case McdAlgorithm::kHybrid:
      return "hybrid";
    case McdAlgorithm::kSampling:
      return "sampling";
  }
  return "unknown";
}

bool isSound(McdAlgorithm algorithm) {
  return algorithm != McdAlgorithm::kGolden && algorithm != McdAlgorithm::kHybrid;
}

const char* mcdStatusName(McdStatus status) {
  switch (status) {
    case McdStatus::kBracketed:
      return "bracketed";
    case McdStatus::kCertifiedAbove:
      return "certified above";
    case McdStatus::kBelow:
      return "below";
    case McdStatus::kUndecided:
      return "undecided";
  }
  return "unknown";
}

}  // namespace allclear
