#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/estimate/links.hpp"
#include "collectives/training/estimate/passes/task_run.hpp"
#include "collectives/training/plan/layer_phase.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/spec/recomputed.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What a pass takes until the rank can begin with the next one, or two passes at once, and what of
/// their exchanges nothing hides until then, in seconds.
struct StageTime {
  double seconds{};
  double tail{};  ///< what comes then until results are there; the next pass hides it
  double tensor{};
  double context{};
  double expert{};
};

/// Passes through a stage: a micro-batch, its two halves side by side, or the forward pass of one
/// and the backward pass of another. What depends on what is as jobs have it (TrainingScript): part
/// by part the passes take turns on one stream of computation, and each kind of group has a stream
/// of its own. So chunks of products hide their sums (Megatron-Core's `tp_comm_overlap`), scores
/// keys that go round (Liu et al., arXiv 2310.01889, section 3), shared experts tokens, and each of
/// two passes what the other one exchanges. Gradients and parameters are not in it.
class StageRun {
 public:
  /// Both must outlive it.
  StageRun(const TrainingSpec& spec, const ExchangeTimes& times);

  enum class Direction : std::uint8_t {
    kForward,
    kBackward,
    kBackwardInput,  ///< gradients of weights are a pass of their own
  };
  /// Of one micro-batch, in the parts that it goes in.
  [[nodiscard]] StageTime pass(const StageShare& share, Direction direction) const;
  /// Of two: one forward, the other one backward.
  [[nodiscard]] StageTime pair(const StageShare& forward, const StageShare& backward) const;
  /// Where gradients of weights are a pass of their own: what it waits for inputs that are gathered
  /// again, which nothing hides.
  [[nodiscard]] double gathers_for_weights(const StageShare& share) const;

 private:
  using Waits = TaskRun::Waits;
  using Stream = TaskRun::Stream;
  using Cost = TaskRun::Cost;
  enum class Unit : std::uint8_t { kEmbedding, kDense, kExperts, kOutput, kJoint };

  /// Of a layer, or of what a stage has at its ends: what it computes in a part of a micro-batch.
  struct UnitTimes {
    PassTimes whole;
    LayerParts parts;
  };
  /// A pass on its way.
  struct Pass {
    std::vector<Unit> units;  ///< in the order of the pass
    Direction direction = Direction::kForward;
    std::size_t unit = 0;
    std::uint32_t part = 0;
    Waits ready;
    Waits tokens_arrived;
    std::optional<Waits> shared_done;  ///< experts that every token goes to, where these are apart

    [[nodiscard]] bool is_forward() const { return direction == Direction::kForward; }
  };
  [[nodiscard]] Pass begin(const StageShare& share, Direction direction) const;
  [[nodiscard]] StageTime run(std::vector<Pass> passes) const;
  [[nodiscard]] bool advance(Pass& pass, TaskRun& run) const;
  /// Of the layer that it is in.
  [[nodiscard]] LayerOrder order_of(const Pass& pass) const;
  [[nodiscard]] static bool is_layer(const Pass& pass) {
    const Unit unit = pass.units[pass.unit];
    return unit == Unit::kDense || unit == Unit::kExperts;
  }
  /// Whether gradients of weights wait until those of inputs are on their way.
  [[nodiscard]] bool has_weights_apart(const Pass& pass) const;
  [[nodiscard]] const UnitTimes& times_of(const Pass& pass) const;
  [[nodiscard]] double time_of(const Pass& pass, const PassTimes& times, bool is_recomputing) const;

  [[nodiscard]] Waits end_unit(const Pass& pass, TaskRun& run) const;
  [[nodiscard]] Waits layer(Pass& pass, TaskRun& run) const;
  /// The same but for gradients of weights that come after it.
  [[nodiscard]] Waits layer_before_weights(Pass& pass, const LayerPhase& phase, TaskRun& run) const;
  [[nodiscard]] Waits attention(const Pass& pass, const LayerPhase& phase, double time,
                                TaskRun& run) const;
  [[nodiscard]] Waits dense(double time, const Waits& ready, bool regathers, TaskRun& run) const;
  [[nodiscard]] Waits ring_of_keys(double time, const Waits& ready, bool has_gradients,
                                   TaskRun& run) const;
  void send_tokens(Pass& pass, double shared, bool regathers, TaskRun& run) const;
  [[nodiscard]] Waits experts(const Pass& pass, double time, TaskRun& run) const;
  [[nodiscard]] Waits exchange_tokens(bool is_out, const Waits& after, TaskRun& run) const;

  [[nodiscard]] Cost cost(GroupKind kind, Operation operation, double bytes) const;
  [[nodiscard]] static Waits call(Stream stream, const Cost& cost, const Waits& after,
                                  TaskRun& run);
  [[nodiscard]] static Waits compute(double time, const Waits& after, TaskRun& run);
  [[nodiscard]] static UnitTimes layer_times(const TrainingSpec& spec, bool has_experts,
                                             double load);
  void find_tensor_costs();
  void find_token_costs();

  const TrainingSpec& spec_;
  const ExchangeTimes& times_;
  RecomputedModules repeats_;
  double parts_;
  std::uint32_t chunks_;
  bool exchanges_tokens_;
  std::map<Unit, UnitTimes> units_;

  // What calls cost, of a part of a micro-batch.
  Cost gather_chunk_;
  Cost sum_chunk_;
  Cost gather_;
  Cost sum_;
  Cost keys_;
  struct TokenCosts {
    Cost all;
    Cost rail;
    Cost domain;
    Cost sharers;
  };
  TokenCosts out_;
  TokenCosts back_;
  std::uint32_t token_chunks_ = 1;
};

}  // namespace weft::collectives
