#include "collectives/steps/relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collectives/zero_load_run.hpp"

namespace weft::testing {
namespace {

using collectives::Step;
using collectives::Workload;
using ::testing::ElementsAre;

constexpr Bytes kChunk = 1000_B;

/// Messages from one host to another go by way of hosts.
using Ways = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>;

Workload relayed(Workload workload, const Ways& ways) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<HostId>> relays;
  for (const auto& [ends, hosts] : ways) {
    for (const std::uint32_t host : hosts) relays[ends].emplace_back(host);
  }
  workload.relay(
      [&relays](HostId from, HostId to) {
        const auto found = relays.find({from.value(), to.value()});
        return found == relays.end() ? Workload::RelayHosts{}
                                     : Workload::RelayHosts{.hosts = found->second};
      },
      kChunk);
  return workload;
}

/// A message that the network was given: hosts, which number its processes as well.
struct Post {
  std::uint32_t from;
  std::uint32_t to;
  std::int64_t size;
  Picoseconds time;
  bool operator==(const Post&) const = default;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for it by name
void PrintTo(const Post& p, std::ostream* out) {
  *out << p.from << "->" << p.to << " " << p.size << " B at " << p.time.count() << " ps";
}

/// On a network that takes 1 us for every message and sends one after the other on a connection,
/// each 1 us after the one before it. The acknowledgement comes `kBack` (1 us) after the message.
class RelayRun {
 public:
  explicit RelayRun(Workload workload, std::optional<Picoseconds> until = {})
      : workload_(std::move(workload)), executor_(workload_) {
    std::map<ConnectionId, Picoseconds> free_at;
    const auto delay = [&](ConnectionId id, Bytes size, Picoseconds now) {
      const Connection& c = workload_.connections()[id.value()];
      posts.push_back({c.source.value(), c.destination.value(), size.count(), now});
      Picoseconds& free = free_at[id];
      free = std::max(free, now) + 1_us;
      return ZeroLoadNetwork::Delay{free - now, free - now + kBack};
    };
    ZeroLoadNetwork network(workload_.process_hosts().size(), workload_.connections(),
                            ZeroLoadNetwork::TimedDelayOf(delay), kControl);
    network.run(executor_, until);
  }
  RelayRun(const RelayRun&) = delete;
  RelayRun& operator=(const RelayRun&) = delete;

  [[nodiscard]] std::vector<Post> between(std::uint32_t from, std::uint32_t to) const {
    std::vector<Post> found;
    for (const Post& p : posts) {
      if (p.from == from && p.to == to) found.push_back(p);
    }
    return found;
  }
  [[nodiscard]] collectives::JobOutcome outcome() const { return executor_.outcome(0); }
  [[nodiscard]] std::vector<std::string> blocked() const {
    return executor_.describe_blocked(
        [](HostId host) { return "h" + std::to_string(host.value()); });
  }

  std::vector<Post> posts;

