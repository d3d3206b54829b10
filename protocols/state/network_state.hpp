#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "protocols/config/link_retry.hpp"
#include "protocols/config/scale_up_config.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/congestion/control_states.hpp"
#include "protocols/congestion/grant_states.hpp"
#include "protocols/observation/message_watch.hpp"
#include "protocols/observation/port_incident.hpp"
#include "protocols/packet/ack.hpp"
#include "protocols/packet/credit_returns.hpp"
#include "protocols/packet/ids.hpp"
#include "protocols/packet/no_index.hpp"
#include "protocols/packet/packet_kind.hpp"
#include "protocols/packet/retry_state.hpp"
#include "protocols/path_selection/states.hpp"
#include "protocols/planes/plane_states.hpp"
#include "protocols/state/ack_records.hpp"
#include "protocols/state/fault.hpp"
#include "protocols/state/fields.hpp"
#include "protocols/state/frame_losses.hpp"
#include "protocols/state/in_network.hpp"
#include "protocols/state/message_state.hpp"
#include "protocols/state/old_packets.hpp"
#include "protocols/state/packet_path.hpp"
#include "protocols/state/port_state.hpp"
#include "protocols/state/queue_pair.hpp"
#include "protocols/state/repair.hpp"
#include "protocols/state/tcp_state.hpp"
#include "protocols/state/telemetry.hpp"
#include "protocols/state/uec_state.hpp"
#include "simcore/base/growing_log.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/random.hpp"
#include "simcore/engine/logical_process.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "simcore/messages/message_network.hpp"
#include "simcore/messages/split_message.hpp"

namespace weft::protocols {

/// EventCalendar events of the packet network. The numbers order events of equal time and rank.
enum class EventType : std::uint32_t {
  kPause = 0,         ///< control: a pause frame takes effect on one class
  kControlEvent = 1,  ///< control: job control between processes
  kPauseExpiry = 2,   ///< timer: a pause runs out of quanta; or the watchdog looks at one
  kPauseRefresh = 3,  ///< timer: a pause is about to run out and is still needed
  kRetransmit = 4,    ///< timer: a queue pair made no progress; or probes the paths of its values
  kWake = 5,          ///< timer: a process asked for it
  kCredit = 6,        ///< control: granted blocks can be used
  kArbitrate = 7,     ///< control: a switch with queues at its inputs matches them to outputs
  kReceive = 8,       ///< timer: a NIC has taken in a packet
  kFault = 9,         ///< timer: a fault begins or ends
  kRoutes = 10,       ///< timer: a switch, or a host with several ports, has new routes
  kDelayedAck = 11,   ///< timer: an ACK has been held back for long enough
  kLinkRetry = 12,    ///< control: what the ends of a link with retry tell; timer: of a sender
  kGrant = 13,        ///< timer: a port grants credit to whose turn it is
  kCreditWait = 14,   ///< timer: a queue pair has waited long for credit of its receiver
  kJobTimer = 15,     ///< timer: a process asked for it, after all else of that time
};

/// Matching of inputs to outputs where packets queue at inputs. Bit i stands for port i.
struct Crossbar {
  std::vector<std::uint64_t> requests;   ///< [port * classes + class]: inputs whose head goes there
  std::vector<std::uint8_t> last_input;  ///< [port]: round robin
  std::uint64_t busy_inputs = 0;
  std::uint64_t changed_outputs = 0;  ///< to be checked by the next arbitration
  std::uint64_t draws = 0;            ///< random numbers used
  std::uint32_t rounds = 0;
  bool is_scheduled = false;
};

struct SwitchState {
  Bytes buffer_used;  ///< in whole cells; credit classes have buffers of their own
  Bytes buffer_peak;
  Bytes shared_used;  ///< of the shared part, where thresholds are dynamic
  Bytes shared_size;  ///< of the capacity: what is neither reserved nor headroom
  Bytes capacity;     ///< the buffer without what its credit classes have
  Bytes pool_used;    ///< of the headroom pool
  Bytes pool_peak;
  Bytes pool_size;              ///< 0: every ingress account has its headroom to itself
  std::int64_t pool_drops = 0;  ///< packets that found the pool empty
  Bytes cell{1};                ///< packets occupy whole cells
  std::uint64_t hash_seed = 0;
  const Routes* routes = nullptr;  ///< by which it forwards at present
  std::uint32_t first_port = 0;    ///< global number of its port 0
  std::uint32_t port_count = 0;
  bool is_scale_up = false;  ///< of a scale-up domain

