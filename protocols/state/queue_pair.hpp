#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "protocols/config/scale_up_config.hpp"
#include "protocols/packet/flow_bits.hpp"
#include "protocols/packet/no_index.hpp"
#include "protocols/state/fields.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/ids.hpp"

namespace weft::protocols {

/// Where packets of a queue pair go, and what their path follows from.
struct RoutingKey {
  HostId destination;
  std::uint32_t entropy = 0;
};

struct SenderState;

/// What the sending end of every queue pair has: which packet is next, and where it waits. Of one
/// whose data scale-up switches reduce it is all: the members of a sum have destination, entropy
/// and the turns of their links in common (Reduction), and nobody acknowledges them. Sequence
/// numbers count packets; they run from 0 over all messages of the queue pair.
struct alignas(64) SendingEnd {
  enum class Schedule : std::uint8_t { kIdle, kReady, kPaced, kFailed };

  std::uint32_t next = 0;            ///< next packet to send
  std::uint32_t posted = 0;          ///< end of the last message
  QueuePairId next_ready;            ///< in the NIC's list of ready queue pairs
  std::uint32_t message = kNoIndex;  ///< the message that `next` belongs to
  Picoseconds next_send;             ///< pacing: not before this
  std::uint32_t message_last = 0;    ///< the last sequence of `message`
  std::uint16_t last_size = 0;       ///< of its last packet; others have the transport's
  std::uint16_t local_port = 0;      ///< of the host's ports, where it waits to send
  Schedule schedule = Schedule::kIdle;
  ClassId traffic_class{};
  // What the next packet says of itself (PacketFlag).
  bool first_of_message : 1 = true;  ///< never of a stream
  bool window_reduced : 1 = false;   ///< of TCP alone
  bool asks_ack : 1 = false;         ///< of Ultra Ethernet alone
  bool repeats : 1 = false;          ///< of Ultra Ethernet alone: it was sent before
  PortSpreading spreading : 4 = PortSpreading::kFlow;
  std::uint8_t transport = 0;
  /// What Packet::flow has besides the number (kFlowMarks): the size class of `message`, and where
  /// scale-up switches work on the data, of what kind it is. Below that the number of the reduction
  /// or multicast.
  std::uint32_t marks = 0;
  ConnectionId connection;
  std::uint32_t newest_message = kNoIndex;
  HostId host;
  std::uint32_t first_port = 0;                     ///< of the host
  const std::uint16_t* first_local_port = nullptr;  ///< of those that lead to the destination

  template <class F>
  auto fields(F f, QueuePairId qp) {
    return f.implied("other numbers are told by their distance from it")
        .sequence(next, qp)
        .of_message(posted)
        .implied(implied_by::kPackets)
        .same(next_ready)
        .implied(implied_by::kMessages)
        .same(message)
        .implied(implied_by::kPackets)
        .future_time_or_past(next_send)
        .of_message(message_last)
        .of_message(last_size)
        .implied(implied_by::kPackets)
        .same(local_port)
        .implied(implied_by::kPackets)
        .same(schedule)
        .constant(traffic_class)
        .implied(implied_by::kMessages)
        .same(bool{first_of_message})
        .implied(implied_by::kNoLoss)
        .same(bool{window_reduced})
        .derived(bool{asks_ack}, "Ultra Ethernet does not recur")
        .derived(bool{repeats}, "Ultra Ethernet does not recur")
        .constant(PortSpreading{spreading})
        .constant(transport)
        .implied(implied_by::kMessages)
        .same(marks)
        .constant(connection)
        .implied(implied_by::kMessages)
        .same(newest_message)
        .constant(host)
        .constant(first_port)
        .constant(first_local_port);
  }
  /// The port where it waits to send.
  [[nodiscard]] std::uint32_t port() const { return first_port + local_port; }
  [[nodiscard]] bool is_in_network() const { return (marks & kInNetworkFlow) != 0; }
  [[nodiscard]] bool is_added_up() const { return (marks & kReduceFlow) != 0; }
  [[nodiscard]] bool is_repeated() const { return (marks & kMulticastFlow) != 0; }
  /// Of the reduction or multicast.
  [[nodiscard]] std::uint32_t in_network_index() const { return marks & ~kFlowMarks; }
  /// All there is of it, unless it is added up.
  [[nodiscard]] SenderState& whole();
  [[nodiscard]] const SenderState& whole() const;
};
static_assert(sizeof(SendingEnd) == 64, "one cache line");

/// The sending end of a queue pair whose packets go to a receiver of their own: also what is under
/// way, and by which paths.
struct alignas(64) SenderState : SendingEnd {
  std::uint32_t unacked = 0;   ///< oldest packet not known to have arrived
  std::uint32_t sent_end = 0;  ///< end of what was ever sent
  std::uint32_t received = 0;  ///< distinct packets at the receiver, as far as known
  std::uint32_t window =
      kNoIndex;  ///< packets that may be in flight: the transport's, the control's
  HostId destination;
  std::uint32_t entropy = 0;
  Picoseconds deadline;            ///< retransmission time-out
  std::uint32_t control_slot = 0;  ///< of the state of its congestion control
  std::uint32_t retries = 0;       ///< time-outs in a row
  std::uint32_t oldest_message = kNoIndex;
  std::uint32_t repair = kNoIndex;  ///< what selective repeat knows: in NetworkState::repairs
  std::uint16_t port_count = 0;     ///< how many of the host's ports lead to the destination
  std::uint16_t first_turn = 0;     ///< by which of them the first packet goes after a restart
  std::uint16_t turn = 0;           ///< in turn: packet number 0 goes by this one of the ports; of
                                    ///< planes: the next place of the rotation
  bool timer_is_set = false;        ///< an calendar entry exists
  ProcessId process;                ///< that hears of acknowledgements

