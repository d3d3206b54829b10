#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/packet/ids.hpp"
#include "protocols/packet/no_index.hpp"
#include "simcore/base/growing_log.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// A message until it is over: its sender is done with it, and it was delivered.
struct MessageRecord {
  QueuePairId queue_pair;
  std::uint32_t first_sequence = 0;
  std::uint32_t packets = 0;  ///< 0: there is no message here
  /// In the same host's list: the next message of the queue pair; once the sender is done with it,
  /// the next one of those.
  std::uint32_t next = kNoIndex;
  Bytes bytes;
  Picoseconds posted;
  OptionalTime acknowledged;  ///< missing: it is not, or nothing is acknowledged

  [[nodiscard]] std::uint32_t last_sequence() const { return first_sequence + packets - 1; }
};

/// A message that arrived in full, at its receiver.
struct DeliveryRecord {
  ReceiverId receiver;
  std::uint32_t last_sequence = 0;
  Picoseconds time;
};

/// The messages of a host that are not yet over. Places are used again.
class MessageRecords {
 public:
  [[nodiscard]] MessageRecord& operator[](std::uint32_t place) { return records_[place]; }
  [[nodiscard]] const MessageRecord& operator[](std::uint32_t place) const {
    return records_[place];
  }
  /// Returns the place of the message.
  std::uint32_t add(const MessageRecord& message) {
    ++count_;
    if (free_ == kNoIndex) {
      records_.push_back(message);
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = records_[place].next;
    records_[place] = message;
    return place;
  }
  /// The sender is done with a message: all of it is acknowledged, or was sent where nothing is.
  void end(std::uint32_t place, OptionalTime acknowledged) {
    MessageRecord& message = records_[place];
    message.acknowledged = acknowledged;
    message.next = kNoIndex;
    (last_done_ == kNoIndex ? first_done_ : records_[last_done_].next) = place;
    last_done_ = place;
    ++done_;
  }
  /// Messages that the sender is done with.
  [[nodiscard]] std::size_t done() const { return done_; }
  /// Calls `visit(place, message)` with those that the sender is done with, in that order.
  template <class Visit>
  void for_each_done(Visit visit) const {
    for (std::uint32_t i = first_done_; i != kNoIndex; i = records_[i].next) visit(i, records_[i]);
  }
  /// One of them is over. Its place is free once `remove_forgotten` was called.
  void forget(std::uint32_t place) { records_[place].packets = 0; }
  void remove_forgotten() {
    std::uint32_t place = first_done_;
    done_ = 0;
    first_done_ = last_done_ = kNoIndex;
    while (place != kNoIndex) {
      MessageRecord& message = records_[place];
      const std::uint32_t next = message.next;
      if (message.packets == 0) {
        message.next = free_;
        free_ = place;
        --count_;
      } else {
        end(place, message.acknowledged);
      }
      place = next;
    }
    if (count_ == 0) give_back();
  }
  template <class Visit>
  void for_each(Visit visit) const {
    records_.for_each([&visit](const MessageRecord& message) {
      if (message.packets > 0) visit(message);
    });
  }
  [[nodiscard]] std::size_t memory_bytes() const { return records_.memory_bytes(); }

 private:
  /// There are no messages: what many took is for others to use.
  void give_back() {
    if (records_.size() <= kKept) return;
    records_ = GrowingLog<MessageRecord>();
    free_ = kNoIndex;
  }

  static constexpr std::size_t kKept = 128;  ///< places: few enough for many hosts

  GrowingLog<MessageRecord> records_;
  // The first of the free places, and the first and the last message that the sender is done with:
  // `next` strings them together.
  std::uint32_t free_ = kNoIndex;
  std::uint32_t first_done_ = kNoIndex;
  std::uint32_t last_done_ = kNoIndex;
  std::uint32_t done_ = 0;
  std::uint32_t count_ = 0;  ///< of messages
};

}  // namespace weft::protocols
