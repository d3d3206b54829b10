#pragma once

#include <cstdint>
#include <vector>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// What a model may have at most, so that counts of its parameters and their bytes fit into 63
/// bits: some thirty times the largest that is known, each.
struct ModelLimits {
  static constexpr std::uint32_t kLayers = 1024;
  static constexpr std::uint32_t kHidden = 1U << 16U;
  static constexpr std::uint32_t kFfn = 1U << 19U;
  static constexpr std::uint32_t kHeads = 1024;
  static constexpr std::uint32_t kHeadSize = 1024;
  static constexpr std::uint32_t kVocabulary = 1U << 24U;
  static constexpr std::uint32_t kSequence = 1U << 24U;
  static constexpr std::uint32_t kExperts = 4096;
  static constexpr std::uint32_t kRank = 1U << 16U;
};

/// The model with every zero replaced that follows from other numbers. What contradicts itself
/// stays as it is.
[[nodiscard]] ModelSpec completed(ModelSpec model);

/// What is missing from a model or contradicts itself, by key: nothing where it can be counted.
[[nodiscard]] std::vector<schema::Problem> contradictions(const ModelSpec& model);

}  // namespace weft::collectives
