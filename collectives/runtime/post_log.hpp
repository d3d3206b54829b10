#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "simcore/base/units.hpp"

namespace weft::collectives {

/// When the messages of a connection were posted: its source writes, and its destination reads of
/// each message once it has come, which is what orders the two where they run on different threads.
/// What is read is given back.
class PostLog {
 public:
  PostLog() : read_(std::make_unique<Block>()), written_(read_.get()) {}

  void append(Picoseconds now) {
    if (count_ == kBlock) {
      written_->next = std::make_unique<Block>();
      written_ = written_->next.get();
      count_ = 0;
    }
    written_->times[count_++] = now;
  }
  /// Of the next message, which has come.
  [[nodiscard]] Picoseconds take() {
    if (next_ == kBlock) {
      // The writer left this block before it wrote what is taken now.
      read_ = std::exchange(read_->next, nullptr);
      next_ = 0;
    }
    return read_->times[next_++];
  }

 private:
  static constexpr std::uint32_t kBlock = 62;
  struct Block {
    std::array<Picoseconds, kBlock> times;
    std::unique_ptr<Block> next;
  };

  // Of the reader.
  std::unique_ptr<Block> read_;
  std::uint32_t next_ = 0;
  // Of the writer, on a cache line of its own.
  alignas(64) Block* written_;
  std::uint32_t count_ = 0;
};

}  // namespace weft::collectives
