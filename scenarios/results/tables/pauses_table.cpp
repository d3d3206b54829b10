#include "scenarios/results/tables/pauses_table.hpp"

#include <string>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const Table<PauseRow>& PausesTable::declaration() {
  using Row = PauseRow;
  static const Table<Row> table{
      "pauses.csv",
      "a pause, by port and start",
      {{"port", "that was paused", [](const Row& r) { return r.results.port_name(r.pause.port); }},
       {"from", "the node that asked",
        [](const Row& r) { return r.results.ports[r.pause.port.value()].peer_node; }},
       {"to", "the node that obeyed",
        [](const Row& r) { return r.results.ports[r.pause.port.value()].node; }},
       {"class", "its name",
        [](const Row& r) { return r.results.class_names[r.pause.traffic_class]; }},
       {"start_s", "", [](const Row& r) { return r.pause.start; }},
       {"end_s", "", [](const Row& r) { return r.pause.end; }},
       {"lasting", "1: still held at the end of the run",
        [](const Row& r) { return r.pause.is_lasting; }},
       {"cause",
        "egress port of `from` that held most of what had come by this link; empty for a NIC",
        [](const Row& r) {
          return r.pause.cause.is_none() ? std::string() : r.results.port_name(r.pause.cause);
        }},
       {"root", "of its storm; empty: over before the measurement",
        [](const Row& r) {
          return r.storm == protocols::kNoIndex
                     ? std::string()
                     : root_name(r.results, r.results.pauses.analysis.storms[r.storm]);
        }}},
      [](const Results& r, const auto& visit) {
        for (std::size_t i = 0; i < r.pauses.pauses.size(); ++i) {
          visit({r, r.pauses.pauses[i], r.pauses.analysis.storm_of[i]});
        }
      },
      [](const Results& r) { return r.has_packets; },
      true};
  return table;
}

}  // namespace weft::scenarios
