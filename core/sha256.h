#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace allclear {

/// SHA-256 (FIPS 180-4) of bytes given in any number of pieces. Certificates name their inputs by
/// it.
class Sha256 {
 public:
  void update(std::string_view bytes);

  /// Digest of all bytes so far as 64 lower-case hex digits. More may be added afterwards.
  std::string hex() const;

 private:
  void compress(const unsigned char* block);

  // Fractional parts of the square roots of the first eight primes (section 5.3.3).
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};  // the block that is not full yet
  std::size_t pending_size_ = 0;
  std::uint64_t total_size_ = 0;
};

/// SHA-256 of `bytes` as 64 lower-case hex digits.
std::string sha256(std::string_view bytes);

/// One hash for several files, with their names and lengths, whatever the order they are read in.
///
/// Each file is one line, NAME \0 LENGTH \0 DIGEST \n: its name as the description that uses it
/// writes it, its length in bytes as a decimal number, and its SHA-256 as 64 lower-case hex digits.
/// The hash is the SHA-256 of all different lines, sorted by their bytes. In Python:
///
///     lines = {name.encode() + b"\0%d\0" % len(data) + sha256(data).hexdigest().encode() + b"\n"
///              for name, data in files}
///     print(sha256(b"".join(sorted(lines))).hexdigest())
///
/// Names and lengths are part of it, so that no bytes can move from one file to another. Which
/// files, under which names: docs/task.md, "Hashes".
class FilesSha256 {
 public:
  /// Pre: `name` has no NUL. A file that is added again, with the same name, counts once.
  void add(std::string_view name, std::string_view content);

  std::string hex() const;

 private:
  std::set<std::string> lines_;
};

}  // namespace allclear
