#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "scenarios/api/weft.hpp"
#include "simcore/base/check.hpp"

// What fails on a thread of a run is an error of that run, and of no other. The failure is planted
// in `operator new`: while it is armed, threads other than the one that armed it find no memory,
// or, in the place of a fault of weft, a claim that does not hold.

namespace {

enum class Plant { kNone, kNoMemory, kBrokenInvariant };
std::atomic<Plant> planted{Plant::kNone};
std::atomic<int> harvested{0};
thread_local bool is_spared = false;

void* allocate(std::size_t size, std::size_t alignment) {
  const Plant plant = planted.load(std::memory_order_relaxed);
  if (plant != Plant::kNone && !is_spared) {
    // What is thrown needs memory, too.
    is_spared = true;
    ++harvested;
    struct Restore {
      ~Restore() { is_spared = false; }
    } restore;
    if (plant == Plant::kNoMemory) throw std::bad_alloc();
    weft::fail_check("a claim of the test", "false", "failure_test.cpp", 1);
  }
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPermutation = R"(name: all
racks: {count: 8, servers: 8, server: host-400g}
fabric: {topology: leaf-spine, spines: 8, switch: spectrum-4, load_balancing: spray}
transport: {type: roce, receiver: any-order}
jobs: [{name: p, type: permutation, size: 4MiB}]
)";

api::Scenario permutation() { return api::Scenario::from_text(kPermutation).value(); }

/// A run on two threads whose second one fails where it first asks for memory.
api::Result<api::Results> run_with(Plant plant) {
  harvested = 0;
  is_spared = true;  // this thread, whose memory the run needs to say what is wrong
  const auto result = permutation().run({.threads = 2, .progress = [plant](const auto&) {
                                           planted = plant;  // before there is a network
                                           return true;
                                         }});
  planted = Plant::kNone;
  is_spared = false;
  return result;
}

TEST(Failure, OfMemoryOnASecondThreadIsAnErrorOfItsRun) {
  const std::string digest = permutation().run({.threads = 1}).value().digest();
  const auto failed = run_with(Plant::kNoMemory);
  ASSERT_GT(harvested.load(), 0) << "no other thread asked for memory: nothing was tested";
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.errors().front().kind, api::ErrorKind::kMemory);
  EXPECT_THAT(failed.errors().front().message, HasSubstr("out of memory"));
  EXPECT_EQ(permutation().run({.threads = 2}).value().digest(), digest);
}

TEST(Failure, OfAnInvariantOnASecondThreadIsAnErrorOfItsRun) {
  const auto failed = run_with(Plant::kBrokenInvariant);
  ASSERT_GT(harvested.load(), 0) << "no other thread asked for memory: nothing was tested";
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.errors().front().kind, api::ErrorKind::kDefect);
  EXPECT_THAT(failed.errors().front().message,
              HasSubstr("broken invariant: a claim of the test (failure_test.cpp:1: false)"));
  EXPECT_TRUE(permutation().run({.threads = 2}).ok());
}

TEST(Failure, LeavesOtherRunsAlone) {
  const std::string digest = permutation().run({.threads = 1}).value().digest();
  std::string other;
  std::jthread beside([&other] {
    is_spared = true;
    other = permutation().run({.threads = 1}).value().digest();
    is_spared = false;
  });
  const auto failed = run_with(Plant::kNoMemory);
  beside.join();
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(other, digest);
}

}  // namespace
}  // namespace weft::testing
