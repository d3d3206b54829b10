// `weft run --blame`, `weft explain` and `weft run --without` as a user meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
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

// The zero-load time has the late rank in it, so that a job of 11 times what it would take without
// looks healthy: who reads it is told, with blame and without.
TEST_F(ExplainCli, NamesLateRanksThatNothingWaitsFor) {
  std::ofstream(weft_.path("both.yaml"))
      << kLateRing << "faults: [{type: nic-pause, host: h2, at: 0us, until: 300us}]\n";
  const Finished plain = weft_.run({"run", "both.yaml", "--out", "p"});
  EXPECT_THAT(plain.out, HasSubstr("  ideal JCT of ring has rank 5 (late by 300 us) in it; "));
  EXPECT_THAT(plain.out, HasSubstr("--blame` says what ring waits for\n"));
  const Finished blamed = weft_.run({"run", "both.yaml", "--blame", "--out", "b"});
  EXPECT_THAT(blamed.out, ::testing::Not(HasSubstr("ideal JCT of ring has")));
  for (const std::string& said : {blamed.out, weft_.run({"explain", "b"}).out}) {
    EXPECT_THAT(said, HasSubstr("  Its zero-load time has rank 5 (late by 300 us) in it, and does "
                                "not show what that costs.\n"));
  }
  const auto parsed = nlohmann::json::parse(weft_.run({"explain", "b", "--json"}).out);
  EXPECT_EQ(parsed.at("jobs").at(0).at("late_ranks"), "rank 5 (late by 300 us)");
  const Finished healthy = weft_.run({"run", "both.yaml", "--out", "h", "--without", "stragglers"});
  EXPECT_THAT(healthy.out, ::testing::Not(HasSubstr("ideal JCT of ring has")));
}

