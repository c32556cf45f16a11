#include "allclear/core/file.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

std::size_t entriesOf(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(WriteFiles, FollowsLinksAndKeepsTheModeOfAFile) {
  const test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "real");
  const fs::path target = folder.path() / "real/file.csv";
  writeFileAtomically(target, "old");
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const fs::path link = folder.path() / "link.csv", chain = folder.path() / "chain.csv";
  fs::create_symlink("real/file.csv", link);
  fs::create_symlink(link, chain);
  writeFileAtomically(chain, "new");
  EXPECT_TRUE(fs::is_symlink(chain));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(readFile(target), "new");
  EXPECT_EQ(fs::status(target).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  // A link to a file that is not there yet.
  const fs::path dangling = folder.path() / "dangling";
  fs::create_symlink("real/later.csv", dangling);
  writeFileAtomically(dangling, "later");
  EXPECT_TRUE(fs::is_symlink(dangling));
  EXPECT_EQ(readFile(folder.path() / "real/later.csv"), "later");
}

TEST(WriteFiles, SendsToDevicesAndPipesWithoutReplacingThem) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    const int end = ::open(pipe.c_str(), O_RDONLY);
    char block[64];
    for (ssize_t n = ::read(end, block, sizeof block); n > 0; n = ::read(end, block, sizeof block))
      read.append(block, static_cast<std::size_t>(n));
    ::close(end);
  });
  writeFileAtomically(pipe, "rows");
  reader.join();
  EXPECT_EQ(read, "rows");
  EXPECT_TRUE(fs::is_fifo(pipe));
  writeFileAtomically("/dev/null", "rows");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(writeFileAtomically("/dev/full", "rows"), InputError);
}

TEST(WriteFiles, WritesAllOrNone) {
  const test::TemporaryFolder folder;
  const fs::path a = folder.path() / "a", b = folder.path() / "b";
  writeFileAtomically(a, "old");
  // What cannot be written is known at once, or when it is sent; nothing else is replaced then.
  for (const fs::path& bad : {folder.path() / "no/folder", folder.path(), fs::path("/dev/full")}) {
    EXPECT_THROW(writeFiles({{a, "new"}, {b, "new"}, {bad, "x"}}), InputError) << bad;
    EXPECT_EQ(readFile(a), "old");
    EXPECT_FALSE(fs::exists(b));
    EXPECT_EQ(entriesOf(folder.path()), 1u);
  }
  writeFiles({{a, "new"}, {b, "new"}});
  EXPECT_EQ(readFile(a), "new");
  EXPECT_EQ(readFile(b), "new");
  EXPECT_EQ(entriesOf(folder.path()), 2u);
}

TEST(WriteFiles, RemovesWhatAKilledProcessLeft) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  const pid_t child = ::fork();
  if (child == 0) {
    // As a writer that is killed between writing and renaming.
    const int orphan = ::open((file.string() + ".tmp0").c_str(), O_WRONLY | O_CREAT, 0600);
    ::flock(orphan, LOCK_EX);
    (void)!::write(orphan, "half", 4);
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(entriesOf(folder.path()), 1u);
  // One whose writer lives stays.
  const int alive = ::open((file.string() + ".tmp1").c_str(), O_WRONLY | O_CREAT, 0600);
  ::flock(alive, LOCK_EX);
  writeFileAtomically(file, "whole");
  EXPECT_FALSE(fs::exists(file.string() + ".tmp0"));
  EXPECT_TRUE(fs::exists(file.string() + ".tmp1"));
  ::close(alive);
  writeFileAtomically(file, "again");
  EXPECT_EQ(readFile(file), "again");
  EXPECT_EQ(entriesOf(folder.path()), 1u);
}

TEST(WriteFiles, WritersOfOneFileLeaveTheWholeOfOneOfThem) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&file, w] {
      for (int i = 0; i < 20; ++i)
        writeFileAtomically(file, std::string(100000, static_cast<char>('a' + w)));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string content = readFile(file);
  EXPECT_EQ(content, std::string(100000, content[0]));
  EXPECT_EQ(entriesOf(folder.path()), 1u);
}

TEST(WriteFiles, LongNamesHaveRoomForTheirTemporaryOnes) {
  const test::TemporaryFolder folder;
  const fs::path longest = folder.path() / std::string(255, 'n');
  writeFileAtomically(longest, "x");
  EXPECT_EQ(readFile(longest), "x");
  EXPECT_THROW(requireWritable(folder.path() / std::string(256, 'n')), InputError);
}

TEST(ReadFile, DoesNotWaitForAPipeThatNobodyWritesTo) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(readFile(pipe), InputError);
  // But it takes what somebody writes slowly.
  const int keep = ::open(pipe.c_str(), O_RDWR);
  const int writer = ::open(pipe.c_str(), O_WRONLY);
  std::thread slow([&] {
    (void)!::write(writer, "one ", 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    (void)!::write(writer, "two", 3);
    ::close(writer);
    ::close(keep);
  });
  EXPECT_EQ(readFile(pipe), "one two");
  slow.join();
}

TEST(ReadFile, OfAPipeEndsWithTheScope) {
  const test::TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int silent = ::open(pipe.c_str(), O_RDWR);  // a writer that never writes
  int left = 2;
  const StopScope scope([&] { return left-- <= 0; });
  EXPECT_THROW(readFile(pipe), Stopped);
  ::close(silent);
}

TEST(IsSameFile, SeesThroughLinksAndSpellings) {
  const test::TemporaryFolder folder;
  const fs::path file = folder.write("sub/file", "x");
  fs::create_symlink("sub/file", folder.path() / "link");
  fs::create_directory_symlink("sub", folder.path() / "other");
  EXPECT_TRUE(isSameFile(file, folder.path() / "link"));
  EXPECT_TRUE(isSameFile(file, folder.path() / "sub/../sub/./file"));
  EXPECT_TRUE(isSameFile(folder.path() / "sub/new", folder.path() / "other/new"));
  EXPECT_FALSE(isSameFile(file, folder.path() / "sub/new"));
  EXPECT_FALSE(isSameFile("/dev/null", "/dev/null"));
}

}  // namespace
}  // namespace allclear
