// Scenarios whose links have retry: who is blamed for a replay, who is named where it gives up, and
// what is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using weft::testing::experiment_of_text;

std::string retried(const std::string& fabric, const std::string& rest,
                    const std::string& flow_control = "pfc") {
  return "name: t\n"
         "racks: {count: 2, servers: 2, server: host-400g}\n"
         "links: {access: {length: 3m}, uplink: {length: 30m}}\n"
         "fabric: {topology: leaf-spine, spines: 1, flow_control: " +
         flow_control + fabric +
         "}\n"
         "transport: {type: roce, congestion_control: none, recovery: selective-repeat}\n" +
         rest;
}

const std::string kOneMessage =
    "jobs: [{name: a, type: messages, ranks: [h0, h2], list: [{from: 0, to: 1, size: 128KiB}]}]\n";
const std::string kOneBadFrame =
    "faults: [{type: bit-errors, from: h0, direction: out, at: 1900ns, until: 1990ns, "
    "frame_loss_rate: 1}]\n";

Results blamed_retry(const std::string& text) {
  Experiment e = experiment_of_text(text);
  e.scenario.observe.blame = true;
  Results r = simulate(e);
  EXPECT_TRUE(is_success(r.outcome));
  Picoseconds sum;
  for (const BlameResult& b : r.blame) sum += b.time;
  EXPECT_EQ(sum, r.jobs[0].jct) << "shares sum exactly";
  return r;
}

// What the message takes longer is the replay, and nothing is sent again by the host.
// MODEL.md 16.10
TEST(LinkRetryScenario, BlamesTheLinkThatSendsAgain) {
  const Results whole = blamed_retry(retried(", link_retry: llr", kOneMessage));
  const Results r = blamed_retry(retried(", link_retry: llr", kOneMessage + kOneBadFrame));
  EXPECT_EQ(r.totals.replays, 1);
  EXPECT_EQ(r.totals.packets_retransmitted, 0U);
  Picoseconds retry;
  for (const BlameResult& b : r.blame) {
    if (b.cause != "link retry") continue;
    retry += b.time;
    EXPECT_THAT(b.culprit, HasSubstr("h0"));
  }
  const Picoseconds late = r.jobs[0].jct - whole.jobs[0].jct;
  EXPECT_GT(late, 100_ns);
  EXPECT_GE(to_seconds(retry), 0.9 * to_seconds(late));
}

TEST(LinkRetryScenario, L3_NamesTheLinkThatGaveUp) {
  const Results r = simulate(experiment_of_text(retried(
      ", link_retry: llr", kOneMessage +
                               "faults: [{type: bit-errors, from: h0, direction: out, at: 1900ns, "
                               "until: 90us, frame_loss_rate: 1}]\n")));
  EXPECT_TRUE(is_success(r.outcome)) << "the host repairs it";
  EXPECT_GT(r.totals.retry_drops, 0);
  EXPECT_THAT(r.warnings, Contains(HasSubstr("until its link retry gave up")));
  EXPECT_THAT(r.warnings, Contains(HasSubstr("h0->leaf0")));
  // What it dropped is an incident of its port, beside the fault that was the cause. Errors last
  // until 90 us, and the ends restart with the first frame after that.
  const auto given_up =
      std::ranges::find(r.incidents, IncidentKind::kRetryGaveUp, &IncidentResult::kind);
  ASSERT_NE(given_up, r.incidents.end());
  EXPECT_EQ(given_up->place, "h0->leaf0[0]");
  EXPECT_EQ(given_up->packets, r.totals.retry_drops);
  EXPECT_FALSE(given_up->fault);
  EXPECT_GT(given_up->begin, 1900_ns);
  EXPECT_EQ(given_up->port, given_up->begin);
  ASSERT_TRUE(given_up->end);
  EXPECT_GE(*given_up->end, 90_us);
  EXPECT_GT(given_up->repeat, given_up->first_loss) << "the host repairs it";
}

