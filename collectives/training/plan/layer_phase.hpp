#pragma once

#include <cstdint>

#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {

/// Layers are attention and feed-forward.
inline constexpr std::uint32_t kLayerHalves = 2;

/// What of a layer a part of a pass is: half of it, or of the half with experts one piece.
struct LayerPhase {
  enum class Piece : std::uint8_t {
    kAll,
    kOut,   ///< tokens leave for their experts
    kRest,  ///< they are computed and come back
  };
  bool is_recomputing = false;
  bool is_attention = false;
  std::uint32_t half = 0;  ///< in the order of the pass
  Piece piece = Piece::kAll;
};

/// The parts that a pass takes a layer in: what runs again comes first, as it ran before; then the
/// layer itself, in the backward pass from its end. Jobs and estimates both go by it.
struct LayerOrder {
  bool is_forward = true;
  std::uint32_t each = kLayerHalves;  ///< parts of the layer; one more where tokens leave apart
  std::uint32_t again = 0;            ///< of these, how many run again first, the last ones

  [[nodiscard]] std::uint32_t parts() const { return again + each; }
  [[nodiscard]] LayerPhase at(std::uint32_t part) const;
};

/// Of a backward pass, as `LayerOrder::again`: all parts, or those after attention.
[[nodiscard]] std::uint32_t repeated_parts(const RecomputedModules& repeats, bool has_experts,
                                           std::uint32_t each);

}  // namespace weft::collectives
