#include "scenarios/results/measure/flow_activities.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::scenarios {

FlowActivities::FlowActivities(const Experiment& e)
    : e_(e), transports_(e.scenario, e.fabric, e.routes, e.workload) {
  for (const protocols::TrafficClass& c : e.scenario.switches.classes) {
    can_be_paused_.push_back(c.is_pfc());
  }
}

void FlowActivities::add(std::span<const protocols::MessageOutcome> messages, Picoseconds end,
                         const protocols::PacketNetwork* network) {
  const Picoseconds warmup = e_.scenario.run.warmup;
  for (const protocols::MessageOutcome& m : messages) {
    const ConnectionTransport transport = transports_.of(m.connection);
    const OptionalTime over = transport.is_acknowledged ? m.acknowledged : m.delivered;
    const protocols::Period period{std::max(m.posted, warmup), over.value_or(end)};
    if (period.end <= warmup) continue;
    const bool can_be_paused = can_be_paused_[transport.traffic_class];
    if (!transport.is_split || network == nullptr) {
      add(m.connection, m.queue_pair, m.entropy, period, can_be_paused);
      continue;
    }
    const std::uint32_t label = e_.workload.connections()[m.connection.value()].flow_label;
    const std::uint32_t first = m.queue_pair.value() - network->number_in_connection(m);
    for (std::uint32_t i = 0; i < transport.queue_pairs; ++i) {
      const std::uint32_t entropy =
          flow_entropy(transports_.source_of(m.connection),
                       transports_.destination_of(m.connection), queue_pair_number(label, i));
      add(m.connection, protocols::QueuePairId(first + i), entropy, period, can_be_paused);
    }
  }
}

void FlowActivities::add(ConnectionId connection, protocols::QueuePairId queue_pair,
                         std::uint32_t entropy, const protocols::Period& period,
                         bool can_be_paused) {
  const std::size_t place = queue_pair.value();
  if (place >= is_counted_.size()) is_counted_.resize(place + 1);
  if (!is_counted_[queue_pair]) ++count_;
  is_counted_[queue_pair] = true;
  if (!can_be_paused) return;
  Flow& flow = flows_[queue_pair];
  flow.connection = connection;
  flow.queue_pair = queue_pair;
  flow.entropy = entropy;
  // Only what nobody acknowledges can be over in another order than it was posted in.
  if (flow.active.empty() || period.start > flow.active.back().end) {
    flow.active.push_back(period);
  } else {
    flow.active.back().end = std::max(flow.active.back().end, period.end);
  }
}

void FlowActivities::sum_up() {
  for (auto& [number, flow] : flows_) {
    // The last one may continue.
    for (std::size_t i = 0; i + 1 < flow.active.size(); ++i) {
      flow.before += flow.active[i].end - flow.active[i].start;
    }
    if (flow.active.size() > 1) flow.active = {flow.active.back()};
  }
}

std::vector<FlowActivities::Flow> FlowActivities::take() {
  std::vector<Flow> flows;
  flows.reserve(flows_.size());
  for (auto& [number, flow] : std::exchange(flows_, {})) flows.push_back(std::move(flow));
  std::ranges::sort(flows, {},
                    [](const Flow& f) { return std::tuple(f.connection, f.queue_pair); });
  return flows;
}

}  // namespace weft::scenarios
