#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  Picoseconds ideal;                    ///< 0 where there is none (open-loop)
  std::string ideal_set_by;             ///< what the ideal time is made of
  std::optional<double> bus_bandwidth;  ///< bytes/s, collectives only
  MessageStatistics messages;
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
      {"finished", "1, or 0", [](const JobResult& r) { return r.is_finished; }, "finished"}};
}
}  // namespace job_columns

/// jobs.csv
struct JobsTable {
  std::vector<JobResult> jobs;

  [[nodiscard]] static const Table<JobResult>& declaration();
};

}  // namespace weft::scenarios
