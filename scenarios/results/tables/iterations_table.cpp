#include "scenarios/results/tables/iterations_table.hpp"

#include <numeric>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

namespace {

using GroupKind = collectives::Communicator::Kind;

Picoseconds of_kind(const IterationResult::ByKind& times, GroupKind kind) {
  return times[static_cast<std::size_t>(kind)];
}

}  // namespace

Picoseconds IterationResult::exposed_in_all() const {
  return std::accumulate(exposed.begin(), exposed.end(), Picoseconds(0));
}

Picoseconds IterationResult::hidden_in_all() const {
  return std::accumulate(hidden.begin(), hidden.end(), Picoseconds(0));
}

const Table<IterationRow>& IterationsTable::declaration() {
  using Row = IterationRow;
  static const Table<Row> table{
      "iterations.csv",
      "an iteration that all ranks ended, of a job that computes and communicates by itself",
      {{"job", "its name", [](const Row& r) { return r.job.name; }, "job"},
       {"iteration", "from 0", [](const Row& r) { return r.iteration.iteration; }, "iteration"},
       {"start_s", "when the first rank began", [](const Row& r) { return r.iteration.start; },
        "start_seconds"},
       {"end_s", "when the last rank ended", [](const Row& r) { return r.iteration.end; }},
       {"time_s", "from start to end; the next one may have begun on other ranks by then",
        [](const Row& r) { return r.iteration.end - r.iteration.start; }, "seconds"},
       Column<Row>(
           "since_previous_s",
           "from the end of the one before, or the start of the job, to end: what blame.csv "
           "splits",
           [](const Row& r) { return r.iteration.since_previous; }, "since_previous_seconds")
           .derived(),
       {"compute_s", "computing, mean over ranks", [](const Row& r) { return r.iteration.compute; },
        "compute_seconds"},
       {"bubble_s", "waiting for messages that other ranks had not sent yet, mean over ranks",
        [](const Row& r) { return r.iteration.bubble; }, "bubble_seconds"},
       {"exposed_s", "waiting for communication, mean over ranks; the kinds' add up to it",
        [](const Row& r) { return r.iteration.exposed_in_all(); }, "exposed_seconds/all"},
       {"hidden_s", "communication that nothing waited for, mean over ranks",
        [](const Row& r) { return r.iteration.hidden_in_all(); }, "hidden_seconds/all"},
       {"exposed_tensor_s", "waiting for tensor parallelism",
        [](const Row& r) { return of_kind(r.iteration.exposed, GroupKind::kTensor); },
        "exposed_seconds/tensor"},
       {"exposed_context_s", "waiting for context parallelism",
        [](const Row& r) { return of_kind(r.iteration.exposed, GroupKind::kContext); },
        "exposed_seconds/context"},
       {"exposed_expert_s", "waiting for expert parallelism",
        [](const Row& r) { return of_kind(r.iteration.exposed, GroupKind::kExpert); },
        "exposed_seconds/expert"},
       {"exposed_pipeline_s", "waiting for messages between stages",
        [](const Row& r) { return of_kind(r.iteration.exposed, GroupKind::kPipeline); },
        "exposed_seconds/pipeline"},
       {"exposed_data_s", "waiting for data parallelism",
        [](const Row& r) { return of_kind(r.iteration.exposed, GroupKind::kData); },
        "exposed_seconds/data"},
       {"exposed_other_s", "waiting for anything else",
        [](const Row& r) { return of_kind(r.iteration.exposed, GroupKind::kOther); },
        "exposed_seconds/other"},
       {"hidden_tensor_s", "not waited for: tensor parallelism",
        [](const Row& r) { return of_kind(r.iteration.hidden, GroupKind::kTensor); },
        "hidden_seconds/tensor"},
       {"hidden_context_s", "not waited for: context parallelism",
        [](const Row& r) { return of_kind(r.iteration.hidden, GroupKind::kContext); },
        "hidden_seconds/context"},
       {"hidden_expert_s", "not waited for: expert parallelism",
        [](const Row& r) { return of_kind(r.iteration.hidden, GroupKind::kExpert); },
        "hidden_seconds/expert"},
       {"hidden_pipeline_s", "not waited for: messages between stages",
        [](const Row& r) { return of_kind(r.iteration.hidden, GroupKind::kPipeline); },
        "hidden_seconds/pipeline"},
       {"hidden_data_s", "not waited for: data parallelism",
        [](const Row& r) { return of_kind(r.iteration.hidden, GroupKind::kData); },
        "hidden_seconds/data"},
       {"hidden_other_s", "not waited for: anything else",
        [](const Row& r) { return of_kind(r.iteration.hidden, GroupKind::kOther); },
        "hidden_seconds/other"},
       {"start_skew_s", "from the first to the last rank's begin",
        [](const Row& r) { return r.iteration.start_skew; }},
       {"end_skew_s", "from the first to the last rank's end",
        [](const Row& r) { return r.iteration.end_skew; }, "end_skew_seconds"},
       {"last_rank", "whose end is the end", [](const Row& r) { return r.iteration.last_rank; }},
       {"estimated",
        "1: it was skipped, and repeats the one before; where `run.reuse.periods` is approximate",
        [](const Row& r) { return r.iteration.is_estimated; }, Needs::kPeriods}},
      [](const Results& r, const auto& visit) {
        for (const IterationResult& i : r.iterations) visit({r.jobs[i.job], i});
      },
      [](const Results& r) { return !r.iterations.empty(); }};
  return table;
}

}  // namespace weft::scenarios
