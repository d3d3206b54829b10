// TCP in scenarios: what runs, what is refused or warned of and with which words, and what the
// shipped scenario says of itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "protocols/congestion/specs.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/checks/static_checks.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/fluid_simulation.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Result<Experiment> shipped(const std::string& name, const std::vector<std::string>& overrides) {
  const auto loaded = load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/" + name, overrides);
  if (!loaded.ok()) return loaded.errors();
  return build_experiment(loaded.value().scenario);
}

Results run_shipped(const std::string& name, const std::vector<std::string>& overrides) {
  const auto experiment = shipped(name, overrides);
  if (!experiment.ok()) throw std::runtime_error(experiment.errors().front().to_string());
  return simulate(experiment.value());
}

/// The error of the incast over TCP with these keys besides.
std::string tcp_error(const std::vector<std::string>& keys) {
  std::vector<std::string> overrides{"transport.type=tcp"};
  overrides.insert(overrides.end(), keys.begin(), keys.end());
  const auto experiment = shipped("incast.yaml", overrides);
  return experiment.ok() ? "" : experiment.errors().front().to_string();
}

std::string one_message(const std::string& transport) {
  return "name: lone\n"
         "racks: {count: 2, servers: 2, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 1, flow_control: none, ecn: none}\n"
         "transport: " +
         transport +
         "\njobs: [{name: a, type: messages, ranks: [0, 2], list: [{from: 0, to: 1, size: "
         "3MB}]}]\n";
}

Experiment loaded(const std::string& text) {
  const auto scenario = load_scenario_text(text, "t.yaml");
  if (!scenario.ok()) throw std::runtime_error(scenario.errors().front().to_string());
  return build_experiment(scenario.value().scenario).value();
}

TEST(TcpScenarios, TypesAloneMakeTheIncastRunUnderEveryControlThatGoesWithIt) {
  for (const char* control : {"new-reno", "cubic", "dctcp", "swift", "timely", "none"}) {
    const Results results =
        run_shipped("incast.yaml",
                    {"transport.type=tcp", std::string("transport.congestion_control=") + control});
    EXPECT_TRUE(results.jobs[0].is_finished) << control;
  }
}

TEST(CongestionControls, TypesAloneMakeTheIncastRunUnderEveryOne) {
  for (const char* control : protocols::congestion::ControlSpecs::kNames) {
    const bool is_of_contexts = std::string_view(control) == "nscc";  // which `uec` alone has
    const Results results = run_shipped(
        "incast.yaml", {std::string("transport.type=") + (is_of_contexts ? "uec" : "roce"),
                        std::string("transport.congestion_control=") + control});
    EXPECT_TRUE(results.jobs[0].is_finished) << control;
    EXPECT_EQ(results.totals.buffer_drops, 0) << control;
  }
}

TEST(TcpScenarios, AControlWhoseNeedsTcpCannotMeetIsRefusedWithWhatIsMissing) {
  EXPECT_THAT(tcp_error({}), AllOf(HasSubstr("transport.congestion_control"), HasSubstr("DCQCN"),
                                   HasSubstr("notifications of congestion (CNPs)"),
                                   HasSubstr("new-reno and cubic")));
  for (const char* control : {"hpcc", "powertcp"}) {
    EXPECT_THAT(tcp_error({std::string("transport.congestion_control=") + control}),
                HasSubstr("telemetry of switches"))
        << control;
  }
  EXPECT_THAT(tcp_error({"transport.congestion_control=rccc"}),
              AllOf(HasSubstr("RCCC"), HasSubstr("credit granted by receivers")));
}

TEST(TcpScenarios, AnAckThatWaitsLongerThanTheTimeOutIsRefused) {
  EXPECT_THAT(tcp_error({"transport.congestion_control=cubic", "transport.ack.delay=40ms"}),
              AllOf(HasSubstr("transport.ack.delay"), HasSubstr("timeout.min")));
}

TEST(TcpScenarios, AreWarnedOfLosslessClassesAndOfSpraying) {
  const auto warnings = [](const std::vector<std::string>& keys) {
    std::vector<std::string> overrides{"transport.type=tcp", "transport.congestion_control=cubic"};
    overrides.insert(overrides.end(), keys.begin(), keys.end());
    return check_statically(shipped("incast.yaml", overrides).value()).warnings;
  };
  EXPECT_THAT(warnings({}), Contains(HasSubstr("TCP is in class data, which is lossless")));
  EXPECT_THAT(warnings({"fabric.flow_control=none"}), Each(Not(HasSubstr("lossless"))));
  EXPECT_THAT(warnings({"fabric.flow_control=none", "fabric.load_balancing=spray"}),
              Contains(HasSubstr("TCP takes a segment for lost")));
  EXPECT_THAT(check_statically(shipped("converged.yaml", {}).value()).warnings, IsEmpty());
}

// 3 MB are 336 segments; the path holds fewer than that in a round trip, but more than ten.
TEST(TcpScenarios, SlowStartIsPartOfTheSlowdownAndNotOfTheIdealTime) {
  const Results slow = simulate(loaded(one_message("{type: tcp}")));
  const Results fast = simulate(loaded(one_message("{type: tcp, congestion_control: none}")));
  EXPECT_EQ(slow.jobs[0].ideal, fast.jobs[0].ideal);
  EXPECT_EQ(fast.jobs[0].jct, fast.jobs[0].ideal) << "nothing but slow start makes it slower";
  EXPECT_GT(slow.jobs[0].jct, slow.jobs[0].ideal);
}

