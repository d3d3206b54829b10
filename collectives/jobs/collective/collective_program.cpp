#include "collectives/jobs/collective/collective_program.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/jobs/collective/collective_bounds.hpp"
#include "collectives/jobs/collective/jitter.hpp"
#include "collectives/spec/protocol_cost.hpp"
#include "simcore/base/check.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::collectives {

namespace {

/// A hop of LL over NVLink, which other protocols' step latencies come on top of.
constexpr Picoseconds kWireLatency(600'000);

constexpr std::uint32_t kMaxMatrixRanks = 4096;

/// Of problems that are named before the rest is left out.
constexpr std::size_t kMaxNamedProblems = 20;

Picoseconds scaled(Picoseconds time, double factor) {
  if (factor == 1) return time;
  return Picoseconds(std::llround(static_cast<double>(time.count()) * factor));
}

}  // namespace

void CollectiveProgram::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  check_rank(spec.root, ranks, "root", problems);
  for (std::size_t i = 0; i < spec.stragglers.size(); ++i) {
    for (const std::string& word : spec.stragglers[i].ranks) {
      const auto range = parse_range(word);
      if (range && range->first <= range->second && range->second < ranks) continue;
      problems.push_back(
          {"stragglers[" + std::to_string(i) + "].ranks",
           "`" + word + "` names no ranks; the job has ranks 0 to " + std::to_string(ranks - 1)});
    }
  }
  if (spec.operation != Operation::kAllToAllV) return;
  if (ranks > kMaxMatrixRanks) {
    problems.push_back({"ranks", "has " + std::to_string(ranks) +
                                     " ranks; an all-to-all-v has at most " +
                                     std::to_string(kMaxMatrixRanks)});
  }
  if (spec.routing && spec.routing->top_k > std::uint64_t{ranks} * spec.routing->experts_per_rank) {
    problems.push_back(
        {"routing", "top_k is " + std::to_string(spec.routing->top_k) + "; there are " +
                        std::to_string(std::uint64_t{ranks} * spec.routing->experts_per_rank) +
                        " experts"});
  }
  for (std::size_t i = 0; i < spec.blocks.size() && problems.size() < kMaxNamedProblems; ++i) {
    const std::string block = "blocks[" + std::to_string(i) + "]";
    check_rank(spec.blocks[i].from, ranks, block + ".from", problems);
    check_rank(spec.blocks[i].to, ranks, block + ".to", problems);
  }
}

std::uint64_t CollectiveProgram::most_connections(const Spec& spec, std::uint32_t ranks) {
  return collectives::most_connections(spec, ranks);
}

SendBound CollectiveProgram::bound(const Spec& spec, const BoundSetting& setting) {
  const MessageBound most = most_messages(spec, setting.ranks, setting.domain_size);
  const double connections =
      static_cast<double>(setting.ranks) * std::max(1U, spec.execution.channels);
  return {most.messages, most.messages / std::max(1U, spec.iterations),
          most.messages / std::max(1.0, connections), most.bytes};
}

class CollectiveProgram::Source final : public StepSource {
 public:
  explicit Source(StepStream stream) : stream_(std::move(stream)) {}
  bool next(Step& step) override { return stream_.next(step); }

 private:
  StepStream stream_;
};

CollectiveProgram::CollectiveProgram(ProgramSetting setting, CollectiveSpec spec,
                                     const RankLayout& layout)
    : setting_(std::move(setting)),
      spec_(std::move(spec)),
      schedule_(make_schedule(plan_of(spec_, setting_.ranks, layout), spec_.algorithm)) {
  for (const Straggler& straggler : spec_.stragglers) slow_down(straggler);
}

Bytes CollectiveProgram::wire_size(Bytes size) const {
  const ProtocolCost cost = protocol_cost(spec_.execution.protocol);
  if (cost.data == cost.wire) return size;
  return Bytes((size.count() + cost.data - 1) / cost.data * cost.wire);
}

Picoseconds CollectiveProgram::step_latency() const {
  return spec_.execution.step_latency.value_or(
      protocol_cost(spec_.execution.protocol).step_latency);
}

Picoseconds CollectiveProgram::receive_latency(std::uint32_t from, std::uint32_t to) const {
  const RankMap& map = schedule_->plan().map;
  if (map.domain_of(from) == map.domain_of(to)) return step_latency();
  return spec_.execution.network_step_latency.value_or(step_latency());
}

