#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"

/// What collectives cost on a fabric without contention, in closed form: latencies, bytes over the
/// rates of the layout, reductions. What `algorithm: best` decides by.
namespace weft::collectives {

/// Seconds that the operation takes by an algorithm; nothing if it is refused (schedule.hpp) or if
/// the layout has no rates.
[[nodiscard]] std::optional<double> estimate(const CollectiveSpec& spec, Algorithm algorithm,
                                             std::uint32_t ranks, const RankLayout& layout);

struct Estimate {
  Algorithm algorithm = Algorithm::kRing;
  double seconds = 0;
};
/// All that can be run, the fastest first.
[[nodiscard]] std::vector<Estimate> estimates(const CollectiveSpec& spec, std::uint32_t ranks,
                                              const RankLayout& layout);

}  // namespace weft::collectives
