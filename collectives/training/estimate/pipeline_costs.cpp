#include "collectives/training/estimate/pipeline_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/work.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/pipeline/pipeline_time.hpp"
#include "collectives/training/plan/plan_check.hpp"

namespace weft::collectives {
namespace {

/// Slots of all ranks that are checked one by one: some ten milliseconds.
constexpr std::uint64_t kMaxSlots = 1U << 17U;
/// Rounds of as many micro-batches as a pipeline has under way, after which it keeps its pace.
constexpr std::uint32_t kRounds = 4;

/// What sends take, by rank and rank that they are for.
using Sends = std::vector<std::vector<double>>;

Sends no_sends(std::uint32_t ranks) { return Sends(ranks, std::vector<double>(ranks)); }

/// Of messages of `share` of what a stage gives. Sequence-parallel ranks send their part only.
Sends send_times(const TrainingSpec& spec, const ExchangeTimes& times, double share) {
  const double parts = spec.parallelism.sequence_parallel ? spec.parallelism.tensor : 1.0;
  const TokenBytes token = token_bytes(spec.precision, spec.model.hidden);
  const double bytes =
      share * rank_tokens(spec) * static_cast<double>(token.pipeline.count()) / parts;
  const std::uint32_t ranks = spec.parallelism.pipeline;
  Sends sends = no_sends(ranks);
  for (std::uint32_t from = 0; from < ranks; ++from) {
    for (const std::uint32_t to : {(from + 1) % ranks, (from + ranks - 1) % ranks}) {
      if (to != from) sends[from][to] = times.hop(from, to, bytes);
    }
  }
  return sends;
}

double longest_of(const Sends& sends) {
  double longest = 0;
  for (const std::vector<double>& row : sends) {
    for (const double send : row) longest = std::max(longest, send);
  }
  return longest;
}

/// Stages of a rank in the model's order: one for each virtual stage, with DualPipe also the one
/// at the other end.
std::vector<std::size_t> stages_of(const TrainingSpec& spec, std::size_t stages,
                                   std::uint32_t rank) {
  const std::uint32_t ranks = spec.parallelism.pipeline;
  std::vector<std::size_t> all;
  for (std::size_t i = rank; i < stages; i += ranks) all.push_back(i);
  if (spec.parallelism.schedule == PipelineSchedule::kDualPipe) all.push_back(ranks - 1 - rank);
  return all;
}

bool has_pairs(const TrainingSpec& spec) {
  return spec.parallelism.schedule == PipelineSchedule::kDualPipe || pipeline_of(spec).has_pairs;
}

/// A pair of passes on a rank, and what ZeRO-3 adds to both. Which of its stages each pass is of
/// alternates.
double pair_seconds(const TrainingSpec& spec, const std::vector<StageCosts>& stages,
                    std::uint32_t rank) {
  const std::vector<std::size_t> own = stages_of(spec, stages.size(), rank);
  double sharded = 0;
  for (const std::size_t i : own) sharded += stages[i].sharded.total();
  return stages[rank].pair.seconds + sharded / static_cast<double>(own.size());
}

struct Makespan {
  double seconds{};
  double awaited{};  ///< results on their way, by the mean rank
  std::vector<double> ends;
};

/// Times of stages in whole parts of the longest, so that sums of any are exact.
class PipelineClock {
 public:
  /// `latencies`: of `sends`, what is no time of the sender's links.
  PipelineClock(const TrainingSpec& spec, const std::vector<StageCosts>& stages, const Sends& sends,
                const Sends& latencies)
      : spec_(spec), stages_(stages) {
    const double send = longest_of(sends);
    double longest = send;
    for (const StageCosts& stage : stages) {
      longest = std::max(longest, stage.costs.exposed().total() + stage.sharded.total() + 2 * send);
    }
    constexpr double kParts = 1e12;
    unit_ = longest > 0 ? longest / kParts : 1;
    fill(plan());
    fill_transfers(sends, latencies);
  }

  [[nodiscard]] Makespan run() const {
    PipelinePlan whole = plan();
    const std::uint64_t slots = std::uint64_t{3} * whole.stages() * whole.micro_batches;
    const bool is_dual = whole.schedule == PipelineSchedule::kDualPipe;
    const std::uint32_t round = whole.ranks * (is_dual ? 2 : 1);
    if (slots <= kMaxSlots || whole.micro_batches <= (kRounds + 1) * round) return of(whole);
    const std::uint32_t all = whole.micro_batches;
    whole.micro_batches = all % round + kRounds * round;
    const double rounds = (all - whole.micro_batches) / static_cast<double>(round);
    Makespan longer = of(whole);
    whole.micro_batches -= round;
    const Makespan shorter = of(whole);
    const double later = rounds * (longer.seconds - shorter.seconds);
    longer.seconds += later;
    longer.awaited += rounds * (longer.awaited - shorter.awaited);
    for (double& end : longer.ends) end += later;
    return longer;
  }

 private:
  [[nodiscard]] PipelinePlan plan() const { return pipeline_of(spec_); }
  [[nodiscard]] Picoseconds parts(double seconds) const {
    return Picoseconds(std::llround(seconds / unit_));
  }

