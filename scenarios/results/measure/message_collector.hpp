#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/measure/message_sink.hpp"
#include "scenarios/results/message_phase.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"

namespace weft::scenarios {

/// Sums up messages by the iteration of their job that ran on the rank that they come from when
/// they were posted. Of a job without iterations all are one phase.
class MessagePhases {
 public:
  /// Both must outlive it.
  MessagePhases(const collectives::Workload& workload, const collectives::Executor& executor)
      : workload_(workload), executor_(executor), phases_(workload.jobs().size()) {}

  /// A message that comes from `origin`, of an iteration that the executor has not forgotten.
  void add(ProcessId origin, const MessageResult& message);
  /// Messages between two ranks of a job without iterations of its own, as often as they were sent;
  /// `rows` counts times from when they first could be, and those begins add up to `starts`.
  void add(std::uint32_t job, const RowName& name, const RowSum& rows, std::uint64_t messages,
           std::uint64_t times, std::uint64_t starts);
  /// Those of all jobs that have messages, by job and iteration.
  [[nodiscard]] std::vector<MessagePhase> take();

 private:
  [[nodiscard]] MessagePhase& phase_of(std::uint32_t job, std::uint32_t iteration);
  /// Ranks of jobs with streams begin iterations each on its own: all of them are one phase.
  [[nodiscard]] bool has_iterations(std::uint32_t job) const;
  [[nodiscard]] Picoseconds start_of(std::uint32_t job, std::uint32_t iteration) const;

  const collectives::Workload& workload_;
  const collectives::Executor& executor_;
  std::vector<std::vector<MessagePhase>> phases_;  ///< by job and iteration
};

/// Messages of a job by classes of their sizes.
class SizeClasses {
 public:
  explicit SizeClasses(std::vector<Bytes> ends) : ends_(std::move(ends)), counts_(ends_.size()) {}

  void add(const MessageResult& message, std::uint64_t times = 1);
  /// What there is of the job of this number.
  void finish(std::uint32_t job, Results& results) const;

 private:
  std::vector<Bytes> ends_;  ///< ascending
  std::vector<MessageStatistics> counts_;
};

/// From what happened to messages to what is known of them: counts and distributions, sums for the
/// digest, and rows for whoever wants them.
class MessageCollector {
 public:
  /// All arguments must outlive it.
  MessageCollector(const Experiment& experiment, const collectives::Executor& executor,
                   ZeroLoadTimes& ideals, const MessageSink& sink);

  /// Messages in the order that a sink sees. That a completed one took no less than its zero-load
  /// time holds exactly, or a model is wrong: ends the program.
  void add(std::span<const protocols::MessageOutcome> messages);
  /// What a sink would see of a message; nothing if it was posted before the measurement began.
  [[nodiscard]] std::optional<MessageResult> measured(const protocols::MessageOutcome& message);
  /// A message as often as it was sent; for the statistics alone.
  void add(const MessageResult& message, std::uint64_t times);
  [[nodiscard]] MessageResult result_of(const protocols::MessageOutcome& message);
  [[nodiscard]] MessagePhases& phases() { return phases_; }
  /// Before the run: rows are put out at the end, so that more can come between them.
  void keep_rows() { keeps_rows_ = static_cast<bool>(sink_); }
  [[nodiscard]] bool keeps_rows() const { return keeps_rows_; }
  void add_row(const protocols::MessageOutcome& outcome) {
    rows_.push_back({outcome, result_of(outcome)});
  }
  /// After the last message.
  void finish(Results& results);

 private:
  struct Row {
    protocols::MessageOutcome outcome;
    MessageResult message;
  };
  void put_out_rows();

  const Experiment& e_;
  ZeroLoadTimes& ideals_;
  const MessageSink& sink_;
  ConnectionTransports transports_;
  MessagePhases phases_;
  MessageStatistics all_;
  std::vector<MessageStatistics> of_job_;
  std::vector<SizeClasses> sizes_;  ///< by job
  bool keeps_rows_ = false;
  std::vector<Row> rows_;
};

}  // namespace weft::scenarios