  template <class F>
  auto fields(F f, QueuePairId qp) {
    const bool is_round_robin =
        port_count > 1 && PortSpreading{spreading} == PortSpreading::kRoundRobin;
    return f.derived(static_cast<SendingEnd&>(*this), "its fields are declared by themselves")
        .progress(unacked)
        .implied(implied_by::kNoLoss)
        .sequence(sent_end, qp)
        .progress(received)
        .implied(implied_by::kNoLoss)
        .same(window)
        .constant(destination)
        .constant(entropy)
        .progress(deadline)
        .constant(control_slot)
        .implied(implied_by::kNoLoss)
        .same(retries)
        .implied(implied_by::kMessages)
        .same(oldest_message)
        .constant(repair)
        .constant(port_count)
        .constant(first_turn)
        .implied("the port where the next packet waits says it")
        .same_by(turn, is_round_robin ? (next + turn) % port_count : 0)
        .implied(implied_by::kNoLoss)
        .same(timer_is_set)
        .constant(process);
  }
  /// Of the host, that lead to the destination.
  [[nodiscard]] std::span<const std::uint16_t> local_ports() const {
    return {first_local_port, port_count};
  }
  void set_local_ports(std::span<const std::uint16_t> ports) {
    first_local_port = ports.data();
    port_count = static_cast<std::uint16_t>(ports.size());
    take_turns_from(0);
  }
  /// Has packet `sequence` go by the first port.
  void take_turns_from(std::uint32_t sequence) {
    const std::uint32_t n = port_count;
    if (PortSpreading{spreading} == PortSpreading::kPlanes) turn = first_turn;
    if (n < 2 || PortSpreading{spreading} == PortSpreading::kPlanes) return;
    turn = static_cast<std::uint16_t>((first_turn % n + n - sequence % n) % n);
  }
  [[nodiscard]] bool has_outstanding() const { return unacked != sent_end; }
};
static_assert(sizeof(SenderState) == 128, "two cache lines");

inline SenderState& SendingEnd::whole() {
  assert(!is_added_up());
  return static_cast<SenderState&>(*this);
}
inline const SenderState& SendingEnd::whole() const {
  assert(!is_added_up());
  return static_cast<const SenderState&>(*this);
}

/// The sending ends of all queue pairs. The last ones are those whose data scale-up switches
/// reduce.
class SendingEnds {
 public:
  SendingEnds() = default;
  /// `added_up` of them, the last ones, are added up.
  SendingEnds(std::size_t count, std::size_t added_up)
      : whole_(count - added_up),
        added_up_(added_up),
        first_added_up_(static_cast<std::uint32_t>(count - added_up)) {}

  [[nodiscard]] std::size_t size() const { return whole_.size() + added_up_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] QueuePairId first_added_up() const { return first_added_up_; }