  void fill(const PipelinePlan& plan) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const StageCosts& stage = stages_[i];
      BothWays pass = stage.costs.exposed();
      pass += stage.sharded;
      times_.stages.push_back({.forward = parts(pass.forward),
                               .backward_input = parts(pass.backward - stage.costs.weights),
                               .backward_weights = parts(stage.costs.weights),
                               .before_forward = parts(stage.prepared.forward),
                               .before_backward = parts(stage.prepared.backward),
                               .after_forward = parts(stage.tail.forward),
                               .after_backward = parts(stage.tail.backward)});
    }
    if (!has_pairs(spec_)) return;
    for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
      times_.pairs.push_back(parts(pair_seconds(spec_, stages_, rank)));
      times_.after_pairs.push_back(parts(stages_[rank].pair.tail));
    }
  }

  void fill_transfers(const Sends& sends, const Sends& latencies) {
    times_.blocks = !spec_.overlap.pipeline;
    for (std::size_t from = 0; from < sends.size(); ++from) {
      std::vector<Picoseconds>& all = times_.transfers.emplace_back();
      std::vector<Picoseconds>& occupied = times_.occupied.emplace_back();
      for (std::size_t to = 0; to < sends.size(); ++to) {
        all.push_back(parts(sends[from][to]));
        occupied.push_back(parts(sends[from][to] - latencies[from][to]));
      }
    }
  }

  [[nodiscard]] Makespan of(const PipelinePlan& plan) const {
    const PipelineOutcome outcome = pipeline_time(plan, times_);
    const auto seconds = [this](Picoseconds time) {
      return static_cast<double>(time.count()) * unit_;
    };
    Makespan makespan{.seconds = seconds(outcome.makespan), .ends = {}};
    for (const Picoseconds time : outcome.awaited) makespan.awaited += seconds(time) / plan.ranks;
    for (const Picoseconds end : outcome.ends) makespan.ends.push_back(seconds(end));
    return makespan;
  }

  const TrainingSpec& spec_;
  const std::vector<StageCosts>& stages_;
  double unit_ = 1;
  PipelineTimes times_;
};

/// What a rank takes for a micro-batch.
double pace_of(const TrainingSpec& spec, const std::vector<StageCosts>& stages,
               std::uint32_t rank) {
  const std::uint32_t ranks = spec.parallelism.pipeline;
  if (has_pairs(spec)) {
    return pair_seconds(spec, stages, rank) * spec.parallelism.virtual_stages;
  }
  double sum = 0;
  for (std::size_t i = rank; i < stages.size(); i += ranks) {
    sum += stages[i].costs.exposed().total() + stages[i].sharded.total();
  }
  return sum;
}

}  // namespace

void add_pairs(const TrainingSpec& spec, const StageRun& run, const std::vector<StageShare>& shares,
               std::vector<StageCosts>& stages) {
  if (!has_pairs(spec)) return;
  const bool is_dual = spec.parallelism.schedule == PipelineSchedule::kDualPipe;
  for (std::uint32_t rank = 0; rank < spec.parallelism.pipeline; ++rank) {
    const std::vector<std::size_t> own = stages_of(spec, stages.size(), rank);
    StageTime mean;
    const double share = 1.0 / static_cast<double>(own.size());
    for (const std::size_t i : own) {
      // With DualPipe the other pass comes from the other end.
      const std::size_t other = is_dual ? stages.size() - 1 - i : i;
      const StageTime pair = run.pair(shares[i], shares[other]);
      mean.seconds += share * pair.seconds;
      mean.tail += share * pair.tail;
      mean.tensor += share * pair.tensor;
      mean.context += share * pair.context;
      mean.expert += share * pair.expert;
    }
    for (std::size_t i = rank; i < stages.size(); i += spec.parallelism.pipeline) {
      stages[i].pair = mean;
    }
  }
}

LayerCosts rank_costs(const TrainingSpec& spec, const std::vector<StageCosts>& stages,
                      std::uint32_t rank) {
  LayerCosts sum;
  for (const std::size_t i : stages_of(spec, stages.size(), rank)) sum += stages[i].costs;
  if (spec.parallelism.schedule == PipelineSchedule::kDualPipe) sum = sum * 0.5;
  if (!has_pairs(spec)) return sum;
  // What a pair does not hide; which way it goes is by what there is of it each way.
  const auto expose = [&](Exchange& exchange, double seconds) {
    const double all = exchange.all.total();
    exchange.exposed = exchange.all * (all > 0 ? seconds / all : 0);
  };
  const StageTime& pair = stages[rank].pair;
  const double pairs = spec.parallelism.virtual_stages;
  expose(sum.tensor, pair.tensor * pairs);
  expose(sum.context, pair.context * pairs);
  expose(sum.expert, pair.expert * pairs);
  return sum;
}

PipelineCosts pipeline_costs(const TrainingSpec& spec, const ExchangeTimes& times,
                             const std::vector<StageCosts>& stages) {
  const ParallelismSpec& plan = spec.parallelism;
  const double micro_batches = micro_batches_of(spec);
  PipelineCosts costs;
  for (std::uint32_t rank = 0; rank < plan.pipeline; ++rank) {
    costs.pace = std::max(costs.pace, pace_of(spec, stages, rank));
  }
  if (plan.pipeline < 2 && !pipeline_of(spec).has_pairs) {
    costs.seconds = micro_batches * costs.pace;
    costs.ends = {costs.seconds};
    return costs;
  }
  const Sends sends = send_times(spec, times, 1);
  Makespan run = PipelineClock(spec, stages, sends, send_times(spec, times, 0)).run();
  const double idle = std::max(0.0, run.seconds - micro_batches * costs.pace);
  costs.sends = 2 * micro_batches * plan.virtual_stages * longest_of(sends);
  costs.exposed_sends = std::min(run.awaited, idle);
  costs.bubble = idle - costs.exposed_sends;
  costs.seconds = run.seconds;
  costs.ends = std::move(run.ends);
  return costs;
}

}  // namespace weft::collectives
