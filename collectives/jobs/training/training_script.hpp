#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/jobs/training/training_plan.hpp"
#include "collectives/tasks/tasks.hpp"
#include "collectives/training/pipeline/slot.hpp"
#include "collectives/training/plan/layer_phase.hpp"
#include "collectives/training/spec/recomputed.hpp"

namespace weft::collectives {

/// Tasks that something waits for, of different streams.
class Waits {
 public:
  Waits() = default;
  Waits(Dependency one) { add(one); }  // NOLINT(google-explicit-constructor): one is some
  void add(Dependency task);
  void add(const Waits& others) {
    for (std::size_t i = 0; i < others.count_; ++i) add(others.at(i));
  }
  /// Replaces what `list` holds.
  void copy_to(std::vector<Dependency>& list) const {
    list.clear();
    for (std::size_t i = 0; i < count_; ++i) list.push_back(at(i));
  }

 private:
  /// Half of a Dependency: these are copied for every task.
  struct Entry {
    StreamOf stream = StreamOf::compute();
    std::uint32_t count = 0;
  };
  [[nodiscard]] Dependency at(std::size_t i) const { return {tasks_[i].stream, tasks_[i].count}; }

  static constexpr std::size_t kMax = 12;
  std::array<Entry, kMax> tasks_;
  std::size_t count_ = 0;
};

/// A task and the stream that it is in.
struct ScriptedTask {
  StreamOf stream = StreamOf::compute();
  Picoseconds time;
  std::uint32_t call = 0;
  Waits after;
  std::uint32_t label = 0;  ///< see TrainingLabel
};

/// What is computed, in a number.
class TrainingLabel {
 public:
  TrainingLabel() = default;
  explicit TrainingLabel(std::uint32_t value) : value_(value) {}
  [[nodiscard]] static TrainingLabel of(SlotKind kind, std::uint32_t micro_batch) {
    return TrainingLabel(1 + micro_batch * kKinds + static_cast<std::uint32_t>(kind));
  }
  [[nodiscard]] static TrainingLabel optimizer() { return TrainingLabel(kKinds); }
  [[nodiscard]] std::uint32_t value() const { return value_; }
  /// Such as `forward 3`, by the number of the micro-batch.
  [[nodiscard]] std::string name() const;

 private:
  /// Nothing is computed as a pair: its number is that of the optimiser.
  static constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(SlotKind::kPair) + 1;
  std::uint32_t value_ = 0;
};

/// What one rank does in an iteration: slot after slot of its pipeline's order, then the rest.
class TrainingScript {
 public:
  /// The plan must outlive it.
  TrainingScript(const TrainingPlan& plan, std::uint32_t rank)
      : TrainingScript(plan, rank, plan.pipeline) {}
  /// Of an iteration of other length: `pipeline` is the plan's but for its micro-batches.
  TrainingScript(const TrainingPlan& plan, std::uint32_t rank, const PipelinePlan& pipeline);
  /// From now on only tasks of this stream are kept; those of others are counted, for what waits
  /// for them. A slot has hundreds of tasks, and a rank a dozen lanes that each ask for their own.
  void keep_only(StreamOf stream) { only_ = stream; }

  /// Makes the tasks of the next part of a slot, which may have none, or of what comes after the
  /// last one: so few that thousands of ranks stay in the caches. False: there are no more.
  [[nodiscard]] bool next();
  /// That were made, in the order in which the rank issues them.
  [[nodiscard]] const std::vector<ScriptedTask>& tasks() const { return tasks_; }

 private:
  using Direction = TrainingGroups::Direction;
  /// Tokens on their way to experts.
  struct TokensOut {
    Waits arrived;           ///< when they are there, with what is computed along with them
    Dependency shared_done;  ///< experts that every token goes to, where these are computed apart
    bool has_shared = false;
  };
  using Phase = LayerPhase;
  /// A micro-batch on its way through a chunk.
  struct Pass {
    const TrainingChunk* chunk = nullptr;
    std::uint32_t number = 0;  ///< of the chunk
    std::uint32_t micro_batch = 0;
    SlotKind kind = SlotKind::kForward;
    bool is_first = false;   ///< forward, of its chunk in this iteration
    bool is_last = false;    ///< of its chunk in this iteration
    std::uint32_t half = 0;  ///< of a micro-batch that goes in two
    std::uint32_t unit = 0;  ///< next, counted in the direction of the pass
    std::uint32_t part = 0;  ///< of the unit
    Waits ready;             ///< when there is what the next part works on
    Waits gathered_next;     ///< when there are the parameters of the next unit
    Waits gathered;          ///< when there were those of the unit at hand
    TokensOut tokens;        ///< of a unit whose way out is a part of its own

