#include "allclear/planner/certificate/contact_touch.h"

#include <set>
#include <utility>

#include "allclear/core/formatted.h"
#include "allclear/planner/problem/ground_pairs.h"

namespace allclear {
namespace {

std::string millimetres(double metres) { return formatted("%.4g mm", 1e3 * metres); }

bool isFlat(const std::vector<GroundPair>& grounds, const Problem& problem, const std::string& a,
            const std::string& b) {
  const GroundPair* ground = groundPair(grounds, problem, a, b);
  return ground != nullptr && ground->kind == Contact::Kind::kFlat;
}

}  // namespace

std::string contactTouchText(const Problem& problem, const std::vector<CertificatePair>& pairs) {
  std::vector<GroundPair> grounds;
  std::set<std::pair<std::string, std::string>> said;
  std::string text;
  for (const CertificatePair& pair : pairs) {
    if (!pair.touchesAtContact() || !said.insert({pair.a, pair.b}).second) continue;
    if (grounds.empty()) grounds = groundPairs(problem);
    text += (text.empty() ? "'" : "; '") + pair.a;
    text += isFlat(grounds, problem, pair.a, pair.b) ? "' rests flat on '" + pair.b + "'"
                                                     : "' touches '" + pair.b + "' at a point";
    text += " and is never more than " + millimetres(-pair.margin) + " deep in it";
  }
  return text;
}

std::optional<Assumption> contactTouchAssumption(const Problem& problem,
                                                 const CertifiedGeometry& geometry) {
  const std::vector<GroundPair> grounds = groundPairs(problem);
  std::string names;
  std::size_t count = 0;
  // All of them, those that nothing parts too: no other list has these.
  for (const CertifiedPair& pair : geometry.pairs) {
    if (!pair.touchesAtContact()) continue;
    const std::string &a = geometry.bodies[pair.a].name, &b = geometry.bodies[pair.b].name;
    names += (count++ == 0 ? "" : ", ") + a + " " + millimetres(-pair.margin) + " in " + b +
             (isFlat(grounds, problem, a, b) ? " (flat)" : " (at a point)");
  }
  if (count == 0) return std::nullopt;
  return Assumption{
      "touching",
      "At contacts these keep no margin; they are never deeper in one another than this: " + names +
          ". The depth of two bodies is the greatest of the convex solids that enclose them (of a "
          "mesh its hull or pieces), each of one body with each of the other: the shortest way "
          "that parts these two.",
      std::to_string(count) + (count == 1 ? " pair touches" : " pairs touch") + " at contacts"};
}

}  // namespace allclear
