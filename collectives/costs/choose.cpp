#include "collectives/costs/choose.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/algorithms/schedule_plan.hpp"
#include "collectives/costs/cost_model.hpp"
#include "collectives/nccl/nccl_execution.hpp"
#include "collectives/nccl/nccl_tuning.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::collectives {

namespace {

std::string microseconds(double us) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g us", us);
  return text;
}

Error error(std::string message) { return {std::move(message), {}}; }

Result<AlgorithmChoice> choose_best(const CollectiveSpec& spec, std::uint32_t ranks,
                                    const RankLayout& layout) {
  const std::vector<Estimate> all = estimates(spec, ranks, layout);
  if (all.empty()) {
    return Errors{error("cannot be chosen by cost: the rates of the ranks' links are not known")};
  }
  AlgorithmChoice choice{all[0].algorithm, spec.execution.protocol, {}};
  choice.reason = std::string("cost model: ") + name_of(all[0].algorithm) + " " +
                  microseconds(all[0].seconds * 1e6);
  for (std::size_t i = 1; i < all.size() && i < 4; ++i) {
    choice.reason +=
        std::string(", ") + name_of(all[i].algorithm) + " " + microseconds(all[i].seconds * 1e6);
  }
  return choice;
}

/// The algorithm of weft that stands for one of NCCL's.
Algorithm counterpart(NcclAlgorithm algorithm, Operation operation) {
  switch (algorithm) {
    case NcclAlgorithm::kTree:
      return Algorithm::kDoubleBinaryTree;
    case NcclAlgorithm::kNvls:
      return Algorithm::kNvls;
    case NcclAlgorithm::kNvlsTree:
      return Algorithm::kNvlsTree;
    case NcclAlgorithm::kPat:  // log n steps, too
      return operation == Operation::kAllGather ? Algorithm::kRecursiveDoubling
                                                : Algorithm::kHalvingDoubling;
    case NcclAlgorithm::kRing:
      break;
  }
  return Algorithm::kRing;
}

/// What NCCL's point-to-point messages come to.
Algorithm untuned_choice(Operation operation) {
  const Algorithm standard = algorithms_for(operation).front();
  return standard == Algorithm::kPairwise ? Algorithm::kOneShot : standard;
}

/// What its choice may come to: trees and NVLSTree for all-reduces alone, PAT for all-gathers and
/// reduce-scatters.
std::vector<Algorithm> nccl_candidates(Operation operation) {
  using enum Algorithm;
  switch (operation) {
    case Operation::kAllReduce:
      return {kRing, kDoubleBinaryTree, kNvls, kNvlsTree};
    case Operation::kAllGather:
      return {kRing, kNvls, kRecursiveDoubling};
    case Operation::kReduceScatter:
      return {kRing, kNvls, kHalvingDoubling};
    case Operation::kBroadcast:
    case Operation::kReduce:
      return {kRing};
    default:
      return {untuned_choice(operation)};
  }
}

Result<AlgorithmChoice> choose_like_nccl(const CollectiveSpec& spec, std::uint32_t ranks,
                                         const RankLayout& layout) {
  const SchedulePlan plan = plan_of(spec, ranks, layout);
  if (plan.map.domain_size() > 1 ? layout.domain_rate == BitsPerSecond(0)
                                 : layout.network_rate == BitsPerSecond(0)) {
    return Errors{
        error("cannot be chosen by NCCL's model: the rates of the ranks' links are not "
              "known")};
  }
  const auto all = nccl_estimates(spec.operation, static_cast<double>(spec.size.count()),
                                  nccl_machine_of(spec, plan.map, layout));
  if (all.empty()) {
    return AlgorithmChoice{untuned_choice(spec.operation), spec.execution.protocol,
                           "NCCL does not tune this operation: it is point-to-point"};
  }
  AlgorithmChoice choice;
  const bool is_given = spec.execution.protocol != Protocol::kNone;
  for (const NcclEstimate& e : all) {
    const Algorithm algorithm = counterpart(e.algorithm, spec.operation);
    if (is_given && e.protocol != spec.execution.protocol) continue;
    if (!refusal(plan, algorithm, works_in_network(spec, layout)).empty()) continue;
    if (choice.reason.empty()) {
      choice.algorithm = algorithm;
      choice.protocol = e.protocol;
      choice.reason = "NCCL's model: ";
    } else {
      choice.reason += ", ";
    }
    choice.reason += std::string(name_of(e.algorithm)) + "/" + name_of(e.protocol) + " " +
                     microseconds(e.time_us);
  }
  if (choice.reason.empty()) return Errors{error("has no choice: none of NCCL's can run here")};
  return choice;
}

/// Nothing is said of it, but how calls follow each other.
bool is_open(const Execution& execution) {
  Execution nothing = execution_preset(Execution::Preset::kAuto);
  nothing.calls = execution.calls;
  if (execution.launch == Picoseconds(0)) nothing.launch = execution.launch;
  return execution == nothing;
}

