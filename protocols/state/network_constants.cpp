#include <algorithm>
#include <bit>
#include <cmath>

#include "protocols/config/response_class.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {
namespace {

constexpr std::size_t kRoceModel = Transports::number_of<RoceConfig>();
constexpr std::size_t kDatagramModel = Transports::number_of<DatagramConfig>();

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
      ecn_rate(config.ecn.at_rate.value_or(BitsPerSecond())),
      victim(config.trimming.victim),
      trimmed_size(static_cast<std::uint16_t>(config.trimming.size.count())),
      marks_last_hop(config.ecn.marks_last_hop),
      tells_last_hop(config.trimming.tells_last_hop),
      egress_limit(config.egress_limit),
      has_wred(config.wred.enabled),
      spares_data(config.ecn.enabled),
      wred_weight(static_cast<std::uint8_t>(config.wred.weight)),
      wred_min(config.wred.min),
      wred_max(config.wred.max),
      wred_probability(fixed_point(config.wred.probability, 32)) {
  lossy_reserved = egress_reserved;
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
    headroom_reserved = pfc.headroom_reserved;
  }
  if (is_credit) {
    const CreditConfig& credit = config.credit();
    block = credit.block;
    padding = credit.added + block - Bytes(1);
    credit_blocks = static_cast<std::int32_t>(credit.buffer / block);
    update = credit.update;
  }
  has_partitions = is_dynamic || limits_headroom || limits_egress || reserved > Bytes() ||
                   egress_reserved > Bytes();
}

TransportConstants::TransportConstants(const TransportTraits& traits, std::size_t model,
                                       const SwitchConfig& switches)
    : sender_model(static_cast<std::uint8_t>(model)),
      receiver_model(static_cast<std::uint8_t>(model)),
      reliable(traits.is_acknowledged),
      any_order(traits.takes_any_order),
      is_stream(traits.is_stream),
      sacks(traits.sacks),
      acks_last(traits.acks_last),
      is_selective(traits.selective.has_value()),
      uses_trimming(traits.uses_trimming),
      is_per_message(traits.queue_pair_life == QueuePairLife::kMessage),
      splits_messages(traits.splits_messages),
      ttl(static_cast<std::uint8_t>(traits.format.ttl)),
      ack_class(response_class(switches, traits.ack_class, ClassId::none())),
      cnp_class(response_class(switches, traits.cnp_class, ClassId::none())),
      ack_size(static_cast<std::uint16_t>(traits.ack_size.count())),
      ack_every(traits.ack_every),
      ack_delay(traits.ack_delay),
      queue_pairs(traits.queue_pairs),
      retry_limit(traits.retry_limit),
      retransmit_timeout(traits.retransmit_timeout),
      max_timeout(traits.max_timeout),
      nack_interval(traits.nack_interval.value_or(Picoseconds())),
      selective(traits.selective.value_or(SelectiveRepeat())),
      has_contexts(traits.delivery.has_value()),
      delivery(traits.delivery.value_or(PacketDelivery())),
      payload(traits.format.payload),
      header(traits.format.header) {
  if (traits.ack_delay == Picoseconds()) min_window = traits.ack_every;
  if (traits.window != 0) window = traits.window;
  control.control = static_cast<std::uint8_t>(traits.congestion_control.index());
  control.needs = congestion::requirements_of(traits.congestion_control);
  if (control.needs.grants) credit = control;
  if (traits.receiver_control) {
    const congestion::ControlConfig beside = *traits.receiver_control;
    credit.control = static_cast<std::uint8_t>(beside.index());
    credit.needs = congestion::requirements_of(beside);
  }
  source_routes = traits.source_routes;
  entropy.choice = static_cast<std::uint8_t>(traits.path_selection.index());
  plane_choice = traits.planes.choice;
  if (selects_planes()) plane_notice = traits.planes.notice;
  plane_retry = traits.planes.retry;
  has_window_per_plane = traits.planes.has_window_per_plane() && control.needs.contexts;
}

std::uint32_t TransportConstants::cap(std::uint32_t bandwidth_delay) const {
  std::int64_t packets = bandwidth_delay;
  if (selective.cap) packets = *selective.cap / (payload + header);
  if (selective.cap == Bytes()) packets = kMaxSelective;
  const std::int64_t min = std::min(std::max(ack_every, 1U), kMaxSelective);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(packets, min, kMaxSelective));
}

TransportTraits ScaleUpConfig::traits() const {
  TransportTraits traits = RoceConfig().traits();
  traits.format = format;
  traits.ack_size = ack_size;
  traits.ack_every = RoceConfig::kMessage;
  traits.takes_any_order = true;
  traits.cnp_class = kSameClass;
  traits.congestion_control = congestion::NoControlConfig{};
  return traits;
}

