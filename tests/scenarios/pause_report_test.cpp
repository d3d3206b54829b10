// Storms, victims, starved ports and deadlocks in the results, from pauses made by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/output/pause_summary.hpp"
#include "scenarios/output/result_writer.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/results/measure/collect_switching.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "simcore/base/hash.hpp"
#include "tests/support/named_fabric.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

using protocols::MessageOutcome;
using protocols::PauseInterval;
using scenarios::Outcome;
using scenarios::Results;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Two racks of two servers under one spine. h0 and h2 send to h3, h1 sends to h2.
class PauseReports : public ::testing::Test {
 protected:
  explicit PauseReports(const std::vector<std::string>& overrides = {})
      : experiment_(build(overrides)), results_(simulate(experiment_)) {}

  static scenarios::Experiment build(const std::vector<std::string>& overrides) {
    const auto loaded = scenarios::load_scenario_text(R"(
name: storm
racks: {count: 2, servers: 2}
links: {access: {rate: 100Gbps, latency: 1us}, uplink: {rate: 100Gbps, latency: 1us}}
fabric: {topology: leaf-spine, spines: 1}
transport: {type: roce, receiver: any-order}
jobs:
  - name: traffic
    type: messages
    ranks: 0-3
    list: [{from: 0, to: 3, size: 1KiB}, {from: 1, to: 2, size: 1KiB}, {from: 2, to: 3, size: 1B}]
)",
                                                      "storm.yaml", overrides);
    EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    return std::move(scenarios::build_experiment(loaded.value().scenario)).value();
  }
  [[nodiscard]] PortId port(const char* from, const char* to) const {
    return port_between(experiment_.fabric, from, to);
  }
  /// A message between two ranks that is under way from `posted` to `acknowledged`.
  [[nodiscard]] MessageOutcome message(std::uint32_t from, std::uint32_t to, std::int64_t posted,
                                       std::int64_t acknowledged) const {
    const auto& connections = experiment_.workload.connections();
    for (std::uint32_t c = 0; c < connections.size(); ++c) {
      if (connections[c].source != ProcessId(from) || connections[c].destination != ProcessId(to)) {
        continue;
      }
      return {.connection = ConnectionId(c),
              .queue_pair = protocols::QueuePairId(c),
              .entropy = flow_entropy(HostId(from), HostId(to),
                                      queue_pair_number(connections[c].flow_label, 0)),
              .bytes = 1_KiB,
              .posted = Picoseconds(posted),
              .delivered = Picoseconds(acknowledged),
              .acknowledged = Picoseconds(acknowledged)};
    }
    ADD_FAILURE() << "no connection";
    return {};
  }
  /// leaf1->h3 is overloaded: leaf1 pauses the spine, the spine pauses leaf0, leaf0 its hosts. All
  /// intervals are far longer than a pause takes to act.
  [[nodiscard]] std::vector<PauseInterval> storm() const {
    const auto pause = [](PortId port, PortId cause, int start, int end) {
      return PauseInterval{.port = port,
                           .cause = cause,
                           .start = Picoseconds(start * 1'000'000LL),
                           .end = Picoseconds(end * 1'000'000LL)};
    };
    return {
        pause(port("h0", "leaf0"), port("leaf0", "spine0"), 500, 700),
        pause(port("h1", "leaf0"), port("leaf0", "spine0"), 550, 600),
        pause(port("leaf0", "spine0"), port("spine0", "leaf1"), 300, 800),
        pause(port("spine0", "leaf1"), port("leaf1", "h3"), 100, 900),
    };
  }
  [[nodiscard]] std::vector<MessageOutcome> messages() const {
    return {message(0, 3, 0, 1'000'000'000), message(1, 2, 200'000'000, 1'000'000'000),
            message(2, 3, 0, -1)};
  }
  [[nodiscard]] scenarios::PauseReport report_of(const std::vector<PauseInterval>& pauses) const {
    scenarios::FlowActivities activities(experiment_);
    activities.add(messages(), 2_ms);
    return report_pauses(experiment_, pauses, activities);
  }
  void report() { results_.pauses = report_of(storm()); }

  scenarios::Experiment experiment_;
  Results results_;
};

