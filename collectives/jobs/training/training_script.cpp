#include "collectives/jobs/training/training_script.hpp"

#include <algorithm>
#include <utility>

#include "collectives/training/plan/plan_check.hpp"
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
      repeats_(recomputed_modules(plan.spec)),
      is_sharded_(plan.spec.parallelism.zero == 3),
      syncs_each_(reduces_each_micro_batch(plan.spec.parallelism)),
      is_sequence_parallel_(plan.spec.parallelism.sequence_parallel),
      passes_left_(pipeline.chunks(), passes_of_chunk(pipeline)),
      has_begun_(pipeline.chunks()),
      issued_({{StreamOf::compute(), 0}}) {
  for (const TrainingChunk& chunk : stage_.chunks) holds_.emplace_back(chunk.units.size());
  if (!gathers_in_forward(plan.spec)) return;
  for (std::uint32_t c = 0; c < stage_.chunks.size(); ++c) {
    const std::vector<GradientBucket>& buckets = stage_.chunks[c].buckets;
    for (std::size_t b = buckets.size(); b-- > 0;) gatherings_.push_back({&buckets[b], c, {}});
  }
}

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
    if (plan_.parts == 2) {
      running_.push_back(running_.front());
      running_.back().pass.half = 1;
    }
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
  if (plan_.parts == 2) running_.back().pass.ready.add(running_.front().pass.ready);
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

Waits TrainingScript::exchange_chunk(GroupKind kind, TrainingGroups::TokenWay way,
                                     std::uint32_t chunk, const Waits& after) {
  const auto communicator = plan_.groups.of(kind, rank_);
  if (!communicator) return after;
  return issue(StreamOf::communicator(*communicator), {},
               plan_.groups.exchange(*communicator, way, chunk), after);
}

/// By levels, tokens go along a rail to their domain, and from there to ranks inside, chunk by
/// chunk; results go the other way.
Waits TrainingScript::exchange_tokens(TrainingGroups::TokenWay way, const Waits& after) {
  if (plan_.token_chunks == 0) {
    return call(GroupKind::kExpert, Operation::kAllToAll, plan_.routed_tokens, after);
  }
  if (!plan_.goes_by_levels()) return exchange_chunk(GroupKind::kExpert, way, 0, after);
  const bool is_out = way == TrainingGroups::TokenWay::kOut;
  const GroupKind first = is_out ? GroupKind::kExpertRail : GroupKind::kExpertDomain;
  const GroupKind second = is_out ? GroupKind::kExpertDomain : GroupKind::kExpertRail;
  Waits done;
  for (std::uint32_t chunk = 0; chunk < plan_.token_chunks; ++chunk) {
    const Waits come = exchange_chunk(first, way, chunk, after);
    done.add(come);
    done.add(exchange_chunk(second, way, chunk, come));
  }
  return done;
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
  if (pass.is_forward()) {
    pass.is_first = !has_begun_[chunk];
    has_begun_[chunk] = true;
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
  if (!is_last_part(pass)) return;
  const bool has_gradients =
      pass.kind == SlotKind::kBackward || pass.kind == SlotKind::kBackwardWeights;
  if (has_gradients && syncs_each_ && !is_sharded_ && !plan_.spec.overlap.gradients) {
    const Waits others = before_optimizer_;
    before_optimizer_ = {};
    for (const GradientBucket& bucket : pass.chunk->buckets) exchange_bucket(bucket);
    blocking_sends_.add(before_optimizer_);
    before_optimizer_.add(others);
  }
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

/// Parameters of the unit at hand; nothing where the rank has them still.
Waits TrainingScript::gather_unit(const Pass& pass, const Waits& after) {
  if (!plan_.spec.parallelism.reshard_after_forward) {
    std::vector<bool>& holds = holds_[pass.number];
    if (holds[pass.unit_number()]) return {};
    holds[pass.unit_number()] = true;
  }
  return gather(pass.current(), after);
}

void TrainingScript::begin_sharded_unit(Pass& pass) {
  const bool is_first = pass.unit == 0;
  const Waits now = last_computed();
  pass.gathered =
      is_first || !plan_.spec.overlap.prefetch ? gather_unit(pass, now) : pass.gathered_next;
  pass.ready.add(pass.gathered);
  if (!plan_.spec.overlap.prefetch || pass.unit + 1 == pass.chunk->units.size()) return;
  Pass following = pass;
  ++following.unit;
  pass.gathered_next = gather_unit(following, now);
}

void TrainingScript::begin_unit(Pass& pass) {
  if (pass.kind == SlotKind::kBackwardWeights) return;
  if (!is_sharded_) {
    if (pass.is_first) await_updated(pass);
    return;
  }
  // The second half of a micro-batch has the parameters of the first.
  if (pass.half > 0) {
    pass.gathered = running_.front().pass.gathered;
    pass.ready.add(pass.gathered);
    return;
  }
  begin_sharded_unit(pass);
}

/// As a forward pass comes to a bucket, the gather of the next one starts (Megatron-Core,
/// distributed/param_and_grad_buffer.py, finish_param_sync).
void TrainingScript::await_updated(Pass& pass) {
  for (std::size_t i = 0; i < gatherings_.size(); ++i) {
    Gathering& gathering = gatherings_[i];
    if (gathering.chunk != pass.number || gathering.bucket->first != pass.unit_number()) continue;
    while (gathering_next_ <= i) gather_next_bucket(last_computed());
    pass.ready.add(gathering.done);
    if (pass.half == 0 && gathering_next_ == i + 1) {
      // After what this bucket waits for, so that at most one gather is on its way beside.
      Waits after = gathering.done;
      after.add(last_computed());
      gather_next_bucket(after);
    }
  }
}

void TrainingScript::gather_next_bucket(const Waits& after) {
  if (gathering_next_ == gatherings_.size()) return;
  Gathering& next = gatherings_[gathering_next_++];
  next.done = call(GroupKind::kShard, Operation::kAllGather, next.bucket->parameters, after);
  next.done.add(
      call(GroupKind::kExpertShard, Operation::kAllGather, next.bucket->expert_parameters, after));
}

void TrainingScript::end_unit(Pass& pass) {
  if (pass.is_forward() || !is_last_part(pass)) return;
  if (is_sharded_) holds_[pass.number][pass.unit_number()] = false;
  if (pass.kind == SlotKind::kBackwardInput) return;
  const TrainingUnit& unit = pass.current();
  const bool is_due = pass.is_last || syncs_each_;
  if (is_sharded_ && is_due) {
    const Waits others = std::exchange(before_optimizer_, {});
    exchange_gradients(false, unit.gradients, last_computed());
    exchange_gradients(true, unit.expert_gradients, last_computed());
    if (!plan_.spec.overlap.gradients) blocking_sends_.add(before_optimizer_);
    before_optimizer_.add(others);
  } else if (!is_sharded_ && is_due && plan_.spec.overlap.gradients) {
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
  if (!is_sharded_ && !plan_.spec.overlap.gradients && !syncs_each_) {
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
  if ((zero != 1 && zero != 2) || !gatherings_.empty()) return;
  for_each_bucket([&](const GradientBucket& b) {
    (void)call(GroupKind::kShard, Operation::kAllGather, b.parameters, updated);
    (void)call(GroupKind::kExpertShard, Operation::kAllGather, b.expert_parameters, updated);
  });
}

}  // namespace weft::collectives
