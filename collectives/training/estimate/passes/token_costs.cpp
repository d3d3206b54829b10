#include "collectives/training/estimate/passes/token_costs.hpp"

#include "collectives/training/compute/work.hpp"
#include "collectives/training/plan/rank_grid.hpp"

namespace weft::collectives {

TokenSizes::TokenSizes(const TrainingSpec& spec, const ExchangeTimes& times, double load)
    : has_levels_(spec.experts.exchange == ExpertSpec::Exchange::kHighThroughput),
      chunks_(has_levels_ ? spec.experts.chunks : 1),
      copies_(static_cast<double>(expert_tokens(spec)) / pass_parts(spec.overlap) *
              spec.model.top_k * load),
      sharers_(expert_tensor_of(spec.parallelism)) {
  if (!has_levels_) return;
  const TokenRoutes routes = token_routes(spec, times.expert_domain());
  rail_ = static_cast<double>(routes.between_domains());
  domain_ = static_cast<double>(routes.in_domain(times.expert_domain())) * load;
}

}  // namespace weft::collectives
