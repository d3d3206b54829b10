#include "scenarios/timeline/timeline_tracks.hpp"

#include <fmt/format.h>

namespace weft::scenarios {

using collectives::JobPlan;

TimelineTracks::TimelineTracks(const Experiment& e, TracePart& part)
    : e_(e), part_(part), next_thread_(free_process() + 1) {
  for (const JobPlan& job : e.workload.jobs()) {
    std::vector<std::uint32_t>& first =
        first_lane_.emplace_back(job.program->task_streams().streams());
    for (std::uint32_t lane = job.lanes; lane-- > 0 && !first.empty();) {
      first[job.program->task_streams().stream_of(lane)] = lane;
    }
  }
}

std::int32_t TimelineTracks::free_process() const {
  return static_cast<std::int32_t>(e_.workload.jobs().size() + e_.workload.process_hosts().size() +
                                   1);
}

std::uint32_t TimelineTracks::fixed_places(std::uint32_t job) const {
  const JobPlan& plan = e_.workload.jobs()[job];
  return plan.lanes + plan.program->task_streams().streams() + 3;
}

TraceTrack TimelineTracks::new_process(std::int32_t number, const std::string& name) {
  // Even numbers; the odd ones are of counters.
  const TraceTrack track{.id = last_id_ += 2, .process = number, .thread = number};
  part_.add_process(track, name);
  return track;
}

TraceTrack TimelineTracks::new_thread(const TraceTrack& process, std::int32_t number,
                                      const std::string& name) {
  const TraceTrack track{
      .id = last_id_ += 2, .parent = process.id, .process = process.process, .thread = number};
  part_.add_thread(track, name);
  return track;
}

TimelineTracks::Rank& TimelineTracks::rank(ProcessId process) {
  Rank& rank = ranks_[process.value()];
  if (rank.self.id > 0) return rank;
  const std::uint32_t job = e_.workload.job_of(process);
  const std::string& host = e_.fabric.host(e_.workload.process_hosts()[process.value()]).name;
  rank.self =
      new_process(static_cast<std::int32_t>(e_.workload.jobs().size() + process.value() + 1),
                  fmt::format("{} rank {} ({})", e_.workload.jobs()[job].name,
                              e_.workload.rank_of(process), host));
  rank.self.thread = next_thread_;
  next_thread_ += static_cast<std::int32_t>(fixed_places(job));
  return rank;
}

template <class Name>
const TraceTrack& TimelineTracks::thread(ProcessId process, std::uint32_t place, Name name) {
  Rank& of = rank(process);
  TraceTrack& track = of.threads[place];
  if (track.id == 0) {
    const bool is_fixed = place < fixed_places(e_.workload.job_of(process));
    const std::int32_t number =
        is_fixed ? of.self.thread + static_cast<std::int32_t>(place) : next_thread_++;
    track = new_thread(of.self, number, name());
  }
  return track;
}

const TraceTrack& TimelineTracks::iterations(ProcessId process) {
  return thread(process, 0, [] { return std::string("iterations"); });
}

// A stream comes before its lanes.
const TraceTrack& TimelineTracks::stream(ProcessId process, std::uint32_t stream) {
  const std::uint32_t job = e_.workload.job_of(process);
  return thread(process, 1 + stream + first_lane_[job][stream], [&] {
    return e_.workload.jobs()[job].program->task_streams().stream_name(e_.workload.rank_of(process),
                                                                       stream);
  });
}

const TraceTrack& TimelineTracks::lane(ProcessId process, std::uint32_t lane) {
  const JobPlan& job = e_.workload.jobs()[e_.workload.job_of(process)];
  const std::uint32_t stream =
      job.program->task_streams().streams() == 0 ? 0 : job.program->task_streams().stream_of(lane);
  return thread(process, 2 + stream + lane, [&] { return lane_name(process, lane); });
}

std::string TimelineTracks::lane_name(ProcessId process, std::uint32_t lane) const {
  const std::uint32_t number = e_.workload.job_of(process);
  const JobPlan& job = e_.workload.jobs()[number];
  if (job.program->task_streams().streams() == 0) {
    return job.lanes == 1 ? "steps" : fmt::format("steps of channel {}", lane);
  }
  const std::uint32_t rank = e_.workload.rank_of(process);
  const std::uint32_t stream = job.program->task_streams().stream_of(lane);
  std::string name = job.program->task_streams().stream_name(rank, stream);
  if (stream == 0) return name;
  if (job.program->task_streams().lanes_of(rank, stream) == 1) return name + ": steps";
  return fmt::format("{}: steps of channel {}", name, lane - first_lane_[number][stream]);
}

const TraceTrack& TimelineTracks::arrivals(ProcessId process) {
  return thread(process, fixed_places(e_.workload.job_of(process)) - 1,
                [] { return std::string("arrivals"); });
}

const TraceTrack& TimelineTracks::messages(ProcessId process, Picoseconds begin, Picoseconds end) {
  Rank& of = rank(process);
  const std::uint32_t first = fixed_places(e_.workload.job_of(process));
  // The one that was free for the least time, so that there are as few as can be.
  const auto later = of.slots.upper_bound({begin, ~std::uint32_t{0}});
  std::uint32_t slot = of.slots_made;
  if (later != of.slots.begin()) {
    slot = std::prev(later)->second;
    of.slots.erase(std::prev(later));
  } else {
    ++of.slots_made;
  }
  of.slots.emplace(end, slot);
  return thread(process, first + slot,
                [slot] { return slot == 0 ? "messages" : fmt::format("messages {}", slot + 1); });
}

const TraceTrack& TimelineTracks::of_job(std::uint32_t job, OfJob which) {
  Job& of = jobs_[job];
  if (of.self.id == 0) {
    of.self =
        new_process(static_cast<std::int32_t>(job + 1), "job " + e_.workload.jobs()[job].name);
  }
  TraceTrack& track = of.threads[which];
  if (track.id == 0) {
    track = new_thread(of.self, next_thread_++,
                       which == OfJob::kIterations ? "iterations" : "critical path");
  }
  return track;
}

}  // namespace weft::scenarios
