#include "collectives/tasks/collective_call.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/nccl/nccl_blocks.hpp"
#include "collectives/spec/protocol_cost.hpp"

namespace weft::collectives {

namespace {

/// A hop of LL over NVLink, which other protocols' step latencies come on top of.
constexpr Picoseconds kWireLatency(600'000);

Step put_in_place(const Step& received, BitsPerSecond rate, double slowness) {
  const Picoseconds time = transmission_time(received.bytes(), rate);
  const Picoseconds taken = stretched(time, slowness);
  return Step::delay(taken, Step::Work::kCopy, std::max(Picoseconds(0), taken - time));
}

}  // namespace

Picoseconds stretched(Picoseconds time, double factor) {
  if (factor == 1) return time;
  return Picoseconds(std::llround(static_cast<double>(time.count()) * factor));
}

CollectiveCall::CollectiveCall(CollectiveSpec spec, std::uint32_t ranks, const RankLayout& layout)
    : spec_(std::move(spec)),
      schedule_(make_schedule(plan_of(spec_, ranks, layout), spec_.algorithm)),
      domain_rate_(layout.domain_rate),
      network_rate_(layout.network_rate) {}

Bytes CollectiveCall::wire_size(Bytes size) const {
  const ProtocolCost cost = protocol_cost(spec_.execution.protocol);
  if (cost.data == cost.wire) return size;
  return Bytes((size.count() + cost.data - 1) / cost.data * cost.wire);
}

Picoseconds CollectiveCall::step_latency() const {
  return spec_.execution.step_latency.value_or(
      protocol_cost(spec_.execution.protocol).step_latency);
}

Picoseconds CollectiveCall::receive_latency(std::uint32_t from, std::uint32_t to) const {
  const RankMap& map = schedule_->plan().map;
  if (map.domain_of(from) == map.domain_of(to)) return step_latency();
  return spec_.execution.network_step_latency.value_or(step_latency());
}

Picoseconds CollectiveCall::shared_time(Bytes bytes, BitsPerSecond rate) const {
  if (rate == BitsPerSecond(0)) return {};
  return transmission_time(bytes * spec_.execution.channels, rate);
}

Picoseconds CollectiveCall::handling_time(const Step& received, double slowness) const {
  const Execution& execution = spec_.execution;
  // Paced channels add data up as they move it, and a straggler moves it more slowly (pace_of).
  if (is_paced()) return {};
  const Picoseconds time =
      shared_time(received.bytes(), received.reduces ? execution.reduce_rate : execution.copy_rate);
  // So do serial ones; only what a straggler takes longer comes on top.
  const bool is_on_the_way = execution.transfer == Execution::Transfer::kSerial;
  return is_on_the_way ? std::max(Picoseconds(0), stretched(time, slowness) - time)
                       : stretched(time, slowness);
}

Picoseconds CollectiveCall::transfer_time(const Step& sent) const {
  const BitsPerSecond rate = spec_.execution.channel_rate;
  return rate == BitsPerSecond(0) ? Picoseconds(0) : transmission_time(sent.bytes(), rate);
}

bool CollectiveCall::is_paced() const {
  const Execution& e = spec_.execution;
  return e.transfer == Execution::Transfer::kPaced &&
         std::max(e.channel_rate, e.network_channel_rate) > BitsPerSecond(0);
}

// With flags in the data a peer does not wait for the end of a slice.
CollectiveCall::Pace CollectiveCall::pace_of(const Step& sent, std::uint32_t rank,
                                             double slowness) const {
  const Execution& execution = spec_.execution;
  const RankMap& map = schedule_->plan().map;
  const bool leaves = map.domain_of(rank) != map.domain_of(sent.peer);
  const bool has_own = leaves && execution.network_channel_rate > BitsPerSecond(0);
  const BitsPerSecond rate = has_own ? execution.network_channel_rate : execution.channel_rate;
  if (rate == BitsPerSecond(0)) return {};
  const BitsPerSecond link = leaves ? network_rate_ : domain_rate_;
  const Picoseconds all = transmission_time(sent.bytes(), rate);
  Picoseconds along;
  if (link > BitsPerSecond(0)) {
    along = std::min(all, transmission_time(wire_size(sent.bytes()), link));
  }
  const Picoseconds excess = std::max(Picoseconds(0), stretched(all, slowness) - all);
  const Protocol protocol = execution.protocol;
  if (protocol == Protocol::kLl || protocol == Protocol::kLl128) return {excess, all, excess};
  return {all - along + excess, along, excess};
}

// A slice that goes to several peers is moved once. One that goes to none is put in place.
StepStream CollectiveCall::paced_steps(std::uint32_t rank, std::uint32_t lane,
                                       double slowness) const {
  StepStream inner = schedule_->steps(rank, lane);
  const bool is_one_server = schedule_->plan().map.domains() == 1;
  const BitsPerSecond place =
      is_one_server ? nccl_place_rate(spec_, spec_.execution) : BitsPerSecond(0);
  Step moved;
  Step received;
  Pace pace;
  Step extra;
  for (Step step; inner.next(step);) {
    const bool passes_on = step.kind == Step::Kind::kSend && step.block == received.block &&
                           step.range() == received.range();
    if (received.kind == Step::Kind::kReceive && !passes_on) {
      extra = put_in_place(received, place, slowness);
      co_yield extra;
    }
    received = {};
    const bool is_same = step.kind == Step::Kind::kSend && step.block == moved.block &&
                         step.range() == moved.range();
    if (!is_same) {
      extra = Step::delay(std::exchange(pace.along, Picoseconds(0)), Step::Work::kTransfer);
      if (extra.time() > Picoseconds(0)) co_yield extra;
      moved = {};
    }
    if (!is_same && step.kind == Step::Kind::kSend) {
      moved = step;
      pace = pace_of(step, rank, slowness);
      extra = Step::delay(pace.before, Step::Work::kTransfer, pace.excess);
      if (pace.before > Picoseconds(0)) co_yield extra;
    }
    co_yield step;
    if (step.kind == Step::Kind::kReceive && place > BitsPerSecond(0)) received = step;
  }
  extra = Step::delay(pace.along, Step::Work::kTransfer);
  if (pace.along > Picoseconds(0)) co_yield extra;
  if (received.kind == Step::Kind::kReceive) {
    extra = put_in_place(received, place, slowness);
    co_yield extra;
  }
}

StepStream CollectiveCall::steps(std::uint32_t rank, std::uint32_t lane, double slowness) const {
  const bool is_serial = spec_.execution.transfer == Execution::Transfer::kSerial;
  const Picoseconds launch = spec_.execution.launch.value_or(Picoseconds(0));
  const RankMap& map = schedule_->plan().map;
  const bool has_proxies = spec_.execution.network_step_latency.has_value();
  StepStream inner = is_paced() ? paced_steps(rank, lane, slowness) : schedule_->steps(rank, lane);
  Step received;
  Step extra = Step::delay(launch, Step::Work::kLaunch);  // one place for all of them
  if (launch > Picoseconds(0)) co_yield extra;
  for (Step step; inner.next(step);) {
    if (step.kind == Step::Kind::kCopy) {
      const Picoseconds time = shared_time(step.bytes(), spec_.execution.copy_rate);
      const Picoseconds taken = stretched(time, slowness);
      extra = Step::delay(taken, Step::Work::kCopy, std::max(Picoseconds(0), taken - time));
      if (taken > Picoseconds(0)) co_yield extra;
      continue;
    }
    const bool is_serial_send = is_serial && step.kind == Step::Kind::kSend;
    const bool passes_on = step.block == received.block && step.range() == received.range();
    if (is_serial_send && !passes_on) {
      const Picoseconds time = shared_time(step.bytes(), spec_.execution.copy_rate);
      const Picoseconds taken = stretched(time, slowness);
      extra = Step::delay(taken, Step::Work::kCopy, std::max(Picoseconds(0), taken - time));
      co_yield extra;
    }
    co_yield step;
    if (is_serial_send) {
      extra = Step::delay(transfer_time(step), Step::Work::kTransfer);
      co_yield extra;
      // To another domain, where that has costs of its own, a proxy sends it on, and the threads go
      // on.
      if (has_proxies && map.domain_of(rank) != map.domain_of(step.peer)) continue;
      extra = Step::delay(kWireLatency + step_latency(), Step::Work::kProtocol);
      co_yield extra;
      extra = Step::flush();
      co_yield extra;
    }
    if (step.kind != Step::Kind::kReceive) continue;
    received = step;
    const Picoseconds handling = handling_time(step, slowness);
    if (handling == Picoseconds(0)) continue;
    const Picoseconds excess = handling - std::min(handling, handling_time(step, 1));
    extra = Step::delay(handling, step.reduces ? Step::Work::kReduce : Step::Work::kCopy, excess);
    co_yield extra;
  }
}

}  // namespace weft::collectives
