// What the shipped scenarios say one should look for, with the numbers of their headers. Tolerances
// are the last digit that a header gives.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Results shipped_run(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto loaded =
      load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/" + name + ".yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto experiment = build_experiment(loaded.value().scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  return simulate(experiment.value());
}

double over_ideal(const JobResult& job) { return to_seconds(job.jct) / to_seconds(job.ideal); }

const PortResult& busiest_port(const Results& r) {
  return *std::ranges::max_element(r.ports, {}, [](const PortResult& p) { return p.utilisation; });
}

std::int64_t deepest_queue(const Results& r) {
  std::int64_t max = 0;
  for (const PortResult& port : r.ports) {
    max = std::max(max, port.counters.peak_backlog.count());
  }
  return max;
}

// "JCT/ideal is 1.00; the single message takes 20 times as long; the busiest port is the one to the
// receiver; its queue grows to 10 MiB until PFC pauses the spines."
TEST(ShippedClaims, Incast) {
  const Results r = shipped_run("incast");
  EXPECT_NEAR(over_ideal(r.jobs[0]), 1.00, 0.005);
  EXPECT_NEAR(r.jobs[0].message_slowdown->p50, 20, 0.5);
  EXPECT_THAT(busiest_port(r).name, HasSubstr("->h0"));
  EXPECT_NEAR(static_cast<double>(deepest_queue(r)) / (1 << 20), 10, 0.5);
  EXPECT_GT(r.totals.pauses, 0);
  EXPECT_EQ(r.totals.buffer_drops, 0);
  // "PFC alone: nearly the same" and "no PFC: drops, go-back-N".
  const Results pfc = shipped_run("incast", {"transport.congestion_control=none"});
  EXPECT_NEAR(to_seconds(pfc.jobs[0].jct) / to_seconds(r.jobs[0].jct), 1, 0.01);
  const Results lossy =
      shipped_run("incast", {"fabric.flow_control=none", "fabric.switch.buffer=8MB"});
  EXPECT_GT(lossy.totals.buffer_drops, 0);
  EXPECT_GT(lossy.totals.packets_retransmitted, 0);
}

// "Gradients near 4/3, bulk near 2; urgent messages wait for no queue", and what equal shares and
// the same class make of them.
TEST(ShippedClaims, Priorities) {
  const Results r = shipped_run("priorities");
  EXPECT_NEAR(over_ideal(r.jobs[0]), 2.0, 0.05);
  EXPECT_NEAR(over_ideal(r.jobs[1]), 4.0 / 3, 0.05);
  EXPECT_NEAR(over_ideal(r.jobs[2]), 1, 0.01);
  const Results equal = shipped_run("priorities", {"fabric.classes[0].weight=3"});
  EXPECT_NEAR(over_ideal(equal.jobs[0]), 2, 0.05);
  EXPECT_NEAR(over_ideal(equal.jobs[1]), 2, 0.05);
  const Results bulk = shipped_run("priorities", {"jobs[2].class=bulk"});
  EXPECT_GT(bulk.jobs[2].message_slowdown->p99, 10 * r.jobs[2].message_slowdown->p99);
}

// "It gets a sixth of the link, JCT/ideal is 6"; congestion control takes it out of the storm.
TEST(ShippedClaims, PfcVictim) {
  EXPECT_NEAR(over_ideal(shipped_run("pfc-victim").jobs[1]), 6, 0.5);
  EXPECT_LT(over_ideal(shipped_run("pfc-victim", {"transport.congestion_control=dcqcn"}).jobs[1]),
            1.5);
}

// "An eighth of the 400 Gbps"; full rate with a buffer of rate times loop, a short cable, or PFC.
TEST(ShippedClaims, CreditLoop) {
  EXPECT_NEAR(over_ideal(shipped_run("credit-loop").jobs[0]), 8, 0.1);
  for (const char* cure : {"fabric.flow_control.buffer=2MiB", "fabric.links[1].length=30m",
                           "fabric.flow_control=pfc"}) {
    EXPECT_LT(over_ideal(shipped_run("credit-loop", {cure}).jobs[0]), 1.1) << cure;
  }
}

// "The job of the others waits for the end of the storm, too; without the fault it is over after
// 0.4 ms."
TEST(ShippedClaims, PfcStorm) {
  EXPECT_GT(to_seconds(shipped_run("pfc-storm").jobs[1].jct), 2e-3);
  EXPECT_NEAR(to_seconds(shipped_run("pfc-storm", {"faults=[]"}).jobs[1].jct), 0.4e-3, 0.05e-3);
}

// "With `exact` nothing is dropped"; with too little something is.
TEST(ShippedClaims, PfcHeadroom) {
  EXPECT_EQ(shipped_run("pfc-headroom").totals.buffer_drops, 0);
  EXPECT_EQ(
      shipped_run("pfc-headroom", {"fabric.flow_control.headroom=sn5600"}).totals.buffer_drops, 0);
  EXPECT_GT(shipped_run("pfc-headroom", {"fabric.flow_control.headroom=40KB"}).totals.buffer_drops,
            0);
}

