// The list of all targets, and what they share.
#include "fuzz/targets.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "allclear/core/input_error.h"
#include "allclear/core/readable.h"

namespace allclear::fuzz {

std::vector<Target> targets(const std::filesystem::path& source) {
  std::vector<Target> all = documentTargets();
  for (Target& target : trajectoryTargets()) all.push_back(std::move(target));
  for (Target& target : worldTargets()) all.push_back(std::move(target));
  for (Target& target : robotTargets(source)) all.push_back(std::move(target));
  for (Target& target : taskTargets(source)) all.push_back(std::move(target));
  return all;
}

bool runOn(const Target& target, std::string_view input) {
  try {
    target.run(input);
    return true;
  } catch (const InputError& error) {
    require(isReadable(error.what()), "an error is one line that a terminal only shows");
    return false;
  }
}

std::filesystem::path written(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  return file;
}

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "promise broken: %s\n", promise);
  std::abort();
}

}  // namespace allclear::fuzz
