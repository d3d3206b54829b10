#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "simcore/base/random.hpp"

/// Two rows that say how fast the machine is at what simulators usually spend their time on, so
/// that nanoseconds per packet-hop from different machines can be compared: quote them as
/// multiples.
namespace weft::bench {
namespace {

/// What a textbook event queue holds: a time and three words.
struct Event {
  std::uint64_t time = 0;
  std::uint64_t payload[3] = {};
};
static_assert(sizeof(Event) == 32);

struct Later {
  bool operator()(const Event& a, const Event& b) const { return a.time > b.time; }
};

constexpr std::size_t kPendingEvents = 16'384;

/// A power of two of random numbers made beforehand: drawing them is not what is measured.
std::vector<std::uint32_t> random_increments() {
  const RandomStream stream(1, Purpose::kArrival, 0);
  std::vector<std::uint32_t> increments(std::size_t{1} << 16U);
  for (std::size_t i = 0; i < increments.size(); ++i) increments[i] = stream.bits32(i) >> 12U;
  return increments;
}

/// The hold model (Jones, "An Empirical Comparison of Priority-Queue and Event-Set
/// Implementations", CACM 1986): the least of a queue of constant size is taken out and put back a
/// random time later.
void priority_queue_pop_push(benchmark::State& state) {
  const std::vector<std::uint32_t> increments = random_increments();
  const std::size_t mask = increments.size() - 1;
  std::priority_queue<Event, std::vector<Event>, Later> queue;
  for (std::size_t i = 0; i < kPendingEvents; ++i) queue.push({increments[i], {i, i, i}});
  // Until every event has moved a few times, the keys still have the distribution they began with.
  std::size_t draw = 0;
  const auto hold = [&] {
    Event event = queue.top();
    queue.pop();
    event.time += increments[draw++ & mask];
    queue.push(event);
  };
  for (std::size_t i = 0; i < 8 * kPendingEvents; ++i) hold();
  for (auto _ : state) hold();
  benchmark::DoNotOptimize(queue.top());
}
BENCHMARK(priority_queue_pop_push)->Name("Calibration/PriorityQueuePopPush");

/// One cycle through all slots in random order (Sattolo's shuffle), so that every load needs the
/// one before and no prefetcher can help. 64 MiB are more than caches hold, and than small pages'
/// TLBs.
void dependent_loads(benchmark::State& state) {
  constexpr std::size_t kSlots = (std::size_t{64} << 20U) / sizeof(std::uint64_t);
  const RandomStream stream(1, Purpose::kPermutation, 0);
  std::vector<std::uint64_t> next(kSlots);
  std::iota(next.begin(), next.end(), std::uint64_t{0});
  for (std::size_t i = kSlots - 1; i > 0; --i) std::swap(next[i], next[stream.below(i, i)]);

  std::uint64_t slot = 0;
  for (auto _ : state) slot = next[slot];
  benchmark::DoNotOptimize(slot);
}
BENCHMARK(dependent_loads)->Name("Calibration/DependentLoads64MiB");

}  // namespace
}  // namespace weft::bench
