#include "scenarios/blame/blame_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
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
                    .culprit = culprit_name(e, results, culprit),
                    .port = is_somewhere ? e.fabric.port_name(PortId(port)) : std::string(),
                    .time = time});
  }
  std::ranges::stable_sort(rows, [](const BlameResult& a, const BlameResult& b) {
    return std::tuple(a.job, a.iteration, b.time) < std::tuple(b.job, b.iteration, a.time);
  });
  return rows;
}

}  // namespace weft::scenarios
