#include "scenarios/blame/blame_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
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

/// The one failure that can be behind it, by name; empty: none, or several. What found no route is
/// of any outage.
[[nodiscard]] static std::string failure_behind(const Results& r, Cause cause,
                                                const Culprit& culprit) {
  const bool is_repeat = culprit.kind == Culprit::Kind::kConnection &&
                         (cause == Cause::kRetransmission || cause == Cause::kTimeout);
  const bool is_outage = culprit.kind == Culprit::Kind::kPort && cause == Cause::kLinkFailure;
  if (!is_repeat && !is_outage) return {};
  std::int64_t lost = 0;
  bool found_no_route = false;
  std::set<std::string> names;
  for (const IncidentResult& incident : r.incidents) {
    lost += incident.packets;
    const bool is_meant =
        is_repeat ? std::ranges::binary_search(incident.connections, ConnectionId(culprit.number))
                  : std::ranges::binary_search(incident.ports, PortId(culprit.number));
    if (!is_meant) continue;
    if (incident.kind == IncidentKind::kNoRoute) {
      found_no_route = true;
    } else {
      names.insert(incident.name());
    }
  }
  if (found_no_route) {
    for (const IncidentResult& incident : r.incidents) {
      if (incident.port) names.insert(incident.name());
    }
  }
  // A repeat may be of packets that something else took.
  const bool has_others = is_repeat && (r.totals.packets_dropped() != lost ||
                                        r.totals.packets_trimmed > 0 || r.measured_from > 0_ps);
  return names.size() == 1 && !has_others ? *names.begin() : std::string();
}

std::string culprit_name_of(const Experiment& e, const Results& results, Cause cause,
                            const Culprit& culprit) {
  const std::string failure = failure_behind(results, cause, culprit);
  return culprit_name(e, results, culprit) + (failure.empty() ? failure : " by " + failure);
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
