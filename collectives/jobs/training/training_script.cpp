#include "collectives/jobs/training/training_script.hpp"

#include <algorithm>

#include "simcore/base/check.hpp"

/// Tasks and slots; the parts of units are in training_units.cpp.
namespace weft::collectives {

void Waits::add(Dependency task) {
  if (task.count == 0) return;
  const auto count = static_cast<std::uint32_t>(task.count);
  for (std::size_t i = 0; i < count_; ++i) {
    if (tasks_[i].stream != task.stream) continue;
    tasks_[i].count = std::max(tasks_[i].count, count);
    return;
  }
  WEFT_CHECK(count_ < kMax, "a task waits for few streams");
  tasks_[count_++] = {task.stream, count};
}

TrainingScript::TrainingScript(const TrainingPlan& plan, std::uint32_t rank,
                               const PipelinePlan& pipeline)
    : plan_(plan),
      rank_(rank),
      expert_place_(plan.grid.place_of(rank).expert),
      stage_(plan.stages[plan.grid.place_of(rank).pipeline]),
      slots_(pipeline_slots(pipeline, plan.grid.place_of(rank).pipeline)),
      is_sharded_(plan.spec.parallelism.zero == 3),
      is_sequence_parallel_(plan.spec.parallelism.sequence_parallel),
      passes_left_(pipeline.chunks(), passes_of_chunk(pipeline)),
      issued_({{StreamOf::compute(), 0}}) {}

bool TrainingScript::next() {
  tasks_.clear();
  if (is_over_) return false;
  Slot slot;
  if (!running_.empty()) {
    continue_slot();
  } else if (!slots_.next(slot)) {
    end_iteration();
    is_over_ = true;
  } else if (slot.kind == SlotKind::kPair) {
    running_.push_back({begin(SlotKind::kForward, slot.chunk, slot.micro_batch)});
    running_.push_back(
        {begin(SlotKind::kBackward, slot.backward_chunk, slot.backward_micro_batch)});
  } else {
    running_.push_back({begin(slot.kind, slot.chunk, slot.micro_batch)});
  }
  return true;
}

void TrainingScript::continue_slot() {
  bool any = false;
  for (Running& r : running_) {
    r.continues = r.continues && advance(r.pass);
    any = any || r.continues;
  }
  if (any) return;
  for (Running& r : running_) finish(r.pass);
  running_.clear();
}

std::string TrainingLabel::name() const {
  if (value_ == 0) return {};
  const std::uint32_t micro_batch = (value_ - 1) / kKinds;
  const auto with_number = [micro_batch](const char* what) {
    return what + std::to_string(micro_batch);
  };
  switch (static_cast<SlotKind>((value_ - 1) % kKinds)) {
    case SlotKind::kForward:
      return with_number("forward ");
    case SlotKind::kBackward:
      return with_number("backward ");
    case SlotKind::kBackwardInput:
      return with_number("backward of inputs ");
    case SlotKind::kBackwardWeights:
      return with_number("backward of weights ");
    case SlotKind::kPair:
      break;
  }
  return "optimizer";
}

Dependency TrainingScript::issue(StreamOf stream, Picoseconds time, std::uint32_t call,
                                 const Waits& after) {
  auto found = std::ranges::find(issued_, stream, &std::pair<StreamOf, std::int64_t>::first);
  if (found == issued_.end()) found = issued_.insert(issued_.end(), {stream, 0});
  const Dependency self{stream, ++found->second};
  if (!only_ || *only_ == stream) tasks_.push_back({stream, time, call, after, label_.value()});
  return self;
}

Dependency TrainingScript::compute(Picoseconds time, Waits after) {
  after.add(std::exchange(blocking_sends_, {}));
  return issue(StreamOf::compute(), time, 0, after);
}

Dependency TrainingScript::last_computed() const {
  return {StreamOf::compute(), issued_.front().second};
}

Waits TrainingScript::call(GroupKind kind, Operation operation, Bytes size, const Waits& after) {
  const auto communicator = plan_.groups.of(kind, rank_);
  return communicator ? call_of(*communicator, operation, size, after) : after;
}

Waits TrainingScript::call_of(std::uint32_t communicator, Operation operation, Bytes size,
                              const Waits& after) {
  if (size == 0_B) return after;
  const StreamOf stream = StreamOf::communicator(communicator);
  // Which call it is takes a search.
  const bool is_kept = !only_ || *only_ == stream;
  return issue(stream, {}, is_kept ? plan_.groups.call(communicator, operation, size) : 0, after);
}

Waits TrainingScript::exchange_tokens(TrainingGroups::TokenWay way, const Waits& after) {
  if (plan_.routed_tokens_of.empty()) {
    return call(GroupKind::kExpert, Operation::kAllToAll, plan_.routed_tokens, after);
  }
  const auto communicator = plan_.groups.of(GroupKind::kExpert, rank_);
  if (!communicator) return after;
  return issue(StreamOf::communicator(*communicator), {}, plan_.groups.exchange(*communicator, way),
               after);
}

TrainingScript::Pass TrainingScript::begin(SlotKind kind, std::uint32_t chunk,
                                           std::uint32_t micro_batch) {
  Pass pass;
  pass.chunk = &stage_.chunks[chunk];
  pass.number = chunk;
  pass.micro_batch = micro_batch;
  pass.kind = kind;
  if (kind != SlotKind::kBackwardWeights) {
    const auto link = plan_.groups.receives(
        rank_, chunk, pass.is_forward() ? Direction::kForward : Direction::kBackward);
    if (link) pass.ready = call_of(*link, Operation::kAllToAllV, plan_.passed_on, {});
  }
  const bool has_gradients = kind == SlotKind::kBackward || kind == SlotKind::kBackwardWeights;
  if (has_gradients) pass.is_last = --passes_left_[chunk] == 0;
  return pass;
}

bool TrainingScript::advance(Pass& pass) {
  if (pass.unit == pass.chunk->units.size()) return false;
  label_ = TrainingLabel::of(pass.kind, pass.micro_batch);
  if (pass.part == 0) begin_unit(pass);
  switch (pass.current().kind) {
    case TrainingUnit::Kind::kEmbedding:
      pass.ready = embedding(pass);
      break;
    case TrainingUnit::Kind::kOutput:
      pass.ready = output(pass);
      break;
    default:
      pass.ready = half(pass);
      break;
  }
  if (++pass.part < parts_of(pass)) return true;
  end_unit(pass);
  pass.part = 0;
  ++pass.unit;
  return true;
}

void TrainingScript::finish(Pass& pass) {
  if (pass.kind == SlotKind::kBackwardWeights) return;
  const auto link = plan_.groups.sends(
      rank_, pass.number, pass.is_forward() ? Direction::kForward : Direction::kBackward);
  if (!link) return;
  pass.ready.add(last_computed());
  const Waits sent = call_of(*link, Operation::kAllToAllV, plan_.passed_on, pass.ready);
  if (!plan_.spec.overlap.pipeline) blocking_sends_.add(sent);
}

Waits TrainingScript::gather(const TrainingUnit& unit, const Waits& after) {
  Waits gathered;
  if (unit.parameters > 0_B) {
    gathered.add(call(GroupKind::kShard, Operation::kAllGather, unit.parameters, after));
  }
  if (unit.expert_parameters > 0_B) {
    gathered.add(
        call(GroupKind::kExpertShard, Operation::kAllGather, unit.expert_parameters, after));
  }
  return gathered;
}

void TrainingScript::begin_unit(Pass& pass) {
  if (!is_sharded_ || pass.kind == SlotKind::kBackwardWeights) return;
  const bool is_first = pass.unit == 0;
  const Waits now = last_computed();
  pass.ready.add(is_first || !plan_.spec.overlap.prefetch ? gather(pass.current(), now)
                                                          : pass.gathered_next);
  if (!plan_.spec.overlap.prefetch || pass.unit + 1 == pass.chunk->units.size()) return;
  Pass following = pass;
  ++following.unit;
  pass.gathered_next = gather(following.current(), now);
}

void TrainingScript::end_unit(Pass& pass) {
  if (pass.is_forward() || pass.kind == SlotKind::kBackwardInput) return;
  const TrainingUnit& unit = pass.current();
  if (is_sharded_) {
    exchange_gradients(false, unit.gradients, last_computed());
    exchange_gradients(true, unit.expert_gradients, last_computed());
  } else if (pass.is_last && plan_.spec.overlap.gradients) {
    for (const GradientBucket& bucket : pass.chunk->buckets) {
      if (bucket.first == pass.unit_number()) exchange_bucket(bucket);
    }
  }
}

void TrainingScript::exchange_gradients(bool of_experts, Bytes gradients, const Waits& after) {
  if (gradients == 0_B) return;
  if (plan_.spec.parallelism.zero == 0) {
    const GroupKind all = of_experts ? GroupKind::kExpertData : GroupKind::kGradient;
    before_optimizer_.add(call(all, Operation::kAllReduce, gradients, after));
    return;
  }
  const GroupKind shard = of_experts ? GroupKind::kExpertShard : GroupKind::kShard;
  Waits summed_up = call(shard, Operation::kReduceScatter, gradients, after);
  if (!is_sharded_) {
    const GroupKind copies = of_experts ? GroupKind::kExpertReplicate : GroupKind::kReplicate;
    summed_up = call(copies, Operation::kAllReduce, shard_of(gradients, plan_.grid.size_of(shard)),
                     summed_up);
  }
  before_optimizer_.add(summed_up);
}

void TrainingScript::exchange_bucket(const GradientBucket& bucket) {
  exchange_gradients(false, bucket.gradients, last_computed());
  exchange_gradients(true, bucket.expert_gradients, last_computed());
}

void TrainingScript::end_iteration() {
  const std::uint32_t zero = plan_.spec.parallelism.zero;
  const auto for_each_bucket = [this](const auto& visit) {
    for (const TrainingChunk& chunk : stage_.chunks) {
      for (const GradientBucket& bucket : chunk.buckets) visit(bucket);
    }
  };
  if (!is_sharded_ && !plan_.spec.overlap.gradients) {
    for_each_bucket([this](const GradientBucket& bucket) { exchange_bucket(bucket); });
  }
  if (is_sharded_) {  // copies of the shards add up theirs once
    const Waits scattered = before_optimizer_;
    for_each_bucket([&](const GradientBucket& b) {
      before_optimizer_.add(call(GroupKind::kReplicate, Operation::kAllReduce,
                                 shard_of(b.gradients, plan_.grid.size_of(GroupKind::kShard)),
                                 scattered));
      before_optimizer_.add(call(
          GroupKind::kExpertReplicate, Operation::kAllReduce,
          shard_of(b.expert_gradients, plan_.grid.size_of(GroupKind::kExpertShard)), scattered));
    });
  }
  const Waits own = before_optimizer_;
  before_optimizer_.add(
      call(GroupKind::kEmbedding, Operation::kAllReduce, stage_.tied_gradients, own));
  before_optimizer_.add(
      call(GroupKind::kMirror, Operation::kAllReduce, stage_.mirrored_gradients, own));
  label_ = TrainingLabel::optimizer();
  const Waits updated = compute(stage_.optimizer, before_optimizer_);
  if (zero != 1 && zero != 2) return;
  for_each_bucket([&](const GradientBucket& b) {
    (void)call(GroupKind::kShard, Operation::kAllGather, b.parameters, updated);
    (void)call(GroupKind::kExpertShard, Operation::kAllGather, b.expert_parameters, updated);
  });
}

}  // namespace weft::collectives
