#include "scenarios/memo/savings_forecast.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collectives/memo/matching_calls.hpp"
#include "collectives/memo/overlap.hpp"
#include "collectives/tasks/task_program.hpp"
#include "scenarios/checks/limits/traffic.hpp"
#include "scenarios/memo/obstacles.hpp"
#include "scenarios/memo/run_reuse.hpp"

namespace weft::scenarios {
namespace {

using collectives::Communicator;
using collectives::GpuSet;
using collectives::GpuSets;
using collectives::TaskProgram;

Spared operator*(double times, const Spared& s) {
  return {times * s.packet_hops, times * s.scale_up_hops, times * s.messages, times * s.calls};
}
Spared& operator+=(Spared& sum, const Spared& s) {
  sum.packet_hops += s.packet_hops;
  sum.scale_up_hops += s.scale_up_hops;
  sum.messages += s.messages;
  sum.calls += s.calls;
  return sum;
}

/// Of the packets of a message that many are simulated, where the rest may recur (Skipper).
constexpr double kSimulatedPackets = 64;

/// What finding ends may cost, of `hops` of all calls of a kind: an eighth, between tens of
/// milliseconds of simulation and a few seconds.
double budget_of(double hops) {
  constexpr double kShareOfAll = 0.125;
  constexpr double kMinBudget = 100'000;
  constexpr double kMaxBudget = 5'000'000;
  return std::clamp(kShareOfAll * hops, kMinBudget, kMaxBudget);
}

/// What a call sends, and what of that may recur within it.
struct CallTraffic {
  Spared all;
  Spared skipped;
};

class SavingsForecast {
 public:
  explicit SavingsForecast(const Experiment& e)
      : e_(e), messages_(e.scenario, e.fabric, e.routes, e.workload) {}

  [[nodiscard]] Spared of(const GpuSets& gpu_sets) {
    const std::vector<std::vector<CallTraffic>> once = calls_of_kinds(gpu_sets);
    Spared spared;
    for (std::size_t i = 0; i < gpu_sets.all.size(); ++i) {
      const GpuSet& c = gpu_sets.all[i];
      const double simulated = gpu_sets.of_kind[c.kind] == i ? 1 : 0;
      const std::vector<std::uint32_t> calls = calls_of(c);
      for (std::size_t k = 0; k < calls.size(); ++k) {
        const double times = times_of(c, calls[k]);
        if (times <= 0) continue;
        spared += (times - simulated) * once[c.kind][k].all;
        spared += simulated * once[c.kind][k].skipped;
      }
    }
    return spared;
  }

  /// Without those whose calls overlap so much that a run will give their reuse up. Calls inside a
  /// domain that overlap are one epoch, whose ends are found again whenever one of them begins: if
  /// those of one iteration alone cost more than the budget, it is gone before anything recurs.
  [[nodiscard]] GpuSets worthwhile(GpuSets domains) {
    const std::vector<std::vector<CallTraffic>> once = calls_of_kinds(domains);
    const std::vector<double> hops = hops_of_kinds(domains);
    std::vector<bool> is_given_up;
    for (std::size_t kind = 0; kind < once.size(); ++kind) {
      const GpuSet& first = domains.all[domains.of_kind[kind]];
      is_given_up.push_back(overlapping_hops(first, once[kind]) > budget_of(hops[kind]));
    }
    collectives::exclude(domains, [&](const GpuSet& c) {
      return std::string(is_given_up[c.kind] ? "they overlap" : "");
    });
    return domains;
  }

  /// Packet-hops of a run, by kind.
  [[nodiscard]] std::vector<double> hops_of_kinds(const GpuSets& gpu_sets) {
    std::vector<double> hops(gpu_sets.of_kind.size());
    const std::vector<std::vector<CallTraffic>> once = calls_of_kinds(gpu_sets);
    for (const GpuSet& c : gpu_sets.all) {
      const std::vector<std::uint32_t> calls = calls_of(c);
      for (std::size_t k = 0; k < calls.size(); ++k) {
        hops[c.kind] += times_of(c, calls[k]) * once[c.kind][k].all.packet_hops;
      }
    }
    return hops;
  }

