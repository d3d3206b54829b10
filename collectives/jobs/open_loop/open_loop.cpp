#include "collectives/jobs/open_loop/open_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/jitter/exponential.hpp"
#include "collectives/traffic/load.hpp"
#include "simcore/base/check.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

namespace {

constexpr Picoseconds kMaxActivity(1'000'000'000'000'000);
constexpr std::int64_t kMaxPeriods = 10'000'000;

bool is_on_off(const OpenLoopSpec& spec) { return spec.arrivals == OpenLoopSpec::Arrivals::kOnOff; }

/// In thousandths of a byte.
std::int64_t mean_size(const OpenLoopSpec& spec) {
  return spec.sizes ? spec.sizes->table.mean_in_thousandths() : spec.size.count() * 1000;
}

/// Saturating: 45 means are the longest gap there is.
Picoseconds drawable(Picoseconds mean) { return std::min(mean, Picoseconds::max() / 64); }

}  // namespace

schema::Object<OpenLoopSpec> OpenLoop::schema() {
  auto builder =
      schema::describe<OpenLoopSpec>("open loop", "messages at a given load, whatever completes");
  builder.field("size", &OpenLoopSpec::size, "of every message")
      .source("drawn from `sizes`")
      .at_least(1_B)
      .at_most(kMaxMessage)
      .only_if([](const OpenLoopSpec& o) { return !o.sizes; }, "without `sizes`")
      .object("sizes", &OpenLoopSpec::sizes, sizes_schema(), "that messages are drawn from")
      .source("all have one size")
      .field("load", &OpenLoopSpec::load,
             "payload, as a fraction of the access rate of each rank that sends; or with "
             "`operation: read` that reads")
      .required()
      .within({.low = 0, .high = 10, .includes_low = false})
      .choice("arrivals", &OpenLoopSpec::arrivals,
              {{OpenLoopSpec::Arrivals::kPoisson, "poisson", "independent arrivals"},
               {OpenLoopSpec::Arrivals::kConstant, "constant", "equal gaps"},
               {OpenLoopSpec::Arrivals::kOnOff, "on-off",
                "independent arrivals while a source is on, none while it is off"}},
              "when messages are sent")
      .source("many independent sources")
      .field("on", &OpenLoopSpec::on, "mean of the exponential times for which a source sends")
      .source("none; on-off sources need one")
      .at_least(1_ns)
      .at_most(kMaxActivity)
      .only_if(is_on_off, "with `arrivals: on-off`")
      .field("off", &OpenLoopSpec::off, "mean of the exponential times for which it does not")
      .source("none; on-off sources need one")
      .at_least(1_ns)
      .at_most(kMaxActivity)
      .only_if(is_on_off, "with `arrivals: on-off`")
      .constant("destinations", "uniform",
                "who receives: any other rank; or with `operation: read` who is read from")
      .changes_nothing()
      .source("no favoured paths")
      .field("stop", &OpenLoopSpec::stop, "no arrivals from then on, counted from the job's start")
      .required()
      .at_least(1_ps)
      .check([](const OpenLoopSpec& o, Problems& problems) {
        if (!o.sizes && o.size == 0_B) {
          problems.push_back({"size",
                              "is missing; messages have a `size`, such as 64KiB, or "
                              "`sizes` that they are drawn from"});
        }
        if (!is_on_off(o)) return;
        for (const auto& [time, key] : {std::pair(o.on, "on"), std::pair(o.off, "off")}) {
          if (time == 0_ps) problems.push_back({key, "is missing; expected a time such as 100us"});
        }
        if (o.on + o.off > 0_ps && o.stop / (o.on + o.off) > kMaxPeriods) {
          problems.push_back({"off", "makes more than " + std::to_string(kMaxPeriods) +
                                         " periods with `on` until the `stop`"});
        }
      });
  add_verb(builder);
  return builder;
}

void OpenLoop::read_files(Spec& spec, JobFiles& files) {
  if (spec.sizes) read_sizes(*spec.sizes, "sizes", files);
}

std::uint64_t OpenLoop::max_connections(const Spec& /*spec*/, std::uint32_t ranks) {
  return std::uint64_t{ranks} * (ranks - 1);
}

SendBound OpenLoop::bound(const Spec& spec, const BoundSetting& setting) {
  if (spec.sizes && spec.sizes->table.empty()) return {};  // it could not be read
  const auto rate = static_cast<double>(setting.fastest_access.count());
  const double size = static_cast<double>(mean_size(spec)) / 1000;
  const double each = spec.load * rate / 8 / size * to_seconds(spec.stop);
  double bytes = each * size;
  if (spec.sizes) {
    // The sum of `each` draws is bounded by Bernstein's inequality, as in max_of (workload.cpp).
    const auto largest = static_cast<double>(spec.sizes->table.largest().count());
    bytes += 10 * std::sqrt(each * size * largest) + 40 * largest;
  }
  // All messages of a source might draw the same destination.
  return {setting.ranks * each, 0, each, bytes};
}

Picoseconds mean_gap(const OpenLoopSpec& spec, BitsPerSecond access_rate) {
  return time_between(mean_size(spec), spec.load, access_rate);
}

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

/// When an on-off source is on.
class OpenLoop::Activity {
 public:
  Activity(const OpenLoop& program, std::uint32_t rank)
      : on_(program.spec_.on),
        off_(program.spec_.off),
        random_(program.setting_.random(Purpose::kActivity, rank)) {
    if (!is_on_off(program.spec_)) return;
    // What is left of a time that began before is exponential, too.
    const auto cycle = static_cast<std::uint64_t>((on_ + off_).count());
    left_ = draw(on_);
    if (random_.below(period_++, cycle) >= static_cast<std::uint64_t>(on_.count())) {
      rest_ = draw(off_);
    }
  }

