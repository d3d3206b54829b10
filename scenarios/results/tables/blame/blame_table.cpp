#include "scenarios/results/tables/blame/blame_table.hpp"

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const Table<BlameRow>& BlameTable::declaration() {
  using Row = BlameRow;
  static const Table<Row> table{
      "blame.csv",
      "a cause, a culprit and a port, for which time passed along the critical path of an "
      "iteration",
      {{"job", "whose time it is", [](const Row& r) { return r.job.name; }},
       {"iteration", "from 0; of a job without iterations always 0",
        [](const Row& r) { return r.blame.iteration; }},
       {"cause", "why it passed", [](const Row& r) { return r.blame.cause; }},
       {"culprit_kind", "rank, stage, job, port or queue pair",
        [](const Row& r) { return r.blame.culprit_kind; }},
       {"culprit", "who or what is behind it", [](const Row& r) { return r.blame.culprit; }},
       {"time_s",
        "those of an iteration add up to the time from the end of the one before, "
        "since_previous_s of iterations.csv or collectives.csv",
        [](const Row& r) { return r.blame.time; }},
       {"port", "where on the fabric; empty: at no port",
        [](const Row& r) { return r.blame.port; }}},
      [](const Results& r, const auto& visit) {
        for (const BlameResult& b : r.blame) visit({r.jobs[b.job], b});
      },
      [](const Results& r) { return r.has_blame; },
      false,
      false};
  return table;
}

}  // namespace weft::scenarios
