#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "protocols/config/response_class.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {
namespace {

std::uint64_t fixed_point(double value, unsigned bits) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(value, static_cast<int>(bits))));
}

}  // namespace

ClassConstants::ClassConstants(const TrafficClass& config)
    : is_pfc(config.is_pfc()),
      is_credit(config.is_credit()),
      network(config.network),
      step(config.ecn.curve == EcnConfig::Curve::kStep),
      egress_reserved(config.egress_reserved),
      kmin(config.ecn.kmin),
      kmax(config.ecn.kmax),
      pmax(fixed_point(config.ecn.pmax, 32)),
      ecn_rate(config.ecn.at_rate.value_or(BitsPerSecond())) {
  if (config.ecn.enabled) {
    const bool on_departure = config.ecn.mark == EcnConfig::Mark::kDequeue;
    (on_departure ? unmarked_on_departure : unmarked_on_arrival) =
        ecn_rate == BitsPerSecond() ? kmin : Bytes(-1);
  }
  if (config.egress_alpha) {
    limits_egress = true;
    egress_alpha = fixed_point(*config.egress_alpha, 16);
  }
  if (is_pfc) {
    const PfcConfig& pfc = config.pfc();
    is_dynamic = pfc.threshold == PfcConfig::Threshold::kDynamic;
    limits_headroom = pfc.headroom != PfcConfig::Headroom::kShared;
    xoff = pfc.xoff;
    xon = pfc.xon;
    alpha = fixed_point(pfc.alpha, 16);
    xon_offset = pfc.xon_offset;
    reserved = pfc.reserved;
  }
  if (is_credit) {
    const CreditConfig& credit = config.credit();
    block = credit.block;
    credit_blocks = static_cast<std::int32_t>(credit.buffer / block);
    update = credit.update;
  }
  has_partitions = is_dynamic || limits_headroom || limits_egress || reserved > Bytes() ||
                   egress_reserved > Bytes();
}

TransportConstants::TransportConstants(const TransportConfig& config, const SwitchConfig& switches)
    : reliable(std::holds_alternative<RoceConfig>(config)) {
  const RoceConfig defaults;
  const RoceConfig& roce = reliable ? std::get<RoceConfig>(config) : defaults;
  const PacketFormat& format = reliable ? roce.format : std::get<DatagramConfig>(config).format;
  any_order = reliable && roce.receiver == RoceConfig::Receiver::kAnyOrder;
  ttl = static_cast<std::uint8_t>(format.ttl);
  ack_size = static_cast<std::uint16_t>(roce.ack_size.count());
  ack_every = roce.ack_every;
  if (reliable && roce.window != 0) window = roce.window;
  queue_pairs = reliable ? roce.queue_pairs : 1;
  retry_limit = roce.retry_limit;
  retransmit_timeout = roce.retransmit_timeout;
  payload = format.payload;
  header = format.header;
  if (reliable) control.control = static_cast<std::uint8_t>(roce.congestion_control.index());
  ack_class = response_class(switches, roce.ack_class, kSame);
  cnp_class = response_class(switches, roce.cnp_class, kSame);
}

RoceConfig ScaleUpConfig::transport() const {
  RoceConfig roce;
  roce.format = format;
  roce.ack_size = ack_size;
  roce.ack_every = std::numeric_limits<std::uint32_t>::max();
  roce.receiver = RoceConfig::Receiver::kAnyOrder;
  roce.cnp_class = kSameClass;
  roce.congestion_control = congestion::NoControlConfig{};
  return roce;
}

