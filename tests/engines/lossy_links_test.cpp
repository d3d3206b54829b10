// Links that corrupt frames, in scenarios: what is counted where, what goes with it, what is
// refused, and what options of RoCE and of pauses do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "protocols/congestion/specs.hpp"
#include "scenarios/results/tables/ports_table.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using scenarios::Results;
using ::testing::HasSubstr;

Results run_lossy(const std::string& text) { return scenarios::simulate(experiment_of_text(text)); }

std::string first_error_of(const std::string& text) {
  const auto loaded = scenarios::load_scenario_text(text, "test.yaml");
  if (!loaded.ok()) return loaded.errors().front().to_string();
  const auto experiment = scenarios::build_experiment(loaded.value().scenario);
  return experiment.ok() ? "no error" : experiment.errors().front().to_string();
}

std::string two_racks(const std::string& links, const std::string& transport,
                      const std::string& fabric = "") {
  return "name: lossy\nseed: 3\nracks: {count: 2, servers: 4, server: {part: host-400g, nic: "
         "{rate: "
         "100Gbps}}}\nlinks: " +
         links + "\nfabric: {topology: leaf-spine, spines: 2, switch: spectrum-4" + fabric +
         "}\ntransport: " + transport +
         "\njobs: [{name: a, type: all-to-all, algorithm: pairwise, size: 8MiB}]\n";
}

std::vector<std::string> port_columns(bool has_errors) {
  std::vector<std::string> names;
  for (const auto& c : scenarios::PortsTable::declaration().known(true, has_errors).columns) {
    names.emplace_back(c.name);
  }
  return names;
}

TEST(LossyLinks, AreCountedAtTheEndOfTheLinkAndInTotal) {
  const Results r = run_lossy(
      two_racks("{access: {frame_loss_rate: 1e-3}}", "{type: roce, recovery: selective-repeat}"));
  EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
  EXPECT_TRUE(r.has_link_errors);
  std::int64_t access = 0;
  std::int64_t uplinks = 0;
  std::int64_t sent = 0;
  for (const auto& port : r.ports) {
    const bool is_access = port.node.starts_with("h") || port.peer_node.starts_with("h");
    (is_access ? access : uplinks) += port.counters.error_drops;
    if (is_access) sent += port.counters.packets;
  }
  EXPECT_EQ(uplinks, 0);
  EXPECT_EQ(r.totals.error_drops, access);
  EXPECT_EQ(r.totals.buffer_drops, 0);
  const double expected = 1e-3 * static_cast<double>(sent);
  EXPECT_NEAR(static_cast<double>(access), expected, 4 * std::sqrt(expected));
  EXPECT_THAT(port_columns(true), ::testing::Contains("error_drops"));
}

TEST(LossyLinks, LeaveNoTraceInResultsWithoutThem) {
  EXPECT_THAT(port_columns(false), ::testing::Not(::testing::Contains("error_drops")));
  const std::string transport = "{type: roce}";
  const Results r = run_lossy(two_racks("{access: {length: 3m}}", transport));
  EXPECT_FALSE(r.has_link_errors);
  // A rate of 0 is no rate.
  const Results none = run_lossy(two_racks("{access: {length: 3m, bit_error_rate: 0}}", transport));
  EXPECT_EQ(r.digest(), none.digest());
}

