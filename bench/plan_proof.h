#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "allclear/core/file.h"
#include "allclear/planner/certificate.h"

namespace allclear::bench {

/// What it took to prove a plan and to check the proof.
struct ProofFigures {
  bool accepted = false;
  double cells = 0, bytes = 0, prove_seconds = 0, check_seconds = 0;
};

/// Makes the proof of a certified plan and has the program `checker` check it.
inline ProofFigures proveAndCheck(const Problem& problem, const Certificate& certificate,
                                  const std::string& checker) {
  const auto seconds = [](const auto& action) {
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  ProofFigures figures;
  Proof proof;
  figures.prove_seconds = seconds([&] { proof = makeProof(problem, certificate); });
  figures.cells = static_cast<double>(proof.cells);
  figures.bytes = static_cast<double>(proof.text.size());
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("allclear_bench_" + std::to_string(::getpid()) + ".proof");
  writeFileAtomically(file, proof.text);
  const std::string command = "'" + checker + "' '" + file.string() + "' > /dev/null";
  figures.check_seconds = seconds([&] { figures.accepted = std::system(command.c_str()) == 0; });
  std::filesystem::remove(file);
  return figures;
}

}  // namespace allclear::bench
