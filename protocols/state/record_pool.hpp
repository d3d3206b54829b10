#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simcore/base/check.hpp"

namespace weft::protocols {

/// Records that packets have besides their 32 bytes, by number. Nothing depends on the numbers:
/// threads take and give back those of their own, and exchange them in batches as the pools of
/// packets do. One who has a packet has its record alone, and whatever hands a packet on publishes
/// the record with it.
template <class Record>
class RecordPool {
 public:
  void start() { slabs_.resize(kMaxSlabs); }
  /// A given number of threads will take and give back.
  void spawn(std::size_t threads) { free_.resize(threads); }

  [[nodiscard]] Record& operator[](std::uint32_t number) {
    return slabs_[number / kSlab][number % kSlab];
  }
  [[nodiscard]] const Record& operator[](std::uint32_t number) const {
    return slabs_[number / kSlab][number % kSlab];
  }
  /// The number of a record that has what was in it before.
  [[nodiscard]] std::uint32_t take(std::size_t thread) {
    std::vector<std::uint32_t>& numbers = free_[thread].numbers;
    if (numbers.empty()) [[unlikely]] {
      refill(numbers);
    }
    const std::uint32_t number = numbers.back();
    numbers.pop_back();
    return number;
  }
  void give_back(std::size_t thread, std::uint32_t number) {
    std::vector<std::uint32_t>& numbers = free_[thread].numbers;
    if (numbers.size() == 3 * kBatch) [[unlikely]]
      put_aside(numbers);
    numbers.push_back(number);
  }

  /// Records that packets have at present. Not while threads run.
  [[nodiscard]] std::size_t in_use() const {
    std::size_t count = made_ * kSlab - shared_.size();
    for (const FreeList& list : free_) count -= list.numbers.size();
    return count;
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return made_ * kSlab * sizeof(Record) + slabs_.capacity() * sizeof(slabs_[0]);
  }

 private:
  static constexpr std::uint32_t kSlab = 1'024;
  static constexpr std::size_t kMaxSlabs = 65'536;  ///< 67 million packets under way
  static constexpr std::size_t kBatch = 256;

  struct alignas(64) FreeList {
    std::vector<std::uint32_t> numbers;
  };

  [[gnu::noinline]] void refill(std::vector<std::uint32_t>& numbers) {
    const std::lock_guard lock(mutex_);
    if (shared_.empty()) grow();
    numbers.reserve(3 * kBatch);
    numbers.assign(shared_.end() - kBatch, shared_.end());
    shared_.resize(shared_.size() - kBatch);
  }
  [[gnu::noinline]] void put_aside(std::vector<std::uint32_t>& numbers) {
    const std::lock_guard lock(mutex_);
    shared_.insert(shared_.end(), numbers.end() - kBatch, numbers.end());
    numbers.resize(numbers.size() - kBatch);
  }
  /// Room for all numbers that exist, so that giving them back allocates nothing.
  void grow() {
    WEFT_CHECK(made_ < kMaxSlabs, "67 million packets with records are under way");
    slabs_[made_] = std::make_unique<Record[]>(kSlab);
    shared_.reserve((made_ + 1) * kSlab);
    const auto first = static_cast<std::uint32_t>(made_ * kSlab);
    for (std::uint32_t i = kSlab; i-- > 0;) shared_.push_back(first + i);
    ++made_;
  }

  /// Never moved: a record is read by threads that do not hold the lock.
  std::vector<std::unique_ptr<Record[]>> slabs_;
  std::vector<FreeList> free_;  ///< by thread
  std::mutex mutex_;
  std::vector<std::uint32_t> shared_;  ///< free, of no thread; whole batches
  std::size_t made_ = 0;               ///< slabs
};

}  // namespace weft::protocols