 private:
  Workload workload_;
  collectives::Executor executor_;
};

// Chunks of 1000, 1000 and 500 B are at the relay at 1, 2 and 3 us, and at the receiver 1 us later.
TEST(Relay, CutsAMessageIntoChunksThatItSendsOnAsTheyCome) {
  const RelayRun run(relayed(
      written({{{Step::send(1, 2500_B)}}, {{Step::receive(0, 2500_B)}}, {{}}}), {{{0, 1}, {2}}}));
  EXPECT_THAT(run.posts,
              ElementsAre(Post{0, 2, 1000, 0_ps}, Post{0, 2, 1000, 0_ps}, Post{0, 2, 500, 0_ps},
                          Post{2, 1, 1000, 1_us}, Post{2, 1, 1000, 2_us}, Post{2, 1, 500, 3_us}));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.outcome().end, 4_us);
  EXPECT_EQ(run.outcome().messages, 1) << "of the rank, not of the network";
  EXPECT_EQ(run.outcome().bytes, 2500_B);
}

// Two chunks, one and one: on the second leg chunk i arrives at i + 2 us, so that the messages are
// whole at 3, 4 and 5 us. The receiver says so by answers of its own, which go straight.
TEST(Relay, DeliversMessagesWholeAndInOrder) {
  const RelayRun run(
      relayed(written({{{Step::send(1, 2000_B), Step::send(1, 300_B), Step::send(1, 1000_B)}},
                       {{Step::receive(0, 2000_B), Step::send(0, 1_B), Step::receive(0, 300_B),
                         Step::send(0, 2_B), Step::receive(0, 1000_B), Step::send(0, 3_B)}},
                       {{}}}),
              {{{0, 1}, {2}}}));
  EXPECT_THAT(run.between(2, 1), ElementsAre(Post{2, 1, 1000, 1_us}, Post{2, 1, 1000, 2_us},
                                             Post{2, 1, 300, 3_us}, Post{2, 1, 1000, 4_us}));
  EXPECT_THAT(run.between(1, 0),
              ElementsAre(Post{1, 0, 1, 3_us}, Post{1, 0, 2, 4_us}, Post{1, 0, 3, 5_us}));
}

// The third chunk is at the relay at 3 us, its acknowledgement back at 4 us.
TEST(Relay, AcknowledgesAMessageOnceAllOfItIsAtTheRelay) {
  const RelayRun run(relayed(written({{{Step::send(1, 2500_B), Step::flush(), Step::send(2, 7_B)}},
                                      {{Step::receive(0, 2500_B)}},
                                      {{Step::receive(0, 7_B)}}}),
                             {{{0, 1}, {2}}}));
  EXPECT_EQ(run.posts.size(), 7U);
  EXPECT_EQ(run.posts.back(), (Post{0, 2, 7, 4_us}));
  EXPECT_TRUE(run.outcome().is_finished);
}

class OneAtATime final : public collectives::JobProgram, public collectives::TransferCosts {
 public:
  explicit OneAtATime(WrittenProgram::Steps steps) : written_(std::move(steps)) {}
  [[nodiscard]] bool needs_acknowledgements() const override { return true; }
  [[nodiscard]] const TransferCosts& transfers() const override { return *this; }
  [[nodiscard]] std::uint32_t window(collectives::LanePlace) const override { return 1; }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(collectives::LanePlace place) const override {
    return written_.send_peers(place);
  }
  [[nodiscard]] std::unique_ptr<collectives::StepSource> steps(
      collectives::LanePlace place) const override {
    return written_.steps(place);
  }

 private:
  WrittenProgram written_;
};

// A window of one message: the second goes when both chunks of the first are acknowledged, at 3 us.
TEST(Relay, WindowsCountMessagesNotChunks) {
  Workload workload;
  const WrittenProgram::Steps steps = {{{Step::send(1, 2000_B), Step::send(1, 2000_B)}},
                                       {{Step::receive(0, 2000_B), Step::receive(0, 2000_B)}},
                                       {{}}};
  ASSERT_TRUE(
      workload.add_job("windowed", 0_ps, hosts(3), std::make_unique<OneAtATime>(steps), true)
          .empty());
  const RelayRun run(relayed(std::move(workload), {{{0, 1}, {2}}}));
  EXPECT_THAT(run.between(0, 2), ElementsAre(Post{0, 2, 1000, 0_ps}, Post{0, 2, 1000, 0_ps},
                                             Post{0, 2, 1000, 3_us}, Post{0, 2, 1000, 3_us}));
  EXPECT_TRUE(run.outcome().is_finished);
}

// Rank 2 forwards, and has messages of its own from the same sender and to the same receiver. Its
// own receive must not take a chunk for rank 1, nor rank 1 a chunk for what rank 2 sends.
TEST(Relay, KeepsWhatItForwardsApartFromItsOwn) {
  const RelayRun run(
      relayed(written({{{Step::send(1, 2000_B), Step::delay(9_us), Step::send(2, 10_B)}},
                       {{Step::receive(2, 20_B), Step::send(0, 1_B), Step::receive(0, 2000_B),
                         Step::send(0, 2_B)}},
                       {{Step::receive(0, 10_B), Step::send(1, 20_B)}}}),
              {{{0, 1}, {2}}}));
  EXPECT_TRUE(run.outcome().is_finished);
  // 10 B arrive at 10 us; 20 B at 11 us. What was forwarded has been there since 3 us.
  EXPECT_THAT(run.between(1, 0), ElementsAre(Post{1, 0, 1, 11_us}, Post{1, 0, 2, 11_us}));
}

// Each lane has a relayed connection of its own, with sizes of its own.
TEST(Relay, LanesDoNotMix) {
  const RelayRun run(relayed(written({{{Step::send(1, 1500_B)}, {Step::send(1, 2700_B)}},
                                      {{Step::receive(0, 1500_B)}, {Step::receive(0, 2700_B)}},
                                      {{}, {}}}),
                             {{{0, 1}, {2}}}));
  EXPECT_TRUE(run.outcome().is_finished);
  std::map<std::int64_t, int> sizes;
  for (const Post& p : run.between(2, 1)) ++sizes[p.size];
  EXPECT_EQ(sizes, (std::map<std::int64_t, int>{{1000, 3}, {700, 1}, {500, 1}}));
  EXPECT_EQ(run.outcome().end, 4_us) << "the three chunks of lane 1";
}

// Rank 2 starts a job of its own elsewhere: a relay must have a rank of the job, so the second host
// that is offered forwards; and where none has one, the message goes straight.
TEST(Relay, IsARankOfTheJob) {
  const RelayRun second(relayed(written({{{Step::send(1, 1_B)}}, {{Step::receive(0, 1_B)}}, {{}}}),
                                {{{0, 1}, {9, 2}}}));
  EXPECT_THAT(second.posts, ElementsAre(Post{0, 2, 1, 0_ps}, Post{2, 1, 1, 1_us}));
  const RelayRun none(
      relayed(written({{{Step::send(1, 1_B)}}, {{Step::receive(0, 1_B)}}, {{}}}), {{{0, 1}, {9}}}));
  EXPECT_THAT(none.posts, ElementsAre(Post{0, 1, 1, 0_ps}));
}

TEST(Relay, ReportsNameTheRanksAtTheEnds) {
  const RelayRun run(
      relayed(written({{{Step::send(1, 1_B), Step::flush()}}, {{Step::receive(0, 1_B)}}, {{}}}),
              {{{0, 1}, {2}}}),
      1_us);
  EXPECT_THAT(run.blocked(),
              ElementsAre("rank 0 of job written (h0) waits for the acknowledgement of a message "
                          "to rank 1 (h1)",
                          "rank 1 of job written (h1) waits for a message from rank 0 (h0)"));
}

// The log of sizes grows by blocks of seven, and all of it is released however long it is.
TEST(Relay, KeepsTrackOfAnyNumberOfMessages) {
  std::vector<Step> sends;
  std::vector<Step> receives;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    sends.push_back(Step::send(1, Bytes(1 + i % 1500)));
    receives.push_back(Step::receive(0, Bytes(1 + i % 1500)));
  }
  const RelayRun run(relayed(written({{sends}, {receives}, {{}}}), {{{0, 1}, {2}}}));
  EXPECT_TRUE(run.outcome().is_finished);
  const std::vector<Post> first = run.between(0, 2);
  const std::vector<Post> second = run.between(2, 1);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i].size, second[i].size) << i;
}

