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

void FlowActivities::add(std::span<const protocols::MessageOutcome> messages, Picoseconds end) {
  const Picoseconds warmup = e_.scenario.run.warmup;
  for (const protocols::MessageOutcome& m : messages) {
    const ConnectionTransport transport = transports_.of(m.connection);
    const OptionalTime over = transport.is_acknowledged ? m.acknowledged : m.delivered;
    const protocols::Period period{std::max(m.posted, warmup), over.value_or(end)};
    if (period.end <= warmup) continue;
    const std::size_t place = m.queue_pair.value();
    if (place >= is_counted_.size()) is_counted_.resize(place + 1);
    if (!is_counted_[m.queue_pair]) ++count_;
    is_counted_[m.queue_pair] = true;
    if (!can_be_paused_[transport.traffic_class]) continue;
    Flow& flow = flows_[m.queue_pair];
    flow.connection = m.connection;
    flow.queue_pair = m.queue_pair;
    flow.entropy = m.entropy;
    // Only what nobody acknowledges can be over in another order than it was posted in.
    if (flow.active.empty() || period.start > flow.active.back().end) {
      flow.active.push_back(period);
    } else {
      flow.active.back().end = std::max(flow.active.back().end, period.end);
    }
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