// Frames cost what their code words expose: of 1e-8 a packet of 4,178 B is lost with 4.1e-4.
TEST(LossyLinks, BitErrorsSpoilByTheCodeWord) {
  for (const char* word : {"rs-544", "rs-528", "rs-272", "none"}) {
    const auto e = experiment_of_text(
        two_racks(std::string("{uplink: {bit_error_rate: 1e-8, code_word: ") + word + "}}",
                  "{type: roce, recovery: selective-repeat}"));
    const Results r = scenarios::simulate(e);
    double expected = 0;
    for (std::size_t i = 0; i < e.fabric.ports.size(); ++i) {
      const auto& counters = r.ports[i].counters;
      if (counters.packets == 0) continue;
      // Data and ACKs mixed: errors are in proportion to what they expose.
      const LinkErrors& errors = e.fabric.ports[i].errors;
      const double one = frame_loss_probability(errors, 1_B);
      const double per_byte = frame_loss_probability(errors, 1'001_B) - one;
      expected += one * static_cast<double>(counters.packets) +
                  per_byte / 1000 * static_cast<double>(counters.bytes.count() - counters.packets);
    }
    EXPECT_GT(expected, 5) << word;
    EXPECT_NEAR(static_cast<double>(r.totals.error_drops), expected, 4 * std::sqrt(expected))
        << word;
  }
}

TEST(LossyLinks, AreRepairedUnderEveryCongestionControl) {
  for (const char* control : protocols::congestion::ControlSpecs::kNames) {
    if (std::string(control) == "nscc") continue;  // of Ultra Ethernet, which has a test of its own
    for (const char* balancing : {"ecmp", "spray"}) {
      const std::string transport =
          std::string("{type: roce, recovery: {type: selective-repeat, reordering: ") +
          (std::string(balancing) == "ecmp" ? "0" : "32") + "}, congestion_control: " + control +
          "}";
      const Results r = run_lossy(two_racks("{access: {frame_loss_rate: 2e-3}}", transport,
                                            std::string(", load_balancing: ") + balancing));
      EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished) << control << balancing;
      EXPECT_GT(r.totals.error_drops, 0) << control << balancing;
      EXPECT_GE(static_cast<std::int64_t>(r.totals.packets_retransmitted), r.totals.error_drops / 3)
          << control << balancing;
      EXPECT_EQ(r.totals.buffer_drops, 0) << control << balancing;
    }
  }
}

TEST(LossyLinks, AreRepairedInEveryKindOfClass) {
  for (const char* flow_control :
       {"none", "{type: pfc, xoff: 100KB, xon: 80KB}", "{type: credit, buffer: 64KiB}"}) {
    const Results r = run_lossy(two_racks(
        "{access: {frame_loss_rate: 2e-3}, uplink: {bit_error_rate: 1e-8}}",
        "{type: roce, recovery: selective-repeat, congestion_control: none}",
        std::string(", buffer_release: transmission-end, flow_control: ") + flow_control));
    EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished) << flow_control;
    EXPECT_GT(r.totals.error_drops, 0) << flow_control;
  }
}

// While the fault holds, and not before or after: 1 MiB to a host whose link corrupts a tenth of
// what it carries for 40 us.
TEST(LossyLinks, AFaultSpoilsForATime) {
  const auto dropped = [](const std::string& times) {
    return run_lossy(
               two_racks("{access: {length: 3m}}", "{type: roce, recovery: selective-repeat}") +
               "faults: [{type: bit-errors, from: h5, " + times + "frame_loss_rate: 0.1}]\n")
        .totals.error_drops;
  };
  EXPECT_GT(dropped("at: 10us, until: 50us, "), 3);
  EXPECT_LT(dropped("at: 10us, until: 50us, "), dropped("at: 10us, "));
  EXPECT_EQ(dropped("at: 1s, until: 2s, "), 0);
}

TEST(LossyLinks, AreRefusedWhereTheyHaveNoMeaning) {
  const std::string roce = "{type: roce}";
  EXPECT_THAT(
      first_error_of(two_racks("{access: {bit_error_rate: 1e-9, frame_loss_rate: 1e-3}}", roce)),
      HasSubstr("links.access.frame_loss_rate: `1e-3` given together with bit_error_rate"));
  EXPECT_THAT(first_error_of(two_racks("{access: {code_word: rs-528}}", roce)),
              HasSubstr("bit_error_rate"));
  EXPECT_THAT(first_error_of(two_racks("{access: {frame_loss_rate: 2}}", roce)),
              HasSubstr("links.access.frame_loss_rate"));
  const std::string domain =
      "name: d\nracks: {count: 2, servers: 1, server: hgx-h100}\n"
      "fabric: {topology: leaf-spine, spines: 2}\n"
      "jobs: [{name: a, type: permutation, size: 4KiB}]\n";
  EXPECT_THAT(first_error_of(domain + "links: {changes: [{from: gpu3, network: scale-up, "
                                      "bit_error_rate: 1e-9}]}\n"),
              HasSubstr("scale-up domain"));
  EXPECT_THAT(first_error_of(domain + "faults: [{type: bit-errors, from: gpu3, network: scale-up, "
                                      "bit_error_rate: 1e-9}]\n"),
              HasSubstr("scale-up domain"));
  EXPECT_EQ(first_error_of(domain + "links: {changes: [{from: gpu3, bit_error_rate: 1e-9}]}\n"),
            "no error");
}

