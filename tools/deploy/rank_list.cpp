#include "tools/deploy/rank_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "scenarios/text/csv.hpp"
#include "tools/diagnose/model/places.hpp"

namespace weft::deploy {
namespace {

using collectives::JobPlan;
using collectives::Workload;

/// Where a rank is.
struct RankPlace {
  std::string node;
  std::size_t gpu = 0;
};

/// By host.
std::vector<RankPlace> places_of_hosts(const Fabric& fabric) {
  std::vector<RankPlace> all(fabric.hosts.size());
  for (const diagnose::ServerPlace& server : diagnose::Places(fabric).servers) {
    for (std::size_t i = 0; i < server.hosts.size(); ++i) all[server.hosts[i]] = {server.name, i};
  }
  return all;
}

/// Of a job, by rank.
std::vector<RankPlace> places_of(const Workload& workload, const JobPlan& job,
                                 const std::vector<RankPlace>& of_host) {
  std::vector<RankPlace> all;
  for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
    all.push_back(of_host[workload.process_hosts()[job.process(rank).value()].value()]);
  }
  return all;
}

/// Of nodes on which the ranks, in their order, are not GPUs 0, 1, 2 ...
std::vector<std::string> remarks_on(const std::vector<RankPlace>& ranks) {
  std::map<std::string, std::vector<std::size_t>> gpus;
  for (const RankPlace& rank : ranks) gpus[rank.node].push_back(rank.gpu);
  std::vector<std::string> remarks;
  for (const auto& [node, order] : gpus) {
    bool is_in_order = true;
    for (std::size_t i = 0; i < order.size(); ++i) is_in_order = is_in_order && order[i] == i;
    if (is_in_order) continue;
    remarks.push_back(
        fmt::format("ranks on {} are its GPUs {} in this order: set "
                    "CUDA_VISIBLE_DEVICES={} there",
                    node, fmt::join(order, ", "), fmt::join(order, ",")));
  }
  return remarks;
}

std::string names_of(const std::vector<JobPlan>& jobs) {
  std::vector<std::string> names;
  for (const JobPlan& job : jobs) names.push_back("`" + job.name + "`");
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Deployed rank_list(const scenarios::Experiment& experiment) {
  const std::vector<RankPlace> of_host = places_of_hosts(experiment.fabric);
  Deployed deployed{.text = "job,rank,node,gpu\n", .remarks = {}};
  for (const JobPlan& job : experiment.workload.jobs()) {
    std::size_t rank = 0;
    for (const RankPlace& place : places_of(experiment.workload, job, of_host)) {
      deployed.text += fmt::format("{},{},{},{}\n", scenarios::csv::field(job.name), rank++,
                                   scenarios::csv::field(place.node), place.gpu);
    }
  }
  return deployed;
}

Result<Deployed> host_file(const scenarios::Experiment& experiment, const std::string& job) {
  const std::vector<JobPlan>& jobs = experiment.workload.jobs();
  const auto found =
      job.empty() && jobs.size() == 1 ? jobs.begin() : std::ranges::find(jobs, job, &JobPlan::name);
  if (found == jobs.end()) {
    const std::string asked = job.empty()
                                  ? fmt::format("has {} jobs; name one by --job", jobs.size())
                                  : fmt::format("has no job `{}`", job);
    return Error{fmt::format("{}: {}", asked, names_of(jobs))};
  }
  const std::vector<RankPlace> ranks =
      places_of(experiment.workload, *found, places_of_hosts(experiment.fabric));
  Deployed deployed{.text = {}, .remarks = remarks_on(ranks)};
  for (const RankPlace& rank : ranks) deployed.text += rank.node + "\n";
  return deployed;
}

}  // namespace weft::deploy