NetworkConstants::NetworkConstants(const SwitchConfig& switches, const NicConfig& nic,
                                   const TransportConfig& transport,
                                   const std::vector<ScaleUpConfig>& scale_up,
                                   std::uint64_t run_seed, Picoseconds control)
    : classes(static_cast<std::uint32_t>(switches.classes.size())),
      class_shift(static_cast<std::uint32_t>(std::bit_width(switches.classes.size() - 1))),
      pause_frame(switches.pause.wire_bytes()),
      cut_through_after(switches.cut_through_after),
      seed(run_seed),
      pause_until_resume(switches.pause.quanta == PauseConfig::Quanta::kUntilResume),
      release_at_start(switches.release == SwitchConfig::Release::kTransmissionStart),
      input_queued(switches.queueing == SwitchConfig::Queueing::kInput),
      random_arbitration(switches.arbitration == SwitchConfig::Arbitration::kRandom),
      cut_through(switches.forwarding == SwitchConfig::Forwarding::kCutThrough),
      control_latency(control) {
  WEFT_CHECK(classes >= 1 && classes <= kMaxClasses, "a set of classes is one byte");
  WEFT_CHECK(scale_up.size() <= kMaxScaleUpKinds, "each kind of domain has a transport");
  transports[0] = TransportConstants(transport, switches);
  for (const ScaleUpConfig& domain : scale_up) {
    TransportConstants& t = transports[transport_count++];
    t = TransportConstants(domain.transport(), switches);
    // Chips neither acknowledge nor care for the order.
    TransportConstants& in_network = transports[transport_count++];
    in_network = t;
    in_network.reliable = false;
    in_network.reduction_window = domain.reduction_window;
    in_network.header = domain.reduction_header;
  }
  if (nic.receive_rate) {
    receive_rate = *nic.receive_rate;
    receive_buffer = nic.receive_buffer;
    nic_xoff = nic.xoff;
    nic_xon = nic.xon;
  }

  bool is_partitioned = false;
  for (std::uint32_t c = 0; c < classes; ++c) {
    const TrafficClass& config = switches.classes[c];
    of_class[c] = ClassConstants(config);
    of_class[c].quantum = static_cast<std::int32_t>(config.weight * largest_packet().count());
    const LoadBalancing& balancing = switches.balancing(config);
    of_class[c].balancing = balancing.type;
    of_class[c].flowlet_gap = balancing.gap;
    if (balancing.type == LoadBalancing::kFlowlet) {
      has_flowlets = true;
      flowlet_mask = std::max(flowlet_mask, std::bit_ceil(balancing.entries) - 1);
    }
    is_partitioned = is_partitioned || of_class[c].has_partitions;
    if (config.scheduling == TrafficClass::Scheduling::kStrict) {
      strict |= static_cast<std::uint8_t>(1U << c);
    }
    if (config.is_credit()) {
      credit |= static_cast<std::uint8_t>(1U << c);
      credit_processing[c] = config.credit().processing;
    }
  }
  // Where one class has a part of its own, the others share what is left.
  for (ClassConstants& c : of_class) c.has_partitions = is_partitioned;
}

Bytes NetworkConstants::largest_packet() const {
  Bytes largest;
  for (std::uint32_t i = 0; i < transport_count; ++i) {
    const TransportConstants& t = transports[i];
    largest = std::max({largest, t.payload + t.header, Bytes(t.ack_size)});
  }
  return largest;
}

Features NetworkConstants::needs() const {
  const auto weighted =
      static_cast<unsigned>((1U << classes) - 1U) & ~static_cast<unsigned>(strict);
  Features features;
  features.add(Feature::kWeightedClasses, (weighted & (weighted - 1)) != 0);
  features.add(Feature::kPartitions, of_class[0].has_partitions);
  features.add(Feature::kCells, has_cells);
  features.add(Feature::kCredits, credit != 0);
  features.add(Feature::kInputQueues, input_queued);
  features.add(Feature::kCutThrough, cut_through);
  features.add(Feature::kReceiveRate, receive_rate != BitsPerSecond());
  features.add(Feature::kFaults, has_faults);
  features.add(Feature::kTraces, traces_queues || traces_packets);
  features.add(Feature::kTransports, transport_count > 1);
  features.add(Feature::kHostPorts, has_host_ports);
  features.add(Feature::kInNetwork, works_in_network);
  return features;
}

}  // namespace weft::protocols
