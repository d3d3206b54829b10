#include "scenarios/blame/blame_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weft::scenarios {
namespace {

const std::string& host_of(const Experiment& e, ProcessId process) {
  return e.fabric.host(e.workload.process_hosts()[process.value()]).name;
}

const char* kind_name(Culprit::Kind kind) {
  switch (kind) {
    case Culprit::Kind::kRank:
      return "rank";
    case Culprit::Kind::kStage:
      return "stage";
    case Culprit::Kind::kJob:
      return "job";
    case Culprit::Kind::kPort:
    case Culprit::Kind::kStorm:
      return "port";
    case Culprit::Kind::kConnection:
      return "queue pair";
  }
  return "";
}

}  // namespace

std::string culprit_name(const Experiment& e, const Results& results, const Culprit& culprit) {
  switch (culprit.kind) {
    case Culprit::Kind::kRank:
      return fmt::format("rank {} ({})", culprit.number,
                         host_of(e, e.workload.jobs()[culprit.job].process(culprit.number)));
    case Culprit::Kind::kStage:
      return fmt::format("stage {}", culprit.number);
    case Culprit::Kind::kJob:
      return e.workload.jobs()[culprit.number].name;
    case Culprit::Kind::kPort:
      return e.fabric.port_name(PortId(culprit.number));
    case Culprit::Kind::kStorm:
      return root_name(results, results.pauses.analysis.storms[culprit.number]);
    case Culprit::Kind::kConnection: {
      const Connection& c = e.workload.connections()[culprit.number];
      return fmt::format("rank {} -> rank {} ({} -> {})", e.workload.rank_of(c.source),
                         e.workload.rank_of(c.destination), host_of(e, c.source),
                         host_of(e, c.destination));
    }
  }
  return {};
}

/// The one failure that can be behind it: a queue pair's data was lost to no other, and nothing
/// else dropped packets. Null: none, or several.
[[nodiscard]] static const IncidentResult* incident_of(const Results& r, Cause cause,
                                                       const Culprit& culprit) {
  const bool is_repeat = culprit.kind == Culprit::Kind::kConnection &&
                         (cause == Cause::kRetransmission || cause == Cause::kTimeout);
  const bool is_outage = culprit.kind == Culprit::Kind::kPort && cause == Cause::kLinkFailure;
  if (!is_repeat && !is_outage) return nullptr;
  std::int64_t lost = 0;
  bool lost_route = false;
  bool has_several = false;
  const IncidentResult* outage = nullptr;
  const IncidentResult* found = nullptr;
  for (const IncidentResult& incident : r.incidents) {
    lost += incident.packets;
    const bool is_meant =
        is_repeat ? std::ranges::binary_search(incident.connections, ConnectionId(culprit.number))
                  : std::ranges::binary_search(incident.ports, PortId(culprit.number));
    // What no route led on follows from the outages: from one, if there is one alone.
    const bool follows = incident.kind == "no-route";
    if (incident.port && outage != nullptr && outage->name() != incident.name()) has_several = true;
    if (incident.port) outage = &incident;
    if (!is_meant) continue;
    lost_route = lost_route || follows;
    if (follows) continue;
    if (found != nullptr && found->name() != incident.name()) return nullptr;
    found = &incident;
  }
  if (lost_route && has_several) return nullptr;
  if (lost_route && found == nullptr) found = outage;
  if (lost_route && outage != nullptr && found->name() != outage->name()) return nullptr;
  const bool has_others = is_repeat && (r.totals.packets_dropped() != lost ||
                                        r.totals.packets_trimmed > 0 || r.measured_from > 0_ps);
  return has_others ? nullptr : found;
}

std::string culprit_name_of(const Experiment& e, const Results& results, Cause cause,
                            const Culprit& culprit) {
  const IncidentResult* incident = incident_of(results, cause, culprit);
  const std::string name = culprit_name(e, results, culprit);
  return incident == nullptr ? name : name + " by " + incident->name();
}

std::vector<Charge> BlameSums::take_charges(std::size_t number) {
  std::vector<Charge> all = std::exchange(kept_[number], {});
  std::ranges::sort(all, {}, &Charge::begin);
  std::vector<Charge> joined;
  for (const Charge& c : all) {
    const bool continues = !joined.empty() && joined.back().end == c.begin &&
                           joined.back().cause == c.cause && joined.back().culprit == c.culprit &&
                           joined.back().port == c.port;
    if (continues) {
      joined.back().end = c.end;
    } else {
      joined.push_back(c);
    }
  }
  return joined;
}

std::vector<BlameResult> BlameSums::rows(const Experiment& e, const Results& results) const {
  std::vector<BlameResult> rows;
  rows.reserve(sums_.size());
  for (const auto& [key, time] : sums_) {
    const auto& [job, iteration, cause, culprit, port] = key;
    const bool is_somewhere = !PortId(port).is_none();
    rows.push_back({.job = job,
                    .iteration = iteration,
                    .cause = cause_name(cause),
                    .culprit_kind = kind_name(culprit.kind),
                    .culprit = culprit_name_of(e, results, cause, culprit),
                    .port = is_somewhere ? e.fabric.port_name(PortId(port)) : std::string(),
                    .time = time});
  }
  std::ranges::stable_sort(rows, [](const BlameResult& a, const BlameResult& b) {
    return std::tuple(a.job, a.iteration, b.time) < std::tuple(b.job, b.iteration, a.time);
  });
  return rows;
}

}  // namespace weft::scenarios
