// `weft run --blame`, `weft explain` and `weft run --without` as a user meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace weft::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A ring of eight in which rank 5 begins 300 us late.
constexpr const char* kLateRing = R"(
name: late
racks: {count: 2, servers: 4, server: host-400g}
fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}
transport: {type: roce, congestion_control: none}
jobs:
  - {name: ring, type: all-reduce, algorithm: ring, size: 1MiB, stragglers: [{ranks: 5, late: 300us}]}
)";

class ExplainCli : public ::testing::Test {
 protected:
  ExplainCli() { std::ofstream(weft_.path("late.yaml")) << kLateRing; }

  [[nodiscard]] Finished run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"run", "late.yaml", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return weft_.run(arguments);
  }

  Program weft_{"weft explain"};
};

TEST_F(ExplainCli, NamesTheLateRank) {
  ASSERT_EQ(run({"--blame", "--out", "a"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "a"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith("ring: "));
  EXPECT_THAT(said.out, HasSubstr("straggler: waits for rank 5 (h5)"));
}

// Times and differences are exact to the picosecond, and those of a job add up to its own.
TEST_F(ExplainCli, SaysByWhatTwoRunsDiffer) {
  ASSERT_EQ(run({"--blame", "--out", "a"}).exit_code, 0);
  ASSERT_EQ(run({"--blame", "--out", "b", "--without", "stragglers"}).exit_code, 0);
  const Finished text = weft_.run({"explain", "a", "b"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("-300 us  straggler: rank 5 (h5)"));
  const Finished json = weft_.run({"explain", "a", "b", "--json"});
  std::int64_t sum = 0;
  const auto parsed = nlohmann::json::parse(json.out);
  for (const auto& d : parsed.at("differences")) {
    std::string digits = d.at("difference_seconds").get<std::string>();
    std::erase(digits, '.');
    sum += std::stoll(digits);
  }
  const auto jct = [this](const std::string& folder) {
    std::ifstream in(weft_.path(folder) / "summary.json");
    return nlohmann::json::parse(in).at("jobs").at(0).at("jct_seconds").get<double>();
  };
  EXPECT_NEAR(static_cast<double>(sum), (jct("b") - jct("a")) * 1e12, 1.0);
}

TEST_F(ExplainCli, VerifiesWhatIsBlamed) {
  ASSERT_EQ(run({"--blame", "--out", "a"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "a", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("without stragglers:\n  ring: "));
  EXPECT_THAT(said.out, HasSubstr("less; blamed for 300 us\n"));
}

// What waits for a slow link shows as pauses, queueing or congestion control elsewhere: the link is
// named, and runs without it show what it costs.
TEST_F(ExplainCli, NamesTheSlowLink) {
  const std::string ring = "jobs: [{name: ring, type: all-reduce, algorithm: ring, size: 4MiB}]\n";
  const std::string fabric = "fabric: {topology: leaf-spine, spines: 4, switch: spectrum-4}\n";
  const std::string racks = "racks: {count: 2, servers: 4, server: host-400g}\n";
  const std::string plain = "transport: {type: roce, congestion_control: none}\n";
  const std::string change = "links: {changes: [{from: h5, rate: 100Gbps}]}\n";
  for (const std::string& text :
       {racks + plain + change, racks + change,
        racks + plain + "faults: [{type: link-rate, from: h5, rate: 100Gbps}]\n",
        plain + "racks: [{count: 1, servers: 5, server: host-400g}, {count: 1, servers: 1, server: "
                "{nics: 1, nic: {part: connectx-7, rate: 100Gbps}}}]\n"}) {
    std::ofstream(weft_.path("slow.yaml")) << "name: slow\n" << text << fabric << ring;
    const Finished ran = weft_.run({"run", "slow.yaml", "--blame", "--out", "a"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, ContainsRegex("\n +leaf[^ ]*->h5 [^\n]* 100 Gbps +(9[0-9]|100)"));
    const Finished said = weft_.run({"explain", "a", "--verify"});
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, ContainsRegex("Slow links? [^\n]*->h5 \\(100 Gbps instead of 400 Gbps"));
    EXPECT_THAT(said.out, ContainsRegex("without slow-links:\n  ring: [0-9.]+ us instead of"));
    EXPECT_THAT(weft_.run({"explain", "a", "--json"}).out,
                HasSubstr("\"usual_rate_bps\": 400000000000"));
  }
}

// A removal that cannot be tried is said and passed over; one that saves nothing says so.
TEST_F(ExplainCli, SaysWhatCannotBeTakenOut) {
  std::ofstream(weft_.path("datagrams.yaml"))
      << "name: d\nracks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "transport: {type: datagram}\njobs: [{name: p, type: permutation, size: 1MB}]\n";
  ASSERT_EQ(weft_.run({"run", "datagrams.yaml", "--quiet", "--blame", "--out", "d"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "d", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("without collisions: cannot be tried: `transport` is datagram"));
  const Finished run = weft_.run({"run", "datagrams.yaml", "--without", "collisions"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--without: `transport` is datagram"));
}

TEST_F(ExplainCli, SaysHowToFindBlame) {
  ASSERT_EQ(run({"--out", "plain"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "plain"});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.err, HasSubstr("`weft run SCENARIO --blame --out plain`"));
  const Finished nothing = weft_.run({"explain", "nowhere"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nowhere: is no folder that `weft run` wrote"));
}

TEST_F(ExplainCli, RefusesWhatCannotBeTakenOut) {
  const Finished unknown = run({"--without", "straglers"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean `stragglers`?"));
  const Finished absent = run({"--without", "link-failures"});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("has no link-failures"));
}

// A file that somebody else wrote is named with the line that makes no sense.
TEST_F(ExplainCli, NamesTheLineThatIsNoBlame) {
  ASSERT_EQ(run({"--blame", "--out", "a"}).exit_code, 0);
  std::ofstream(weft_.path("a") / "blame.csv", std::ios::app) << "ring,0,compute,rank,x,soon,\n";
  const Finished said = weft_.run({"explain", "a"});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(said.err, HasSubstr("blame.csv:"));
  EXPECT_THAT(said.err, HasSubstr("is not a row of blame.csv"));
}

}  // namespace
}  // namespace weft::testing