TEST(LossyLinks, OptionsThatRecoveryHasNoUseForAreRefused) {
  const std::string links = "{access: {length: 3m}}";
  EXPECT_THAT(first_error_of(
                  two_racks(links, "{type: roce, recovery: selective-repeat, receiver: in-order}")),
              HasSubstr("transport.receiver"));
  EXPECT_THAT(first_error_of(two_racks(
                  links, "{type: roce, recovery: selective-repeat, ack: {nack_interval: 5us}}")),
              HasSubstr("nack_interval"));
  EXPECT_THAT(first_error_of(
                  two_racks(links, "{type: roce, receiver: any-order, ack: {nack_interval: 5us}}")),
              HasSubstr("nack_interval"));
  EXPECT_THAT(first_error_of(two_racks(
                  links, "{type: roce, queue_pair_life: message, queue_pair_use: bidirectional}")),
              HasSubstr("queue_pair_life"));
  EXPECT_THAT(first_error_of(two_racks(links,
                                       "{type: roce, recovery: {type: selective-repeat, "
                                       "timeout_low: 2ms}}")),
              HasSubstr("timeout_low"));
}

/// Messages of h0, h1 and h2 to h4 at once, for 484 us; then one of h0 alone.
std::string burst_and_lone(const std::string& life) {
  return "name: fresh\nracks: {count: 2, servers: 4, server: {part: host-400g, nic: {rate: "
         "100Gbps}}}\n"
         "fabric: {topology: leaf-spine, spines: 2, ecn: {type: step, kmin: 20KB}}\n"
         "transport: {type: roce, congestion_control: {type: dcqcn, preset: paper}" +
         life +
         "}\njobs:\n"
         "  - {name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 1MiB}, "
         "{from: 0, to: 1, size: 1MiB, start: 600us}]}\n"
         "  - {name: b, type: messages, ranks: [h1, h4], list: [{from: 0, to: 1, size: 1MiB}]}\n"
         "  - {name: c, type: messages, ranks: [h2, h4], list: [{from: 0, to: 1, size: 1MiB}]}\n";
}

// The second message of h0 finds the network idle: on a queue pair of its own it takes its ideal
// time, and on the old one what marks have left of the rate.
TEST(QueuePairLife, AFreshQueuePairKnowsNothingOfEarlierMessages) {
  const auto slowdown = [](const std::string& life) {
    const MessageRun run = packet_run(experiment_of_text(burst_and_lone(life)));
    double lone = 0;
    for (const auto& m : run.messages) {
      EXPECT_TRUE(m.is_complete());
      if (m.start > 500_us) lone = m.slowdown();
    }
    return lone;
  };
  EXPECT_GT(slowdown(""), 1.2);
  EXPECT_LE(slowdown(", queue_pair_life: message"), 1.001);
}

