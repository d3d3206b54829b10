#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/sweep/report/table.hpp"

namespace weft::sweep {

struct SummaryOptions {
  std::vector<std::string> objectives;  ///< empty: those of the sweep
  std::vector<std::string> pareto;      ///< two; empty: the first two objectives
  std::size_t shown = 3;                ///< best and worst configurations
};

/// What a sweep says: for each objective the best and worst configurations with their confidence
/// intervals over the seeds, and the main effect of each axis; the Pareto front of two objectives;
/// the thresholds of bisections.
[[nodiscard]] Result<std::string> summary_text(const Table& table, const SummaryOptions& options);
/// The same numbers as JSON.
[[nodiscard]] Result<nlohmann::ordered_json> summary_json(const Table& table,
                                                          const SummaryOptions& options);

/// A result for people: `12.3 us`, `1.5 MiB`.
[[nodiscard]] std::string metric_text(const std::string& metric, double value);
/// Whether results that lie between these make no difference: within a hundredth.
[[nodiscard]] bool is_flat(double one, double other);
/// `5 s to 5.01 s`; one of them, where they look the same.
[[nodiscard]] std::string range_text(const std::string& metric, double one, double other);

}  // namespace weft::sweep