// "No packet can ever be sent again", and two cures.
TEST(ShippedClaims, PfcDeadlock) {
  EXPECT_EQ(shipped_run("pfc-deadlock").outcome, Outcome::kDeadlocked);
  EXPECT_EQ(
      shipped_run("pfc-deadlock", {"fabric.next_hops[2].via=[s1]", "fabric.next_hops[3].via=[s2]"})
          .outcome,
      Outcome::kFinished);
  EXPECT_EQ(shipped_run("pfc-deadlock", {"fabric.flow_control=none"}).outcome, Outcome::kFinished);
}

// "The leaves' uplinks are the busiest ports, and full: 28 % of what the NICs could"; with four
// times the spines the NICs are full.
TEST(ShippedClaims, Oversubscription) {
  const Results r = shipped_run("oversubscription");
  EXPECT_THAT(busiest_port(r).name, AnyOf(StartsWith("leaf"), HasSubstr("->leaf")));
  double nics = 0;
  double hosts = 0;
  for (const PortResult& port : r.ports) {
    if (!port.name.starts_with("h")) continue;
    nics += port.utilisation;
    ++hosts;
  }
  EXPECT_NEAR(nics / hosts, 0.28, 0.03);
}

// "JCT/ideal is far above 1: ECMP puts several flows on one uplink. Spraying cures it."
TEST(ShippedClaims, Permutation) {
  const Results r = shipped_run("permutation", {"jobs[0].size=1MiB"});
  EXPECT_GT(over_ideal(r.jobs[0]), 2);
  const Results sprayed = shipped_run(
      "permutation",
      {"jobs[0].size=1MiB", "fabric.load_balancing=spray", "transport.receiver=any-order"});
  EXPECT_LT(over_ideal(sprayed.jobs[0]), 1.3);
}

// "Balanced, the time is that of the bytes; skewed, the most popular expert's link sets it, and
// JCT/ideal stays near 1."
TEST(ShippedClaims, MoeAllToAll) {
  const Results r = shipped_run("moe-all-to-all");
  EXPECT_LT(over_ideal(r.jobs[0]), 1.2);
  EXPECT_LT(over_ideal(r.jobs[1]), 1.05);
  EXPECT_GT(to_seconds(r.jobs[1].jct), 3 * to_seconds(r.jobs[0].jct));
}

// "To 1e-3 both take at most 3 % longer; at 1e-2 go-back-N takes 148 times as long, IRN 2.1 times",
// and what a larger cap, repeated NACKs and longer cables make of it.
TEST(ShippedClaims, Loss) {
  const Results r = shipped_run("loss");
  ASSERT_EQ(r.jobs.size(), 10u);
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 7, 8}) {
    EXPECT_LT(over_ideal(r.jobs[i]), 1.03) << r.jobs[i].name;
  }
  EXPECT_NEAR(over_ideal(r.jobs[4]), 148, 0.5);
  EXPECT_NEAR(over_ideal(r.jobs[9]), 2.1, 0.05);
  const Results larger = shipped_run("loss", {"fabric.classes[1].transport.recovery.cap=1MB"});
  EXPECT_NEAR(over_ideal(larger.jobs[8]), 1 / (1 - 1e-3), 1e-3);
  EXPECT_NEAR(over_ideal(larger.jobs[9]), 1.68, 0.005);
  const Results again = shipped_run("loss", {"fabric.classes[0].transport.ack.nack_interval=10us"});
  EXPECT_NEAR(over_ideal(again.jobs[4]), 1.37, 0.005);
  const Results longer = shipped_run("loss", {"links.access.length=2km"});
  EXPECT_NEAR(over_ideal(longer.jobs[3]), 1.29, 0.005);
}

/// Bytes that ports whose names have all of the words have sent.
std::int64_t sent(const Results& r, const std::vector<std::string>& words) {
  std::int64_t bytes = 0;
  for (const PortResult& port : r.ports) {
    if (std::ranges::all_of(words, [&](const std::string& word) {
          return port.name.find(word) != std::string::npos;
        })) {
      bytes += port.counters.bytes.count();
    }
  }
  return bytes;
}