 private:
  /// By kind, and by call of its first GPU set.
  [[nodiscard]] std::vector<std::vector<CallTraffic>> calls_of_kinds(const GpuSets& gpu_sets) {
    std::vector<std::vector<CallTraffic>> once(gpu_sets.of_kind.size());
    for (std::size_t kind = 0; kind < once.size(); ++kind) {
      const GpuSet& first = gpu_sets.all[gpu_sets.of_kind[kind]];
      for (const std::uint32_t call : calls_of(first)) once[kind].push_back(of_call(first, call));
    }
    return once;
  }
  [[nodiscard]] const TaskProgram& program_of(const GpuSet& c) const {
    return dynamic_cast<const TaskProgram&>(*e_.workload.jobs()[c.job].program);
  }
  [[nodiscard]] const Communicator& communicator_of(const GpuSet& c, std::uint32_t call) const {
    const collectives::TaskSet& task_set = program_of(c).task_set();
    return task_set.communicators()[task_set.calls()[call].communicator];
  }
  /// Of an iteration, of calls that may be under way beside others of the set. `once`: what its
  /// calls send.
  [[nodiscard]] double overlapping_hops(const GpuSet& c,
                                        const std::vector<CallTraffic>& once) const {
    const TaskProgram& program = program_of(c);
    const std::span<const Communicator> all = program.task_set().communicators();
    std::set<std::uint32_t> ranks;
    for (const std::uint32_t number : c.communicators) ranks.insert(all[number].ranks.front());
    collectives::CallCounts counts;
    for (const std::uint32_t rank : ranks) {
      std::vector<std::uint32_t> own;
      std::ranges::copy_if(c.communicators, std::back_inserter(own), [&](std::uint32_t number) {
        return std::ranges::find(all[number].ranks, rank) != all[number].ranks.end();
      });
      for (const auto& [call, times] : collectives::overlapping_calls(program, rank, own)) {
        counts[call] = std::max(counts[call], times);
      }
    }
    const std::vector<std::uint32_t> calls = calls_of(c);
    double hops = 0;
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const auto found = counts.find(calls[k]);
      if (found == counts.end()) continue;
      hops += static_cast<double>(found->second) * once[k].all.packet_hops;
    }
    return hops;
  }
  /// All that its communicators make.
  [[nodiscard]] std::vector<std::uint32_t> calls_of(const GpuSet& c) const {
    std::vector<std::uint32_t> calls;
    for (const std::uint32_t communicator : c.communicators) {
      const auto own = program_of(c).calls_of(communicator);
      calls.insert(calls.end(), own.begin(), own.end());
    }
    return calls;
  }
  /// In a run.
  [[nodiscard]] double times_of(const GpuSet& c, std::uint32_t call) const {
    const TaskProgram& program = program_of(c);
    const auto counts = program.call_counts(communicator_of(c, call).ranks.front());
    const auto found = counts.find(call);
    if (found == counts.end()) return 0;
    return static_cast<double>(found->second) * program.iterations();
  }
  [[nodiscard]] CallTraffic of_call(const GpuSet& c, std::uint32_t call) {
    CallTraffic sum;
    for (const std::uint32_t rank : communicator_of(c, call).ranks) {
      ++sum.all.calls;
      program_of(c).for_each_send_of_call(call, rank, 1, [&](const collectives::SendCount& send) {
        collectives::for_each_transfer_of(
            e_.workload, c.job, rank, send,
            [&](ConnectionId connection, Bytes size, std::int64_t count) {
              const MessageTraffic::Message m = messages_.of(connection, size);
              const auto times = static_cast<double>(count);
              const double hops = times * m.hops;
              sum.all.messages += times;
              sum.all.packet_hops += hops;
              if (m.is_scale_up) sum.all.scale_up_hops += hops;
              const Connection& by = e_.workload.connections()[connection.value()];
              if (by.kind != Connection::Kind::kUnicast || m.packets <= kSimulatedPackets) return;
              const double skipped = hops * (1 - kSimulatedPackets / m.packets);
              sum.skipped.packet_hops += skipped;
              if (m.is_scale_up) sum.skipped.scale_up_hops += skipped;
            });
      });
    }
    return sum;
  }

  const Experiment& e_;
  MessageTraffic messages_;
};

}  // namespace

Spared max_spared(const Experiment& e) {
  const bool memoises = e.scenario.run.reuse.mode == Reuse::kOn && has_calls(e.workload);
  if (!memoises || !obstacle_to_reuse(e).empty()) return {};
  const Reusable reusable = find_reusable(e);
  SavingsForecast savings(e);
  Spared spared = savings.of(savings.worthwhile(reusable.domains));
  spared += savings.of(reusable.rails);
  return spared;
}

std::vector<std::uint64_t> reuse_budgets(const Experiment& e, const GpuSets& gpu_sets) {
  if (gpu_sets.all.empty()) return {};
  std::vector<std::uint64_t> budgets;
  for (const double hops : SavingsForecast(e).hops_of_kinds(gpu_sets)) {
    budgets.push_back(static_cast<std::uint64_t>(budget_of(hops)));
  }
  return budgets;
}

}  // namespace weft::scenarios
