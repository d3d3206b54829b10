// Which links a change or a fault means. An HGX H100 server has 8 GPUs, each with 18 NVLinks to its
// NVSwitches and a NIC: of `gpu13` these are 18 cables of the scale-up network and one of the
// scale-out network. A cable has two directions.

#include "scenarios/build/changed_links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using protocols::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTwoServers = R"(
name: two-servers
racks: {count: 2, servers: 1, server: hgx-h100}
fabric: {topology: leaf-spine, spines: 2}
jobs: [{name: a, type: permutation, size: 4KiB}]
)";

Result<Experiment> build_changed(const std::vector<std::string>& overrides) {
  auto loaded = load_scenario_text(kTwoServers, "t.yaml", overrides);
  if (!loaded) return loaded.errors();
  auto experiment = build_experiment(loaded.value().scenario);
  if (!experiment.ok()) return loaded.value().located(experiment.errors());
  return experiment;
}

std::string first_error(const std::vector<std::string>& overrides) {
  const auto experiment = build_changed(overrides);
  return experiment.ok() ? "no error" : experiment.errors().front().to_string();
}

/// How many directions of each network run at `rate`.
std::map<NetworkKind, int> directions_at(const Fabric& fabric, BitsPerSecond rate) {
  std::map<NetworkKind, int> count;
  for (std::size_t p = 0; p < fabric.ports.size(); ++p) {
    if (fabric.ports[p].rate == rate) ++count[fabric.network_of(PortId(p))];
  }
  return count;
}

std::map<NetworkKind, int> changed(const std::string& change) {
  const auto e = build_changed({"links.changes=[" + change + "]"});
  EXPECT_TRUE(e.ok()) << first_error({"links.changes=[" + change + "]"});
  return e.ok() ? directions_at(e.value().fabric, 7_Gbps) : std::map<NetworkKind, int>{};
}

using Directions = std::map<NetworkKind, int>;
constexpr NetworkKind kScaleOut = NetworkKind::kScaleOut;
constexpr NetworkKind kScaleUp = NetworkKind::kScaleUp;

TEST(ChangedLinks, ASlowNicLeavesTheNvlinksOfItsGpuAlone) {
  EXPECT_EQ(changed("{from: gpu13, rate: 7Gbps}"), (Directions{{kScaleOut, 2}}));
}

TEST(ChangedLinks, AreThoseOfTheNetworkThatIsNamed) {
  EXPECT_EQ(changed("{from: gpu13, network: scale-out, rate: 7Gbps}"),
            (Directions{{kScaleOut, 2}}));
  EXPECT_EQ(changed("{from: gpu13, network: scale-up, rate: 7Gbps}"), (Directions{{kScaleUp, 36}}));
  EXPECT_EQ(changed("{from: gpu13, network: both, rate: 7Gbps}"),
            (Directions{{kScaleOut, 2}, {kScaleUp, 36}}));
}

TEST(ChangedLinks, WithBothEndsAreThoseBetweenThem) {
  EXPECT_EQ(changed("{from: gpu13, to: leaf1, rate: 7Gbps}"), (Directions{{kScaleOut, 2}}));
  EXPECT_EQ(changed("{from: gpu13, to: chip4, rate: 7Gbps}"), (Directions{{kScaleUp, 10}}))
      << "five links to the first NVSwitch of an HGX H100";
  EXPECT_EQ(changed("{from: leaf0, rate: 7Gbps}"), (Directions{{kScaleOut, 20}}))
      << "eight NICs and two spines";
}

/// Latencies and rates of all ports.
std::vector<std::pair<std::int64_t, std::int64_t>> cables_of(
    const std::vector<std::string>& overrides) {
  const auto e = build_changed(overrides);
  EXPECT_TRUE(e.ok()) << first_error(overrides);
  std::vector<std::pair<std::int64_t, std::int64_t>> cables;
  if (!e.ok()) return cables;
  for (const Port& port : e.value().fabric.ports) {
    cables.emplace_back(port.wire_latency.count(), port.rate.count());
  }
  return cables;
}

