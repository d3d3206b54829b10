#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch_samples.hpp"

namespace weft::import {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void expect_lossless_roce(const ClassSettings* roce, const std::string& name) {
  ASSERT_NE(roce, nullptr) << name;
  EXPECT_TRUE(roce->pfc) << name;
  EXPECT_EQ(roce->priority, 3U) << name;
  EXPECT_EQ(roce->queue, 3U) << name;
  ASSERT_TRUE(roce->ecn.has_value()) << name;
  EXPECT_EQ(roce->ecn->kmin.value, Bytes(1'048'576)) << name;
  EXPECT_EQ(roce->ecn->kmax.value, Bytes(2'097'152)) << name;
  EXPECT_EQ(roce->ecn->pmax.value, 0.05) << name;
  EXPECT_FALSE(roce->ecn->drops) << name;
}

TEST(SwitchPasted, ThreeVendorsSayTheSameClass) {
  for (const std::string name : {"fabric/qos-eos.txt", "fabric/qos-nxos.txt"}) {
    const Description description = described(name);
    EXPECT_THAT(lines_of(description.remarks), Each(Not(HasSubstr("error: "))));
    ASSERT_EQ(description.switches.size(), 1U) << name;
    const SwitchPort& port = description.switches[0].ports.at("Ethernet1/1");
    expect_lossless_roce(roce_class(port.classes), name);
    EXPECT_EQ(roce_class(port.classes)->weight->value, 50U);
    EXPECT_TRUE(port.classes.back().is_strict);
    EXPECT_TRUE(port.classes.back().dscps.contains(48));
  }
  const Description cumulus = described("fabric/qos-cumulus.txt");
  ASSERT_EQ(cumulus.switches.size(), 1U);
  expect_lossless_roce(roce_class(cumulus.switches[0].classes), "cumulus");
  EXPECT_EQ(roce_class(cumulus.switches[0].classes)->ecn->kmin.where.line, 6);
}

TEST(SwitchPasted, CumulusShowsTheSameThresholdsWithItsHost) {
  const Description description = described("fabric/qos-cumulus-show.txt");
  ASSERT_EQ(description.switches.size(), 1U);
  EXPECT_EQ(description.switches[0].name, "leaf01");
  ASSERT_EQ(description.switches[0].classes.size(), 1U);
  const ClassSettings& one = description.switches[0].classes[0];
  EXPECT_EQ(one.queue, 3U);
  EXPECT_EQ(one.ecn->kmin.value, Bytes(1'048'576));
  EXPECT_EQ(one.ecn->kmax.value, Bytes(2'097'152));
  EXPECT_EQ(one.ecn->pmax.value, 0.05);
  EXPECT_THAT(lines_of(description.remarks), ElementsAre(HasSubstr("of 1024")));
}

TEST(SwitchPasted, RoundedSizesOfCumulusAreBytes) {
  const std::string text =
      changed(operator_sample("fabric/qos-cumulus-show.txt"), "1.00 MB", "146.48 KB");
  ASSERT_EQ(described({{"a", text}}).switches.size(), 1U);
  EXPECT_EQ(described({{"a", text}}).switches[0].classes[0].ecn->kmin.value, Bytes(149'996));
}

TEST(SwitchPasted, SegmentsAreRefused) {
  const Description description = described("broken/qos-eos-segments.txt");
  EXPECT_TRUE(description.switches.empty());
  EXPECT_THAT(lines_of(description.remarks),
              Contains(AllOf(HasSubstr(":12: error: segments"),
                             HasSubstr("depends on the platform"), HasSubstr("in bytes"))));
}

TEST(SwitchPasted, KeywordsWithoutNumbersAreSaid) {
  const Description description = described("broken/qos-nxos-keyword.txt");
  ASSERT_EQ(description.switches.size(), 1U);
  EXPECT_THAT(lines_of(description.remarks),
              Contains(AllOf(HasSubstr(":18: warning: `burst-optimized` holds no number"),
                             HasSubstr("default"))));
  EXPECT_FALSE(roce_class(description.switches[0].classes)->ecn.has_value());
}

TEST(SwitchPasted, KbytesAreSaidToBeOf1024) {
  EXPECT_THAT(lines_of(described("fabric/qos-eos.txt").remarks),
              ElementsAre(HasSubstr("a kbyte is taken as 1024 B")));
}

TEST(SwitchPasted, NxosTakesNamesOfCodePointsAndItsModes) {
  std::string text =
      changed(operator_sample("fabric/qos-nxos.txt"), "match dscp 26", "match dscp af31");
  EXPECT_NE(roce_class(described({{"a", text}}).switches[0].classes), nullptr);
  text = changed(text, "mode on", "mode off");
  const Description off = described({{"a", text}});
  EXPECT_FALSE(roce_class(off.switches[0].ports.at("Ethernet1/1").classes)->pfc);
  text = changed(text, "weight 0 ecn", "weight 0");
  EXPECT_TRUE(roce_class(described({{"a", text}}).switches[0].classes)->ecn->drops);
}

TEST(SwitchPasted, EosWithoutPriorityFlowControlOnHasNone) {
  const std::string text =
      changed(operator_sample("fabric/qos-eos.txt"), "   priority-flow-control on\n", "");
  const Description description = described({{"a", text}});
  EXPECT_FALSE(roce_class(description.switches[0].ports.at("Ethernet1/1").classes)->pfc);
}

TEST(SwitchPasted, EosReadsInterfacesWithRangesRatesAndMtu) {
  const std::string text = operator_sample("fabric/qos-eos.txt") +
                           "interface Ethernet2/1-2\n   mtu 9214\n   speed 400g-4\n   shutdown\n"
                           "   service-profile ROCE\ninterface Management1\n   mtu 1500\n";
  const Description description = described({{"a", text}});
  const auto& ports = description.switches[0].ports;
  EXPECT_EQ(ports.size(), 3U);
  EXPECT_EQ(ports.at("Ethernet2/2").mtu->value, Bytes(9214));
  EXPECT_EQ(ports.at("Ethernet2/2").rate->value, BitsPerSecond(400'000'000'000));
  EXPECT_FALSE(ports.at("Ethernet2/2").is_up);
  EXPECT_TRUE(roce_class(ports.at("Ethernet2/1").classes)->pfc);
}

TEST(SwitchPasted, CumulusBindsProfilesToPorts) {
  const std::string text =
      operator_sample("fabric/qos-cumulus.txt") +
      "nv set qos pfc long switch-priority 3\nnv set qos pfc long cable-length 40\n"
      "nv set interface swp1-2 qos pfc profile long\nnv set interface swp1 link mtu 9216\n"
      "nv set interface swp1 link speed 400G\n";
  const Description description = described({{"a", text}});
  ASSERT_EQ(description.switches.size(), 1U)
      << testing::PrintToString(lines_of(description.remarks));
  const SwitchPort& port = description.switches[0].ports.at("swp1");
  EXPECT_EQ(port.cable_length->value, Millimetres(40'000));
  EXPECT_EQ(port.mtu->value, Bytes(9216));
  EXPECT_EQ(port.rate->value, BitsPerSecond(400'000'000'000));
  expect_lossless_roce(roce_class(port.classes), "swp1");
  EXPECT_EQ(description.switches[0].ports.size(), 2U);
  const Description unknown =
      described({{"a", text + "nv set interface swp1 qos mapping profile mine\n"}});
  EXPECT_THAT(lines_of(unknown.remarks), Contains(HasSubstr("`mine`, which no line defines")));
}

TEST(SwitchPasted, CumulusRoceStandsForItsDefaultsAndSaysSo) {
  const Description description = described({{"a", "nv set qos roce\n"}});
  ASSERT_EQ(description.switches.size(), 1U);
  const ClassSettings* roce = roce_class(description.switches[0].classes);
  EXPECT_TRUE(roce->pfc);
  EXPECT_EQ(roce->ecn->kmax.value, Bytes(1'501'500));
  EXPECT_EQ(roce->weight->value, 50U);
  EXPECT_THAT(lines_of(description.remarks), Contains(HasSubstr("the vendor's settings")));
}

TEST(SwitchPasted, EosIsKnownThoughItHasClassMapsToo) {
  const std::string text = "class-map type qos match-any other\n   match dscp 10\n" +
                           operator_sample("fabric/qos-eos.txt");
  EXPECT_THAT(described({{"a", text}}).recognised, ElementsAre(HasSubstr("a: Arista EOS lines")));
}

TEST(SwitchPasted, ManyInterfacesLinesAndFaultsAreRefused) {
  std::string text = "nv set qos pfc default-global tx enable\nnv set interface swp1-1000";
  for (int i = 0; i < 10'000; ++i) text += ",swp1-1000";
  EXPECT_THAT(lines_of(described({{"a", text + " link mtu 9216\n"}}).remarks),
              Contains(HasSubstr("more than 4096 ports")));
  text = "pause pfc-cos 3\n";
  for (int i = 0; i < 5000; ++i) text += "command" + std::to_string(i) + "\n";
  EXPECT_EQ(described({{"a", text}}).remarks.size(), 1001U);
  for (int i = 0; i < 200'000; ++i) text += "x\n";
  EXPECT_THAT(lines_of(described({{"a", text}}).remarks), Contains(HasSubstr("200000 lines")));
}

TEST(SwitchPasted, LinesThatAreNotKnownAreWarnedOfOnce) {
  const std::string text =
      operator_sample("fabric/qos-eos.txt") + "router bgp 65001\nrouter bgp 65001\n";
  EXPECT_THAT(lines_of(described({{"a", text}}).remarks),
              Contains(HasSubstr("`router bgp` is not known")).Times(1));
}

}  // namespace
}  // namespace weft::import
