#include "collectives/training/plan/layer_phase.hpp"

namespace weft::collectives {

LayerPhase LayerOrder::at(std::uint32_t part) const {
  LayerPhase phase;
  phase.is_recomputing = part < again;
  const bool goes_up = is_forward || phase.is_recomputing;
  const std::uint32_t number = phase.is_recomputing ? part + each - again : part - again;
  phase.is_attention = number == (goes_up ? 0 : each - 1);
  phase.half = goes_up != phase.is_attention ? 1 : 0;
  if (each == kLayerHalves || phase.is_attention) return phase;
  phase.piece = number == (goes_up ? 1U : 0U) ? LayerPhase::Piece::kOut : LayerPhase::Piece::kRest;
  return phase;
}

std::uint32_t repeated_parts(const RecomputedModules& repeats, bool has_experts,
                             std::uint32_t each) {
  if (repeats.everything) return each;
  return repeats.second_half(has_experts) ? each - 1 : 0;
}

}  // namespace weft::collectives