TEST_F(PauseReports, TheVictimIsTheFlowThatDoesNotGoToTheRoot) {
  report();
  const scenarios::PauseReport& r = results_.pauses;
  EXPECT_EQ(r.flows, 3u);
  ASSERT_THAT(r.victims, SizeIs(1));
  EXPECT_EQ(r.victims[0].source, HostId(1u));
  EXPECT_EQ(r.victims[0].destination, HostId(2u));
  EXPECT_EQ(r.victims[0].active, 800_us);
  EXPECT_EQ(r.victims[0].lost, 700_us);  // spine0->leaf1 from 200 to 900 us
}

TEST_F(PauseReports, TheSummaryNamesRootTreeAndVictim) {
  report();
  const std::string text = summary_text(results_);
  EXPECT_THAT(text, HasSubstr("leaf1[1]->h3 (overloaded)"));
  EXPECT_THAT(text, HasSubstr("\n    spine0[1]->leaf1[2] "));
  EXPECT_THAT(text, HasSubstr("\n      leaf0[2]->spine0[0] "));
  EXPECT_THAT(text, HasSubstr("\n        h0->leaf0[0] "));
  EXPECT_THAT(text, HasSubstr("h1 to h2"));
  EXPECT_THAT(text, HasSubstr("87.5 %"));
  EXPECT_THAT(text, HasSubstr("1 of 3 flows is a victim"));
}

TEST_F(PauseReports, WithoutTroubleTheSummarySaysNothing) {
  results_.pauses = {};
  EXPECT_EQ(pause_summary_text(results_), "");
  EXPECT_THAT(summary_text(results_), Not(HasSubstr("lost to")));
  EXPECT_THAT(summary_text(results_), HasSubstr("buffer drops 0"));
}

TEST_F(PauseReports, LossesToTtlAndFaultsAreNotBufferDrops) {
  results_.totals.ttl_drops = 3;
  results_.totals.fault_drops = 4;
  EXPECT_THAT(summary_text(results_), HasSubstr("lost to expired TTL 3   lost to faults 4"));
  EXPECT_THAT(summary_text(results_), HasSubstr("buffer drops 0"));
  EXPECT_EQ(summary_json(results_)["network"]["fault_drops"], 4);
}

TEST_F(PauseReports, TheJsonHoldsTheSame) {
  report();
  const auto json = summary_json(results_);
  EXPECT_EQ(json["pause_storms"]["count"], 1);
  const auto& storm = json["pause_storms"]["storms"][0];
  EXPECT_EQ(storm["root"], "egress");
  EXPECT_EQ(storm["ports"][0], "leaf1[1]->h3");
  EXPECT_EQ(storm["pauses"], 4);
  EXPECT_EQ(storm["paused_nics"], 2);
  EXPECT_DOUBLE_EQ(storm["paused_seconds"].get<double>(), 1550e-6);
  EXPECT_TRUE(storm["tree"][0]["parent"].is_null());
  EXPECT_EQ(storm["tree"][1]["parent"], 0);
  EXPECT_EQ(storm["tree"][3]["port"], "h1->leaf0[1]");
  EXPECT_EQ(storm["tree"][3]["parent"], 1);
  EXPECT_EQ(json["victims"]["count"], 1);
  EXPECT_EQ(json["victims"]["victims"][0]["lost_to"][0]["root"], "leaf1[1]->h3");
  EXPECT_TRUE(json["deadlock"].empty());
  EXPECT_TRUE(json["credit_starved"].empty());
}

