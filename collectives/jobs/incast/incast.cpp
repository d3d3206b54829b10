#include "collectives/jobs/incast/incast.hpp"

#include <string>
#include <utility>

#include "simcore/fabric/limits.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

namespace {

constexpr std::uint64_t kMaxRounds = 1'000'000;

}  // namespace

schema::Object<IncastSpec> Incast::schema() {
  return schema::describe<IncastSpec>("in-cast", "many senders, one receiver")
      .field("senders", &IncastSpec::senders, "how many ranks send; the job has one rank more")
      .source("all ranks but the receiver")
      .range(1, kMaxHosts - 1)
      .field("receiver", &IncastSpec::receiver, "rank that receives")
      .source("the first rank")
      .field("size", &IncastSpec::size, "per sender and round")
      .required()
      .at_least(1_B)
      .at_most(kMaxMessage)
      .field("rounds", &IncastSpec::rounds,
             "a round begins when the receiver has all of the last one")
      .source("one in-cast")
      .range(1, kMaxRounds)
      .field("jitter", &IncastSpec::jitter, "each sender starts a round at random within it")
      .source("all at once, the hardest case");
}

std::optional<RankDemand> Incast::rank_demand(const Spec& spec) {
  if (!spec.senders) return std::nullopt;
  const std::size_t ranks = std::size_t{*spec.senders} + 1;
  return RankDemand{ranks, "senders",
                    "is " + std::to_string(*spec.senders) + ", which with the receiver makes " +
                        std::to_string(ranks) + " ranks"};
}

void Incast::check(const Spec& spec, std::uint32_t ranks, Problems& problems) {
  check_rank(spec.receiver, ranks, "receiver", problems);
}

std::uint64_t Incast::most_connections(const Spec& /*spec*/, std::uint32_t ranks) { return ranks; }

SendBound Incast::bound(const Spec& spec, const BoundSetting& setting) {
  const double messages = (setting.ranks - 1.0) * spec.rounds;
  return {messages, messages, static_cast<double>(spec.rounds),
          static_cast<double>(spec.rounds) * static_cast<double>(spec.size.count())};
}

class Incast::Sender final : public StepSource {
 public:
  Sender(const Incast& program, std::uint32_t rank)
      : program_(program), jitter_(program.setting_.random(Purpose::kStartJitter, rank)) {}

  bool next(Step& step) override {
    const IncastSpec& spec = program_.spec_;
    switch (phase_) {
      case Phase::kDelay: {
        phase_ = Phase::kSend;
        const auto range = static_cast<std::uint64_t>(spec.jitter.count());
        step = Step::delay(
            Picoseconds(range == 0 ? 0 : static_cast<std::int64_t>(jitter_.below(round_, range))));
        return true;
      }
      case Phase::kSend:
        step = Step::send(spec.receiver, spec.size);
        ++round_;
        phase_ = round_ < spec.rounds ? Phase::kAwait : Phase::kFlush;
        return true;
      case Phase::kAwait:
        phase_ = Phase::kDelay;
        step = Step::await_signals(1);
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
  RandomStream jitter_;
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
      is_receiving_ = !is_receiving_;
    }
    if (round_ == spec.rounds) return false;
    step = is_receiving_ ? Step::receive(peer_, spec.size) : Step::signal(peer_);
    ++peer_;
    return true;
  }

 private:
  const Incast& program_;
  std::uint32_t round_ = 0;
  std::uint32_t peer_ = 0;
  bool is_receiving_ = true;
};

Incast::Incast(ProgramSetting setting, const IncastSpec& spec)
    : setting_(std::move(setting)), spec_(spec) {}

std::vector<std::uint32_t> Incast::send_peers(LanePlace place) const {
  if (place.rank == spec_.receiver) return {};
  return {spec_.receiver};
}

std::unique_ptr<StepSource> Incast::steps(LanePlace place) const {
  if (place.rank == spec_.receiver) return std::make_unique<Receiver>(*this);
  return std::make_unique<Sender>(*this, place.rank);
}

}  // namespace weft::collectives
