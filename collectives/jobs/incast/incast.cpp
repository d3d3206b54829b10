#include "collectives/jobs/incast/incast.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "collectives/steps/step_list.hpp"
#include "collectives/traffic/load.hpp"
#include "collectives/traffic/members.hpp"
#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

namespace {

constexpr std::uint64_t kMaxRounds = 1'000'000;
/// Until the begin of the last round.
constexpr Picoseconds kMaxTime(1'000'000'000'000'000'000);
/// Of members, by all ranks.
constexpr double kMaxDraws = 2e9;

}  // namespace

schema::Object<IncastSpec> Incast::schema() {
  auto builder = schema::describe<IncastSpec>("in-cast", "many senders, one receiver");
  builder
      .field("senders", &IncastSpec::senders,
             "how many ranks send; the job has one rank more, or with `members: random` any number")
      .source("all ranks but the receiver")
      .range(1, kMaxHosts - 1)
      .field("receiver", &IncastSpec::receiver, "rank that receives")
      .source("the first rank")
      .only_if([](const IncastSpec& s) { return !s.draws_members(); }, "with `members: fixed`")
      .choice("members", &IncastSpec::members,
              {{IncastSpec::Members::kFixed, "fixed", "the same in every round"},
               {IncastSpec::Members::kDrawn, "random",
                "drawn for every round, any as likely; needs a period or a load"}},
              "who sends to whom")
      .source("one receiver")
      .field("size", &IncastSpec::size, "per sender and round")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("rounds", &IncastSpec::rounds,
             "a round begins when the receiver has all of the last one, or every `period`")
      .source("one in-cast")
      .range(1, kMaxRounds)
      .field("period", &IncastSpec::period,
             "from the begin of a round to that of the next, whatever has become of it")
      .source("a round begins when the last one is over")
      .at_least(1_ns)
      .field("load", &IncastSpec::load,
             "payload, as a fraction of the receiver's access rate, or with `members: random` of "
             "all ranks' together; in place of a period")
      .source("by the period")
      .within({.low = 0, .high = 10, .includes_low = false})
      .field("jitter", &IncastSpec::jitter,
             "each sender starts a round, or is asked to, at random within it")
      .source("all at once, the hardest case")
      .check([](const IncastSpec& s, Problems& problems) {
        if (s.period && s.load) {
          problems.push_back({"load", "given together with `period`; one of them is needed"});
        }
        if (s.draws_members() && !s.is_periodic()) {
          problems.push_back({"members",
                              "needs a `period` or a `load`: without, ranks learn of "
                              "the next round from its receiver"});
        }
        if (s.period && *s.period > kMaxTime / s.rounds) {
          problems.push_back({"period", "takes more than 10^6 s with this number of rounds"});
        }
        if (s.period && s.jitter > *s.period) {
          problems.push_back({"jitter", "is longer than the period"});
        }
      });
  add_verb(builder);
  return builder;
}

std::optional<RankDemand> Incast::rank_demand(const Spec& spec) {
  if (!spec.senders || spec.draws_members()) return std::nullopt;
  const std::size_t ranks = std::size_t{*spec.senders} + 1;
  return RankDemand{ranks, "senders",
                    "is " + std::to_string(*spec.senders) + ", which with the receiver makes " +
                        std::to_string(ranks) + " ranks"};
}

void Incast::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  if (!spec.draws_members()) return check_rank(spec.receiver, ranks, "receiver", problems);
  const std::uint32_t senders = spec.senders.value_or(ranks - 1);
  if (senders >= ranks) {
    problems.push_back({"senders", "is " + std::to_string(senders) + "; " + std::to_string(ranks) +
                                       " ranks have at most " + std::to_string(ranks - 1) +
                                       " senders"});
  } else if (const double draws = 1.0 * ranks * spec.rounds * senders; draws > kMaxDraws) {
    problems.push_back(
        {"rounds", "make " + std::to_string(std::llround(draws)) +
                       " draws of members with these numbers of ranks and senders; at most " +
                       std::to_string(std::llround(kMaxDraws)) + " are possible"});
  }
}

std::uint64_t Incast::max_connections(const Spec& spec, std::uint32_t ranks) {
  if (!spec.draws_members()) return ranks;
  const std::uint64_t senders = spec.senders.value_or(ranks - 1);
  return std::min(std::uint64_t{ranks} * (ranks - 1), senders * spec.rounds);
}

SendBound Incast::bound(const Spec& spec, const BoundSetting& setting) {
  const double senders = spec.draws_members() && spec.senders ? *spec.senders : setting.ranks - 1.0;
  const double messages = senders * spec.rounds;
  return {messages, messages, static_cast<double>(spec.rounds),
          static_cast<double>(spec.rounds) * static_cast<double>(spec.size.count())};
}

