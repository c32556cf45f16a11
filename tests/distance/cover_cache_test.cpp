#include "allclear/distance/cover_cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "allclear/distance/cover/entry.h"
#include "allclear/distance/mesh/prepared.h"
#include "distance/cover/cover_meshes.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;
using test::Random;
using test::TemporaryFolder;

/// An L, a U, ...: none of them convex.
TriangleMesh meshOf(int number) {
  Random random(number);
  bool closed = true;
  return test::meshOfKind(static_cast<test::MeshKind>(number % 3), random, &closed).mesh();
}

bool areSame(const std::vector<ConvexMesh>& a, const std::vector<ConvexMesh>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].points() != b[i].points()) return false;
  }
  return true;
}

std::vector<fs::path> filesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Runs in a process of its own; its exit code.
int inChild(const std::function<int()>& run) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CoverCache, GivesTheSameCoverFromTheFolder) {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "a" / "b";
  for (int round = 0; round < 3; ++round) {
    const CoverCache cache(place);
    for (int number = 0; number < 4; ++number) {
      EXPECT_TRUE(areSame(cache.cover(meshOf(number), {}), convexCover(meshOf(number))));
    }
    EXPECT_EQ(cache.statistics().made, round == 0 ? 4 : 0);
    EXPECT_EQ(cache.statistics().found, round == 0 ? 0 : 4);
    EXPECT_EQ(cache.statistics().written, round == 0 ? 4 : 0);
    EXPECT_EQ(filesIn(place).size(), 4U);
  }
}

TEST(CoverCache, IsUsedByTheMeshesThatItIsGiven) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = meshOf(1), other = meshOf(1);
  const auto cache = std::make_shared<const CoverCache>(folder.path());
  const TriangleMesh copy = mesh;
  keepCovers(std::vector<Geometry>{{mesh, {}}, {Sphere(1.0), {}}}, cache);
  EXPECT_TRUE(areSame(coverOf(copy, MeshFidelity::kPieces), convexCover(mesh)));
  coverOf(copy, MeshFidelity::kManyPieces);
  coverOf(other, MeshFidelity::kPieces);
  EXPECT_EQ(cache->statistics().made, 2);
  EXPECT_EQ(cache->statistics().found, 0);
  EXPECT_EQ(filesIn(folder.path()).size(), 2U);
}

TEST(CoverCache, MakesAnewAndWritesAgainWhatIsDamaged) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = meshOf(0);
  CoverCache(folder.path()).cover(mesh, {});
  const fs::path file = filesIn(folder.path()).at(0);
  const std::string bytes = readFile(file);
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 4;
  for (const std::string& damage :
       {flipped, bytes.substr(0, bytes.size() - 1), std::string("x"), bytes + bytes}) {
    write(file, damage);
    const CoverCache cache(folder.path());
    EXPECT_TRUE(areSame(cache.cover(mesh, {}), convexCover(mesh)));
    EXPECT_EQ(cache.statistics().refused, 1);
    EXPECT_EQ(readFile(file), bytes);
  }
}

TEST(CoverCache, RefusesForgedCoversWithTheRightChecksum) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = meshOf(0);
  const std::string key = cover::keyOf(mesh, {});
  cover::CoverEntry entry;
  const auto pieces = cover::tracedCover(mesh, {}, &entry.cuts);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    entry.pieces = pieces;
    std::vector<Vec3> points = pieces[i].points();
    for (Vec3& p : points) p += 1e-6 * (points[0] - p);
    entry.pieces[i] = ConvexMesh(points);
    write(folder.path() / (key + ".cover"), cover::entryBytes(key, entry));
    const CoverCache cache(folder.path());
    EXPECT_TRUE(areSame(cache.cover(mesh, {}), pieces));
    EXPECT_EQ(cache.statistics().refused, 1) << i;
  }
}

TEST(CoverCache, IsSilentlyOffWhereItCannotWrite) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "not a folder");
  for (const fs::path& place : {file / "below", fs::path("/proc/allclear"), fs::path()}) {
    const CoverCache cache(place);
    EXPECT_TRUE(areSame(cache.cover(meshOf(0), {}), convexCover(meshOf(0)))) << place;
    EXPECT_TRUE(areSame(cache.cover(meshOf(1), {}), convexCover(meshOf(1)))) << place;
    EXPECT_EQ(cache.statistics().written, 0) << place;
    EXPECT_EQ(cache.statistics().made, 2) << place;
  }
  // An entry that is a folder.
  const fs::path taken = folder.path() / (cover::keyOf(meshOf(0), {}) + ".cover");
  fs::create_directories(taken / "x");
  const CoverCache cache(folder.path());
  EXPECT_TRUE(areSame(cache.cover(meshOf(0), {}), convexCover(meshOf(0))));
  EXPECT_EQ(cache.statistics().unwritten, 1);
}