  [[nodiscard]] SendingEnd& operator[](QueuePairId qp) {
    if (qp < first_added_up_) [[likely]]
      return whole_[qp];
    return added_up_[qp.value() - first_added_up_.value()];
  }
  [[nodiscard]] const SendingEnd& operator[](QueuePairId qp) const {
    if (qp < first_added_up_) [[likely]]
      return whole_[qp];
    return added_up_[qp.value() - first_added_up_.value()];
  }
  /// All of one that is not added up.
  [[nodiscard]] SenderState& whole(QueuePairId qp) { return whole_[qp]; }
  [[nodiscard]] const SenderState& whole(QueuePairId qp) const { return whole_[qp]; }
  [[nodiscard]] std::span<const SenderState> all_whole() const {
    return {whole_.data(), whole_.size()};
  }
  [[nodiscard]] std::span<const SendingEnd> all_added_up() const { return added_up_; }

  /// Whose sending end that is.
  [[nodiscard]] QueuePairId queue_pair_of(const SenderState& sender) const {
    return QueuePairId(static_cast<std::uint32_t>(&sender - whole_.data()));
  }
  /// The index of those that are added up.
  [[nodiscard]] std::size_t number_of(const SendingEnd& added_up) const {
    return static_cast<std::size_t>(&added_up - added_up_.data());
  }

  [[nodiscard]] std::size_t memory_bytes() const {
    return whole_.capacity() * sizeof(SenderState) + added_up_.capacity() * sizeof(SendingEnd);
  }
  /// Calls `use` with either list.
  template <class Use>
  void for_each_list(Use use) {
    use(whole_);
    use(added_up_);
  }

 private:
  IdVector<QueuePairId, SenderState> whole_;
  std::vector<SendingEnd> added_up_;
  QueuePairId first_added_up_{0U};
};

/// The ECMP keys of a message on a fresh queue pair (QueuePairLife::kMessage) whose first packet
/// has this number: of its packets, and of what answers them.
[[nodiscard]] constexpr std::uint32_t message_entropy(HostId from, HostId to,
                                                      QueuePairId queue_pair,
                                                      std::uint32_t first_sequence) {
  return flow_entropy(from, to, queue_pair_number(queue_pair.value(), first_sequence));
}
[[nodiscard]] constexpr std::uint32_t message_response_entropy(HostId from, HostId to,
                                                               QueuePairId queue_pair,
                                                               std::uint32_t first_sequence) {
  return response_entropy(from, to, queue_pair_number(queue_pair.value(), first_sequence),
                          QueuePairUse::kOneWay);
}

/// Packets that arrived ahead of a gap: two bit rings indexed by sequence. Rings of 64 are kept in
/// place, larger ones are allocated as needed.
class ReorderBuffer {
 public:
  ReorderBuffer() = default;
  ReorderBuffer(const ReorderBuffer&) = delete;
  ReorderBuffer& operator=(const ReorderBuffer&) = delete;
  ReorderBuffer(ReorderBuffer&& other) noexcept : here_(std::exchange(other.here_, {})) {}
  ReorderBuffer& operator=(ReorderBuffer&&) = delete;
  ~ReorderBuffer() {
    if (has_rings()) delete[] rings();
  }

