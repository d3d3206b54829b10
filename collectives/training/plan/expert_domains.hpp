#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "collectives/spec/rank_layout.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// How many consecutive ranks of an expert group share a scale-up domain, as a high-throughput
/// exchange needs it: equally many in each domain and group, so that every rank has one with the
/// same place in every other domain. Else why not, in a sentence. 1 for any other exchange.
[[nodiscard]] std::variant<std::uint32_t, std::string> expert_domain_of(const TrainingSpec& spec,
                                                                        const RankLayout& layout);

}  // namespace weft::collectives
