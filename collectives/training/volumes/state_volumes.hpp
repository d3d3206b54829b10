#pragma once

#include <cstdint>
#include <vector>

#include "collectives/training/volumes/volumes.hpp"

namespace weft::collectives {

/// What ranks that hold the same parameters exchange, d of them and Psi bytes of one copy; a part
/// of volumes_of. Plain data parallelism adds gradients up, 2 (d-1)/d Psi. ZeRO (S. Rajbhandari et
/// al., arXiv 1910.02054, section 7) scatters sums of gradients and gathers what was updated, as
/// much in all; stage 2 too, with gradients of micro-batches added up first. Stage 3 gathers
/// parameters for each pass of every micro-batch and scatters its gradients, (d-1)/d Psi each.
/// Copies of the shards add up theirs once. `gradient_sync` has sums once per step or after every
/// micro-batch instead; parameters that a rank keeps after a forward pass it gathers again only
/// once a backward pass has given them up (gathers_of_chunk).
[[nodiscard]] std::vector<VolumeTerm> state_volumes(const TrainingSpec& spec, const RankGrid& grid,
                                                    const StateBytes& states,
                                                    std::uint32_t pipeline_rank);

}  // namespace weft::collectives
