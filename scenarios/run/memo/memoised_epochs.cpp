#include "scenarios/run/memo/memoised_epochs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/memo/epoch_messages.hpp"

namespace weft::scenarios {

using protocols::MessageOutcome;

MemoisedEpochs::MemoisedEpochs(const Experiment& experiment, RunReuse& reuse,
                               MessageCollector& messages, FlowActivities& activities)
    : e_(experiment),
      reuse_(reuse),
      messages_(messages),
      activities_(activities),
      is_measuring_(e_.scenario.run.warmup == Picoseconds(0)),
      transports_(e_.scenario, e_.fabric, e_.routes, e_.workload),
      splits_(e_.scenario.splits_messages()) {
  if (!messages_.keeps_rows()) return;
  reuse_.on_closed([this](const EpochPlace& place, Picoseconds start,
                          const std::shared_ptr<const CommEpoch>& epoch) {
    if (is_measuring_) closed_.push_back({&place, start, epoch});
  });
}

MessageOutcome MemoisedEpochs::outcome_of(const EpochPlace& place, const EpochMessage& message,
                                          Picoseconds start) const {
  const ConnectionId id = connection_of(e_.workload, place, message);
  return {.connection = id,
          .queue_pair = protocols::QueuePairId(message.queue_pair),
          .last_sequence = 0,
          .entropy = entropy_of(e_.workload, id, message.queue_pair),
          .bytes = message.bytes,
          .posted = start + message.posted,
          .delivered = start + message.delivered,
          .acknowledged = start + message.acknowledged};
}

void MemoisedEpochs::take(protocols::PacketNetwork& network, collectives::Executor& executor) {
  std::vector<MemoisedEpoch> all;
  const auto use = [&] {
    std::ranges::stable_sort(all, std::less<>{}, &MemoisedEpoch::epoch);
    for (auto first = all.begin(); first != all.end();) {
      const auto end =
          std::find_if(first, all.end(), [&](const auto& t) { return t.epoch != first->epoch; });
      if (is_measuring_) add_messages({first, end});
      std::for_each(first, end, [&](const auto& t) { add_counts(t, network, executor); });
      first = end;
    }
  };
  reuse_.take([&](const MemoisedEpoch& taken) { all.push_back(taken); }, use);
}

bool MemoisedEpochs::is_measured_flow(const MessageResult& m, Picoseconds start) const {
  const RunSpec& run = e_.scenario.run;
  if (m.is_complete()) return start + *m.completed > run.warmup;
  return !run.until || *run.until > run.warmup;
}

// Where one of them starts before the measurement, it is the only one.
void MemoisedEpochs::add_messages(std::span<const MemoisedEpoch> taken) {
  const CommEpoch& epoch = *taken.front().epoch;
  const Picoseconds start = taken.front().tally.last_start;
  std::uint64_t times = 0;
  for (const MemoisedEpoch& t : taken) times += t.tally.times;
  struct Sum {
    RowSum rows;
    std::uint64_t messages = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> sums;
  const auto key = [](const EpochMessage& m) {
    return std::tuple(m.source, m.destination, m.lane, m.kind, m.queue_pair);
  };
  std::set<decltype(key(EpochMessage()))> keys;
  std::vector<const EpochMessage*> flows;
  for (const EpochMessage& m : epoch.messages) {
    const MessageResult result = messages_.result_of(outcome_of(*taken.front().place, m, {}));
    if (is_measured_flow(result, start) && keys.insert(key(m)).second) flows.push_back(&m);
    if (start + m.posted < e_.scenario.run.warmup) continue;
    messages_.add(result, times);
    Sum& sum = sums[{m.source, m.destination}];
    add_message(sum.rows, RowName(), result, {});
    ++sum.messages;
  }
  for (const MemoisedEpoch& t : taken) {
    for (const EpochMessage* m : flows) {
      add_flow(connection_of(e_.workload, *t.place, *m), m->queue_pair);
    }
    for (const auto& [ends, sum] : sums) {
      messages_.phases().add(t.place->job,
                             RowName(t.place->ranks[ends.first], t.place->ranks[ends.second]),
                             sum.rows, sum.messages, t.tally.times, t.tally.starts);
    }
  }
}

void MemoisedEpochs::add_flow(ConnectionId connection, std::uint32_t queue_pair) {
  const auto add = [&](std::uint32_t number) {
    flows_.insert((std::uint64_t{connection.value()} << 32U) | number);
  };
  if (!splits_ || !transports_.of(connection).is_split) return add(queue_pair);
  for (std::uint32_t i = 0; i < transports_.queue_pairs_of(connection); ++i) add(i);
}

void MemoisedEpochs::add_counts(const MemoisedEpoch& taken, protocols::PacketNetwork& network,
                                collectives::Executor& executor) {
  const CommEpoch& epoch = *taken.epoch;
  for (protocols::QueueShare share : epoch.share.queues) {
    share.port = taken.place->ports[share.port.value()];
    network.add(share, taken.tally.times);
  }
  network.add_before(epoch.before, taken.tally.times);
  network.add(epoch.share.sums, static_cast<std::uint8_t>(std::min(taken.place->job, 255U)),
              epoch.share.packet_latency, taken.tally.times);
  const collectives::JobPlan& plan = e_.workload.jobs()[taken.place->job];
  for (std::uint32_t rank = 0; rank < epoch.sent.size(); ++rank) {
    const EpochSent& sent = epoch.sent[rank];
    const auto count = static_cast<std::int64_t>(taken.tally.times);
    executor.add_sent(plan.process(taken.place->ranks[rank]), count * sent.messages,
                      count * sent.bytes, taken.tally.last_start + sent.last_progress);
  }
}

void MemoisedEpochs::finish() {
  activities_.count_more(flows_.size());
  for (const Closed& closed : closed_) {
    for (const EpochMessage& m : closed.epoch->messages) {
      if (closed.start + m.posted < e_.scenario.run.warmup) continue;
      messages_.add_row(outcome_of(*closed.place, m, closed.start));
    }
  }
  closed_.clear();
}

}  // namespace weft::scenarios