std::vector<std::string> refusals(const std::string& text) {
  std::vector<std::string> sentences;
  const auto loaded = load_scenario_text(text, "t.yaml", {});
  if (!loaded) {
    for (const Error& error : loaded.errors()) sentences.push_back(error.to_string());
  }
  return sentences;
}

TEST(LinkRetryScenario, IsRefusedWhereCreditsWouldBeLost) {
  EXPECT_THAT(refusals(retried(", link_retry: llr", kOneMessage, "credit")),
              ElementsAre(HasSubstr("and their credits with them; expected flow_control: "
                                    "cbfc, pfc or none")));
  EXPECT_THAT(refusals(retried(", link_retry: none", kOneMessage, "credit")), ::testing::IsEmpty());
  EXPECT_THAT(refusals("name: t\n"
                       "racks: {count: 2, servers: 2, server: host-400g}\n"
                       "fabric: {topology: leaf-spine, spines: 1, switch: quantum-2, "
                       "flow_control: none, link_retry: llr}\n" +
                       kOneMessage),
              Contains(HasSubstr("fabric.link_retry: is an option of Ethernet links")));
}

// Of frames of 4,178 B two or three hold less than a loop of 30 m does, and 102,400 B more.
TEST(LinkRetryScenario, IsCheckedForTheLoopOfItsLinks) {
  StaticFindings findings;
  check_buffers(experiment_of_text(retried(", link_retry: {outstanding: 9593B}", kOneMessage)),
                findings);
  EXPECT_THAT(findings.warnings, Contains(HasSubstr("link_retry holds")));
  findings = {};
  check_buffers(experiment_of_text(retried(", link_retry: llr", kOneMessage)), findings);
  EXPECT_THAT(findings.warnings, Not(Contains(HasSubstr("link_retry"))));
  findings = {};
  check_buffers(experiment_of_text(retried(", link_retry: {frames: 2}", kOneMessage)), findings);
  EXPECT_THAT(findings.warnings, Contains(HasSubstr("and 2 frames may be outstanding")));
}

// At 1 km an ACK takes 10 us and a frame, and a port takes for lost what has come.
TEST(LinkRetryScenario, IsCheckedForATimerThatEndsBeforeAnAckIsThere) {
  const auto text = [](const char* timeout) {
    return fmt::format(
        "name: t\n"
        "racks: {{count: 1, servers: 2, server: {{nics: 1, nic: {{rate: 100Gbps}}}}}}\n"
        "links: {{access: {{length: 1km, cable: fibre}}}}\n"
        "fabric: {{topology: leaf-spine, spines: 1, switch: ideal, flow_control: none, ecn: none,\n"
        "  link_retry: {{type: llr, outstanding: 1MB, frames: 1000, {}}}}}\n"
        "jobs: [{{name: m, type: messages, list: [{{from: 0, to: 1, size: 4MiB}}]}}]\n",
        timeout);
  };
  StaticFindings findings;
  check_buffers(experiment_of_text(text("timeout: 10us")), findings);
  EXPECT_THAT(findings.warnings, Contains(HasSubstr("timeout is 10 us; raise")));
  EXPECT_GT(simulate(experiment_of_text(text("timeout: 10us"))).totals.replays, 0);
  findings = {};
  check_buffers(experiment_of_text(text("timeout: 30us")), findings);
  EXPECT_THAT(findings.warnings, Not(Contains(HasSubstr("link_retry"))));
  EXPECT_EQ(simulate(experiment_of_text(text("timeout: 30us"))).totals.replays, 0);
  findings = {};
  check_buffers(experiment_of_text(text("timeout: 30us, max_age: 5us")), findings);
  EXPECT_THAT(findings.warnings, Contains(HasSubstr("max_age is 5 us")));
}

