#pragma once

#include <stdexcept>
#include <string>

namespace allclear {

/// A broken invariant: a defect of Allclear or of the code that calls it, never of the user's
/// input.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void contractViolated(const char* condition, const char* file, int line) {
  throw ContractViolation(std::string(file) + ":" + std::to_string(line) +
                          ": contract violated: " + condition);
}

}  // namespace allclear

/// Checks a cheap invariant, in every build.
#define ALLCLEAR_ASSERT(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::allclear::contractViolated(#condition, __FILE__, __LINE__))