TEST(ChangedLinks, ALengthAloneIsOneOfTheCableThatIsThere) {
  const auto changes = [](const std::string& change) {
    return std::vector<std::string>{"links.changes=[" + change + "]"};
  };
  const auto unchanged = cables_of({});
  const auto uplink = cables_of(changes("{from: leaf0, to: spine1, length: 100m}"));
  EXPECT_EQ(uplink, cables_of(changes("{from: leaf0, to: spine1, length: 100m, cable: fibre}")));
  EXPECT_NE(uplink, unchanged);
  const auto access = cables_of(changes("{from: gpu13, length: 2m}"));
  EXPECT_EQ(access, cables_of(changes("{from: gpu13, length: 2m, cable: copper}")));
  EXPECT_NE(access, unchanged);
  EXPECT_EQ(cables_of(changes("{from: spine0, length: 30m}")), unchanged) << "as it was";
  std::vector<std::string> optical = changes("{from: gpu13, to: leaf1, length: 20m}");
  optical.emplace_back("links.access.cable=active-optical");
  std::vector<std::string> said = changes(
      "{from: gpu13, to: leaf1, length: 20m, "
      "cable: active-optical}");
  said.emplace_back("links.access.cable=active-optical");
  EXPECT_EQ(cables_of(optical), cables_of(said)) << "the cable of the role, whatever it is";
}

TEST(ChangedLinks, ALengthAloneNeedsOneKnownCable) {
  EXPECT_THAT(first_error({"links.changes=[{from: leaf0, length: 9m}]"}),
              HasSubstr("links.changes[0].length: needs a cable beside it, or `to`: `leaf0` has "
                        "links of several cables (links.access, links.uplink)"));
  EXPECT_THAT(first_error({"links.changes=[{from: gpu1, network: scale-up, length: 9m}]"}),
              HasSubstr("needs a cable beside it: links of scale-up domains have none"));
  EXPECT_THAT(first_error({"links.changes=[{from: gpu1, to: chip0, length: 9m}]"}),
              HasSubstr("no cable is known of links between `gpu1` and `chip0`"));
  EXPECT_THAT(first_error({"links.changes=[{from: gpu1, length: 9m}]", "links.access.latency=1us"}),
              HasSubstr("links.access has a latency in place of a length and a cable"));
  EXPECT_THAT(first_error({"links.changes=[{from: gpu1, cable: fibre}]"}),
              HasSubstr("has a cable but no length"));
}

TEST(ChangedLinks, ALengthAloneOfAListedLinkIsOneOfItsCable) {
  constexpr const char* kCustom = R"(
name: listed
fabric:
  topology: custom
  nodes: [{name: a, kind: host}, {name: b, kind: host}, {name: s, kind: switch}]
  links:
    - {from: a, to: s, rate: 100Gbps, length: 5m, cable: fibre}
    - {from: s, to: b, rate: 100Gbps, latency: 1us}
jobs: [{name: j, type: permutation, size: 4KiB}]
)";
  const auto latency = [&](const std::string& change) {
    const auto loaded = load_scenario_text(kCustom, "t.yaml", {"links.changes=[" + change + "]"});
    if (!loaded) return loaded.errors().front().to_string();
    const auto e = build_experiment(loaded.value().scenario);
    if (!e.ok()) return e.errors().front().to_string();
    return std::to_string(e.value().fabric.ports[0].wire_latency.count());
  };
  EXPECT_EQ(latency("{from: s, to: a, length: 500m}"),
            latency("{from: a, to: s, length: 500m, cable: fibre}"));
  EXPECT_NE(latency("{from: a, length: 500m}"), latency("{from: a, length: 5m}"));
  EXPECT_THAT(latency("{from: b, length: 5m}"),
              HasSubstr("fabric.links[1] has a latency in place of a length and a cable"));
}

TEST(ChangedLinks, OfFaultsAreChosenAlike) {
  for (const std::string fault : {"type: link-rate, rate: 7Gbps", "type: link-down, until: 1us",
                                  "type: link-latency, added: 1us"}) {
    SCOPED_TRACE(fault);
    const auto faulty = [&](const std::string& network) {
      std::string fault_of_gpu = "faults=[{from: gpu13, ";
      fault_of_gpu.append(fault).append(network).append("}]");
      const auto e = build_changed({fault_of_gpu});
      Directions count;
      if (!e.ok()) return count;
      for (const Fault& f : e.value().faults) ++count[e.value().fabric.network_of(f.port)];
      return count;
    };
    EXPECT_EQ(faulty(""), (Directions{{kScaleOut, 2}}));
    EXPECT_EQ(faulty(", network: scale-up"), (Directions{{kScaleUp, 36}}));
    EXPECT_EQ(faulty(", network: both"), (Directions{{kScaleOut, 2}, {kScaleUp, 36}}));
  }
}

