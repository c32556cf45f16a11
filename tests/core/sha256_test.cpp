#include "allclear/core/sha256.h"

#include <gtest/gtest.h>

#include <random>

namespace allclear {
namespace {

// Vectors of FIPS 180-4 and its companion examples.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreCut) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random() & 0xff);
    Sha256 hash;
    for (std::size_t at = 0; at < size;) {
      const std::size_t count = std::min<std::size_t>(size - at, random() % 80);
      hash.update(std::string_view(bytes).substr(at, count));
      at += count;
    }
    EXPECT_EQ(hash.hex(), sha256(bytes)) << size;
    EXPECT_EQ(hash.hex(), hash.hex());
  }
}

}  // namespace
}  // namespace allclear
