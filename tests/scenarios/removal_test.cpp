// What is taken out of a scenario, and what runs without it save.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/counterfactual/candidates.hpp"
#include "scenarios/blame/counterfactual/counterfactual.hpp"
#include "scenarios/blame/counterfactual/slow_links.hpp"
#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/tables/incidents/incidents_table.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/scenarios/blame_runs.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

/// What job `a` takes.
Picoseconds time_of_a(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto loaded = load_scenario_text(text, "test.yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << text << loaded.errors().front().to_string();
  return job_of(simulate(build_experiment(loaded.value().scenario).value()), "a").jct;
}

/// What taking `what` out of a scenario saves of job `a`.
Picoseconds saved_without(const std::string& what, const std::string& text) {
  const auto loaded = load_scenario_text(text, "test.yaml");
  const auto overrides = overrides_without(what, loaded.value());
  EXPECT_TRUE(overrides.ok()) << what;
  if (!overrides) return {};
  return time_of_a(text) - time_of_a(text, overrides.value());
}

// What is taken out takes at least 90 % of what it cost with it: of what the job takes longer than
// where it was never in.
TEST(Removal, TakesTheExcessAway) {
  struct Case {
    const char* what;
    std::string with;
    std::string without;
  };
  const std::string message =
      "  - {name: a, type: messages, ranks: [h0, h4], list: [{from: 0, to: 1, size: 8MiB}]}\n";
  const std::string other =
      "  - {name: b, type: messages, ranks: [h1, h5], list: [{from: 0, to: 1, size: 16MiB}]}\n";
  const std::string ring =
      "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB, ranks: 0-7, compute: 1ms";
  const auto lone = [&](const std::string& rest) {
    return two_leaves(kPlain + "jobs:\n" + message + rest, kDeep);
  };
  const std::string pausing =
      kSwitch + ", flow_control: {type: pfc, threshold: static, xoff: 8MB, xon: 7MB}";
  const auto lossy = [&](const std::string& rest) {
    return two_leaves(
        "transport: {type: roce, congestion_control: none, retransmit_timeout: 500us}\n"
        "jobs:\n" +
            message + rest,
        kDeep);
  };
  const auto controlled = [&](const std::string& control) {
    return two_leaves("transport: {type: roce, congestion_control: " + control +
                          "}\n"
                          "jobs: [{name: a, type: incast, receiver: 0, senders: 7, size: 4MiB}]\n",
                      kDeep);
  };
  const Case cases[] = {
      {"stragglers", two_leaves(kPlain + ring + ", stragglers: [{ranks: 5, late: 300us}]}]\n"),
       two_leaves(kPlain + ring + "}]\n")},
      {"stragglers", two_leaves(kPlain + ring + ", noise: [{servers: 2, factor: 1.44}]}]\n"),
       two_leaves(kPlain + ring + "}]\n")},
      {"slow-links", lone("faults: [{type: link-rate, from: h4, rate: 100Gbps}]\n"), lone("")},
      {"job:b", lone(other), lone("")},
      {"pauses",
       two_leaves(kPlain + "jobs:\n" + message +
                      "faults: [{type: nic-pause, host: h4, at: 50us, until: 120us}]\n",
                  pausing),
       two_leaves(kPlain + "jobs:\n" + message, pausing)},
      {"link-failures", lossy("faults: [{type: link-down, from: h4, at: 20us, until: 100us}]\n"),
       lossy("")},
      {"congestion-control", controlled("{type: dcqcn, preset: paper}"), controlled("none")},
  };
  for (const Case& c : cases) {
    const Picoseconds excess = time_of_a(c.with) - time_of_a(c.without);
    EXPECT_GT(excess, 1_us) << c.what;
    EXPECT_GE(to_seconds(saved_without(c.what, c.with)), 0.9 * to_seconds(excess)) << c.what;
  }
}

// Flows of a permutation that hash to the same spines: packets that are sprayed do not meet.
TEST(Removal, OfCollisionsIsIdealSpreading) {
  const std::string text =
      "name: t\nseed: 1\n"
      "racks: {count: 2, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 4, switch: {part: spectrum-4, buffer: 400MB}, "
      "flow_control: none}\n" +
      kPlain +
      "jobs: [{name: a, type: messages, ranks: 0-7, list: [{from: 0, to: 4, size: 8MiB}, {from: 1, "
      "to: 5, size: 8MiB}, {from: 2, to: 6, size: 8MiB}, {from: 3, to: 7, size: 8MiB}]}]\n";
  const Results r = blamed(text);
  const Picoseconds excess = job_of(r, "a").jct - job_of(r, "a").ideal;
  ASSERT_GT(to_seconds(excess), 0.5 * to_seconds(job_of(r, "a").ideal)) << "no collision: a seed";
  EXPECT_GE(to_seconds(time_of(r, "a", "queueing")), 0.95 * to_seconds(excess));
  EXPECT_GE(to_seconds(saved_without("collisions", text)), 0.9 * to_seconds(excess));
}

/// A scenario, and what is left of it without something.
struct Without {
  Results with;
  Results without;
};

Without taken_out(const std::string& what, const std::string& text) {
  const auto loaded = load_scenario_text(text, "test.yaml");
  EXPECT_TRUE(loaded.ok()) << text;
  const auto overrides = overrides_without(what, loaded.value());
  EXPECT_TRUE(overrides.ok()) << what << text;
  const auto without = load_scenario_text(text, "test.yaml", overrides.value());
  EXPECT_TRUE(without.ok()) << text << without.errors().front().to_string();
  EXPECT_FALSE(has_removable(what, without.value())) << what << text;
  return {simulate(build_experiment(loaded.value().scenario).value()),
          simulate(build_experiment(without.value().scenario).value())};
}

std::string refused(const std::string& what, const std::string& text) {
  const auto loaded = load_scenario_text(text, "test.yaml");
  EXPECT_TRUE(loaded.ok()) << text;
  const auto overrides = overrides_without(what, loaded.value());
  return overrides.ok() ? "not refused" : overrides.errors().front().message;
}

const std::string kOwn = "{type: roce, congestion_control: none}";

/// Four flows that share a spine of two leaves by their hashes, with keys of fabric and job.
std::string colliding(const std::string& fabric, const std::string& job,
                      const std::string& rest = {}) {
  return "name: t\nseed: 1\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 4, switch: {part: spectrum-4, buffer: 400MB}" +
         fabric + "}\n" + rest +
         "jobs: [{name: a, type: messages, ranks: 0-7, list: [{from: 0, to: 4, size: 2MiB}, {from: "
         "1, to: 5, size: 2MiB}, {from: 2, to: 6, size: 2MiB}, {from: 3, to: 7, size: 2MiB}]" +
         job + "}]\n";
}

// Classes and jobs say for themselves how their packets are spread and taken: sprayed into a
// receiver that goes back, they would be sent again and again.
TEST(Removal, OfCollisionsReachesClassesAndJobs) {
  const std::string own = ", transport: " + kOwn;
  const std::string classes = ", classes: [{name: x}, {name: y, load_balancing: ecmp" + own + "}]";
  for (const std::string& text :
       {colliding(", flow_control: none", own), colliding(classes, ", class: y"),
        colliding(
            ", flow_control: none",
            ", transport: {type: roce, congestion_control: none, recovery: selective-repeat}"),
        colliding(", classes: [{name: x, load_balancing: {type: flowlet}}]", "", kPlain)}) {
    const Without runs = taken_out("collisions", text);
    EXPECT_EQ(runs.without.totals.packets_retransmitted, 0U) << text;
    EXPECT_LT(to_seconds(runs.without.jobs[0].jct), 0.8 * to_seconds(runs.with.jobs[0].jct))
        << text;
  }
}

// Contexts of Ultra Ethernet take packets in any order; ROD keeps it, and is taken out with them.
TEST(Removal, OfCollisionsKnowsUltraEthernet) {
  for (const char* transport : {"transport: {type: uec, congestion_control: none}\n",
                                "transport: {type: uec, congestion_control: none, delivery: "
                                "rod}\n"}) {
    EXPECT_EQ(refused("collisions", colliding("", "", transport)), "not refused") << transport;
  }
}

TEST(Removal, OfCollisionsIsRefusedWherePacketsCannotOvertake) {
  EXPECT_EQ(refused("collisions", colliding("", "", "transport: {type: datagram}\n")),
            "`transport` is datagram, which takes packets in their order only: they cannot be "
            "sprayed");
  EXPECT_EQ(refused("collisions", colliding("", ", transport: {type: tcp}"))
                .find("`jobs[0].transport` is tcp"),
            0U);
  // What no job uses is in nobody's way.
  EXPECT_EQ(refused("collisions",
                    colliding(", classes: [{name: x}, {name: y}]", ", class: y, transport: " + kOwn,
                              "transport: {type: datagram}\n")),
            "not refused");
}

TEST(Removal, OfPausesReachesClassesAndTheBuffersOfTiers) {
  const auto incast = [](const std::string& fabric) {
    return "name: t\nracks: {count: 2, servers: 4, server: host-400g}\n"
           "fabric: {topology: leaf-spine, spines: 2, ecn: none, switch: spectrum-4" +
           fabric + "}\n" + kPlain +
           "jobs: [{name: a, type: incast, receiver: 0, senders: 7, size: 4MiB}]\n";
  };
  const std::string early = "{type: pfc, threshold: static, xoff: 100KB, xon: 50KB}";
  for (const std::string& text :
       {incast(", classes: [{name: x, flow_control: " + early + "}, {name: y}]"),
        incast(", flow_control: " + early + ", leaf: {switch: {part: spectrum-4, buffer: 4MB}}"),
        incast(", flow_control: " + early) + "faults: [{type: link-latency, from: h1, added: 1us}, "
                                             "{type: nic-pause, host: h2, until: 5us}]\n"}) {
    const Without runs = taken_out("pauses", text);
    EXPECT_GT(runs.with.totals.pauses, 0) << text;
    EXPECT_EQ(runs.without.totals.pauses, 0) << text;
    EXPECT_EQ(runs.without.totals.buffer_drops, 0) << text;
  }
}

TEST(Removal, OfCongestionControlReachesClassesAndJobs) {
  const std::string paper = "{type: roce, congestion_control: {type: dcqcn, preset: paper}}";
  const std::string incast = "type: incast, receiver: 0, senders: 7, size: 4MiB";
  const std::string rest = kPlain + "jobs: [{name: a, " + incast;
  for (const std::string& text :
       {two_leaves(rest + ", transport: " + paper + "}]\n", kDeep),
        two_leaves(rest + ", class: x}]\n",
                   kDeep + ", classes: [{name: x, transport: " + paper + "}]")}) {
    const Without runs = taken_out("congestion-control", text);
    EXPECT_LT(runs.without.jobs[0].jct, runs.with.jobs[0].jct) << text;
  }
}

// Half of the servers have slower NICs than the others.
TEST(Removal, OfSlowLinksReachesRacksAndLeavesOtherFaults) {
  const std::string slow_racks =
      "name: t\nracks: [{count: 1, servers: 2, server: host-400g}, {count: 1, servers: 2, server: "
      "{nics: 1, nic: {part: connectx-7, rate: 100Gbps}}}]\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n" +
      kPlain + "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB}]\n";
  const Without racks = taken_out("slow-links", slow_racks);
  EXPECT_LT(to_seconds(racks.without.jobs[0].jct), 0.5 * to_seconds(racks.with.jobs[0].jct));
  const auto loaded = load_scenario_text(
      slow_racks +
          "faults: [{type: link-rate, from: h1, rate: 50Gbps}, {type: nic-pause, host: h2, "
          "until: 1us}]\n",
      "test.yaml");
  const auto overrides = overrides_without("slow-links", loaded.value());
  ASSERT_EQ(overrides.value().size(), 2U);
  EXPECT_EQ(overrides.value()[0], "racks[1].server.nic.rate=400Gbps");
  EXPECT_EQ(overrides.value()[1].find("faults=[{type: nic-pause, at: 0ps, until: 1us, host: h2"),
            0U)
      << overrides.value()[1];
}

// A list of cables names its NICs at the ends of cables: one that is slower than the others is
// slow.
TEST(Removal, OfSlowLinksReachesCablesOfNics) {
  const auto text = [](const std::string& rate) {
    return "name: t\nracks: {count: 1, servers: 3, server: {gpus: 0, nics: 1, nic: "
           "connectx-7}}\nfabric:\n  topology: cabled\n  switch: spectrum-4\n  servers: [{name: "
           "n1, nics: [e0]}, {name: n2, "
           "nics: [e0]}, {name: n3, nics: [e0]}]\n  switches: [{name: sw1}]\n  cables: [{from: "
           "n1/e0, to: "
           "sw1, rate: 400Gbps, length: 3m, cable: copper}, {from: sw1, to: n2/e0, rate: " +
           rate +
           ", length: 3m, cable: copper}, {from: n3/e0, to: sw1, rate: 400Gbps, length: 3m, "
           "cable: copper}]\n" +
           kPlain + "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB}]\n";
  };
  const auto slow = load_scenario_text(text("100Gbps"), "test.yaml");
  ASSERT_TRUE(slow.ok()) << slow.errors().front().to_string();
  EXPECT_EQ(overrides_without("slow-links", slow.value()).value(),
            std::vector<std::string>{"fabric.cables[1].rate=400Gbps"});
  EXPECT_FALSE(
      has_removable("slow-links", load_scenario_text(text("400Gbps"), "test.yaml").value()));
}

// Nothing of the scenario runs at the part's rate: what was read knows it, and writes it down.
TEST(Removal, OfSlowLinksReachesNicsThatAreAllSlow) {
  const auto text = [](const std::string& nic) {
    return "name: t\nracks: {count: 2, servers: 2, server: {part: plain, nic: " + nic +
           "}}\nfabric: {topology: leaf-spine, spines: 1, switch: spectrum-4}\n" + kPlain +
           "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB}]\n";
  };
  const std::string slow = text("{part: connectx-7, rate: 100Gbps}");
  const Without runs = taken_out("slow-links", slow);
  EXPECT_LT(to_seconds(runs.without.jobs[0].jct), 0.5 * to_seconds(runs.with.jobs[0].jct));
  const auto loaded = load_scenario_text(slow, "test.yaml");
  const auto resolved = load_scenario_text(loaded.value().resolved_yaml("0"), "resolved.yaml");
  // Links have the rate of the NICs, as long as nobody gives them another.
  const std::vector<std::string> all{"racks.server.nic.rate=400Gbps", "links.access.rate=400Gbps",
                                     "links.uplink.rate=400Gbps"};
  for (const LoadedScenario& one : {loaded.value(), resolved.value()}) {
    EXPECT_EQ(overrides_without("slow-links", one).value(), all);
    const std::vector<SlowLink> links = slow_links(one);
    ASSERT_FALSE(links.empty());
    EXPECT_EQ(links.front().text(), "the NIC of h0 runs at 100 Gbps of 400 Gbps");
    EXPECT_EQ(degradations_of(one, links).front().what, "slow-links");
    // They are one piece of advice, with what all of them take.
    std::vector<BlameEntry> blame;
    for (const SlowLink& link : links) {
      blame.push_back({"a", 0, "serialisation", "port", link.port, link.port, 10_us});
    }
    EXPECT_THAT(explanation_text(blame, 10, {.slow_links = links}),
                ::testing::HasSubstr("Try first: mend or replace what is slow (the NIC of h0 runs "
                                     "at 100 Gbps of 400 Gbps and 5 more, 100.0 %)"));
  }
  // A rate that no part contradicts is what the NIC has, and one that is said is what holds.
  EXPECT_FALSE(has_removable("slow-links",
                             load_scenario_text(text("{rate: 100Gbps}"), "test.yaml").value()));
  const auto said = load_scenario_text(
      text("{part: connectx-7, rate: 100Gbps, nominal_rate: 200Gbps}"), "test.yaml");
  EXPECT_EQ(overrides_without("slow-links", said.value()).value().front(),
            "racks.server.nic.rate=200Gbps");
  // Links that have a rate of their own keep it.
  const auto wide = load_scenario_text(slow, "test.yaml", {"links.uplink.rate=800Gbps"});
  EXPECT_EQ(overrides_without("slow-links", wide.value()).value(),
            (std::vector<std::string>{all[0], all[1]}));
  // So do links that were given the rate of the slow NICs: that may be all that switches have.
  const auto narrow = load_scenario_text(slow, "test.yaml", {"links.uplink.rate=100Gbps"});
  const auto read_again = load_scenario_text(narrow.value().resolved_yaml("0"), "resolved.yaml");
  for (const LoadedScenario& one : {narrow.value(), read_again.value()}) {
    EXPECT_EQ(overrides_without("slow-links", one).value(),
              (std::vector<std::string>{all[0], all[1]}));
    for (const SlowLink& link : slow_links(one)) {
      EXPECT_THAT(link.text(), ::testing::StartsWith("the NIC of ")) << link.port;
    }
  }
}

// NICs that take in half of what their links bring are as slow as links of half the rate, and say
// so.
TEST(Removal, OfSlowLinksReachesNicsThatTakeInLessThanComes) {
  const auto text = [](const std::string& nic) {
    return "name: t\nracks: {count: 2, servers: 2, server: {part: host-400g" + nic + "}}\n" +
           "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n" + kPlain +
           "jobs: [{name: a, type: all-reduce, algorithm: ring, size: 1MiB}]\n";
  };
  const std::string slow = text(", nic: {receive_rate: 200Gbps}");
  const Without runs = taken_out("slow-links", slow);
  EXPECT_LT(to_seconds(runs.without.jobs[0].jct), 0.6 * to_seconds(runs.with.jobs[0].jct));
  const LoadedScenario loaded = load_scenario_text(slow, "test.yaml").value();
  const std::vector<SlowLink> links = slow_links(loaded);
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(links[1].port, "leaf0[1]->h1");
  EXPECT_EQ(slow_link_texts(links),
            std::vector<std::string>{"each NIC takes in 200 Gbps of 400 Gbps"});
  EXPECT_EQ(degradations_of(loaded, links).front().what, "slow-links");
  const BlameEntry pause{"a", 0, "pause", "storm", "NIC of h1", "leaf0[1]->h1", 10_us};
  BlameEntry further_on = pause;
  further_on.port = "spine0[0]->leaf0[2]";
  EXPECT_NE(slow_link_of(links, pause), nullptr);
  EXPECT_NE(slow_link_of(links, further_on), nullptr);
  EXPECT_EQ(explanation_json({pause}, {.slow_links = links})["jobs"][0]["slow_links"][0]["says"],
            "each NIC takes in 200 Gbps of 400 Gbps");
  // What takes in all that comes is not slow.
  for (const char* nic :
       {"", ", nic: {receive_rate: 400Gbps}", ", nic: {receive_rate: unlimited}"}) {
    EXPECT_FALSE(has_removable("slow-links", load_scenario_text(text(nic), "test.yaml").value()))
        << nic;
  }
}

// A list that names one cause twice is a list of one.
TEST(Removal, OfOneCauseMayBeAskedForTwice) {
  const auto loaded = load_scenario_text(
      "name: t\nracks: {count: 1, servers: 2, server: host-400g}\nfabric: {topology: leaf-spine, "
      "spines: 1, switch: spectrum-4}\nfaults: [{type: nic-pause, host: h1, until: 1us}]\njobs: "
      "[{name: a, type: all-reduce, size: 1MiB}]\n",
      "t.yaml");
  ASSERT_TRUE(loaded.ok());
  const auto twice = overrides_without("nic-pauses,nic-pauses", loaded.value());
  ASSERT_TRUE(twice.ok()) << twice.errors().front().message;
  EXPECT_EQ(twice.value(), overrides_without("nic-pauses", loaded.value()).value());
}

// Before and behind hosts there is one way: nothing is spared there by other paths.
TEST(Removal, OfCollisionsIsBlamedBetweenSwitchesAlone) {
  const BlameEntry at_host{"a", 0, "queueing", "job", "a", "h1->leaf0[1]", 10_us};
  BlameEntry between = at_host;
  between.port = "leaf0[4]->spine0[0]";
  EXPECT_FALSE(is_blamed("collisions", at_host, {}));
  EXPECT_TRUE(is_blamed("collisions", between, {}));
}

}  // namespace
}  // namespace weft::scenarios
