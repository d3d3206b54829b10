#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/results/coverage.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/table.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

struct JobResult {
  std::string name;
  std::string type;
  std::uint32_t ranks = 0;
  Bytes bytes;            ///< payload that the job posted
  bool has_begun = true;  ///< false: it waited for other jobs until the end of the run
  Picoseconds start;
  Picoseconds end;  ///< of what was done, if not finished
  bool is_finished = false;
  Picoseconds jct;
  Picoseconds ideal;         ///< 0 where there is none (open-loop)
  std::string ideal_set_by;  ///< what the ideal time is made of
  /// The ideal time with all links at their nominal rates, where some are slower and it is shorter.
  std::optional<Picoseconds> nominal_ideal;
  std::optional<double> bus_bandwidth;  ///< bytes/s, collectives only
  std::optional<Picoseconds> bound;     ///< what any algorithm takes at least; collectives only
  std::string bound_set_by;             ///< what that is made of
  MessageStatistics messages;
  // Of completed messages, where there are any:
  std::optional<Percentiles> message_seconds;   ///< from begin to completion
  std::optional<Percentiles> message_slowdown;  ///< the same, over zero-load times
  // Of collectives; empty for other jobs.
  std::string algorithm;
  std::string protocol;
  std::string choice;  ///< why this algorithm, if it was not named
};

/// The columns by which jobs of two runs are compared.
namespace job_columns {
inline constexpr Column<JobResult> kName{"job", "its name",
                                         [](const JobResult& r) { return r.name; }, "name"};
inline constexpr Column<JobResult> kType{"type", "as the scenario spells it",
                                         [](const JobResult& r) { return r.type; }, "type"};
inline constexpr Column<JobResult> kCompletionTime{
    "jct_s", "job completion time; empty if unfinished",
    [](const JobResult& r) { return only_if(r.is_finished, r.jct); }, "jct_seconds"};

/// A percentile of completion times.
template <double Percentiles::*Which>
struct CompletionPercentile {
  std::optional<Quotient> operator()(const JobResult& r) const {
    if (!r.message_seconds) return {};
    return derived_seconds((*r.message_seconds).*Which);
  }
};
/// A percentile of slowdowns.
template <double Percentiles::*Which>
struct SlowdownPercentile {
  std::optional<Quotient> operator()(const JobResult& r) const {
    if (!r.message_slowdown) return {};
    return ratio((*r.message_slowdown).*Which);
  }
};

/// Here and not in a source: so a column of jobs is added in one file, beside its member.
[[nodiscard]] inline std::vector<Column<JobResult>> all() {
  return {
      kName,
      kType,
      {"ranks", "", [](const JobResult& r) { return r.ranks; }, "ranks"},
      {"bytes", "payload that it posted", [](const JobResult& r) { return r.bytes; }, "bytes"},
      {"start_s", "when it began; empty if it waited for other jobs until the end of the run",
       [](const JobResult& r) { return only_if(r.has_begun, r.start); }, "start_seconds"},
      {"end_s", "its last event; of an unfinished job the last one so far",
       [](const JobResult& r) { return only_if(r.has_begun, r.end); }},
      kCompletionTime,
      {"ideal_s", "without contention; empty where there is no such time (open loops)",
       [](const JobResult& r) { return only_if(r.ideal > Picoseconds(0), r.ideal); },
       "ideal_seconds"},
      {"ideal_set_by", "what the ideal time is made of",
       [](const JobResult& r) { return r.ideal_set_by; }, "ideal_set_by"},
      {"busbw_bytes_per_s", "bus bandwidth as nccl-tests has it; collectives only",
       [](const JobResult& r) { return per_second(r.bus_bandwidth); }, "busbw_bytes_per_second"},
      {"finished", "1, or 0", [](const JobResult& r) { return r.is_finished; }, "finished"},
      {"fct_p50_s", "completion times of its messages: median",
       CompletionPercentile<&Percentiles::p50>(), "fct_seconds/p50"},
      {"fct_p95_s", "95th percentile", CompletionPercentile<&Percentiles::p95>(),
       "fct_seconds/p95"},
      {"fct_p99_s", "99th percentile", CompletionPercentile<&Percentiles::p99>(),
       "fct_seconds/p99"},
      {"fct_p999_s", "99.9th percentile", CompletionPercentile<&Percentiles::p999>(),
       "fct_seconds/p999"},
      {"fct_max_s", "the longest", CompletionPercentile<&Percentiles::max>(), "fct_seconds/max"},
      {"slowdown_p50", "completion times over zero-load times: median",
       SlowdownPercentile<&Percentiles::p50>(), "slowdown/p50"},
      {"slowdown_p95", "95th percentile", SlowdownPercentile<&Percentiles::p95>(), "slowdown/p95"},
      {"slowdown_p99", "99th percentile", SlowdownPercentile<&Percentiles::p99>(), "slowdown/p99"},
      {"slowdown_p999", "99.9th percentile", SlowdownPercentile<&Percentiles::p999>(),
       "slowdown/p999"},
      {"slowdown_max", "the greatest", SlowdownPercentile<&Percentiles::max>(), "slowdown/max"},
      Column<JobResult>(
          kCutOff,
          "of which messages the percentiles are, if the run was cut off before all were completed",
          [](const JobResult& r) {
            return cut_off_text(r.message_seconds ? std::optional(coverage_of(r)) : std::nullopt);
          })
          .derived()};
}
}  // namespace job_columns

/// jobs.csv
struct JobsTable {
  std::vector<JobResult> jobs;

  [[nodiscard]] static const Table<JobResult>& declaration();
};

}  // namespace weft::scenarios
