#pragma once

#include <CLI/CLI.hpp>

namespace allclear {

// One function per subcommand, each in a file of its own. It adds the subcommand to `app`; when the
// user calls it, it runs while the command line is parsed and sets `exit_code`.

void addBatch(CLI::App& app, int& exit_code);
void addCertify(CLI::App& app, int& exit_code);
void addCheck(CLI::App& app, int& exit_code);
void addDeform(CLI::App& app, int& exit_code);
void addDistance(CLI::App& app, int& exit_code);
void addFit(CLI::App& app, int& exit_code);
void addFk(CLI::App& app, int& exit_code);
void addIk(CLI::App& app, int& exit_code);
void addImpact(CLI::App& app, int& exit_code);
void addInspect(CLI::App& app, int& exit_code);
void addPlan(CLI::App& app, int& exit_code);
void addPosture(CLI::App& app, int& exit_code);
void addReport(CLI::App& app, int& exit_code);
void addRetime(CLI::App& app, int& exit_code);

/// Exit codes of the command.
enum ExitCode {
  kDone = 0,  ///< done, and certified where that applies
  kInternalError = 1,
  kBadInput = 2,
  kNoPlan = 3,  ///< no certified plan found
  kOutOfTime = 4,
  kNotClear = 5,  ///< checked, and not clear
  kInterrupted = 130,
};

}  // namespace allclear
