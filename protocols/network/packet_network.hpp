#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protocols/config/parallelism.hpp"
#include "protocols/config/scale_up_config.hpp"
#include "protocols/config/switch_config.hpp"
#include "protocols/network/network_share.hpp"
#include "protocols/observation/message_watch.hpp"
#include "protocols/observation/observation.hpp"
#include "protocols/observation/port_counters.hpp"
#include "protocols/observation/port_incident.hpp"
#include "protocols/path_selection/path_history.hpp"
#include "protocols/state/fault.hpp"
#include "protocols/state/packet_path.hpp"
#include "protocols/steady_state/skip_counts.hpp"
#include "simcore/base/histogram.hpp"
#include "simcore/engine/lp_plan.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/routes.hpp"
#include "simcore/messages/message_network.hpp"
#include "simcore/messages/size_class.hpp"

namespace weft::protocols {

class Skipper;
struct NetworkState;
struct NetworkStateOf;
struct PortState;

/// What one class of a port has counted since the measurement began.
struct ClassCounters {
  Bytes bytes;  ///< whose transmission has begun
  std::int64_t packets = 0;
  Bytes peak_bytes;                 ///< that waited
  std::int64_t trimmed = 0;         ///< cut to their headers here
  std::int64_t buffer_drops = 0;    ///< at this port's ingress
  std::int64_t wred_drops = 0;      ///< at this port's egress, by WRED
  std::int64_t watchdog_drops = 0;  ///< at this port's egress, by the PFC watchdog
  std::int64_t pause_storms = 0;    ///< that the PFC watchdog has found here
  Picoseconds paused_time;
  std::int64_t pauses_received = 0;
  std::int64_t credit_stalls = 0;
  Picoseconds credit_stall_time;
};

/// Values of entropy of a host's queue pairs that lead by one plane.
struct HostPaths {
  HostId host;
  std::uint32_t plane = 0;  ///< 0 where queue pairs select none
  std::uint64_t queue_pairs = 0;
  path_selection::PathStateCounts states;  ///< now
  path_selection::PathHistory history;     ///< since the measurement began
};

/// What became of one message. Times since the start of the run; missing: it did not happen.
struct MessageOutcome {
  ConnectionId connection;
  /// Where the packet engine did not run it, its number among those of the connection.
  QueuePairId queue_pair;
  // Of one that is split, by the queue pair whose part came last, and of that part.
  std::uint32_t first_sequence = 0;
  std::uint32_t last_sequence = 0;
  std::uint32_t entropy = 0;  ///< the ECMP key of its packets
  Bytes bytes;
  Picoseconds posted;
  OptionalTime delivered;     ///< all bytes at the receiver
  OptionalTime acknowledged;  ///< the sender knows (reliable transports)
};

/// Sums over the whole network since the measurement began.
struct NetworkTotals {
  std::uint64_t events = 0;
  std::uint64_t packet_hops = 0;  ///< transmissions of data, ACK, NACK and CNP packets on a link
  std::uint64_t packets_injected = 0;
  std::uint64_t packets_delivered = 0;
  std::uint64_t packets_retransmitted = 0;
  std::uint64_t timeouts = 0;         ///< of senders that heard nothing for too long
  std::uint64_t packets_trimmed = 0;  ///< data that switches cut to their headers
  std::uint64_t losses_inferred = 0;  ///< packets that contexts repeat unasked, before time-outs
  std::uint64_t path_probes = 0;      ///< sent by paths that lost packets
  std::uint64_t path_probes_answered = 0;  ///< of these, whose reply came back
  std::int64_t buffer_drops = 0;
  std::int64_t headroom_pool_drops = 0;  ///< of those: they found the headroom pool empty
  Bytes headroom_pool_peak;              ///< that the fullest pool of a switch has held
  std::int64_t ttl_drops = 0;
  std::int64_t fault_drops = 0;
  std::int64_t error_drops = 0;
  std::int64_t replays = 0;  ///< of links with retry
  std::int64_t frames_replayed = 0;
  std::int64_t retry_drops = 0;
  std::int64_t poison_drops = 0;
  std::int64_t wred_drops = 0;
  std::int64_t watchdog_drops = 0;
  std::int64_t pause_storms = 0;  ///< that PFC watchdogs have found
  std::int64_t ecn_marked = 0;
  std::int64_t pauses = 0;
  Picoseconds paused_time;
  std::int64_t credit_stalls = 0;
  Picoseconds credit_stall_time;

