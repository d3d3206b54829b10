#pragma once

#include <cstdint>
#include <vector>

#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// What a stage takes for one micro-batch.
struct StageTimes {
  Picoseconds forward;
  Picoseconds backward_input;
  Picoseconds backward_weights;
  /// Of a pass, what comes first and needs no input: parameters that are gathered for it.
  Picoseconds before_forward{};
  Picoseconds before_backward{};
  /// After a pass, until its results can be sent; the rank continues meanwhile.
  Picoseconds after_forward{};
  Picoseconds after_backward{};
};

struct PipelineTimes {
  std::vector<StageTimes> stages;  ///< in the model's order
  std::vector<Picoseconds> pairs;  ///< of a rank's pairs, by rank; empty: the sum of their parts
  Picoseconds transfer;            ///< from the end of a slot to its result at another rank
  /// The same by rank and rank that it is for; empty: `transfer` between all.
  std::vector<std::vector<Picoseconds>> transfers{};
  /// Of these, how long a result occupies the links of its sender, which has one on its way at a
  /// time; empty: any number.
  std::vector<std::vector<Picoseconds>> occupied{};
  /// As after passes, of pairs, by rank; empty: nothing.
  std::vector<Picoseconds> after_pairs{};
  bool blocks = false;  ///< a rank continues when its results are there

  [[nodiscard]] Picoseconds transfer_between(std::uint32_t from, std::uint32_t to) const {
    return transfers.empty() ? transfer : transfers[from][to];
  }
  [[nodiscard]] Picoseconds occupied_between(std::uint32_t from, std::uint32_t to) const {
    return occupied.empty() ? Picoseconds(0) : occupied[from][to];
  }
};

/// What a rank waits for that never comes: its slot, and the place in the rank's order.
struct StuckSlot {
  std::uint32_t rank = 0;
  std::uint64_t position = 0;
  Slot slot;
};

struct PipelineOutcome {
  Picoseconds makespan;           ///< of what could be done
  std::vector<Picoseconds> ends;  ///< by rank: when its last slot was done
  std::vector<Picoseconds> busy;  ///< by rank
  std::vector<Picoseconds> idle;  ///< by rank: the makespan without what it was busy
  /// By rank: what it waited for results that were on their way, its own where sends block. What it
  /// waited before that is that nobody had them.
  std::vector<Picoseconds> awaited;
  std::uint64_t slots = 0;         ///< that were done
  std::vector<StuckSlot> blocked;  ///< empty: every order came to its end

  [[nodiscard]] bool finished() const { return blocked.empty(); }
};

/// Runs the orders of all ranks by their dependencies: a rank does its slots one after another,
/// waits for what a slot needs (receives block), and continues at once after each, or when its
/// results are there (`blocks`). Time and memory are linear in the slots.
[[nodiscard]] PipelineOutcome pipeline_time(const PipelinePlan& plan, const PipelineTimes& times);

/// The same of other orders, one for each rank; they may be such that they never end.
[[nodiscard]] PipelineOutcome pipeline_time(const PipelinePlan& plan,
                                            std::vector<SlotStream> orders,
                                            const PipelineTimes& times);

}  // namespace weft::collectives
