// What tests make a worker do. Without ALLCLEAR_BATCH_HOOKS in its environment, nothing here
// happens.
#include "allclear/apps/batch/hooks.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "allclear/core/file.h"

namespace allclear::batch {

bool runTestHook(const Query& query, Answer* answer) {
  static const bool kHasHooks = std::getenv("ALLCLEAR_BATCH_HOOKS") != nullptr;
  if (!kHasHooks || query.index >= 0) return false;
  const std::string text = query.text.empty() ? readFile(query.file) : query.text;
  const auto asks = [&text](const char* word) { return text.find(word) != std::string::npos; };
  if (asks("hook:abort")) std::abort();
  while (asks("hook:hang")) ::sleep(1);
  if (asks("hook:eat")) {
    // Blocks that are written to, so that they count; an allocation that fails ends it.
    constexpr std::size_t kBlock = std::size_t{16} << 20;
    std::vector<std::vector<char>> eaten;
    for (;;) eaten.emplace_back(kBlock, '\1');
  }
  if (!asks("hook:none")) return false;
  answer->status = "certified";
  answer->message = "Nothing was planned.";
  answer->duration = 1.0;
  answer->clearance = 1.0;
  return true;
}

}  // namespace allclear::batch
