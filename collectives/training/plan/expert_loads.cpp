#include "collectives/training/plan/expert_loads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::collectives {
namespace {

/// How often each expert is chosen, the most popular first, if `tokens` tokens choose top_k each.
/// Those that would be chosen more than once by a token are chosen by all, and leave the rest to
/// the others.
std::vector<double> expected_choices(const ModelSpec& model, double tokens, double skew) {
  std::vector<double> weights(model.experts);
  for (std::uint32_t i = 0; i < model.experts; ++i) weights[i] = std::pow(i + 1.0, -skew);
  double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  double choices = tokens * model.top_k;
  std::vector<double> expected(model.experts);
  for (std::uint32_t i = 0; i < model.experts; ++i) {
    expected[i] = std::min(tokens, choices * weights[i] / weight);
    choices -= expected[i];
    weight -= weights[i];
  }
  return expected;
}

}  // namespace

std::int64_t ExpertLoads::sent() const {
  return std::accumulate(from_each.begin(), from_each.end(), std::int64_t{0});
}

bool ExpertLoads::is_balanced() const {
  return std::ranges::all_of(from_each, [&](std::int64_t n) { return n == from_each.front(); });
}

double ExpertLoads::load(std::uint32_t place) const {
  const auto group = static_cast<double>(from_each.size());
  return static_cast<double>(from_each[place]) * group / static_cast<double>(brought);
}

double ExpertLoads::max() const {
  const auto fullest = std::ranges::max_element(from_each);
  return load(static_cast<std::uint32_t>(fullest - from_each.begin()));
}

ExpertLoads expert_loads(const TrainingSpec& spec) {
  const ParallelismSpec& plan = spec.parallelism;
  std::int64_t tokens = std::int64_t{spec.batch.micro} * spec.model.sequence / plan.context;
  if (plan.sequence_parallel) tokens /= plan.tensor;
  ExpertLoads loads;
  loads.brought = tokens * spec.model.top_k;
  loads.from_each.resize(plan.expert);
  const auto all = static_cast<double>(loads.brought);
  const double capacity = spec.routing.capacity == 0
                              ? all
                              : std::ceil(spec.routing.capacity * all / spec.model.experts);
  const std::vector<double> expected =
      expected_choices(spec.model, static_cast<double>(tokens), spec.routing.skew);
  // Whole copies, as many as there are.
  double sum = 0;
  for (std::uint32_t i = 0; i < spec.model.experts; ++i) {
    const double before = std::round(sum);
    sum += expected[i];
    const double copies = std::min(std::round(sum) - before, capacity);
    loads.from_each[i % plan.expert] += static_cast<std::int64_t>(copies);
    loads.kept.push_back(std::min(expected[i], capacity));
  }
  loads.choices = expected;
  return loads;
}

}  // namespace weft::collectives
