#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocols/config/link_retry.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/fabric.hpp"

namespace weft::protocols {

/// Classes of traffic per link; PFC has eight priorities, InfiniBand up to fifteen data VLs.
inline constexpr std::uint32_t kMaxClasses = 8;

/// Ports of a switch whose packets queue at its inputs: the matching keeps sets of ports in words.
inline constexpr std::uint32_t kMaxInputQueuedPorts = 64;

/// What a NIC or switch port takes to obey a pause: IEEE 802.3 31B.3.7, in quanta by link rate.
[[nodiscard]] Picoseconds standard_pause_response(BitsPerSecond rate);

/// How pause frames travel and act: a property of links, the same for every class.
struct PauseConfig {
  enum class Quanta : std::uint8_t {
    kStandard,     ///< a pause lasts 65,535 quanta of 512 bit times and is refreshed before
    kUntilResume,  ///< a pause lasts until it is lifted (idealised)
    /// A pause lasts 65,535 quanta and runs out unless the next packet that comes in above the
    /// threshold asks for another: nothing refreshes it.
    kExpire,
  };
  /// Bytes of a pause frame on the wire besides preamble and gap; 0: the pause takes no wire time.
  Bytes frame = 64_B;
  Bytes frame_overhead = 20_B;  ///< preamble 8 B and inter-packet gap 12 B
  /// From the end of a pause frame's reception until the port obeys. Below 0: IEEE 802.3 31B.3.7 by
  /// link rate (905 quanta at 400 Gbps).
  Picoseconds response = Picoseconds(-1);
  Quanta quanta = Quanta::kStandard;
  /// False: a pause reaches the peer at once, without the wire's latency (idealised; what csg-htsim
  /// does where a topology file gives the link latencies).
  bool propagates = true;

  /// The response of a port at this rate.
  [[nodiscard]] Picoseconds response_at(BitsPerSecond rate) const {
    return response < Picoseconds(0) ? standard_pause_response(rate) : response;
  }
  /// Wire bytes of a pause frame; 0: it takes no wire time.
  [[nodiscard]] Bytes wire_bytes() const { return frame == 0_B ? 0_B : frame + frame_overhead; }
};

/// Nothing keeps buffers from overflowing: the class is lossy.
struct NoFlowControl {};

/// Priority flow control (IEEE 802.1Qbb) of one class. The account of an ingress port and class
/// rises with every packet that arrives and falls when the packet leaves the switch. Above the
/// threshold the upstream port is paused; what still arrives goes to the headroom.
struct PfcConfig {
  enum class Preset : std::uint8_t {
    kDefault,  ///< the initial values below
    kHpcc,     ///< the switch of the HPCC paper's simulations
    kSn5600,   ///< SONiC's lossless profile of NVIDIA's SN5600
  };
  enum class Threshold : std::uint8_t {
    kStatic,   ///< `xoff` and `xon`
    kDynamic,  ///< alpha x (shared buffer - its use), XON `xon_offset` below
  };
  enum class Headroom : std::uint8_t {
    kShared,  ///< whatever the shared buffer has left: none is set aside
    kExact,   ///< what can arrive at worst (see headroom.hpp)
    kSn5600,  ///< the formula that SONiC uses for NVIDIA's SN5600
    kGiven,   ///< `headroom_bytes`
    kHpcc,    ///< three times what the link carries in its latency
  };
  Preset preset = Preset::kDefault;
  Threshold threshold = Threshold::kStatic;
  Bytes xoff = 1024_KiB;     ///< static: pause above it
  Bytes xon = 1000_KiB;      ///< static: resume below it
  double alpha = 0.125;      ///< dynamic
  Bytes xon_offset = 3_KiB;  ///< dynamic: resume that much below the threshold
  Bytes reserved = 0_B;      ///< per ingress port, before the shared buffer is used
  Headroom headroom = Headroom::kShared;
  Bytes headroom_bytes = 0_B;  ///< per ingress port, for kGiven
  /// Of the headroom, what an ingress port has to itself where its switch has a headroom pool; the
  /// rest is drawn from the pool. Without a pool a port has all of it to itself.
  Bytes headroom_reserved = 0_B;

  /// All values of a named preset; sources beside them.
  [[nodiscard]] static PfcConfig from_preset(Preset preset);
};

/// Credits per virtual lane, as InfiniBand has them: a sender may start a packet only if the
/// receiver has granted it buffer, in whole blocks. The receiver grants a block again when the
/// packet that held it has left its buffer. Lossless by construction.
struct CreditConfig {
  Bytes buffer = 128_KiB;  ///< of every receiving port for this class
  Bytes block = 64_B;
  Bytes update = 8_B;        ///< wire bytes of a credit update; 0: it takes no wire time
  Picoseconds processing{};  ///< from the end of an update's reception until it can be used
  Bytes added = 0_B;         ///< to the wire bytes of a packet before they are counted in blocks
  Bytes update_gap =
      0_B;  ///< wire bytes from the first block that is free until an update tells it