    [[nodiscard]] bool is_forward() const { return kind == SlotKind::kForward; }
    [[nodiscard]] std::uint32_t unit_number() const {
      const auto count = static_cast<std::uint32_t>(chunk->units.size());
      return is_forward() ? unit : count - 1 - unit;
    }
    [[nodiscard]] const TrainingUnit& current() const { return chunk->units[unit_number()]; }
  };

  // Tasks. Sizes of 0 make none.
  Dependency compute(Picoseconds time, Waits after);
  Waits call(GroupKind kind, Operation operation, Bytes size, const Waits& after);
  Waits call_of(std::uint32_t communicator, Operation operation, Bytes size, const Waits& after);
  Waits exchange_tokens(TrainingGroups::TokenWay way, const Waits& after);
  Waits exchange_chunk(GroupKind kind, TrainingGroups::TokenWay way, std::uint32_t chunk,
                       const Waits& after);
  Dependency issue(StreamOf stream, Picoseconds time, std::uint32_t call, const Waits& after);
  [[nodiscard]] Dependency last_computed() const;

  // Slots.
  [[nodiscard]] Pass begin(SlotKind kind, std::uint32_t chunk, std::uint32_t micro_batch);
  /// Takes the passes of the slot at hand a part further.
  void continue_slot();
  /// Continues by a part of a unit; false where the pass is through all of them.
  [[nodiscard]] bool advance(Pass& pass);
  void finish(Pass& pass);
  void begin_unit(Pass& pass);
  void end_unit(Pass& pass);
  [[nodiscard]] bool is_last_part(const Pass& pass) const { return pass.half + 1 == plan_.parts; }
  [[nodiscard]] Waits gather(const TrainingUnit& unit, const Waits& after);
  [[nodiscard]] Waits gather_unit(const Pass& pass, const Waits& after);
  void begin_sharded_unit(Pass& pass);
  /// ZeRO-1 and 2: the parameters that a unit needs were gathered since the iteration began.
  void await_updated(Pass& pass);
  void gather_next_bucket(const Waits& after);

