#include "scenarios/output/collective_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

std::string bandwidth(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value * 1e-9) : "-";
}

std::string share(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds(0)) return "-";
  return fmt::format("{:.1f} %", 100 * to_seconds(part) / to_seconds(whole));
}

/// Of the iterations of a job.
struct Summary {
  const CollectiveResult* slowest = nullptr;
  Picoseconds sum;
  Bytes size;  ///< of all of them, as is `bus`
  Bytes bus;
  Picoseconds skew;
  std::uint32_t count = 0;

  /// Bytes over the time that all of them took: a mean of rates would hide the slow ones.
  [[nodiscard]] std::optional<double> mean_bandwidth(Bytes bytes) const {
    if (bytes == Bytes(0) || sum == Picoseconds(0)) return {};
    return static_cast<double>(bytes.count()) / to_seconds(sum);
  }
};

Summary summarize(const Results& r, std::uint32_t job) {
  Summary s;
  for (const CollectiveResult& c : r.collectives) {
    if (c.job != job) continue;
    ++s.count;
    s.sum += c.end - c.start;
    s.size += c.size;
    s.bus += c.bus;
    s.skew = std::max(s.skew, c.end_skew);
    if (s.slowest == nullptr || c.end - c.start > s.slowest->end - s.slowest->start) s.slowest = &c;
  }
  return s;
}

}  // namespace

std::string collectives_text(const Results& r) {
  if (r.collectives.empty()) return {};
  TextTable table({"collectives", "algorithm", "time", "algbw", "busbw", "skew", "wire", "queueing",
                   "paused", "reducing", "waiting", "other"});
  std::string reasons;
  for (std::uint32_t j = 0; j < r.jobs.size(); ++j) {
    const Summary s = summarize(r, j);
    if (s.count == 0) continue;
    const CriticalPath& p = s.slowest->path;
    const Picoseconds whole = s.slowest->end - s.slowest->start;
    const std::string protocol = r.jobs[j].protocol == "none" ? "" : "/" + r.jobs[j].protocol;
    table.add({r.jobs[j].name, r.jobs[j].algorithm + protocol, format_time(s.sum / s.count),
               bandwidth(s.mean_bandwidth(s.size)), bandwidth(s.mean_bandwidth(s.bus)),
               format_time(s.skew), share(p.wire, whole), share(p.queueing, whole),
               share(p.paused, whole), share(p.reducing, whole), share(p.late + p.window, whole),
               share(p.launch + p.protocol + p.copying, whole)});
    if (!r.jobs[j].choice.empty())
      reasons += "  " + r.jobs[j].name + ": " + r.jobs[j].choice + "\n";
  }
  return table.to_string("  ") +
         "  times of an iteration in the mean, and GB/s in that time; shares of the slowest one's "
         "critical path\n" +
         reasons + "\n";
}

}  // namespace weft::scenarios
