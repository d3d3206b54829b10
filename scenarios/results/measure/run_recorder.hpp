#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/measure/flow_activities.hpp"
#include "scenarios/results/measure/iteration_collector.hpp"
#include "scenarios/results/measure/message_collector.hpp"
#include "scenarios/results/measure/message_sink.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/run_state.hpp"
#include "scenarios/timeline/timeline.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

/// Follows the messages of a run of the packet engine while it runs, so that nobody keeps those
/// that are over.
class RunRecorder {
 public:
  /// All arguments must outlive it; `paths` and `timeline` may be null.
  RunRecorder(const Experiment& experiment, collectives::Executor& executor, ZeroLoadTimes& ideals,
              const MessageSink& sink, PathFinder* paths, Timeline* timeline);

  /// Statistics began again: nothing is known of flow control before.
  void begin_measurement() { is_measuring_ = true; }
  /// Before a run that may be discarded: rows of messages are put out at its end.
  void keep_rows() { messages_.keep_rows(); }
  /// For messages that the network does not carry. Before the last ones are counted, `add` is
  /// called once more.
  [[nodiscard]] MessageCollector& messages() { return messages_; }
  [[nodiscard]] FlowActivities& activities() { return activities_; }
  void on_last_message(std::function<void()> add) { add_last_ = std::move(add); }
  /// Takes what is over by now.
  void take(protocols::PacketNetwork& network);
  /// For who watches: what is over and not taken, and how far a job is with its iterations.
  [[nodiscard]] std::vector<MessageResult> untaken(const protocols::PacketNetwork& network);
  [[nodiscard]] RunState::Job steps_of(std::uint32_t job) const {
    return collectives_.steps_of(job);
  }
  /// Takes the rest, and hands over messages, collectives and pauses. Needs the jobs of the
  /// results.
  void finish(protocols::PacketNetwork& network, Results& results);

 private:
  [[nodiscard]] BlockedTimes held(const protocols::PacketNetwork& network) const;

  const Experiment& e_;
  PathFinder* paths_;
  Timeline* timeline_;
  MessageCollector messages_;
  IterationCollector collectives_;
  FlowActivities activities_;
  std::function<void()> add_last_;
  bool is_measuring_;
};

}  // namespace weft::scenarios
