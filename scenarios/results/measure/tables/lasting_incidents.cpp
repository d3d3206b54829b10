#include "scenarios/results/measure/tables/lasting_incidents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <variant>

#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

constexpr std::size_t kMaxNames = 3;

/// Whether packets stop at it, rather than take longer.
bool stops_packets(const IncidentResult& r) {
  switch (r.kind) {
    case IncidentKind::kNicPause:
    case IncidentKind::kLinkDown:
    case IncidentKind::kSwitchDown:
    case IncidentKind::kFlapping:
      return true;
    case IncidentKind::kBitErrors:
      return r.packets > 0;
    case IncidentKind::kLinkRate:
    case IncidentKind::kLinkLatency:
    case IncidentKind::kPauseStorm:
    case IncidentKind::kNoRoute:
    case IncidentKind::kRetryGaveUp:
      break;
  }
  return false;
}

/// `the link of h3`, `the link between leaf0 and spine1`.
std::string link_text(const FaultSpec& fault) {
  const LinkSelection& links = *links_of(fault);
  return links.to.empty() ? "the link of " + links.from
                          : fmt::format("the link between {} and {}", links.from, links.to);
}

/// What is wrong: `the link of h3 is down`.
std::string state_text(const FaultSpec& fault, IncidentKind kind, const std::string& place) {
  if (const auto* pause = std::get_if<NicPause>(&fault.what)) {
    return fmt::format("the NIC of {} holds its switch paused", pause->host);
  }
  if (const auto* off = std::get_if<SwitchDown>(&fault.what)) {
    return fmt::format("switch {} is off", off->node);
  }
  if (kind == IncidentKind::kBitErrors) return link_text(fault) + " corrupts frames";
  if (kind == IncidentKind::kFlapping) return fmt::format("the link {} is down", place);
  return link_text(fault) + " is down";
}

/// Jobs that did not finish and have to do with it: whose data was lost there, whose queue pairs
/// gave up, or, of a NIC, that have a rank at its host.
class WaitingJobs {
 public:
  WaitingJobs(const Experiment& e, const Results& results) : e_(e), results_(results) {}

  void add(ConnectionId connection) {
    add_job(e_.workload.job_of(e_.workload.connections()[connection.value()].source));
  }
  void add_host(const std::string& host) {
    for (std::uint32_t j = 0; j < e_.workload.jobs().size(); ++j) {
      const collectives::JobPlan& job = e_.workload.jobs()[j];
      for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
        const HostId at = e_.workload.process_hosts()[job.process(rank).value()];
        if (e_.fabric.host(at).name == host) add_job(j);
      }
    }
  }
  /// `job a waits for it`; empty: none is known to.
  [[nodiscard]] std::string text() const {
    if (jobs_.empty()) return {};
    std::string names;
    std::size_t said = 0;
    for (const std::uint32_t j : jobs_) {
      if (said == kMaxNames) break;
      names += (said++ == 0 ? "" : ", ") + results_.jobs[j].name;
    }
    const std::size_t more = jobs_.size() - said;
    if (more > 0) names += fmt::format(" and {} more", more);
    return jobs_.size() == 1 ? fmt::format("; job {} waits for it", names)
                             : fmt::format("; jobs {} wait for it", names);
  }

 private:
  void add_job(std::uint32_t job) {
    if (!results_.jobs[job].is_finished) jobs_.insert(job);
  }

  const Experiment& e_;
  const Results& results_;
  std::set<std::uint32_t> jobs_;
};

}  // namespace

std::vector<std::string> describe_lasting_incidents(const Experiment& e,
                                                    const std::vector<ConnectionId>& failed,
                                                    const Results& results) {
  constexpr std::size_t kMaxSentences = 5;
  std::vector<std::string> sentences;
  std::size_t more = 0;
  for (const IncidentResult& r : results.incidents) {
    if (!r.fault || !stops_packets(r)) continue;
    WaitingJobs jobs(e, results);
    bool has_ended_a_pair = false;
    for (const ConnectionId connection : r.connections) {
      jobs.add(connection);
      has_ended_a_pair = has_ended_a_pair || std::ranges::find(failed, connection) != failed.end();
    }
    if (r.end && !has_ended_a_pair) continue;
    const FaultSpec& fault = e.scenario.faults[*r.fault];
    if (const auto* pause = std::get_if<NicPause>(&fault.what)) jobs.add_host(pause->host);
    if (jobs.text().empty()) continue;
    if (sentences.size() == kMaxSentences) {
      ++more;
      continue;
    }
    const std::string until = r.until ? " until " + format_time(*r.until) + ", which is too late"
                                      : std::string(" on, and nothing mends it");
    sentences.push_back(fmt::format("{} from {}{}{} (faults[{}])",
                                    state_text(fault, r.kind, r.place), format_time(r.begin), until,
                                    jobs.text(), *r.fault));
  }
  if (more > 0) {
    sentences.push_back(
        fmt::format("and {}", counted(static_cast<std::int64_t>(more), "more failure")));
  }
  return sentences;
}

}  // namespace weft::scenarios