// 2500 B twice and 300 B: four full chunks, two of 500 B, one of 300 B, on both legs.
TEST(Relay, BothLegsCountAsTransfers) {
  const Workload workload = relayed(
      written({{{Step::send(1, 2500_B), Step::send(1, 300_B), Step::send(1, 2500_B)}},
               {{Step::receive(0, 2500_B), Step::receive(0, 300_B), Step::receive(0, 2500_B)}},
               {{}}}),
      {{{0, 1}, {2}}});
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::int64_t> seen;
  collectives::for_each_transfer(workload, 0, [&](ConnectionId id, Bytes size, std::int64_t count) {
    const Connection& c = workload.connections()[id.value()];
    seen[{c.source.value(), c.destination.value(), size.count()}] += count;
  });
  const decltype(seen) expected = {{{0, 2, 1000}, 4}, {{0, 2, 500}, 2}, {{0, 2, 300}, 1},
                                   {{2, 1, 1000}, 4}, {{2, 1, 500}, 2}, {{2, 1, 300}, 1}};
  EXPECT_EQ(seen, expected);
}

// Two domains of four: of 8 * 4 messages to the other domain, those to the same place (8) go
// straight; the other 24, of two chunks, take four messages each. 8 * 3 stay inside.
TEST(Relay, AllToAllOfTwoDomainsEnds) {
  Ways ways;
  for (std::uint32_t a = 0; a < 8; ++a) {
    for (std::uint32_t b = 0; b < 8; ++b) {
      if (a / 4 != b / 4 && a % 4 != b % 4) ways[{a, b}] = {a / 4 * 4 + b % 4};
    }
  }
  const RelayRun run(relayed(build({job(8, all_to_all(2000_B, 3))}), ways));
  EXPECT_TRUE(run.outcome().is_finished);
  EXPECT_EQ(run.posts.size(), 3U * (8 + 24 + 24 * 4));
  EXPECT_EQ(run.outcome().messages, 3 * 8 * 7);
}

}  // namespace
}  // namespace weft::testing
