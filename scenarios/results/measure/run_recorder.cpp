#include "scenarios/results/measure/run_recorder.hpp"

#include <span>
#include <vector>

#include "scenarios/results/measure/collect_switching.hpp"

namespace weft::scenarios {

RunRecorder::RunRecorder(const Experiment& e, collectives::Executor& executor,
                         ZeroLoadTimes& ideals, const MessageSink& sink, PathFinder* paths,
                         Timeline* timeline)
    : e_(e),
      paths_(paths),
      timeline_(timeline),
      messages_(e, executor, ideals, sink),
      collectives_(e, executor, ideals, paths),
      activities_(e),
      is_measuring_(e.scenario.run.warmup == Picoseconds(0)) {}

void RunRecorder::take(protocols::PacketNetwork& network) {
  network.take_ended_messages([&](std::span<const protocols::MessageOutcome> ended) {
    if (paths_ != nullptr) paths_->add(ended);
    if (timeline_ != nullptr) timeline_->add(ended);
    messages_.add(ended);
    collectives_.add(ended);
    activities_.add(ended, network.now(), &network);
  });
  if (!network.has_paused()) activities_.sum_up();
  collectives_.settle([&](const auto& visit) { network.for_each_pending_message(visit); },
                      [&] { return held(network); });
}

std::vector<MessageResult> RunRecorder::untaken(const protocols::PacketNetwork& network) {
  std::vector<MessageResult> messages;
  network.for_each_ended_message([&](const protocols::MessageOutcome& outcome) {
    if (const auto message = messages_.measured(outcome)) messages.push_back(*message);
  });
  return messages;
}

void RunRecorder::finish(protocols::PacketNetwork& network, Results& results) {
  take(network);
  const std::vector<protocols::MessageOutcome> pending = network.pending_messages();
  if (paths_ != nullptr) paths_->add(pending);
  if (timeline_ != nullptr) timeline_->add_pending(pending, results.simulated);
  messages_.add(pending);
  collectives_.add(pending);
  activities_.add(pending, results.simulated, &network);
  if (add_last_) add_last_();
  messages_.finish(results);
  collectives_.finish([&] { return held(network); }, results);
  collect_pauses(e_, network, activities_, results);
}

BlockedTimes RunRecorder::held(const protocols::PacketNetwork& network) const {
  if (!is_measuring_) return {e_, {}, {}};
  return {e_, network.pauses(), network.credit_waits()};
}

}  // namespace weft::scenarios
