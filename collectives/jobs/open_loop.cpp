#include "collectives/jobs/open_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/jobs/exponential.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

Picoseconds mean_gap(const OpenLoopSpec& spec, BitsPerSecond access_rate) {
  __extension__ using Wide = unsigned __int128;
  constexpr double kLoadSteps = 1e9;
  constexpr Wide kLimit = Wide{1} << 62U;
  const auto load = std::max(std::llround(spec.load * kLoadSteps), 1LL);
  const Wide bit_picoseconds =
      static_cast<Wide>(spec.size.count()) * 8 * kPicosecondsPerSecond * 1'000'000'000U;
  const Wide divisor = static_cast<Wide>(access_rate.count()) * static_cast<Wide>(load);
  const Wide gap = (bit_picoseconds + divisor / 2) / divisor;
  return Picoseconds(static_cast<std::int64_t>(std::clamp(gap, Wide{1}, kLimit)));
}

class OpenLoop::Source final : public StepSource {
 public:
  Source(const OpenLoop& program, std::uint32_t rank)
      : program_(program),
        rank_(rank),
        mean_(mean_gap(program.spec_, program.setting_.access_rates[rank])),
        arrivals_(program.setting_.random(Purpose::kArrival, rank)),
        destinations_(program.setting_.random(Purpose::kDestination, rank)) {
    move_on();
  }

  bool next(Step& step) override {
    switch (phase_) {
      case Phase::kWait:
        step = Step::wait_until(program_.setting_.start + arrival_);
        phase_ = Phase::kSend;
        return true;
      case Phase::kSend:
        step = Step::send(draw_destination(), program_.spec_.size);
        ++message_;
        move_on();
        return true;
      case Phase::kFlush:
        step = Step::flush();
        phase_ = Phase::kEnd;
        return program_.setting_.has_acknowledgements;
      case Phase::kEnd:
        break;
    }
    return false;
  }

 private:
  enum class Phase : std::uint8_t { kWait, kSend, kFlush, kEnd };

  /// To the arrival of message number `message_`, or to the end.
  void move_on() {
    const Picoseconds gap = draw_gap();
    const bool is_over = gap >= program_.spec_.stop - arrival_;  // as a difference: no overflow
    arrival_ = is_over ? program_.spec_.stop : arrival_ + gap;
    phase_ = is_over ? Phase::kFlush : Phase::kWait;
  }

  [[nodiscard]] Picoseconds draw_gap() const {
    if (program_.spec_.arrivals == OpenLoopSpec::Arrivals::kPoisson) {
      // Saturating: 45 means are the longest gap there is.
      const Picoseconds mean = std::min(mean_, Picoseconds::max() / 64);
      return exponential(mean, arrivals_.bits(message_));
    }
    if (message_ > 0) return mean_;
    const auto range = static_cast<std::uint64_t>(mean_.count());
    return Picoseconds(static_cast<std::int64_t>(arrivals_.below(0, range)));
  }

  [[nodiscard]] std::uint32_t draw_destination() const {
    const std::uint64_t other = destinations_.below(message_, program_.setting_.ranks - 1);
    return static_cast<std::uint32_t>(other < rank_ ? other : other + 1);
  }

  const OpenLoop& program_;
  std::uint32_t rank_;
  Picoseconds mean_;
  RandomStream arrivals_;
  RandomStream destinations_;
  std::uint64_t message_ = 0;
  Picoseconds arrival_;  ///< of the next message, from the job's start
  Phase phase_ = Phase::kWait;
};

OpenLoop::OpenLoop(ProgramSetting setting, const OpenLoopSpec& spec)
    : setting_(std::move(setting)), spec_(spec) {
  WEFT_CHECK(setting_.access_rates.size() == setting_.ranks, "every rank has an access rate");
}

std::vector<std::uint32_t> OpenLoop::send_peers(std::uint32_t rank, std::uint32_t) const {
  std::vector<std::uint32_t> peers;
  Source source(*this, rank);
  for (Step step; source.next(step);) {
    if (step.kind == Step::Kind::kSend) peers.push_back(step.peer);
  }
  std::ranges::sort(peers);
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

std::unique_ptr<StepSource> OpenLoop::steps(std::uint32_t rank, std::uint32_t) const {
  return std::make_unique<Source>(*this, rank);
}

}  // namespace weft::collectives