  /// The bytes of buffer that a packet takes, in whole blocks.
  [[nodiscard]] Bytes held_by(Bytes packet) const {
    return (packet + added + block - 1_B) / block * block;
  }
};

/// Credit-based flow control of a virtual channel (UE specification 1.0, section 5.2). It grants as
/// CreditConfig does. Counters are cumulative, so that an update makes up for those that were lost;
/// and the sender tells now and then what it has consumed, so that credits of frames that died on
/// the wire come back.
struct CbfcConfig : CreditConfig {
  /// Preamble and inter-packet gap, which frames do not count.
  static constexpr Bytes kUncounted = 20_B;

  Bytes update_period = 262'144_B;  ///< wire bytes from one update to the next, at most
  Picoseconds repair = 256_us;      ///< from one CC_Update to the next

  /// Added to the bytes of each frame.
  [[nodiscard]] Bytes overhead() const { return added + kUncounted; }
  void set_overhead(Bytes bytes) { added = bytes - kUncounted; }

  CbfcConfig() {
    buffer = Bytes(-1);  // kCreditsByLoop
    block = 128_B;
    added = 0_B - kUncounted;
    update_gap = 6'400_B;
  }
};

using FlowControlConfig = std::variant<NoFlowControl, PfcConfig, CreditConfig, CbfcConfig>;

/// ECN marking by the bytes that wait in an egress queue.
struct EcnConfig {
  enum class Mark : std::uint8_t { kEnqueue, kDequeue };
  enum class Curve : std::uint8_t {
    kRed,   ///< linear from 0 at Kmin to Pmax at Kmax, every packet above
    kStep,  ///< every packet above Kmin
  };
  bool enabled = true;
  Curve curve = Curve::kRed;
  Bytes kmin = 800_KB;
  Bytes kmax = 3200_KB;
  double pmax = 0.2;
  Mark mark = Mark::kDequeue;
  /// Thresholds are for links of this rate and scale with the rate of others. Absent: the same at
  /// every rate.
  std::optional<BitsPerSecond> at_rate{};
  bool marks_last_hop = true;  ///< also at ports that lead to hosts
};

/// Weighted random early detection that drops: what comes to a long queue is dropped now and then,
/// before the queue is full. Packets that can be marked instead, data in a class with ECN, are.
struct WredConfig {
  bool enabled = false;
  Bytes min = 1_MiB;          ///< average queue up to which nothing is dropped
  Bytes max = 2_MiB;          ///< above which everything is
  double probability = 0.05;  ///< just below `max`
  /// Each arrival moves the average by 2^-weight of its distance from the queue; 0: the queue.
  std::uint32_t weight = 0;
};

/// The PFC watchdog of a switch: an egress queue that a peer has paused for too long neither waits
/// nor keeps the pause any more, until the peer stops sending pauses.
struct PfcWatchdogConfig {
  enum class Action : std::uint8_t {
    kDrop,     ///< what waits, and what comes, is dropped
    kForward,  ///< it is sent as if there were no pause
  };
  bool enabled = false;
  Picoseconds detection = 200_ms;  ///< a queue that was paused and stuck for so long is in a storm
  Picoseconds restoration = 200_ms;  ///< without a pause for so long it is not any more
  Action action = Action::kDrop;
  Picoseconds poll = 100_ms;  ///< how often it looks
};

/// How a switch chooses among equal-cost next hops.
struct LoadBalancing {
  enum Type : std::uint8_t {
    kFlow,          ///< per queue pair: every packet of it takes the same path (ECMP)
    kSpray,         ///< per packet, at random
    kRoundRobin,    ///< per packet, those of every ingress port taking the next hops in turn
    kFlowlet,       ///< per burst: a queue pair that was silent for `gap` may take another path
    kAdaptive,      ///< per packet, the egress with the fewest bytes; equals at random
    kSourceRoutes,  ///< per packet, what its sender names
  };
  Type type = kFlow;
  Picoseconds gap = 100_us;       ///< kFlowlet
  std::uint32_t entries = 4'096;  ///< kFlowlet: of a switch's table, rounded up to a power of two

  constexpr LoadBalancing() = default;
  constexpr LoadBalancing(Type how) : type(how) {}  // NOLINT: implicit by intent

