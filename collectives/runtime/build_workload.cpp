#include <algorithm>
#include <utility>
#include <variant>

#include "collectives/costs/choose.hpp"
#include "collectives/jobs/collective_program.hpp"
#include "collectives/jobs/incast.hpp"
#include "collectives/jobs/message_list.hpp"
#include "collectives/jobs/open_loop.hpp"
#include "collectives/jobs/permutation.hpp"
#include "collectives/jobs/routing.hpp"
#include "collectives/runtime/workload.hpp"

namespace weft::collectives {

namespace {

/// An algorithm has up to four lanes per channel.
constexpr std::uint32_t kMaxChannels = Workload::kMaxLanes / 4;

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
  void operator()(const CollectiveSpec& spec) {
    const bool has_matrix = spec.operation == Operation::kAllToAllV;
    if (spec.operation != Operation::kBarrier && !has_matrix) {
      at_least("size", spec.size.count(), 1);
    }
    if (has_matrix && spec.routing.tokens == 0 && spec.matrix.size() != ranks_ * ranks_) {
      fail("matrix", "has " + std::to_string(spec.matrix.size()) + " entries; " +
                         std::to_string(ranks_) + " ranks need " + std::to_string(ranks_ * ranks_));
    }
    for (const std::int64_t entry : spec.matrix) {
      if (entry < 0) at_least("matrix", entry, 0);
    }
    rank("root", spec.root);
    at_least("iterations", spec.iterations, 1);
    at_least("compute", spec.compute.count(), 0);
    const Execution& execution = spec.execution;
    const bool is_nccl = execution.preset == Execution::Preset::kNccl;  // which fills in the rest
    at_least("channels", execution.channels, is_nccl ? 0 : 1);
    if (execution.channels > kMaxChannels) {
      fail("channels", "is " + std::to_string(execution.channels) + "; at most " +
                           std::to_string(kMaxChannels) + " are possible");
    }
    at_least("chunk", execution.chunk.count(), 0);
    at_least("slices", execution.slices, is_nccl ? 0 : 1);
    for (std::size_t i = 0; i < spec.stragglers.size(); ++i) {
      for (const std::uint32_t straggler : spec.stragglers[i].ranks) {
        rank("stragglers[" + std::to_string(i) + "].ranks", straggler);
      }
    }
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
  const RankLayout& layout;

  std::unique_ptr<const JobProgram> operator()(const IncastSpec& spec) const {
    return std::make_unique<Incast>(setting, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const PermutationSpec& spec) const {
    return std::make_unique<Permutation>(setting, spec);
  }
  std::unique_ptr<const JobProgram> operator()(const CollectiveSpec& spec) const {
    return std::make_unique<CollectiveProgram>(setting, spec, layout);
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

/// Adds the job; its errors name the field.
Errors add(Workload& workload, const JobDescription& job, std::size_t number,
           const WorkloadOptions& options) {
  const ProgramSetting setting = setting_of(job, number, options);
  const RankLayout layout = layout_of(job);
  JobKind kind = job.kind;
  std::optional<AlgorithmChoice> choice;
  if (auto* spec = std::get_if<CollectiveSpec>(&kind)) {
    if (spec->operation == Operation::kAllToAllV && spec->routing.tokens > 0) {
      spec->matrix = routed_matrix(spec->routing, setting.ranks, setting.seed, setting.job);
    }
    auto settled = settle(*spec, setting.ranks, layout);
    if (!settled) {
      Errors errors = settled.errors();
      for (Error& error : errors)
        error.where.key = "jobs[" + std::to_string(number) + "].algorithm";
      return errors;
    }
    choice = std::move(settled).value();
  }
  auto program = std::visit(MakeProgram{setting, layout}, kind);
  return workload.add_job(job.name, job.start, job.ranks, std::move(program),
                          options.has_acknowledgements, {job.traffic_class, job.queue_pairs},
                          std::move(choice));
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
    if (Errors refused = add(workload, jobs[i], i, options); !refused.empty()) return refused;
  }
  return workload;
}

}  // namespace weft::collectives