TEST_F(PauseReports, TheFilesHoldEveryPauseVictimAndClass) {
  report();
  results_.class_names = {"bulk", "control, urgent"};
  results_.classes.assign(results_.ports.size() * 2, {});
  results_.classes[1] = {.bytes = 860_B,
                         .packets = 10,
                         .peak_bytes = 86_B,
                         .paused_time = 7_ps,
                         .pauses_received = 1,
                         .credit_stalls = 2,
                         .credit_stall_time = 9_ps};
  results_.ports[0].counters.bytes = 3440_B;
  const TemporaryFolder folder("report");
  ASSERT_TRUE(write_results(results_, "", folder.path() / "out", {.pauses = true}).ok());
  EXPECT_EQ(folder.read("out/classes.csv"),
            "port,class,bytes,packets,share,peak_queue_bytes,buffer_drops,pauses_received,paused_s,"
            "credit_stalls,credit_stall_s\n"
            "h0->leaf0[0],\"control, urgent\",860,10,0.250000,86,0,1,0.000000000007,2,"
            "0.000000000009\n");
  EXPECT_THAT(folder.read("out/pauses.csv"),
              HasSubstr("port,from,to,class,start_s,end_s,lasting,cause,root\n"
                        "h0->leaf0[0],leaf0,h0,bulk,0.000500000000,0.000700000000,0,"
                        "leaf0[2]->spine0[0],leaf1[1]->h3\n"));
  EXPECT_EQ(folder.read("out/victims.csv"),
            "job,source_rank,destination_rank,source,destination,queue_pair,class,active_s,lost_s,"
            "lost_share,root,lost_to_root_s\n"
            "traffic,1,2,h1,h2,0,bulk,0.000800000000,0.000700000000,0.875000,leaf1[1]->h3,"
            "0.000700000000\n");
  EXPECT_THAT(folder.read("out/ports.csv"), HasSubstr(",fault_drops,credit_stalls,credit_stall_s"));
}

TEST_F(PauseReports, PortsThatWaitForCreditsAreListedByTime) {
  protocols::ClassCounters& counters =
      results_.classes[port("leaf0", "spine0").value() * results_.class_names.size()];
  counters.credit_stalls = 12;
  counters.credit_stall_time = (results_.simulated - results_.measured_from) / 4;
  const std::string text = summary_text(results_);
  EXPECT_THAT(text, HasSubstr("idle for lack of credits"));
  EXPECT_THAT(text, HasSubstr("25.0 %"));
  EXPECT_EQ(summary_json(results_)["credit_starved"][0]["port"], "leaf0[2]->spine0[0]");
}

TEST_F(PauseReports, ADeadlockNamesItsCircle) {
  results_.deadlock = {{.port = port("leaf0", "spine0"), .waiting = 1_KiB},
                       {.port = port("spine0", "leaf1"), .waiting = 2_KiB}};
  results_.class_names = {"only"};
  EXPECT_EQ(describe_deadlock(results_),
            "deadlock: leaf0[2]->spine0[0] waits for spine0[1]->leaf1[2], "
            "spine0[1]->leaf1[2] waits for leaf0[2]->spine0[0]");
  results_.class_names = {"bulk", "control"};
  EXPECT_THAT(describe_deadlock(results_), HasSubstr("spine0[1]->leaf1[2] (bulk) waits for"));
  results_.outcome = Outcome::kDeadlocked;
  EXPECT_THAT(summary_text(results_), HasSubstr("deadlocked"));
  EXPECT_THAT(summary_text(results_), HasSubstr("each waits for the next"));
  EXPECT_EQ(summary_json(results_)["deadlock"][1]["waiting_bytes"], 2048);
}

class SprayedPauseReports : public PauseReports {
 protected:
  SprayedPauseReports() : PauseReports({"fabric.load_balancing=spray", "fabric.spines=2"}) {}
};

TEST_F(SprayedPauseReports, OnlyTheNicCountsAndThePathMayBeAny) {
  // Now leaf0->spine0 itself is overloaded and pauses h1, which may send that way: no victim. But
  // leaf0->h0 lies on no path of h1's.
  const auto victims_of = [this](PortId root) {
    const std::vector<PauseInterval> pauses{
        {.port = port("h1", "leaf0"), .cause = root, .start = 500_us, .end = 600_us},
        {.port = port("spine0", "leaf1"), .cause = root, .start = 500_us, .end = 900_us}};
    return report_of(pauses).victims;
  };
  EXPECT_THAT(victims_of(port("leaf0", "spine0")), IsEmpty());
  const auto victims = victims_of(port("leaf0", "h0"));
  ASSERT_THAT(victims, SizeIs(1));
  EXPECT_EQ(victims[0].source, HostId(1u));
  EXPECT_EQ(victims[0].lost, 100_us);
}

}  // namespace
}  // namespace weft::testing