// Pages and the terminal advise the same: frames that links send again cost this job little.
TEST_F(ExplainCli, AdvisesToMendLinksThatCorruptFrames) {
  std::ofstream(weft_.path("errors.yaml"))
      << kLateRing
      << "faults: [{type: bit-errors, from: leaf0, to: spine0, frame_loss_rate: "
         "1e-3, at: 0us, until: forever}]\n";
  const Finished ran = weft_.run({"run", "errors.yaml", "--blame", "--out", "e"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string text = weft_.run({"explain", "e"}).out;
  const std::string cure = "replace the cable between leaf0 and spine0, which corrupts frames";
  EXPECT_THAT(text, HasSubstr(cure));
  EXPECT_THAT(text, HasSubstr("`weft run --without bit-errors` shows what it costs.\n"));
  EXPECT_THAT(ran.out, HasSubstr(cure));
}

// Times and differences are exact to the picosecond, and those of a job add up to its own.
TEST_F(ExplainCli, SaysByWhatTwoRunsDiffer) {
  ASSERT_EQ(run({"--blame", "--out", "a"}).exit_code, 0);
  ASSERT_EQ(run({"--blame", "--out", "b", "--without", "stragglers"}).exit_code, 0);
  const Finished text = weft_.run({"explain", "a", "b"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("-300 us  straggler: rank 5 (h5)"));
  const Finished printed = weft_.run({"explain", "a", "b", "--json"});
  std::int64_t sum = 0;
  const auto parsed = nlohmann::json::parse(printed.out);
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
  EXPECT_THAT(said.out, HasSubstr("without stragglers (jobs[0].stragglers):\n  ring: "));
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
    const std::string link =
        "he (NIC of h5|link between (h5 and leaf[0-9]|leaf[0-9] and h5)) runs at 100 Gbps of 400 "
        "Gbps";
    EXPECT_THAT(said.out, ContainsRegex("\n  T" + link + ": [0-9.]+ % of the time passes there"));
    EXPECT_THAT(said.out,
                ContainsRegex("\n  Try first: mend or replace what is slow \\(t" + link + ", "));
    EXPECT_THAT(said.out,
                ContainsRegex("without slow-links \\(t" + link + "\\):\n  ring: [0-9.]+ us"));
    const auto parsed = nlohmann::json::parse(weft_.run({"explain", "a", "--json"}).out);
    const auto& slow = parsed.at("jobs").at(0).at("slow_links").at(0);
    EXPECT_THAT(slow.at("subject").get<std::string>(),
                ::testing::AnyOf("the NIC of h5", "the link between h5 and leaf1",
                                 "the link between leaf1 and h5"));
    EXPECT_EQ(slow.at("rate_bps"), 100'000'000'000);
    EXPECT_EQ(slow.at("usual_rate_bps"), 400'000'000'000);
    EXPECT_THAT(slow.at("says").get<std::string>(), HasSubstr(" runs at 100 Gbps of 400 Gbps"));
    EXPECT_EQ(parsed.at("jobs").at(0).at("advice").at(0).at("without"), "slow-links");
  }
}

// A cable that is longer than others holds up what crosses it, and nothing that waits in a queue.
TEST_F(ExplainCli, BlamesALongerCableForWhatItTakesLongerAlone) {
  std::ofstream(weft_.path("long.yaml"))
      << "name: long\nracks: {count: 1, servers: 9, server: host-400g}\n"
         "links: {changes: [{from: h0, length: 300m}]}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
         "transport: roce\njobs: [{name: in, type: incast, senders: 8, receiver: 0, size: 4MB}]\n";
  const Finished ran = weft_.run({"run", "long.yaml", "--blame", "--out", "a"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Finished said = weft_.run({"explain", "a"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("Try first: "));
  EXPECT_THAT(said.out, ::testing::Not(HasSubstr("mend or replace what is slow")));
}

// What a scenario has in it is tried first, blamed or not: here a link that is down when nothing
// crosses it, and a job that is in nobody's way.
TEST_F(ExplainCli, VerifiesWhatThePlantedScenarioHasFirst) {
  std::ofstream(weft_.path("planted.yaml"))
      << "name: planted\nracks: {count: 2, servers: 4, server: host-400g}\n"
         "links: {changes: [{from: h3, rate: 50Gbps}]}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "jobs:\n"
         "  - {name: ring, type: all-reduce, algorithm: ring, size: 256KiB}\n"
         "  - {name: other, type: messages, ranks: [h0, h1], list: [{from: 0, to: 1, size: 4KiB}], "
         "start: 5ms}\n"
         "faults: [{type: link-down, from: leaf1, to: spine1, at: 20ms, until: 21ms}]\n";
  ASSERT_EQ(weft_.run({"run", "planted.yaml", "--quiet", "--blame", "--out", "a"}).exit_code, 0);
  const Finished told = weft_.run({"explain", "a"});
  EXPECT_THAT(told.out,
              HasSubstr("The scenario has slow-links (the NIC of h3 runs at 50 Gbps of 400 "
                        "Gbps); link-failures (faults[0] (link-down)): `weft explain a "
                        "--verify` runs without each.\n"));
  const Finished said = weft_.run({"explain", "a", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  std::size_t place = 0;
  for (const char* next :
       {"without slow-links (the NIC of h3 runs at 50 Gbps of 400 Gbps):\n",
        "without link-failures (faults[0] (link-down)):\n",
        "  other and ring: as long as with it, and not blamed on it\n", "without job:ring:\n",
        "without job:other:\n", "ring: most is saved without slow-links, "}) {
    const std::size_t found = said.out.find(next, place);
    ASSERT_NE(found, std::string::npos) << next << said.out;
    place = found;
  }
  const Finished printed = weft_.run({"explain", "a", "--verify", "--json"});
  const auto tries = nlohmann::json::parse(printed.out).at("verification").at("tries");
  ASSERT_GE(tries.size(), 4U);
  EXPECT_EQ(tries.at(0).at("without"), "slow-links");
  EXPECT_EQ(tries.at(1).at("without"), "link-failures");
  const auto& row = tries.at(1).at("jobs").at(1);
  EXPECT_EQ(row.at("job"), "ring");
  EXPECT_EQ(row.at("seconds"), row.at("seconds_without"));
}

// Four pods whose switches hash alike: the second tier repeats the choice of the first. Whoever is
// asked, the answer is the same.
TEST_F(ExplainCli, SaysThatHashesPolariseAsCheckAndTopoDo) {
  std::ofstream(weft_.path("k4.yaml"))
      << "name: k4\n"
         "fabric: {topology: fat-tree, k: 4, server: host-400g, switch: spectrum-4, ecn: none, "
         "hash: {seeds: same}}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n  - {name: perm, type: permutation, size: 64KiB}\n";
  const auto says = HasSubstr(
      "hashes polarise: traffic from h0 to h4 can take 2 of 4 shortest paths, because switches "
      "repeat each other's choices");
  EXPECT_THAT(weft_.run({"check", "k4.yaml"}).out, says);
  EXPECT_THAT(weft_.run({"topo", "k4.yaml"}).out, says);
  ASSERT_EQ(weft_.run({"run", "k4.yaml", "--quiet", "--blame", "--out", "p"}).exit_code, 0);
  EXPECT_THAT(weft_.run({"explain", "p"}).out, says);
}

/// Jobs between the same two hosts, in each other's way, and some between two others.
std::string many_jobs(const std::vector<std::string>& busy, const std::vector<std::string>& apart) {
  std::string text =
      "name: many\nracks: {count: 1, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\njobs:\n";
  const auto add = [&text](const std::vector<std::string>& names, const char* hosts) {
    for (const std::string& name : names) {
      text += "  - {name: " + name + ", type: messages, ranks: " + hosts +
              ", list: [{from: 0, to: 1, size: 64KiB}]}\n";
    }
  };
  add(busy, "[h0, h1]");
  add(apart, "[h2, h3]");
  return text;
}

// A run that waits for a dead link says so first, in every place.
TEST_F(ExplainCli, NamesTheDeadLinkOfARunThatCannotFinish) {
  std::ofstream(weft_.path("dead.yaml"))
      << kLateRing << "faults: [{type: link-down, from: h3, at: 20us}]\n";
  const Finished ran = weft_.run({"run", "dead.yaml", "--blame", "--out", "d"});
  EXPECT_EQ(ran.exit_code, 1);
  const std::string why =
      "the link of h3 is down from 20 us on, and nothing mends it; job ring waits for it "
      "(faults[0])";
  EXPECT_THAT(ran.err, StartsWith("weft: " + why + "\n"));
  const std::string said = weft_.run({"explain", "d"}).out;
  EXPECT_THAT(said, HasSubstr("The run did not finish (stuck): " + why + ". Jobs that"));
  EXPECT_THAT(said, HasSubstr("Besides: mend the link of h3, which fails ("));
}

// The zero-load time at nominal rates is that of the run without slow links.
TEST_F(ExplainCli, SaysWhatTheZeroLoadTimeIsAtNominalRates) {
  std::ofstream(weft_.path("slow.yaml"))
      << kLateRing << "links: {changes: [{from: h3, rate: 50Gbps}]}\n";
  const auto run_into = [this](const std::string& folder, const std::string& without) {
    const Finished ran = weft_.run({"run", "slow.yaml", "--out", folder, "--without", without});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::ifstream in(weft_.path(folder) / "summary.json");
    return std::pair(ran.out, nlohmann::json::parse(in).at("jobs").at(0));
  };
  const auto [text, slow] = run_into("s", "stragglers");
  const auto [other, mended] = run_into("m", "stragglers,slow-links");
  EXPECT_EQ(slow.at("nominal_ideal_seconds"), mended.at("ideal_seconds"));
  EXPECT_GT(slow.at("ideal_seconds").get<double>(), 4 * mended.at("ideal_seconds").get<double>());
  EXPECT_THAT(text, ContainsRegex("  ideal JCT of ring has slow links in it: at nominal rates it "
                                  "is [0-9.]+ us, JCT/ideal [0-9.]+; `--without slow-links`"));
  EXPECT_THAT(text, ContainsRegex("says why ring took [0-9.]+ times its ideal time at nominal"));
  EXPECT_THAT(other, ::testing::Not(HasSubstr("nominal")));
  EXPECT_FALSE(mended.contains("nominal_ideal_seconds"));
}

// A tenth less is worth a word; half a hundredth is not.
TEST_F(ExplainCli, SaysNominalRatesWhereTheyMatter) {
  const auto has_nominal = [this](const std::string& rate) {
    std::ofstream(weft_.path("slow.yaml"))
        << kLateRing << "links: {changes: [{from: h3, rate: " << rate << "}]}\n";
    const Finished ran =
        weft_.run({"run", "slow.yaml", "--json", "--out", "r" + rate, "--without", "stragglers"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return nlohmann::json::parse(ran.out).at("jobs").at(0).contains("nominal_ideal_seconds");
  };
  EXPECT_TRUE(has_nominal("360Gbps"));
  EXPECT_FALSE(has_nominal("398Gbps"));
}

// Arrivals end an open loop, whatever its messages wait for: these are what verification judges by.
TEST_F(ExplainCli, VerifiesOpenLoopsByTheirMessages) {
  std::ofstream(weft_.path("open.yaml"))
      << "name: open\nracks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n"
         "  - {name: rpc, type: open-loop, ranks: [h0, h1], load: 0.01, size: 4KiB, "
         "stop: 400us}\n"
         "  - {name: bulk, type: incast, ranks: [h0, h2, h3, h4, h5], size: 4MiB}\n";
  const Finished ran = weft_.run({"run", "open.yaml", "--quiet", "--blame", "--out", "o"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string said = weft_.run({"explain", "o", "--verify"}).out;
  EXPECT_THAT(said, ContainsRegex("without job:bulk:\n  rpc: p99 of its messages [0-9.]+ us "
                                  "instead of [0-9.]+ us, [0-9.]+ us less\n"));
  EXPECT_THAT(said, ContainsRegex("rpc: most is saved without [^\n]*job:bulk[^\n]* of [0-9.]+ us "
                                  "\\(p99 of its messages\\)"));
  const auto all = nlohmann::json::parse(weft_.run({"explain", "o", "--verify", "--json"}).out);
  for (const auto& row : all.at("verification").at("tries").at(0).at("jobs")) {
    EXPECT_EQ(row.at("judged_by"), row.at("job") == "rpc" ? "message_p99" : "jct");
  }
}

// Every other job is tried by itself.
TEST_F(ExplainCli, VerifiesWithoutEveryOtherJob) {
  std::ofstream(weft_.path("many.yaml")) << many_jobs({"a", "b", "c", "d", "e"}, {"f"});
  ASSERT_EQ(weft_.run({"run", "many.yaml", "--quiet", "--blame", "--out", "m"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "m", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  for (const char* job : {"a", "b", "c", "d", "e", "f"}) {
    EXPECT_THAT(said.out, HasSubstr(std::string("\nwithout job:") + job + ":\n"));
  }
  EXPECT_THAT(said.out, ::testing::Not(HasSubstr("not tried")));
  EXPECT_EQ(said.err, "") << "what is over at once is not announced";
}

// Of more jobs than are asked for, the less blamed are tried together. What saves nothing together
// is nobody's cause; of what helps, halves are tried until the job is found.
TEST_F(ExplainCli, VerifiesMoreJobsInGroups) {
  std::ofstream(weft_.path("many.yaml")) << many_jobs({"a", "b"}, {"f", "g", "h", "i"});
  ASSERT_EQ(weft_.run({"run", "many.yaml", "--quiet", "--blame", "--out", "m"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "m", "--verify", "--each", "1", "--json"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const auto verification = nlohmann::json::parse(said.out).at("verification");
  EXPECT_TRUE(verification.at("not_tried").empty());
  std::vector<std::string> tries;
  std::size_t singles = 0;
  for (const auto& one : verification.at("tries")) {
    tries.push_back(one.at("without").get<std::string>());
    singles +=
        tries.back().starts_with("job:") && tries.back().find(',') == std::string::npos ? 1 : 0;
  }
  EXPECT_TRUE(tries.front().starts_with("job:")) << "the most blamed by itself";
  EXPECT_GE(std::ranges::count(tries[1], ','), 4) << "the others together: " << tries[1];
  EXPECT_GE(singles, 3U) << "halves of what helps, down to single jobs";
  // Nobody else is in the way of any: together they save nothing, and no half is tried.
  std::ofstream(weft_.path("calm.yaml")) << many_jobs({"a"}, {"f"});
  ASSERT_EQ(weft_.run({"run", "calm.yaml", "--quiet", "--blame", "--out", "c"}).exit_code, 0);
  const Finished calm = weft_.run({"explain", "c", "--verify", "--each", "1"});
  EXPECT_THAT(calm.out, ContainsRegex("without job:a:\n.*\nwithout job:f:\n"));
}

/// Of a result folder the tries of `weft explain --verify --each 1`.
nlohmann::json tries_of(const Program& weft, const std::string& folder) {
  const Finished said = weft.run({"explain", folder, "--verify", "--each", "1", "--json"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  return nlohmann::json::parse(said.out).at("verification").at("tries");
}

// Several things taken out together are blamed for what each of them is blamed for.
TEST_F(ExplainCli, AddsUpTheBlameOfWhatIsTakenOutTogether) {
  std::ofstream(weft_.path("many.yaml")) << many_jobs({"a", "b", "c", "d"}, {});
  ASSERT_EQ(weft_.run({"run", "many.yaml", "--quiet", "--blame", "--out", "m"}).exit_code, 0);
  const auto tries = tries_of(weft_, "m");
  const auto blamed = [&tries](const std::string& what, const std::string& job) {
    for (const auto& one : tries) {
      if (one.at("without") != what) continue;
      for (const auto& row : one.at("jobs")) {
        if (row.at("job") == job) return std::stod(row.at("blamed_seconds").get<std::string>());
      }
    }
    ADD_FAILURE() << job << " was not tried without " << what;
    return 0.0;
  };
  ASSERT_EQ(tries.at(0).at("without"), "job:a");
  ASSERT_EQ(tries.at(1).at("without"), "job:b,job:c,job:d");
  EXPECT_GT(blamed("job:b", "a"), 0);
  EXPECT_NEAR(blamed("job:b,job:c,job:d", "a"),
              blamed("job:b", "a") + blamed("job:c", "a") + blamed("job:d", "a"), 1e-15);
}

// Halves are tried of a group that helps somebody, and of no other.
/// Four jobs that share nothing, by how much each sends.
std::string calm_jobs(const std::vector<std::string>& sizes) {
  std::string text =
      "name: calm\nracks: {count: 1, servers: 8, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\njobs:\n";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    text += std::string("  - {name: ") + "abcd"[i] + ", type: messages, ranks: [h" +
            std::to_string(2 * i) + ", h" + std::to_string(2 * i + 1) +
            "], list: [{from: 0, to: 1, size: " + sizes[i] + "}]}\n";
  }
  return text;
}

TEST_F(ExplainCli, HalvesNoGroupThatHelpsNobody) {
  std::ofstream(weft_.path("calm.yaml")) << calm_jobs({"64KiB", "64KiB", "64KiB", "64KiB"});
  ASSERT_EQ(weft_.run({"run", "calm.yaml", "--quiet", "--blame", "--out", "c"}).exit_code, 0);
  std::vector<std::string> tried;
  for (const auto& one : tries_of(weft_, "c")) tried.push_back(one.at("without"));
  // Each of the first three is also tried without all others: for the first that is the group.
  EXPECT_THAT(tried, ::testing::ElementsAre("job:a", "job:b,job:c,job:d", "job:a,job:c,job:d",
                                            "job:a,job:b,job:d"));
}

// Three jobs at most are tried without all others: those that take longest.
TEST_F(ExplainCli, TriesTheLongestJobsWithoutAllOthersFirst) {
  std::ofstream(weft_.path("calm.yaml")) << calm_jobs({"64KiB", "128KiB", "256KiB", "512KiB"});
  ASSERT_EQ(weft_.run({"run", "calm.yaml", "--quiet", "--blame", "--out", "c"}).exit_code, 0);
  std::vector<std::string> tried;
  for (const auto& one : tries_of(weft_, "c")) tried.push_back(one.at("without"));
  EXPECT_THAT(tried, ::testing::ElementsAre("job:a", "job:b,job:c,job:d", "job:a,job:b,job:c",
                                            "job:a,job:b,job:d", "job:a,job:c,job:d"));
}

// A budget of runs that is spent is said, with what was not tried and how to try it.
TEST_F(ExplainCli, SaysWhatVerificationDidNotTry) {
  std::vector<std::string> names;
  for (int i = 0; i < 32; ++i) names.push_back("j" + std::to_string(i));
  std::ofstream(weft_.path("many.yaml")) << many_jobs(names, {});
  ASSERT_EQ(weft_.run({"run", "many.yaml", "--quiet", "--blame", "--out", "m"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "m", "--verify", "--each", "2"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out,
              ContainsRegex("not tried by themselves: job:j[0-9]+, job:j[0-9]+, job:j[0-9]+ and "
                            "[0-9]+ more, because 24 runs were spent on groups of jobs; `weft run "
                            "m/resolved.yaml --without job:j[0-9]+` does, and `weft explain m "
                            "--verify --each 32` each of them\n"));
  const Finished lone = weft_.run({"explain", "m", "--each", "2"});
  EXPECT_EQ(lone.exit_code, 2) << "--each is of --verify";
}

// How long it takes is said before, where that is long.
TEST_F(ExplainCli, ForecastsVerification) {
  ASSERT_EQ(run({"--blame", "--out", "a"}).exit_code, 0);
  std::ifstream in(weft_.path("a") / "summary.json");
  auto summary = nlohmann::ordered_json::parse(in);
  summary["wall_seconds"] = 30;
  std::ofstream(weft_.path("a") / "summary.json") << summary.dump();
  const Finished said = weft_.run({"explain", "a", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.err,
              ContainsRegex("--verify takes ([0-9]+) runs, about [0-9.]+ s if each takes what the "
                            "first one did .30 s.; Ctrl-C ends it"));
  // One job by itself, and twice as many groups as there are others, at most.
  std::ofstream(weft_.path("many.yaml")) << calm_jobs({"64KiB", "64KiB", "64KiB", "64KiB"});
  ASSERT_EQ(weft_.run({"run", "many.yaml", "--quiet", "--blame", "--out", "m"}).exit_code, 0);
  std::ifstream of_many(weft_.path("m") / "summary.json");
  summary = nlohmann::ordered_json::parse(of_many);
  summary["wall_seconds"] = 30;
  std::ofstream(weft_.path("m") / "summary.json") << summary.dump();
  EXPECT_THAT(weft_.run({"explain", "m", "--verify", "--each", "1"}).err,
              HasSubstr("--verify takes 7 runs or fewer, about 210 s if"));
}

// One of them alone saves a little, and both most of what is blamed on them.
// What two of them are blamed for counts once: nothing is blamed for more than the job took.
TEST_F(ExplainCli, FindsCausesThatSaveMostTogether) {
  std::ofstream(weft_.path("most.yaml"))
      << kLateRing << "faults: [{type: nic-pause, host: h2, at: 0us, until: 330us}]\n";
  ASSERT_EQ(weft_.run({"run", "most.yaml", "--quiet", "--blame", "--out", "m"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "m", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("act together: each by itself saves less than half of that\n"));
  EXPECT_THAT(said.out, ContainsRegex("ring: most is saved without nic-pauses and stragglers, all "
                                      "together, [23][0-9.]+ us of [34][0-9.]+ us\n"));
  for (const auto& one : tries_of(weft_, "m")) {
    for (const auto& row : one.at("jobs")) {
      EXPECT_LE(std::stod(row.at("blamed_seconds").get<std::string>()),
                std::stod(row.at("seconds").get<std::string>()))
          << one.at("without");
    }
  }
}

// What could not be tried by itself is not in the way of the others.
TEST_F(ExplainCli, LeavesOutOfTheJointTryWhatCannotBeTried) {
  std::ofstream(weft_.path("tcp.yaml"))
      << "name: t\nracks: {count: 2, servers: 4, server: {part: plain, nics: 1, nic: {rate: "
         "25Gbps}}}\nlinks: {uplink: {rate: 100Gbps}, changes: [{from: leaf0, to: spine1, rate: "
         "10Gbps}]}\nfabric: {topology: leaf-spine, spines: 2, switch: spectrum-4, "
         "load_balancing: ecmp}\ntransport: {type: tcp, congestion_control: cubic}\njobs:\n  - "
         "{name: p, type: permutation, size: 4MiB}\nfaults:\n  - {type: flapping, from: h6, up: "
         "{mean: 500us}, down: {mean: 100us}, until: 3ms}\n  - {type: switch-down, switch: "
         "spine0, at: 500us, until: 600us}\nrun: {until: 3s}\n";
  ASSERT_EQ(weft_.run({"run", "tcp.yaml", "--quiet", "--blame", "--out", "t"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "t", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("without collisions: cannot be tried"));
  EXPECT_THAT(said.out, ::testing::Not(HasSubstr("all together: cannot be tried")));
  EXPECT_THAT(said.out, HasSubstr("most is saved without slow-links and link-failures"));
}

// Of two causes there is one joint try, and neither is put back: each by itself was tried.
TEST_F(ExplainCli, TriesTwoCausesTogetherAndNoneOfThemTwice) {
  std::ofstream(weft_.path("two.yaml"))
      << kLateRing << "faults: [{type: nic-pause, host: h2, at: 0us, until: 300us}]\n";
  ASSERT_EQ(weft_.run({"run", "two.yaml", "--quiet", "--blame", "--out", "t"}).exit_code, 0);
  std::vector<std::string> tried;
  for (const auto& one : tries_of(weft_, "t")) tried.push_back(one.at("without"));
  EXPECT_THAT(tried, ::testing::ElementsAre("stragglers", "nic-pauses", "stragglers,nic-pauses"));
}

// A slow link costs three times what a pause does.
TEST_F(ExplainCli, NamesWhatSavesMostOfSeveralThatHelp) {
  std::ofstream(weft_.path("add.yaml"))
      << "name: add\nracks: {count: 1, servers: 2, server: host-400g}\n"
         "links: {changes: [{from: h1, rate: 200Gbps}]}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs: [{name: m, type: messages, ranks: [h0, h1], list: [{from: 0, to: 1, size: "
         "4MiB}]}]\nfaults: [{type: nic-pause, host: h1, at: 0us, until: 30us}]\n";
  ASSERT_EQ(weft_.run({"run", "add.yaml", "--quiet", "--blame", "--out", "a"}).exit_code, 0);
  EXPECT_THAT(
      weft_.run({"explain", "a", "--verify"}).out,
      ContainsRegex("\nm: most is saved without slow-links, 8[0-9.]+ us of 20[0-9.]+ us\n"));
}

// What saves 0.6 % by itself helps nobody; what saves two thirds of what is blamed is said to have
// other paths beside it; and what takes longer with the same marks and drops takes other paths.
TEST_F(ExplainCli, SaysWhyLessIsSavedThanIsBlamed) {
  const auto verified = [this](const std::string& until) {
    std::ofstream(weft_.path("two.yaml"))
        << kLateRing << "faults: [{type: nic-pause, host: h2, at: 0us, until: " << until << "}]\n";
    EXPECT_EQ(weft_.run({"run", "two.yaml", "--quiet", "--blame", "--out", "t"}).exit_code, 0);
    return weft_.run({"explain", "t", "--verify"}).out;
  };
  const std::string little = verified("298us");
  EXPECT_THAT(little, HasSubstr("act together: each by itself saves less than a hundredth\n"));
  EXPECT_THAT(little, ContainsRegex("ns more; not blamed; other paths are taken, or others are in "
                                    "the way\n"));
  EXPECT_THAT(verified("100us"),
              ContainsRegex("200[.0-9]* us less; blamed for 300 us; other paths are nearly as "
                            "long, or others still in the way\n"));
}

// Two things that hold a job up as long as each other: neither helps by itself, both do.
TEST_F(ExplainCli, FindsCausesThatActTogether) {
  std::ofstream(weft_.path("both.yaml"))
      << kLateRing
      << "faults: [{type: nic-pause, host: h2, at: 0us, until: 300us}, {type: link-down, from: "
         "leaf1, to: spine1, at: 20ms, until: 21ms}]\n";
  ASSERT_EQ(weft_.run({"run", "both.yaml", "--quiet", "--blame", "--out", "b"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "b", "--verify"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("ring: stragglers and nic-pauses act together: each by itself "
                                  "saves less than a hundredth\n"));
  EXPECT_THAT(said.out, ContainsRegex("ring: most is saved without stragglers and nic-pauses, all "
                                      "together, 29[0-9.]+ us of 3[0-9.]+ us\n"));
  EXPECT_EQ(
      weft_.run({"run", "both.yaml", "--quiet", "--without", "stragglers,nic-pauses", "--out", "w"})
          .exit_code,
      0);
  std::ifstream in(weft_.path("w") / "summary.json");
  const auto summary = nlohmann::json::parse(in);
  EXPECT_LT(summary.at("jobs").at(0).at("jct_seconds").get<double>(), 100e-6);
  EXPECT_EQ(summary.at("without"), "stragglers,nic-pauses");
}

// Where a run does not end, it is said why: it is cut off, or ports wait for each other.
TEST_F(ExplainCli, SaysWhyARunWithoutSomethingDoesNotEnd) {
  std::ofstream(weft_.path("cut.yaml"))
      << "name: cut\nracks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "transport: {type: roce, congestion_control: none}\n"
         "jobs:\n"
         "  - {name: first, type: messages, ranks: [h0, h1], list: [{from: 0, to: 1, size: "
         "64KiB}]}\n"
         "  - {name: late, type: messages, ranks: [h2, h3], list: [{from: 0, to: 1, size: 64KiB}], "
         "start: 1ms}\n"
         "run: {until: 100us}\n";
  ASSERT_EQ(weft_.run({"run", "cut.yaml", "--quiet", "--blame", "--out", "c"}).exit_code, 0);
  const Finished cut = weft_.run({"explain", "c", "--verify"});
  EXPECT_THAT(cut.out, HasSubstr("The run did not finish (horizon): it was cut off by run.until. "
                                 "Jobs that did not end have no blame.\n"));
  EXPECT_THAT(cut.out,
              HasSubstr("late: does not end either: it is cut off at 100 us (run.until)\n"));
  EXPECT_THAT(cut.out, HasSubstr("late: does not end without any of these\n"));
  const std::string shipped = std::string(WEFT_SOURCE_DIR) + "/scenarios/pfc-deadlock.yaml";
  ASSERT_EQ(weft_.run({"run", shipped, "--quiet", "--blame", "--out", "d"}).exit_code, 1);
  const Finished dead = weft_.run({"explain", "d", "--verify"});
  EXPECT_THAT(dead.out, ContainsRegex("without pauses:\n  across: ends after [0-9.]+ ms; with it, "
                                      "it did not end\n"));
  EXPECT_THAT(dead.out,
              HasSubstr("  across: does not end either: deadlocked at 100 us: s0[1]->s1"));
  EXPECT_THAT(dead.out, ContainsRegex("across: ends soonest without pauses, after [0-9.]+ ms\n"));
  const auto tries = nlohmann::json::parse(weft_.run({"explain", "d", "--verify", "--json"}).out)
                         .at("verification")
                         .at("tries");
  const auto& ended = tries.at(0).at("jobs").at(0);
  EXPECT_TRUE(ended.at("seconds").is_null());
  EXPECT_FALSE(ended.contains("why_unfinished"));
  EXPECT_THAT(tries.at(1).at("jobs").at(0).at("why_unfinished").get<std::string>(),
              StartsWith("deadlocked at 100 us"));
}

// A fluid run is repeated as a fluid.
TEST_F(ExplainCli, VerifiesInTheEngineOfTheRun) {
  ASSERT_EQ(run({"--blame", "--engine", "fluid", "--out", "f"}).exit_code, 0);
  ASSERT_EQ(run({"--engine", "fluid", "--without", "stragglers", "--out", "g"}).exit_code, 0);
  const Finished said = weft_.run({"explain", "f", "--verify", "--json"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  std::ifstream in(weft_.path("g") / "summary.json");
  const double healthy = nlohmann::json::parse(in).at("jobs").at(0).at("jct_seconds").get<double>();
  const auto tries = nlohmann::json::parse(said.out).at("verification").at("tries");
  const auto& row = tries.at(0).at("jobs").at(0);
  EXPECT_NEAR(std::stod(row.at("seconds_without").get<std::string>()), healthy, 1e-12);
  const std::string text = weft_.run({"explain", "f", "--verify"}).out;
  const std::size_t begin = text.find("ring: ");
  EXPECT_EQ(text.find("Along its critical path", text.find("critical path") + 1), text.npos)
      << text;
  EXPECT_EQ(begin, 0U) << text;
}

// The time of an iteration is the same in blame.csv and in the table of iterations.
TEST_F(ExplainCli, StatesTheTimesOfIterationsAsTheirTableDoes) {
  std::ofstream(weft_.path("steps.yaml"))
      << "name: steps\nracks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "jobs: [{name: s, type: all-reduce, algorithm: ring, size: 64KiB, iterations: 3, jitter: "
         "{type: exponential, mean: 10us}}]\n";
  ASSERT_EQ(weft_.run({"run", "steps.yaml", "--quiet", "--blame", "--out", "s"}).exit_code, 0);
  const auto column = [this](const char* file, const std::string& name) {
    std::ifstream in(weft_.path("s") / file);
    std::string line;
    std::getline(in, line);
    const auto cells = [](const std::string& text) {
      std::vector<std::string> all;
      std::istringstream row(text);
      for (std::string cell; std::getline(row, cell, ',');) all.push_back(cell);
      return all;
    };
    const std::vector<std::string> header = cells(line);
    const auto place = std::ranges::find(header, name) - header.begin();
    const auto iteration = std::ranges::find(header, "iteration") - header.begin();
    std::map<std::string, double> sums;
    while (std::getline(in, line)) {
      const std::vector<std::string> row = cells(line);
      sums[row.at(static_cast<std::size_t>(iteration))] +=
          std::stod(row.at(static_cast<std::size_t>(place)));
    }
    return sums;
  };
  const auto blamed = column("blame.csv", "time_s");
  const auto stated = column("collectives.csv", "since_previous_s");
  ASSERT_EQ(blamed.size(), 3U);
  for (const auto& [iteration, time] : stated) EXPECT_NEAR(blamed.at(iteration), time, 1e-12);
  EXPECT_THAT(weft_.run({"explain", "s"}).out,
              ContainsRegex("in 3 iterations, [^ ]+ us each, since the end of the one before"));
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
