#pragma once

#include <string>

namespace allclear {

/// What printf prints in the "C" locale, whatever the locale of the program is: a German host
/// program must not make `1,5` of a number that a person or a program reads on.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// While it lives, the C library reads and prints the numbers of this thread with a decimal point.
/// For libraries of others, which ask it for numbers. Costs two calls; changes nothing for other
/// threads.
class ClassicNumbers {
 public:
  ClassicNumbers();
  ~ClassicNumbers();
  ClassicNumbers(const ClassicNumbers&) = delete;
  ClassicNumbers& operator=(const ClassicNumbers&) = delete;

 private:
  void* before_;
};

}  // namespace allclear
