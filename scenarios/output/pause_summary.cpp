#include "scenarios/output/pause_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using nlohmann::ordered_json;
using protocols::PauseBranch;
using protocols::PauseStorm;

// What fits on a screen, and what a program may want without reading the CSV files.
constexpr std::array<std::size_t, 3> kBranchesShown{6, 3, 3};  ///< by storm
constexpr std::size_t kVictimsShown = 5;
constexpr std::size_t kStarvedShown = 5;
constexpr std::size_t kBlockedShown = 16;
constexpr std::size_t kStormsInJson = 20;
constexpr std::size_t kBranchesInJson = 100;
constexpr std::size_t kVictimsInJson = 100;
constexpr std::size_t kStarvedInJson = 100;

template <class T>
std::span<const T> at_most(const std::vector<T>& all, std::size_t most) {
  return std::span(all).first(std::min(all.size(), most));
}

std::string count_text(std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); }

std::string percent(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds(0)) return "-";
  return fmt::format("{:.1f} %", 100 * to_seconds(part) / to_seconds(whole));
}

/// The branches with the largest totals, in the order of the tree. Every one has its parent with
/// it: a parent's total is not below its children's, and it comes before them.
std::vector<std::uint32_t> heaviest_branches(const PauseStorm& storm, std::size_t most) {
  std::vector<std::uint32_t> chosen(storm.tree.size());
  std::iota(chosen.begin(), chosen.end(), 0U);
  std::ranges::stable_sort(chosen, std::greater<>(),
                           [&storm](std::uint32_t b) { return storm.tree[b].total; });
  chosen.resize(std::min(chosen.size(), most));
  std::ranges::sort(chosen);
  return chosen;
}

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

std::string root_label(const Results& r, const PauseStorm& storm) {
  std::string text = storm.root == PauseStorm::Root::kCycle
                         ? fmt::format("cycle of {} ports", storm.ports.size())
                         : root_name(r, storm);
  if (storm.root == PauseStorm::Root::kEgress) text += " (overloaded)";
  if (r.class_names.size() > 1) text += ", " + r.class_names[storm.traffic_class];
  return text;
}

std::string storms_text(const Results& r) {
  const PauseReport& report = r.pauses;
  const std::vector<PauseStorm>& storms = report.analysis.storms;
  if (storms.empty()) return {};
  TextTable table({"pause storms by root", "pauses", "ports", "NICs", "paused", "first", "last"});
  const std::size_t shown = std::min(storms.size(), kBranchesShown.size());
  for (std::size_t s = 0; s < shown; ++s) {
    const PauseStorm& storm = storms[s];
    table.add({root_label(r, storm), count_text(storm.pauses), count_text(storm.paused_ports),
               count_text(storm.paused_hosts), format_time(storm.paused), format_time(storm.first),
               format_time(storm.last)});
    const auto branches = heaviest_branches(storm, kBranchesShown[s]);
    for (const std::uint32_t b : branches) {
      const PauseBranch& branch = storm.tree[b];
      table.add({std::string(std::size_t{2} * branch.depth, ' ') + r.port_name(branch.port),
                 count_text(branch.pauses), "", "", format_time(branch.paused),
                 format_time(branch.first), format_time(branch.last)});
    }
    if (branches.size() < storm.tree.size()) {
      table.add({fmt::format("  and {} more", count_text(storm.tree.size() - branches.size())), "",
                 "", "", "", "", ""});
    }
  }
  std::string text = table.to_string("  ");
  if (shown < storms.size()) {
    text += fmt::format("  and {} more roots\n", count_text(storms.size() - shown));
  }
  if (report.lost > 0) {
    text += fmt::format("  {} more pauses were not recorded: times are lower bounds\n",
                        count_text(report.lost));
  }
  return text + "\n";
}

std::string victims_text(const Results& r) {
  const PauseReport& report = r.pauses;
  if (report.victims.empty()) return {};
  TextTable table({"victims: paused, root off their path", "job", "lost", "of its life", "root"});
  for (const VictimResult& v : at_most(report.victims, kVictimsShown)) {
    const PauseStorm& storm = report.analysis.storms[v.losses.front().storm];
    table.add(
        {r.host_names[v.source.value()] + " to " + r.host_names[v.destination.value()],
         r.jobs[v.job].name, format_time(v.lost), percent(v.lost, v.active),
         storm.root == PauseStorm::Root::kCycle ? root_label(r, storm) : root_name(r, storm)});
  }
  std::string text = table.to_string("  ");
  text += fmt::format("  {} of {} flows are victims{}\n\n", count_text(report.victims.size()),
                      count_text(report.flows),
                      report.is_nic_only ? " (sprayed: pauses of their NICs only)" : "");
  return text;
}

struct Starved {
  PortId port;
  std::size_t traffic_class = 0;
  protocols::ClassCounters counters;
};

/// By falling time without credits.
std::vector<Starved> starved_queues(const Results& r) {
  std::vector<Starved> starved;
  for (const PortResult& p : r.ports) {
    for (std::size_t c = 0; c < r.class_names.size(); ++c) {
      const protocols::ClassCounters& counters = r.class_counters(p.port, c);
      if (counters.credit_stall_time > Picoseconds(0)) starved.push_back({p.port, c, counters});
    }
  }
  std::ranges::stable_sort(starved, std::greater<>(),
                           [](const Starved& s) { return s.counters.credit_stall_time; });
  return starved;
}

