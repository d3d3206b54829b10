#include "collectives/jobs/incast.hpp"

#include <utility>

namespace weft::collectives {

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

std::vector<std::uint32_t> Incast::send_peers(std::uint32_t rank, std::uint32_t) const {
  if (rank == spec_.receiver) return {};
  return {spec_.receiver};
}

std::unique_ptr<StepSource> Incast::steps(std::uint32_t rank, std::uint32_t) const {
  if (rank == spec_.receiver) return std::make_unique<Receiver>(*this);
  return std::make_unique<Sender>(*this, rank);
}

}  // namespace weft::collectives