  /// Packets of one queue pair take different paths side by side.
  [[nodiscard]] constexpr bool sprays() const {
    return type == kSpray || type == kRoundRobin || type == kAdaptive;
  }
  /// A queue pair keeps to the path that its hash gives.
  [[nodiscard]] constexpr bool keeps_path() const { return type == kFlow; }
};

/// Packet trimming of a lossy class (Ultra Ethernet 1.0, 4.1; SAI's packet_discard_action): where
/// an egress queue has no room for data, the switch cuts off the payload and forwards the header in
/// another class. The receiver then tells the sender what to send again. Only data of transports
/// that make use of that are cut; others are dropped.
struct TrimmingConfig {
  enum class Victim : std::uint8_t {
    kCoinToss,    ///< either of the two, by a draw
    kArriving,    ///< the packet that finds the queue full
    kLastQueued,  ///< the last one of the queue, whose place the arriving one takes
  };
  bool enabled = false;
  Bytes size = 84_B;  ///< wire bytes of what is left
  /// Class by name, which has the service and the limit of what is cut; `highest`: that of highest
  /// priority.
  std::string service_class = "highest";
  Victim victim = Victim::kCoinToss;
  bool tells_last_hop = true;  ///< what is cut at a port to a host has a code point of its own
};

/// A class of traffic: a PFC priority or a virtual lane, with a queue of its own at every egress.
struct TrafficClass {
  enum class Scheduling : std::uint8_t {
    kWeighted,  ///< deficit round robin among weighted classes, after all strict ones
    kStrict,    ///< before all classes of lower priority
  };
  std::string name{};
  Scheduling scheduling = Scheduling::kWeighted;
  std::uint32_t weight = 1;
  FlowControlConfig flow_control = PfcConfig();
  EcnConfig ecn{};
  Bytes egress_reserved = 0_B;  ///< per egress queue, before the shared buffer is used
  /// The network that its packets travel in; it takes no buffer in the other one.
  NetworkKind network = NetworkKind::kScaleOut;
  /// An egress queue may hold alpha x (shared buffer - its use) beyond what is reserved. Absent: no
  /// limit but the buffer. Meant for lossy classes; on a lossless one it can drop.
  std::optional<double> egress_alpha{};
  /// An egress may hold this many bytes of it, those in transmission included; 0: no such limit.
  Bytes egress_limit = 0_B;
  TrimmingConfig trimming{};
  WredConfig wred{};
  /// Absent: that of the fabric.
  std::optional<LoadBalancing> load_balancing{};

  [[nodiscard]] bool is_pfc() const { return std::holds_alternative<PfcConfig>(flow_control); }
  [[nodiscard]] bool is_cbfc() const { return std::holds_alternative<CbfcConfig>(flow_control); }
  [[nodiscard]] bool is_credit() const {
    return std::holds_alternative<CreditConfig>(flow_control) || is_cbfc();
  }
  [[nodiscard]] bool is_lossless() const { return is_pfc() || is_credit(); }
  [[nodiscard]] PfcConfig& pfc() { return std::get<PfcConfig>(flow_control); }
  [[nodiscard]] const PfcConfig& pfc() const { return std::get<PfcConfig>(flow_control); }
  [[nodiscard]] const CbfcConfig& cbfc() const { return std::get<CbfcConfig>(flow_control); }
  [[nodiscard]] const CreditConfig& credit() const {
    return is_cbfc() ? cbfc() : std::get<CreditConfig>(flow_control);
  }
  [[nodiscard]] CreditConfig& credit() {
    return is_cbfc() ? std::get<CbfcConfig>(flow_control) : std::get<CreditConfig>(flow_control);
  }
};

/// One lossless class for data, and a strict one for what must not wait behind it.
[[nodiscard]] IdVector<ClassId, TrafficClass> default_classes();

/// What some ports have in place of what SwitchConfig says of all.
struct PortSettings {
  /// As many as SwitchConfig has. Flow control (PFC or none), ECN, WRED and what belongs to a port
  /// may differ; names, scheduling, transport and all else are as there.
  IdVector<ClassId, TrafficClass> classes{};
  PfcWatchdogConfig watchdog{};
  bool honours_pause = true;  ///< false: pauses of the peer are received and not obeyed
};

/// Settings that differ by port.
struct SettingsByPort {
  static constexpr std::size_t kMaxSettings = 65'535;
  std::vector<PortSettings> others;      ///< those that are not as SwitchConfig says
  std::vector<std::uint16_t> of_port{};  ///< by PortId: 0, or 1 more than the index in `others`