  // Parts of units: `ready` before, and what is ready after.
  [[nodiscard]] std::uint32_t parts_of(const Pass& pass) const;
  [[nodiscard]] std::uint32_t parts_of_pass(const Pass& pass) const;
  /// Of the layer that it is in.
  [[nodiscard]] LayerOrder order_of(const Pass& pass) const;
  [[nodiscard]] Waits embedding(const Pass& pass);
  [[nodiscard]] Waits output(const Pass& pass);
  [[nodiscard]] Waits half(Pass& pass);
  /// Of half a layer, but for gradients of weights that come after it.
  [[nodiscard]] Waits half_before_weights(Pass& pass, const Phase& phase);
  /// Whether gradients of weights wait until those of inputs are on their way.
  [[nodiscard]] bool has_weights_apart(const Pass& pass) const;
  [[nodiscard]] SlotKind kind_before_weights(const Pass& pass) const {
    return has_weights_apart(pass) ? SlotKind::kBackwardInput : pass.kind;
  }
  /// Of attention: projections before its scores, these, and projections after them. In a backward
  /// pass what comes before them is the gradient of the last projection.
  struct AttentionTimes {
    Picoseconds before;
    Picoseconds repeated;  ///< scores that are computed again, where they are a pass of their own
    Picoseconds scores;
    Picoseconds after;
  };
  [[nodiscard]] AttentionTimes attention_times(const Pass& pass, const Phase& phase) const;
  [[nodiscard]] Waits attention(const Pass& pass, const Phase& phase);
  /// Experts that every token goes to: whether a layer has some, and whether their inputs are
  /// gathered once more for gradients of weights.
  struct SharedExperts {
    bool sums = false;
    bool regathers = false;
  };
  /// `shared_time`: what these take beside the exchange; 0: they are computed with the others.
  [[nodiscard]] TokensOut send_tokens(Picoseconds shared_time, const Waits& ready,
                                      SharedExperts shared);
  [[nodiscard]] Waits experts(Picoseconds time, const TokensOut& out);
  [[nodiscard]] Waits dense(Picoseconds time, const Waits& ready, bool regathers);
  [[nodiscard]] Waits attention_round_ring(const AttentionTimes& times, const Waits& ready,
                                           bool has_gradients, bool regathers);
  [[nodiscard]] Waits gathered_chunks(Picoseconds time, const Waits& ready, bool regathers);
  [[nodiscard]] Waits ring_of_keys(Picoseconds time, const Waits& ready, bool has_gradients);
  [[nodiscard]] Waits send_keys(const Waits& after);
  [[nodiscard]] Waits summed_chunks(Picoseconds time, const Waits& ready, bool regathers);
  [[nodiscard]] Waits summed(Bytes size, const Waits& after);
  [[nodiscard]] Waits gathered_input(Bytes size, const Waits& after);
  [[nodiscard]] Picoseconds time_of(const Pass& pass) const {
    return of_part(pass, time_of(pass, pass.current().times));
  }
  [[nodiscard]] Picoseconds time_of(const Pass& pass, const PassTimes& times) const {
    return time_of(kind_before_weights(pass), times);
  }
  [[nodiscard]] static Picoseconds time_of(SlotKind kind, const PassTimes& times);
  /// What half a layer takes, without gradients of weights that come after it.
  [[nodiscard]] Picoseconds half_time(const Pass& pass, const Phase& phase) const;
  /// Of gradients of weights that come after half a layer.
  [[nodiscard]] Picoseconds weights_time(const Pass& pass, const Phase& phase) const;
  [[nodiscard]] Picoseconds whole_half_time(const Pass& pass, const Phase& phase,
                                            SlotKind kind) const;
  [[nodiscard]] Picoseconds shared_time(const Pass& pass, bool is_recomputing) const;
  /// Of a time, what the part of the micro-batch takes.
  [[nodiscard]] Picoseconds of_part(const Pass& pass, Picoseconds time) const;

  // Gradients and parameters.
  void exchange_bucket(const GradientBucket& bucket);
  void exchange_gradients(bool of_experts, Bytes gradients, const Waits& after);
  void end_iteration();

  const TrainingPlan& plan_;
  std::uint32_t rank_;
  std::uint32_t expert_place_;
  const TrainingStage& stage_;
  SlotStream slots_;
  struct Running {
    Pass pass;
    bool continues = true;
  };
  std::vector<Running> running_;  ///< in the slot at hand: one pass, or a pair
  bool is_over_ = false;
  TrainingLabel label_;  ///< of what is being issued
  RecomputedModules repeats_;
  bool is_sharded_;  ///< parameters too: ZeRO-3
  bool syncs_each_;  ///< gradients are reduced after each micro-batch
  /// Units, by chunk, whose parameters were gathered and not given up.
  std::vector<std::vector<bool>> holds_;
  /// Buckets in the order of forward passes, whose parameters are gathered during them, and when
  /// those so far are there.
  struct Gathering {
    const GradientBucket* bucket = nullptr;
    std::uint32_t chunk = 0;
    Waits done;
  };
  std::vector<Gathering> gatherings_;
  std::size_t gathering_next_ = 0;
  bool is_sequence_parallel_;
  std::vector<std::uint32_t> passes_left_;  ///< backward, by chunk
  std::vector<bool> has_begun_;             ///< its forward passes, by chunk
  std::vector<std::pair<StreamOf, std::int64_t>> issued_;
  std::vector<ScriptedTask> tasks_;
  std::optional<StreamOf> only_;  ///< nothing: all are kept
  Waits before_optimizer_;
  Waits blocking_sends_;  ///< before the next slot
};

}  // namespace weft::collectives
