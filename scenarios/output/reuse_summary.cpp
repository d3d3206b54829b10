#include "scenarios/output/reuse_summary.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "scenarios/results/results.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

std::string hops(std::uint64_t some, std::uint64_t all) {
  return fmt::format("{} of {} packet-hops", format_count(static_cast<std::int64_t>(some)),
                     format_count(static_cast<std::int64_t>(all)));
}

std::string reuse_lines(const Results& r) {
  std::string lines;
  if (r.reuse.mode == Reuse::kAudit) {
    lines += fmt::format(
        "  reuse: {} of {} epochs of {} GPUs began as none before, {} ended otherwise\n",
        format_count(static_cast<std::int64_t>(r.reuse.simulated)),
        format_count(static_cast<std::int64_t>(r.reuse.epochs)), r.reuse.gpus,
        format_count(static_cast<std::int64_t>(r.reuse.ended_otherwise)));
  } else if (r.reuse.mode == Reuse::kVerify) {
    lines += fmt::format(
        "  reuse: {} epochs of {} GPUs took place as {} that were simulated apart as well\n",
        format_count(static_cast<std::int64_t>(r.reuse.epochs)), r.reuse.gpus,
        format_count(static_cast<std::int64_t>(r.reuse.simulated)));
  } else if (r.reuse.epochs > 0) {
    lines += fmt::format("  reuse: {} of {} epochs of {} GPUs simulated, {}\n",
                         format_count(static_cast<std::int64_t>(r.reuse.simulated)),
                         format_count(static_cast<std::int64_t>(r.reuse.epochs)), r.reuse.gpus,
                         hops(r.reuse.inside.simulated, r.reuse.inside.all));
  }
  if (r.reuse.rail_epochs > 0) {
    lines +=
        fmt::format("  reuse: {} of {} epochs of {} GPUs on {} rails simulated, {}\n",
                    format_count(static_cast<std::int64_t>(r.reuse.rail_simulated)),
                    format_count(static_cast<std::int64_t>(r.reuse.rail_epochs)), r.reuse.rail_gpus,
                    r.reuse.rails, hops(r.reuse.on_rails.simulated, r.reuse.on_rails.all));
  }
  if (r.reuse.skips.count > 0) {
    lines += fmt::format("  reuse: {} periods inside long messages skipped, {} packet-hops\n",
                         format_count(static_cast<std::int64_t>(r.reuse.skips.periods)),
                         format_count(static_cast<std::int64_t>(r.reuse.skips.packet_hops)));
  }
  if (!lines.empty() && r.reuse.mode == Reuse::kOn) {
    lines += fmt::format("  reuse: in all {} simulated\n",
                         hops(r.reuse.simulated_hops, r.totals.packet_hops));
  }
  for (const std::string& refusal : r.reuse.refusals) lines += "  reuse: " + refusal + "\n";
  return lines;
}

std::string periods_lines(const Results& r) {
  if (!r.periods) return {};
  const collectives::PeriodReport& found = r.periods->skipped;
  std::string closest;
  if (found.closest) {
    closest = fmt::format(", others differed by {:.3g} % or more", 100 * *found.closest);
  }
  if (found.rounds_skipped + found.iterations_skipped == 0) {
    return fmt::format("  approximate periods: none skipped, of {} rounds and {} iterations{}\n",
                       format_count(found.rounds), format_count(found.iterations), closest);
  }
  std::string lines = fmt::format(
      "  approximate periods: {} of {} rounds and {} of {} iterations skipped\n"
      "  {} that they stand for, {}: periods differ by {:.3g} % at most{}\n",
      format_count(found.rounds_skipped), format_count(found.rounds),
      format_count(found.iterations_skipped), format_count(found.iterations),
      format_time(found.time), r.periods->estimate_because.empty() ? "bounded" : "an estimate",
      100 * found.spread, closest);
  if (!r.periods->estimate_because.empty()) {
    lines += "  there is no bound: " + r.periods->estimate_because + "\n";
  }
  return lines;
}

}  // namespace

std::string reuse_summary_text(const Results& r) { return reuse_lines(r) + periods_lines(r); }

}  // namespace weft::scenarios