  /// Returns false if the packet was here already. `expected` <= `sequence`.
  bool insert(std::uint32_t expected, std::uint32_t sequence, bool is_last) {
    if (has_rings() ? sequence - expected / 64 * 64 >= rings()->ends * 64
                    : sequence - expected >= 64) {
      grow(expected, sequence);
    }
    Pair& pair = pair_of(sequence);
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    if ((pair.held & bit) != 0) return false;
    if (has_rings()) ++rings()->held;
    pair.held |= bit;
    if (is_last) pair.ends |= bit;
    return true;
  }
  /// `sequence` is the next packet that is expected.
  [[nodiscard]] bool holds(std::uint32_t sequence) const {
    return ((pair_of(sequence).held >> (sequence % 64)) & 1U) != 0;
  }
  /// The same of any later one.
  [[nodiscard]] bool has(std::uint32_t expected, std::uint32_t sequence) const {
    const std::uint64_t room = has_rings() ? rings()->ends * 64 - expected % 64 : 64;
    return sequence - expected < room && holds(sequence);
  }
  /// A bit for each of the 64 packets from `base` on that is held.
  [[nodiscard]] std::uint64_t held_from(std::uint32_t expected, std::uint32_t base) const {
    const auto room =
        static_cast<std::int64_t>(has_rings() ? rings()->ends * 64 - expected % 64 : 64);
    const std::int64_t first = static_cast<std::int32_t>(expected - base);
    const std::int64_t end = first + room;
    if (first >= 64 || end <= 0) return 0;
    std::uint64_t bits = pair_of(base).held >> (base % 64);
    if (base % 64 != 0) bits |= pair_of(base / 64 * 64 + 64).held << (64 - base % 64);
    if (first > 0) bits &= ~std::uint64_t{0} << first;
    if (end < 64) bits &= ~(~std::uint64_t{0} << end);
    return bits;
  }
  /// Removes `sequence`, which is held; returns whether it ends a message.
  bool remove(std::uint32_t sequence) {
    if (has_rings()) --rings()->held;
    Pair& pair = pair_of(sequence);
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    const bool is_last = (pair.ends & bit) != 0;
    pair.held &= ~bit;
    pair.ends &= ~bit;
    return is_last;
  }
  /// The packets around `sequence`, which is held, that are held, too: the first one, and how many.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> run_around(std::uint32_t sequence) const {
    // What is expected is not held, nor is anything before it: a run ends there both ways.
    if (!has_rings()) {
      const std::uint64_t turned = std::rotr(here_.held, static_cast<int>((sequence + 1) % 64));
      const auto until = static_cast<std::uint32_t>(std::countl_one(turned));
      const auto beyond = static_cast<std::uint32_t>(std::countr_one(turned));
      return {sequence + 1 - until, until + beyond};
    }
    std::uint32_t first = sequence + 1;
    for (std::uint32_t bits = 0, run = 0; run == bits; first -= run) {
      bits = (first - 1) % 64 + 1;
      run = static_cast<std::uint32_t>(std::countl_one(pair_of(first - 1).held << (64 - bits)));
    }
    std::uint32_t end = sequence + 1;
    for (std::uint32_t bits = 0, run = 0; run == bits; end += run) {
      bits = 64 - end % 64;
      run = static_cast<std::uint32_t>(std::countr_one(pair_of(end).held >> (64 - bits)));
    }
    return {first, end - first};
  }
  /// The packet that is `expected` has come: goes past it and past those behind it that are held.
  /// Calls `deliver(last)` for each message that this completes, with its last packet; returns how
  /// many.
  template <class Deliver>
  std::uint32_t close_gap(std::uint32_t& expected, bool is_last, Deliver deliver) {
    std::uint32_t messages = 0;
    for (bool ends_message = is_last;; ends_message = remove(expected)) {
      ++expected;
      if (ends_message) {
        deliver(expected - 1);
        ++messages;
      }
      if (!holds(expected)) return messages;
    }
  }
  [[nodiscard]] bool empty() const {
    return (here_.held | here_.ends) == 0 || (has_rings() && rings()->held == 0);
  }
  [[nodiscard]] std::uint32_t held() const {
    return static_cast<std::uint32_t>(
        has_rings() ? rings()->held : static_cast<std::uint64_t>(std::popcount(here_.held)));
  }
  /// Calls `visit(ahead)` with how far ahead of `expected` each packet is that is held.
  template <class Visit>
  void for_each(std::uint32_t expected, Visit visit) const {
    std::uint32_t left = held();
    for (std::uint32_t ahead = 1; left > 0; ++ahead) {
      if (!holds(expected + ahead)) continue;
      visit(ahead);
      --left;
    }
  }
  /// Adds `by` to the number that was `expected` and to the numbers of all held packets.
  void renumber(std::uint32_t expected, std::uint32_t by) {
    struct Held {
      std::uint32_t ahead;
      bool is_last;
    };
    std::vector<Held> all;
    all.reserve(held());
    for_each(expected, [&](std::uint32_t ahead) {
      all.push_back({ahead, remove(expected + ahead)});
    });
    for (const Held& one : all) insert(expected + by, expected + by + one.ahead, one.is_last);
  }

 private:
  /// Of 64 sequences, by their last bits.
  struct Pair {
    std::uint64_t held = 0;
    std::uint64_t ends = 0;  ///< of what is held, what ends a message
  };
  /// What is no pair, for nothing ends a message that is not held, says that `held` is the address
  /// of larger rings, whose last bit is clear. Their first pair says how many packets they hold,
  /// and how many pairs follow, a power of two.
  static constexpr std::uint64_t kHasRings = 1;

