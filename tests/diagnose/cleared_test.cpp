// Runs of some of the servers, in packets: one that is as expected clears what it used. The fault
// is a NIC at 0.45 of its rate, which the closed form knows nothing of; the seed is another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/diagnose/planted.hpp"

namespace weft::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Servers = std::vector<std::uint32_t>;

const planted::Cluster kPlanted{.servers = 4, .gpus = 2, .leaves = 2, .spines = 2, .links = 2};

/// What runs on parts of a cluster measure that has one slow NIC.
class SubsetRuns {
 public:
  explicit SubsetRuns(const std::string& slow)
      : real_(Simulator::of_text(real_text(), "real.yaml",
                                 {"faults=[{type: link-rate, from: " + slow + ", rate: 180Gbps}]"},
                                 Twin::kAsFound)
                  .value()) {}

  /// `names`: of the hosts in the log, by server; empty: the log does not say them.
  void add(const Servers& servers, const std::vector<std::string>& names) {
    evidence::Series series{.operation = "all-reduce", .type = "float"};
    Call call{};
    for (const std::uint32_t s : servers) {
      const auto& own = real_.places().servers[s];
      call.hosts.insert(call.hosts.end(), own.hosts.begin(), own.hosts.end());
      if (!names.empty()) series.on.hosts.push_back(names[s]);
    }
    series.on.ranks = static_cast<std::uint32_t>(call.hosts.size());
    for (const int mebibytes : {1, 4, 16, 64}) {
      call.size = Bytes(std::int64_t{mebibytes} << 20U);
      series.times.push_back({call.size.count(), 1.03 * real_.run(call).value().time_us});
    }
    measured_.series.push_back(std::move(series));
  }
  void add(const Servers& servers) {
    std::vector<std::string> names;
    for (const ServerPlace& server : real_.places().servers) names.push_back(server.name);
    add(servers, names);
  }

  [[nodiscard]] Diagnosis diagnosis() const {
    Simulator healthy =
        Simulator::of_text(kPlanted.text(), "planted.yaml", {}, Twin::kHealthy).value();
    return diagnose(healthy, measured_, nullptr, {.confirms_by_packets = false}).value();
  }

 private:
  static std::string real_text() {
    planted::Cluster real = kPlanted;
    real.seed = 77;
    return real.text();
  }

  Simulator real_;
  evidence::Measurements measured_;
};

/// Places that are called a slow NIC, or may be one.
std::vector<std::string> nics_in(const Diagnosis& d) {
  std::vector<std::string> all;
  for (const auto* causes : {&d.culprits, &d.undecided}) {
    for (const Culprit& c : *causes) {
      if (c.kind == "slow-nic") all.insert(all.end(), c.places.begin(), c.places.end());
    }
  }
  return all;
}

TEST(Cleared, ARunOfAllServersAloneSuspectsEveryNic) {
  SubsetRuns runs("gpu5");
  runs.add({0, 1, 2, 3});
  const Diagnosis d = runs.diagnosis();
  EXPECT_EQ(d.verdict, Verdict::kSlower);
  EXPECT_EQ(nics_in(d).size(), 8U) << to_text(d);
  EXPECT_THAT(d.cleared, IsEmpty());
}

TEST(Cleared, ARunThatIsAsExpectedClearsItsServers) {
  SubsetRuns runs("gpu5");
  runs.add({0, 1, 2, 3});
  runs.add({0, 1});
  const Diagnosis d = runs.diagnosis();
  EXPECT_EQ(d.verdict, Verdict::kSlower) << to_text(d);
  EXPECT_THAT(nics_in(d), UnorderedElementsAre("gpu4", "gpu5", "gpu6", "gpu7")) << to_text(d);
  ASSERT_EQ(d.cleared.size(), 1U) << to_text(d);
  EXPECT_THAT(d.cleared.front().places, ElementsAre("server0", "server1"));
  EXPECT_EQ(d.cleared.front().by, "all-reduce of 4 ranks on server0 and server1");
  EXPECT_GT(d.cleared.front().longer, 1.5);
  EXPECT_THAT(to_text(d), HasSubstr("cleared: all NICs of server0 and server1, by all-reduce of 4 "
                                    "ranks on server0 and server1: "));
  const auto json = to_json(d);
  EXPECT_EQ(json["cleared"][0]["place"], (nlohmann::ordered_json{"server0", "server1"}));
  EXPECT_EQ(json["cleared"][0]["by"], d.cleared.front().by);
  // Collisions and thresholds are left, too, which perftest alone on a rail would not show.
  EXPECT_THAT(d.next_measurement, HasSubstr("on every pair of the 4 servers alone"));
  EXPECT_EQ(json["next_commands"][0]["command"], "all_reduce_perf -b 1G -e 1G");
  // Not one of all NICs is slow at once, where two of four servers are well.
  for (const Culprit& c : d.undecided) EXPECT_NE(c.kind, "all-nics") << to_text(d);
}

// Each run without the slow server leaves fewer: three of them leave one server.
TEST(Cleared, RunsOfSubsetsNarrowDownToTheServer) {
  SubsetRuns runs("gpu5");
  runs.add({0, 1, 2, 3});
  runs.add({0, 1});
  runs.add({0, 3});
  runs.add({0, 2});
  const Diagnosis d = runs.diagnosis();
  EXPECT_THAT(nics_in(d), UnorderedElementsAre("gpu4", "gpu5")) << to_text(d);
  std::vector<std::string> cleared;
  for (const Cleared& c : d.cleared)
    cleared.insert(cleared.end(), c.places.begin(), c.places.end());
  EXPECT_THAT(cleared, UnorderedElementsAre("server0", "server1", "server3")) << to_text(d);
}

// The other way round: a slow run of two servers, and all others are cleared by the one without.
TEST(Cleared, SlowRunsOfTwoServersAgreeWithTheRestThatIsWell) {
  SubsetRuns runs("gpu1");
  runs.add({0, 1});
  runs.add({2, 3});
  runs.add({1, 2});
  const Diagnosis d = runs.diagnosis();
  EXPECT_THAT(nics_in(d), UnorderedElementsAre("gpu0", "gpu1")) << to_text(d);
}

// A host is the same server in all logs, though the cluster knows none of their names.
TEST(Cleared, HostsOfOtherNamesAreTheSameServersInAllLogs) {
  SubsetRuns runs("gpu1");
  const std::vector<std::string> names{"n1", "n2", "n3", "n4"};
  runs.add({0, 1, 2, 3}, names);
  runs.add({2, 3}, names);
  const Diagnosis d = runs.diagnosis();
  EXPECT_THAT(nics_in(d), UnorderedElementsAre("gpu0", "gpu1", "gpu2", "gpu3")) << to_text(d);
}

// A log that does not say where it ran clears nobody.
TEST(Cleared, ARunOnServersThatAreAGuessClearsNobody) {
  SubsetRuns runs("gpu1");
  runs.add({0, 1, 2, 3});
  runs.add({2, 3}, {});
  const Diagnosis d = runs.diagnosis();
  EXPECT_THAT(d.cleared, IsEmpty()) << to_text(d);
  EXPECT_THAT(to_text(d), HasSubstr("does not say where its 4 ranks ran"));
  EXPECT_THAT(to_text(d), Not(HasSubstr("cleared")));
}

}  // namespace
}  // namespace weft::diagnose
