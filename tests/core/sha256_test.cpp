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

// The expected digest is Python's, by the recipe in sha256.h:
//   files = [("urdf", b"<robot/>"), ("a.obj", b"v 0 0 0\n"), ("b.obj", b"")]
TEST(FilesSha256, IsWhatTheRecipeInItsHeaderGives) {
  FilesSha256 files;
  files.add("urdf", "<robot/>");
  files.add("a.obj", "v 0 0 0\n");
  files.add("b.obj", "");
  EXPECT_EQ(files.hex(), "dee8f4241f52fbf5111af24d38a5985381e0420b36e689deb04fa4859bb498a4");
}

TEST(FilesSha256, KnowsNamesAndLengthsAndNoOrder) {
  const auto hashOf = [](std::initializer_list<std::pair<const char*, const char*>> list) {
    FilesSha256 files;
    for (const auto& [name, content] : list) files.add(name, content);
    return files.hex();
  };
  const std::string hash = hashOf({{"urdf", "u"}, {"a", "12"}, {"b", "3"}});
  EXPECT_EQ(hashOf({{"b", "3"}, {"a", "12"}, {"urdf", "u"}, {"a", "12"}}), hash);
  // Bytes that move from one file to the next, renamed files, and one file for two.
  EXPECT_NE(hashOf({{"urdf", "u"}, {"a", "1"}, {"b", "23"}}), hash);
  EXPECT_NE(hashOf({{"urdf", "u"}, {"b", "12"}, {"a", "3"}}), hash);
  EXPECT_NE(hashOf({{"urdf", "u"}, {"a", "123"}}), hash);
  EXPECT_NE(hashOf({{"urdf", "u"}, {"a", "12"}, {"b", "3"}, {"c", ""}}), hash);
  EXPECT_EQ(hashOf({}), sha256(""));
}

}  // namespace
}  // namespace allclear
