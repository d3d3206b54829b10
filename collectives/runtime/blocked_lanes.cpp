#include "collectives/runtime/blocked_lanes.hpp"

#include <array>
#include <cstdio>

#include "simcore/text/quantity_text.hpp"

namespace weft::collectives {

namespace {

/// Exact where that is short; else four digits, which tell people more than a row of twelve.
std::string time_text(Picoseconds time) {
  constexpr std::size_t kShort = 8;
  std::string exact = quantity_text(time.count(), dimension_of<Picoseconds>());
  if (exact.size() <= kShort) return exact;
  const auto units = dimension_of<Picoseconds>().units;
  const Unit* unit = &units.front();
  for (const Unit& larger : units) {
    if (time.count() >= larger.factor) unit = &larger;
  }
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.4g",
                static_cast<double>(time.count()) / static_cast<double>(unit->factor));
  return digits.data() + std::string(unit->name);
}

}  // namespace

std::vector<std::string> BlockedLanes::describe(std::size_t limit) const {
  std::vector<std::string> sentences;
  std::size_t others = 0;
  for (std::size_t i = 0; i < workload.process_hosts().size(); ++i) {
    const ProcessId process(i);
    const std::uint32_t count = workload.jobs()[workload.job_of(process)].lanes;
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      if (lanes[workload.lane_index(process, lane)].status == LaneStatus::kDone) continue;
      if (sentences.size() < limit) {
        sentences.push_back(sentence_of(process, lane));
      } else {
        ++others;
      }
    }
  }
  if (others > 0) sentences.push_back("and " + std::to_string(others) + " more wait");
  return sentences;
}

std::string BlockedLanes::sentence_of(ProcessId process, std::uint32_t number) const {
  const JobPlan& job = workload.jobs()[workload.job_of(process)];
  const std::string channel = job.lanes > 1 ? ", channel " + std::to_string(number) + "," : "";
  return "rank " + std::to_string(workload.rank_of(process)) + " of job " + job.name +
         place_of(process) + channel + " waits " + wait_of(process, number);
}

std::string BlockedLanes::place_of(ProcessId process) const {
  return " (" + host_name(workload.process_hosts()[process.value()]) + ")";
}

std::string BlockedLanes::peer_name(ProcessId process) const {
  return "rank " + std::to_string(workload.rank_of(process)) + place_of(process);
}

std::string BlockedLanes::begin_of(ProcessId process) const {
  const OptionalTime begin = processes[process.value()].begin;
  if (begin) return "until the job starts at " + time_text(*begin);
  std::string jobs;
  for (const std::uint32_t job : workload.jobs()[workload.job_of(process)].after) {
    jobs += (jobs.empty() ? "" : ", ") + workload.jobs()[job].name;
  }
  return "for the end of " + jobs;
}

std::string BlockedLanes::wait_of(ProcessId process, std::uint32_t number) const {
  const std::uint32_t index = workload.lane_index(process, number);
  const Lane& lane = lanes[index];
  switch (lane.status) {
    case LaneStatus::kNotStarted:
      return begin_of(process);
    case LaneStatus::kReceiving:
      return "for a message from " + peer_name(workload.origin_of(lane.connection));
    case LaneStatus::kFlushing: {
      auto [connection, end] = workload.sends_of(index);
      while (connection + 1 < end && outstanding[connection] == 0) ++connection;
      const bool reads = workload.jobs()[workload.job_of(process)].reads();
      return (reads ? "for data that it reads from " : "for the acknowledgement of a message to ") +
             peer_name(workload.target_of(ConnectionId(connection)));
    }
    case LaneStatus::kAwaitingLane:
      return "for another channel of the rank";
    case LaneStatus::kAwaitingStream:
      return "for tasks of its stream " +
             workload.jobs()[workload.job_of(process)].program->task_streams().stream_name(
                 workload.rank_of(process), lane.step.peer);
    case LaneStatus::kAwaitingWindow:
      return "for the acknowledgement of one of " +
             std::to_string(outstanding[lane.connection.value()]) + " messages to " +
             peer_name(workload.target_of(lane.connection));
    case LaneStatus::kSleeping:
      return "until " + time_text(lane.step.time());
    case LaneStatus::kAwaitingControlEvents:
      return "for control events: " + std::to_string(lane.control_events) + " of " +
             std::to_string(lane.step.count()) + " have come";
    case LaneStatus::kRunning:
    case LaneStatus::kDone:
      break;
  }
  return "for nothing";
}

}  // namespace weft::collectives