  [[nodiscard]] bool has_rings() const { return (here_.ends & ~here_.held) != 0; }
  [[nodiscard]] Pair* rings() const { return std::bit_cast<Pair*>(here_.held); }
  [[nodiscard]] static Pair& pair_in(Pair* rings, std::uint32_t sequence) {
    return rings[1 + ((sequence / 64) & (rings->ends - 1))];
  }
  [[nodiscard]] Pair& pair_of(std::uint32_t sequence) {
    return has_rings() ? pair_in(rings(), sequence) : here_;
  }
  [[nodiscard]] const Pair& pair_of(std::uint32_t sequence) const {
    return has_rings() ? pair_in(rings(), sequence) : here_;
  }
  /// Makes room for everything from the word of `expected` to `sequence`.
  [[gnu::noinline]] void grow(std::uint32_t expected, std::uint32_t sequence) {
    const std::uint32_t first = expected / 64;
    const std::unique_ptr<Pair[]> old(has_rings() ? rings() : nullptr);
    std::uint64_t pairs = old == nullptr ? 2 : 2 * old[0].ends;
    while (pairs <= sequence / 64 - first) pairs *= 2;
    auto* const larger = new Pair[1 + pairs];
    larger[0] = {.held = held(), .ends = pairs};
    if (old == nullptr) {
      // What was kept in place, of sequences from `expected` on: those below its place in a word
      // are of the next word.
      const std::uint64_t later = (std::uint64_t{1} << (expected % 64)) - 1;
      pair_in(larger, expected) = {.held = here_.held & ~later, .ends = here_.ends & ~later};
      pair_in(larger, expected + 64) = {.held = here_.held & later, .ends = here_.ends & later};
    } else {
      for (std::uint32_t k = 0; k < old[0].ends; ++k) {
        pair_in(larger, (first + k) * 64) = pair_in(old.get(), (first + k) * 64);
      }
    }
    here_ = {.held = std::bit_cast<std::uint64_t>(larger), .ends = kHasRings};
  }

  Pair here_;
};
static_assert(sizeof(ReorderBuffer) == 16);

/// The receiving end of a queue pair.
struct alignas(64) ReceiverState {
  std::uint32_t expected = 0;  ///< every packet before it has arrived
  std::uint32_t received = 0;  ///< distinct packets
  std::uint32_t since_ack = 0;
  HostId host;  ///< of the sender: where ACKs go
  std::uint32_t ack_entropy = 0;
  ClassId traffic_class{};  ///< of the data
  std::uint8_t transport = 0;
  bool nack_sent : 1 = false;
  bool echo_pending : 1 = false;    ///< a marked packet awaits its ACK
  bool message_broken : 1 = false;  ///< datagrams: a packet of this message is missing
  bool path_is_marked : 1 = false;  ///< the packet that came last was marked, if ACKs say so
  std::uint8_t latency_group = 0;   ///< number of the histogram that its packets go into
  std::uint32_t sent = 0;           ///< when the packet was sent that came last, if ACKs echo it
  std::uint32_t control_slot = 0;   ///< of the state of its congestion control
  ConnectionId connection;
  ProcessId process;  ///< that the messages are for
  ReorderBuffer early;

  template <class F>
  auto fields(F f, QueuePairId qp) {
    // What came early is told by its distance from what is expected, and so is visited first.
    return f.implied(implied_by::kPackets)
        .visited(early,
                 [&](auto& v) {
                   if constexpr (requires { v.early(early, expected, qp); }) {
                     v.early(early, expected, qp);
                   }
                 })
        .implied(implied_by::kPackets)
        .sequence(expected, qp)
        .implied(implied_by::kPackets)
        .sequence(received, qp)
        .progress(since_ack)
        .constant(host)
        .derived(ack_entropy, "where senders or queue pairs choose paths, nothing recurs")
        .constant(traffic_class)
        .constant(transport)
        .implied(implied_by::kNoLoss)
        .same(bool{nack_sent})
        .implied(implied_by::kNoLoss)
        .same(bool{echo_pending})
        .implied(implied_by::kNoLoss)
        .same(bool{message_broken})
        .derived(bool{path_is_marked}, "nothing that recurs is marked")
        .constant(latency_group)
        .derived(sent, "controls that want to know it do not recur")
        .constant(control_slot)
        .constant(connection)
        .constant(process);
  }
};
static_assert(sizeof(ReceiverState) == 64, "one cache line");

/// Where copies of a multicast come to a member of its group: packets in any order, which nobody
/// acknowledges.
struct CopyReceiver {
  std::uint32_t expected = 0;   ///< every packet before it has arrived
  std::uint32_t multicast = 0;  ///< its number
  ReorderBuffer early;
};
static_assert(sizeof(CopyReceiver) == 24, "there are millions of them");

}  // namespace weft::protocols
