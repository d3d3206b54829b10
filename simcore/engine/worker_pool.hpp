#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace weft {

/// The calling thread and some helpers that share pieces of work many times a second.
///
/// A helper waits for work actively for some microseconds and then sleeps. It joins a piece of work
/// only if it comes before the caller is through with it, and the caller waits for those who have
/// joined: on a machine with no core to spare the caller does all of it alone, at its own pace.
/// What a helper throws, the caller throws when all have left.
class WorkerPool {
 public:
  /// `size` >= 1, the caller included; fewer if the system has no more threads. `waits_for_all`:
  /// the caller begins when all helpers have joined, in the first calls and in every sixteenth
  /// later. On a busy machine each waiting costs a turn of the scheduler.
  explicit WorkerPool(std::uint32_t size, bool waits_for_all = false);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(helpers_.size()) + 1;
  }

  /// Calls work(0) here and at the same time work(i) on helpers i = 1, 2, ... that are there, at
  /// most once each; returns when all calls have. What was written before is seen by the helpers,
  /// what they wrote is seen after. `work` must be complete whoever takes part. Where a call
  /// throws, the others end first; then its exception, or that of one of them, is thrown here.
  template <class Work>
  void run(Work& work) {
    open([](void* context, std::uint32_t self) { (*static_cast<Work*>(context))(self); }, &work);
    try {
      work(0);
    } catch (...) {
      note_failure();
    }
    close();
    if (has_failed_.load(std::memory_order_relaxed)) [[unlikely]]
      rethrow();
  }

 private:
  using Call = void (*)(void* context, std::uint32_t self);
  void open(Call call, void* context);
  void close();
  void help(std::uint32_t self);
  /// Waits for a piece of work other than number `seen`; returns its number.
  [[nodiscard]] std::uint32_t await_work(std::uint32_t seen) const;
  [[nodiscard]] bool join();
  void leave();
  /// Keeps the exception that is being handled, unless there is one.
  void note_failure();
  [[noreturn]] void rethrow();

  static constexpr std::uint32_t kOpen = std::uint32_t{1} << 31U;

  const bool waits_for_all_;
  std::uint64_t opened_ = 0;  ///< pieces of work so far, as the gate shows it
  Call call_ = nullptr;
  void* context_ = nullptr;
  /// Whether helpers may join, and how many are at work.
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  std::atomic<std::uint32_t> joined_{0};                 ///< the piece of work under way
  alignas(64) std::atomic<std::uint32_t> announced_{0};  ///< number of the latest piece of work
  std::atomic<bool> is_over_{false};
  std::atomic<bool> has_failed_{false};  ///< somebody has put its exception into `failure_`
  std::exception_ptr failure_;
  alignas(64) std::vector<std::thread> helpers_;
};

}  // namespace weft
