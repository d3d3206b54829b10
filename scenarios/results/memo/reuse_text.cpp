#include "scenarios/results/memo/reuse_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

std::string hops(std::uint64_t some, std::uint64_t all) {
  return fmt::format("{} of {} packet-hops", format_count(static_cast<std::int64_t>(some)),
                     format_count(static_cast<std::int64_t>(all)));
}

std::string reuse_lines(const ReuseReport& r, std::uint64_t packet_hops) {
  std::string lines;
  if (r.mode == Reuse::kAudit) {
    lines += fmt::format(
        "  reuse: {} of {} epochs of {} GPUs began as none before, {} ended otherwise\n",
        format_count(static_cast<std::int64_t>(r.simulated)),
        format_count(static_cast<std::int64_t>(r.epochs)), r.gpus,
        format_count(static_cast<std::int64_t>(r.ended_otherwise)));
  } else if (r.mode == Reuse::kVerify) {
    lines += fmt::format(
        "  reuse: {} epochs of {} GPUs took place as {} that were simulated apart as well\n",
        format_count(static_cast<std::int64_t>(r.epochs)), r.gpus,
        format_count(static_cast<std::int64_t>(r.simulated)));
  } else if (r.epochs > 0) {
    lines += fmt::format("  reuse: {} of {} epochs of {} GPUs simulated, {}\n",
                         format_count(static_cast<std::int64_t>(r.simulated)),
                         format_count(static_cast<std::int64_t>(r.epochs)), r.gpus,
                         hops(r.inside.simulated, r.inside.all));
  }
  if (r.rail_epochs > 0) {
    lines += fmt::format("  reuse: {} of {} epochs of {} GPUs on {} rails simulated, {}\n",
                         format_count(static_cast<std::int64_t>(r.rail_simulated)),
                         format_count(static_cast<std::int64_t>(r.rail_epochs)), r.rail_gpus,
                         r.rails, hops(r.on_rails.simulated, r.on_rails.all));
  }
  if (r.skips.count > 0) {
    lines += fmt::format("  reuse: {} periods inside long messages skipped, {} packet-hops\n",
                         format_count(static_cast<std::int64_t>(r.skips.periods)),
                         format_count(static_cast<std::int64_t>(r.skips.packet_hops)));
  }
  if (!lines.empty() && r.mode == Reuse::kOn) {
    lines += fmt::format("  reuse: in all {} simulated\n", hops(r.simulated_hops, packet_hops));
  }
  for (const std::string& refusal : r.refusals) lines += "  reuse: " + refusal + "\n";
  return lines;
}

std::string periods_lines(const PeriodsReport& periods) {
  const collectives::PeriodReport& found = periods.skipped;
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
      format_time(found.time), periods.estimate_because.empty() ? "bounded" : "an estimate",
      100 * found.spread, closest);
  if (!periods.estimate_because.empty()) {
    lines += "  there is no bound: " + periods.estimate_because + "\n";
  }
  return lines;
}

}  // namespace

std::string reuse_text(const ReuseReport& reuse, std::uint64_t packet_hops,
                       const std::optional<PeriodsReport>& periods) {
  return reuse_lines(reuse, packet_hops) + (periods ? periods_lines(*periods) : std::string());
}

}  // namespace weft::scenarios
