#include "scenarios/measure/reused_phases.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "simcore/base/hash.hpp"

namespace weft::scenarios {
namespace {

using collectives::Workload;
using protocols::MessageOutcome;

/// What a connection of a component alone is in the whole: of the same ranks, in the same lane.
ConnectionId find_in_whole(const Workload& whole, const collectives::Component& component,
                           const Workload& here, ConnectionId connection) {
  const Connection& c = here.connections()[connection.value()];
  const collectives::JobPlan& plan = whole.jobs()[component.job];
  const auto process = [&](ProcessId p) { return plan.process(component.ranks[p.value()]); };
  const std::uint32_t lane = here.lane_of(connection);
  switch (c.kind) {
    case Connection::Kind::kReduce:
      return whole.reduction(process(c.source), component.ranks[c.destination.value()], lane);
    case Connection::Kind::kMulticast:
      return whole.multicast(process(c.source), lane);
    case Connection::Kind::kUnicast:
      break;
  }
  return whole.find(process(c.source), process(c.destination), lane);
}

}  // namespace

ReusedPhases::ReusedPhases(const Experiment& experiment, DomainReuse& reuse,
                           MessageCollector& messages, FlowActivities& activities)
    : e_(experiment),
      reuse_(reuse),
      messages_(messages),
      activities_(activities),
      connections_(reuse.components().all.size()),
      flows_(reuse.components().all.size()) {
  messages_.keep_rows();
  if (!messages_.keeps_rows()) return;
  reuse_.on_closed(
      [this](std::uint32_t component, Picoseconds start, const PhaseStore::Found& phase) {
        closed_.push_back({component, start, phase});
      });
}

const std::vector<ConnectionId>& ReusedPhases::connections_of(std::uint32_t component) {
  std::vector<ConnectionId>& found = connections_[component];
  if (!found.empty()) return found;
  const Workload& here = reuse_.store(component).any_replay().workload();
  for (std::uint32_t c = 0; c < here.connections().size(); ++c) {
    found.push_back(
        find_in_whole(e_.workload, reuse_.components().all[component], here, ConnectionId(c)));
  }
  return found;
}

MessageOutcome ReusedPhases::outcome_of(std::uint32_t component, const PhaseMessage& message,
                                        Picoseconds start) {
  const ConnectionId id = connections_of(component)[message.connection.value()];
  const Connection& c = e_.workload.connections()[id.value()];
  // All members of a reduction have the label of its owner's connection to itself.
  const ProcessId source = c.kind == Connection::Kind::kReduce ? c.destination : c.source;
  const auto host = [this](ProcessId p) { return e_.workload.process_hosts()[p.value()]; };
  const auto since = [start](Picoseconds time) {
    return time < Picoseconds(0) ? time : start + time;
  };
  return {.connection = id,
          .queue_pair = message.queue_pair,
          .last_sequence = 0,
          .entropy = flow_entropy(host(source), host(c.destination),
                                  queue_pair_number(c.flow_label, message.queue_pair)),
          .bytes = message.bytes,
          .posted = start + message.posted,
          .delivered = since(message.delivered),
          .acknowledged = since(message.acknowledged)};
}

std::pair<std::uint32_t, std::uint32_t> ReusedPhases::ends_of(std::uint32_t component,
                                                              ConnectionId connection) {
  const Workload& here = reuse_.store(component).any_replay().workload();
  const Connection& c = here.connections()[connection.value()];
  return {c.source.value(), c.destination.value()};
}

void ReusedPhases::take(protocols::PacketNetwork& network, collectives::Executor& executor) {
  std::vector<DomainReuse::Taken> all;
  const auto use = [&] {
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return std::less<>{}(a.phase, b.phase) || (a.phase == b.phase && a.component < b.component);
    });
    for (auto first = all.begin(); first != all.end();) {
      const auto end =
          std::find_if(first, all.end(), [&](const auto& t) { return t.phase != first->phase; });
      add_messages({first, end});
      std::for_each(first, end, [&](const auto& t) { add_counts(t, network, executor); });
      first = end;
    }
  };
  reuse_.take([&](const DomainReuse::Taken& taken) { all.push_back(taken); }, use);
}

void ReusedPhases::add_messages(std::span<const DomainReuse::Taken> taken) {
  const Phase& phase = *taken.front().phase;
  const std::uint32_t example = taken.front().component;
  std::uint64_t times = 0;
  for (const DomainReuse::Taken& t : taken) times += t.tally.times;
  struct Sum {
    RowSum rows;
    std::uint64_t messages = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> sums;
  std::set<std::pair<std::uint32_t, std::uint32_t>> flows;
  for (const PhaseMessage& m : phase.messages) {
    const MessageResult result = messages_.result_of(outcome_of(example, m, {}));
    messages_.add(result, times);
    Sum& sum = sums[ends_of(example, m.connection)];
    add_message(sum.rows, RowName(), result, {});
    ++sum.messages;
    flows.emplace(m.connection.value(), m.queue_pair);
  }
  for (const DomainReuse::Taken& t : taken) {
    const collectives::Component& component = reuse_.components().all[t.component];
    flows_[t.component].insert(flows.begin(), flows.end());
    for (const auto& [ends, sum] : sums) {
      messages_.phases().add(component.job,
                             RowName(component.ranks[ends.first], component.ranks[ends.second]),
                             sum.rows, sum.messages, t.tally.times, t.tally.starts);
    }
  }
}

void ReusedPhases::add_counts(const DomainReuse::Taken& taken, protocols::PacketNetwork& network,
                              collectives::Executor& executor) {
  const collectives::Component& component = reuse_.components().all[taken.component];
  const Phase& phase = *taken.phase;
  const DomainFabric& domain = reuse_.domain_of(taken.component);
  for (protocols::QueueShare share : phase.share.queues) {
    share.port = domain.ports[share.port.value()];
    network.add(share, taken.tally.times);
  }
  network.add(phase.share.sums, static_cast<std::uint8_t>(std::min(component.job, 255U)),
              phase.share.packet_latency, taken.tally.times);
  const collectives::JobPlan& plan = e_.workload.jobs()[component.job];
  for (std::uint32_t rank = 0; rank < phase.sent.size(); ++rank) {
    const PhaseSent& sent = phase.sent[rank];
    const auto count = static_cast<std::int64_t>(taken.tally.times);
    executor.add_sent(plan.process(component.ranks[rank]), count * sent.messages,
                      count * sent.bytes, taken.tally.last_start + sent.last_progress);
  }
}

void ReusedPhases::finish() {
  for (const auto& flows : flows_) activities_.count_more(flows.size());
  for (const Closed& closed : closed_) {
    for (const PhaseMessage& m : closed.phase->messages) {
      messages_.add_row(outcome_of(closed.component, m, closed.start));
    }
  }
  closed_.clear();
}

}  // namespace weft::scenarios
