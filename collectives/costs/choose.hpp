#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "collectives/spec/rank_layout.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// Which algorithm a collective runs by, and why.
struct AlgorithmChoice {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kNone;
  std::string reason;
};

/// The algorithms that a collective may run by: the one that the specification names, or those that
/// the choice is among. Nothing if it cannot do the operation.
[[nodiscard]] std::vector<Algorithm> candidates(const CollectiveSpec& spec);

/// The algorithm by which a job that asks for `asked` runs an operation: that one if it can do it,
/// else the simplest that sends no byte twice. In all-to-alls that is all messages at once, as NCCL
/// groups its sends and receives.
[[nodiscard]] Algorithm algorithm_for(Operation operation, Algorithm asked);

/// What the specification names, what NCCL's tuning model picks (with its protocol, unless one is
/// given), or what weft's cost model picks. Error, without a place: the algorithm cannot run the
/// operation on these ranks, and why.
[[nodiscard]] Result<AlgorithmChoice> choose_algorithm(const CollectiveSpec& spec,
                                                       std::uint32_t ranks,
                                                       const RankLayout& layout);

/// Gives `spec` the algorithm, the protocol and the execution that are chosen for it, and says why.
/// Error as of choose_algorithm; `spec` is then without meaning.
[[nodiscard]] Result<AlgorithmChoice> resolve_algorithm(CollectiveSpec& spec, std::uint32_t ranks,
                                                        const RankLayout& layout);

}  // namespace weft::collectives
