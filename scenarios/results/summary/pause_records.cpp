#include "scenarios/results/summary/pause_records.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

namespace weft::scenarios {
namespace {

using nlohmann::ordered_json;
using protocols::PauseBranch;
using protocols::PauseStorm;

// What a program may want without reading the CSV files.
constexpr std::size_t kStormsInJson = 20;
constexpr std::size_t kBranchesInJson = 100;
constexpr std::size_t kVictimsInJson = 100;

const char* root_kind(PauseStorm::Root root) {
  switch (root) {
    case PauseStorm::Root::kEgress:
      return "egress";
    case PauseStorm::Root::kNic:
      return "nic";
    case PauseStorm::Root::kCycle:
      return "cycle";
  }
  return "unknown";
}

struct StormRow {
  const Results& results;
  const PauseStorm& storm;
};

struct BranchRow {
  const Results& results;
  const PauseBranch& branch;
  std::optional<std::ptrdiff_t> parent;  ///< its place in the list
};

struct VictimSummary {
  const Results& results;
  const VictimResult& victim;
};

std::vector<BranchRow> listed_branches(const StormRow& r) {
  const std::vector<std::uint32_t> chosen = heaviest_branches(r.storm, kBranchesInJson);
  std::vector<BranchRow> rows;
  rows.reserve(chosen.size());
  for (const std::uint32_t b : chosen) {
    const PauseBranch& branch = r.storm.tree[b];
    const auto parent = std::ranges::find(chosen, branch.parent);
    rows.push_back({r.results, branch, only_if(parent != chosen.end(), parent - chosen.begin())});
  }
  return rows;
}

std::vector<StormRow> listed_storms(const Results& r) {
  std::vector<StormRow> rows;
  rows.reserve(kStormsInJson);
  for (const PauseStorm& storm : at_most(r.pauses.analysis.storms, kStormsInJson)) {
    rows.push_back({r, storm});
  }
  return rows;
}

std::vector<VictimRow> losses_of(const VictimSummary& r) {
  std::vector<VictimRow> rows;
  rows.reserve(r.victim.losses.size());
  for (const protocols::VictimLoss& loss : r.victim.losses) {
    rows.push_back({r.results, r.victim, loss});
  }
  return rows;
}

std::vector<VictimSummary> listed_victims(const Results& r) {
  std::vector<VictimSummary> rows;
  rows.reserve(kVictimsInJson);
  for (const VictimResult& victim : at_most(r.pauses.victims, kVictimsInJson)) {
    rows.push_back({r, victim});
  }
  return rows;
}

Picoseconds lost_by_all(const Results& r) {
  Picoseconds lost;
  for (const VictimResult& victim : r.pauses.victims) lost += victim.lost;
  return lost;
}

const Record<BranchRow>& branch_record() {
  using Row = BranchRow;
  static const Record<Row> record{
      {{"port", "that was paused", [](const Row& r) { return r.results.port_name(r.branch.port); }},
       {"parent", "index in this list of the branch that it came from; null: the root",
        [](const Row& r) { return r.parent; }},
       {"depth", "branches back to the root", [](const Row& r) { return r.branch.depth; }},
       {"pauses", "", [](const Row& r) { return r.branch.pauses; }},
       {"paused_seconds", "", [](const Row& r) { return r.branch.paused; }},
       {"first_seconds", "begin of the first", [](const Row& r) { return r.branch.first; }},
       {"last_seconds", "end of the last", [](const Row& r) { return r.branch.last; }}}};
  return record;
}

const Record<StormRow>& storm_record() {
  using Row = StormRow;
  static const Record<Row> record{
      {{"root", "egress, nic or cycle", [](const Row& r) { return root_kind(r.storm.root); }},
       {"ports", "of the root, a list",
        [](const Row& r) {
          ordered_json ports = ordered_json::array();
          for (const PortId port : r.storm.ports) ports.push_back(r.results.port_name(port));
          return ports;
        }},
       {"class", "its name",
        [](const Row& r) { return r.results.class_names[r.storm.traffic_class]; }},
       {"pauses", "", [](const Row& r) { return r.storm.pauses; }},
       {"paused_ports", "", [](const Row& r) { return r.storm.paused_ports; }},
       {"paused_nics", "of these", [](const Row& r) { return r.storm.paused_hosts; }},
       {"depth", "of the tree", [](const Row& r) { return r.storm.depth; }},
       {"paused_seconds", "sum over ports", [](const Row& r) { return r.storm.paused; }},
       {"first_seconds", "begin of the first pause", [](const Row& r) { return r.storm.first; }},
       {"last_seconds", "end of the last pause", [](const Row& r) { return r.storm.last; }},
       {"branches", "of the tree", [](const Row& r) { return r.storm.tree.size(); }},
       list<Row>("tree", "its heaviest branches", branch_record(),
                 [](const Row& r) { return std::optional(listed_branches(r)); })}};
  return record;
}

const Record<VictimRow>& loss_record() {
  using Row = VictimRow;
  static const Record<Row> record{
      {{"root", "of the storm",
        [](const Row& r) {
          return root_name(r.results, r.results.pauses.analysis.storms[r.loss.storm]);
        }},
       {"seconds", "lost to it", [](const Row& r) { return r.loss.lost; }}}};
  return record;
}

const Record<VictimSummary>& victim_record() {
  using Row = VictimSummary;
  static const Record<Row> record{
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
       {"active_seconds", "during which a message was under way",
        [](const Row& r) { return r.victim.active; }},
       {"lost_seconds",
        "of that, while a pause held a port of its path although the root lies elsewhere",
        [](const Row& r) { return r.victim.lost; }},
       list<Row>("lost_to", "storms, by falling loss", loss_record(),
                 [](const Row& r) { return std::optional(losses_of(r)); })}};
  return record;
}

}  // namespace