/// A file that may not grow stands for a disk that is full.
TEST(CoverCache, LeavesNothingBehindOnAFullDisk) {
  const TemporaryFolder folder;
  EXPECT_EQ(inChild([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit least{100, 100};
              if (::setrlimit(RLIMIT_FSIZE, &least) != 0) return 2;
              const CoverCache cache(folder.path());
              const bool same = areSame(cache.cover(meshOf(0), {}), convexCover(meshOf(0)));
              return same && cache.statistics().unwritten == 1 ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(filesIn(folder.path()).empty());
}

TEST(CoverCache, RemovesWhatWasUsedLongestAgo) {
  const TemporaryFolder folder;
  const fs::path foreign = folder.write("foreign.txt", std::string(100000, 'x'));
  const fs::path abandoned = folder.write("abc.1.2.3.part", "half");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(abandoned, now - std::chrono::hours(2));
  std::vector<fs::path> files;
  std::uintmax_t total = 0;
  for (int number = 0; number < 6; ++number) {
    CoverCache(folder.path()).cover(meshOf(number), {});
    files.push_back(folder.path() / (cover::keyOf(meshOf(number), {}) + ".cover"));
    fs::last_write_time(files.back(), now - std::chrono::hours(100 - number));
    total += fs::file_size(files.back());
  }
  // The oldest is used again: another one is the oldest now.
  CoverCache(folder.path()).cover(meshOf(0), {});
  CoverCache(folder.path(), total).cover(meshOf(6), {});
  EXPECT_TRUE(fs::exists(files[0]));
  EXPECT_FALSE(fs::exists(files[1]));
  EXPECT_TRUE(fs::exists(folder.path() / (cover::keyOf(meshOf(6), {}) + ".cover")));
  EXPECT_TRUE(fs::exists(foreign));
  EXPECT_FALSE(fs::exists(abandoned));
  // Larger than all there may be: not written at all.
  const CoverCache tiny(folder.path() / "tiny", 10);
  EXPECT_TRUE(areSame(tiny.cover(meshOf(0), {}), convexCover(meshOf(0))));
  EXPECT_TRUE(filesIn(tiny.folder()).empty());
}

TEST(CoverCache, IsSharedByProcessesAndThreads) {
  const TemporaryFolder folder;
  constexpr int kProcesses = 3, kRounds = 6, kMeshes = 4;
  std::vector<std::vector<ConvexMesh>> right;
  for (int number = 0; number < kMeshes; ++number) right.push_back(convexCover(meshOf(number)));
  // Each makes all covers again and again, by two threads, and now and then damages or removes one.
  const auto work = [&](int process) {
    Random random(process);
    std::atomic<int> wrong{0};
    for (int round = 0; round < kRounds; ++round) {
      const CoverCache cache(folder.path());
      const auto all = [&] {
        for (int number = 0; number < kMeshes; ++number) {
          if (!areSame(cache.cover(meshOf(number), {}), right[number])) ++wrong;
        }
      };
      std::thread other(all);
      all();
      other.join();
      const fs::path file =
          folder.path() / (cover::keyOf(meshOf(random.index(kMeshes)), {}) + ".cover");
      std::error_code ignored;
      if (random.chance(0.5)) {
        fs::remove(file, ignored);
      } else {
        write(file, "damage");
      }
    }
    return wrong == 0 ? 0 : 1;
  };
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work(process));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (const fs::path& file : filesIn(folder.path())) EXPECT_EQ(file.extension(), ".cover");
}

TEST(CoverCache, IsWhereTheEnvironmentSays) {
  EXPECT_EQ(inChild([] {
              ::setenv("XDG_CACHE_HOME", "/some/where", 1);
              if (CoverCache::userFolder() != "/some/where/allclear/covers") return 1;
              ::setenv("XDG_CACHE_HOME", "not/absolute", 1);
              ::setenv("HOME", "/home/someone", 1);
              if (CoverCache::userFolder() != "/home/someone/.cache/allclear/covers") return 2;
              ::unsetenv("XDG_CACHE_HOME");
              if (CoverCache::userFolder() != "/home/someone/.cache/allclear/covers") return 3;
              ::unsetenv("HOME");
              return CoverCache::userFolder().empty() ? 0 : 4;
            }),
            0);
}

}  // namespace
}  // namespace allclear
