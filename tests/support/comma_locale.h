#pragma once

#include <clocale>
#include <cstdlib>
#include <locale>
#include <string>

#include "support/temporary_folder.h"

namespace allclear::test {

/// A host program's locale with decimal commas and grouped thousands, for C and for streams, until
/// it ends. The C part is built by `localedef` where the system has none.
class CommaLocale {
 public:
  CommaLocale() {
    streams_ = std::locale::global(std::locale(std::locale::classic(), new Commas));
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "it_IT.UTF-8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) return;
    }
    const std::string made = (folder_.path() / "de_DE.UTF-8").string();
    const std::string command = "localedef -i de_DE -f UTF-8 " + made + " >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) return;
    ::setenv("LOCPATH", folder_.path().c_str(), 1);
    std::setlocale(LC_ALL, "de_DE.UTF-8");
  }
  ~CommaLocale() {
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
    std::locale::global(streams_);
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  /// Whether the C library prints commas: the streams do in any case.
  bool hasC() const { return std::localeconv()->decimal_point == std::string(","); }

 private:
  struct Commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  TemporaryFolder folder_;
  std::locale streams_;
};

}  // namespace allclear::test