const Record<Results>& storms_record() {
  static const Record<Results> record{
      {{"count", "", [](const Results& r) { return r.pauses.analysis.storms.size(); }},
       {"pauses_not_recorded", "times are lower bounds where it is not 0",
        [](const Results& r) { return r.pauses.lost; }},
       list<Results>("storms", "the heaviest", storm_record(),
                     [](const Results& r) { return std::optional(listed_storms(r)); })}};
  return record;
}

const Record<Results>& victims_record() {
  static const Record<Results> record{
      {{"count", "flows that lost time", [](const Results& r) { return r.pauses.victims.size(); }},
       {"flows", "that were examined", [](const Results& r) { return r.pauses.flows; }},
       {"lost_seconds", "sum over flows", lost_by_all},
       {"nic_pauses_only", "packets are sprayed: only pauses of a flow's NIC port count",
        [](const Results& r) { return r.pauses.is_nic_only; }},
       list<Results>("victims", "the heaviest", victim_record(),
                     [](const Results& r) { return std::optional(listed_victims(r)); })}};
  return record;
}

const Record<StarvedQueue>& starved_record() {
  using Row = StarvedQueue;
  static const Record<Row> record{
      {{"port", "", [](const Row& r) { return r.port; }},
       {"class", "its name", [](const Row& r) { return r.traffic_class; }},
       {"stalls", "", [](const Row& r) { return r.counters.credit_stalls; }},
       {"stall_seconds", "", [](const Row& r) { return r.counters.credit_stall_time; }}}};
  return record;
}

const Record<BlockedRow>& deadlock_record() {
  using Row = BlockedRow;
  static const Record<Row> record{
      {{"port", "", [](const Row& r) { return r.results.port_name(r.blocked.port); }},
       {"class", "its name",
        [](const Row& r) { return r.results.class_names[r.blocked.traffic_class]; }},
       {"waiting_bytes", "", [](const Row& r) { return r.blocked.waiting; }}}};
  return record;
}

std::vector<StarvedQueue> starved_queues(const Results& r) {
  std::vector<StarvedQueue> starved;
  for (const PortResult& p : r.ports) {
    for (const ClassId c : all_classes(r.class_names.size())) {
      const protocols::ClassCounters& counters = r.class_counters(p.port, c);
      if (counters.credit_stall_time == Picoseconds(0)) continue;
      starved.push_back({p.name, r.class_names[c], counters});
    }
  }
  std::ranges::stable_sort(starved, std::greater<>(),
                           [](const StarvedQueue& s) { return s.counters.credit_stall_time; });
  return starved;
}

std::vector<std::uint32_t> heaviest_branches(const PauseStorm& storm, std::size_t max) {
  std::vector<std::uint32_t> chosen(storm.tree.size());
  std::iota(chosen.begin(), chosen.end(), 0U);
  std::ranges::stable_sort(chosen, std::greater<>(),
                           [&storm](std::uint32_t b) { return storm.tree[b].total; });
  chosen.resize(std::min(chosen.size(), max));
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace weft::scenarios
