#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "protocols/config/transports/list.hpp"
#include "scenarios/build/changed_links.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

/// Of a packet's wire bytes: preamble, Ethernet header, FCS and gap, which an MTU does not count.
constexpr Bytes kEthernet = 38_B;

/// The largest IP packet that hosts send.
Bytes largest_packet(const Scenario& scenario) {
  Bytes largest;
  for (const protocols::TransportConfig& transport : scenario.transports()) {
    const protocols::PacketFormat format = protocols::traits_of(transport).format;
    largest = std::max(largest, format.payload + format.header - kEthernet);
  }
  return largest;
}

}  // namespace

void check_mtus(const Experiment& e, StaticFindings& findings) {
  const std::vector<SettingsChange>& changes = e.scenario.settings_changes;
  const bool is_any = std::ranges::any_of(
      changes, [](const SettingsChange& change) { return change.mtu.has_value(); });
  if (!is_any) return;
  const Bytes largest = largest_packet(e.scenario);
  std::vector<bool> is_told(changes.size());
  for (const auto& [port, entries] : changes_by_place(e.scenario, e.fabric).of_port) {
    // The last entry that says it counts.
    std::optional<std::size_t> last;
    for (const std::size_t i : entries) {
      if (changes[i].mtu) last = i;
    }
    if (!last || *changes[*last].mtu >= largest || is_told[*last]) continue;
    is_told[*last] = true;
    findings.errors.push_back(
        {fmt::format("is {} B at {}, and packets of this run have {} B: none of them passes; give "
                     "the port an MTU that they fit, or set transport.mtu",
                     format_count(changes[*last].mtu->count()), e.fabric.port_name(port),
                     format_count(largest.count())),
         {.key = fmt::format("fabric.changes[{}].mtu", *last)}});
  }
}

}  // namespace weft::scenarios
