#include "collectives/training/pipeline/pipeline_time.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::collectives {

namespace {

class PipelineRun {
 public:
  PipelineRun(const PipelinePlan& plan, std::vector<SlotStream> orders, const PipelineTimes& times)
      : plan_(plan),
        times_(times),
        arrivals_(2 * std::size_t{plan.stages()} * plan.micro_batches),
        posted_(arrivals_.size()) {
    ranks_.reserve(orders.size());
    for (SlotStream& order : orders) ranks_.emplace_back(std::move(order));
  }

  PipelineOutcome run() {
    runnable_.reserve(ranks_.size());
    for (std::uint32_t r = plan_.ranks; r-- > 0;) runnable_.push_back(r);
    while (!runnable_.empty()) {
      const std::uint32_t rank = runnable_.back();
      runnable_.pop_back();
      advance(rank);
    }
    return outcome();
  }

 private:
  struct Rank {
    explicit Rank(SlotStream stream) : order(std::move(stream)) {}

    SlotStream order;
    Slot slot;
    bool has_slot = false;
    std::optional<std::size_t> awaits;  ///< in `arrivals_`
    std::uint64_t done = 0;
    Picoseconds now;
    Picoseconds busy;
    Picoseconds awaited;
    Picoseconds sends_until;  ///< until when its links are occupied
  };

  /// When a slot can start, and when the last of what it needs was on its way.
  struct Start {
    Picoseconds at;
    Picoseconds posted;
  };

  /// Where the input of a stage's forward, or of its backward, is noted.
  [[nodiscard]] std::size_t input(bool is_backward, std::uint32_t stage,
                                  std::uint32_t micro_batch) const {
    const std::size_t row = 2 * std::size_t{stage} + (is_backward ? 1 : 0);
    return row * plan_.micro_batches + micro_batch;
  }

  /// `early`: by how much a slot starts before it needs the input.
  [[nodiscard]] bool is_there(Rank& rank, std::size_t what, Picoseconds early, Start& start) const {
    if (!arrivals_[what]) {
      rank.awaits = what;
      return false;
    }
    start.at = std::max(start.at, *arrivals_[what] - early);
    start.posted = std::max(start.posted, posted_[what] - early);
    return true;
  }

  [[nodiscard]] bool can_start(Rank& rank, std::uint32_t number, Start& start) const {
    const Slot& slot = rank.slot;
    const std::uint32_t stage = stage_of(plan_, {number, slot.chunk});
    const StageTimes& times = times_.stages[stage];
    start = {rank.now, rank.now};
    switch (slot.kind) {
      case SlotKind::kForward:
        return stage == 0 ||
               is_there(rank, input(false, stage, slot.micro_batch), times.before_forward, start);
      case SlotKind::kBackward:
      case SlotKind::kBackwardInput:
        return is_there(rank, input(true, stage, slot.micro_batch), times.before_backward, start);
      case SlotKind::kPair: {
        const std::uint32_t other = stage_of(plan_, {number, slot.backward_chunk});
        return (stage == 0 || is_there(rank, input(false, stage, slot.micro_batch), {}, start)) &&
               is_there(rank, input(true, other, slot.backward_micro_batch), {}, start);
      }
      case SlotKind::kBackwardWeights:
        break;
    }
    return true;
  }

  [[nodiscard]] Picoseconds duration(const Slot& slot, std::uint32_t number) const {
    const StageTimes& stage = times_.stages[stage_of(plan_, {number, slot.chunk})];
    switch (slot.kind) {
      case SlotKind::kForward:
        return stage.forward;
      case SlotKind::kBackward:
        return stage.backward_input + stage.backward_weights;
      case SlotKind::kBackwardInput:
        return stage.backward_input;
      case SlotKind::kBackwardWeights:
        return stage.backward_weights;
      case SlotKind::kPair:
        break;
    }
    if (!times_.pairs.empty()) return times_.pairs[number];
    const StageTimes& other = times_.stages[stage_of(plan_, {number, slot.backward_chunk})];
    return stage.forward + other.backward_input + other.backward_weights;
  }

  void post(const StagePlace& target, bool is_backward, std::uint32_t micro_batch,
            Picoseconds posted, Picoseconds arrival) {
    const std::size_t what = input(is_backward, stage_of(plan_, target), micro_batch);
    arrivals_[what] = arrival;
    posted_[what] = posted;
    Rank& rank = ranks_[target.rank];
    if (rank.awaits != what) return;
    rank.awaits.reset();
    runnable_.push_back(target.rank);
  }

