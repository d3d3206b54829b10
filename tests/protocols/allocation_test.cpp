// The packet path allocates nothing once queues and pools have grown to what the traffic needs.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/flow_runner.hpp"

namespace {

std::atomic<std::uint64_t> allocations{0};

}  // namespace

// Counting replacements for the whole program; a sanitizer brings its own, which stay. Not inlined:
// GCC warns of a mismatch where it sees into one of a pair only.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
#endif

namespace weft::testing {
namespace {

TEST(PacketPath, AllocatesNothingInSteadyState) {
  if (!kCountsAllocations) GTEST_SKIP() << "the sanitizer replaces the allocator";
  // 64 hosts, sprayed permutation, everything on. Pools may still reach a new peak now and then;
  // one slab holds 3,840 packets, so the limit of 10 is five orders below one allocation per
  // packet.
  topologies::LeafSpineSpec spec;
  spec.racks = spec.servers_per_rack = spec.spines = 8;
  spec.access = spec.uplink = {400_Gbps, 500_ns};
  protocols::PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.window = 64;
  roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
  options.transport = roce;
  options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  options.switches.data().ecn = {.enabled = true, .kmin = 20_KB, .kmax = 200_KB, .pmax = 0.1};
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 64; ++i) {
    flows.push_back({HostId(i), HostId((i + 19) % 64), 100_MB, 0_ps});
  }
  FlowRun run(spec, options, flows);
  run.network().run_until(200_us);
  const std::uint64_t hops_before = run.network().totals().packet_hops;
  const std::uint64_t allocations_before = allocations.load();
  run.network().run_until(600_us);
  const std::uint64_t during = allocations.load() - allocations_before;
  const std::uint64_t hops = run.network().totals().packet_hops - hops_before;
  EXPECT_GT(hops, 1'000'000u);
  EXPECT_GT(run.network().totals().ecn_marked, 0);
  EXPECT_LE(during, 10u) << hops << " packet-hops";
}

}  // namespace
}  // namespace weft::testing