namespace {

/// What a class is at ports whose settings are their own: of what differs by port.
ClassConstants differing(const ClassConstants& everywhere, const TrafficClass& config) {
  ClassConstants own(config);
  own.quantum = everywhere.quantum;
  own.place = everywhere.place;
  own.balancing = everywhere.balancing;
  own.flowlet_gap = everywhere.flowlet_gap;
  own.trims = everywhere.trims;
  own.trimmed_class = everywhere.trimmed_class;
  return own;
}

/// From the first class of a network to its last one.
ClassRange range_of(const SwitchConfig& switches, NetworkKind network) {
  std::uint32_t first = static_cast<std::uint32_t>(switches.classes.size());
  std::uint32_t end = 0;
  for (const ClassId c : switches.all_classes()) {
    if (switches.classes[c].network != network) continue;
    first = std::min<std::uint32_t>(first, c.value());
    end = c.value() + 1U;
  }
  return end == 0 ? ClassRange(0) : ClassRange(first, end);
}

void add_transports(const SwitchConfig& switches, const std::vector<TransportConfig>& scale_out,
                    const std::vector<ScaleUpConfig>& scale_up, NetworkConstants& to) {
  to.scale_out_transports = static_cast<std::uint32_t>(scale_out.size());
  std::array<std::uint8_t, congestion::ControlSpecs::kCount> parameters{};
  std::array<std::uint8_t, path_selection::Choices::kCount> of_entropy{};
  for (const TransportConfig& config : scale_out) {
    TransportConstants& t = to.transports[to.transport_count++];
    t = TransportConstants(traits_of(config), model_of(config), switches);
    t.control.parameters = parameters[t.control.control]++;
    if (t.control.needs.grants) {
      t.credit = t.control;
    } else if (t.has_grants()) {
      t.credit.parameters = parameters[t.credit.control]++;
    }
    t.entropy.parameters = of_entropy[t.entropy.choice]++;
  }
  for (const ScaleUpConfig& domain : scale_up) {
    TransportConstants& t = to.transports[to.transport_count++];
    t = TransportConstants(domain.traits(), kRoceModel, switches);
    // Scale-up switches neither acknowledge nor care for the order.
    TransportConstants& in_network = to.transports[to.transport_count++];
    in_network = t;
    in_network.sender_model = kDatagramModel;
    in_network.reliable = false;
    in_network.reduction_window = domain.reduction_window;
    in_network.header = domain.reduction_header;
  }
}

}  // namespace