// Pauses do not hold what a link sends again, so that it needs headroom.
TEST(LinkRetryScenario, ExactHeadroomHoldsWhatIsSentAgainDuringAPause) {
  const Results r = simulate(experiment_of_text(
      "name: t\n"
      "racks: {count: 1, servers: 9, server: host-400g}\n"
      "links: {access: {length: 30m, cable: fibre, frame_loss_rate: 0.01}}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4, ecn: none,\n"
      "  flow_control: {type: pfc, xoff: 50KB, xon: 40KB, headroom: exact},\n"
      "  link_retry: {type: llr, replays: 255, outstanding: 400KB, frames: 1000}}\n"
      "transport: {type: roce, congestion_control: none, receiver: any-order, recovery: "
      "go-back-n}\n"
      "jobs: [{name: i, type: incast, senders: 8, size: 4MiB}]\n"));
  EXPECT_GT(r.totals.replays, 100);
  EXPECT_EQ(r.totals.buffer_drops, 0);
}

// Frames of 116 B on 60 m: 100 of them are 11.6 kB, and the loop with its ACKs 32 kB. Full packets
// reach 102,400 B first, and fill the link.
TEST(LinkRetryScenario, ALimitOfFramesThatHoldsSmallOnesIsNamed) {
  const auto warnings = [](const char* size, int frames) {
    return simulate(experiment_of_text(fmt::format(
                        "name: t\n"
                        "racks: {{count: 2, servers: 2, server: host-400g}}\n"
                        "links: {{access: {{length: 3m}}, uplink: {{length: 60m}}}}\n"
                        "fabric: {{topology: leaf-spine, spines: 1, flow_control: pfc, link_retry: "
                        "{{frames: {}}}}}\n"
                        "transport: {{type: roce, congestion_control: none}}\n"
                        "jobs: [{{name: a, type: open-loop, size: {}, load: 0.9, arrivals: "
                        "constant, stop: 20us}}]\n",
                        frames, size)))
        .warnings;
  };
  EXPECT_THAT(warnings("64B", 100), Contains(HasSubstr("let fabric.link_retry.frames be more")));
  EXPECT_THAT(warnings("64B", 1000), Not(Contains(HasSubstr("link_retry"))));
  EXPECT_THAT(warnings("64KiB", 100), Not(Contains(HasSubstr("link_retry"))));
}

TEST(LinkRetryScenario, WhatIsSentAgainUsesTheLink) {
  const Results r =
      simulate(experiment_of_text(retried(", link_retry: llr", kOneMessage + kOneBadFrame)));
  const Results whole = simulate(experiment_of_text(retried(", link_retry: llr", kOneMessage)));
  const auto bytes = [](const Results& of) {
    Bytes sum;
    for (const PortResult& port : of.ports) sum += port.counters.bytes;
    return sum;
  };
  EXPECT_EQ(bytes(r) - bytes(whole), r.totals.frames_replayed * 4'178_B);
}

TEST(LinkRetryScenario, GivesTheSameBitsForAnyNumberOfThreads) {
  const Experiment e = experiment_of_text(
      "name: t\n"
      "racks: {count: 4, servers: 4, server: host-400g}\n"
      "links: {access: {length: 3m, frame_loss_rate: 0.003}, uplink: {length: 30m, "
      "frame_loss_rate: 0.001}}\n"
      "fabric: {topology: leaf-spine, spines: 2, link_retry: {timeout: 3us}}\n"
      "jobs: [{name: a, type: all-to-all, algorithm: pairwise, size: 1MB}]\n");
  std::vector<std::string> digests;
  for (const std::uint32_t threads : {1U, 2U, 3U}) {
    const Results r = simulate(e, {}, nullptr, {.threads = threads, .share_from = 0});
    EXPECT_TRUE(is_success(r.outcome));
    EXPECT_GT(r.totals.replays, 5);
    digests.push_back(r.digest());
  }
  EXPECT_THAT(digests, Each(digests.front()));
}

}  // namespace
}  // namespace weft::scenarios
