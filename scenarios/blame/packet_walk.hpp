#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/lane_walk.hpp"

namespace weft::scenarios {

/// What a run tells of the packets of some messages (protocols::MessageWatch), and why these
/// messages took so long.
///
/// From the packet whose arrival completed a message back to its posting: the latency of its last
/// link is propagation, its own transmission serialisation. What the port did before that is
/// followed back to the packet's own arrival: another message's packet is queueing behind that
/// one's job; an earlier packet of the message itself is serialisation, and from there its arrival
/// counts; pauses and waits for credits are that. Then the hop before. At the host, a free port
/// that was allowed to send was held by congestion control or by a window. What was sent before and
/// is sent again waited for the sender to hear of the loss; the path continues with the first time.
class PacketWalk {
 public:
  /// What the walk is about, and what it finds, from its end to its begin.
  using Found = std::function<void(std::size_t message, const std::vector<Charge>& charges)>;
  /// The ports of switches at which packets of a message queued that congestion control held back.
  using HeldBack = std::function<void(std::size_t message, const std::vector<PortId>& queues)>;
  /// Who is to blame for a pause.
  using RootOf = std::function<Culprit(const protocols::PauseInterval& pause)>;

  /// The network that they are in.
  struct Surroundings {
    const Fabric& fabric;
    const collectives::Workload& workload;
    std::span<const protocols::Fault> faults;
    bool has_input_queues = false;
    bool has_link_retry = false;
  };

  /// `first_sequences`: of each message. By time of delivery. All must outlive it.
  PacketWalk(const Surroundings& around, std::span<const PathMessage> messages,
             std::span<const std::uint32_t> first_sequences, RootOf root_of, Found found);

  void on_held_back(HeldBack held_back) { held_back_ = std::move(held_back); }
  /// The time that a port of a switch sent data of a job while packets of the messages waited
  /// there.
  using SentByJob = std::map<std::uint32_t, Picoseconds>;
  [[nodiscard]] const SentByJob& sent_by_job(PortId port) const {
    return ports_[port.value()].sent_by_job;
  }

  /// The network that is run, once there is one.
  void set_network(const protocols::PacketNetwork& network) { network_ = &network; }
  /// Records of what happened (protocols::MessageTraceSink), all of it before `until`.
  void add(std::span<const protocols::TraceRecord> records, Picoseconds until);
  /// After the last record.
  void finish();

 private:
  struct Event {
    Picoseconds time;
    PortId port;  ///< the queue of an egress (or where inputs queue)
    PortId in;    ///< by which it came
  };
  struct Arrival {
    OptionalTime time;
    PortId port;
    std::uint32_t sequence = 0;
  };
  struct Busy {
    Picoseconds begin;
    Picoseconds end;
    std::uint32_t flow = 0;
    std::uint32_t sequence = 0;
    PortId port;
    bool is_data = false;
    ClassId traffic_class{};

    /// Whether it is this packet, at this port.
    [[nodiscard]] bool is_of(std::uint32_t of_flow, std::uint32_t of_sequence, PortId at) const {
      return is_data && flow == of_flow && sequence == of_sequence && port == at;
    }
  };
  struct Stall {
    Picoseconds begin;
    Picoseconds end;
    ClassId traffic_class{};
  };
  struct Hold {
    Picoseconds time;         ///< when the packet started
    Picoseconds paced_until;  ///< and might have, by its pace
    PortId port;
    protocols::HoldReason reason = protocols::HoldReason::kStaticWindow;
  };
  struct PacketLog {
    std::vector<Event> events;
    std::vector<std::pair<PortId, Busy>> sent;  ///< by its host, by the ends of transmissions
  };
  /// What is known of a message's packets, from its first one on.
  struct MessageRecord {
    std::vector<PacketLog> packets;
    std::vector<Hold> holds;
    Arrival last;  ///< at its host, not after it was delivered; of those at once the last in order
    /// As it was, with the memory that it has.
    void clear();
  };
  struct PortLog {
    std::vector<Busy> busy;  ///< of the link, which several ports may share: at its owner
    std::vector<Stall> stalls;
    std::vector<Stall> replays;  ///< of link-level retry, of all classes
    SentByJob sent_by_job;       ///< of switches
    bool is_of_host = false;
  };
  class Walk;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  /// Records that a cache holds. Where more must be kept, as many again come before the next time.
  static constexpr std::size_t kForgottenAtOnce = std::size_t{1} << 14U;

  /// What the link of a port carried.
  [[nodiscard]] const std::vector<Busy>& busy_at(PortId port) const {
    return ports_[owners_[port.value()].value()].busy;
  }
  void add(const protocols::TraceRecord& record);
  void add_busy(const protocols::TraceRecord& record);
  void add_arrival(const protocols::TraceRecord& record);
  [[nodiscard]] std::uint32_t job_of(std::uint32_t flow) const;
  /// Of the message that a packet is of; null: it is of none, or of one that is dealt with.
  [[nodiscard]] PacketLog* log_of(std::uint32_t flow, std::uint32_t sequence);
  /// The message that a packet is of; kNowhere: it is of none.
  [[nodiscard]] std::uint32_t message_of(std::uint32_t flow, std::uint32_t sequence);
  /// What is noted of a message that is not dealt with.
  [[nodiscard]] MessageRecord& record_of(std::size_t message);
  void resolve(std::size_t message);
  /// Forgets what ended before all messages that are left were posted.
  void forget();

  const Surroundings around_;
  std::span<const PathMessage> messages_;
  std::span<const std::uint32_t> first_sequences_;
  RootOf root_of_;
  Found found_;
  HeldBack held_back_;
  const protocols::PacketNetwork* network_ = nullptr;
  std::vector<Picoseconds> oldest_left_;  ///< by message: the least posting from it on
  std::size_t next_ = 0;                  ///< message to be resolved
  std::size_t records_ = 0;               ///< since something was forgotten
  std::size_t forgets_after_ = kForgottenAtOnce;
  std::vector<PortLog> ports_;
  std::vector<PortId> owners_;        ///< by PortId: Fabric::link_owners
  std::vector<std::uint32_t> place_;  ///< by message: in `known_`; kNowhere: nothing is known
  std::vector<MessageRecord> known_;
  std::vector<std::uint32_t> free_;  ///< places in `known_`
  MessageRecord nothing_;
  /// Messages by queue pair and last sequence number: the number, and which it is.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_flow_;
  std::vector<std::uint32_t> first_of_flow_;  ///< by queue pair: where it begins; and the end
  std::vector<std::uint32_t> last_of_flow_;   ///< by queue pair: which was asked for last
};

}  // namespace weft::scenarios
