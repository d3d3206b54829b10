#include "collectives/memo/gpu_sets.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/tasks/task_program.hpp"

namespace weft::collectives {

namespace {

constexpr const char* kOthers = "other messages take the same links";
constexpr const char* kTwoJobs = "another job's ranks share the GPUs";

class Finder {
 public:
  Finder(const Workload& workload, const Fabric& fabric,
         const std::function<bool(std::int32_t, std::int32_t)>& alike)
      : workload_(workload),
        fabric_(fabric),
        alike_(alike),
        parent_(workload.process_hosts().size()),
        reason_(parent_.size()),
        is_calling_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  GpuSets find() {
    join_communicators();
    mark_others();
    mark_shared_hosts();
    GpuSets gpu_sets = collect();
    find_domain_begins();
    for (std::uint32_t c = 0; c < gpu_sets.all.size(); ++c) find_kind(gpu_sets, c);
    return gpu_sets;
  }

 private:
  [[nodiscard]] const TaskProgram* parts_of(std::uint32_t job) const {
    return dynamic_cast<const TaskProgram*>(workload_.jobs()[job].program.get());
  }
  [[nodiscard]] std::int32_t domain_of(ProcessId process) const {
    return fabric_.host(workload_.process_hosts()[process.value()]).domain;
  }
  [[nodiscard]] bool is_inside(const JobPlan& plan, const Communicator& communicator) const {
    const std::int32_t domain = domain_of(plan.process(communicator.ranks.front()));
    return domain >= 0 && std::ranges::all_of(communicator.ranks, [&](std::uint32_t rank) {
             return domain_of(plan.process(rank)) == domain;
           });
  }
  [[nodiscard]] std::uint32_t root_of(std::uint32_t process) {
    while (parent_[process] != process) process = parent_[process] = parent_[parent_[process]];
    return process;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root_of(a);
    b = root_of(b);
    parent_[std::max(a, b)] = std::min(a, b);
    if (reason_[a] == nullptr) reason_[a] = reason_[b];
    if (reason_[b] == nullptr) reason_[b] = reason_[a];
  }
  void refuse(std::uint32_t process, const char* reason) {
    const char*& of_root = reason_[root_of(process)];
    if (of_root == nullptr) of_root = reason;
  }

  void join_communicators() {
    for (std::uint32_t j = 0; j < workload_.jobs().size(); ++j) {
      const TaskProgram* program = parts_of(j);
      if (program == nullptr) continue;
      const JobPlan& plan = workload_.jobs()[j];
      for (const Communicator& communicator : program->task_set().communicators()) {
        if (!is_inside(plan, communicator)) continue;
        const std::uint32_t first = plan.process(communicator.ranks.front()).value();
        for (const std::uint32_t rank : communicator.ranks) {
          is_calling_[plan.process(rank).value()] = true;
          join(first, plan.process(rank).value());
        }
      }
    }
  }

  /// Whatever else travels between two GPUs of a domain.
  void mark_others() {
    for (std::uint32_t i = 0; i < workload_.connections().size(); ++i) {
      const Connection& c = workload_.connections()[i];
      const bool stays =
          domain_of(c.source) >= 0 && domain_of(c.source) == domain_of(c.destination);
      if (!stays) continue;
      const std::uint32_t job = workload_.job_of(c.source);
      const TaskProgram* program = parts_of(job);
      const ConnectionId id(i);
      std::optional<std::uint32_t> communicator;
      if (program != nullptr && workload_.relay_of(id) == Workload::kNoRelay) {
        communicator = communicator_of(workload_, *program, id);
      }
      const bool is_call =
          communicator &&
          is_inside(workload_.jobs()[job], program->task_set().communicators()[*communicator]);
      if (is_call) continue;
      refuse(c.source.value(), kOthers);
      refuse(c.destination.value(), kOthers);
    }
  }

  void mark_shared_hosts() {
    std::map<HostId, std::uint32_t> first_of_host;
    for (std::uint32_t p = 0; p < workload_.process_hosts().size(); ++p) {
      const auto [it, is_new] = first_of_host.emplace(workload_.process_hosts()[p], p);
      if (is_new) continue;
      refuse(p, kTwoJobs);
      refuse(it->second, kTwoJobs);
    }
  }

  GpuSets collect() {
    GpuSets gpu_sets;
    gpu_sets.of_process.assign(parent_.size(), GpuSets::kNone);
    gpu_sets.rank_of_process.assign(parent_.size(), GpuSets::kNone);
    std::map<std::uint32_t, std::uint32_t> component_of_root;
    for (std::uint32_t p = 0; p < parent_.size(); ++p) {
      if (!is_calling_[p]) continue;
      const std::uint32_t root = root_of(p);
      if (reason_[root] != nullptr) {
        gpu_sets.refuse(reason_[root], 1);
        continue;
      }
      const auto [it, is_new] =
          component_of_root.emplace(root, static_cast<std::uint32_t>(gpu_sets.all.size()));
      if (is_new) {
        GpuSet& made = gpu_sets.all.emplace_back();
        made.job = workload_.job_of(ProcessId(p));
        made.domain = domain_of(ProcessId(p));
      }
      GpuSet& gpu_set = gpu_sets.all[it->second];
      gpu_sets.of_process[p] = it->second;
      gpu_sets.rank_of_process[p] = static_cast<std::uint32_t>(gpu_set.ranks.size());
      gpu_set.ranks.push_back(workload_.rank_of(ProcessId(p)));
    }
    add_communicators(gpu_sets);
    return gpu_sets;
  }

