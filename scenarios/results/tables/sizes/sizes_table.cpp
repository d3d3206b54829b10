#include "scenarios/results/tables/sizes/sizes_table.hpp"

#include <string>

#include "scenarios/results/coverage.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {
namespace {

/// A percentile of completion times of a class.
template <double Percentiles::*Which>
struct SizeCompletion {
  std::optional<Quotient> operator()(const SizeRow& r) const {
    if (!r.size.seconds) return {};
    return derived_seconds((*r.size.seconds).*Which);
  }
};
/// A percentile of slowdowns of a class.
template <double Percentiles::*Which>
struct SizeSlowdown {
  std::optional<Quotient> operator()(const SizeRow& r) const {
    if (!r.size.slowdown) return {};
    return ratio((*r.size.slowdown).*Which);
  }
};

}  // namespace

const Table<SizeRow>& SizesTable::declaration() {
  using Row = SizeRow;
  static const Table<Row> table{
      "sizes.csv",
      "messages of a job whose sizes are in one class: a tenth of them, or as near as sizes allow",
      {{"job", "its name", [](const Row& r) { return r.job.name; }, "job"},
       {"class", "its number, by rising size", [](const Row& r) { return r.size.number; }, "class"},
       {"above_bytes", "messages are larger", [](const Row& r) { return r.size.above; },
        "above_bytes"},
       {"up_to_bytes", "and no larger", [](const Row& r) { return r.size.up_to; }, "up_to_bytes"},
       {"messages", "posted since the measurement began",
        [](const Row& r) { return r.size.messages; }, "messages"},
       {"completed", "of these", [](const Row& r) { return r.size.completed; }, "completed"},
       {"fct_p50_s", "completion times: median", SizeCompletion<&Percentiles::p50>(),
        "fct_seconds/p50"},
       {"fct_p95_s", "95th percentile", SizeCompletion<&Percentiles::p95>(), "fct_seconds/p95"},
       {"fct_p99_s", "99th percentile", SizeCompletion<&Percentiles::p99>(), "fct_seconds/p99"},
       {"fct_p999_s", "99.9th percentile", SizeCompletion<&Percentiles::p999>(),
        "fct_seconds/p999"},
       {"fct_max_s", "the longest", SizeCompletion<&Percentiles::max>(), "fct_seconds/max"},
       {"slowdown_p50", "completion times over zero-load times: median",
        SizeSlowdown<&Percentiles::p50>(), "slowdown/p50"},
       {"slowdown_p95", "95th percentile", SizeSlowdown<&Percentiles::p95>(), "slowdown/p95"},
       {"slowdown_p99", "99th percentile", SizeSlowdown<&Percentiles::p99>(), "slowdown/p99"},
       {"slowdown_p999", "99.9th percentile", SizeSlowdown<&Percentiles::p999>(), "slowdown/p999"},
       {"slowdown_max", "the greatest", SizeSlowdown<&Percentiles::max>(), "slowdown/max"},
       Column<Row>(kCutOff,
                   "of which messages the percentiles are, if the run was cut off before all were "
                   "completed",
                   [](const Row& r) {
                     return cut_off_text(r.size.slowdown ? std::optional(coverage_of(r))
                                                         : std::nullopt);
                   })
           .derived()},
      [](const Results& r, const auto& visit) {
        for (const SizeResult& size : r.sizes) visit({r.jobs[size.job], size});
      },
      [](const Results& r) { return !r.sizes.empty(); }};
  return table;
}

}  // namespace weft::scenarios
