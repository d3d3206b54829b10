#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// A logical connection between two ranks whose messages a third rank of the job forwards, cut into
/// chunks so that both legs work at once. The first leg keeps the id of the logical connection.
struct Relay {
  ConnectionId first;   ///< from the sender to the relay
  ConnectionId second;  ///< from the relay to the receiver
  ProcessId source;     ///< of the logical connection
  ProcessId destination;
};

/// The sizes of the messages of a relayed connection, in the order of posting. The sender appends;
/// the sender, the relay and the receiver read, each with a cursor of its own. They may run on
/// different threads: a message takes at least one window of the engine to its next reader, so an
/// entry is never written and read in the same window, and entries never move.
class SizeLog {
 public:
  struct Block {
    std::array<Bytes, 7> sizes;
    std::unique_ptr<Block> next;
  };

  SizeLog() = default;
  SizeLog(const SizeLog&) = delete;
  SizeLog& operator=(const SizeLog&) = delete;
  ~SizeLog() {
    // One after the other: a chain of destructors may be deeper than the stack.
    while (first_.next) first_.next = std::move(first_.next->next);
  }

  void append(Bytes size) {
    if (count_ == last_->sizes.size()) {
      last_->next = std::make_unique<Block>();
      last_ = last_->next.get();
      count_ = 0;
    }
    last_->sizes[count_++] = size;
  }

  /// Walks through the messages chunk by chunk.
  class Cursor {
   public:
    /// The size of the next chunk, which must have been appended.
    Bytes take(const SizeLog& log, Bytes chunk) {
      if (left_ == 0_B) begin_message(log);
      const Bytes size = std::min(left_, chunk);
      left_ = left_ - size;
      ++chunks_;
      return size;
    }
    [[nodiscard]] bool is_message_complete() const { return left_ == 0_B; }
    /// How many chunks were taken of the message that the last one belongs to, that one included.
    [[nodiscard]] std::uint32_t chunks() const { return chunks_; }

   private:
    void begin_message(const SizeLog& log) {
      if (block_ == nullptr) {
        block_ = &log.first_;
      } else if (index_ == block_->sizes.size()) {
        block_ = block_->next.get();
        index_ = 0;
      }
      left_ = block_->sizes[index_++];
      chunks_ = 0;
    }

    const Block* block_ = nullptr;
    std::uint32_t index_ = 0;
    std::uint32_t chunks_ = 0;
    Bytes left_;
  };

 private:
  Block first_;
  Block* last_ = &first_;
  std::uint32_t count_ = 0;  ///< of the last block
};

/// The sizes of the reads that are asked for on a connection: who reads appends, and who responds
/// takes them in the order of posting. Requests that overtake others on another queue pair are
/// responded to with the sizes of those.
class ReadLog {
 public:
  void append(Bytes size) { sizes_.append(size); }
  Bytes take() { return responded_.take(sizes_, Bytes::max()); }

 private:
  SizeLog sizes_;
  SizeLog::Cursor responded_;
};

/// What the three processes of a relayed connection know; each writes its own members only.
struct RelayState {
  SizeLog sizes;                 ///< written by the sender
  SizeLog::Cursor acknowledged;  ///< of the sender
  SizeLog::Cursor forwarded;     ///< of the relay
  SizeLog::Cursor received;      ///< of the receiver
  std::uint32_t chunks_received = 0;
};

}  // namespace weft::collectives