  void add_communicators(GpuSets& gpu_sets) {
    for (std::uint32_t j = 0; j < workload_.jobs().size(); ++j) {
      const TaskProgram* program = parts_of(j);
      if (program == nullptr) continue;
      const JobPlan& plan = workload_.jobs()[j];
      const auto communicators = program->task_set().communicators();
      for (std::uint32_t c = 0; c < communicators.size(); ++c) {
        if (!is_inside(plan, communicators[c])) continue;
        const std::uint32_t of =
            gpu_sets.of_process[plan.process(communicators[c].ranks.front()).value()];
        if (of != GpuSets::kNone) gpu_sets.all[of].communicators.push_back(c);
      }
    }
  }

  void find_domain_begins() {
    const std::size_t hosts = fabric_.hosts.size();
    domain_begin_.resize(hosts);
    for (std::uint32_t host = 0; host < hosts; ++host) {
      const bool is_next =
          host > 0 && fabric_.host(HostId(host - 1)).domain == fabric_.host(HostId(host)).domain;
      domain_begin_[host] = is_next ? domain_begin_[host - 1] : host;
    }
  }

  /// Only those of the same job at the same places can be alike: a large domain has thousands of
  /// kinds, which are not all looked through for each GPU set.
  void find_kind(GpuSets& gpu_sets, std::uint32_t number) {
    GpuSet& gpu_set = gpu_sets.all[number];
    std::vector<std::uint32_t>& kinds = kinds_at_[{gpu_set.job, places_of(gpu_set)}];
    for (const std::uint32_t kind : kinds) {
      if (!are_alike(gpu_sets.all[gpu_sets.of_kind[kind]], gpu_set)) continue;
      gpu_set.kind = kind;
      return;
    }
    gpu_set.kind = static_cast<std::uint32_t>(gpu_sets.of_kind.size());
    gpu_sets.of_kind.push_back(number);
    kinds.push_back(gpu_set.kind);
  }

  [[nodiscard]] std::vector<std::uint32_t> places_of(const GpuSet& c) const {
    std::vector<std::uint32_t> places;
    const JobPlan& plan = workload_.jobs()[c.job];
    for (const std::uint32_t rank : c.ranks) {
      const HostId host = workload_.process_hosts()[plan.process(rank).value()];
      places.push_back(host.value() - domain_begin_[host.value()]);
    }
    return places;
  }

  /// Of the same job and places.
  [[nodiscard]] bool are_alike(const GpuSet& a, const GpuSet& b) const {
    if (!do_calls_match(*parts_of(a.job), a, b)) return false;
    return a.domain == b.domain || alike_(a.domain, b.domain);
  }

  const Workload& workload_;
  const Fabric& fabric_;
  const std::function<bool(std::int32_t, std::int32_t)>& alike_;
  std::vector<std::uint32_t> parent_;        ///< by process: joined by communicators
  std::vector<const char*> reason_;          ///< by root: why not; null: nothing is in the way
  std::vector<bool> is_calling_;             ///< by process: it makes calls inside its domain
  std::vector<std::uint32_t> domain_begin_;  ///< by host: the first one of its domain beside it
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::vector<std::uint32_t>>
      kinds_at_;  ///< by job and places
};

}  // namespace

void GpuSets::refuse(const std::string& reason, std::size_t gpus) {
  const auto known = std::ranges::find(refusals, reason, &Refusal::reason);
  Refusal& refusal = known == refusals.end() ? refusals.emplace_back(Refusal{reason}) : *known;
  refusal.gpus += static_cast<std::uint32_t>(gpus);
}

void exclude(GpuSets& gpu_sets, const std::function<std::string(const GpuSet&)>& reason_against) {
  std::vector<std::uint32_t> number(gpu_sets.all.size(), GpuSets::kNone);
  std::vector<std::uint32_t> kind_here(gpu_sets.of_kind.size(), GpuSets::kNone);
  GpuSets left;
  left.refusals = std::move(gpu_sets.refusals);
  for (std::uint32_t c = 0; c < gpu_sets.all.size(); ++c) {
    GpuSet gpu_set = gpu_sets.all[c];
    if (const std::string reason = reason_against(gpu_set); !reason.empty()) {
      left.refuse(reason, gpu_set.ranks.size());
      continue;
    }
    std::uint32_t& kind = kind_here[gpu_set.kind];
    if (kind == GpuSets::kNone) {
      kind = static_cast<std::uint32_t>(left.of_kind.size());
      left.of_kind.push_back(static_cast<std::uint32_t>(left.all.size()));
    }
    gpu_set.kind = kind;
    number[c] = static_cast<std::uint32_t>(left.all.size());
    left.all.push_back(std::move(gpu_set));
  }
  left.of_process = std::move(gpu_sets.of_process);
  left.rank_of_process = std::move(gpu_sets.rank_of_process);
  for (std::size_t p = 0; p < left.of_process.size(); ++p) {
    if (left.of_process[p] == GpuSets::kNone) continue;
    left.of_process[p] = number[left.of_process[p]];
    if (left.of_process[p] == GpuSets::kNone) left.rank_of_process[p] = GpuSets::kNone;
  }
  gpu_sets = std::move(left);
}

GpuSets find_gpu_sets(const Workload& workload, const Fabric& fabric,
                      const std::function<bool(std::int32_t, std::int32_t)>& alike) {
  return Finder(workload, fabric, alike).find();
}

}  // namespace weft::collectives