  template <class F>
  auto fields(F f) {
    return f.implied(implied_by::kPackets)
        .account(buffer_used)
        .peak(buffer_peak, buffer_used)
        .implied(implied_by::kPackets)
        .account(shared_used)
        .constant(shared_size)
        .constant(capacity)
        .implied(implied_by::kPackets)
        .account(pool_used)
        .peak(pool_peak, pool_used)
        .constant(pool_size)
        .counter(pool_drops)
        .constant(cell)
        .constant(hash_seed)
        .derived(routes, "where faults change routes, nothing recurs")
        .constant(first_port)
        .constant(port_count)
        .constant(is_scale_up);
  }
  /// What a packet occupies of the buffer.
  [[nodiscard]] Bytes cells(Bytes size) const {
    return cell == Bytes(1) ? size : (size + cell - Bytes(1)) / cell * cell;
  }
};

/// A link that several ports share.
struct SharedLink {
  std::uint32_t sender = kNoIndex;     ///< the port whose packet is on it
  std::vector<std::uint32_t> waiting;  ///< ports that wait for their turn, in order
};

/// An entry of a switch's flowlet table.
struct Flowlet {
  Picoseconds last = Picoseconds(0) - Picoseconds::max() / 2;  ///< a packet's arrival
  std::uint64_t number = 0;                                    ///< decides the path
};

/// Queue pairs of one class that may send now, served round robin.
struct ReadyList {
  QueuePairId head;
  QueuePairId tail;

  template <class F>
  auto fields(F f) {
    return f.implied(implied_by::kPackets).same(head).implied(implied_by::kPackets).same(tail);
  }
};

/// What a host does at one of its ports: which queue pairs wait there, and what it takes in.
struct NicState {
  struct Paced {
    Picoseconds time;
    QueuePairId queue_pair;
    friend bool operator>(const Paced& a, const Paced& b) {
      return a.time != b.time ? a.time > b.time : a.queue_pair > b.queue_pair;
    }
    template <class F>
    auto fields(F f) {
      return f.implied(implied_by::kPackets)
          .time(time)
          .implied(implied_by::kPackets)
          .same(queue_pair);
    }
  };
  QueuePairId recent_sender{0U};         ///< that sent last
  ReceiverId recent_receiver{0U};        ///< that received last
  const void* recent_control = nullptr;  ///< state of the control of the one that sent last
  std::vector<Paced> paced;              ///< heap, earliest first
  PacketQueue inbox;  ///< received and not yet taken in, at a finite receive rate
  /// Changes of rates have moved packets that wait: an entry of `paced` may come too early, which
  /// is checked when it is due, or be one of a queue pair that has sent since (NicScheduler).
  bool has_moved = false;

  template <class F>
  auto fields(F f) {
    constexpr auto kHint = "it says whose memory to fetch";
    return f.derived(recent_sender, kHint)
        .derived(recent_receiver, kHint)
        .derived(recent_control, kHint)
        .implied(implied_by::kPackets)
        .visited(paced,
                 [this](auto& v) {
                   if constexpr (requires { v.list(paced); }) v.list(paced);
                   if constexpr (requires { v.same(std::uint64_t{}); }) {
                     v.same(paced.size());
                     for (Paced& one : paced) visit_fields(one, v);
                   }
                 })
        .derived(inbox, "where NICs take packets in slowly, nothing recurs")
        .derived(has_moved, "where controls change rates, nothing recurs");
  }
  void wait_until(Picoseconds time, QueuePairId queue_pair) {
    has_moved = true;
    paced.push_back({time, queue_pair});
    std::push_heap(paced.begin(), paced.end(), std::greater<>{});
  }
};

/// What a host knows of messages. What is noted here is taken from time to time.
struct HostState {
  MessageRecords messages;                ///< that it sent, or is sending
  std::vector<DeliveryRecord> delivered;  ///< noted: they came to it
};

/// A connection as the sender's runtime sees it.
struct ConnectionState {
  QueuePairId first_queue_pair;
  std::uint16_t next = 0;  ///< which queue pair takes the next message
  std::uint16_t queue_pairs = 1;

