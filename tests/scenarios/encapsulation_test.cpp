// What operators put around packets, and the code points by which their switches know classes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "protocols/config/transports/shared_keys.hpp"
#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

/// Two hosts of 400 Gbps (20 ps per byte) on one switch that stores and forwards.
std::string pair_of_hosts(const std::string& transport, const std::string& size) {
  return "name: pair\n"
         "racks: {count: 1, servers: 2, server: host-400g}\n"
         "links: {access: {rate: 400Gbps, latency: 500ns}}\n"
         "fabric: {topology: leaf-spine, spines: 1, switch: ideal}\n"
         "transport: {congestion_control: none, " +
         transport +
         "}\n"
         "jobs: [{name: m, type: messages, list: [{from: 0, to: 1, size: " +
         size + "}]}]\n";
}

Picoseconds completion(const std::string& transport, const std::string& size) {
  const scenarios::Results results =
      scenarios::simulate(experiment_of_text(pair_of_hosts(transport, size)));
  EXPECT_EQ(results.jobs[0].jct, results.jobs[0].ideal) << "one message alone";
  return results.jobs[0].jct;
}

// n packets follow one another on the first link, the last crosses the second, and its ACK both:
// each byte that is around a packet is on the wire n + 1 times and with the ACK twice more.

// MODEL.md 6.4
TEST(Encapsulation, IsOnTheWireOfEveryPacketAndAnswer) {
  for (const protocols::Encapsulation& e : protocols::encapsulations()) {
    const std::string with = "encapsulation: " + std::string(e.name);
    EXPECT_EQ(completion(with, "40960B") - completion("mtu: 4096B", "40960B"),
              (10 + 1 + 2) * e.size.count() * Picoseconds(20))
        << e.name;
  }
  EXPECT_EQ(
      completion("encapsulation: [vlan, vlan, vxlan]", "4096B") - completion("mtu: 4096B", "4096B"),
      (1LL + 1 + 2) * 58 * Picoseconds(20));
}

// Each packet more takes payload, header and what is around it: with VXLAN 1024 of 1156 bytes
// (88.6 %) and 4096 of 4228 (96.9 %) are payload.
TEST(Encapsulation, LeavesTheGoodputOfItsBytes) {
  EXPECT_EQ(completion("mtu: 1024B, encapsulation: vxlan", "204800B") -
                completion("mtu: 1024B, encapsulation: vxlan", "102400B"),
            100LL * (1024 + 82 + 50) * Picoseconds(20));
  EXPECT_EQ(completion("encapsulation: [vxlan]", "819200B") -
                completion("encapsulation: [vxlan]", "409600B"),
            100LL * (4096 + 82 + 50) * Picoseconds(20));
}

TEST(Encapsulation, HoldsForDatagrams) {
  const auto datagram = [](const std::string& more) {
    std::string text = pair_of_hosts("type: datagram" + more, "40960B");
    text.replace(text.find("congestion_control: none, "), 26, "");
    return scenarios::simulate(experiment_of_text(text)).jobs[0].jct;
  };
  EXPECT_EQ(datagram(", encapsulation: macsec") - datagram(""), 11LL * 32 * Picoseconds(20));
}

// Ten segments of 8,948 B, which one ACK in two answers and the last at once: as above.
TEST(Encapsulation, HoldsForTcp) {
  const std::string tcp = "type: tcp, encapsulation: ";
  const Picoseconds bare = completion("type: tcp", "89480B");
  EXPECT_EQ(completion(tcp + "vxlan", "89480B") - bare, (10LL + 1 + 2) * 50 * Picoseconds(20));
  EXPECT_EQ(completion(tcp + "[vlan, macsec, psp]", "89480B") - bare,
            (10LL + 1 + 2) * (4 + 32 + 40) * Picoseconds(20));
}

