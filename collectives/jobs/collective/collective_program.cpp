#include "collectives/jobs/collective/collective_program.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/jitter/jitter.hpp"
#include "collectives/jobs/collective/collective_bounds.hpp"
#include "simcore/base/check.hpp"
#include "simcore/text/range_text.hpp"

namespace weft::collectives {

namespace {

constexpr std::uint32_t kMaxMatrixRanks = 4096;

/// Of problems that are named before the rest is left out.
constexpr std::size_t kMaxNamedProblems = 20;

/// Noise is of computing: where there is none, it is random delays or nothing.
void check_noise_of_call(const CollectiveSpec& spec, std::uint32_t ranks, Problems& problems) {
  check_noise_specs(spec.noise, ranks, problems);
  if (spec.compute > Picoseconds(0)) return;
  for (std::size_t i = 0; i < spec.noise.size(); ++i) {
    if (spec.noise[i].jitter) continue;
    problems.push_back({"noise[" + std::to_string(i) + "]",
                        "slows computing, and the job computes nothing: say `compute`, or delay "
                        "ranks by `jitter` or `stragglers`"});
  }
}

/// What adding and copying take depends on what the algorithm is, and is checked later.
void check_stragglers(const CollectiveSpec& spec, Problems& problems) {
  for (std::size_t i = 0; i < spec.stragglers.size(); ++i) {
    const Straggler& s = spec.stragglers[i];
    const std::string key = "stragglers[" + std::to_string(i) + "]";
    if (s.compute_factor != 1 && spec.compute == Picoseconds(0)) {
      problems.push_back({key + ".compute",
                          "slows computing, and the job computes nothing: say `compute` of the "
                          "job, or delay ranks by `late`"});
    }
  }
}

/// With the jitter of all ranks, unless a noise has one of its own.
std::vector<JitterSpec> noise_of(const CollectiveSpec& spec) {
  std::vector<JitterSpec> noise = spec.noise;
  if (!noise.empty() && spec.jitter) noise.insert(noise.begin(), JitterSpec{.jitter = spec.jitter});
  return noise;
}

}  // namespace

void CollectiveProgram::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  check_rank(spec.root, ranks, "root", problems);
  check_noise_of_call(spec, ranks, problems);
  check_stragglers(spec, problems);
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

std::uint64_t CollectiveProgram::max_connections(const Spec& spec, std::uint32_t ranks) {
  return collectives::max_connections(spec, ranks);
}

SendBound CollectiveProgram::bound(const Spec& spec, const BoundSetting& setting) {
  const MessageBound max = max_messages(spec, setting.ranks, setting.domain_size);
  const double connections =
      static_cast<double>(setting.ranks) * std::max(1U, spec.execution.channels);
  return {max.messages, max.messages / std::max(1U, spec.iterations),
          max.messages / std::max(1.0, connections), max.bytes};
}

/// The steps of a lane, iteration after iteration. Not a coroutine: there is one per lane, and it
/// remembers little beside the call that it is in.
class CollectiveProgram::Source final : public StepSource {
 public:
  Source(const CollectiveProgram& program, LanePlace place) : program_(program), place_(place) {}

  bool next(Step& step) override {
    switch (at_) {
      case At::kStart:
        if (iteration_ == program_.spec().iterations) return false;
        at_ = At::kBegin;
        if (const auto delay = program_.delay_before(place_, iteration_)) {
          step = *delay;
          return true;
        }
        [[fallthrough]];
      case At::kBegin:
        at_ = At::kCall;
        call_ = program_.call_steps(place_);
        step = Step::begin(iteration_);
        return true;
      case At::kCall:
        if (call_->next(step)) return true;
        call_.reset();
        at_ = At::kOver;
        if (const auto wait = program_.wait_after(place_, iteration_)) {
          step = *wait;
          return true;
        }
        [[fallthrough]];
      case At::kOver:
        break;
    }
    at_ = At::kStart;
    step = Step::end(iteration_++);
    return true;
  }

 private:
  enum class At : std::uint8_t { kStart, kBegin, kCall, kOver };  // of an iteration

  const CollectiveProgram& program_;
  LanePlace place_;
  std::uint32_t iteration_ = 0;
  At at_ = At::kStart;
  std::optional<StepStream> call_;
};

CollectiveProgram::CollectiveProgram(ProgramSetting setting, CollectiveSpec spec,
                                     const RankLayout& layout)
    : setting_(std::move(setting)),
      call_(std::move(spec), setting_.ranks, layout),
      noise_(noise_by_rank(noise_of(call_.spec()),
                           RankMap(setting_.ranks, layout).domains_by_rank())) {
  for (const Straggler& straggler : call_.spec().stragglers) slow_down(straggler);
}

std::vector<ReductionGroup> CollectiveProgram::groups() const {
  std::vector<ReductionGroup> groups;
  for (RankGroup& ranks : schedule().groups()) groups.push_back({std::move(ranks), 0, lanes()});
  return groups;
}

std::unique_ptr<StepSource> CollectiveProgram::steps(LanePlace place) const {
  return std::make_unique<Source>(*this, place);
}

/// What a call does beside its steps sends nothing.
void CollectiveProgram::for_each_send(std::uint32_t rank,
                                      const std::function<void(const SendCount&)>& visit) const {
  for (std::uint32_t lane = 0; lane < lanes(); ++lane) {
    schedule().for_each_send(rank, lane, [&](const Step& step) { visit({lane, step, 1}); });
  }
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

Picoseconds CollectiveProgram::computing_time(std::uint32_t rank,
                                              const Computing& computing) const {
  if (noise_.empty()) return computing.nominal;
  const Slowness slowness = slowness_of(rank);
  const Picoseconds work = stretched(computing.nominal, slowness.compute);
  const RandomStream random = setting_.random(Purpose::kCollectiveJitter, rank);
  const Picoseconds delay = draw_delay(noise_[rank].jitter, random.bits(computing.number));
  return time_taken(noise_[rank], computing.start, work, delay) + slowness.late;
}

std::optional<Step> CollectiveProgram::delay_before(LanePlace place,
                                                    std::uint32_t iteration) const {
  if (place.lane != 0) return {};
  // As long as computing_time says.
  if (!noise_.empty()) return Step::delay(spec().compute, Step::Work::kCompute);
  const Slowness slowness = slowness_of(place.rank);
  const RandomStream random = setting_.random(Purpose::kCollectiveJitter, place.rank);
  const Picoseconds drawn = draw_delay(spec().jitter.value_or(Jitter()), random.bits(iteration));
  const Picoseconds delay = stretched(spec().compute, slowness.compute) + slowness.late + drawn;
  if (delay == Picoseconds(0)) return {};
  const Picoseconds excess = std::max(Picoseconds(0), delay - spec().compute);
  return Step::delay(delay, Step::Work::kCompute, excess);
}

std::optional<Step> CollectiveProgram::wait_after(LanePlace place, std::uint32_t iteration) const {
  const Picoseconds interval = spec().execution.launch_interval;
  if (place.lane != 0 || interval == Picoseconds(0)) return {};
  Step wait = Step::wait_until(interval * (std::int64_t{iteration} + 1));
  wait.work = Step::Work::kLaunch;
  return wait;
}

StepStream CollectiveProgram::call_steps(LanePlace place) const {
  return call_.steps(place.rank, place.lane, slowness_of(place.rank).reduce);
}

}  // namespace weft::collectives
