#include "collectives/runtime/executor.hpp"

/// What is told to whoever watches ranks.
namespace weft::collectives {

void Executor::note(ProcessId self, std::uint32_t lane, const Span& span, std::uint32_t number) {
  if (span.end <= span.begin) return;
  Activity activity{.begin = span.begin,
                    .end = span.end,
                    .work = span.work,
                    .place = static_cast<std::uint16_t>(lane),
                    .number = number,
                    .connection = span.connection};
  switch (span.kind) {
    case Span::Kind::kLane:
      return;  // that one's own activities say what it did
    case Span::Kind::kWork:
      break;
    case Span::Kind::kReceive:
      activity.kind = Activity::Kind::kReceive;
      break;
    case Span::Kind::kAcknowledgement:
      activity.kind = Activity::Kind::kAcknowledgement;
      break;
    case Span::Kind::kControlEvent:
      activity.kind = Activity::Kind::kControlEvent;
      activity.number = span.ordinal;
      break;
  }
  watched_->add(self, activity);
}

void Executor::end_watch(Picoseconds now) {
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    const ProcessId self(p);
    if (!is_watched(self)) continue;
    const Process& process = processes_[p];
    const JobPlan& job = job_of(self);
    const std::uint32_t begun = process.iterations.begun();
    if (begun > process.iterations.ended()) {
      watched_->add(self, {.begin = process.iterations[begun - 1].begin,
                           .end = now,
                           .kind = Activity::Kind::kIteration,
                           .number = begun - 1});
    }
    for (std::uint32_t s = 1; s < process.streams.size(); ++s) {
      const Stream& stream = process.streams[s];
      if (stream.started == stream.finished) continue;
      watched_->add(self, {.begin = stream.started_at,
                           .end = now,
                           .kind = Activity::Kind::kTask,
                           .place = static_cast<std::uint16_t>(s),
                           .number = stream.started_block});
    }
    for (std::uint32_t l = 0; l < job.lanes; ++l) {
      const Lane& lane = lanes_[workload_.lane_index(self, l)];
      const bool waits = lane.status != LaneStatus::kNotStarted &&
                         lane.status != LaneStatus::kRunning && lane.status != LaneStatus::kDone;
      if (!waits) continue;
      const Span span = waited(lane, now);
      // Nobody knows yet which message or control event it will be.
      if (span.kind == Span::Kind::kControlEvent) continue;
      note(self, l, span, lane.step.block);
    }
  }
}

}  // namespace weft::collectives
