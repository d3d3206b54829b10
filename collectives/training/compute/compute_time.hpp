#pragma once

#include <vector>

#include "collectives/training/compute/work.hpp"
#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/units.hpp"
#include "simcore/schema/schema.hpp"

/// How long a rank computes: operations at a share of the GPU's peak, and after them bytes at a
/// share of its memory's bandwidth. All but `compute_problems` take a specification that has none,
/// and whose model is as `completed` leaves it.
namespace weft::collectives {

struct PassTimes {
  Picoseconds forward{};
  Picoseconds backward_inputs{};
  Picoseconds backward_weights{};
  Picoseconds recomputed{};
  Picoseconds apart{};  ///< of that, what is a pass of its own (PassWork::apart)

  [[nodiscard]] Picoseconds backward() const {
    return recomputed + backward_inputs + backward_weights;
  }
  [[nodiscard]] Picoseconds total() const { return forward + backward(); }
};

/// Whether the GPU is known and has the number format, by key of ComputeSpec.
[[nodiscard]] std::vector<schema::Problem> compute_problems(const ComputeSpec& compute,
                                                            const PrecisionSpec& precision);

/// Of operations and bytes on the GPU of the specification.
[[nodiscard]] Picoseconds time_of(const Work& work, const TrainingSpec& spec);

/// Of a layer with one micro-batch: as measured, where that is given. A measured backward pass is
/// taken to have in it what selective recomputation repeats within it; full recomputation repeats
/// the measured forward pass, and `mlp` or `moe` the share of it that the GPU would have. With a
/// `load` of experts as in layer_work; what was measured is stretched as the GPU's time would be.
[[nodiscard]] PassTimes layer_time(const TrainingSpec& spec, bool has_experts, double load = 1);
/// What of a layer's times attention takes, and experts that every token goes to; both are in the
/// proportions that the GPU would have, where the layer is measured.
struct LayerParts {
  PassTimes attention;
  PassTimes scores;  ///< of attention: what keys and values of other ranks are for
  PassTimes shared;
  /// Of what attention takes besides scores, the share of the projection that comes after them in a
  /// forward pass, by operations; the rest comes before them.
  double last_projection{};
};
[[nodiscard]] LayerParts layer_parts(const TrainingSpec& spec, bool has_experts);
/// Whether jobs compute halves of layers by these, because something is beside a part of one of
/// them (tokens, or keys and values that go round) or kernels go by shapes. Else halves take
/// equally long.
[[nodiscard]] bool knows_layer_parts(const TrainingSpec& spec);
/// Of a layer of multi-token prediction, besides the layer itself and the output layer.
[[nodiscard]] PassTimes joint_time(const TrainingSpec& spec);
[[nodiscard]] PassTimes embedding_time(const TrainingSpec& spec);
[[nodiscard]] PassTimes output_time(const TrainingSpec& spec);

/// The time of a step of the optimiser over the `parameters` that this rank updates.
[[nodiscard]] Picoseconds optimizer_time(const TrainingSpec& spec, double parameters);

}  // namespace weft::collectives