  /// The one of this number among those of the connection.
  [[nodiscard]] QueuePairId queue_pair(std::uint32_t number) const {
    return QueuePairId(first_queue_pair.value() + number);
  }
  [[nodiscard]] std::uint32_t number_of(QueuePairId queue_pair) const {
    return queue_pair.value() - first_queue_pair.value();
  }
};

struct ProcessState {
  HostId host;
  std::uint32_t lp = 0;        ///< in which its host is simulated
  std::uint32_t sequence = 0;  ///< numbers its timers and control events
};

/// What a fault has added to the latency of a link: to the one that leaves a port, and to the one
/// that ends there. The last arrivals keep later ones in order when it is taken away.
struct AddedLatency {
  Picoseconds leaving;
  Picoseconds ending;
  Picoseconds last_data;
  Picoseconds last_control;
};

/// Run constants of one class, in engine units.
struct alignas(128) ClassConstants {
  static constexpr Bytes kNeverMarked = Bytes::max();

  explicit ClassConstants(const TrafficClass& config);
  ClassConstants() = default;

  /// That a packet takes of a credit class.
  [[nodiscard]] std::int32_t blocks(Bytes packet) const {
    return static_cast<std::int32_t>((packet + padding) / block);
  }

  bool is_pfc = false;
  bool is_credit = false;
  NetworkKind network = NetworkKind::kScaleOut;
  std::uint8_t place = 0;  ///< among NetworkConstants::classes_of(network)
  /// Anything but one static threshold and a buffer that all share: reserved parts, headroom,
  /// dynamic thresholds.
  bool has_partitions = false;
  bool is_dynamic = false;
  bool limits_headroom = false;
  bool limits_egress = false;
  bool is_mixed = false;  ///< PFC at some ports, and not at others
  bool step = false;
  LoadBalancing::Type balancing = LoadBalancing::kFlow;
  Bytes xoff;
  Bytes xon;
  std::uint64_t alpha = 0;  ///< in units of 2^-16
  Bytes xon_offset;
  Bytes reserved;
  Bytes headroom_reserved;         ///< beside a headroom pool
  std::uint64_t egress_alpha = 0;  ///< in units of 2^-16
  Bytes egress_reserved;
  /// Of that, what lossy packets may use: none in a mixed class, whose queues hold both.
  Bytes lossy_reserved;
  /// This many bytes may wait without a packet being marked as it arrives or as it departs:
  /// none needs to be checked more closely. -1 where thresholds scale, kNeverMarked where there
  /// are no marks.
  Bytes unmarked_on_arrival = kNeverMarked;
  Bytes unmarked_on_departure = kNeverMarked;
  Bytes kmin;
  Bytes kmax;
  std::uint64_t pmax = 0;  ///< in units of 2^-32
  BitsPerSecond ecn_rate;  ///< 0: thresholds do not scale
  Picoseconds flowlet_gap;
  std::int32_t quantum = 0;        ///< of deficit round robin, bytes
  std::int32_t credit_blocks = 0;  ///< that a receiving port has
  Bytes block{1};
  Bytes
      padding;   ///< (a packet's wire bytes + this) / block: the blocks that it takes, rounded down
  Bytes update;  ///< wire bytes of a credit update; 0: it takes no wire time
  // Trimming.
  bool trims = false;
  TrimmingConfig::Victim victim = TrimmingConfig::Victim::kCoinToss;
  ClassId trimmed_class{};  ///< of what is cut
  std::uint16_t trimmed_size = 0;
  bool marks_last_hop = true;
  bool tells_last_hop = true;
  Bytes egress_limit;  ///< bytes at an egress, those in transmission included; 0: no limit
  // WRED that drops.
  bool has_wred = false;
  bool spares_data = false;  ///< data are marked instead
  std::uint8_t wred_weight = 0;
  Bytes wred_min;
  Bytes wred_max;
  std::uint64_t wred_probability = 0;  ///< in units of 2^-32
};

/// Run constants of credit-based flow control (CBFC) of a class.
struct CbfcConstants {
  Bytes update_gap;  ///< wire bytes from the first block that is free until it is told
  Bytes update_period;
  Picoseconds repair;
};

/// Run constants of the PFC watchdog.
struct WatchdogConstants {
  WatchdogConstants() = default;
  explicit WatchdogConstants(const PfcWatchdogConfig& config)
      : is_on(config.enabled),
        forwards(config.action == PfcWatchdogConfig::Action::kForward),
        poll(config.poll),
        detection(config.detection),
        restoration(config.restoration) {}

  bool is_on = false;
  bool forwards = false;
  Picoseconds poll;
  Picoseconds detection;
  Picoseconds restoration;
};

/// Run constants of ports that have settings of their own.
struct SettingsConstants {
  IdArray<ClassId, ClassConstants, kMaxClasses> of_class;
  WatchdogConstants watchdog;
};

/// Run constants of a transport, in engine units.
struct TransportConstants {
  TransportConstants() = default;
  /// `model`: number of the transport among `Transports`.
  TransportConstants(const TransportTraits& traits, std::size_t model,
                     const SwitchConfig& switches);

