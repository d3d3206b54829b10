#include <algorithm>
#include <utility>
#include <variant>

#include "collectives/incast.hpp"
#include "collectives/message_list.hpp"
#include "collectives/open_loop.hpp"
#include "collectives/pairwise_all_to_all.hpp"
#include "collectives/permutation.hpp"
#include "collectives/ring_all_reduce.hpp"
#include "collectives/workload.hpp"

namespace weft::collectives {

namespace {

/// Collects what is wrong with one job.
class JobCheck {
 public:
  JobCheck(std::size_t job, const JobDescription& description, bool has_rates, Errors& errors)
      : key_("jobs[" + std::to_string(job) + "]."),
        ranks_(description.ranks.size()),
        has_rates_(has_rates),
        errors_(errors) {
    at_least("start", description.start.count(), 0);
    if (ranks_ < 2) fail("ranks", "there are " + std::to_string(ranks_) + "; a job needs two");
    std::vector<HostId> hosts = description.ranks;
    std::sort(hosts.begin(), hosts.end());
    if (std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end()) {
      fail("ranks", "a host appears twice; ranks of a job live on different hosts");
    }
  }

  void operator()(const IncastSpec& spec) {
    rank("receiver", spec.receiver);
    at_least("size", spec.size.count(), 1);
    at_least("rounds", spec.rounds, 1);
    at_least("jitter", spec.jitter.count(), 0);
  }
  void operator()(const PermutationSpec& spec) {
    at_least("size", spec.size.count(), 1);
    at_least("jitter", spec.jitter.count(), 0);
  }
  void operator()(const AllReduceSpec& spec) {
    at_least("size", spec.size.count(), 1);
    at_least("iterations", spec.iterations, 1);
  }
  void operator()(const AllToAllSpec& spec) {
    at_least("size", spec.size.count(), 1);
    at_least("iterations", spec.iterations, 1);
  }
  void operator()(const MessagesSpec& spec) {
    for (std::size_t i = 0; i < spec.list.size(); ++i) {
      const auto& message = spec.list[i];
      const std::string at = "list[" + std::to_string(i) + "].";
      rank(at + "from", message.from);
      rank(at + "to", message.to);
      at_least(at + "size", message.size.count(), 1);
      at_least(at + "start", message.start.count(), 0);
      if (message.from == message.to) fail(at + "to", "a rank cannot send to itself");
    }
  }
  void operator()(const OpenLoopSpec& spec) {
    at_least("size", spec.size.count(), 1);
    at_least("stop", spec.stop.count(), 0);
    if (!(spec.load > 0)) fail("load", "must be above 0");
    if (!has_rates_) fail("load", "the access rates of the hosts are not known");
  }

 private:
  void fail(const std::string& field, std::string message) {
    errors_.push_back({std::move(message), {.file = {}, .key = key_ + field}});
  }
  void at_least(const std::string& field, std::int64_t value, std::int64_t least) {
    if (value >= least) return;
    fail(field, "is " + std::to_string(value) + "; must be at least " + std::to_string(least));
  }
  void rank(const std::string& field, std::uint32_t value) {
    if (value < ranks_) return;
    fail(field, "rank " + std::to_string(value) + " of " + std::to_string(ranks_) +
                    " does not exist; ranks count from 0");
  }

  std::string key_;
  std::size_t ranks_;
  bool has_rates_;
  Errors& errors_;
};

struct MakeProgram {
  ProgramSetting setting;

  std::unique_ptr<const JobProgram> operator()(const IncastSpec& spec) const {
    return std::make_unique<Incast>(setting, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const PermutationSpec& spec) const {
    return std::make_unique<Permutation>(setting, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const AllReduceSpec& spec) const {
    switch (spec.algorithm) {
      case AllReduceSpec::Algorithm::kRing:
        break;
    }
    return std::make_unique<RingAllReduce>(setting.ranks, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const AllToAllSpec& spec) const {
    switch (spec.algorithm) {
      case AllToAllSpec::Algorithm::kPairwise:
        break;
    }
    return std::make_unique<PairwiseAllToAll>(setting.ranks, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const MessagesSpec& spec) const {
    return std::make_unique<MessageList>(setting, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const OpenLoopSpec& spec) const {
    return std::make_unique<OpenLoop>(setting, spec);
  }
};

ProgramSetting setting_of(const JobDescription& job, std::size_t number,
                          const WorkloadOptions& options) {
  ProgramSetting setting;
  setting.seed = options.seed;
  setting.job = static_cast<std::uint32_t>(number);
  setting.ranks = static_cast<std::uint32_t>(job.ranks.size());
  setting.start = job.start;
  setting.has_acknowledgements = options.has_acknowledgements;
  if (std::holds_alternative<OpenLoopSpec>(job.kind)) {
    for (const HostId host : job.ranks) {
      setting.access_rates.push_back(options.access_rates[host.value()]);
    }
  }
  return setting;
}

}  // namespace

Result<Workload> build_workload(std::span<const JobDescription> jobs,
                                const WorkloadOptions& options) {
  Errors errors;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    JobCheck check(i, jobs[i], !options.access_rates.empty(), errors);
    std::visit(check, jobs[i].kind);
  }
  if (!errors.empty()) return errors;

  Workload workload;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto program = std::visit(MakeProgram{setting_of(jobs[i], i, options)}, jobs[i].kind);
    Errors refused =
        workload.add_job(jobs[i].name, jobs[i].start, jobs[i].ranks, std::move(program),
                         options.has_acknowledgements, jobs[i].traffic_class);
    if (!refused.empty()) return refused;
  }
  return workload;
}

}  // namespace weft::collectives