class Incast::Sender final : public StepSource {
 public:
  Sender(const Incast& program, std::uint32_t rank) : program_(program), rank_(rank) {}

  bool next(Step& step) override {
    const IncastSpec& spec = program_.spec_;
    switch (phase_) {
      case Phase::kDelay: {
        phase_ = Phase::kSend;
        const Picoseconds jitter = program_.jitter_of(rank_, round_);
        step = spec.is_periodic() ? Step::wait_until(round_ * program_.period_ + jitter)
                                  : Step::delay(jitter);
        return true;
      }
      case Phase::kSend:
        step = Step::send(spec.receiver, spec.size);
        ++round_;
        phase_ = round_ == spec.rounds ? Phase::kFlush
                 : spec.is_periodic()  ? Phase::kDelay
                                       : Phase::kAwait;
        return true;
      case Phase::kAwait:
        phase_ = Phase::kDelay;
        step = Step::await_control_events(1);
        return true;
      case Phase::kFlush:
        phase_ = Phase::kEnd;
        step = Step::flush();
        return program_.setting_.has_acknowledgements;
      case Phase::kEnd:
        break;
    }
    return false;
  }

 private:
  enum class Phase : std::uint8_t { kDelay, kSend, kAwait, kFlush, kEnd };

  const Incast& program_;
  std::uint32_t rank_;
  std::uint32_t round_ = 0;
  Phase phase_ = Phase::kDelay;
};

class Incast::Receiver final : public StepSource {
 public:
  explicit Receiver(const Incast& program) : program_(program) {}

  bool next(Step& step) override {
    const IncastSpec& spec = program_.spec_;
    if (peer_ == spec.receiver) ++peer_;
    if (peer_ >= program_.setting_.ranks) {
      peer_ = spec.receiver == 0 ? 1 : 0;
      if (is_receiving_) ++round_;
      is_receiving_ = spec.is_periodic() || !is_receiving_;
    }
    if (round_ == spec.rounds) return false;
    step = is_receiving_ ? Step::receive(peer_, spec.size) : Step::control_event(peer_);
    ++peer_;
    return true;
  }

 private:
  const Incast& program_;
  std::uint32_t round_ = 0;
  std::uint32_t peer_ = 0;
  bool is_receiving_ = true;
};

/// A receiver that reads: asks all senders, and begins the next round once it has all of this one,
/// or at its time.
class Incast::Reader final : public StepSource {
 public:
  explicit Reader(const Incast& program) : program_(program) {
    for (std::uint32_t rank = 0; rank < program.setting_.ranks; ++rank) {
      if (rank != program.spec_.receiver) senders_.push_back(rank);
    }
  }

  bool next(Step& step) override {
    const IncastSpec& spec = program_.spec_;
    if (left_.empty()) {
      if (round_ == spec.rounds) return false;
      plan();
      ++round_;
    }
    step = left_.back();
    left_.pop_back();
    return true;
  }

 private:
  /// The steps of a round, in reverse.
  void plan() {
    const IncastSpec& spec = program_.spec_;
    Picoseconds last;
    for (const Read& read : program_.reads_of(senders_, round_)) {
      left_.push_back(spec.is_periodic() ? Step::wait_until(round_ * program_.period_ + read.time)
                                         : Step::delay(read.time - last));
      left_.push_back(Step::send(read.sender, spec.size));
      last = read.time;
    }
    if (!spec.is_periodic() || round_ + 1 == spec.rounds) left_.push_back(Step::flush());
    std::ranges::reverse(left_);
  }

  const Incast& program_;
  std::vector<std::uint32_t> senders_;
  std::uint32_t round_ = 0;
  std::vector<Step> left_;
};

/// A rank where members are drawn: posts what it has to, then waits for what is posted to it.
class Incast::Member final : public StepSource {
 public:
  Member(const Incast& program, std::uint32_t rank) : program_(program), rank_(rank) {}

  bool next(Step& step) override {
    while (left_.empty() && pass_ <= kReceive) {
      plan(program_.drawn_round(round_));
      if (++round_ < program_.spec_.rounds) continue;
      round_ = 0;
      ++pass_;
    }
    if (left_.empty()) {
      step = Step::flush();
      return !std::exchange(has_flushed_, true) && program_.setting_.has_acknowledgements;
    }
    step = left_.back();
    left_.pop_back();
    return true;
  }

 private:
  static constexpr int kReceive = 1;

