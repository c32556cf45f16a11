// Orders the joints of a URDF as one tree, depth first. Every link but one must be the child of
// exactly one joint. Then either all links are reached from the root, or those that are not lie on
// or below a loop: going up from one of them never ends, so it must enter the loop, which is shown.
#include "allclear/robot_models/files/urdf_tree.h"

#include <algorithm>
#include <set>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// A joint and the links that it joins.
struct Edge {
  const XmlElement* joint;
  std::string name;
  std::string parent;
  std::string child;
};

std::string owner(const std::string& joint) { return "joint '" + joint + "'"; }

std::vector<std::string> linkNames(const UrdfOutline& outline) {
  std::vector<std::string> names;
  for (const auto& [name, element] : outline.link_elements) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string referredLink(const Edge& edge, const char* which, const XmlReader& reader,
                         const UrdfOutline& outline) {
  const XmlElement& element = reader.requiredChild(*edge.joint, owner(edge.name), which);
  const std::string& link = reader.name(element, owner(edge.name), "link");
  if (!outline.link_elements.contains(link)) {
    reader.fail(element, owner(edge.name), link,
                "no such link" + didYouMean(link, linkNames(outline)));
  }
  return link;
}

using EdgesByParent = std::unordered_map<std::string, std::vector<Edge>>;

/// The joint that carries each link; two of them are an error.
std::unordered_map<std::string, Edge> carriers(const std::vector<const XmlElement*>& joints,
                                               const XmlReader& reader, const UrdfOutline& outline,
                                               EdgesByParent& by_parent) {
  // The file's order is kept among the joints of one parent: siblings come in that order.
  std::unordered_map<std::string, Edge> carrier;
  for (const XmlElement* joint : joints) {
    Edge edge{joint, *joint->attribute("name"), "", ""};
    edge.parent = referredLink(edge, "parent", reader, outline);
    edge.child = referredLink(edge, "child", reader, outline);
    if (edge.parent == edge.child) {
      reader.fail(*joint, "", edge.name, "its child is its own parent, link '" + edge.child + "'");
    }
    const auto [it, is_new] = carrier.emplace(edge.child, edge);
    if (!is_new) {
      reader.fail(
          *joint, "", edge.name,
          "link '" + edge.child + "' already is the child of joint '" + it->second.name + "'");
    }
    by_parent[edge.parent].push_back(edge);
  }
  return carrier;
}

/// Links that no joint carries, in the order of the file.
std::vector<std::string> rootLinks(const XmlElement& robot,
                                   const std::unordered_map<std::string, Edge>& carrier) {
  std::vector<std::string> roots;
  for (const XmlElement& element : robot.children) {
    if (element.name != "link") continue;
    const std::string& name = *element.attribute("name");
    if (!carrier.contains(name)) roots.push_back(name);
  }
  return roots;
}

[[noreturn]] void failLoop(const std::string& start,
                           const std::unordered_map<std::string, Edge>& carrier,
                           const XmlReader& reader) {
  // Going up from a link that no root reaches must enter a loop.
  std::set<std::string> seen;
  std::string link = start;
  while (seen.insert(link).second) link = carrier.at(link).parent;
  std::string loop = link;
  int shown = 0;  // a message names at most six links
  std::string at = link;
  do {
    at = carrier.at(at).parent;
    if (++shown <= 6) loop = at + " -> " + loop;
  } while (at != link);
  if (shown > 6) loop = ".. -> " + loop;
  reader.fail(*carrier.at(link).joint, "", carrier.at(link).name,
              "the joints form a loop: " + loop);
}

}  // namespace

void orderTree(const XmlElement& robot, const std::vector<const XmlElement*>& joints,
               const XmlReader& reader, UrdfOutline& outline) {
  EdgesByParent by_parent;
  const auto carrier = carriers(joints, reader, outline, by_parent);
  const std::vector<std::string> roots = rootLinks(robot, carrier);
  // Every link is a child: going up never ends, from any of them.
  if (roots.empty()) failLoop(carrier.begin()->first, carrier, reader);
  if (roots.size() > 1) {
    reader.fail(*outline.link_elements.at(roots[1]), "", roots[1],
                "a second root link beside '" + roots[0] +
                    "': every link but one must be the child of a joint");
  }
  // Depth first with an explicit stack: a long chain must not exhaust the program's own.
  std::vector<Edge> open;
  const auto openChildren = [&](const std::string& link) {
    const auto it = by_parent.find(link);
    if (it != by_parent.end()) open.insert(open.end(), it->second.rbegin(), it->second.rend());
  };
  outline.links.push_back(roots.front());
  openChildren(roots.front());
  while (!open.empty()) {
    const Edge edge = open.back();
    open.pop_back();
    outline.joints.push_back(edge.name);
    outline.links.push_back(edge.child);
    openChildren(edge.child);
  }
  // One root, but links that it does not reach: they hang on a loop.
  if (outline.links.size() < outline.link_elements.size()) {
    const std::set<std::string> reached(outline.links.begin(), outline.links.end());
    for (const std::string& name : linkNames(outline)) {
      if (!reached.contains(name)) failLoop(name, carrier, reader);
    }
  }
}

}  // namespace allclear