// "The uplinks of three leaves are full; from 300 us on every fourth packet is lost, from 500 us on
// none; queues grow in front of the other three spines until PFC pauses the servers; what was lost
// is sent again after its time-out; at 1.4 ms the spine is used again. JCT/ideal is 1.5. Without
// rerouting packets are lost for as long as the spine is down." And the two faults beside it.
TEST(ShippedClaims, LinkFailure) {
  const auto until = [](const std::string& time) {
    return shipped_run("link-failure", {"run.until=" + time});
  };
  const Results before = until("300us");
  EXPECT_EQ(before.totals.fault_drops, 0);
  for (const PortResult& port : before.ports) {
    if (port.name.starts_with("leaf") && port.name.find("->spine") != std::string::npos &&
        !port.name.starts_with("leaf1")) {
      EXPECT_GT(port.utilisation, 0.99) << port.name;
    }
  }
  const Results rerouted = until("500us");
  // Of the data of 11 servers, whose peers are in other racks, and of the ACKs of what arrives.
  const double packets = 11 * (100e9 / 8) * 200e-6 / 4264;
  const double lost = packets / 4 + packets * 3 / 4 / 4;
  EXPECT_NEAR(static_cast<double>(rerouted.totals.fault_drops), lost, 0.03 * lost);
  EXPECT_EQ(rerouted.totals.pauses, 0);
  const Results back = until("1400us");
  EXPECT_EQ(back.totals.fault_drops, rerouted.totals.fault_drops);
  EXPECT_EQ(sent(back, {"->spine3"}), sent(before, {"->spine3"}));
  EXPECT_GT(back.totals.pauses, 0);
  const Results r = shipped_run("link-failure");
  EXPECT_EQ(r.totals.fault_drops, rerouted.totals.fault_drops);
  EXPECT_GT(sent(r, {"->spine3"}), 1.2 * static_cast<double>(sent(back, {"->spine3"})));
  EXPECT_GE(r.totals.packets_retransmitted, r.totals.fault_drops);
  EXPECT_GT(r.totals.timeouts, 0);
  EXPECT_NEAR(over_ideal(r.jobs[0]), 1.5, 0.05);
  const Results never = shipped_run("link-failure", {"fabric.convergence=never"});
  EXPECT_GT(never.totals.fault_drops, 3 * r.totals.fault_drops);
  const std::string fault = "from: leaf0, to: spine3, at: 300us";
  const Results link = shipped_run("link-failure", {"faults=[{type: link-down, " + fault + "}]"});
  EXPECT_GT(link.totals.fault_drops, 0);
  EXPECT_LT(link.totals.fault_drops, r.totals.fault_drops);
  const Results slow =
      shipped_run("link-failure", {"faults=[{type: link-rate, rate: 25Gbps, " + fault + "}]"});
  EXPECT_GT(slow.packet_latency.max(), 5 * before.packet_latency.max());
}

// "A ring moves the fewest bytes; halving-doubling as many, but is held up; recursive doubling
// three times as many; the root's link of a binomial tree carries six vectors each way; a ninth of
// what `hierarchical` sends leaves a rack. `best` says what the cost model picks, and why."
TEST(ShippedClaims, AllReduceAlgorithms) {
  const Results r = shipped_run("allreduce-algorithms");
  const auto bytes = [&](std::size_t job) {
    return static_cast<double>(r.jobs[job].bytes.count());
  };
  for (const std::size_t job : {1, 2, 3, 4, 5, 6, 7}) EXPECT_GE(bytes(job), bytes(0));
  EXPECT_EQ(bytes(3), bytes(0));
  EXPECT_NEAR(bytes(4) / bytes(0), 3, 0.1);
  const auto held_up = [&](std::size_t job) {
    const CriticalPath& path = r.collectives.at(job).path;
    return to_seconds(path.queueing + path.paused) / to_seconds(path.total());
  };
  EXPECT_LT(held_up(0), 0.02);
  EXPECT_GT(held_up(3), 0.5);
  EXPECT_THAT(r.jobs[7].choice, HasSubstr("cost model: two-shot"));
  const double vector = 8 << 20;
  const auto alone = [](int job) {
    const std::vector<std::string> names = {"binomial-tree", "hierarchical"};
    std::string more = job == 0 ? "" : ", domain_size: 8, execution: {chunk: 256KiB}";
    return shipped_run("allreduce-algorithms", {"jobs=[{name: one, type: all-reduce, size: 8MiB, "
                                                "algorithm: " +
                                                names[job] + more + "}]"});
  };
  const Results tree = alone(0);
  EXPECT_NEAR(static_cast<double>(sent(tree, {"h0->leaf0"})) / vector, 6, 0.4);
  EXPECT_NEAR(static_cast<double>(sent(tree, {"->h0"})) / vector, 6, 0.4);
  const Results hierarchical = alone(1);
  std::int64_t out = 0;
  for (const PortResult& port : hierarchical.ports) {
    if (port.name.starts_with("h")) out += port.counters.bytes.count();
  }
  EXPECT_NEAR(static_cast<double>(sent(hierarchical, {"->spine"})) / static_cast<double>(out),
              1 / 9.0, 0.005);
}

double busbw(const JobResult& job) { return *job.bus_bandwidth / 1e9; }

// "191 GB/s at 64 MiB".
TEST(ShippedClaims, NcclA100) { EXPECT_NEAR(busbw(shipped_run("nccl-a100").jobs[0]), 191, 0.5); }

// "A single call costs the start of the transport besides": 220 us. The same servers with
// ConnectX-7 have neither that nor the latency of EFA's transport.
TEST(ShippedClaims, NcclB200FourNodes) {
  const auto seconds = [](std::vector<std::string> overrides) {
    overrides.emplace_back("jobs[0].size=256KiB");
    return to_seconds(shipped_run("nccl-b200-4-nodes", overrides).jobs[0].jct);
  };
  const double single = seconds({});
  const double again = seconds({"racks.server.nic.start_latency=0ns"});
  EXPECT_NEAR(single - again, 220e-6, 1e-6);
  EXPECT_LT(seconds({"racks.server=hgx-b200"}), again - 4 * 14e-6);
}

}  // namespace
}  // namespace weft::scenarios