/// The quickest by the cost model, in whole or in chunks: halves of the size, as long as they are
/// worth a percent.
AlgorithmChoice choose_in_chunks(CollectiveSpec& spec, std::uint32_t ranks,
                                 const RankLayout& layout) {
  constexpr Bytes kMinChunk = 16_KiB;  // of a few packets
  constexpr double kWorthwhile = 0.99;
  AlgorithmChoice choice{algorithms_for(spec.operation).front(), spec.execution.protocol,
                         "the simplest: the rates of the ranks' links are not known"};
  const bool is_open_chunk = is_open(spec.execution);
  spec.execution.preset = Execution::Preset::kPlain;
  CollectiveSpec tried = spec;
  double min = std::numeric_limits<double>::infinity();
  for (Bytes chunk = spec.execution.chunk;;) {
    tried.execution.chunk = chunk;
    for (const Estimate& e : estimates(tried, ranks, layout)) {
      if (e.seconds >= min * kWorthwhile) continue;
      min = e.seconds;
      choice.algorithm = e.algorithm;
      spec.execution.chunk = chunk;
      choice.reason =
          std::string("cost model: ") + name_of(e.algorithm) + " " + microseconds(e.seconds * 1e6);
    }
    chunk = chunk == 0_B ? spec.size / 2 : chunk / 2;
    if (!is_open_chunk || chunk < kMinChunk) break;
  }
  if (spec.execution.chunk > 0_B && is_open_chunk) {
    choice.reason +=
        " in chunks of " + quantity_text(spec.execution.chunk.count(), dimension_of<Bytes>());
  }
  return choice;
}

/// What runs on such GPUs: NCCL's choice in NCCL's execution, unless another is given. Elsewhere,
/// and where NCCL has no choice, the quickest by the cost model.
Result<AlgorithmChoice> resolve_auto(CollectiveSpec& spec, std::uint32_t ranks,
                                     const RankLayout& layout) {
  if (layout.gpus) {
    CollectiveSpec by_nccl = spec;
    by_nccl.algorithm = Algorithm::kNccl;
    if (auto choice = resolve_algorithm(by_nccl, ranks, layout)) {
      spec = std::move(by_nccl);
      return choice;
    }
  }
  const Execution asked = spec.execution;
  AlgorithmChoice choice = choose_in_chunks(spec, ranks, layout);
  spec.algorithm = choice.algorithm;
  spec.execution = nccl_execution(asked, spec, ranks, layout);
  return choice;
}

}  // namespace

std::vector<Algorithm> candidates(const CollectiveSpec& spec) {
  if (spec.algorithm == Algorithm::kNccl) return nccl_candidates(spec.operation);
  std::vector<Algorithm> known = algorithms_for(spec.operation);
  if (spec.algorithm == Algorithm::kBest || spec.algorithm == Algorithm::kAuto) return known;
  std::erase_if(known, [&spec](Algorithm algorithm) { return algorithm != spec.algorithm; });
  return known;
}

Algorithm algorithm_for(Operation operation, Algorithm asked) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.algorithm = asked;
  return candidates(spec).empty() ? untuned_choice(operation) : asked;
}

Result<AlgorithmChoice> choose_algorithm(const CollectiveSpec& spec, std::uint32_t ranks,
                                         const RankLayout& layout) {
  if (spec.algorithm == Algorithm::kBest) return choose_best(spec, ranks, layout);
  if (spec.algorithm == Algorithm::kNccl) return choose_like_nccl(spec, ranks, layout);
  const std::string refused =
      refusal(plan_of(spec, ranks, layout), spec.algorithm, works_in_network(spec, layout));
  if (!refused.empty()) {
    const bool is_type = layout.has_in_network_reduction && !works_in_network(spec, layout);
    return Errors{error("`" + std::string(name_of(spec.algorithm)) + "` " +
                        (is_type ? "reduces no elements of one byte (`data_type`)" : refused))};
  }
  return AlgorithmChoice{spec.algorithm, spec.execution.protocol, "as the scenario says"};
}

Result<AlgorithmChoice> resolve_algorithm(CollectiveSpec& spec, std::uint32_t ranks,
                                          const RankLayout& layout) {
  if (!spec.generation) spec.generation = layout.gpus;
  if (spec.algorithm == Algorithm::kAuto) return resolve_auto(spec, ranks, layout);
  if (spec.execution.preset == Execution::Preset::kAuto) {
    const bool is_nccl = spec.algorithm == Algorithm::kNccl && is_open(spec.execution);
    if (is_nccl) {
      const Execution asked = spec.execution;
      spec.execution = execution_preset(Execution::Preset::kNccl);
      spec.execution.launch = asked.launch;
      spec.execution.calls = asked.calls;
    }
    if (!is_nccl) spec.execution.preset = Execution::Preset::kPlain;
  }
  const Execution asked = spec.execution;
  if (spec.algorithm != Algorithm::kNccl) {  // which may find the protocol, too
    spec.execution = nccl_execution(asked, spec, ranks, layout);
  }
  auto choice = choose_algorithm(spec, ranks, layout);
  if (choice) {
    spec.algorithm = choice.value().algorithm;
    spec.execution.protocol = choice.value().protocol;
    spec.execution = nccl_execution(asked, spec, ranks, layout);
  }
  return choice;
}

}  // namespace weft::collectives
