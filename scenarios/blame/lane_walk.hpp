#pragma once

#include <cstdint>
#include <vector>

#include "collectives/runtime/executor.hpp"
#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/message_log.hpp"

namespace weft::scenarios {

/// A message on a critical path, from its posting to its delivery. What its packets did meanwhile
/// is found by a second run that looks at them.
struct PathMessage {
  ConnectionId connection;
  MessageLog::Message message;
  Picoseconds from;  ///< the part of it that the path needs
  Picoseconds until;
};

/// A run, or an epoch that was simulated apart, whose lanes kept what they spent their time on.
struct WalkedRun {
  const collectives::Workload& workload;
  const collectives::Executor& executor;
  const MessageLog& messages;
  Picoseconds control_latency;  ///< of control events
};

/// Goes back from what a lane of a rank did, to the cause of each event: what ended last of all
/// that it waited for (of several the rank's own work).
class LaneWalk {
 public:
  struct Place {
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    Picoseconds now;
  };

  /// Along a job, back to `begin`. Adds what it finds to `charges` and `messages`, later ones
  /// first. All arguments must outlive it.
  LaneWalk(const WalkedRun& run, std::uint32_t job, Picoseconds begin, std::vector<Charge>& charges,
           std::vector<PathMessage>& messages)
      : run_(run),
        job_number_(job),
        job_(run.workload.jobs()[job]),
        begin_(begin),
        charges_(charges),
        messages_(messages) {}

  void go_to(const Place& place) {
    at_ = place;
    was_woken_ = false;
  }
  [[nodiscard]] const Place& place() const { return at_; }
  /// To the begin, or to where the lane did nothing that ended then; true: it is there.
  [[nodiscard]] bool reaches_gap();
  /// The last thing that was followed is that this lane let another one continue.
  [[nodiscard]] bool was_woken() const { return was_woken_; }
  /// At a gap: the lane had not begun, back to the last thing that it did.
  void pass_gap();
  /// From a message that was delivered to the rank now, when nobody waited for it, to where it was
  /// posted. False: there is none.
  [[nodiscard]] bool follow_delivery();

 private:
  [[nodiscard]] const collectives::SpanLog& spans() const {
    const ProcessId process = job_.process(at_.rank);
    const std::uint32_t lane = run_.executor.lane_of_waits(process, at_.lane);
    return run_.executor.spans(run_.workload.lane_index(process, lane));
  }
  [[nodiscard]] Culprit own_rank() const { return Culprit::rank(job_number_, at_.rank); }
  /// The time since `begin`.
  void charge(Picoseconds begin, Cause cause, Culprit culprit);
  void follow(const collectives::Span& span);
  /// False: the message is not known.
  bool receive(const collectives::Span& span);
  /// The contribution that was posted last; of several that of the least member.
  [[nodiscard]] std::pair<ConnectionId, const MessageLog::Message*> last_of_sum(
      const Connection& sum, ConnectionId own, std::uint32_t ordinal) const;
  /// From where the data of a read was posted to where it was asked for.
  void follow_request(ConnectionId data);
  /// To where a message was posted.
  void go_back(ConnectionId connection, const MessageLog::Message& message);

  const WalkedRun& run_;
  const std::uint32_t job_number_;
  const collectives::JobPlan& job_;
  const Picoseconds begin_;
  std::vector<Charge>& charges_;
  std::vector<PathMessage>& messages_;
  Place at_;
  bool was_woken_ = false;
  /// Events of lanes at one instant go one way, so there are at most as many in a row as lanes;
  /// more would be a circle.
  std::uint32_t events_ = 0;
};

}  // namespace weft::scenarios
