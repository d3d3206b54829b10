#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/memory/memory_use.hpp"
#include "scenarios/spec/jobs.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What all ranks of a training job send in a step, for one thing.
struct SentBytes {
  std::string_view what;
  double inside{};   ///< of scale-up domains
  double between{};  ///< from domain to domain, over NICs
};

/// A training job in closed form, where its ranks are. What is not counted: several groups on the
/// same link at once, flows that meet on paths, and other jobs.
struct TrainingEstimate {
  collectives::StepEstimate step;
  std::vector<SentBytes> sent;    ///< what there is of it
  collectives::MemoryUse memory;  ///< of a rank that needs most
  std::uint32_t memory_rank = 0;  ///< the pipeline rank that does
  Bytes memory_available;         ///< of its GPU
  [[nodiscard]] bool fits() const { return memory.total() <= memory_available; }
};

/// Of a job of type `training` whose layout is filled in (fill_layouts).
[[nodiscard]] TrainingEstimate estimate_training(const JobSpec& job);

}  // namespace weft::scenarios