  /// When what a slot that ends then sends is there.
  [[nodiscard]] Picoseconds sent(std::uint32_t from, std::uint32_t to, Picoseconds end) {
    Rank& rank = ranks_[from];
    const Picoseconds begin = std::max(end, rank.sends_until);
    const Picoseconds arrival = begin + times_.transfer_between(from, to);
    rank.sends_until = begin + times_.occupied_between(from, to);
    if (times_.blocks) rank.now = std::max(rank.now, arrival);
    return arrival;
  }

  void post_forward(std::uint32_t number, std::uint32_t chunk, std::uint32_t micro_batch,
                    Picoseconds end) {
    const StagePlace here{number, chunk};
    if (const auto target = forward_target(plan_, here)) {
      post(*target, false, micro_batch, end, sent(number, target->rank, end));
    } else {  // the loss, of which the last stage's backward begins
      post(here, true, micro_batch, end, end);
    }
  }

  void post_backward(std::uint32_t number, std::uint32_t chunk, std::uint32_t micro_batch,
                     Picoseconds end) {
    if (const auto target = backward_target(plan_, {number, chunk})) {
      post(*target, true, micro_batch, end, sent(number, target->rank, end));
    }
  }

  void post_results(const Slot& slot, std::uint32_t number, Picoseconds end) {
    const StageTimes& stage = times_.stages[stage_of(plan_, {number, slot.chunk})];
    switch (slot.kind) {
      case SlotKind::kForward:
        return post_forward(number, slot.chunk, slot.micro_batch, end + stage.after_forward);
      case SlotKind::kBackward:
      case SlotKind::kBackwardInput:
        return post_backward(number, slot.chunk, slot.micro_batch, end + stage.after_backward);
      case SlotKind::kPair:
        if (!times_.after_pairs.empty()) end += times_.after_pairs[number];
        post_forward(number, slot.chunk, slot.micro_batch, end);
        return post_backward(number, slot.backward_chunk, slot.backward_micro_batch, end);
      case SlotKind::kBackwardWeights:
        return;
    }
  }

  /// Does slots of a rank until one has to wait.
  void advance(std::uint32_t number) {
    Rank& rank = ranks_[number];
    for (;;) {
      if (!rank.has_slot) rank.has_slot = rank.order.next(rank.slot);
      Start start;
      if (!rank.has_slot || !can_start(rank, number, start)) return;
      const Picoseconds time = duration(rank.slot, number);
      const Picoseconds end = start.at + time;
      rank.awaited += start.at - start.posted;
      rank.now = end;
      rank.busy += time;
      rank.has_slot = false;
      ++rank.done;
      post_results(rank.slot, number, end);
      rank.awaited += rank.now - end;
    }
  }

  [[nodiscard]] PipelineOutcome outcome() const {
    PipelineOutcome outcome;
    outcome.ends.reserve(ranks_.size());
    outcome.busy.reserve(ranks_.size());
    outcome.awaited.reserve(ranks_.size());
    outcome.idle.reserve(ranks_.size());
    for (std::uint32_t r = 0; r < plan_.ranks; ++r) {
      const Rank& rank = ranks_[r];
      outcome.makespan = std::max(outcome.makespan, rank.now);
      outcome.ends.push_back(rank.now);
      outcome.busy.push_back(rank.busy);
      outcome.awaited.push_back(rank.awaited);
      outcome.slots += rank.done;
      // NOLINTNEXTLINE(performance-inefficient-vector-operation): as a rule there are none
      if (rank.has_slot) outcome.blocked.push_back({r, rank.done, rank.slot});
    }
    for (const Picoseconds busy : outcome.busy) outcome.idle.push_back(outcome.makespan - busy);
    return outcome;
  }

  const PipelinePlan& plan_;
  const PipelineTimes& times_;
  std::vector<OptionalTime> arrivals_;
  std::vector<Picoseconds> posted_;  ///< when each was on its way
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> runnable_;
};

}  // namespace

PipelineOutcome pipeline_time(const PipelinePlan& plan, std::vector<SlotStream> orders,
                              const PipelineTimes& times) {
  WEFT_CHECK(orders.size() == plan.ranks, "every rank has an order");
  WEFT_CHECK(times.stages.size() == plan.stages(), "every stage has its times");
  WEFT_CHECK(times.pairs.empty() || times.pairs.size() == plan.ranks,
             "every rank has a time of its pairs");
  return PipelineRun(plan, std::move(orders), times).run();
}

PipelineOutcome pipeline_time(const PipelinePlan& plan, const PipelineTimes& times) {
  std::vector<SlotStream> orders;
  orders.reserve(plan.ranks);
  for (std::uint32_t r = 0; r < plan.ranks; ++r) orders.push_back(pipeline_slots(plan, r));
  return pipeline_time(plan, std::move(orders), times);
}

}  // namespace weft::collectives