TEST(TcpScenarios, AWindowIsNoPartOfTheIdealTimeEither) {
  // Ten segments per round trip; where a lone ACK goes by a timer no closed form says when.
  const Results results =
      simulate(loaded(one_message("{type: tcp, window: 10, congestion_control: none}")));
  const Results wide = simulate(loaded(one_message("{type: tcp, congestion_control: none}")));
  EXPECT_EQ(results.jobs[0].ideal, wide.jobs[0].ideal);
  EXPECT_GT(results.jobs[0].jct, 2 * results.jobs[0].ideal);
}

// What the header of converged.yaml says. Times within 2 % of what it names, as it rounds them.
TEST(Converged, TrainingTakesAFewPercentLongerAndAllDropsAreTcps) {
  const Results both = run_shipped("converged.yaml", {});
  const Results alone = run_shipped("converged.yaml", {"jobs[1].skip=true"});
  const double longer = to_seconds(both.jobs[0].jct) / to_seconds(alone.jobs[0].jct);
  EXPECT_NEAR(longer, 1.06, 0.01);
  EXPECT_GT(both.totals.buffer_drops, 0);
  std::int64_t of_storage = 0;
  for (std::size_t port = 0; port < both.ports.size(); ++port) {
    of_storage += both.class_counters(PortId(port), ClassId()).buffer_drops;
  }
  EXPECT_EQ(of_storage, both.totals.buffer_drops);
  EXPECT_EQ(both.totals.packets_retransmitted,
            static_cast<std::uint64_t>(both.totals.buffer_drops));
  EXPECT_GT(both.totals.timeouts, 0U);
  EXPECT_NEAR(to_seconds(both.jobs[1].jct), 15e-3, 0.02 * 15e-3);
}

TEST(Converged, WithMarksNothingIsDroppedAndTheCheckpointTakesWhatTheLinkTakes) {
  const Results marked =
      run_shipped("converged.yaml", {"jobs[1].transport.congestion_control=dctcp",
                                     "fabric.classes[0].ecn={type: step, kmin: 200KB}"});
  EXPECT_EQ(marked.totals.buffer_drops, 0);
  EXPECT_EQ(marked.totals.timeouts, 0U);
  EXPECT_NEAR(to_seconds(marked.jobs[1].jct), 8.6e-3, 0.02 * 8.6e-3);
}

TEST(Converged, InTheLosslessClassTcpMakesTrainingAThirdSlower) {
  const Results mixed = run_shipped("converged.yaml", {"jobs[1].class=rdma"});
  const Results alone = run_shipped("converged.yaml", {"jobs[1].skip=true"});
  EXPECT_EQ(mixed.totals.buffer_drops, 0);
  EXPECT_GT(mixed.totals.pauses, 1'000);
  const double longer = to_seconds(mixed.jobs[0].jct) / to_seconds(alone.jobs[0].jct);
  EXPECT_NEAR(longer, 1.31, 0.03);
}

TEST(Converged, WithoutSelectiveAcksMoreIsSentAgainThanWasDropped) {
  const Results blind = run_shipped("converged.yaml", {"jobs[1].transport.sack=false"});
  EXPECT_GT(blind.totals.packets_retransmitted,
            static_cast<std::uint64_t>(blind.totals.buffer_drops));
}

// A receiver that acknowledges every second segment, whichever message it is of, acknowledges the
// second and the fourth of five, and the fifth after its timer. After a message of one segment it
// acknowledges the first, the third and the fifth. Then nothing is before the last ACK, while the
// fourth's holds it up otherwise: 4 full segments and a short one come closer to each other than
// ACKs leave the slow uplink. The zero-load time is that of the lucky count.
TEST(TcpScenarios, AMessageWhoseAcksAreShiftedTakesItsZeroLoadTime) {
  const Experiment e = loaded(
      "name: shifted\n"
      "racks: {count: 2, servers: 1, server: host-400g}\n"
      "links: {access: {rate: 400Gbps, length: 3m}, uplink: {rate: 100Gbps, length: 170m}}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: ideal, flow_control: none}\n"
      "transport: {type: tcp, mtu: 1500B, window: 0, congestion_control: none,\n"
      "            ack: {every: 2, delay: 145us, last: false}}\n"
      "jobs:\n"
      "  - {name: a, type: messages, list: [{from: 0, to: 1, size: 1448B},\n"
      "                                     {from: 0, to: 1, size: 6035B, start: 2us}]}\n");
  std::vector<MessageResult> messages;
  const Results results =
      simulate(e, {}, nullptr, {}, [&](const MessageResult& m) { messages.push_back(m); });
  ASSERT_EQ(results.outcome, Outcome::kFinished);
  const auto second = std::ranges::find(messages, Bytes(6035), &MessageResult::bytes);
  ASSERT_NE(second, messages.end());
  EXPECT_EQ(second->completed - second->start, second->ideal);
}

}  // namespace
}  // namespace weft::scenarios