  std::uint8_t sender_model = 0;    ///< whose code runs the sending end
  std::uint8_t receiver_model = 0;  ///< whose the receiving one
  bool reliable = false;
  bool any_order = false;
  bool is_stream = false;  ///< no packet is said to be a message's first
  bool sacks = false;
  bool acks_last = true;
  bool is_selective = false;     ///< sends again what is missing, and nothing else
  bool uses_trimming = false;    ///< a trimmed packet tells its receiver what is missing
  bool is_per_message = false;   ///< every message begins on a fresh queue pair
  bool splits_messages = false;  ///< each takes all queue pairs of its connection
  std::uint8_t ttl = 0;
  ClassId ack_class = ClassId::none();  ///< none(): that of the data
  ClassId cnp_class = ClassId::none();
  std::uint16_t ack_size = 0;
  std::uint32_t ack_every = 1;
  std::uint32_t min_window = 1;  ///< for which the receiver would else wait forever
  Picoseconds ack_delay;         ///< the longest that an ACK is held back; 0: no limit
  std::uint32_t window = congestion::kNoWindow;
  std::uint32_t queue_pairs = 1;
  std::uint32_t retry_limit = 0;
  Picoseconds retransmit_timeout;
  Picoseconds max_timeout;    ///< it follows round trips up to this; 0: it is fixed
  Picoseconds nack_interval;  ///< 0: a gap is reported once
  SelectiveRepeat selective{};
  bool has_contexts = false;  ///< queue pairs are packet delivery contexts, which go by this:
  PacketDelivery delivery{};
  Bytes payload;
  Bytes header;
  std::uint32_t reduction_window = 0;
  congestion::ControlRef control;
  congestion::ControlRef credit;  ///< whose receivers grant credit: `control`, or one beside it
  path_selection::ChoiceRef entropy;
  bool source_routes = false;  ///< its packets name their routes
  PlaneConfig::Choice plane_choice = PlaneConfig::Choice::kBalanced;
  PlaneConfig::Notice plane_notice = PlaneConfig::Notice::kNone;
  bool has_window_per_plane = false;  ///< a congestion context is of one plane
  Picoseconds plane_retry;

  /// Of all packets of a message but the last one.
  [[nodiscard]] Bytes full_size() const { return payload + header; }
  /// The packets that may be in flight where a congestion control allows that many: never fewer
  /// than the receiver waits for before it acknowledges.
  [[nodiscard]] std::uint32_t limited(std::uint32_t control_window) const {
    return std::min(window, std::max(control_window, min_window));
  }
  [[nodiscard]] bool selects_planes() const {
    return plane_choice != PlaneConfig::Choice::kBalanced;
  }
  [[nodiscard]] AckLayout ack_layout() const {
    return protocols::ack_layout(any_order, control.needs.echo_time, is_selective);
  }
  /// Packets from the oldest unacknowledged one on that may be sent; never fewer than a receiver
  /// waits for. `bandwidth_delay`: what the link sends in a round trip.
  [[nodiscard]] std::uint32_t cap(std::uint32_t bandwidth_delay) const;
  /// Whether receivers grant credit to its senders.
  [[nodiscard]] bool has_grants() const { return !credit.is_none(); }
  /// Wire bytes of a packet that finds out about a path.
  [[nodiscard]] std::uint16_t probe_size() const {
    return has_contexts ? static_cast<std::uint16_t>(delivery.nack_size.count()) : ack_size;
  }
  /// Without any progress for so long a queue pair fails.
  [[nodiscard]] Picoseconds retry_timeout() const {
    return (std::int64_t{retry_limit} + 1) * retransmit_timeout;
  }
};

/// Run constants that the packet path reads, in engine units.
struct NetworkConstants {
  NetworkConstants(const SwitchConfig& switches, const NicConfig& nic,
                   const std::vector<TransportConfig>& scale_out,
                   const std::vector<ScaleUpConfig>& scale_up, std::uint64_t seed,
                   Picoseconds control);

