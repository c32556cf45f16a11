#pragma once

#include "allclear/apps/batch/messages.h"

namespace allclear::batch {

/// For tests of the pool, where the environment of a worker has ALLCLEAR_BATCH_HOOKS: a task whose
/// text holds one of these words does what it says instead of being planned.
///   hook:abort  the process aborts            hook:hang  it never answers
///   hook:eat    it takes all memory there is  hook:none  nothing: certified at once
/// True when there was one and it came back.
bool runTestHook(const Query& query, Answer* answer);

}  // namespace allclear::batch