TEST(ChangedLinks, APausedNicIsNoScaleUpLink) {
  const auto e = build_changed({"faults=[{type: nic-pause, host: gpu13}]"});
  ASSERT_TRUE(e.ok());
  ASSERT_EQ(e.value().faults.size(), 1U);
  EXPECT_EQ(e.value().fabric.port_name(e.value().faults[0].port), "gpu13->leaf1[5]");
  const auto lone = build_changed({"fabric={topology: single-domain}", "racks.count=1",
                                   "faults=[{type: nic-pause, host: gpu3}]"});
  ASSERT_FALSE(lone.ok());
  EXPECT_THAT(lone.errors().front().to_string(), HasSubstr("faults[0].host: `gpu3` has no NIC"));
}

TEST(ChangedLinks, ANetworkThatMeansNothingIsRefused) {
  EXPECT_THAT(first_error({"links.changes=[{from: gpu13, to: leaf1, network: scale-out, rate: "
                           "7Gbps}]"}),
              HasSubstr("links.changes[0].network: has a meaning only without `to`, which says "
                        "which links are meant"));
  EXPECT_THAT(first_error({"links.changes=[{from: leaf0, network: scale-up, rate: 7Gbps}]"}),
              HasSubstr("links.changes[0].network: `leaf0` has no scale-up link; for its 10 "
                        "scale-out links say `network: scale-out`"));
  EXPECT_THAT(first_error({"faults=[{type: link-down, from: leaf0, network: both}]"}),
              HasSubstr("faults[0].network: `leaf0` has no scale-up link"));
  EXPECT_THAT(first_error({"faults=[{type: link-down, from: chip0}]"}),
              HasSubstr("faults[0].network: `chip0` has no scale-out link; for its 40 scale-up "
                        "links say `network: scale-up`"));
  EXPECT_THAT(first_error({"links.changes=[{from: gpu13, network: nvlink, rate: 7Gbps}]"}),
              HasSubstr("expected one of scale-out, scale-up, both"));
}

TEST(ChangedLinks, ASwitchThatIsDownLosesAllOfItsLinks) {
  const auto e = build_changed({"faults=[{type: switch-down, switch: chip0, until: 1us}]"});
  ASSERT_TRUE(e.ok());
  EXPECT_EQ(e.value().faults.size(), 80U);
}

TEST(ChangedLinks, AreCountedByNetwork) {
  const auto e =
      build_changed({"links.changes=[{from: gpu13, rate: 7Gbps}, "
                     "{from: gpu1, network: both, latency: 1us}]",
                     "faults=[{type: link-down, from: gpu2, network: scale-up, until: 1us}, "
                     "{type: nic-pause, host: gpu3}, "
                     "{type: link-rate, from: leaf0, to: spine1, rate: 7Gbps}]"});
  ASSERT_TRUE(e.ok()) << e.errors().front().to_string();
  EXPECT_THAT(describe_changed_links(e.value().scenario, e.value().fabric),
              ElementsAre("links.changes[0] (gpu13): 2 directions of the scale-out network",
                          "links.changes[1] (gpu1): 2 directions of the scale-out and 36 of the "
                          "scale-up network",
                          "faults[0] (gpu2): 36 directions of the scale-up network",
                          "faults[1] (gpu3): 1 direction of the scale-out network",
                          "faults[2] (leaf0 and spine1): 2 directions of the scale-out network"));
}

// Two GPUs on a NIC: what one of them has in the scale-out network is its way there.
TEST(ChangedLinks, OfAGpuThatSharesItsNicAreItsWayThere) {
  const auto said = [](const std::string& from) {
    const auto loaded = load_scenario_text(
        "name: t\nracks: {count: 2, servers: 1, server: {part: dgx-a100, nics: 4}}\n"
        "fabric: {topology: leaf-spine, spines: 2}\n"
        "jobs: [{name: a, type: permutation, size: 4KiB}]\n",
        "t.yaml", {"links.changes=[{from: " + from + ", rate: 100Gbps}]"});
    const auto e = build_experiment(loaded.value().scenario);
    return describe_changed_links(e.value().scenario, e.value().fabric).at(0);
  };
  EXPECT_EQ(
      said("gpu8"),
      "links.changes[0] (gpu8): 2 directions of the scale-out network: its path to nic4, which "
      "GPUs share; `from: nic4` names that NIC's cables");
  EXPECT_EQ(said("nic4"), "links.changes[0] (nic4): 6 directions of the scale-out network");
}