NetworkConstants::NetworkConstants(const SwitchConfig& switches, const NicConfig& nic,
                                   const std::vector<TransportConfig>& scale_out,
                                   const std::vector<ScaleUpConfig>& scale_up,
                                   std::uint64_t run_seed, Picoseconds control)
    : classes(static_cast<std::uint32_t>(switches.classes.size())),
      pause_frame(switches.pause.wire_bytes()),
      cut_through_after(switches.cut_through_after),
      seed(run_seed),
      pause_until_resume(switches.pause.quanta == PauseConfig::Quanta::kUntilResume),
      pauses_expire(switches.pause.quanta == PauseConfig::Quanta::kExpire),
      release_at_start(switches.release == SwitchConfig::Release::kTransmissionStart),
      input_queued(switches.queueing == SwitchConfig::Queueing::kInput),
      random_arbitration(switches.arbitration == SwitchConfig::Arbitration::kRandom),
      cut_through(switches.forwarding == SwitchConfig::Forwarding::kCutThrough),
      retry(switches.link_retry),
      control_latency(control) {
  WEFT_CHECK(classes >= 1 && classes <= kMaxClasses, "a set of classes is one byte");
  WEFT_CHECK(scale_up.size() <= kMaxScaleUpKinds, "each kind of domain has a transport");
  WEFT_CHECK(!scale_out.empty() && scale_out.size() <= kMaxScaleOutTransports, "as many fit");
  add_transports(switches, scale_out, scale_up, *this);
  if (nic.receive_rate) {
    receive_rate = *nic.receive_rate;
    receive_buffer = nic.receive_buffer;
    nic_xoff = nic.xoff;
    nic_xon = nic.xon;
  }

  bool is_partitioned = false;
  for (const ClassId c : all_classes()) {
    const TrafficClass& config = switches.classes[c];
    of_class[c] = ClassConstants(config);
    of_class[c].quantum = static_cast<std::int32_t>(config.weight * largest_packet().count());
    if (config.trimming.enabled) {
      of_class[c].trims = true;
      of_class[c].trimmed_class = response_class(switches, config.trimming.service_class, c);
    }
    limits_egresses = limits_egresses || of_class[c].trims || config.egress_limit > Bytes();
    const LoadBalancing& balancing = switches.balancing(config);
    of_class[c].balancing = balancing.type;
    of_class[c].flowlet_gap = balancing.gap;
    if (balancing.type == LoadBalancing::kFlowlet) {
      has_flowlets = true;
      flowlet_mask = std::max(flowlet_mask, std::bit_ceil(balancing.entries) - 1);
    }
    is_partitioned = is_partitioned || of_class[c].has_partitions;
    if (config.scheduling == TrafficClass::Scheduling::kStrict) {
      strict |= class_bit(c);
    }
    if (config.is_credit()) {
      credit |= class_bit(c);
      credit_processing[c] = config.credit().processing;
      if (config.is_cbfc()) {
        cbfc |= class_bit(c);
        of_cbfc[c] = {.update_gap = config.cbfc().update_gap,
                      .update_period = config.cbfc().update_period,
                      .repair = config.cbfc().repair};
      }
    }
  }
  for (const NetworkKind network : {NetworkKind::kScaleOut, NetworkKind::kScaleUp}) {
    const ClassRange range = range_of(switches, network);
    first_to_last[static_cast<std::size_t>(network)] = range;
    for (const ClassId c : range) {
      if (of_class[c].network != network) continue;
      of_class[c].place = static_cast<std::uint8_t>(c.value() - (*range.begin()).value());
    }
  }
  add_settings(switches);
  for (const SettingsConstants& some : settings) {
    for (const ClassConstants& c : some.of_class) {
      is_partitioned = is_partitioned || c.has_partitions;
      limits_egresses = limits_egresses || c.egress_limit > Bytes();
    }
  }
  // Where one class has a part of its own, the others share what is left.
  for_each_class([&](ClassId, ClassConstants& c) { c.has_partitions = is_partitioned; });
}

void NetworkConstants::add_settings(const SwitchConfig& switches) {
  watchdog = WatchdogConstants(switches.watchdog);
  for (const PortSettings& some : switches.by_port.others) {
    SettingsConstants& own = settings.emplace_back();
    own.watchdog = WatchdogConstants(some.watchdog);
    for (const ClassId c : all_classes()) {
      own.of_class[c] = differing(of_class[c], some.classes[c]);
    }
  }
  bool has_wred = false;
  bool has_watchdog = watchdog.is_on;
  for (const SettingsConstants& some : settings) has_watchdog = has_watchdog || some.watchdog.is_on;
  for_each_class([&](ClassId c, ClassConstants& own) {
    has_wred = has_wred || own.has_wred;
    if (!switches.is_mixed(c)) return;
    own.is_mixed = true;
    own.lossy_reserved = Bytes();
  });
  drops_early = has_wred;
  has_watchdogs = has_watchdog;
  has_settings = !settings.empty() || has_wred || has_watchdog;
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
  features.add(Feature::kPartitions, of_class[ClassId()].has_partitions);
  features.add(Feature::kCells, has_cells);
  features.add(Feature::kCredits, credit != 0);
  features.add(Feature::kInputQueues, input_queued);
  features.add(Feature::kCutThrough, cut_through);
  features.add(Feature::kReceiveRate, receive_rate != BitsPerSecond());
  features.add(Feature::kFaults, has_faults || has_losses);
  features.add(Feature::kTraces, traces_queues || traces_packets || traces_messages);
  features.add(Feature::kTransports, transport_count > 1);
  features.add(Feature::kHostPorts, has_host_ports);
  features.add(Feature::kInNetwork, works_in_network);
  features.add(Feature::kTrimming, limits_egresses);
  features.add(Feature::kSettings, has_settings);
  features.add(Feature::kLinkRetry, retry.enabled);
  features.add(Feature::kSharedLinks, has_shared_links);
  for (std::uint32_t i = 0; i < transport_count; ++i) {
    const congestion::Needs& control = transports[i].control.needs;
    features.add(Feature::kTelemetry, control.telemetry || transports[i].has_grants());
    features.add(Feature::kGrants, transports[i].has_grants());
    features.add(Feature::kContexts, transports[i].has_contexts);
    features.add(Feature::kEntropies, !transports[i].entropy.is_fixed());
    features.add(Feature::kSourceRoutes, transports[i].source_routes);
  }
  return features;
}

}  // namespace weft::protocols
