#include "collectives/jobs/requests/requests.hpp"

#include <algorithm>
#include <utility>

#include "collectives/jitter/exponential.hpp"
#include "collectives/traffic/load.hpp"
#include "collectives/traffic/members.hpp"
#include "simcore/base/check.hpp"

namespace weft::collectives {

/// What a client does in its lane: asks, and waits for responses, or for all of them at the end
/// where rounds have their times.
class Requests::Client final : public StepSource {
 public:
  Client(const Requests& program, std::uint32_t rank)
      : program_(program),
        rank_(rank),
        period_(program.spec_.is_timed() ? program.period_of(rank) : Picoseconds()),
        arrivals_(program.setting_.random(Purpose::kArrival, rank)) {}

  bool next(Step& step) override {
    while (left_.empty()) {
      if (round_ == program_.spec_.rounds) {
        if (is_collecting_ || !program_.spec_.is_timed()) break;
        is_collecting_ = true;
        round_ = 0;
      }
      plan();
      ++round_;
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
  /// The steps of a round, in reverse.
  void plan() {
    const RequestsSpec& spec = program_.spec_;
    const std::vector<std::uint32_t> servers = program_.asked(rank_, round_);
    if (!is_collecting_) {
      if (spec.is_timed()) {
        left_.push_back(Step::wait_until(next_time()));
      } else if (round_ > 0 && spec.think > Picoseconds()) {
        left_.push_back(Step::delay(spec.think));
      }
      for (const std::uint32_t server : servers) {
        left_.push_back(Step::send(server, spec.request));
      }
    }
    if (is_collecting_ || !spec.is_timed()) {
      for (const std::uint32_t server : servers) {
        left_.push_back(Step::receive(server, program_.response_of(rank_, round_, server)));
      }
    }
    std::ranges::reverse(left_);
  }

  Picoseconds next_time() {
    switch (program_.spec_.arrivals) {
      case RequestsSpec::Arrivals::kTogether:
        return round_ * period_;
      case RequestsSpec::Arrivals::kStaggered: {
        const std::uint64_t phase = arrivals_.below(0, static_cast<std::uint64_t>(period_.count()));
        return Picoseconds(static_cast<std::int64_t>(phase)) + round_ * period_;
      }
      case RequestsSpec::Arrivals::kPoisson:
        return last_ += exponential(period_, arrivals_.bits(round_));
    }
    return {};
  }

  const Requests& program_;
  std::uint32_t rank_;
  Picoseconds period_;
  RandomStream arrivals_;
  Picoseconds last_;
  std::uint32_t round_ = 0;
  bool is_collecting_ = false;
  bool has_flushed_ = false;
  std::vector<Step> left_;
};

/// What a server does in the lane of a client.
class Requests::Server final : public StepSource {
 public:
  Server(const Requests& program, LanePlace place)
      : program_(program), rank_(place.rank), client_(place.lane) {
    find();
  }

  bool next(Step& step) override {
    const RequestsSpec& spec = program_.spec_;
    switch (phase_) {
      case Phase::kReceive:
        step = Step::receive(client_, spec.request);
        phase_ = spec.service > Picoseconds() ? Phase::kServe : Phase::kAnswer;
        return true;
      case Phase::kServe:
        step = Step::delay(spec.service);
        phase_ = Phase::kAnswer;
        return true;
      case Phase::kAnswer:
        step = Step::send(client_, program_.response_of(client_, round_, rank_));
        ++round_;
        find();
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
  enum class Phase : std::uint8_t { kReceive, kServe, kAnswer, kFlush, kEnd };

  /// The next round in which it is asked.
  void find() {
    round_ = program_.next_round(client_, rank_, round_);
    phase_ = round_ < program_.spec_.rounds ? Phase::kReceive : Phase::kFlush;
  }

  const Requests& program_;
  std::uint32_t rank_;
  std::uint32_t client_;
  std::uint32_t round_ = 0;
  Phase phase_ = Phase::kFlush;
};

namespace {

/// A client's lane on another client.
class NoSteps final : public StepSource {
 public:
  bool next(Step& /*step*/) override { return false; }
};

}  // namespace

Requests::Requests(ProgramSetting setting, const RequestsSpec& spec)
    : setting_(std::move(setting)), spec_(spec) {
  WEFT_CHECK(!spec.responses || !spec.responses->table.empty(), "sizes have been read");
  keep_rounds();
}

/// Otherwise every server would draw the members of every round of every client for itself, in time
/// by the square of the servers.
void Requests::keep_rounds() {
  constexpr double kMaxKept = 1 << 26;
  if (asks_all() || 1.0 * spec_.clients * spec_.rounds * fan_out() > kMaxKept) return;
  rounds_.resize(spec_.clients);
  for (std::uint32_t client = 0; client < spec_.clients; ++client) {
    std::vector<std::uint32_t> drawn;  // of the first round, of the next one and so on
    drawn.reserve(std::size_t{spec_.rounds} * fan_out());
    for (std::uint32_t round = 0; round < spec_.rounds; ++round) {
      for (const std::uint32_t rank : asked(client, round)) drawn.push_back(rank - spec_.clients);
    }
    Rounds& rounds = rounds_[client];
    rounds.first.resize(std::size_t{servers()} + 1);
    for (const std::uint32_t server : drawn) ++rounds.first[server + 1];
    for (std::size_t s = 1; s < rounds.first.size(); ++s) rounds.first[s] += rounds.first[s - 1];
    rounds.all.resize(drawn.size());
    std::vector<std::uint32_t> next(rounds.first.begin(), rounds.first.end() - 1);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      rounds.all[next[drawn[i]]++] = static_cast<std::uint32_t>(i / fan_out());
    }
  }
}

std::span<const std::uint32_t> Requests::rounds_of(std::uint32_t client,
                                                   std::uint32_t server) const {
  const Rounds& rounds = rounds_[client];
  const std::size_t s = server - spec_.clients;
  return std::span(rounds.all).subspan(rounds.first[s], rounds.first[s + 1] - rounds.first[s]);
}

std::uint32_t Requests::next_round(std::uint32_t client, std::uint32_t server,
                                   std::uint32_t round) const {
  if (asks_all()) return std::min(round, spec_.rounds);
  if (!rounds_.empty()) {
    const auto rounds = rounds_of(client, server);
    const auto found = std::ranges::lower_bound(rounds, round);
    return found == rounds.end() ? spec_.rounds : *found;
  }
  while (round < spec_.rounds && !std::ranges::binary_search(asked(client, round), server)) ++round;
  return round;
}

std::vector<std::uint32_t> Requests::asked(std::uint32_t client, std::uint32_t round) const {
  std::vector<std::uint32_t> members =
      draw_members(fan_out(), servers(), setting_.random(Purpose::kMembers, client),
                   std::uint64_t{round} << 32U);
  for (std::uint32_t& member : members) member += spec_.clients;
  return members;
}

Bytes Requests::response_of(std::uint32_t client, std::uint32_t round, std::uint32_t server) const {
  if (!spec_.responses) return spec_.response;
  const RandomStream random = setting_.random(Purpose::kMessageSize, client);
  return spec_.responses->table.draw(random.bits(std::uint64_t{round} * setting_.ranks + server));
}

Picoseconds Requests::period_of(std::uint32_t client) const {
  if (!spec_.load) return *spec_.period;
  const std::int64_t response = spec_.responses ? spec_.responses->table.mean_in_thousandths()
                                                : spec_.response.count() * 1000;
  const Picoseconds each = time_between(std::max(response, spec_.request.count() * 1000),
                                        *spec_.load, setting_.access_rates[client]);
  // Times of all rounds can be counted, also where gaps are drawn.
  const Picoseconds max = Picoseconds::max() / 64 / spec_.rounds;
  return each < max / fan_out() ? fan_out() * each : max;
}

std::vector<std::uint32_t> Requests::send_peers(LanePlace place) const {
  if (place.rank >= spec_.clients) {
    if (next_round(place.lane, place.rank, 0) == spec_.rounds) return {};
    return {place.lane};
  }
  if (place.rank != place.lane) return {};
  std::vector<bool> is_asked(setting_.ranks, asks_all());
  for (std::uint32_t round = 0; round < spec_.rounds && !asks_all(); ++round) {
    for (const std::uint32_t server : asked(place.rank, round)) is_asked[server] = true;
  }
  std::vector<std::uint32_t> peers;
  for (std::uint32_t rank = spec_.clients; rank < setting_.ranks; ++rank) {
    if (is_asked[rank]) peers.push_back(rank);
  }
  return peers;
}

std::unique_ptr<StepSource> Requests::steps(LanePlace place) const {
  if (place.rank >= spec_.clients) return std::make_unique<Server>(*this, place);
  if (place.rank == place.lane) return std::make_unique<Client>(*this, place.rank);
  return std::make_unique<NoSteps>();
}

}  // namespace weft::collectives
