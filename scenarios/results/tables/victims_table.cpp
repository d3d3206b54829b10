#include "scenarios/results/tables/victims_table.hpp"

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

const Table<VictimRow>& VictimsTable::declaration() {
  using Row = VictimRow;
  static const Table<Row> table{
      "victims.csv",
      "a queue pair and a storm that it lost time to, queue pairs by falling loss",
      {{"job", "its name", [](const Row& r) { return r.results.jobs[r.victim.job].name; }},
       {"source_rank", "in the job", [](const Row& r) { return r.victim.source_rank; }},
       {"destination_rank", "in the job", [](const Row& r) { return r.victim.destination_rank; }},
       {"source", "name of the host",
        [](const Row& r) { return r.results.host_names[r.victim.source.value()]; }},
       {"destination", "name of the host",
        [](const Row& r) { return r.results.host_names[r.victim.destination.value()]; }},
       {"queue_pair", "among those of its connection",
        [](const Row& r) { return r.victim.queue_pair; }},
       {"class", "its name",
        [](const Row& r) { return r.results.class_names[r.victim.traffic_class]; }},
       {"active_s", "time during which a message was under way",
        [](const Row& r) { return r.victim.active; }},
       {"lost_s", "of that, while a pause held a port of its path although the root lies elsewhere",
        [](const Row& r) { return r.victim.lost; }},
       {"lost_share", "lost_s over active_s",
        [](const Row& r) {
          return ratio(to_seconds(r.victim.lost) / to_seconds(r.victim.active));
        }},
       {"root", "of the storm: an egress port, a NIC, or a cycle of ports",
        [](const Row& r) {
          return root_name(r.results, r.results.pauses.analysis.storms[r.loss.storm]);
        }},
       {"lost_to_root_s", "to this storm", [](const Row& r) { return r.loss.lost; }}},
      [](const Results& r, const auto& visit) {
        for (const VictimResult& victim : r.pauses.victims) {
          for (const protocols::VictimLoss& loss : victim.losses) visit({r, victim, loss});
        }
      },
      [](const Results& r) { return !r.pauses.victims.empty(); }};
  return table;
}

}  // namespace weft::scenarios
