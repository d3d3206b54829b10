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

/// A phase: the calls of a component from when its links were quiet until they are again. Times are
/// counted from its first begin.
namespace weft::scenarios {

/// A rank begins a call.
struct PhaseBegin {
  Picoseconds time;
  std::uint32_t rank = 0;    ///< of the component
  std::uint32_t stream = 0;  ///< of the job's program
  std::uint32_t call = 0;    ///< of its communicator, from 0
  bool operator==(const PhaseBegin&) const = default;
};

/// When the call is over on the rank; -1: it does not end by itself.
struct PhaseEnd {
  Picoseconds time{-1};
  Picoseconds posted_at;  ///< CallReuse::End
  bool operator==(const PhaseEnd&) const = default;
};

/// A message of a phase, between ranks as PhaseBegin numbers them.
struct PhaseMessage {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t lane = 0;
  Connection::Kind kind = Connection::Kind::kUnicast;
  std::uint32_t queue_pair = 0;  ///< of its connection
  Bytes bytes;
  Picoseconds posted;
  Picoseconds delivered{-1};     ///< -1: not within the phase
  Picoseconds acknowledged{-1};  ///< -1: never, or not within the phase
};

/// How often a phase took place.
struct PhaseTally {
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
struct PhaseSent {
  std::int64_t messages = 0;
  Bytes bytes;
  Picoseconds last_progress;
};

/// Begins of a phase, by time; those of a rank at one time in the order in which they came.
struct PhaseBegins {
  std::span<const PhaseBegin> list;
  bool is_complete = false;  ///< all members of each call have begun it
};

/// Which part of a phase counts, in its own time.
struct PhaseWindow {
  std::optional<Picoseconds> from;   ///< statistics begin again there
  std::optional<Picoseconds> until;  ///< the phase is cut off there
};

/// What followed from some begins, if nothing else ever began.
struct Phase {
  std::vector<PhaseBegin> begins;
  std::vector<PhaseEnd> ends;  ///< by begin
  Picoseconds last;            ///< when the last thing happened
  bool is_whole = false;       ///< all members began their calls and ended them: nothing is left
  std::uint64_t simulated_hops = 0;  ///< that it took to find this
  protocols::SkipCounts skips;       ///< and what was left out of that, since it recurs
  // Of whole phases, and of those that were cut off; of the part that counts, but for messages
  // and what was sent.
  protocols::NetworkShare share;  ///< ports: PhasePlace
  Worker::Sums before;            ///< of what happened before the part that counts
  std::vector<PhaseMessage> messages;
  std::vector<PhaseSent> sent;  ///< by rank

  /// When a message was delivered or acknowledged last; -1: none was.
  [[nodiscard]] Picoseconds last_delivery() const;
  /// Some have not been.
  [[nodiscard]] bool has_pending() const;

  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(Phase) + begins.capacity() * sizeof(PhaseBegin) +
           ends.capacity() * sizeof(PhaseEnd) +
           share.queues.capacity() * sizeof(protocols::QueueShare) +
           messages.capacity() * sizeof(PhaseMessage) + sent.capacity() * sizeof(PhaseSent);
  }
};

inline Picoseconds Phase::last_delivery() const {
  Picoseconds latest(-1);
  for (const PhaseMessage& m : messages) latest = std::max({latest, m.delivered, m.acknowledged});
  return latest;
}

inline bool Phase::has_pending() const {
  return std::ranges::any_of(messages, [](const PhaseMessage& m) {
    const bool is_known = m.kind != Connection::Kind::kUnicast || m.acknowledged >= Picoseconds(0);
    return m.delivered < Picoseconds(0) || !is_known;
  });
}

/// Whether packets were delivered in some time.
enum class PhaseDeliveries : std::uint8_t {
  kNone,  ///< and nothing is under way
  kSome,
  kUnknown,  ///< or something is under way that stands still
};

/// Adds what is known of closed phases, by when the last of them delivered something and did
/// anything, to what is known of others.
[[nodiscard]] inline PhaseDeliveries deliveries_since(Picoseconds since, Picoseconds last_delivery,
                                                      Picoseconds last_event) {
  if (last_delivery >= since) return PhaseDeliveries::kSome;
  return last_event >= since ? PhaseDeliveries::kUnknown : PhaseDeliveries::kNone;
}

/// Of a phase that continues, of which this is the part until now.
[[nodiscard]] inline PhaseDeliveries deliveries_since(Picoseconds since, Picoseconds start,
                                                      const Phase& so_far) {
  const PhaseDeliveries known =
      deliveries_since(since, start + so_far.last_delivery(), start + so_far.last);
  return known == PhaseDeliveries::kNone && so_far.has_pending() ? PhaseDeliveries::kUnknown
                                                                 : known;
}

/// Who goes through phases: ranks of a job, in the order in which phases number them, and the ports
/// that these go by, by the number that a phase gives them.
struct PhasePlace {
  std::uint32_t job = 0;
  std::vector<std::uint32_t> ranks;
  std::vector<PortId> ports;
};

/// A phase as often as it took place somewhere.
struct TakenPhase {
  const PhasePlace* place = nullptr;
  const Phase* phase = nullptr;
  PhaseTally tally;
};

}  // namespace weft::scenarios