// Messages of one connection in one place follow one another, and in several they share the link.
TEST(QueuePairLife, MessagesInOnePlaceFollowOneAnother) {
  const auto ends = [](const std::string& transport) {
    std::string list;
    for (int i = 0; i < 4; ++i) list += "{from: 0, to: 1, size: 1MiB}, ";
    const MessageRun run = packet_run(experiment_of_text(
        "name: places\nracks: {count: 1, servers: 2, server: {part: host-400g, nic: {rate: "
        "100Gbps}}}\nfabric: {topology: leaf-spine, spines: 1}\ntransport: {type: roce, "
        "congestion_control: none, queue_pair_life: message" +
        transport + "}\njobs: [{name: a, type: messages, list: [" + list + "]}]\n"));
    std::vector<double> times;
    for (const auto& m : run.messages) times.push_back(to_seconds(*m.completed));
    std::ranges::sort(times);
    return times;
  };
  const std::vector<double> one = ends("");
  const std::vector<double> four = ends(", queue_pairs: 4");
  ASSERT_EQ(one.size(), 4u);
  ASSERT_EQ(four.size(), 4u);
  EXPECT_NEAR(one[0] * 4, one[3], 0.02 * one[3]);
  EXPECT_NEAR(four[0], four[3], 0.02 * four[3]);
  EXPECT_NEAR(four[3], one[3], 0.05 * one[3]);
}

// A lost repair: without an interval only the time-out of 67 ms tells of it.
TEST(NackInterval, AGapIsReportedAgain) {
  const auto took = [](const std::string& interval) {
    const Results r = run_lossy(
        "name: again\nracks: {count: 1, servers: 2, server: {part: host-400g, nic: {rate: "
        "100Gbps}}}\nfabric: {topology: leaf-spine, spines: 1}\ntransport: {type: roce, "
        "congestion_control: none" +
        interval +
        "}\njobs: [{name: a, type: messages, list: [{from: 0, to: 1, size: 4MiB}]}]\n"
        "faults: [{type: bit-errors, from: h0, at: 20us, until: 20400ns, frame_loss_rate: 1}, "
        "{type: bit-errors, from: h0, at: 21us, until: 24us, frame_loss_rate: 1}]\n");
    EXPECT_EQ(r.outcome, scenarios::Outcome::kFinished);
    EXPECT_GT(r.totals.error_drops, 5);
    return r.jobs.front().jct;
  };
  EXPECT_GT(took(""), 67_ms);
  EXPECT_LT(took(", ack: {nack_interval: 10us}"), 1_ms);
}

// 3 senders at 100 Gbps into one link of 25 Gbps, so that pauses last longer than 65,535 quanta of
// 512 bits: 335.5 us. Those that run out let the sender continue until the next packet asks again;
// the buffer holds what comes, and more pauses are sent in place of refreshes and resumes.
TEST(Pauses, ThatExpireAreAskedForAgain) {
  const auto run = [](const std::string& quanta) {
    return run_lossy(
        "name: expire\nracks: {count: 1, servers: 4, server: {part: host-400g, nic: {rate: "
        "100Gbps}}}\nlinks: {changes: [{from: h0, rate: 1Gbps}]}\nfabric: {topology: leaf-spine, "
        "spines: 1, ecn: none, flow_control: {type: pfc, xoff: 200KB, xon: 20KB}, pause: "
        "{quanta: " +
        quanta +
        "}}\ntransport: {type: roce, congestion_control: none}\n"
        "jobs: [{name: a, type: incast, senders: 3, receiver: 0, size: 1MiB}]\n");
  };
  const Results standard = run("standard");
  const Results expiring = run("expire");
  EXPECT_EQ(standard.outcome, scenarios::Outcome::kFinished);
  EXPECT_EQ(expiring.outcome, scenarios::Outcome::kFinished);
  EXPECT_EQ(expiring.totals.buffer_drops, 0);
  EXPECT_GT(expiring.totals.pauses, 3);
  // A pause that is refreshed lasts until the queue is short; one that expires does not.
  EXPECT_LT(expiring.totals.paused_time, standard.totals.paused_time);
  std::int64_t peak[2] = {0, 0};
  for (const auto& port : standard.ports) {
    peak[0] = std::max(peak[0], port.counters.peak_backlog.count());
  }
  for (const auto& port : expiring.ports) {
    peak[1] = std::max(peak[1], port.counters.peak_backlog.count());
  }
  EXPECT_GT(peak[1], peak[0]);
}

}  // namespace
}  // namespace weft::testing
