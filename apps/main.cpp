// The allclear command: thin wiring, one file per subcommand.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

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

/// The first word that is not understood, with the nearest that would be; empty when all are.
std::string unknownWord(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  std::vector<std::string> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) commands.push_back(sub->get_name());  // not hidden
    if (argc > 1 && sub->get_name() == argv[1]) command = sub;
  }
  // A word in the place of the subcommand; else the first option that it does not have.
  const std::string first = argc > 1 ? argv[1] : "";
  if (command == &app && !first.empty() && !first.starts_with('-')) {
    return "'" + first + "' is no subcommand" + insteadOf(first, commands);
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (int i = 1; i < argc; ++i) {
    const std::string_view given = argv[i];
    const std::string word(given.substr(0, given.find('=')));
    if (!word.starts_with("--") || word.size() == 2) continue;
    if (std::find(options.begin(), options.end(), word) != options.end()) continue;
    return "'" + word + "' is no option" +
           (command == &app ? "" : " of '" + command->get_name() + "'") + didYouMean(word, options);
  }
  return "";
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
    const std::string unknown = error.get_exit_code() == 0 ? "" : unknownWord(app, argc, argv);
    if (unknown.empty()) return reportUsage(app, error);
    std::fprintf(stderr, "allclear: %s (see allclear --help)\n", unknown.c_str());
    return kBadInput;
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
