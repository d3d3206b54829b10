#include "tools/topo/sections/section.hpp"

#include <fmt/format.h>

#include "scenarios/text/format.hpp"

#include "scenarios/text/plain_number.hpp"

namespace weft::topo {

using topologies::Bisection;

const char* network_name(NetworkKind network) {
  return network == NetworkKind::kScaleUp ? "scale-up" : "scale-out";
}

std::string rate_text(BitsPerSecond rate) {
  return scenarios::format_rate(static_cast<double>(rate.count()));
}

std::string byte_rate_text(BitsPerSecond rate) {
  const double bytes = static_cast<double>(rate.count()) / 8;
  return bytes < 1e12 ? scenarios::plain_number(bytes / 1e9, 4) + " GB/s"
                      : scenarios::plain_number(bytes / 1e12, 4) + " TB/s";
}

std::string count_text(std::uint64_t count) {
  return scenarios::format_count(static_cast<std::int64_t>(count));
}

std::string range_text(std::uint64_t low, std::uint64_t high) {
  return low == high ? count_text(low) : count_text(low) + " to " + count_text(high);
}

std::string bisection_text(const Bisection& bisection, bool in_bytes) {
  const char* halves = "the first half of the hosts against the others";
  if (bisection.halves == Bisection::Halves::kEdgeSwitches) halves = "halves by edge switch";
  if (bisection.halves == Bisection::Halves::kRails) halves = "halves by rail";
  if (bisection.halves == Bisection::Halves::kUnits) halves = "halves of whole parts";
  const double share =
      static_cast<double>(bisection.rate.count()) / static_cast<double>(bisection.hosts.count());
  return fmt::format(
      "bisection bandwidth {} per direction, {} % of what half the hosts can send\n"
      "{}({}, {})",
      in_bytes ? byte_rate_text(bisection.rate) : rate_text(bisection.rate),
      scenarios::plain_number(100 * share, 4), in_bytes ? "      " : "    ",
      bisection.method == Bisection::Method::kMaxFlow ? "by maximum flow" : "in closed form",
      halves);
}

Json bisection_json(const std::optional<Bisection>& bisection) {
  if (!bisection) return nullptr;
  const bool is_flow = bisection->method == Bisection::Method::kMaxFlow;
  return {{"bits_per_second", bisection->rate.count()},
          {"hosts_bits_per_second", bisection->hosts.count()},
          {"method", is_flow ? "max-flow" : "closed-form"}};
}

}  // namespace weft::topo