std::string starved_text(const Results& r) {
  const std::vector<Starved> starved = starved_queues(r);
  if (starved.empty()) return {};
  TextTable table({"idle for lack of credits", "class", "stalls", "time", "of the run"});
  for (const Starved& s : at_most(starved, kStarvedShown)) {
    const Picoseconds time = s.counters.credit_stall_time;
    table.add({r.port_name(s.port), r.class_names[s.traffic_class],
               format_count(s.counters.credit_stalls), format_time(time),
               percent(time, r.simulated - r.measured_from)});
  }
  std::string text = table.to_string("  ");
  if (starved.size() > kStarvedShown) {
    text += fmt::format("  and {} more\n", count_text(starved.size() - kStarvedShown));
  }
  return text + "\n";
}

std::string deadlock_text(const Results& r) {
  if (r.deadlock.empty()) return {};
  TextTable table({"deadlock: each waits for the next", "class", "waiting"});
  for (const protocols::BlockedPort& blocked : at_most(r.deadlock, kBlockedShown)) {
    table.add({r.port_name(blocked.port), r.class_names[blocked.traffic_class],
               format_bytes(static_cast<double>(blocked.waiting.count()))});
  }
  std::string text = table.to_string("  ");
  if (r.deadlock.size() > kBlockedShown) {
    text += fmt::format("  and {} more\n", count_text(r.deadlock.size() - kBlockedShown));
  }
  return text + "  the last waits for the first\n\n";
}

ordered_json storm_json(const Results& r, const PauseStorm& storm) {
  ordered_json j{{"root", root_kind(storm.root)}};
  j["ports"] = ordered_json::array();
  for (const PortId port : storm.ports) j["ports"].push_back(r.port_name(port));
  j["class"] = r.class_names[storm.traffic_class];
  j["pauses"] = storm.pauses;
  j["paused_ports"] = storm.paused_ports;
  j["paused_nics"] = storm.paused_hosts;
  j["depth"] = storm.depth;
  j["paused_seconds"] = to_seconds(storm.paused);
  j["first_seconds"] = to_seconds(storm.first);
  j["last_seconds"] = to_seconds(storm.last);
  j["branches"] = storm.tree.size();
  j["tree"] = ordered_json::array();
  const std::vector<std::uint32_t> branches = heaviest_branches(storm, kBranchesInJson);
  for (const std::uint32_t b : branches) {
    const PauseBranch& branch = storm.tree[b];
    const auto parent = std::ranges::find(branches, branch.parent);
    j["tree"].push_back(
        {{"port", r.port_name(branch.port)},
         {"parent", parent == branches.end() ? ordered_json(nullptr)
                                             : ordered_json(parent - branches.begin())},
         {"depth", branch.depth},
         {"pauses", branch.pauses},
         {"paused_seconds", to_seconds(branch.paused)},
         {"first_seconds", to_seconds(branch.first)},
         {"last_seconds", to_seconds(branch.last)}});
  }
  return j;
}

ordered_json victim_json(const Results& r, const VictimResult& v) {
  ordered_json j{{"job", r.jobs[v.job].name},
                 {"source_rank", v.source_rank},
                 {"destination_rank", v.destination_rank},
                 {"source", r.host_names[v.source.value()]},
                 {"destination", r.host_names[v.destination.value()]},
                 {"queue_pair", v.queue_pair},
                 {"class", r.class_names[v.traffic_class]},
                 {"active_seconds", to_seconds(v.active)},
                 {"lost_seconds", to_seconds(v.lost)}};
  j["lost_to"] = ordered_json::array();
  for (const protocols::VictimLoss& loss : v.losses) {
    j["lost_to"].push_back({{"root", root_name(r, r.pauses.analysis.storms[loss.storm])},
                            {"seconds", to_seconds(loss.lost)}});
  }
  return j;
}

}  // namespace

std::string pause_summary_text(const Results& results) {
  return deadlock_text(results) + storms_text(results) + victims_text(results) +
         starved_text(results);
}

void add_pause_summary(const Results& r, ordered_json& summary) {
  const PauseReport& report = r.pauses;
  ordered_json& storms = summary["pause_storms"];
  storms = {{"count", report.analysis.storms.size()}, {"pauses_not_recorded", report.lost}};
  storms["storms"] = ordered_json::array();
  for (const PauseStorm& storm : at_most(report.analysis.storms, kStormsInJson)) {
    storms["storms"].push_back(storm_json(r, storm));
  }
  ordered_json& victims = summary["victims"];
  Picoseconds lost;
  for (const VictimResult& v : report.victims) lost += v.lost;
  victims = {{"count", report.victims.size()},
             {"flows", report.flows},
             {"lost_seconds", to_seconds(lost)},
             {"nic_pauses_only", report.is_nic_only}};
  victims["victims"] = ordered_json::array();
  for (const VictimResult& v : at_most(report.victims, kVictimsInJson)) {
    victims["victims"].push_back(victim_json(r, v));
  }
  summary["credit_starved"] = ordered_json::array();
  const std::vector<Starved> starved = starved_queues(r);
  for (const Starved& s : at_most(starved, kStarvedInJson)) {
    summary["credit_starved"].push_back(
        {{"port", r.port_name(s.port)},
         {"class", r.class_names[s.traffic_class]},
         {"stalls", s.counters.credit_stalls},
         {"stall_seconds", to_seconds(s.counters.credit_stall_time)}});
  }
  summary["deadlock"] = ordered_json::array();
  for (const protocols::BlockedPort& blocked : r.deadlock) {
    summary["deadlock"].push_back({{"port", r.port_name(blocked.port)},
                                   {"class", r.class_names[blocked.traffic_class]},
                                   {"waiting_bytes", blocked.waiting.count()}});
  }
}

}  // namespace weft::scenarios
