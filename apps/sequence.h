#pragma once

#include <functional>
#include <string>

#include "allclear/apps/command_time.h"
#include "allclear/apps/trajectory_options.h"
#include "allclear/config/task_file.h"
#include "allclear/exports/output_settings.h"
#include "allclear/planner/planner.h"

namespace allclear {

// What the subcommands do with a task that has `segments`.

/// Where the files of a sequence go.
struct SequenceOutputs {
  std::string folder;     ///< of `-o`; empty: none
  OutputSettings output;  ///< of the task and the command line
  std::string task_file;
  bool json = false;
  bool quiet = false;  ///< the verdict and what it assumes, no more
};

/// Refuses outputs that a sequence cannot have or that could not be written, and makes the folder.
void prepareSequenceOutputs(const SequenceOutputs& outputs);

/// Writes the files of a plan, prints the verdict, and returns the exit code. The files are made
/// within the command's time (`CommandTime::filesInTime`).
int finishSequence(const Task& task, const SequencePlan& plan, const SequenceOutputs& outputs,
                   const CommandTime& time, const std::function<bool()>& interrupted);

/// Reports a task's segments as `check` does for one motion; returns the exit code.
int checkSequence(const Task& task, const std::string& report, bool as_json);

/// `certify TASK FOLDER`: proves all segments anew, or with `verify` checks the certificates that
/// the folder has; and that its `sequence.json` holds.
int certifySequenceFolder(const Task& task, const std::string& path, bool verify, bool as_json,
                          const CertificateOptions& options);

/// `report TASK FOLDER`: the page of the whole.
int reportSequenceFolder(const Task& task, const std::string& path, const std::string& output,
                         const CertificateOptions& options);

}  // namespace allclear