// Two hosts on a switch; one's link has a quarter of its rate, all the time or half of it. What it
// carries is held against the rate that it has.
TEST(SlowLinks, AreUsedAsFarAsTheyCanBe) {
  const auto port_of_h1 = [](const std::string& fault) {
    const auto loaded = load_scenario_text(
        "name: t\nracks: {count: 1, servers: 2, server: host-400g}\n"
        "fabric: {topology: leaf-spine, spines: 1}\ntransport: {type: datagram}\n"
        "jobs: [{name: a, type: messages, ranks: [h0, h1], list: [{from: 1, to: 0, size: 8MiB}]}]\n"
        "faults: [{type: link-rate, from: h1, rate: 100Gbps" +
            fault + "}]\n",
        "t.yaml");
    const Results r = simulate(build_experiment(loaded.value().scenario).value());
    return *std::ranges::find(r.ports, "h1->leaf0[1]", &PortResult::name);
  };
  const PortResult all_the_time = port_of_h1("");
  EXPECT_EQ(all_the_time.rate, 100_Gbps);
  EXPECT_NEAR(all_the_time.utilisation, 1, 0.02);
  // 8 MiB take 171 us at 400 Gbps: half of the first 200 us at a quarter, the rest at full rate.
  const PortResult for_a_while = port_of_h1(", until: 100us");
  EXPECT_GT(for_a_while.rate, 200_Gbps);
  EXPECT_LT(for_a_while.rate, 300_Gbps);
  EXPECT_NEAR(for_a_while.utilisation, 1, 0.02);
}

// h1 sends 8 MiB to h0 without ACKs: nothing crosses the cable of h1 the other way. A fault that
// concerns what h1 receives changes no result; one that concerns what it sends has the results of a
// fault of both directions.
TEST(OneWayFaults, ConcernWhatANodeSendsOrWhatItReceives) {
  const auto run_with = [](const std::string& fault) {
    const auto loaded = load_scenario_text(
        "name: t\nracks: {count: 1, servers: 2, server: host-400g}\n"
        "fabric: {topology: leaf-spine, spines: 1}\ntransport: {type: datagram}\n"
        "jobs: [{name: a, type: messages, ranks: [h0, h1], list: [{from: 1, to: 0, size: 8MiB}]}]\n"
        "faults: [" +
            fault + "]\n",
        "t.yaml");
    EXPECT_TRUE(loaded.ok()) << fault;
    return simulate(build_experiment(loaded.value().scenario).value());
  };
  for (const std::string fault :
       {"type: link-rate, rate: 100Gbps", "type: link-latency, added: 9us",
        "type: bit-errors, frame_loss_rate: 0.5"}) {
    SCOPED_TRACE(fault);
    const auto of = [&](const std::string& where) {
      const Results r = run_with("{" + fault + ", " + where + "}");
      return std::pair(r.simulated, r.totals.packet_hops);
    };
    const auto both = of("from: h1");
    const auto receives = of("from: h1, direction: in");
    EXPECT_NE(both, receives);
    EXPECT_EQ(of("from: h1, direction: out"), both);
    EXPECT_EQ(of("from: leaf0, to: h1, direction: in"), both);
    EXPECT_EQ(of("from: leaf0, to: h1, direction: out"), receives);
    EXPECT_EQ(receives.first, run_with("").simulated);
  }
  EXPECT_EQ(run_with("{type: link-latency, added: 9us, from: h1, direction: out}").simulated,
            run_with("").simulated + 9_us);
}

TEST(OneWayFaults, AreCountedAsOneDirection) {
  const auto said = [](const std::string& fault) {
    const auto loaded = load_scenario_text(kTwoServers, "t.yaml", {"faults=[" + fault + "]"});
    const auto e = build_experiment(loaded.value().scenario);
    return describe_changed_links(e.value().scenario, e.value().fabric).at(0);
  };
  EXPECT_EQ(said("{type: link-rate, from: gpu13, rate: 7Gbps, direction: out}"),
            "faults[0] (gpu13, out): 1 direction of the scale-out network");
  EXPECT_EQ(said("{type: link-rate, from: gpu13, rate: 7Gbps}"),
            "faults[0] (gpu13): 2 directions of the scale-out network");
}

// Both directions of a cable may be slow at the same time, each with a rate of its own; one
// direction may not have two.
TEST(OneWayFaults, OfOneCableOverlapOnlyInTheSameDirection) {
  EXPECT_EQ(first_error({"faults=[{type: link-rate, from: gpu13, rate: 7Gbps, direction: out}, "
                         "{type: link-rate, from: gpu13, rate: 9Gbps, direction: in}]"}),
            "no error");
  EXPECT_THAT(first_error({"faults=[{type: link-rate, from: gpu13, rate: 7Gbps, direction: out}, "
                           "{type: link-rate, from: gpu13, rate: 9Gbps}]"}),
              HasSubstr("faults[1]: overlaps faults[0] on gpu13"));
}

}  // namespace
}  // namespace weft::scenarios
