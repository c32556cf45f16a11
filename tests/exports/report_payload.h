#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace allclear::test {

/// The data of a report's page, as its own script reads them.
inline nlohmann::json reportPayload(const std::string& html) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

inline std::string fromBase64(const std::string& text) {
  std::array<int, 256> digit;
  digit.fill(-1);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 64; ++i) digit[static_cast<unsigned char>(digits[i])] = i;
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (char c : text) {
    if (c == '=') break;
    const int value = digit[static_cast<unsigned char>(c)];
    if (value < 0) throw std::runtime_error("not base64");
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255u);
  }
  return out;
}

template <typename T>
std::vector<T> unpacked(const nlohmann::json& packed) {
  const std::string bytes = fromBase64(packed.get<std::string>());
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}
inline std::vector<float> floats(const nlohmann::json& packed) { return unpacked<float>(packed); }

}  // namespace allclear::test