  /// Whether any port differs.
  [[nodiscard]] bool any() const { return !others.empty(); }
  /// In `others`; null: as all.
  [[nodiscard]] const PortSettings* find(PortId port) const {
    if (of_port.empty() || of_port[port.value()] == 0) return nullptr;
    return &others[of_port[port.value()] - 1U];
  }
};

/// How switches work. What they have may differ: a node of the fabric that gives its buffer and
/// cell goes by those.
struct SwitchConfig {
  /// When a packet's bytes leave the buffer accounts.
  enum class Release : std::uint8_t { kTransmissionEnd, kTransmissionStart };
  enum class Queueing : std::uint8_t {
    /// A packet waits for its output only: virtual output queues and a crossbar that is never the
    /// bottleneck, or an output-queued shared memory.
    kOutput,
    /// One FIFO per input and class: a packet waits for all before it, whatever their outputs.
    kInput,
  };
  /// Which of several inputs an output serves next; kInput only.
  enum class Arbitration : std::uint8_t { kRoundRobin, kRandom };
  enum class Forwarding : std::uint8_t {
    kStoreAndForward,
    /// A packet is forwarded once `cut_through_after` bytes are here, if its egress is idle and no
    /// faster than its ingress; else it is stored first.
    kCutThrough,
  };
  /// Whether switches say in packets what they see; it is in the packets of queue pairs whose
  /// congestion control needs it, and costs the others nothing.
  enum class Telemetry : std::uint8_t { kAuto, kNone };
  Bytes buffer = Bytes(158'229'504);
  Bytes cell = 1_B;  ///< a packet occupies whole cells of the buffer
  /// Of the buffer: what all ports and classes with PFC draw their headroom from; 0: there is none.
  Bytes headroom_pool = 0_B;
  Release release = Release::kTransmissionEnd;
  PauseConfig pause;
  /// Ascending priority; at least one, at most kMaxClasses.
  IdVector<ClassId, TrafficClass> classes = default_classes();
  LoadBalancing load_balancing;  ///< of classes that do not say otherwise
  Queueing queueing = Queueing::kOutput;
  Arbitration arbitration = Arbitration::kRoundRobin;
  Forwarding forwarding = Forwarding::kStoreAndForward;
  Bytes cut_through_after = 64_B;
  Telemetry telemetry = Telemetry::kAuto;
  PfcWatchdogConfig watchdog;  ///< of all ports of switches
  LinkRetryConfig link_retry;  ///< of links between servers, at both ends
  SettingsByPort by_port;      ///< of the fabric that it was resolved for

  /// What a class is at a port.
  [[nodiscard]] const TrafficClass& class_at(PortId port, ClassId c) const {
    const PortSettings* own = by_port.find(port);
    return own == nullptr ? classes[c] : own->classes[c];
  }
  [[nodiscard]] const PfcWatchdogConfig& watchdog_at(PortId port) const {
    const PortSettings* own = by_port.find(port);
    return own == nullptr ? watchdog : own->watchdog;
  }
  [[nodiscard]] bool honours_pause(PortId port) const {
    const PortSettings* own = by_port.find(port);
    return own == nullptr || own->honours_pause;
  }
  /// Whether some port has a class of this kind.
  [[nodiscard]] bool any_class(bool (*is_meant)(const TrafficClass&)) const;
  /// Whether a class has PFC at some ports, and not at others.
  [[nodiscard]] bool is_mixed(ClassId c) const;
  /// The bytes, the cells and the headroom pool of one switch's buffer.
  [[nodiscard]] Bytes buffer_of(const Node& node) const {
    return node.buffer > 0_B ? node.buffer : buffer;
  }
  [[nodiscard]] Bytes cell_of(const Node& node) const { return node.cell > 0_B ? node.cell : cell; }
  [[nodiscard]] Bytes headroom_pool_of(const Node& node) const {
    return node.buffer > 0_B ? node.headroom_pool : headroom_pool;
  }
  [[nodiscard]] ClassRange all_classes() const { return weft::all_classes(classes.size()); }
  /// The class of lowest priority: what jobs use that do not say otherwise.
  [[nodiscard]] TrafficClass& data() { return classes.front(); }
  [[nodiscard]] const TrafficClass& data() const { return classes.front(); }
  [[nodiscard]] const LoadBalancing& balancing(const TrafficClass& c) const {
    return c.load_balancing ? *c.load_balancing : load_balancing;
  }
  [[nodiscard]] const LoadBalancing& balancing(ClassId c) const { return balancing(classes[c]); }
  /// Whether packets of some class are sprayed.
  [[nodiscard]] bool sprays() const;
  [[nodiscard]] bool any_pfc() const;
  [[nodiscard]] bool any_credit() const;
  /// A bit per class that a NIC can pause: those with PFC.
  [[nodiscard]] std::uint8_t pausable_classes() const;
};

/// How a NIC takes in what arrives. Without a receive rate it keeps up with any link.
struct NicConfig {
  std::optional<BitsPerSecond> receive_rate{};  ///< wire bytes towards host memory
  Bytes receive_buffer = 1_MiB;                 ///< for all classes together
  Bytes xoff = 512_KiB;                         ///< pauses a PFC class above it
  Bytes xon = 448_KiB;                          ///< and resumes it below
};

}  // namespace weft::protocols
