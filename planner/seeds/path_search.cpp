// Restarts of RRT-Connect, one after the other or several at a time.
//
// The runs form one sequence, each with its stream and its share of work. One thread goes through
// it until a run succeeds. Several threads take the next runs of it together (a wave) and then look
// for the first success in the order of the sequence: the same one. A run ends early when an
// earlier one of its wave has succeeded, as it cannot count any more.
//
// The first run goes alone: most searches end within it, sooner than threads start.
#include "allclear/planner/seeds/path_search.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "allclear/core/parallel.h"
#include "allclear/planner/seeds/coordinate_blocks.h"

namespace allclear {
namespace {

/// Every second run takes edges so many times as long as the first one's: short edges go further
/// into narrow passages, long ones cross free space. Which is better no problem tells beforehand.
constexpr double kLongStep = 3.0;

}  // namespace

long runShare(int run) {
  constexpr int kMostDoublings = 30;  // 10^9 units: no search gets there
  return 1L << std::min(run, kMostDoublings);
}

PathSearch::PathSearch(const Problem& problem, const ConfigurationSpace& space,
                       const SegmentCertifier& certifier, const Kinematics& kinematics,
                       const PathSearchOptions& options)
    : problem_(problem),
      space_(space),
      certifier_(certifier),
      kinematics_(kinematics),
      options_(options),
      blocks_(coordinateBlocks(problem)) {}

RrtOptions PathSearch::optionsOf(int run, long work) const {
  RrtOptions rrt;
  rrt.step = run % 2 == 0 ? options_.step : kLongStep * options_.step;
  rrt.work = work;
  rrt.blocks = blocks_;
  return rrt;
}

/// One run of the sequence.
struct PathSearch::Run {
  RandomStream random;
  RrtOptions options;
  RrtResult result;
  SegmentCertifier::Statistics certifier;
};

/// The next runs of the sequence, as many as work is left for.
std::vector<PathSearch::Run> PathSearch::wave(int first, int size, std::uint64_t seed,
                                              std::uint64_t stream, long* left) const {
  std::vector<Run> runs;
  for (int i = first; i < first + size; ++i) {
    if (*left <= 0) break;
    const std::uint64_t number = (static_cast<std::uint64_t>(i) << 32) + stream;
    const long work = std::min(*left, options_.unit * runShare(i));
    *left -= work;
    runs.push_back({RandomStream(seed, number), optionsOf(i, work), {}, {}});
  }
  return runs;
}

void PathSearch::run(const VecX& start, const std::vector<VecX>& goals, const RunContext& context,
                     std::vector<Run>* wave) const {
  const int count = static_cast<int>(wave->size());
  std::atomic<int> found{count};  // the first run of the wave that has found a path
  std::mutex asking;              // a caller's `stop` need not be safe in several threads
  parallelFor(std::min(count, context.threads), count, [&](int i, int) {
    Run& run = (*wave)[static_cast<std::size_t>(i)];
    RunContext own = context;
    own.stop = [&, i] {
      if (found.load() < i) return true;
      const std::lock_guard<std::mutex> lock(asking);
      return context.isStopped();
    };
    SegmentCertifier certifier = certifier_;
    PathProjection projection(problem_, kinematics_);
    FreeMotion motion(space_, certifier, options_.extra, &projection);
    run.result = rrtConnect(motion, start, goals, run.options, own, run.random);
    run.certifier = certifier.statistics().since(certifier_.statistics());
    if (!run.result.path) return;
    int least = found.load();
    while (i < least && !found.compare_exchange_weak(least, i)) {
    }
  });
}

std::optional<FoundPath> PathSearch::find(const VecX& start, const std::vector<VecX>& goals,
                                          const RunContext& context, std::uint64_t stream,
                                          PathSearchStatistics* statistics) const {
  long left = options_.work;
  for (int first = 0; left > 0;) {
    const int size = first == 0 ? 1 : std::max(1, context.threads);
    std::vector<Run> runs = wave(first, size, context.seed, stream, &left);
    run(start, goals, context, &runs);
    for (Run& run : runs) {
      ++statistics->runs;
      statistics->work += run.result.work;
      statistics->certifier.add(run.certifier);
      if (run.result.path) return FoundPath{std::move(*run.result.path), run.random};
    }
    // Ended by the context; or before its first edge, as an end is not free: then all would.
    const RrtResult& last = runs.back().result;
    if (last.ended || last.work == 0) return std::nullopt;
    first += static_cast<int>(runs.size());
  }
  return std::nullopt;
}

}  // namespace allclear
