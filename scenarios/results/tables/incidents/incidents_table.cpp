#include "scenarios/results/tables/incidents/incidents_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const char* incident_kind_name(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::kNicPause:
      return "nic-pause";
    case IncidentKind::kLinkRate:
      return "link-rate";
    case IncidentKind::kLinkDown:
      return "link-down";
    case IncidentKind::kSwitchDown:
      return "switch-down";
    case IncidentKind::kLinkLatency:
      return "link-latency";
    case IncidentKind::kBitErrors:
      return "bit-errors";
    case IncidentKind::kFlapping:
      return "flapping";
    case IncidentKind::kPauseStorm:
      return "pause-storm";
    case IncidentKind::kNoRoute:
      return "no-route";
    case IncidentKind::kRetryGaveUp:
      return "retry-gave-up";
  }
  return "unknown";
}

std::string IncidentResult::noticed_by() const {
  std::vector<std::pair<Picoseconds, const char*>> ways;
  const auto add = [&](const std::optional<Picoseconds>& when, const char* who) {
    if (when) ways.emplace_back(*when, who);
  };
  add(port, "port");
  add(watchdog, "watchdog");
  add(told, "plane");
  add(repeat, "sender");
  add(routes, "routes");
  std::ranges::stable_sort(ways, {}, [](const auto& way) { return way.first; });
  std::string text;
  for (const auto& [when, who] : ways) text += (text.empty() ? "" : " then ") + std::string(who);
  return text;
}

const Table<IncidentResult>& IncidentsTable::declaration() {
  using Row = IncidentResult;
  static const Table<Row> table{
      "incidents.csv",
      "a failure, by its begin",
      {{"kind",
        "the type of the fault; pause-storm: a PFC watchdog found a stuck queue; no-route: a "
        "switch had no next hop; retry-gave-up: link-level retry dropped what it kept",
        [](const Row& r) { return incident_kind_name(r.kind); }, "kind"},
       {"place", "a cable, a node, a port, or what the fault names",
        [](const Row& r) { return r.place; }, "place"},
       {"fault", "its index in the scenario; empty: it followed from others",
        [](const Row& r) { return r.fault; }, "fault"},
       {"class", "of a pause storm", [](const Row& r) { return r.traffic_class; }, "class"},
       {"begin_s", "of a pause storm: of the pause", [](const Row& r) { return r.begin; },
        "begin_seconds"},
       {"end_s", "empty: it lasted", [](const Row& r) { return r.end; }, "end_seconds"},
       {"noticed_by", "who, in the order of time", [](const Row& r) { return r.noticed_by(); },
        "noticed_by"},
       {"port_s", "the ports at both ends of the link noticed", [](const Row& r) { return r.port; },
        "port_seconds"},
       {"watchdog_s", "the PFC watchdog noticed", [](const Row& r) { return r.watchdog; },
        "watchdog_seconds"},
       {"plane_s", "the first sender heard by a port status that the plane was lost",
        [](const Row& r) { return r.told; }, "plane_seconds"},
       {"sender_s", "the first queue pair that lost data here sent again",
        [](const Row& r) { return r.repeat; }, "sender_seconds"},
       {"routes_s", "routes began to avoid it", [](const Row& r) { return r.routes; },
        "routes_seconds"},
       {"first_loss_s", "of a packet", [](const Row& r) { return r.first_loss; },
        "first_loss_seconds"},
       {"last_loss_s", "the last packet on a dead path", [](const Row& r) { return r.last_loss; },
        "last_loss_seconds"},
       {"lost_packets", "data, ACKs and all else, since the measurement began",
        [](const Row& r) { return r.packets; }, "lost_packets"},
       {"lost_bytes", "of these, on the wire", [](const Row& r) { return r.bytes; }, "lost_bytes"},
       {"queue_pairs", "whose data was lost, and sent again where the transport is reliable",
        [](const Row& r) { return r.queue_pairs; }, "queue_pairs"},
       {"slower_s",
        "the longest iteration that it touched, less the median of those that no incident touched; "
        "it touches those that lost packets to it, and where it slows down without dropping, those "
        "that ran meanwhile; empty: none was touched, or none untouched",
        [](const Row& r) { return r.slower; }, "slower_seconds"}},
      [](const Results& r, const auto& visit) {
        for (const IncidentResult& incident : r.incidents) visit(incident);
      },
      [](const Results& r) { return !r.incidents.empty(); },
      false,
      false};  // digests of runs stay, whatever is told of their failures
  return table;
}

}  // namespace weft::scenarios
