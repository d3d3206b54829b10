#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "collectives/training/estimate/links.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// A part of a step, in seconds. A step may be longer for more than one rank's sends: it waits for
/// those of all stages as a pipeline fills.
struct EstimateTerm {
  std::string_view name;
  std::string_view meaning;
  double seconds{};  ///< all of it
  double exposed{};  ///< what the step is longer for it
};

/// How much a job communicates for what it computes: below 0.2, to 0.6, above.
enum class RatioClass : std::uint8_t { kLow, kMedium, kHigh };
[[nodiscard]] RatioClass ratio_class(double communication_to_computation);
[[nodiscard]] std::string_view name_of(RatioClass ratio);

/// A training step in closed form: links that nobody else uses; of the ranks that exchange tokens
/// with experts, all wait for the one whose experts get most. Terms are those of the pipeline rank
/// that takes longest for a micro-batch.
struct StepEstimate {
  std::vector<EstimateTerm> terms;
  double seconds{};
  double ratio{};  ///< communication, hidden or not, to computation
  std::uint64_t ranks{};
  std::uint64_t micro_batches{};
  double tokens_per_second{};
  double model_flops{};           ///< of a step, without recomputation
  double hardware_flops{};        ///< with it
  double flops_per_rank{};        ///< model FLOPs per second
  double flops_full_attention{};  ///< the same with attention counted as if nothing were masked
  double mfu{};                   ///< of the peak of the format that the job computes in
  double hfu{};
  std::optional<double> dollars{};  ///< that a step costs; absent: no price is known

  /// Of a term that there is.
  [[nodiscard]] const EstimateTerm& term(std::string_view name) const;
};

/// Terms are `compute`, `tensor`, `context`, `expert`, `pipeline`, `data`, `bubble`, `optimizer`
/// and `slowdown`, whose exposed parts add up to the step. Requires a specification without
/// problems, whose model is
/// as `completed` leaves it.
[[nodiscard]] StepEstimate estimate_step(const TrainingSpec& spec, const ExchangeTimes& times);
/// With rings over links of these rates.
[[nodiscard]] StepEstimate estimate_step(const TrainingSpec& spec, const GroupLinks& links);

}  // namespace weft::collectives