  /// A mean gap in time that the source is on, for one in all time.
  [[nodiscard]] Picoseconds of_time_on(Picoseconds mean) const {
    __extension__ using Wide = unsigned __int128;
    const auto on = static_cast<std::uint64_t>(on_.count());
    const auto cycle = static_cast<std::uint64_t>((on_ + off_).count());
    const Wide scaled = (Wide{static_cast<std::uint64_t>(mean.count())} * on + cycle / 2) / cycle;
    return std::max(Picoseconds(static_cast<std::int64_t>(scaled)), 1_ps);
  }

  /// In which `gap` of time on passes; as much as `max` or more: after that.
  Picoseconds pass(Picoseconds gap, Picoseconds max) {
    Picoseconds passed = std::exchange(rest_, 0_ps);
    while (gap >= left_ && passed < max) {
      gap -= left_;
      passed += left_ + draw(off_);
      left_ = draw(on_);
    }
    if (passed >= max) return max;
    left_ -= gap;
    return gap < max - passed ? passed + gap : max;
  }

 private:
  Picoseconds draw(Picoseconds mean) { return exponential(mean, random_.bits(period_++)); }

  Picoseconds on_;
  Picoseconds off_;
  RandomStream random_;
  std::uint64_t period_ = 0;
  Picoseconds left_;  ///< of the time on
  Picoseconds rest_;  ///< of the time off before it
};

class OpenLoop::Source final : public StepSource {
 public:
  Source(const OpenLoop& program, std::uint32_t rank)
      : program_(program),
        rank_(rank),
        mean_(program.mean_gap_of(rank)),
        arrivals_(program.setting_.random(Purpose::kArrival, rank)),
        activity_(program, rank) {
    if (is_on_off(program.spec_)) mean_ = activity_.of_time_on(mean_);
    move_on();
  }

  bool next(Step& step) override {
    switch (phase_) {
      case Phase::kWait:
        step = Step::wait_until(arrival_);
        phase_ = Phase::kSend;
        return true;
      case Phase::kSend:
        step = Step::send(program_.destination(rank_, message_), program_.size_of(rank_, message_));
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
    Picoseconds gap = draw_gap();
    if (is_on_off(program_.spec_)) gap = activity_.pass(gap, program_.spec_.stop - arrival_);
    const bool is_over = gap >= program_.spec_.stop - arrival_;  // as a difference: no overflow
    arrival_ = is_over ? program_.spec_.stop : arrival_ + gap;
    phase_ = is_over ? Phase::kFlush : Phase::kWait;
  }

  [[nodiscard]] Picoseconds draw_gap() const {
    if (program_.spec_.arrivals != OpenLoopSpec::Arrivals::kConstant) {
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
  Activity activity_;
  std::uint64_t message_ = 0;
  Picoseconds arrival_;  ///< of the next message, from the job's start
  Phase phase_ = Phase::kWait;
};

OpenLoop::OpenLoop(ProgramSetting setting, const OpenLoopSpec& spec)
    : setting_(std::move(setting)), spec_(spec) {
  WEFT_CHECK(!spec.sizes || !spec.sizes->table.empty(), "sizes have been read");
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

Bytes OpenLoop::size_of(std::uint32_t rank, std::uint64_t message) const {
  if (!spec_.sizes) return spec_.size;
  return spec_.sizes->table.draw(setting_.random(Purpose::kMessageSize, rank).bits(message));
}

std::vector<Bytes> OpenLoop::size_classes(const Spec& spec) {
  return spec.sizes ? tenths_of(spec.sizes->table) : std::vector<Bytes>();
}

std::optional<DrawnSends> OpenLoop::drawn_sends(std::uint32_t rank) const {
  auto gap = static_cast<double>(mean_gap_of(rank).count());
  // The mean of what exponential() rounds: the sum of e^(-(k - 1/2) / gap) over all k >= 1.
  if (spec_.arrivals == OpenLoopSpec::Arrivals::kPoisson) gap = 1 / (2 * std::sinh(0.5 / gap));
  const double messages = static_cast<double>(spec_.stop.count()) / gap;
  const Bytes mean((mean_size(spec_) + 999) / 1000);
  DrawnSends drawn{mean, messages, spec_.sizes ? spec_.sizes->table.largest() : mean};
  if (is_on_off(spec_)) {
    // Arrivals while a source is on count as one message of their total size.
    const double cycle = static_cast<double>((spec_.on + spec_.off).count());
    drawn.largest =
        Bytes(std::llround(static_cast<double>(drawn.largest.count()) * (1 + cycle / gap)));
  }
  return drawn;
}

void OpenLoop::see_sure_messages(std::uint32_t rank, SeenPeers& peers) const {
  if (spec_.arrivals != OpenLoopSpec::Arrivals::kPoisson) return;
  const Picoseconds mean = drawable(mean_gap_of(rank));
  const RandomStream arrivals = setting_.random(Purpose::kArrival, rank);
  Picoseconds left = spec_.stop;
  for (std::uint64_t message = 0; !peers.are_all(); ++message) {
    const Picoseconds gap = max_exponential(mean, arrivals.bits(message));
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
