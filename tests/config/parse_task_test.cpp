#include <gtest/gtest.h>

#include "allclear/config/task_file.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "support/data.h"

namespace allclear {
namespace {

TEST(ParseTask, ReadsTextAsItReadsAFile) {
  const std::filesystem::path folder = test::sourceFolder() / "examples/shelf";
  const std::string text = readFile(folder / "task.yaml");
  const Task parsed = parseTask(text, folder / "in_memory.yaml");
  const Task loaded = loadTask(folder / "task.yaml");
  EXPECT_EQ(parsed.problem.source_sha256, loaded.problem.source_sha256);
  EXPECT_EQ(parsed.problem.start, loaded.problem.start);
  EXPECT_EQ(parsed.problem.obstacles.size(), loaded.problem.obstacles.size());
  try {
    parseTask("robott: x", folder / "in_memory.yaml");
    FAIL() << "an unknown key was read";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().file, (folder / "in_memory.yaml").string());
    EXPECT_EQ(error.place().line, 1);
  }
}

}  // namespace
}  // namespace allclear
