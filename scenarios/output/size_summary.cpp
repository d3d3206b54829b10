#include "scenarios/output/size_summary.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "scenarios/results/coverage.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"

namespace weft::scenarios {
namespace {

/// As operators and papers write sizes of flows: in decimal units.
std::string size_text(Bytes size) {
  const auto bytes = static_cast<double>(size.count());
  if (bytes < 1e3) return fmt::format("{} B", size.count());
  if (bytes < 1e6) return fmt::format("{:.4g} kB", bytes * 1e-3);
  if (bytes < 1e9) return fmt::format("{:.4g} MB", bytes * 1e-6);
  return plain_number(bytes * 1e-9, 4) + " GB";
}

}  // namespace

std::string size_summary_text(const Results& r) {
  if (r.sizes.empty()) return {};
  TextTable table({"slowdown by size of", "up to", "completed", "of", "p50", "p95", "p99", "p99.9",
                   "max", "FCT p99"});
  for (const SizeResult& size : r.sizes) {
    std::vector<std::string> cells{
        with_coverage(r.jobs[size.job].name, coverage_of(SizeRow{r.jobs[size.job], size})),
        size_text(size.up_to), format_count(static_cast<std::int64_t>(size.completed)),
        format_count(static_cast<std::int64_t>(size.messages))};
    if (size.slowdown) {
      const Percentiles& p = *size.slowdown;
      for (const double factor : {p.p50, p.p95, p.p99, p.p999, p.max}) {
        cells.push_back(fmt::format("{:.2f}x", factor));
      }
      cells.push_back(format_time(size.seconds->p99));
    } else {
      cells.insert(cells.end(), 6, "-");
    }
    table.add(std::move(cells));
  }
  return table.to_string("  ") + "\n";
}

}  // namespace weft::scenarios
