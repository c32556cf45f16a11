#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "allclear/config/task_file.h"

namespace allclear {

/// The files that a command can be told to write: those of a folder, and single ones. `plan` and
/// `retime` have the same.
struct OutputOptions {
  std::string folder;    ///< of `-o`; empty without
  OutputSettings files;  ///< of the command line; empty names where it gives none

  void addTo(CLI::App& command);

  /// The files of the command line in the place of those that `output` names.
  void putInto(OutputSettings* output) const;

  /// The names of a plan's four files in the folder, in the place of those that `output` names.
  void putFolderInto(OutputSettings* output) const;

  /// Makes the folder of `-o`, and refuses what could not be written, and `inputs` among it. Before
  /// the work is done.
  void prepare(const OutputSettings& output, const std::vector<std::string>& inputs) const;
};

}  // namespace allclear
