#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocols/network/network_share.hpp"
#include "protocols/steady_state/skip_counts.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"
#include "simcore/messages/message_network.hpp"

/// An epoch: the calls of a connected GPU set from when its links were quiet until they are again.
/// Times are counted from its first begin.
namespace weft::scenarios {

/// A rank begins a call.
struct EpochBegin {
  Picoseconds time;
  std::uint32_t rank = 0;    ///< of the GPU set
  std::uint32_t stream = 0;  ///< of the job's program
  std::uint32_t call = 0;    ///< of its communicator, from 0
  bool operator==(const EpochBegin&) const = default;
};

/// When the call is over on the rank; missing: it does not end by itself.
struct EpochEnd {
  OptionalTime time;
  Picoseconds posted_at;  ///< CallOracle::End
  bool operator==(const EpochEnd&) const = default;
};

/// A message of an epoch, between ranks as EpochBegin numbers them.
struct EpochMessage {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t lane = 0;
  Connection::Kind kind = Connection::Kind::kUnicast;
  std::uint32_t queue_pair = 0;  ///< of its connection
  Bytes bytes;
  Picoseconds posted;
  OptionalTime delivered;     ///< missing: not within the epoch
  OptionalTime acknowledged;  ///< missing: never, or not within the epoch
};

/// How often an epoch took place.
struct EpochTally {
  std::uint64_t times = 0;
  std::uint64_t starts = 0;  ///< their sum, in picoseconds, modulo 2^64
  Picoseconds last_start;

  void add(Picoseconds start) {
    ++times;
    starts += static_cast<std::uint64_t>(start.count());
    last_start = start;
  }
};

/// What a rank put on the network.
struct EpochSent {
  std::int64_t messages = 0;
  Bytes bytes;
  Picoseconds last_progress;
};

/// Begins of an epoch, by time; those of a rank at one time in the order in which they came.
struct EpochBegins {
  std::span<const EpochBegin> list;
  bool is_complete = false;  ///< all members of each call have begun it
};

/// Which part of an epoch counts, in its own time.
struct EpochWindow {
  std::optional<Picoseconds> from;   ///< statistics begin again there
  std::optional<Picoseconds> until;  ///< the epoch is cut off there
};

/// What followed from some begins, if nothing else ever began.
struct CommEpoch {
  std::vector<EpochBegin> begins;
  std::vector<EpochEnd> ends;  ///< by begin
  Picoseconds last;            ///< when the last thing happened
  bool is_whole = false;       ///< all members began their calls and ended them: nothing is left
  std::uint64_t simulated_hops = 0;  ///< that it took to find this
  protocols::SkipCounts skips;       ///< and what was skipped of that, since it recurs
  // Of whole epochs, and of those that were cut off; of the part that counts, but for messages
  // and what was sent.
  protocols::NetworkShare share;  ///< ports: EpochPlace
  Worker::Sums before;            ///< of what happened before the part that counts
  std::vector<EpochMessage> messages;
  std::vector<EpochSent> sent;  ///< by rank

  /// When a message was delivered or acknowledged last.
  [[nodiscard]] OptionalTime last_delivery() const;
  /// Some have not been.
  [[nodiscard]] bool has_pending() const;

  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(CommEpoch) + begins.capacity() * sizeof(EpochBegin) +
           ends.capacity() * sizeof(EpochEnd) +
           share.queues.capacity() * sizeof(protocols::QueueShare) +
           messages.capacity() * sizeof(EpochMessage) + sent.capacity() * sizeof(EpochSent);
  }
};

inline OptionalTime CommEpoch::last_delivery() const {
  OptionalTime latest;
  for (const EpochMessage& m : messages) latest = std::max({latest, m.delivered, m.acknowledged});
  return latest;
}

inline bool CommEpoch::has_pending() const {
  return std::ranges::any_of(messages, [](const EpochMessage& m) {
    const bool is_known = m.kind != Connection::Kind::kUnicast || m.acknowledged;
    return !m.delivered || !is_known;
  });
}

/// Whether packets were delivered in some time.
enum class EpochDeliveries : std::uint8_t {
  kNone,  ///< and nothing is under way
  kSome,
  kUnknown,  ///< or something is under way that stands still
};

/// Adds what is known of closed epochs, by when the last of them delivered something and did
/// anything, to what is known of others.
[[nodiscard]] inline EpochDeliveries deliveries_since(Picoseconds since, OptionalTime last_delivery,
                                                      OptionalTime last_event) {
  if (last_delivery >= since) return EpochDeliveries::kSome;
  return last_event >= since ? EpochDeliveries::kUnknown : EpochDeliveries::kNone;
}

/// Of a running epoch, of which this is the part until now.
[[nodiscard]] inline EpochDeliveries deliveries_since(Picoseconds since, Picoseconds start,
                                                      const CommEpoch& so_far) {
  const EpochDeliveries known =
      deliveries_since(since, start + so_far.last_delivery(), start + so_far.last);
  return known == EpochDeliveries::kNone && so_far.has_pending() ? EpochDeliveries::kUnknown
                                                                 : known;
}

/// Who goes through epochs: ranks of a job, in the order in which epochs number them, and the ports
/// that these go by, by the number that an epoch gives them.
struct EpochPlace {
  std::uint32_t job = 0;
  std::vector<std::uint32_t> ranks;
  std::vector<PortId> ports;
};

/// An epoch as often as it took place somewhere.
struct MemoisedEpoch {
  const EpochPlace* place = nullptr;
  const CommEpoch* epoch = nullptr;
  EpochTally tally;
};

}  // namespace weft::scenarios