  [[nodiscard]] std::int64_t packets_dropped() const {
    return buffer_drops + ttl_drops + fault_drops + error_drops + retry_drops + poison_drops +
           wred_drops + watchdog_drops;
  }
};

/// Which queue pair of which connection. What scale-up switches reduce or repeat has one.
struct FlowName {
  ConnectionId connection;
  std::uint32_t queue_pair = 0;  ///< number among those of its connection
};

/// Every thread has a histogram of packet latencies, 29 KiB, for each of this many groups.
inline constexpr std::uint8_t kMaxLatencyGroups = 64;

/// Messages that are taken together during a run: a few megabytes.
inline constexpr std::uint64_t kManyMessages = 65'536;

/// The packet engine behind the message network: hosts, switches and links of a fabric, run one
/// logical process after the other in windows of the lookahead.
///
/// Fabric and routes must outlive it. Results depend on the fabric, the options, the connections
/// and the handler only: not on the partition into logical processes nor on the number of threads.
/// With more than one thread, callbacks of processes on different hosts run at the same time.
class PacketNetwork {
 public:
  struct Options {
    SwitchConfig switches;
    NicConfig nic;
    TransportConfig transport;
    /// Of connections with Connection::transport 1, 2, ...; at most kMaxScaleOutTransports in all.
    std::vector<TransportConfig> more_transports;
    /// Kinds of scale-up domains, and which one each domain has; without, all have the first.
    std::vector<ScaleUpConfig> scale_up;
    std::vector<std::uint8_t> scale_up_of_domain;
    std::vector<Fault> faults;
    std::vector<RouteChange> route_changes;  ///< by time
    ObservationConfig observation;
    TraceSink trace_sink;                 ///< needed if anything is observed but messages
    MessageTraceSink message_trace_sink;  ///< needed if messages are
    /// Called when many messages are over, so that they can be taken during the run: at
    /// times that do not depend on the partition into logical processes nor on the number of
    /// threads.
    std::function<void()> on_many_messages;
    std::uint64_t many_messages = kManyMessages;
    /// Called every 20 us, or when something happens after that: at such times, too.
    std::function<void()> on_period;
    /// Runs code that can do this, too, even where nothing needs it. The bits are the same.
    Features extra_features{};
    /// Keys of events count time again after so long at the latest. The bits are the same.
    Picoseconds longest_key_span = Picoseconds::max();
    std::uint64_t seed = 1;
    Picoseconds control_latency = 1_us;
    LpPlan::Cut cut = LpPlan::Cut::kAuto;
    /// No scale-up domain is cut, whatever `cut` says.
    bool keeps_domains_whole = false;
    /// Where the whole state recurs within long messages, as many periods are left out as can be:
    /// all results are the same to the bit, but for `credit_waits`. Of networks of one logical
    /// process in which nothing is observed; elsewhere it changes nothing.
    bool skips = false;
    Parallelism parallelism;
  };
  enum class Status : std::uint8_t {
    kQuiescent,    ///< nothing is left to happen
    kTimeLimit,    ///< the given time was reached
    kDeadlocked,   ///< some ports wait for each other in a circle and none can ever send again
    kStalled,      ///< time advances, but no packet moves and no job has anything planned
    kInterrupted,  ///< the observer asked to stop
  };
  /// Called between windows now and then; returning false stops the run.
  using Observer = std::function<bool(Picoseconds now, std::uint64_t packet_hops)>;

  /// `processes` gives the host of every process; connections refer to processes.
  PacketNetwork(const Fabric& fabric, const Routes& routes, const Options& options,
                const std::vector<HostId>& processes, const std::vector<Connection>& connections,
                const std::vector<ProcessGroup>& groups = {});
  ~PacketNetwork();
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// Starts every process at time 0. Once, before the first `run_until`.
  void start(ProcessHandler& handler);
  /// Between runs: sets a timer of a process, no earlier than now.
  void file_job_timer(Picoseconds time, ProcessId process, std::uint32_t number);
  /// Runs everything that happens before `until`; may be called again with a later time.
  Status run_until(Picoseconds until, const Observer& observer = {});
  /// The latest time that `run_until` accepts: 13 days.
  static constexpr Picoseconds kLongestRun{std::int64_t{1} << 60};
  /// Hands on what is left of the traces, such as waits for credits that last.
  void end_observation();
  /// Nothing will be sent any more, and all messages were taken: frees what ends of queue pairs
  /// take. Ports, classes and totals can still be asked for.
  void forget_flows();
  /// Begins the measurement now: counters, peaks and histograms start again from zero.
  void reset_statistics();

