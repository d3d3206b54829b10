#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/packet/no_index.hpp"
#include "simcore/base/growing_log.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// A message that its sender is not yet done with.
struct MessageRecord {
  std::uint32_t queue_pair = 0;
  std::uint32_t first_sequence = 0;
  std::uint32_t packets = 0;
  std::uint32_t next = kNoIndex;  ///< next message of the queue pair, in the same host's list
  Bytes bytes;
  Picoseconds posted;

  [[nodiscard]] std::uint32_t last_sequence() const { return first_sequence + packets - 1; }
};

/// A message that its sender is done with: all of it is acknowledged, or was sent where nothing is
/// acknowledged.
struct SentMessage {
  std::uint32_t queue_pair = 0;
  std::uint32_t last_sequence = 0;
  Bytes bytes;
  Picoseconds posted;
  Picoseconds acknowledged{-1};  ///< -1: it never is
};

/// A message that arrived in full, at its receiver.
struct DeliveryRecord {
  std::uint32_t receiver = 0;  ///< number of the ReceiverState
  std::uint32_t last_sequence = 0;
  Picoseconds time;
};

/// The messages that a host is not yet done with. Places are used again.
class MessageRecords {
 public:
  [[nodiscard]] MessageRecord& operator[](std::uint32_t place) { return records_[place]; }
  [[nodiscard]] const MessageRecord& operator[](std::uint32_t place) const {
    return records_[place];
  }
  /// Returns the place of the message.
  std::uint32_t add(const MessageRecord& message) {
    if (free_ == kNoIndex) {
      records_.push_back(message);
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = records_[place].next;
    records_[place] = message;
    return place;
  }
  void remove(std::uint32_t place) {
    records_[place].packets = 0;  // as no message has
    records_[place].next = free_;
    free_ = place;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    records_.for_each([&visit](const MessageRecord& message) {
      if (message.packets > 0) visit(message);
    });
  }
  [[nodiscard]] std::size_t memory_bytes() const { return records_.memory_bytes(); }

 private:
  GrowingLog<MessageRecord> records_;
  std::uint32_t free_ = kNoIndex;  ///< the first of the free places, which `next` strings together
};

}  // namespace weft::protocols
