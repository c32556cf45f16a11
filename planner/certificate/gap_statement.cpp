#include "allclear/planner/certificate/gap_statement.h"

#include <algorithm>
#include <charconv>

#include "allclear/planner/certificate/instant.h"
#include "allclear/planner/certificate/words.h"

namespace allclear {
namespace {

std::string millimetres(double metres) {
  char text[32];
  // A hundredth of a millimetre is far below what a gap can be measured to.
  const auto end =
      std::to_chars(text, text + sizeof text, 1e3 * metres, std::chars_format::fixed, 2);
  std::string shown(text, end.ptr);
  while (shown.back() == '0') shown.pop_back();
  if (shown.back() == '.') shown.pop_back();
  return shown + " mm";
}

}  // namespace

std::vector<Assumption> gapAssumptions(const Problem& problem, const CertifiedGeometry& geometry) {
  const std::vector<MinimumGap>& gaps = problem.collision.gaps;
  if (gaps.empty()) return {};
  std::vector<std::string> asked;
  double widest = 0.0;
  for (const MinimumGap& gap : gaps) {
    asked.push_back(gap.region + " " + millimetres(gap.gap));
    widest = std::max(widest, gap.gap);
  }
  std::size_t kept = 0, constant_and_wide = 0;
  std::vector<std::string> constant, narrower, unseen;
  for (const PairDistance& pair : fixedPairsWithin(problem, geometry, widest)) {
    if (!(pair.distance < widest)) continue;
    const std::string distance =
        pair.distance > 0.0 ? millimetres(pair.distance) : std::string("in contact");
    constant.push_back(pair.a + "-" + pair.b + " (" + distance + ")");
  }
  for (const CertifiedPair& pair : geometry.pairs) {
    const std::string name = geometry.bodies[pair.a].name + "-" + geometry.bodies[pair.b].name;
    // The least margin that the pair is proven to keep, near the ends too.
    const double margin = std::min({pair.margin, pair.ends.start, pair.ends.goal});
    if (pair.fixed) {
      ++constant_and_wide;  // those that are named are taken off below
    } else if (margin >= widest) {
      ++kept;
    } else {
      narrower.push_back(name + " (" + (margin < 0.0 ? "in contact" : millimetres(margin)) + ")");
    }
  }
  for (const ExemptPair& pair : geometry.exempt) unseen.push_back(pair.a + "-" + pair.b);
  std::string text = "Against clamping (" + joined(asked) + "): " + std::to_string(kept) +
                     " pairs of bodies that move against each other keep at least " +
                     millimetres(widest) + " at every instant.";
  const auto say = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += what + joined(names) + ".";
  };
  say(" These keep less, as the task has it (collision: pair_margins, end_margin; contacts): ",
      narrower);
  constant_and_wide -= constant.size();
  say(" These are nearer, but always the same, as no planned joint moves them against each other: ",
      constant);
  if (constant_and_wide > 0) {
    text += " " + std::to_string(constant_and_wide) +
            (constant_and_wide == 1 ? " more such pair is" : " more such pairs are") +
            " at least so far apart.";
  }
  say(" These are not looked at (exempt pairs) and may clamp, as at a joint: ", unseen);
  std::string brief = "gaps of " + std::to_string(kept) + " pairs";
  const std::size_t left_out = narrower.size() + unseen.size();
  if (left_out > 0) brief += ", not of " + std::to_string(left_out);
  return {{"gaps", text, brief}};
}

}  // namespace allclear