  /// The steps of a round, in reverse.
  void plan(const Round& round) {
    const Bytes size = program_.spec_.size;
    if (program_.spec_.verb == Verb::kRead) {
      plan_reads(round);
    } else if (pass_ == kReceive) {
      if (round.receiver != rank_) return;
      for (const std::uint32_t sender : round.senders) left_.push_back(Step::receive(sender, size));
      std::ranges::reverse(left_);
    } else if (std::ranges::binary_search(round.senders, rank_)) {
      left_.push_back(Step::send(round.receiver, size));
      left_.push_back(
          Step::wait_until(round_ * program_.period_ + program_.jitter_of(rank_, round_)));
    }
  }

  void plan_reads(const Round& round) {
    const Bytes size = program_.spec_.size;
    if (pass_ == kReceive) {
      const bool sends = std::ranges::binary_search(round.senders, rank_);
      if (sends) left_.push_back(Step::receive(round.receiver, size));
    } else if (round.receiver == rank_) {
      for (const Read& read : program_.reads_of(round.senders, round_)) {
        left_.push_back(Step::wait_until(round_ * program_.period_ + read.time));
        left_.push_back(Step::send(read.sender, size));
      }
      std::ranges::reverse(left_);
    }
  }

  const Incast& program_;
  std::uint32_t rank_;
  int pass_ = 0;
  std::uint32_t round_ = 0;
  std::vector<Step> left_;
  bool has_flushed_ = false;
};

Incast::Incast(ProgramSetting setting, const IncastSpec& spec)
    : setting_(std::move(setting)),
      spec_(spec),
      senders_(spec.senders.value_or(setting_.ranks - 1)),
      period_(find_period()) {}

Picoseconds Incast::find_period() const {
  if (!spec_.load) return spec_.period.value_or(Picoseconds());
  BitsPerSecond rate = setting_.access_rates[spec_.receiver];
  if (spec_.draws_members()) {
    rate = {};
    for (const BitsPerSecond access : setting_.access_rates) rate += access;
  }
  const Picoseconds each = time_between(spec_.size.count() * 1000, *spec_.load, rate);
  const Picoseconds max = kMaxTime / spec_.rounds;
  return each < max / senders_ ? senders_ * each : max;
}

Incast::Round Incast::drawn_round(std::uint32_t round) const {
  const RandomStream random = setting_.random(Purpose::kMembers, round);
  Round drawn;
  drawn.receiver = static_cast<std::uint32_t>(random.below(0, setting_.ranks));
  drawn.senders = draw_members(senders_, setting_.ranks - 1, random, 1);
  for (std::uint32_t& sender : drawn.senders) {
    if (sender >= drawn.receiver) ++sender;
  }
  return drawn;
}

Picoseconds Incast::jitter_of(std::uint32_t rank, std::uint32_t round) const {
  const auto range = static_cast<std::uint64_t>(spec_.jitter.count());
  if (range == 0) return {};
  const RandomStream random = setting_.random(Purpose::kStartJitter, rank);
  return Picoseconds(static_cast<std::int64_t>(random.below(round, range)));
}

std::vector<Incast::Read> Incast::reads_of(std::span<const std::uint32_t> senders,
                                           std::uint32_t round) const {
  std::vector<Read> reads;
  reads.reserve(senders.size());
  for (const std::uint32_t sender : senders) reads.push_back({jitter_of(sender, round), sender});
  std::ranges::stable_sort(reads, {}, &Read::time);
  return reads;
}

std::vector<std::uint32_t> Incast::send_peers(LanePlace place) const {
  const bool reads = spec_.verb == Verb::kRead;
  if (spec_.draws_members()) {
    std::set<std::uint32_t> peers;
    for (std::uint32_t i = 0; i < spec_.rounds; ++i) {
      const Round round = drawn_round(i);
      if (reads && round.receiver == place.rank) {
        peers.insert(round.senders.begin(), round.senders.end());
      } else if (!reads && std::ranges::binary_search(round.senders, place.rank)) {
        peers.insert(round.receiver);
      }
    }
    return {peers.begin(), peers.end()};
  }
  if (reads) {
    std::vector<std::uint32_t> peers(place.rank == spec_.receiver ? setting_.ranks : 0);
    std::iota(peers.begin(), peers.end(), 0U);
    std::erase(peers, spec_.receiver);
    return peers;
  }
  if (place.rank == spec_.receiver) return {};
  return {spec_.receiver};
}

std::unique_ptr<StepSource> Incast::steps(LanePlace place) const {
  if (spec_.draws_members()) return std::make_unique<Member>(*this, place.rank);
  if (spec_.verb == Verb::kRead) {
    if (place.rank == spec_.receiver) return std::make_unique<Reader>(*this);
    return std::make_unique<StepList>(
        std::vector<Step>(spec_.rounds, Step::receive(spec_.receiver, spec_.size)));
  }
  if (place.rank == spec_.receiver) return std::make_unique<Receiver>(*this);
  return std::make_unique<Sender>(*this, place.rank);
}

}  // namespace weft::collectives