  [[nodiscard]] Picoseconds now() const { return now_; }
  /// What was left out since the start of the run.
  [[nodiscard]] SkipCounts skips() const;
  /// From a callback of a timer: the run ends right behind it, as if it were interrupted, and goes
  /// on from there. Of a network that is one logical process.
  void stop();
  /// Time of the last thing that happened.
  [[nodiscard]] Picoseconds last_event() const;
  [[nodiscard]] const LpPlan& lp_plan() const { return plan_; }
  [[nodiscard]] std::uint32_t threads() const;
  /// Since the start, warm-up included.
  [[nodiscard]] ThreadTimes thread_times() const;
  [[nodiscard]] NetworkTotals totals() const;
  /// NetworkTotals::packet_hops, without a look at every port.
  [[nodiscard]] std::uint64_t packet_hops() const;
  /// What the packet path of the run is compiled with, at least.
  [[nodiscard]] Features features() const;
  /// Whether some class trims packets.
  [[nodiscard]] bool trims() const;
  /// Whether some link corrupts frames, or does for a while.
  [[nodiscard]] bool has_link_errors() const;
  [[nodiscard]] PortCounters port_counters(PortId port) const;
  [[nodiscard]] ClassCounters class_counters(PortId port, ClassId traffic_class) const;
  /// Every pause that took effect, by port and start. At most some thousands per port are kept;
  /// `pauses_lost` tells how many more there were.
  [[nodiscard]] std::vector<PauseInterval> pauses() const;
  [[nodiscard]] std::uint64_t pauses_lost() const;
  /// Those of a port that are over, by start.
  [[nodiscard]] const std::vector<PauseInterval>& ended_pauses(PortId port) const;
  /// What failed at a port so far, by kind in the order of time.
  [[nodiscard]] const std::vector<PortIncident>& incidents(PortId port) const;
  /// What queue pairs that are not added up noticed of faults so far; empty without faults.
  [[nodiscard]] std::span<const SenderNotices> notices() const;
  /// What became of the paths that hosts select, by host and plane: of those with queue pairs whose
  /// choice keeps states of paths.
  [[nodiscard]] std::vector<HostPaths> host_paths() const;
  /// What senders of ObservationConfig::messages heard of losses.
  [[nodiscard]] const MessageWatch& watch() const;
  /// Whether `pauses` would give any.
  [[nodiscard]] bool has_paused() const;
  /// When ports waited for credits, by port, class and start, those that last included. Where a
  /// port waited more often than is kept, neighbours are one entry.
  [[nodiscard]] std::vector<CreditWait> credit_waits() const;
  /// What was counted since the measurement began.
  [[nodiscard]] NetworkShare share() const;
  /// Adds `times` repetitions of what was simulated elsewhere to the counters.
  void add(const QueueShare& queue, std::uint64_t times);
  void add(const Worker::Sums& sums, std::uint8_t latency_group,
           const LatencyBySize& packet_latency, std::uint64_t times);
  /// The same of what happened before the measurement began.
  void add_before(const Worker::Sums& sums, std::uint64_t times);
  /// Of what is simulated elsewhere: whether any packet was delivered from `since` on and before
  /// `until`. To be asked where none was here although connections had something under way.
  using Elsewhere = std::function<bool(Picoseconds since, Picoseconds until)>;
  void set_external_deliveries(Elsewhere was_delivered);
  /// Whether nothing is under way from or to a host, in either direction of its links, and all
  /// credits are back: as if nothing had ever been.
  [[nodiscard]] bool is_quiet(HostId host) const;
  /// A time, not before now, up to which no message ends and no process does anything, as far as
  /// that can be told from what is under way; nothing: neither ever will.
  [[nodiscard]] std::optional<Picoseconds> next_change() const;
  /// Packets that are on links or in buffers now.
  [[nodiscard]] std::uint64_t packets_in_flight() const;
  /// Distinct payload packets that their senders know to have arrived (datagrams: that were sent).
  [[nodiscard]] std::uint64_t payload_packets_arrived() const;
  /// Times without any delivery although there was something to deliver; the first few.
  [[nodiscard]] const std::vector<Stall>& stalls() const;
  /// Ports that can never send again, in the order in which each waits for the next; the last waits
  /// for the first. Empty if there is no such circle.
  [[nodiscard]] std::vector<BlockedPort> deadlock() const;
  [[nodiscard]] Bytes buffer_peak(SwitchId at) const;
  [[nodiscard]] Bytes headroom_pool_peak(SwitchId at) const;
  [[nodiscard]] Histogram packet_latency() const;
  /// By Connection::latency_group, of all as one where there are more than kMostLatencyGroups, and
  /// by size class of messages.
  [[nodiscard]] std::vector<LatencyBySize> packet_latencies() const;
  /// Visits the messages that are over (their senders are done with them, and they were delivered)
  /// and were not yet taken, by the time when that was so, some thousands at once. The network
  /// forgets them.
  void take_ended_messages(const std::function<void(std::span<const MessageOutcome>)>& visit);
  /// Visits those, and takes none: for who watches a run.
  void for_each_ended_message(const std::function<void(const MessageOutcome&)>& visit) const;
  /// Those that are not over, by connection and time of posting; right after taking the others.
  [[nodiscard]] std::vector<MessageOutcome> pending_messages() const;
  /// Visits each of those in any order: its connection, and when it was posted.
  void for_each_pending_message(const std::function<void(ConnectionId, Picoseconds)>& visit) const;
  /// Both, one after the other.
  [[nodiscard]] std::vector<MessageOutcome> take_messages();
  /// The number of a message's queue pair among those of its connection.
  [[nodiscard]] std::uint32_t number_in_connection(const MessageOutcome& message) const;
  /// What the packets of this Packet::flow belong to, or the samples of a queue pair.
  [[nodiscard]] FlowName name_of(std::uint32_t flow) const;
  /// Distinct payload packets of a connection that have reached its destination.
  [[nodiscard]] std::uint64_t packets_received(ConnectionId connection) const;
  /// What waits at an egress, all classes.
  [[nodiscard]] Bytes queue_bytes(PortId port) const;
  /// Queue pairs that gave up after their retries.
  [[nodiscard]] std::vector<ConnectionId> failed_connections() const;
  /// Sentences about conservation laws that do not hold; empty if all do. `is_quiescent` asks for
  /// what must be true once nothing is left to happen.
  [[nodiscard]] std::vector<std::string> violated_invariants(bool is_quiescent) const;
  /// Memory of the simulation state, without fabric and routes.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  class Engine;
  friend struct NetworkStateOf;  ///< looks into it, and changes what must not matter
  void build_ports();
  void build_shared_links();
  void build_slots(std::size_t host_ports);
  void apply_settings(PortState& port);
  void count_retry(const PortState& port, PortCounters& sum) const;
  void build_switches();
  void build_lps();
  /// Which of the transports a connection uses: the one that it names between servers, else one of
  /// its domain.
  [[nodiscard]] std::uint8_t transport_of(const Connection& connection) const;
  /// The kind of domain that it belongs to; null: it is one between servers.
  [[nodiscard]] const ScaleUpConfig* domain_of(std::uint8_t transport) const;
  /// How a queue pair that has several ports to its destination spreads its packets over them.
  [[nodiscard]] PortSpreading spreading_of(const Connection& connection,
                                           std::uint8_t transport) const;
  /// Sets up what scale-up switches do with the data of those connections.
  void build_in_network(const std::vector<Connection>& connections,
                        const std::vector<ProcessGroup>& groups);
  void build_planes();
  std::size_t count_queue_pairs(const std::vector<Connection>& connections);
  void build_queue_pairs(const std::vector<Connection>& connections);
  void build_observation();
  void place_in_huge_pages();
  void file_faults();
  void prepare_skipper();
  /// Something of the state was changed that no event changes: no period is as the one before.
  void note_change();

  Options options_;
  std::unique_ptr<NetworkState> state_;
  LpPlan plan_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Skipper> skipper_;  ///< null: there are no skips
  Picoseconds now_;
};

}  // namespace weft::protocols
