#include "allclear/distance/cover/entry.h"

#include <gtest/gtest.h>

#include <cstring>

#include "allclear/core/sha256.h"
#include "distance/cover/cover_meshes.h"
#include "support/panel_meshes.h"

namespace allclear::cover {
namespace {

using test::MeshParts;
using test::Random;

/// Of a mesh with a solid and a surface: every kind of field is there.
TriangleMesh someMesh() {
  MeshParts parts = test::wallBox({1.0, 0.8, 0.6}, 0.1, 1);
  MeshParts sheets = test::sheetBox({0.5, 0.4, 0.3}, 2);
  sheets.move({Mat3::Identity(), Vec3(3.0, 0.0, 0.0)}, Vec3::Ones());
  parts.add(sheets);
  return parts.mesh();
}

CoverEntry someEntry(const TriangleMesh& mesh) {
  CoverEntry entry;
  entry.pieces = tracedCover(mesh, {.most_pieces = 10, .least_gain = 1e-3}, &entry.cuts);
  // A solid and a surface: cells are cut, sheets need not be.
  if (entry.cuts.sheets.empty()) entry.cuts.sheets.push_back({Vec3::UnitX(), 0.25});
  return entry;
}

std::string signedAgain(std::string bytes) {
  bytes.resize(bytes.size() - 64);
  return bytes + sha256(bytes);
}

TEST(CoverEntry, ComesBackToTheBit) {
  const TriangleMesh mesh = someMesh();
  const CoverEntry entry = someEntry(mesh);
  ASSERT_GT(entry.pieces.size(), 2U);
  ASSERT_FALSE(entry.cuts.cells.empty());
  const std::string key = keyOf(mesh, {});
  const std::string bytes = entryBytes(key, entry);
  const auto again = parseEntry(key, bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(entryBytes(key, *again), bytes);
  ASSERT_EQ(again->pieces.size(), entry.pieces.size());
  for (std::size_t i = 0; i < entry.pieces.size(); ++i) {
    EXPECT_EQ(again->pieces[i].points(), entry.pieces[i].points());
  }
}

TEST(CoverEntry, IsNothingWhenAnyBitIsFlippedOrAnyByteIsMissing) {
  const TriangleMesh mesh = someMesh();
  const std::string key = keyOf(mesh, {});
  const std::string bytes = entryBytes(key, someEntry(mesh));
  Random random(3);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1 << random.integer(0, 7));
    EXPECT_FALSE(parseEntry(key, damaged)) << i;
    EXPECT_FALSE(parseEntry(key, bytes.substr(0, i))) << i;
  }
  EXPECT_FALSE(parseEntry(key, bytes + "x"));
  EXPECT_FALSE(parseEntry(keyOf(mesh.withOpen(OpenMeshes::kFill), {}), bytes));
}

/// With a checksum that is right again nothing may crash or allocate without bound.
TEST(CoverEntry, KeepsItsBoundsWhenForged) {
  const TriangleMesh mesh = someMesh();
  const std::string key = keyOf(mesh, {});
  const std::string bytes = entryBytes(key, someEntry(mesh));
  Random random(4);
  int nothing = 0;
  for (std::size_t i = key.size(); i + 68 < bytes.size(); ++i) {
    std::string forged = bytes;
    for (int k = 0; k < 4; ++k) {
      forged[i + k] = static_cast<char>(random.chance(0.5) ? 0xff : random.integer(0, 255));
    }
    const auto entry = parseEntry(key, signedAgain(forged));
    nothing += !entry;
    if (!entry) continue;
    for (const ConvexMesh& piece : entry->pieces) EXPECT_FALSE(piece.points().empty());
  }
  EXPECT_GT(nothing, 20);  // counts that exceed the bytes, numbers that are not finite
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(parseEntry(key, bytes.substr(0, length) + sha256(bytes.substr(0, length))) &&
                 length + 64 != bytes.size());
  }
}

TEST(KeyOfACover, KnowsAllThatTheCoverDependsOn) {
  const TriangleMesh mesh = someMesh();
  const std::string key = keyOf(mesh, {});
  EXPECT_EQ(keyOf(TriangleMesh(mesh.vertices(), mesh.triangles()), {}), key);
  EXPECT_NE(keyOf(mesh, {.most_pieces = 17}), key);
  EXPECT_NE(keyOf(mesh, {.least_gain = 0.011}), key);
  EXPECT_NE(keyOf(mesh.withOpen(OpenMeshes::kFill), {}), key);
  std::vector<Vec3> vertices = mesh.vertices();
  vertices[2].y() = std::nextafter(vertices[2].y(), 1e9);
  EXPECT_NE(keyOf({vertices, mesh.triangles()}, {}), key);
  std::vector<Triangle> triangles = mesh.triangles();
  std::swap(triangles[0][1], triangles[0][2]);
  EXPECT_NE(keyOf({mesh.vertices(), triangles}, {}), key);
}

}  // namespace
}  // namespace allclear::cover
