#include "scenarios/results/tables/collectives_table.hpp"

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const Table<CollectiveRow>& CollectivesTable::declaration() {
  using Row = CollectiveRow;
  static const Table<Row> table{
      "collectives.csv",
      "an iteration of a collective that all ranks ended",
      {{"job", "its name", [](const Row& r) { return r.job.name; }, "job"},
       {"operation", "as the scenario spells it", [](const Row& r) { return r.job.type; }},
       {"algorithm", "that carried it out", [](const Row& r) { return r.job.algorithm; }},
       {"protocol", "of NCCL; none: plain messages", [](const Row& r) { return r.job.protocol; }},
       {"iteration", "from 0", [](const Row& r) { return r.collective.iteration; }, "iteration"},
       {"size_bytes", "what nccl-tests calls its size",
        [](const Row& r) { return r.collective.size; }, "size_bytes"},
       {"start_s", "when the first rank began", [](const Row& r) { return r.collective.start; },
        "start_seconds"},
       {"end_s", "when the last rank ended", [](const Row& r) { return r.collective.end; }},
       {"time_s", "from start to end; the next one may have begun on other ranks by then",
        [](const Row& r) { return r.collective.end - r.collective.start; }, "seconds"},
       Column<Row>(
           "since_previous_s",
           "from the end of the one before, or the start of the job, to end: what blame.csv "
           "splits",
           [](const Row& r) { return r.collective.since_previous; }, "since_previous_seconds")
           .derived(),
       {"algbw_bytes_per_s", "size over time",
        [](const Row& r) { return per_second(r.collective.algorithm_bandwidth); },
        "algbw_bytes_per_second"},
       {"busbw_bytes_per_s", "the same, times the factor of nccl-tests",
        [](const Row& r) { return per_second(r.collective.bus_bandwidth); },
        "busbw_bytes_per_second"},
       {"start_skew_s", "from the first to the last rank's begin",
        [](const Row& r) { return r.collective.start_skew; }},
       {"end_skew_s", "from the first to the last rank's end",
        [](const Row& r) { return r.collective.end_skew; }, "end_skew_seconds"},
       {"mean_wait_s", "what ranks waited for messages, mean over ranks",
        [](const Row& r) { return r.collective.mean_wait; }, "mean_wait_seconds"},
       {"last_rank", "whose end is the end; the critical path leads to it",
        [](const Row& r) { return r.collective.last_rank; }},
       {"path_late_s", "critical path: waiting for the rank that it starts on",
        [](const Row& r) { return r.collective.path.late; }, "critical_path_seconds/late"},
       {"path_launch_s", "critical path: launch latencies",
        [](const Row& r) { return r.collective.path.launch; }, "critical_path_seconds/launch"},
       {"path_wire_s", "critical path: messages at their zero-load times",
        [](const Row& r) { return r.collective.path.wire; }, "critical_path_seconds/wire"},
       {"path_queueing_s", "critical path: what messages took longer",
        [](const Row& r) { return r.collective.path.queueing; }, "critical_path_seconds/queueing"},
       {"path_paused_s",
        "critical path: the same while a pause or want of credits held a port of their paths",
        [](const Row& r) { return r.collective.path.paused; }, "critical_path_seconds/paused"},
       {"path_protocol_s", "critical path: from arrivals until receivers saw them",
        [](const Row& r) { return r.collective.path.protocol; }, "critical_path_seconds/protocol"},
       {"path_reducing_s", "critical path: adding",
        [](const Row& r) { return r.collective.path.reducing; }, "critical_path_seconds/reducing"},
       {"path_copying_s", "critical path: putting in place",
        [](const Row& r) { return r.collective.path.copying; }, "critical_path_seconds/copying"},
       {"path_window_s", "critical path: senders that waited for acknowledgements",
        [](const Row& r) { return r.collective.path.window; }, "critical_path_seconds/window"},
       {"path_messages", "messages on the critical path",
        [](const Row& r) { return r.collective.path.messages; }},
       {"path_skipped_s",
        "critical path: stands for rounds that were skipped; where `run.reuse.periods` is "
        "approximate",
        [](const Row& r) { return r.collective.path.not_simulated; }, Needs::kPeriods},
       {"estimated", "1: it was skipped, and repeats the one before; where periods are approximate",
        [](const Row& r) { return r.collective.is_estimated; }, Needs::kPeriods}},
      [](const Results& r, const auto& visit) {
        for (const CollectiveResult& c : r.collectives) visit({r.jobs[c.job], c});
      },
      [](const Results& r) { return !r.collectives.empty(); }};
  return table;
}

}  // namespace weft::scenarios
