// allclear certify: is a trajectory clear at every instant?
//
// Makes a certificate, or verifies one that is there (`--verify`), and prints the verdict: what it
// assumes, and the pairs behind it. The trajectory may come from anywhere. Of a task with segments,
// all certificates of a folder.
#include <iostream>
#include <nlohmann/json.hpp>

#include "allclear/apps/assumptions_json.h"
#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/apps/json_text.h"
#include "allclear/apps/sequence.h"
#include "allclear/apps/trajectory_options.h"
#include "allclear/apps/verdict_text.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/output_files.h"

namespace allclear {
namespace {

struct CertifyOptions {
  TrajectoryOptions input;
  std::string certificate;
  std::string proof;
  std::string verify;
  bool json = false;
};

nlohmann::ordered_json toJson(const ProvenTube& tube) {
  return {{"joints_to_contact", tube.joints_to_contact},
          {"joints_to_margin", tube.joints_to_margin},
          {"factor_to_contact", tube.factor_to_contact},
          {"factor_to_margin", tube.factor_to_margin},
          {"at",
           {{"pair", nlohmann::ordered_json::array({tube.closest_a, tube.closest_b})},
            {"t", tube.closest_t}}}};
}

void print(const Certificate& certificate, bool as_json) {
  if (!as_json) {
    std::cout << certificate.message << "\n" << assumptionsInBrief(certificate) << "\n";
    printPairs(certificate, std::cout);
    return;
  }
  // The verdict without the cells: `--certificate` writes these.
  const Interval& minimum = certificate.minimum_clearance;
  nlohmann::ordered_json out = {
      {"clear", certificate.clear},
      {"message", certificate.message},
      {"minimum_clearance", {minimum.lower, minimum.upper}},
      {"at",
       {{"pair", nlohmann::ordered_json::array({certificate.closest_a, certificate.closest_b})},
        {"t", certificate.closest_t}}},
      {"pairs", bodyPairCount(certificate)},
      {"closest_pairs", closestPairsJson(certificate)},
      {"limits", certificate.limits.size()},
      {"faults", certificate.faults},
      {"interpolation", describe(certificate.trajectory.interpolation())},
      {"static_contacts", certificate.static_contacts},
      {"not_covered", certificate.not_covered},
      {"valid_until", certificate.valid_until},
      {"assumptions", assumptionsJson(certificate)}};
  if (certificate.goal) out["goal"] = reachedJson(*certificate.goal);
  if (certificate.torque_beyond_rating) {
    const TorqueUse& use = *certificate.torque_beyond_rating;
    out["torque_beyond_rating"] = {
        {"joint", use.joint}, {"torque", use.torque}, {"effort", use.effort}, {"t", use.t}};
  }
  if (certificate.tube) out["tube"] = toJson(*certificate.tube);
  std::cout << jsonText(out);
}

/// Whether the tube that was asked for is proven clear, the margins kept.
bool bearsTube(const Certificate& certificate, double width) {
  if (!certificate.tube) return width == 0.0;
  const bool bears = certificate.tube->joints_to_margin >= width;
  if (!bears) {
    std::cerr << "Not proven clear in a tube of " << width
              << " rad (slides: m): the margins are kept within "
              << certificate.tube->joints_to_margin << " only.\n";
  }
  return bears;
}

/// Of a trajectory that is clear; there is no proof of one that is not.
void writeProof(const Problem& problem, const Certificate& certificate, const std::string& file) {
  const Proof proof = makeProof(problem, certificate);
  if (!proof.unproven.empty()) {
    std::cerr << "warning: " << incompleteProof(file, proof) << "\n";
    return;
  }
  writeFileAtomically(file, proof.text);
  for (const std::string& line : notInProof(problem)) std::cerr << line << "\n";
}

/// Makes a certificate, and writes it when asked to, clear or not: one that is not clear says why.
int certifyTrajectory(const Problem& problem, const NamedTrajectory& trajectory,
                      const CertifyOptions& options) {
  const Certificate certificate = certify(problem, trajectory.trajectory, trajectory.wrenchCurve(),
                                          options.input.certificateOptions(trajectory));
  if (!options.certificate.empty()) writeCertificateJson(options.certificate, certificate);
  if (!options.proof.empty() && certificate.clear) writeProof(problem, certificate, options.proof);
  print(certificate, options.json);
  return certificate.clear && bearsTube(certificate, options.input.tubeWidth()) ? kDone : kNotClear;
}

/// Checks a certificate that exists. The trajectory must be the one that it is about, to the bit.
int verifyAgain(const Problem& problem, const NamedTrajectory& trajectory,
                const CertifyOptions& options) {
  // A certificate of another trajectory may hold, but says nothing about this one.
  const Certificate certificate = readCertificateJson(options.verify);
  CertificateVerdict verdict =
      isSameTrajectory(trajectory, certificate.trajectory)
          ? verifyCertificate(problem, certificate, options.input.certificateOptions(trajectory))
          : CertificateVerdict{false, "The certificate is of another trajectory."};
  const std::string sent_fault = sentFault(problem, certificate);
  if (verdict.valid && !sent_fault.empty()) {
    verdict = {false, "The certificate does not hold: " + sent_fault + "."};
  }
  if (options.json) {
    const nlohmann::ordered_json out = {{"valid", verdict.valid},
                                        {"message", verdict.message},
                                        {"assumptions", assumptionsJson(certificate)}};
    std::cout << jsonText(out);
  } else {
    std::cout << verdict.message << "\n";
    if (verdict.valid) std::cout << assumptionsInBrief(certificate) << "\n";
  }
  return verdict.valid ? kDone : kNotClear;
}

}  // namespace

void addCertify(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "certify", "Prove that a trajectory (CSV or JSON, from anywhere) is clear at every instant.");
  // Shared with the callback, which runs when this function has returned.
  const auto options = std::make_shared<CertifyOptions>();
  options->input.addTo(*command);
  CLI::Option* write = command->add_option("--certificate", options->certificate,
                                           "write the certificate, clear or not");
  write->type_name("FILE");
  command->add_option("--proof", options->proof, "write the proof for allclear-verify, if clear")
      ->type_name("FILE");
  command->add_option("--verify", options->verify, "verify this certificate instead of making one")
      ->type_name("CERT.json")
      ->excludes(write);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    std::vector<std::string> inputs = options->input.files();
    inputs.push_back(options->verify);
    requireOutputs({options->certificate, options->proof}, inputs);
    if (const std::optional<Task> task = options->input.readSequenceTask()) {
      if (!options->certificate.empty() || !options->proof.empty()) {
        throw InputError("certify: the certificates and proofs of a sequence are in its folder");
      }
      exit_code =
          certifySequenceFolder(*task, options->input.trajectoryFile(), !options->verify.empty(),
                                options->json, options->input.certificateOptions());
      return;
    }
    const auto [problem, trajectory] = options->input.read();
    exit_code = options->verify.empty() ? certifyTrajectory(problem, trajectory, *options)
                                        : verifyAgain(problem, trajectory, *options);
  });
}

}  // namespace allclear
