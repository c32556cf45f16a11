// LZF. A byte c below 32 is followed by c + 1 bytes to copy. Any other one is a repeat: its upper
// three bits say how long (plus 2; 7: the next byte says how much longer), its lower five and the
// byte after that how far back.
#include "allclear/robot_models/files/lzf.h"

#include "allclear/core/stop_scope.h"

namespace allclear {

std::optional<std::string> lzfExpanded(std::string_view packed, std::size_t size) {
  // No byte of LZF stands for more than 264 (a repeat of three bytes): a size beyond is wrong, and
  // no room is made for it.
  constexpr std::size_t kMostRepeat = 264;
  if (size / kMostRepeat > packed.size()) return std::nullopt;
  std::string out;
  out.reserve(size);
  std::size_t i = 0;
  const auto next = [&]() {
    return static_cast<std::size_t>(static_cast<unsigned char>(packed[i++]));
  };
  StopSteps steps;
  while (i < packed.size()) {
    steps.step();
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t count = control + 1;
      if (packed.size() - i < count || size - out.size() < count) return std::nullopt;
      out.append(packed.substr(i, count));
      i += count;
      continue;
    }
    std::size_t length = control >> 5;
    if (length == 7) {
      if (i >= packed.size()) return std::nullopt;
      length += next();
    }
    if (i >= packed.size()) return std::nullopt;
    const std::size_t back = ((control & 31) << 8) + next() + 1;
    length += 2;
    if (back > out.size() || size - out.size() < length) return std::nullopt;
    // Byte by byte: what is copied may be part of what it copies.
    for (std::size_t k = 0; k < length; ++k) out.push_back(out[out.size() - back]);
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace allclear
