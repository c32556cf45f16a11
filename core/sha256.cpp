#include "allclear/core/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "allclear/core/assert.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4,
/// section 4.2.2).
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t bigEndian(const unsigned char* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
}

/// The message schedule W of section 6.2.2: a block's 16 words, and 48 more mixed from them.
std::array<std::uint32_t, 64> schedule(const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (int i = 0; i < 16; ++i) w[i] = bigEndian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t x = w[i - 15];
    const std::uint32_t y = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[i - 7] +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  return w;
}

#if defined(__x86_64__)
/// Whether the processor has instructions for SHA-256 (and SSSE3 and SSE 4.1, as all of those do).
bool hasShaInstructions() {
  static const bool has = [] {
    constexpr unsigned kSha = 1U << 29;                      // leaf 7, ebx
    constexpr unsigned kSsse3 = 1U << 9, kSse41 = 1U << 19;  // leaf 1, ecx
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & kSha) == 0) return false;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & kSsse3) != 0 && (c & kSse41) != 0;
  }();
  return has;
}

/// The rounds of one block by the processor's instructions, six times as fast. Each
/// `sha256rnds2` makes two rounds on the state, held as (a, b, e, f) and (c, d, g, h); `sha256msg1`
/// and `sha256msg2` make four words of the schedule from the sixteen before.
__attribute__((target("sha,sse4.1,ssse3"))) void compressBySha(const unsigned char* block,
                                                               std::uint32_t* state) {
  const __m128i bytes = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const auto load = [](const void* from) {
    return _mm_loadu_si128(static_cast<const __m128i*>(from));
  };
  const __m128i abcd = _mm_shuffle_epi32(load(state), 0xb1);      // c d a b
  const __m128i efgh = _mm_shuffle_epi32(load(state + 4), 0x1b);  // e f g h
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);
  const __m128i abef_before = abef, cdgh_before = cdgh;
  __m128i w[4];
  for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(block + 16 * i), bytes);
  for (int i = 0; i < 16; ++i) {
    const __m128i sum = _mm_add_epi32(w[i % 4], load(&kRound[4 * i]));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    if (i >= 12) continue;
    // W[t] = sigma1(W[t-2]) + W[t-7] + sigma0(W[t-15]) + W[t-16], four at a time.
    const __m128i last = w[(i + 3) % 4];
    const __m128i seven = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
    const __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), seven);
    w[i % 4] = _mm_sha256msg2_epu32(next, last);
  }
  abef = _mm_add_epi32(abef, abef_before);
  cdgh = _mm_add_epi32(cdgh, cdgh_before);
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

// Names a..h and the two sums are those of FIPS 180-4, section 6.2.2.
void Sha256::compress(const unsigned char* block) {
#if defined(__x86_64__)
  if (hasShaInstructions()) return compressBySha(block, state_.data());
#endif
  const std::array<std::uint32_t, 64> w = schedule(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> sum{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += sum[i];
}

void Sha256::update(std::string_view bytes) {
  total_size_ += bytes.size();
  StopSteps steps;
  while (!bytes.empty()) {
    steps.step();
    // Whole blocks are taken where they are.
    if (pending_size_ == 0 && bytes.size() >= pending_.size()) {
      compress(reinterpret_cast<const unsigned char*>(bytes.data()));
      bytes.remove_prefix(pending_.size());
      continue;
    }
    const std::size_t count = std::min(bytes.size(), pending_.size() - pending_size_);
    std::memcpy(pending_.data() + pending_size_, bytes.data(), count);
    pending_size_ += count;
    bytes.remove_prefix(count);
    if (pending_size_ < pending_.size()) return;
    compress(pending_.data());
    pending_size_ = 0;
  }
}

std::string Sha256::hex() const {
  // Section 5.1.1: a bit 1, as many zeros as fill a block but for 8 bytes, and the message's length
  // in bits. A block with less than 9 bytes left gets another one behind it.
  Sha256 padded = *this;
  const std::size_t zeros = (pending_size_ < 56 ? 56 : 120) - pending_size_ - 1;
  std::string tail(1 + zeros + 8, '\0');
  tail[0] = static_cast<char>(0x80);
  const std::uint64_t bits = total_size_ * 8;
  for (int i = 0; i < 8; ++i) tail[1 + zeros + i] = static_cast<char>(bits >> (56 - 8 * i) & 0xff);
  padded.update(tail);

  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::uint32_t word : padded.state_) {
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[word >> shift & 0xf];
  }
  return out;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

void FilesSha256::add(std::string_view name, std::string_view content) {
  ALLCLEAR_ASSERT(name.find('\0') == std::string_view::npos);  // a line must read one way only
  std::string line(name);
  line += '\0' + std::to_string(content.size());
  line += '\0' + sha256(content) + '\n';
  lines_.insert(std::move(line));
}

std::string FilesSha256::hex() const {
  Sha256 hash;
  for (const std::string& line : lines_) hash.update(line);
  return hash.hex();
}

}  // namespace allclear
