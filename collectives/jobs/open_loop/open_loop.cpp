#include "collectives/jobs/open_loop/open_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/noise/exponential.hpp"
#include "simcore/base/check.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

schema::Object<OpenLoopSpec> OpenLoop::schema() {
  return schema::describe<OpenLoopSpec>("open loop", "messages at a given load, whatever completes")
      .field("size", &OpenLoopSpec::size, "of every message")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("load", &OpenLoopSpec::load, "payload, as a fraction of each sender's access rate")
      .required()
      .within({.low = 0, .high = 10, .includes_low = false})
      .choice("arrivals", &OpenLoopSpec::arrivals,
              {{OpenLoopSpec::Arrivals::kPoisson, "poisson", "independent arrivals"},
               {OpenLoopSpec::Arrivals::kConstant, "constant", "equal gaps"}},
              "when messages are sent")
      .source("many independent sources")
      .constant("destinations", "uniform", "who receives: any other rank")
      .source("no favoured paths")
      .field("stop", &OpenLoopSpec::stop, "no arrivals from then on, counted from the job's start")
      .required()
      .at_least(1_ps);
}

std::uint64_t OpenLoop::most_connections(const Spec& /*spec*/, std::uint32_t ranks) {
  return std::uint64_t{ranks} * (ranks - 1);
}

SendBound OpenLoop::bound(const Spec& spec, const BoundSetting& setting) {
  const auto rate = static_cast<double>(setting.fastest_access.count());
  const double each =
      spec.load * rate / 8 / static_cast<double>(spec.size.count()) * to_seconds(spec.stop);
  // All messages of a source might draw the same destination.
  return {setting.ranks * each, 0, each, each * static_cast<double>(spec.size.count())};
}

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

namespace {

/// Saturating: 45 means are the longest gap there is.
Picoseconds drawable(Picoseconds mean) { return std::min(mean, Picoseconds::max() / 64); }

}  // namespace

/// Ranks that a rank has been seen to send to.
class OpenLoop::SeenPeers {
 public:
  explicit SeenPeers(std::uint32_t ranks) : is_seen_(ranks), left_(ranks - 1) {}
  void see(std::uint32_t peer) {
    if (!is_seen_[peer]) --left_;
    is_seen_[peer] = true;
  }
  [[nodiscard]] bool are_all() const { return left_ == 0; }
  [[nodiscard]] std::vector<std::uint32_t> ascending() const {
    std::vector<std::uint32_t> peers;
    for (std::uint32_t rank = 0; rank < is_seen_.size(); ++rank) {
      if (is_seen_[rank]) peers.push_back(rank);
    }
    return peers;
  }

 private:
  std::vector<bool> is_seen_;
  std::uint32_t left_;
};

class OpenLoop::Source final : public StepSource {
 public:
  Source(const OpenLoop& program, std::uint32_t rank)
      : program_(program),
        rank_(rank),
        mean_(program.mean_gap_of(rank)),
        arrivals_(program.setting_.random(Purpose::kArrival, rank)) {
    move_on();
  }

  bool next(Step& step) override {
    switch (phase_) {
      case Phase::kWait:
        step = Step::wait_until(arrival_);
        phase_ = Phase::kSend;
        return true;
      case Phase::kSend:
        step = Step::send(program_.destination(rank_, message_++), program_.spec_.size);
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
      return exponential(drawable(mean_), arrivals_.bits(message_));
    }
    if (message_ > 0) return mean_;
    const auto range = static_cast<std::uint64_t>(mean_.count());
    return Picoseconds(static_cast<std::int64_t>(arrivals_.below(0, range)));
  }

  const OpenLoop& program_;
  std::uint32_t rank_;
  Picoseconds mean_;
  RandomStream arrivals_;
  std::uint64_t message_ = 0;
  Picoseconds arrival_;  ///< of the next message, from the job's start
  Phase phase_ = Phase::kWait;
};

OpenLoop::OpenLoop(ProgramSetting setting, const OpenLoopSpec& spec)
    : setting_(std::move(setting)), spec_(spec) {
  WEFT_CHECK(setting_.access_rates.size() == setting_.ranks, "every rank has an access rate");
}

Picoseconds OpenLoop::mean_gap_of(std::uint32_t rank) const {
  return mean_gap(spec_, setting_.access_rates[rank]);
}

std::uint32_t OpenLoop::destination(std::uint32_t rank, std::uint64_t message) const {
  const RandomStream random = setting_.random(Purpose::kDestination, rank);
  const std::uint64_t other = random.below(message, setting_.ranks - 1);
  return static_cast<std::uint32_t>(other < rank ? other : other + 1);
}

std::optional<DrawnSends> OpenLoop::drawn_sends(std::uint32_t rank) const {
  auto gap = static_cast<double>(mean_gap_of(rank).count());
  // The mean of what exponential() rounds: the sum of e^(-(k - 1/2) / gap) over all k >= 1.
  if (spec_.arrivals == OpenLoopSpec::Arrivals::kPoisson) gap = 1 / (2 * std::sinh(0.5 / gap));
  return DrawnSends{spec_.size, static_cast<double>(spec_.stop.count()) / gap};
}

void OpenLoop::see_sure_messages(std::uint32_t rank, SeenPeers& peers) const {
  if (spec_.arrivals != OpenLoopSpec::Arrivals::kPoisson) return;
  const Picoseconds mean = drawable(mean_gap_of(rank));
  const RandomStream arrivals = setting_.random(Purpose::kArrival, rank);
  Picoseconds left = spec_.stop;
  for (std::uint64_t message = 0; !peers.are_all(); ++message) {
    const Picoseconds gap = most_exponential(mean, arrivals.bits(message));
    if (gap >= left) return;
    left -= gap;
    peers.see(destination(rank, message));
  }
}

std::vector<std::uint32_t> OpenLoop::send_peers(LanePlace place) const {
  SeenPeers peers(setting_.ranks);
  see_sure_messages(place.rank, peers);
  Source source(*this, place.rank);
  for (Step step; !peers.are_all() && source.next(step);) {
    if (step.kind == Step::Kind::kSend) peers.see(step.peer);
  }
  return peers.ascending();
}

std::unique_ptr<StepSource> OpenLoop::steps(LanePlace place) const {
  return std::make_unique<Source>(*this, place.rank);
}

}  // namespace weft::collectives
