#include "scenarios/output/pause_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/results/summary/pause_records.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using protocols::PauseBranch;
using protocols::PauseStorm;

// What fits on a screen.
constexpr std::array<std::size_t, 3> kBranchesShown{6, 3, 3};  ///< by storm
constexpr std::size_t kVictimsShown = 5;
constexpr std::size_t kStarvedShown = 5;
constexpr std::size_t kBlockedShown = 16;

std::string count_text(std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); }

std::string percent(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds(0)) return "-";
  return format_share(to_seconds(part) / to_seconds(whole));
}

std::string root_label(const Results& r, const PauseStorm& storm) {
  std::string text = storm.root == PauseStorm::Root::kCycle
                         ? "cycle of " + counted(std::ssize(storm.ports), "port")
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
    text += fmt::format("  and {}\n",
                        counted(static_cast<std::int64_t>(storms.size() - shown), "more root"));
  }
  if (report.lost > 0) {
    text += fmt::format(
        "  {} not recorded: times are lower bounds\n",
        counted(static_cast<std::int64_t>(report.lost), "more pause was", "more pauses were"));
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
  text += fmt::format("  {} of {} {}{}\n\n", count_text(report.victims.size()),
                      counted(static_cast<std::int64_t>(report.flows), "flow"),
                      report.victims.size() == 1 ? "is a victim" : "are victims",
                      report.is_nic_only ? " (sprayed: pauses of their NICs only)" : "");
  return text;
}

std::string starved_text(const Results& r) {
  const std::vector<StarvedQueue> starved = starved_queues(r);
  if (starved.empty()) return {};
  TextTable table({"idle for lack of credits", "class", "stalls", "time", "of the run"});
  for (const StarvedQueue& s : at_most(starved, kStarvedShown)) {
    const Picoseconds time = s.counters.credit_stall_time;
    table.add({s.port, s.traffic_class, format_count(s.counters.credit_stalls), format_time(time),
               percent(time, r.counted_time())});
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

}  // namespace

std::string pause_summary_text(const Results& results) {
  return deadlock_text(results) + storms_text(results) + victims_text(results) +
         starved_text(results);
}

}  // namespace weft::scenarios
