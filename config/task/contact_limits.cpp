// `limits: contact` and `limits: gaps`: what people near the robot bear.
#include <algorithm>

#include "allclear/config/task/sections.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/problem/body_regions.h"

namespace allclear {
namespace {

/// A region by its name in the table, or by values.
ContactLimit readRegion(const Value& region) {
  if (region.isScalar()) {
    const std::string name = region.text();
    if (const ContactLimit* known = findBodyRegion(name)) return *known;
    std::vector<std::string> names;
    for (const ContactLimit& r : bodyRegions()) names.push_back(r.region);
    region.fail("there is no such region" + didYouMean(name, names) + whatThereIs(names));
  }
  region.only({"name", "stiffness", "mass", "force", "pressure", "area"});
  ContactLimit limit;
  limit.region = region.need("name").text();
  limit.stiffness = region.need("stiffness").positive();
  limit.mass = region.need("mass").positive();
  if (const auto value = region.find("pressure")) limit.pressure = value->positive();
  if (const auto value = region.find("area")) limit.area = value->positive();
  if (limit.pressure.has_value() != limit.area.has_value()) {
    region.failAtKey(limit.pressure ? "pressure" : "area",
                     "a pressure is over an area: give both, or neither");
  }
  // A pressure over an area is a force: then no other is needed.
  limit.force = limit.pressure && !region.has("force") ? *limit.pressure * *limit.area
                                                       : region.need("force").positive();
  return limit;
}

}  // namespace

void readContactLimits(const Value& limits, Problem& problem) {
  if (const auto list = limits.find("contact")) {
    for (const Value& entry : list->items()) {
      entry.only({"region", "human_speed", "links"});
      ContactLimit limit = readRegion(entry.need("region"));
      if (const auto value = entry.find("human_speed")) limit.human_speed = value->notNegative();
      if (const auto links = entry.find("links")) {
        limit.links = readLinks(*links, *problem.robot);
        if (limit.links.empty()) links->fail("must name a link");
      }
      problem.limits.contact.push_back(std::move(limit));
    }
    if (problem.limits.contact.empty()) list->fail("must name a region");
  }
  if (const auto value = limits.find("slow_down")) {
    problem.limits.slow_down = value->boolean();
    // Alone it would do nothing, and silently so.
    if (problem.limits.slow_down && problem.limits.contact.empty()) {
      limits.failAtKey("slow_down", "goes with 'contact'");
    }
  }
  if (const auto gaps = limits.find("gaps")) {
    for (const Value::Entry& entry : gaps->entries()) {
      problem.collision.gaps.push_back({entry.key, entry.value.positive()});
    }
  }
}

}  // namespace allclear