  // classes
  std::uint32_t classes;
  std::array<ClassRange, kNetworkKinds> first_to_last{ClassRange(0),
                                                      ClassRange(0)};  ///< by network
  std::uint8_t strict = 0;                                             ///< bit per class
  std::uint8_t credit = 0;                                             ///< bit per class
  IdArray<ClassId, ClassConstants, kMaxClasses> of_class;
  WatchdogConstants watchdog;
  std::vector<SettingsConstants> settings;  ///< by PortState::settings less one
  bool has_settings = false;                ///< ports that differ, WRED that drops, a watchdog
  bool drops_early = false;                 ///< some class has WRED
  bool has_watchdogs = false;               ///< some port has one
  std::uint8_t cbfc = 0;                    ///< bit per class
  IdArray<ClassId, CbfcConstants, kMaxClasses> of_cbfc;
  /// From the end of a credit update's reception until it can be used.
  IdArray<ClassId, Picoseconds, kMaxClasses> credit_processing;
  // switches
  Bytes pause_frame;  ///< bytes on the wire; 0: a pause takes no wire time
  Bytes cut_through_after;
  std::uint64_t seed;
  bool pause_until_resume;
  bool pauses_expire;  ///< nothing refreshes them
  bool release_at_start;
  bool input_queued;
  bool random_arbitration;
  bool cut_through;
  std::uint32_t flowlet_mask = 0;  ///< entries of a switch's table less one
  bool has_flowlets = false;
  // NICs
  BitsPerSecond receive_rate;  ///< 0: as fast as packets come
  Bytes receive_buffer;
  Bytes nic_xoff;
  Bytes nic_xon;
  LinkRetryConfig retry;  ///< of links between servers
  // transports: first those between servers, then two for each kind of scale-up domain, of which
  // the second is for what scale-up switches work on
  std::array<TransportConstants, kMaxTransports> transports;
  std::uint32_t transport_count = 0;
  std::uint32_t scale_out_transports = 1;
  Picoseconds control_latency;
  // faults and observation
  bool has_faults = false;
  bool has_cells = false;         ///< of more than one byte
  bool works_in_network = false;  ///< scale-up switches reduce or repeat data
  bool has_host_ports = false;    ///< some host chooses a port packet by packet, or after a fault
  bool has_added_latency = false;
  bool has_losses = false;       ///< some link corrupts frames
  bool limits_egresses = false;  ///< some class has such a limit, or trims
  bool has_shared_links = false;
  /// Credits come back without events where they need none: see CreditReturns.
  bool has_credit_returns = false;
  bool traces_queues = false;
  bool traces_packets = false;
  bool traces_credits = false;
  bool traces_messages = false;  ///< NetworkState::watch
  std::size_t pauses_kept = 0;   ///< intervals per port

  /// What a class is at ports with settings of this number.
  [[nodiscard]] const ClassConstants& class_of_settings(std::uint32_t number, ClassId c) const {
    return number == 0 ? of_class[c] : settings[number - 1].of_class[c];
  }
  [[nodiscard]] const WatchdogConstants& watchdog_of_settings(std::uint32_t number) const {
    return number == 0 ? watchdog : settings[number - 1].watchdog;
  }
  [[nodiscard]] ClassRange all_classes() const { return weft::all_classes(classes); }
  /// Those that packets of a network travel in, and such as lie between.
  [[nodiscard]] ClassRange classes_of(NetworkKind network) const {
    return first_to_last[static_cast<std::size_t>(network)];
  }
  /// What the packet path has to be able to do.
  [[nodiscard]] Features needs() const;
  [[nodiscard]] Bytes largest_packet() const;

 private:
  void add_settings(const SwitchConfig& switches);
  /// Every class, as it is at all ports and at those that differ.
  template <class Act>
  void for_each_class(Act act) {
    for (const ClassId c : all_classes()) {
      act(c, of_class[c]);
      for (SettingsConstants& some : settings) act(c, some.of_class[c]);
    }
  }
};

/// How long after its epoch a window of a network may end.
[[nodiscard]] inline Picoseconds reach_of(const NetworkConstants& constants,
                                          const EventKeys& keys) {
  // With cut-through, waiting packets hold a time beside the number of a port.
  return constants.cut_through ? std::min(keys.reach(), kTailReach) : keys.reach();
}

/// Everything that changes during a run, in flat arrays. A logical process touches the entries of
/// its own nodes and the producing half of its outbound links only. Where a link has retry, its
/// `losses` are of the node that sends.
struct NetworkState {
  NetworkState(const Fabric& fabric_in, const Routes& routes_in,
               const NetworkConstants& constants_in)
      : fabric(fabric_in), routes(routes_in), constants(constants_in) {}

