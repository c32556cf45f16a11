// Disabled pairs of an SRDF.
//
// Whatever is doubtful leaves a pair to be checked. Real files hold hundreds of pairs with links of
// a gripper that is not mounted, so unknown names are counted and make one note per kind of
// element.
#include "allclear/robot_models/files/srdf_pairs.h"

#include <algorithm>
#include <map>
#include <set>

namespace allclear {
namespace {

class PairReader {
 public:
  PairReader(const XmlElement& srdf, SrdfNames& names) : srdf_(srdf), names_(names) {}

  SrdfPairs run() {
    // The order of the three loops is MoveIt's, not that of the file.
    each("disable_default_collisions", [&](const XmlElement& e) { disableAllOf(e); });
    each("enable_collisions", [&](const XmlElement& e) { enable(e); });
    each("disable_collisions", [&](const XmlElement& e) { disable(e); });
    noteUnknown();
    for (const auto& [pair, reason] : disabled_) {
      out_.disabled.push_back({pair.first, pair.second, reason, true});
    }
    return std::move(out_);
  }

 private:
  template <class Read>
  void each(const char* element_name, Read read) {
    for (const XmlElement& element : srdf_.children) {
      if (element.name == element_name) read(element);
    }
  }

  /// The link that an attribute names, or -1 with a note to come.
  int linkOf(const XmlElement& element, const char* key) {
    const std::string* name = element.attribute(key);
    const int link = name ? names_.findLink(*name) : -1;
    if (link >= 0) return link;
    Unknown& unknown = unknown_[element.name];
    if (unknown.count == 0) unknown.first = &element;
    unknown.count += unknown.last != &element;  // an element may have two of them
    unknown.last = &element;
    unknown.names.insert(name ? *name : "(no " + std::string(key) + ")");
    return -1;
  }

  void disableAllOf(const XmlElement& element) {
    const int link = linkOf(element, "link");
    if (link < 0) return;
    out_.says_something = true;
    for (int other = 0; other < static_cast<int>(names_.robot().links.size()); ++other) {
      if (other != link) disabled_[std::minmax(link, other)] = "Default";
    }
  }

  /// A pair that is to be enabled and cannot be found would stay exempt by default, unnoticed.
  void enable(const XmlElement& element) {
    if (!disabled_.empty()) {
      names_.link(element, "", "link1");
      names_.link(element, "", "link2");
    }
    const int a = linkOf(element, "link1"), b = linkOf(element, "link2");
    if (a >= 0 && b >= 0) disabled_.erase(std::minmax(a, b));
  }

  void disable(const XmlElement& element) {
    const int a = linkOf(element, "link1"), b = linkOf(element, "link2");
    if (a < 0 || b < 0) return;
    if (a == b) {
      return names_.warn(element, "<disable_collisions> of '" + names_.robot().links[a].name +
                                      "' with itself says nothing");
    }
    out_.says_something = true;
    const std::string* reason = element.attribute("reason");
    disabled_.emplace(std::minmax(a, b), reason ? *reason : "User");
  }

  void noteUnknown() {
    for (const auto& [element_name, unknown] : unknown_) {
      names_.assume(*unknown.first,
                    std::to_string(unknown.count) + " <" + element_name + "> " +
                        (unknown.count == 1 ? "names" : "name") + " no link of the URDF (" +
                        someNames({unknown.names.begin(), unknown.names.end()}) +
                        "): " + (unknown.count == 1 ? "it changes" : "they change") + " no pair");
    }
  }

  /// Elements of one kind that name what the robot lacks.
  struct Unknown {
    const XmlElement* first = nullptr;
    const XmlElement* last = nullptr;
    int count = 0;
    std::set<std::string> names;
  };

  const XmlElement& srdf_;
  SrdfNames& names_;
  std::map<std::pair<int, int>, std::string> disabled_;
  std::map<std::string, Unknown> unknown_;
  SrdfPairs out_;
};

}  // namespace

SrdfPairs readSrdfPairs(const XmlElement& srdf, SrdfNames& names) {
  return PairReader(srdf, names).run();
}

}  // namespace allclear
