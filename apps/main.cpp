// The allclear command: thin wiring, one file per subcommand.
#include <cstdio>
#include <exception>

#include "allclear/apps/command_checks.h"
#include "allclear/apps/commands.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// Prints an error of the command line on one line, with the hint how to get help. Help itself
/// counts as an "error" with exit code 0 in CLI11, which prints it.
int reportUsage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return isPrinted() ? kDone : kBadInput;
  }
  std::fprintf(stderr, "allclear: %s (see allclear --help)\n", error.what());
  return kBadInput;
}

/// Parses the command line, which runs the subcommand; bad input gets one line and its exit code.
int run(int argc, char** argv) {
  CLI::App app{"Robot motion plans that are clear at every instant, with a certificate.",
               "allclear"};
  app.set_version_flag("--version", "allclear " ALLCLEAR_VERSION);
  app.require_subcommand(1);
  int exit_code = kDone;
  addCheck(app, exit_code);
  addCertify(app, exit_code);
  addPlan(app, exit_code);
  addRetime(app, exit_code);
  addPosture(app, exit_code);
  addDistance(app, exit_code);
  addFk(app, exit_code);
  addIk(app, exit_code);
  addImpact(app, exit_code);
  addReport(app, exit_code);
  addBatch(app, exit_code);
  addFit(app, exit_code);
  addInspect(app, exit_code);
  addDeform(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return reportUsage(app, error);
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadInput;
  }
  if (!isPrinted() && exit_code == kDone) exit_code = kBadInput;
  return exit_code;
}

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  try {
    return allclear::run(argc, argv);  // prints bad input itself; what arrives here is a bug
  } catch (const std::exception& error) {
    std::fprintf(stderr, "allclear: internal error: %s\n", error.what());
    return allclear::kInternalError;
  }
}