  const Fabric& fabric;
  const Routes& routes;
  const NetworkConstants constants;
  std::vector<PortState> ports;               ///< by PortId
  std::vector<ClassQueue> queues;             ///< by slot: of a port and a class of its network
  std::vector<IngressAccount> ingress;        ///< by slot
  std::vector<CreditReturns> credit_returns;  ///< by slot of the port that sends; may be empty
  std::vector<EarlyDrops> early_drops;        ///< by slot; empty unless some class has WRED
  std::vector<CbfcState> cbfc;                ///< by slot; empty unless some class has CBFC
  std::vector<Watchdog> watchdogs;            ///< by slot; empty unless some port has one
  std::vector<std::uint32_t> slots;           ///< by PortId: the first one of the port
  std::vector<Link> links;                    ///< by the PortId that sends
  std::vector<SharedLink> shared_links;       ///< by Port::shared_link; may be empty
  std::vector<SwitchState> switches;
  std::vector<Crossbar> crossbars;  ///< by SwitchId; empty unless inputs queue
  std::vector<Flowlet> flowlets;    ///< by SwitchId and entry; empty unless a class has flowlets
  IdVector<HostId, HostState> hosts;
  std::vector<NicState> nics;    ///< by PortId: ports of hosts come first
  std::vector<ReadyList> ready;  ///< by slot, of ports of hosts
  SendingEnds senders;
  /// Of queue pairs; then of what scale-up switches reduce.
  IdVector<ReceiverId, ReceiverState> receivers;
  congestion::ControlStates controls;
  congestion::GrantStates grants;
  path_selection::ChoiceStates entropies;
  /// By host and plane; empty unless some choice keeps states of paths.
  std::vector<path_selection::PathHistory> path_histories;
  TcpStates tcp;
  std::vector<std::uint8_t> watched;  ///< by watch_place: packets are traced; may be empty
  std::vector<ConnectionState> connections;
  std::vector<ProcessState> processes;
  std::vector<Fault> faults;
  std::vector<Picoseconds> fault_times;              ///< when they begin, ascending
  std::vector<std::vector<PortIncident>> incidents;  ///< by PortId; empty where nothing can fail
  IdVector<QueuePairId, SenderNotices> notices;      ///< empty without faults
  // What the switches of scale-up domains work on; empty mostly.
  std::vector<ReductionMembers> groups;
  std::vector<Reduction> reductions;
  std::vector<Multicast> multicasts;
  /// Of copies; the first one is `first_copy`, behind all other receiving ends.
  std::vector<CopyReceiver> copy_receivers;
  ReceiverId first_copy;
  std::vector<CopyTable> copies;                ///< by SwitchId
  RoundCounts rounds_done;                      ///< of the sending ends that are added up
  std::vector<RouteChange> route_changes;       ///< by time
  std::vector<AddedLatency> added_latency;      ///< by PortId; empty unless faults add latency
  std::vector<Repair> repairs;                  ///< of queue pairs with selective repeat
  IdVector<ReceiverId, Picoseconds> next_nack;  ///< where gaps are reported again
  std::vector<FrameLosses>
      losses;  ///< by PortId where a link ends; empty unless some corrupt frames
  std::vector<RetryState> retries;  ///< by PortId; empty unless links have retry
  OldPackets old_packets;
  std::uint8_t latency_groups = 1;  ///< histograms of packet latencies per worker
  Telemetry telemetry;
  AckRecords acks;
  UecStates uec;
  // Of messages that are split: parts that were delivered, which their receivers count, and parts
  // that were acknowledged, which their senders do. Empty unless some transport splits messages.
  PartCounts delivered_parts;
  PartCounts acknowledged_parts;
  PlaneStates planes;  ///< empty unless some transport selects planes
  MessageWatch watch;
  ProcessHandler* handler = nullptr;

  /// The arrival of a packet that would come at `time` by the link of `port`.
  [[nodiscard]] Picoseconds delayed_data(const PortState& port, Picoseconds time) {
    AddedLatency& added = added_latency[port.index];
    return added.last_data = std::max(added.last_data, time + added.leaving);
  }
  [[nodiscard]] Picoseconds delayed_control(const PortState& port, Picoseconds time) {
    AddedLatency& added = added_latency[port.index];
    return added.last_control = std::max(added.last_control, time + added.leaving);
  }

