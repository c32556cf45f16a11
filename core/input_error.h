#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace allclear {

/// Where in the user's input something is wrong. Empty fields are unknown or do not apply.
struct InputPlace {
  std::string file;
  int line = 0;     ///< 1-based; 0 when unknown
  std::string key;  ///< e.g. "joint 'elbow': limit"
  std::string value;
};

/// Bad input: a file, a key or a value of the user's. `what()` is one line:
/// `file:line: key: 'value': message`.
class InputError : public std::runtime_error {
 public:
  InputError(InputPlace place, const std::string& message);
  explicit InputError(const std::string& message) : InputError(InputPlace{}, message) {}

  const InputPlace& place() const { return place_; }
  /// The message alone, without the place.
  const std::string& message() const { return message_; }

 private:
  InputPlace place_;
  std::string message_;
};

/// ` (did you mean 'x'?)` for the known word nearest to `word`, or an empty string when none is
/// near.
std::string didYouMean(std::string_view word, const std::vector<std::string>& known);

/// The known word nearest to `word` by edit distance; when none is within a third of it, the only
/// one that begins or ends with it ("joint1" for "arm_joint1"); else empty.
std::string nearestWord(std::string_view word, const std::vector<std::string>& known);

/// "; it has: a, b, c", the first twelve of the known words; "; it has none" for no words.
std::string whatThereIs(const std::vector<std::string>& known);

/// What there is instead of an unknown word: `didYouMean`, or `whatThereIs` when none is near.
std::string insteadOf(std::string_view word, const std::vector<std::string>& known);

}  // namespace allclear
