#pragma once

#include <string>

#include "allclear/planner/certificate/cell_search.h"
#include "allclear/planner/certificate/cover.h"

namespace allclear {

/// Which stray a width scales, and what it leaves.
struct TubeMeasure {
  enum class Scale { kJoints, kTask };
  Scale scale = Scale::kJoints;  ///< joints alone (by rad or m), or the task's whole uncertainty
  bool to_contact = false;       ///< until contact, else until the margin is lost
};

/// The greatest width of the tube that a bound proves where the stray is `stray`: S(width) is
/// linear, so one division tells. 0 when it proves none.
double tubeWidth(const TubeMeasure& measure, double lower, double margin, const Stray& stray);

/// Finds the tube that cells bear: the least of their widths, by each measure.
class TubeMeter {
 public:
  void add(const std::string& a, const std::string& b, double margin, const CoverCell& cell,
           const Stray& stray);
  const ProvenTube& tube() const { return tube_; }

 private:
  ProvenTube tube_;
};

/// Divides the cells of a clear cover, and takes finer solids where these limit it, until the tube
/// that it bears is nearly the widest that bounds of this kind can show.
void widenTube(const CertifiedGeometry& geometry, const CoverOptions& options,
               const CellSearch& search, Cover* cover);

/// The tube that a clear cover bears.
ProvenTube tubeOf(const CertifiedGeometry& geometry, const Cover& cover, CertifiedMotion& motion);

/// A number in words, towards zero: a claim may not grow by its rounding. "any" for infinity.
std::string roundedDown(double value);

/// The tube in words, numbers rounded down: "No bodies meet while every joint stays within 3.1 mrad
/// of the plan ..".
std::string tubeText(const Problem& problem, const ProvenTube& tube);

/// Empty when each claim of `claimed` is proven by the cells in `proven`, else what
/// is not. `at_closest` is the least width to contact of the claimed closest pair at its instant.
std::string tubeFault(const ProvenTube& claimed, const ProvenTube& proven, double at_closest);

}  // namespace allclear
