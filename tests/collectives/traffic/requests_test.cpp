#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "collectives/jobs/requests/requests.hpp"
#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Requests;
using collectives::RequestsSpec;
using collectives::Step;

RequestsSpec ask(std::uint32_t clients, std::uint32_t rounds) {
  RequestsSpec spec;
  spec.clients = clients;
  spec.request = 200_B;
  spec.response = 3_KB;
  spec.rounds = rounds;
  return spec;
}

collectives::ProgramSetting askers(std::uint32_t ranks, std::uint64_t seed = 1) {
  collectives::ProgramSetting setting;
  setting.seed = seed;
  setting.ranks = ranks;
  setting.access_rates.assign(ranks, kRate);
  return setting;
}

std::vector<Picoseconds> round_times(const Requests& program, std::uint32_t client) {
  std::vector<Picoseconds> times;
  for (const Step& step : steps_of(program, client, client)) {
    if (step.kind == Step::Kind::kWaitUntil) times.push_back(step.time());
  }
  return times;
}

// Where no message meets another a round is request, service, response; then the client thinks. The
// last response is acknowledged after the client has it.
TEST(Requests, ARoundIsARequestItsServiceAndItsResponse) {
  RequestsSpec spec = ask(1, 4);
  spec.fan_out = std::nullopt;
  spec.service = 5_us;
  spec.think = 2_us;
  const ZeroLoadRun run(build({job(7, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  const Picoseconds round = message_time(200_B) + 5_us + message_time(3_KB);
  EXPECT_EQ(run.outcome().end, 4 * round + 3 * 2_us + kBack);
  EXPECT_EQ(run.outcome().messages, 4 * 6 * 2);
  EXPECT_EQ(run.outcome().bytes, 24 * 3200_B);
}

TEST(Requests, NobodyWaitsForRoundsThatHaveTheirTimes) {
  RequestsSpec spec = ask(3, 10);
  spec.fan_out = 2;
  spec.period = 1_us;  // far less than a round takes
  const ZeroLoadRun run(build({job(8, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  EXPECT_EQ(run.outcome().end, 9_us + message_time(200_B) + message_time(3_KB) + kBack);
  EXPECT_EQ(run.outcome().messages, 3 * 10 * 2 * 2);
}

// Service takes a server's lane: of one client's requests one after the other.
TEST(Requests, AServerServesTheRequestsOfAClientOneByOne) {
  RequestsSpec spec = ask(2, 10);
  spec.service = 20_us;
  spec.period = 1_us;
  const ZeroLoadRun run(build({job(3, spec)}));
  ASSERT_TRUE(run.executor().finished(0));
  EXPECT_EQ(run.outcome().end, message_time(200_B) + 10 * 20_us + message_time(3_KB) + kBack);
}

TEST(Requests, AServerAnswersOnlyWhatItHasReceived) {
  RequestsSpec spec = ask(4, 20);
  spec.fan_out = 3;
  const Requests program(askers(12), spec);
  for (std::uint32_t server = 4; server < 12; ++server) {
    for (std::uint32_t client = 0; client < 4; ++client) {
      int received = 0;
      int sent = 0;
      for (const Step& step : steps_of(program, server, client)) {
        received += step.kind == Step::Kind::kReceive;
        sent += step.kind == Step::Kind::kSend;
        EXPECT_LE(sent, received);
        if (step.sends()) {
          EXPECT_EQ(step.peer, client);
        }
      }
      EXPECT_EQ(sent, received);
      int asked = 0;
      for (std::uint32_t round = 0; round < 20; ++round) {
        for (const std::uint32_t one : program.asked(client, round)) asked += one == server;
      }
      EXPECT_EQ(received, asked);
    }
  }
}

// 9,000 rounds of 2 of 5 servers: chi-square with 4 degrees of freedom exceeds 18.47 with
// probability 0.001.
TEST(Requests, ServersAreAnyAsLikely) {
  RequestsSpec spec = ask(1, 9000);
  spec.fan_out = 2;
  const Requests program(askers(6), spec);
  std::vector<double> counts(6);
  for (std::uint32_t round = 0; round < 9000; ++round) {
    const auto asked = program.asked(0, round);
    ASSERT_EQ(asked.size(), 2U);
    for (const std::uint32_t server : asked) counts[server] += 1;
  }
  EXPECT_EQ(counts[0], 0);
  double chi_square = 0;
  for (std::uint32_t s = 1; s < 6; ++s) chi_square += std::pow(counts[s] - 3600, 2) / 3600;
  EXPECT_LT(chi_square, 18.47);
}

// A load of 0.5 of 1 byte/ns; 4 responses of 3 kB are 24 us, as requests are less. Staggered
// clients begin at any time within the period; Poisson gaps have a mean of a period, known to 1 /
// sqrt(n).
TEST(Requests, ComeAtTheirLoad) {
  RequestsSpec spec = ask(30, 1000);
  spec.fan_out = 4;
  spec.load = 0.5;
  const Requests together(askers(40), spec);
  EXPECT_EQ(round_times(together, 3).back(), 999 * 24_us);
  EXPECT_EQ(round_times(together, 7).front(), 0_ps);
  spec.arrivals = RequestsSpec::Arrivals::kStaggered;
  const Requests staggered(askers(40), spec);
  std::set<Picoseconds> phases;
  for (std::uint32_t client = 0; client < 30; ++client) {
    const auto times = round_times(staggered, client);
    EXPECT_LT(times.front(), 24_us);
    EXPECT_EQ(times.back() - times.front(), 999 * 24_us);
    phases.insert(times.front());
  }
  EXPECT_EQ(phases.size(), 30U);
  spec.arrivals = RequestsSpec::Arrivals::kPoisson;
  const Requests poisson(askers(40), spec);
  double sum = 0;
  for (std::uint32_t client = 0; client < 30; ++client) {
    sum += static_cast<double>(round_times(poisson, client).back().count());
  }
  EXPECT_NEAR(sum / 30 / 1000, 24e6, 3 * 24e6 / std::sqrt(30'000.0));
}

TEST(Requests, ResponsesAreDrawnAlikeAtBothEnds) {
  RequestsSpec spec = ask(3, 50);
  spec.fan_out = 2;
  spec.responses = collectives::published_sizes("fb-hadoop");
  const Requests program(askers(9), spec);
  Bytes sent;
  Bytes received;
  for (std::uint32_t rank = 0; rank < 9; ++rank) {
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
      for (const Step& step : steps_of(program, rank, lane)) {
        if (rank < 3 && step.kind == Step::Kind::kReceive) received += step.bytes();
        if (rank >= 3 && step.kind == Step::Kind::kSend) sent += step.bytes();
      }
    }
  }
  EXPECT_EQ(sent, received);
  EXPECT_NE(sent, 300 * 3_KB);
}

TEST(Requests, SameSeedSameServers) {
  RequestsSpec spec = ask(2, 30);
  const Requests one(askers(9), spec);
  const Requests same(askers(9), spec);
  const Requests other(askers(9, 2), spec);
  bool differs = false;
  for (std::uint32_t round = 0; round < 30; ++round) {
    EXPECT_EQ(one.asked(1, round), same.asked(1, round));
    differs = differs || one.asked(1, round) != other.asked(1, round);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace weft::testing
