// Reduces a COLLADA file to what makes its triangles, with everything checked that assimp trusts.
//
// assimp sets aside as much memory as a file's counts ask for and follows its references without
// looking; a broken file makes it read foreign memory or loop for ever. So a copy is made by rules:
// per element the children and attributes that are kept, and those that must be there. In the copy
// every count is held against the numbers that are really there, every reference against the ids of
// the file, and instances of nodes must end. Materials, animations, cameras and the rest are
// dropped. Shapes that assimp would drop in silence (skins, trifans, holes) are refused: a missing
// surface is a collision not seen.
#include "allclear/robot_models/files/collada_check.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "allclear/robot_models/files/xml_element.h"

namespace allclear {
namespace {

/// What is kept of an element.
struct Rule {
  std::set<std::string> children;
  std::set<std::string> attributes;  ///< kept where they are there
  std::set<std::string> required;    ///< kept, and must be there
};

/// Rules by element name, of the COLLADA 1.4 schema's parts that hold polygons.
const std::map<std::string, Rule>& rules() {
  // Each line: element, {children, optional attributes, required attributes}.
  static const std::set<std::string> kPrimitiveParts{"input", "p", "vcount"};
  static const std::set<std::string> kNodeParts{
      "node",   "matrix",       "translate", "rotate", "scale", "skew", "instance_geometry",
      "lookat", "instance_node"};
  static const std::map<std::string, Rule> kRules{
      {"COLLADA",
       {{"asset", "library_geometries", "library_nodes", "library_visual_scenes", "scene"},
        {},
        {}}},
      {"asset", {{"unit", "up_axis"}, {}, {}}},
      {"unit", {{}, {}, {"meter"}}},
      {"up_axis", {}},
      {"library_geometries", {{"geometry"}, {}, {}}},
      {"geometry", {{"mesh"}, {}, {"id"}}},
      {"mesh", {{"source", "vertices", "triangles", "polylist", "polygons", "tristrips"}, {}, {}}},
      {"source", {{"float_array", "technique_common"}, {}, {"id"}}},
      {"float_array", {{}, {}, {"id", "count"}}},
      {"technique_common", {{"accessor"}, {}, {}}},
      {"accessor", {{"param"}, {"stride", "offset"}, {"source", "count"}}},
      {"param", {{}, {"name", "type"}, {}}},
      {"vertices", {{"input"}, {}, {"id"}}},
      {"input", {{}, {"offset", "set"}, {"semantic", "source"}}},
      {"triangles", {kPrimitiveParts, {}, {"count"}}},
      {"polylist", {kPrimitiveParts, {}, {"count"}}},
      {"polygons", {kPrimitiveParts, {}, {"count"}}},
      {"tristrips", {kPrimitiveParts, {}, {"count"}}},
      {"p", {}},
      {"vcount", {}},
      {"library_nodes", {{"node"}, {}, {}}},
      {"library_visual_scenes", {{"visual_scene"}, {}, {}}},
      {"visual_scene", {{"node"}, {}, {"id"}}},
      {"node", {kNodeParts, {"id"}, {}}},
      {"matrix", {}},
      {"translate", {}},
      {"rotate", {}},
      {"scale", {}},
      {"skew", {}},
      {"lookat", {}},
      {"instance_geometry", {{}, {}, {"url"}}},
      {"instance_node", {{}, {}, {"url"}}},
      {"scene", {{"instance_visual_scene"}, {}, {}}},
      {"instance_visual_scene", {{}, {}, {"url"}}},
  };
  return kRules;
}

// Surfaces that would be lost if they were left out.
const std::set<std::string> kNotRead{"trifans",     "ph",     "instance_controller",
                                     "convex_mesh", "spline", "brep"};
const std::map<std::string, std::size_t> kTransformSizes{
    {"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}, {"skew", 7}, {"lookat", 9}};

constexpr double kMostCounted = 1e9;      // a file of this size is refused before
constexpr std::size_t kMostOffset = 100;  // inputs of one primitive; real files have fewer than 10
constexpr int kDeepestNodes = 100;        // as deep as elements may nest
constexpr int kMostNodes = 100000;        // instances included

// assimp waits for ever at other white space, such as a vertical tab.
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class ColladaReducer {
 public:
  explicit ColladaReducer(const std::string& file) : reader_(file) {}

  std::string run(const XmlElement& root) {
    if (root.name != "COLLADA") {
      reader_.fail(root, "", "", "is not a COLLADA file: the root element must be <COLLADA>");
    }
    collectIds(root);
    XmlElement out = kept(root);
    out.attributes = {{"xmlns", "http://www.collada.org/2005/11/COLLADASchema"},
                      {"version", "1.4.1"}};
    checkReferences(out);
    for (const auto& [id, node] : nodes_) checkLoops(*node, 0);
    return "<?xml version=\"1.0\"?>" + printXml(out);
  }

 private:
  /// Ids are unique per kind of element; references are looked up by kind too.
  void collectIds(const XmlElement& element) {
    if (const std::string* id = element.attribute("id")) {
      if (!ids_[element.name].insert(*id).second) {
        reader_.fail(element, "", *id, "a second element of that id");
      }
      if (element.name == "float_array") float_counts_[*id] = numbersIn(element);
      if (element.name == "node") nodes_[*id] = &element;
    }
    for (const XmlElement& child : element.children) collectIds(child);
  }

  /// The copy of an element by its rule, checked.
  XmlElement kept(const XmlElement& element) const {
    // Only elements that a rule names get here.
    const Rule& rule = rules().at(element.name);
    XmlElement out{element.name, element.line, {}, {}, element.text};
    for (const std::string& key : rule.required) {
      out.attributes.emplace_back(key, reader_.name(element, "", key));
    }
    for (const std::string& key : rule.attributes) {
      if (element.attribute(key)) out.attributes.emplace_back(key, reader_.name(element, "", key));
    }
    for (const XmlElement& child : element.children) {
      if (kNotRead.contains(child.name)) {
        reader_.fail(child, "", "", "cannot be read: only meshes of polygons can");
      }
      if (rule.children.contains(child.name)) out.children.push_back(kept(child));
    }
    checkNumbers(out);
    if (out.child("p")) checkPrimitive(out);
    return out;
  }

  void checkNumbers(const XmlElement& element) const {
    const std::string& name = element.name;
    // Text of numbers: transforms have a fixed count, arrays say theirs.
    if (const auto it = kTransformSizes.find(name); it != kTransformSizes.end()) {
      if (numbersIn(element) != it->second) {
        reader_.fail(element, "", "", "must hold " + std::to_string(it->second) + " numbers");
      }
    } else if (name == "float_array") {
      if (numbersIn(element) < wholeNumber(element, "count")) {
        reader_.fail(element, "", *element.attribute("count"),
                     "holds fewer numbers than its count");
      }
    } else if (name == "p" || name == "vcount") {
      wholeNumbers(element);
    } else if (name == "unit") {
      reader_.positiveNumber(element, "", "meter");
    }
    for (const char* key : {"count", "stride", "offset", "set"}) {
      if (element.attribute(key)) wholeNumber(element, key);
    }
    if (name == "accessor" && element.attribute("stride") && wholeNumber(element, "stride") == 0) {
      reader_.fail(element, "", "0", "attribute 'stride' must be positive");
    }
    if (name == "input" && element.attribute("offset") &&
        wholeNumber(element, "offset") > kMostOffset) {
      reader_.fail(element, "", *element.attribute("offset"), "attribute 'offset' is too large");
    }
  }

  // assimp reads as many indices as the counts ask for: they must be there. A polygon with n
  // corners takes n indices per input, and inputs are interleaved at their offsets.
  void checkPrimitive(const XmlElement& element) const {
    std::size_t stride = 1;  // indices per corner
    std::size_t indices = 0, corners = 0;
    for (const XmlElement& part : element.children) {
      if (part.name == "p") indices += wholeNumbers(part).size();
      if (part.name == "input" && part.attribute("offset")) {
        stride = std::max(stride, wholeNumber(part, "offset") + 1);
      }
      if (part.name != "vcount") continue;
      const std::vector<std::uint32_t> counts = wholeNumbers(part);
      if (counts.size() < wholeNumber(element, "count")) {
        reader_.fail(part, "", "", "holds fewer numbers than the count of its polygons");
      }
      for (std::uint32_t n : counts) corners += n;
    }
    if (element.name == "triangles") corners = 3 * wholeNumber(element, "count");
    if (corners * stride > indices) {
      reader_.fail(element, "", "",
                   "has " + std::to_string(indices) + " indices instead of " +
                       std::to_string(corners * stride));
    }
  }

  /// An accessor reads `count` items of `stride` numbers from `offset` on: the array must hold
  /// them.
  void checkAccessor(const XmlElement& element) const {
    const auto whole = [&](const char* key, std::size_t otherwise) {
      return element.attribute(key) ? wholeNumber(element, key) : otherwise;
    };
    const std::size_t needed = whole("count", 0) * whole("stride", 1) + whole("offset", 0);
    if (needed > float_counts_.at(element.attribute("source")->substr(1))) {
      reader_.fail(element, "", *element.attribute("source"), "holds fewer numbers than are used");
    }
  }

  std::size_t wholeNumber(const XmlElement& element, const char* key) const {
    const double value = reader_.number(element, "", key);
    // A count above the largest file's size cannot be true.
    if (value < 0.0 || value > kMostCounted || value != std::floor(value)) {
      reader_.fail(element, "", *element.attribute(key),
                   std::string("attribute '") + key + "' must be a whole number");
    }
    return static_cast<std::size_t>(value);
  }

  /// The numbers of the element's text, separated by white space; any other text is refused.
  template <class Number>
  std::vector<Number> numbers(const XmlElement& element, const char* what) const {
    const char* at = element.text.data();
    const char* const end = at + element.text.size();
    std::vector<Number> out;
    for (;;) {
      while (at != end && isSpace(*at)) ++at;
      if (at == end) return out;
      if (*at == '+') ++at;
      Number value{};
      const auto [stop, error] = std::from_chars(at, end, value);
      // A number ends at white space or at the end: "1.5mm" is no number.
      const bool stops_well = stop == end || isSpace(*stop);
      if (error == std::errc::invalid_argument || !stops_well) {
        reader_.fail(element, "", std::string(at, std::min<std::ptrdiff_t>(end - at, 20)),
                     std::string("must hold ") + what);
      }
      at = stop;
      out.push_back(value);
    }
  }
  std::size_t numbersIn(const XmlElement& element) const {
    return numbers<double>(element, "numbers").size();
  }
  std::vector<std::uint32_t> wholeNumbers(const XmlElement& element) const {
    return numbers<std::uint32_t>(element, "whole numbers");
  }

  void checkReference(const XmlElement& element, const char* key,
                      const std::set<std::string>& targets) const {
    const std::string& url = *element.attribute(key);
    for (const std::string& target : targets) {
      const auto it = ids_.find(target);
      if (url.starts_with('#') && it != ids_.end() && it->second.contains(url.substr(1))) return;
    }
    reader_.fail(element, "", url, "refers to nothing in this file");
  }

  void checkReferences(const XmlElement& element) const {
    const std::string& name = element.name;
    if (name == "input") checkReference(element, "source", {"source", "vertices"});
    if (name == "accessor") {
      checkReference(element, "source", {"float_array"});
      checkAccessor(element);
    }
    if (name == "instance_geometry") checkReference(element, "url", {"geometry"});
    if (name == "instance_node") checkReference(element, "url", {"node"});
    if (name == "instance_visual_scene") checkReference(element, "url", {"visual_scene"});
    for (const XmlElement& child : element.children) checkReferences(child);
  }

  /// An instance_node stands for another node. A node must not contain itself so, and a few nodes
  /// that each instance the next one twice must not blow the scene up exponentially.
  void checkLoops(const XmlElement& element, int depth) {
    if (depth > kDeepestNodes || ++visited_ > kMostNodes) {
      reader_.fail(element, "", "", "a node inside itself, or nodes nested too deep");
    }
    if (element.name == "instance_node") {
      const std::string& url = *element.attribute("url");
      if (const auto it = nodes_.find(url.substr(1)); it != nodes_.end()) {
        checkLoops(*it->second, depth + 1);
      }
    }
    for (const XmlElement& child : element.children) {
      if (child.name == "node" || child.name == "instance_node") checkLoops(child, depth + 1);
    }
  }

  XmlReader reader_;
  std::map<std::string, std::set<std::string>> ids_;
  std::unordered_map<std::string, const XmlElement*> nodes_;
  std::unordered_map<std::string, std::size_t> float_counts_;
  int visited_ = 0;
};

}  // namespace

std::string plainCollada(const std::string& content, const std::string& file) {
  return ColladaReducer(file).run(parseXml(content, file));
}

}  // namespace allclear
