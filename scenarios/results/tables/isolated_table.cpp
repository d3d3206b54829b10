#include "scenarios/results/tables/isolated_table.hpp"

#include "scenarios/results/coverage.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {
namespace {

std::optional<Quotient> quotient_if(const std::optional<double>& value) {
  return value ? std::optional(ratio(*value)) : std::nullopt;
}

}  // namespace

std::optional<double> slowdown_of(const std::optional<double>& shared,
                                  const std::optional<double>& alone) {
  if (!shared || !alone || *alone <= 0) return {};
  return *shared / *alone;
}

std::optional<double> slowdown_of(const std::optional<Picoseconds>& shared,
                                  const std::optional<Picoseconds>& alone) {
  if (!shared || !alone) return {};
  return slowdown_of(std::optional(to_seconds(*shared)), std::optional(to_seconds(*alone)));
}

const Table<IsolatedRow>& IsolatedTable::declaration() {
  using Row = IsolatedRow;
  static const Table<Row> table{
      "isolated.csv",
      "a job beside the others and alone (`weft run --isolated`)",
      {{"job", "its name", [](const Row& r) { return r.job.name; }, "job"},
       {"jct_s", "beside the others; empty if unfinished",
        [](const Row& r) { return r.isolated.shared.completion; }, "jct_seconds/shared"},
       {"isolated_jct_s", "alone", [](const Row& r) { return r.isolated.alone.completion; },
        "jct_seconds/isolated"},
       {"slowdown", "jct_s over isolated_jct_s",
        [](const Row& r) {
          return quotient_if(
              slowdown_of(r.isolated.shared.completion, r.isolated.alone.completion));
        },
        "slowdown"},
       {"iteration_s", "an iteration beside the others, mean; empty where there are none",
        [](const Row& r) { return r.isolated.shared.iteration; }, "iteration_seconds/shared"},
       {"isolated_iteration_s", "an iteration alone, mean",
        [](const Row& r) { return r.isolated.alone.iteration; }, "iteration_seconds/isolated"},
       {"iteration_slowdown", "iteration_s over isolated_iteration_s",
        [](const Row& r) {
          return quotient_if(slowdown_of(r.isolated.shared.iteration, r.isolated.alone.iteration));
        },
        "iteration_slowdown"},
       {"fct_p99_s", "99th percentile of its messages' completion times beside the others",
        [](const Row& r) { return derived_seconds(r.isolated.shared.message_p99_seconds); },
        "fct_p99_seconds/shared"},
       {"isolated_fct_p99_s", "the same alone",
        [](const Row& r) { return derived_seconds(r.isolated.alone.message_p99_seconds); },
        "fct_p99_seconds/isolated"},
       {"fct_p99_slowdown", "fct_p99_s over isolated_fct_p99_s",
        [](const Row& r) {
          return quotient_if(slowdown_of(r.isolated.shared.message_p99_seconds,
                                         r.isolated.alone.message_p99_seconds));
        },
        "fct_p99_slowdown"},
       Column<Row>(
           kCutOff,
           "of which messages `fct_p99_s` is, if the run was cut off before all were completed",
           [](const Row& r) {
             return cut_off_text(r.isolated.shared.message_p99_seconds
                                     ? std::optional(coverage_of(r.job))
                                     : std::nullopt);
           })
           .derived()},
      [](const Results& r, const auto& visit) {
        for (const IsolatedResult& i : r.isolated) visit({r.jobs[i.job], i});
      },
      [](const Results& r) { return !r.isolated.empty(); }};
  return table;
}

}  // namespace weft::scenarios