std::unique_ptr<StepSource> CollectiveProgram::steps(std::uint32_t rank, std::uint32_t lane) const {
  return std::make_unique<Source>(stream(rank, lane));
}

void CollectiveProgram::slow_down(const Straggler& straggler) {
  slowness_.resize(setting_.ranks);
  std::vector<bool> is_slow(setting_.ranks);  // a rank may be in several ranges
  for (const std::string& word : straggler.ranks) {
    const auto range = parse_range(word);
    WEFT_CHECK(range && range->second < setting_.ranks, "ranks of a straggler are checked before");
    for (std::uint64_t rank = range->first; rank <= range->second; ++rank) is_slow[rank] = true;
  }
  for (std::uint32_t rank = 0; rank < setting_.ranks; ++rank) {
    if (!is_slow[rank]) continue;
    slowness_[rank].late += straggler.late;
    slowness_[rank].compute *= straggler.compute_factor;
    slowness_[rank].reduce *= straggler.reduce_factor;
  }
}

Picoseconds CollectiveProgram::shared_time(Bytes bytes, BitsPerSecond rate) const {
  if (rate == BitsPerSecond(0)) return {};
  return transmission_time(bytes * spec_.execution.channels, rate);
}

Picoseconds CollectiveProgram::handling_time(const Step& received, double factor) const {
  const Execution& execution = spec_.execution;
  const Picoseconds time =
      shared_time(received.bytes(), received.reduces ? execution.reduce_rate : execution.copy_rate);
  // Serial channels add data up as they move it; only what a straggler takes longer comes on top.
  const bool is_on_the_way = execution.transfer == Execution::Transfer::kSerial;
  return is_on_the_way ? std::max(Picoseconds(0), scaled(time, factor) - time)
                       : scaled(time, factor);
}

Picoseconds CollectiveProgram::transfer_time(const Step& sent) const {
  const BitsPerSecond rate = spec_.execution.channel_rate;
  return rate == BitsPerSecond(0) ? Picoseconds(0) : transmission_time(sent.bytes(), rate);
}

StepStream CollectiveProgram::stream(std::uint32_t rank, std::uint32_t lane) const {
  const Slowness slowness = slowness_.empty() ? Slowness() : slowness_[rank];
  const RandomStream random = setting_.random(Purpose::kCollectiveJitter, rank);
  const Picoseconds compute = scaled(spec_.compute, slowness.compute);
  const Jitter jitter = spec_.jitter.value_or(Jitter());
  const bool is_serial = spec_.execution.transfer == Execution::Transfer::kSerial;
  const Picoseconds launch = spec_.execution.launch.value_or(Picoseconds(0));
  for (std::uint32_t i = 0; i < spec_.iterations; ++i) {
    if (lane == 0) {
      const Picoseconds delay = compute + slowness.late + draw_delay(jitter, random.bits(i));
      if (delay > Picoseconds(0)) co_yield Step::delay(delay, Step::Work::kCompute);
    }
    co_yield Step::begin(i);
    if (launch > Picoseconds(0)) co_yield Step::delay(launch, Step::Work::kLaunch);
    StepStream inner = schedule_->steps(rank, lane);
    Step received;
    for (Step step; inner.next(step);) {
      if (step.kind == Step::Kind::kCopy) {
        const Picoseconds time = shared_time(step.bytes(), spec_.execution.copy_rate);
        const Picoseconds taken = scaled(time, slowness.reduce);
        if (taken > Picoseconds(0)) co_yield Step::delay(taken, Step::Work::kCopy);
        continue;
      }
      const bool is_serial_send = is_serial && step.kind == Step::Kind::kSend;
      const bool passes_on = step.block == received.block && step.range() == received.range();
      if (is_serial_send && !passes_on) {
        const Picoseconds time = shared_time(step.bytes(), spec_.execution.copy_rate);
        co_yield Step::delay(scaled(time, slowness.reduce), Step::Work::kCopy);
      }
      co_yield step;
      if (is_serial_send) {
        co_yield Step::delay(transfer_time(step), Step::Work::kTransfer);
        co_yield Step::delay(kWireLatency + step_latency(), Step::Work::kProtocol);
        co_yield Step::flush();
      }
      if (step.kind != Step::Kind::kReceive) continue;
      received = step;
      const Picoseconds handling = handling_time(step, slowness.reduce);
      if (handling == Picoseconds(0)) continue;
      co_yield Step::delay(handling, step.reduces ? Step::Work::kReduce : Step::Work::kCopy);
    }
    co_yield Step::end(i);
  }
}

}  // namespace weft::collectives
