#include "allclear/planner/certificate/file_assumptions.h"

#include <algorithm>

namespace allclear {
namespace {

/// The kind of assumptions about a file that a verifier may not have.
constexpr const char* kOfTrajectoryFile = "trajectory file";

/// One assumption for all that was odd in some files; `whose` they are.
void addFiles(const std::string& whose, const std::vector<std::string>& read,
              std::vector<Assumption>* out) {
  if (read.empty()) return;
  std::string text;
  for (const std::string& sentence : read) text += (text.empty() ? "" : "; ") + sentence;
  out->push_back({whose + " files", "The " + whose + "'s files are read so: " + text + ".",
                  std::to_string(read.size()) + " assumption" + (read.size() == 1 ? "" : "s") +
                      " about the " + whose + "'s files"});
}

bool isSame(const Assumption& a, const Assumption& b) {
  return a.kind == b.kind && a.text == b.text && a.brief == b.brief;
}

}  // namespace

std::vector<Assumption> fileAssumptions(const Problem& problem, const CertificateOptions& options) {
  std::vector<Assumption> out;
  addFiles("robot", problem.robot->assumptions(), &out);
  addFiles("scene", problem.scene_assumptions, &out);
  // Of the one line these say all up to the first semicolon.
  for (const std::string& read : options.reading) {
    out.push_back({kOfTrajectoryFile, "The trajectory's file is read so: " + read + ".",
                   read.substr(0, read.find(';'))});
  }
  return out;
}

bool saysAsMuch(const std::vector<Assumption>& given, const std::vector<Assumption>& anew) {
  std::vector<Assumption> rest;
  for (const Assumption& assumption : given) {
    const bool is_made_anew = std::any_of(anew.begin(), anew.end(), [&](const Assumption& other) {
      return isSame(assumption, other);
    });
    if (is_made_anew || assumption.kind != kOfTrajectoryFile) rest.push_back(assumption);
  }
  return std::equal(rest.begin(), rest.end(), anew.begin(), anew.end(), isSame);
}

}  // namespace allclear
