// Fuzzes the checker of proofs: its reader and its checks, with everything that a file may hold.
// Whatever the bytes, the checker has to answer by accepting or by refusing.
//
// .ci/long builds and runs it:
//   clang++ -std=c++17 -O1 -g -ffp-contract=off -fsanitize=fuzzer,address,undefined -I. fuzz.cpp
#include <cstddef>
#include <cstdint>

#define main allclear_verify_main
#include "verify/allclear_verify.cpp"
#undef main

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The last byte chooses a tube, so that this part of the checker is reached as well.
  const Tube tubes[] = {{}, {{"", 1e-3}}, {{"x", 1e-3}}};
  if (size == 0) return 0;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const Proof proof(in, tubes[(data[size - 1] / 16) % 3]);
  } catch (const std::exception&) {
  }
  return 0;
}