/// What is wrong with a scenario of two classes and a job.
std::string refusal(const std::string& classes, const std::string& job,
                    const std::string& transport = "roce") {
  const auto loaded = scenarios::load_scenario_text(
      "name: dscp\nracks: {count: 1, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4, classes: [" +
          classes + "]}\ntransport: " + transport +
          "\n"
          "jobs: [{name: a, type: permutation, size: 1MB" +
          job + "}]\n",
      "t.yaml");
  return loaded.ok() ? "" : loaded.errors().front().to_string();
}

std::string class_of(const std::string& classes, const std::string& job) {
  const auto loaded = scenarios::load_scenario_text(
      "name: dscp\nracks: {count: 1, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1, switch: spectrum-4, classes: [" +
          classes +
          "]}\n"
          "jobs: [{name: a, type: permutation, size: 1MB" +
          job + "}]\n",
      "t.yaml");
  if (!loaded.ok()) return loaded.errors().front().to_string();
  const scenarios::Scenario& s = loaded.value().scenario;
  return s.switches.classes[s.jobs[0].traffic_class].name;
}

TEST(Encapsulation, IsRefusedWhereItMakesNoSense) {
  EXPECT_THAT(
      refusal("{name: a}", "", "{encapsulation: vxlam}"),
      HasSubstr("transport.encapsulation: `vxlam` is no encapsulation; expected some of vlan, "
                "vxlan, macsec, macsec-without-sci, psp; did you mean `vxlan`?"));
  EXPECT_THAT(refusal("{name: a}", "", "{mtu: 65453B, encapsulation: vxlan}"),
              HasSubstr("makes packets of 65585 B; at most 65535 B"));
  EXPECT_THAT(refusal("{name: a}", "", "{type: tcp, encapsulation: [vlan, vxlam]}"),
              HasSubstr("`vxlam` is no encapsulation; expected some of vlan, vxlan, macsec, "
                        "macsec-without-sci, psp; did you mean `vxlan`?"));
  EXPECT_THAT(refusal("{name: a}", "", "{type: tcp, mtu: 65497B, encapsulation: vxlan}"),
              HasSubstr("makes packets of 65585 B; at most 65535 B"));
}

TEST(CodePoints, NameTheClassOfAJob) {
  const std::string classes =
      "{name: bulk, dscp: [be, 8]}, {name: roce, dscp: af31}, {name: cnp, dscp: 48}";
  EXPECT_EQ(class_of(classes, ""), "bulk");
  EXPECT_EQ(class_of(classes, ", dscp: af31"), "roce");
  EXPECT_EQ(class_of(classes, ", dscp: 26"), "roce") << "AF31 by its number";
  EXPECT_EQ(class_of(classes, ", dscp: cs6"), "cnp");
  EXPECT_EQ(class_of(classes, ", dscp: 0"), "bulk");
  EXPECT_EQ(class_of(classes, ", dscp: 26, class: roce"), "roce");
}

TEST(CodePoints, AreRefusedWhereTheySayTwoThings) {
  const std::string classes = "{name: bulk, dscp: be}, {name: roce, dscp: af31}";
  EXPECT_THAT(
      refusal("{name: a, dscp: 26}, {name: b, dscp: af31}", ""),
      HasSubstr("fabric.classes[1].dscp: `af31` is code point 26, which stands for class `a` "
                "already"));
  EXPECT_THAT(refusal(classes, ", dscp: ef"),
              HasSubstr("jobs[0].dscp: `ef` is code point 46, which "
                        "stands for no class"));
  EXPECT_THAT(refusal(classes, ", dscp: af31, class: bulk"),
              HasSubstr("stands for class `roce`, but the job has `class: bulk`"));
  EXPECT_THAT(refusal(classes, ", dscp: af51"),
              HasSubstr("`af51` is no code point; expected 0 to 63"));
  EXPECT_THAT(refusal(classes, ", dscp: [af31, 26]"),
              HasSubstr("has 2 code points; a job has one"));
  EXPECT_THAT(refusal("{name: a, dscp: 64}", ""), HasSubstr("`64` is no code point"));
}

}  // namespace
}  // namespace weft::testing