  [[nodiscard]] PortState& port_of(const LogicalProcess& lp, std::uint32_t local) {
    return ports[lp.ports[local].value()];
  }
  /// Planes that values of entropy are shares of, at most.
  [[nodiscard]] std::uint32_t path_planes() const { return planes.is_used() ? planes.count() : 1; }
  [[nodiscard]] path_selection::PathHistory& path_history(HostId host, std::uint32_t plane) {
    return path_histories[std::size_t{host.value()} * path_planes() + plane];
  }
  /// Among which values of entropy of the queue pair are shared out.
  [[nodiscard]] std::uint32_t planes_of(QueuePairId qp) const {
    return planes.is_used() && senders.whole(qp).spreading == PortSpreading::kPlanes
               ? planes.count()
               : 1;
  }
  /// Whether packets of the queue pair count in a window of the plane that they leave by.
  [[nodiscard]] bool has_window_per_plane(const SenderState& s) const {
    return constants.transports[s.transport].has_window_per_plane &&
           s.spreading == PortSpreading::kPlanes;
  }
  /// Windows that count bytes of the queue pair.
  [[nodiscard]] std::uint32_t windows_of(const SenderState& s) const {
    return has_window_per_plane(s) ? planes.count() : 1;
  }
  /// Which of a host's `n` ports a flow of this key keeps to.
  [[nodiscard]] std::uint32_t choose_host_port(HostId host, std::uint32_t entropy,
                                               std::uint32_t n) const {
    const std::uint64_t seed = routes.hash.seed_of(constants.seed, fabric.hosts[host.value()]);
    return routes.hash.choose(seed, entropy, n);
  }
  /// That a sending end contributes to, which is added up.
  [[nodiscard]] Reduction& reduction_of(const SendingEnd& s) {
    return reductions[s.in_network_index()];
  }
  [[nodiscard]] const Reduction& reduction_of(const SendingEnd& s) const {
    return reductions[s.in_network_index()];
  }
  /// Whether the messages of a connection are split over its queue pairs.
  [[nodiscard]] bool is_split(const ConnectionState& c) const {
    return !delivered_parts.empty() && c.queue_pairs > 1 &&
           constants.transports[senders[c.first_queue_pair].transport].splits_messages;
  }
  /// As the queue pair has it by itself.
  [[nodiscard]] RoutingKey routing_key_of(const SendingEnd& s) const {
    if (s.is_added_up()) {
      const Reduction& sum = reduction_of(s);
      return {.destination = sum.owner, .entropy = sum.entropy};
    }
    return {.destination = s.whole().destination, .entropy = s.whole().entropy};
  }
  /// Distinct packets at the receiver, as far as the sender knows. What scale-up switches reduce is
  /// taken to be there once it was sent.
  [[nodiscard]] static std::uint32_t received_of(const SendingEnd& s) {
    return s.is_added_up() ? s.next : s.whole().received;
  }
  /// What a queue pair can send at: by its port, or by all that its packets are spread over.
  [[nodiscard]] BitsPerSecond line_rate(const SendingEnd& s) const {
    if (s.spreading == PortSpreading::kFlow) return ports[s.port()].nominal_rate;
    const std::uint32_t count = s.is_added_up() ? reduction_of(s).links : s.whole().port_count;
    BitsPerSecond sum;
    for (const std::uint16_t local : std::span(s.first_local_port, count)) {
      sum += ports[s.first_port + local].nominal_rate;
    }
    return sum;
  }
  /// Whether it takes copies that a scale-up switch made.
  [[nodiscard]] bool is_to_copy(ReceiverId receiver) const { return receiver >= first_copy; }
  [[nodiscard]] CopyReceiver& copy_receiver(ReceiverId receiver) {
    return copy_receivers[receiver.value() - first_copy.value()];
  }
  [[nodiscard]] const CopyReceiver& copy_receiver(ReceiverId receiver) const {
    return copy_receivers[receiver.value() - first_copy.value()];
  }
  /// The number of the histogram that a connection's packets go into.
  [[nodiscard]] std::uint8_t latency_group_of(const Connection& connection) const {
    return latency_groups == 1 ? std::uint8_t{0} : connection.latency_group;
  }
  /// That such copies are of.
  [[nodiscard]] const Multicast& multicast_of(ReceiverId receiver) const {
    return multicasts[copy_receiver(receiver).multicast];
  }
  [[nodiscard]] const std::vector<HostId>& members_of(const Multicast& multicast) const {
    return groups[multicast.group].hosts;
  }
  /// The receiving end that a queue pair's data gets to; the first one of several.
  [[nodiscard]] ReceiverId first_receiver(QueuePairId queue_pair) const {
    const SendingEnd& sender = senders[queue_pair];
    if (sender.is_added_up()) return reduction_of(sender).receiver;
    if (sender.is_repeated()) return multicasts[sender.in_network_index()].first_receiver;
    return receiver_of(queue_pair);
  }
  /// In `watched`, of packets of this Packet::flow. Contributions come after all receiving ends.
  [[nodiscard]] std::size_t watch_place(std::uint32_t flow) const {
    if ((flow & kReduceFlow) == 0) return flow & ~kInNetworkFlow;
    return receivers.size() + copy_receivers.size() + (flow & ~kInNetworkFlow) -
           senders.first_added_up().value();
  }
  /// Whether the packets of its flow are traced.
  [[nodiscard]] bool is_watched(const Packet& packet) const {
    return watched[watch_place(flow_of(packet))] != 0;
  }
  /// The slot of a class of the port's network.
  [[nodiscard]] std::size_t slot(std::uint32_t port, ClassId c) const {
    return slots[port] + constants.of_class[c].place;
  }
  /// Classes that a port has slots for.
  [[nodiscard]] ClassRange classes_of(const PortState& port) const {
    return constants.classes_of(port.network);
  }
  /// A queue by the number of its port: where the port itself is not at hand, nobody waits for its
  /// memory.
  [[nodiscard]] ClassQueue& queue_at(std::uint32_t port, ClassId c) {
    return queues[slot(port, c)];
  }
  [[nodiscard]] IngressAccount& account_at(std::uint32_t port, ClassId c) {
    return ingress[slot(port, c)];
  }
  [[nodiscard]] ClassQueue& queue(const PortState& port, ClassId c) {
    return queues[port.first_slot + c.value()];
  }
  [[nodiscard]] const ClassQueue& queue(const PortState& port, ClassId c) const {
    return queues[port.first_slot + c.value()];
  }
  [[nodiscard]] IngressAccount& account(const PortState& port, ClassId c) {
    return ingress[port.first_slot + c.value()];
  }
  [[nodiscard]] const IngressAccount& account(const PortState& port, ClassId c) const {
    return ingress[port.first_slot + c.value()];
  }
  /// What a class is at a port.
  [[nodiscard]] const ClassConstants& class_at(const PortState& port, ClassId c) const {
    return constants.class_of_settings(port.settings, c);
  }
  /// The same, of a run that knows no such differences but on paths that have them.
  template <class Path>
  [[nodiscard]] const ClassConstants& class_on(const PortState& port, ClassId c) const {
    if constexpr (Path::has(Feature::kSettings)) return class_at(port, c);
    return constants.of_class[c];
  }
  [[nodiscard]] const WatchdogConstants& watchdog_of(const PortState& port) const {
    return constants.watchdog_of_settings(port.settings);
  }
  [[nodiscard]] CbfcState& cbfc_at(const PortState& port, ClassId c) {
    return cbfc[port.first_slot + c.value()];
  }
  [[nodiscard]] EarlyDrops& early_drops_at(const PortState& port, ClassId c) {
    return early_drops[port.first_slot + c.value()];
  }
  [[nodiscard]] const EarlyDrops& early_drops_at(const PortState& port, ClassId c) const {
    return early_drops[port.first_slot + c.value()];
  }
  [[nodiscard]] Watchdog& watchdog_at(const PortState& port, ClassId c) {
    return watchdogs[port.first_slot + c.value()];
  }
  [[nodiscard]] const Watchdog& watchdog_at(const PortState& port, ClassId c) const {
    return watchdogs[port.first_slot + c.value()];
  }
  [[nodiscard]] CreditReturns& returns(const PortState& port, ClassId c) {
    return credit_returns[port.first_slot + c.value()];
  }
  [[nodiscard]] const CreditReturns& returns(const PortState& port, ClassId c) const {
    return credit_returns[port.first_slot + c.value()];
  }
  /// Every packet that waits at a port, oldest first, with those that copies stand for.
  template <class Visit>
  void for_each_waiting(const PortState& port, ClassId c, Visit visit) const {
    const PacketQueue& waiting = queue(port, c).packets;
    if (waiting.coalesced() == 0) return waiting.for_each(visit);
    const CopyTable& originals = copies[port.owner];
    waiting.for_each([&](Packet packet) {
      visit(packet);
      if (!is_copy(packet)) return;
      while (CopyTable::followers(packet) > 0) {
        packet = originals.follower(packet);
        visit(packet);
      }
    });
  }
};

}  // namespace weft::protocols
