// allclear deform check: proves that a sequence of meshes does not touch itself, or names the
// features that touch, and when.
//
// The proof is of the surface whose vertices go from frame to frame on straight lines
// (distance/self_contact.h): it holds at every instant between the frames too.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "allclear/apps/commands.h"
#include "allclear/apps/table.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/self_contact.h"
#include "allclear/robot_models/files/mesh_sequence_file.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;

struct DeformOptions {
  std::vector<std::string> files;
  double rate = 60.0;  ///< frames per second
  bool json = false;
};

/// A single name with a % stands for all frames of that form.
std::vector<std::filesystem::path> framesOf(const std::vector<std::string>& names) {
  if (names.size() == 1 && names[0].find('%') != std::string::npos) return sequenceFiles(names[0]);
  return {names.begin(), names.end()};
}

/// When the contact found is [s].
double contactTime(const DeformingMesh& mesh, const SelfContact& found) {
  if (mesh.keyframeCount() == 1) return mesh.times()[0];
  const double start = mesh.times()[found.step], end = mesh.times()[found.step + 1];
  return start + found.time * (end - start);
}

void printText(const DeformingMesh& mesh, const SelfContact& found,
               const std::vector<std::filesystem::path>& files) {
  std::cout << groupedNumber(mesh.triangles().size()) << " triangles, " << mesh.keyframeCount()
            << " frames, " << shortNumber(mesh.times().back()) << " s; "
            << groupedNumber(static_cast<std::size_t>(found.feature_pairs))
            << " pairs of features were tested one by one\n";
  if (found.verdict == ContactVerdict::kFree) {
    std::cout << "Free of self-contact at every instant.\n";
    return;
  }
  const bool touches = found.verdict == ContactVerdict::kTouches;
  std::cout << (touches ? "Touches itself: " : "Not proved free: ") << featureName(found.a)
            << " and " << featureName(found.b) << (touches ? "" : " may touch")
            << " at t = " << shortNumber(contactTime(mesh, found), 6) << " s, from "
            << files[found.step].filename().string()
            << " on (vertices count from 0; those at the same place in all frames count once)\n";
}

Json featureJson(const MeshFeature& feature) {
  Json out = Json::array();
  for (int v : feature) {
    if (v >= 0) out.push_back(v);
  }
  return out;
}

void printJson(const DeformingMesh& mesh, const SelfContact& found,
               const std::vector<std::filesystem::path>& files) {
  const bool is_free = found.verdict == ContactVerdict::kFree;
  Json out = {{"triangles", mesh.triangles().size()},
              {"frames", mesh.keyframeCount()},
              {"duration", mesh.times().back()},
              {"free", is_free},
              {"decided", found.verdict != ContactVerdict::kUndecided},
              {"triangle_pairs", found.triangle_pairs},
              {"feature_pairs", found.feature_pairs}};
  if (!is_free) {
    out["a"] = featureJson(found.a);
    out["b"] = featureJson(found.b);
    out["time"] = contactTime(mesh, found);
    out["file"] = files[found.step].string();
  }
  std::cout << out.dump(1) << "\n";
}

int runDeformCheck(const DeformOptions& options) {
  if (!(options.rate > 0.0)) throw InputError({"", 0, "--rate", ""}, "must be positive");
  const std::vector<std::filesystem::path> files = framesOf(options.files);
  const DeformingMesh mesh =
      loadMeshSequence(files, options.rate, 0.0, 1.0,
                       [](const std::filesystem::path& path) { return readFile(path); });
  const SelfContact found = selfContact(mesh);
  if (options.json) {
    printJson(mesh, found, files);
  } else {
    printText(mesh, found, files);
  }
  return found.verdict == ContactVerdict::kFree ? kDone : kNotClear;
}

}  // namespace

/// `deform check`: 0 when the sequence is proved free, `kNotClear` when it is not.
void addDeform(CLI::App& app, int& exit_code) {
  CLI::App* deform = app.add_subcommand("deform", "Look at a mesh that bends, frame by frame.");
  deform->require_subcommand(1);
  CLI::App* command = deform->add_subcommand(
      "check",
      "Prove that a sequence of meshes does not touch itself, or name the features that touch.");
  const auto options = std::make_shared<DeformOptions>();
  command
      ->add_option("files", options->files,
                   "the frames in order, with the same faces; or one name with %d or %04d")
      ->required()
      ->type_name("FRAME.obj");
  command->add_option("--rate", options->rate, "frames per second")->type_name("HZ");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] { exit_code = runDeformCheck(*options); });
}

}  // namespace allclear
