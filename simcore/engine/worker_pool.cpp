#include "simcore/engine/worker_pool.hpp"

#include <system_error>
#include <utility>

#include "simcore/engine/relax.hpp"

namespace weft {
namespace {

/// Some ten microseconds: longer than the serial part between two windows, shorter than anybody who
/// wants the core would notice.
constexpr int kSpins = 500;

/// All are waited for in the first pieces of work, and later in one of sixteen.
constexpr std::uint64_t kAwaitedAtFirst = 256;
constexpr std::uint64_t kAwaitedOneOf = 16;

}  // namespace

WorkerPool::WorkerPool(std::uint32_t size, bool waits_for_all) : waits_for_all_(waits_for_all) {
  helpers_.reserve(size - 1);
  for (std::uint32_t i = 1; i < size; ++i) {
    try {
      helpers_.emplace_back([this, i] { help(i); });
    } catch (const std::system_error&) {
      break;
    }
  }
}

WorkerPool::~WorkerPool() {
  is_over_.store(true, std::memory_order_relaxed);
  announced_.fetch_add(1, std::memory_order_release);
  announced_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void WorkerPool::open(Call call, void* context) {
  call_ = call;
  context_ = context;
  ++opened_;
  joined_.store(0, std::memory_order_relaxed);
  gate_.store(kOpen, std::memory_order_release);
  announced_.fetch_add(1, std::memory_order_release);
  announced_.notify_all();
  if (!waits_for_all_) return;
  if (opened_ > kAwaitedAtFirst && opened_ % kAwaitedOneOf != 0) return;
  // A helper that has left counts no more, so they are counted where they join.
  while (joined_.load(std::memory_order_acquire) != helpers_.size()) std::this_thread::yield();
}

void WorkerPool::close() {
  std::uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  for (int i = 0; inside != 0 && i < kSpins; ++i) {
    relax();
    inside = gate_.load(std::memory_order_acquire);
  }
  while (inside != 0) {
    gate_.wait(inside, std::memory_order_acquire);
    inside = gate_.load(std::memory_order_acquire);
  }
}

bool WorkerPool::join() {
  std::uint32_t gate = gate_.load(std::memory_order_relaxed);
  while ((gate & kOpen) != 0) {
    if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void WorkerPool::leave() {
  // Wakes the caller if it sleeps; `notify` looks first whether anybody does.
  gate_.fetch_sub(1, std::memory_order_release);
  gate_.notify_one();
}

void WorkerPool::note_failure() {
  // The caller reads it once everybody has left, which `leave` and `close` order.
  if (!has_failed_.exchange(true, std::memory_order_relaxed)) failure_ = std::current_exception();
}

void WorkerPool::rethrow() {
  has_failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::uint32_t WorkerPool::await_work(std::uint32_t seen) const {
  for (int i = 0; i < kSpins; ++i) {
    const std::uint32_t now = announced_.load(std::memory_order_acquire);
    if (now != seen) return now;
    relax();
  }
  announced_.wait(seen, std::memory_order_acquire);
  return announced_.load(std::memory_order_acquire);
}

void WorkerPool::help(std::uint32_t self) {
  std::uint64_t latest = 0;  // the piece of work that this helper did last
  for (std::uint32_t seen = 0;;) {
    seen = await_work(seen);
    if (is_over_.load(std::memory_order_relaxed)) return;
    if (!join()) continue;
    // A helper that came late to one piece of work hears of the next twice.
    if (std::exchange(latest, opened_) != opened_) {
      joined_.fetch_add(1, std::memory_order_release);
      try {
        call_(context_, self);
      } catch (...) {
        note_failure();
      }
    }
    leave();
  }
}

}  // namespace weft
