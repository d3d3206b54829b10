#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch_samples.hpp"

namespace weft::import {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The four switches of the samples, as texts to be changed.
NamedTexts fabric_texts() {
  NamedTexts texts;
  for (const std::string name : {"leaf01", "leaf02", "spine01", "spine02"}) {
    texts.emplace_back(name + ".json", operator_sample("fabric/config_db-" + name + ".json"));
  }
  return texts;
}

/// With a third leaf, which has no neighbours that another names, so that two outvote one.
NamedTexts three_leaves() {
  NamedTexts texts = fabric_texts();
  std::string third = all_changed(texts[1].second, "leaf02", "leaf03");
  third = all_changed(third, "gpu03", "gpu05");
  third = all_changed(third, "gpu04", "gpu06");
  texts.emplace_back("leaf03.json", third);
  return texts;
}

std::vector<std::string> findings_of(const NamedTexts& texts) {
  const Description description = described(texts);
  EXPECT_FALSE(has_errors(description.remarks))
      << testing::PrintToString(lines_of(description.remarks));
  return lines_of(check_settings(description));
}

/// The findings after one change of the first file that is named so.
std::vector<std::string> findings_after(NamedTexts texts, const std::string& file,
                                        std::string_view from, std::string_view to,
                                        std::string_view after = "") {
  for (auto& [name, text] : texts) {
    if (name != file) continue;
    text = changed(text, from, to, after);
    EXPECT_NE(text, "") << from << " is not in " << file;
  }
  return findings_of(texts);
}

std::vector<std::string> findings_of_sample(const std::string& sample) {
  return findings_of({{sample, operator_sample(sample)}});
}

// A port that is shut down carries nothing, whatever the list of neighbours says.
TEST(ChecksSettings, APortThatIsShutDownWithACable) {
  EXPECT_THAT(findings_after(fabric_texts(), "leaf02.json", "\"admin_status\": \"up\"",
                             "\"admin_status\": \"down\"", "\"Ethernet4\""),
              ElementsAre(AllOf(HasSubstr("PORT|Ethernet4"),
                                HasSubstr("leaf02 Ethernet4 is shut down, and a cable leads to "
                                          "gpu03 enp41s0np0"))));
}

TEST(ChecksSettings, GoodSamplesHaveNoFinding) {
  EXPECT_THAT(findings_of(fabric_texts()), IsEmpty());
  EXPECT_THAT(findings_of(three_leaves()), IsEmpty());
  for (const auto& text : fabric_texts()) EXPECT_THAT(findings_of({text}), IsEmpty()) << text.first;
  for (const std::string name : {"eos", "nxos", "cumulus", "cumulus-show"}) {
    EXPECT_THAT(findings_of_sample("fabric/qos-" + name + ".txt"), IsEmpty()) << name;
  }
  EXPECT_THAT(findings_of_sample("broken/config_db-numbers.json"), IsEmpty());
  EXPECT_THAT(findings_of_sample("broken/config_db-dynamic-buffer-model.json"), IsEmpty());
}

TEST(ChecksSettings, OrderOfFilesChangesNoFinding) {
  NamedTexts texts = three_leaves();
  texts[1].second = changed(texts[1].second, "\"green_min_threshold\": \"1048576\"",
                            "\"green_min_threshold\": \"524288\"");
  auto forwards = findings_of(texts);
  std::ranges::reverse(texts);
  auto backwards = findings_of(texts);
  std::ranges::sort(forwards);
  std::ranges::sort(backwards);
  ASSERT_EQ(forwards.size(), 1U);
  ASSERT_EQ(backwards.size(), 1U);
  // The peer that is quoted may be another one.
  EXPECT_EQ(forwards[0].substr(0, 120), backwards[0].substr(0, 120));
}

TEST(ChecksSettings, RoceInTheDefaultClassIsLossy) {
  EXPECT_THAT(findings_of_sample("broken/config_db-dscp-lossy.json"),
              ElementsAre(AllOf(HasSubstr("DSCP_TO_TC_MAP|AZURE.26: finding: leaf01 Ethernet0, "
                                          "Ethernet4, Ethernet256"),
                                HasSubstr("DSCP 26 goes to traffic class 0"),
                                HasSubstr("runs in a lossy class"))));
  EXPECT_THAT(findings_after(fabric_texts(), "leaf01.json", "\"26\": \"3\"", "\"26\": \"0\""),
              ElementsAre(AllOf(HasSubstr("leaf01.json:"), HasSubstr("and 29 more"),
                                HasSubstr("lossy class"))));
}

TEST(ChecksSettings, PfcOnAnotherPriorityIsNamedOnItsPortOnly) {
  EXPECT_THAT(findings_of_sample("broken/config_db-pfc-other-class.json"),
              ElementsAre(AllOf(HasSubstr("PORT_QOS_MAP|Ethernet0.pfc_enable: finding: leaf01 "
                                          "Ethernet0: PFC is on for priority 4"),
                                HasSubstr("travels in priority 3"))));
  EXPECT_THAT(findings_after(fabric_texts(), "spine01.json", "\"pfc_enable\": \"3\"",
                             "\"pfc_enable\": \"4\"", "\"Ethernet8\": {\"dscp"),
              ElementsAre(HasSubstr("spine01 Ethernet8: PFC is on for priority 4")));
}

TEST(ChecksSettings, PfcOffIsNamed) {
  EXPECT_THAT(
      findings_after(fabric_texts(), "leaf02.json", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\"",
                     "\"Ethernet8\": {\"dscp"),
      ElementsAre(HasSubstr("leaf02 Ethernet8: PFC is off, so RoCE (DSCP 26, priority 3)")));
}

TEST(ChecksSettings, BrokenChainsAreNamed) {
  EXPECT_THAT(findings_after({fabric_texts()[0]}, "leaf01.json", "\"3\": \"3\"", "\"3\": \"4\"",
                             "MAP_PFC_PRIORITY_TO_QUEUE"),
              ElementsAre(HasSubstr("a pause of priority 3 stops queue 4")));
  EXPECT_THAT(findings_after(fabric_texts(), "leaf01.json", "pg_lossless_400000_5m_profile",
                             "ingress_lossy_profile", "\"Ethernet12|3-4\""),
              ElementsAre(AllOf(HasSubstr("leaf01 Ethernet12: PFC is on for priority 3"),
                                HasSubstr("no headroom"))));
  EXPECT_THAT(
      findings_after(fabric_texts(), "leaf01.json", "\"Ethernet12|3-4\"", "\"Ethernet12|4\""),
      ElementsAre(AllOf(HasSubstr("BUFFER_PG|Ethernet12|3"), HasSubstr("no headroom"))));
}

TEST(ChecksSettings, HeadroomBelowTheMinimumIsNamed) {
  EXPECT_THAT(findings_of_sample("broken/config_db-headroom-too-small.json"),
              ElementsAre(AllOf(HasSubstr("BUFFER_PROFILE|pg_lossless_400000_40m_profile.xoff: "
                                          "finding: leaf01 Ethernet256"),
                                HasSubstr("headroom 20,480 B < "), HasSubstr("400Gbps"),
                                HasSubstr("40m"))));
}

TEST(ChecksSettings, MinHeadroomIsRateTimesTheLoopAndTwoPackets) {
  // 905 quanta of 512 bits are 57,920 B; 40 m are 200 ns, twice, 20,000 B at 400 Gb/s; the packet
  // and the frame that the pause waits for are 9,138 and 84 B; two packets of 9,100 B. What arrives
  // in the loop is whole packets, of which one more may have begun.
  const Bytes min = min_headroom(BitsPerSecond(400'000'000'000), Millimetres(40'000), Bytes(9100));
  const std::int64_t loop = 57'920 + 20'000 + 9'138 + 84;
  EXPECT_EQ(min, Bytes(2 * 9100 + loop / 9100 * 9100));
}

TEST(ChecksSettings, MarkingAboveXoffIsNamed) {
  // The static threshold of one group is below ECN's maximum.
  EXPECT_THAT(findings_after({fabric_texts()[2]}, "spine01.json", "\"dynamic_th\": \"0\"",
                             "\"static_th\": \"1500000\"", "pg_lossless_400000_40m_profile"),
              ElementsAre(AllOf(HasSubstr("WRED_PROFILE|AZURE_LOSSLESS.green_max_threshold"),
                                HasSubstr("2,097,152 B is above XOFF, 1,500,000 B"))));
  EXPECT_THAT(findings_after({fabric_texts()[2]}, "spine01.json", "\"dynamic_th\": \"0\"",
                             "\"dynamic_th\": \"-7\"", "pg_lossless_400000_40m_profile"),
              ElementsAre(HasSubstr("is above XOFF, 1,306,512 B")));
}

TEST(ChecksSettings, WredThatDropsIsNamed) {
  EXPECT_THAT(findings_after({fabric_texts()[0]}, "leaf01.json", "\"ecn_all\"", "\"ecn_none\""),
              ElementsAre(HasSubstr("WRED of queue 3 drops where ECN would mark")));
}

TEST(ChecksSettings, UnlikeEndsOfACableAreNamed) {
  EXPECT_THAT(
      findings_after(fabric_texts(), "leaf01.json", "\"mtu\": \"9100\"", "\"mtu\": \"1500\"",
                     "\"alias\": \"etp33a\""),
      ElementsAre(AllOf(HasSubstr("PORT|Ethernet256.mtu"), HasSubstr("1,500 B"),
                        HasSubstr("9,100 B at spine01 Ethernet0"), HasSubstr("spine01.json:"))));
  EXPECT_THAT(
      findings_after(fabric_texts(), "spine02.json", "\"fec\": \"rs\"", "\"fec\": \"none\""),
      ElementsAre(AllOf(HasSubstr("FEC rs at leaf01 Ethernet288"),
                        HasSubstr("none at spine02 Ethernet0"))));
  EXPECT_THAT(
      findings_after(fabric_texts(), "leaf01.json", "\"400000\"", "\"200000\"",
                     "\"alias\": \"etp33a\""),
      testing::Contains(HasSubstr("rate 200Gbps at leaf01 Ethernet256, 400Gbps at spine01")));
}

TEST(ChecksSettings, ThePortThatDiffersFromItsPeersIsNamed) {
  EXPECT_THAT(
      findings_after(fabric_texts(), "leaf01.json", "\"mtu\": \"9100\"", "\"mtu\": \"1500\"",
                     "\"alias\": \"etp1b\""),
      ElementsAre(AllOf(HasSubstr("PORT|Ethernet4.mtu"), HasSubstr("leaf01 Ethernet4: MTU 1,500 B"),
                        HasSubstr("has 9,100 B"), HasSubstr("the odd one out"))));
  EXPECT_THAT(findings_after(fabric_texts(), "leaf01.json", "\"400000\"", "\"200000\"",
                             "\"alias\": \"etp1b\""),
              ElementsAre(HasSubstr("leaf01 Ethernet4: rate 200Gbps")));
  EXPECT_THAT(findings_after(fabric_texts(), "leaf01.json",
                             ", \"wred_profile\": \"AZURE_LOSSLESS\"", "", "\"Ethernet12|3\""),
              ElementsAre(HasSubstr("leaf01 Ethernet12: ECN of DSCP 26 none")));
  EXPECT_THAT(findings_after(fabric_texts(), "leaf01.json", "\"pfc_enable\": \"3\"",
                             "\"pfc_enable\": \"3,4\"", "\"Ethernet8\": {\"dscp"),
              ElementsAre(HasSubstr("leaf01 Ethernet8: PFC priorities 3-4")));
}

TEST(ChecksSettings, ThePortWithoutWatchdogIsNamed) {
  EXPECT_THAT(
      findings_after(fabric_texts(), "spine01.json",
                     "        \"Ethernet8\": {\"action\": \"drop\", \"detection_time\": \"200\", "
                     "\"restoration_time\": \"200\"},\n",
                     ""),
      ElementsAre(HasSubstr("spine01 Ethernet8: PFC watchdog none")));
}

TEST(ChecksSettings, TheSwitchThatDiffersFromTwoOthersIsNamed) {
  struct Plant {
    std::string_view from;
    std::string_view to;
    std::string_view after;
    std::vector<std::string> found;
  };
  const std::vector<Plant> plants{
      {"\"1048576\"",
       "\"524288\"",
       "green_min",
       {"leaf02: ECN of DSCP 26 524,288 B to 2,097,152 B at 5 %", "1,048,576 B to 2,097,152 B",
        "the odd one out", "leaf02.json:", "WRED_PROFILE|AZURE_LOSSLESS.green_min_threshold"}},
      {"\"dynamic_th\": \"0\"",
       "\"dynamic_th\": \"-1\"",
       "pg_lossless_400000_5m_profile",
       {"leaf02: alpha of DSCP 26 0.5", "the odd one out"}},
      {"\"393192\"",
       "\"300000\"",
       "pg_lossless_400000_5m_profile",
       {"leaf02: headroom of DSCP 26 at 400Gbps and 5m 300,000 B", "has 393,192 B"}},
      {"\"10\": \"0\"",
       "\"10\": \"6\"",
       "DSCP_TO_TC_MAP",
       {"leaf02: DSCP 10 goes to priority 0, queue 6", "to priority 0, queue 0",
        "DSCP_TO_TC_MAP|AZURE.10"}},
      {"\"166115492\"",
       "\"100000000\"",
       "ingress_lossless_pool",
       {"leaf02: shared buffer 100,000,000 B"}},
      {"\"15\"", "\"30\"", "scheduler.1", {"leaf02: scheduling of DSCP 26 weight 30"}},
      {"\"1778\"", "\"0\"", "egress_lossy_profile", {"leaf02: reserve of egress of DSCP 0 0 B"}},
  };
  for (const Plant& plant : plants) {
    const auto findings =
        findings_after(three_leaves(), "leaf02.json", plant.from, plant.to, plant.after);
    ASSERT_EQ(findings.size(), 1U) << plant.after << testing::PrintToString(findings);
    for (const std::string& words : plant.found) EXPECT_THAT(findings[0], HasSubstr(words));
  }
}

TEST(ChecksSettings, TwoSwitchesThatDifferAreUndecided) {
  EXPECT_THAT(
      findings_after(fabric_texts(), "leaf02.json", "\"1048576\"", "\"524288\"", "green_min"),
      ElementsAre(AllOf(HasSubstr("leaf02: ECN of DSCP 26 524,288 B"), HasSubstr("leaf01 Ethernet"),
                        HasSubstr("which of them is meant?"))));
}

TEST(ChecksSettings, APortWithoutClassesIsLossy) {
  const std::string row =
      "        \"Ethernet8\": {\"dscp_to_tc_map\": \"AZURE\", \"tc_to_queue_map\": \"AZURE\", "
      "\"tc_to_pg_map\": \"AZURE\", \"pfc_to_queue_map\": \"AZURE\", \"pfc_enable\": \"3\", "
      "\"pfcwd_sw_enable\": \"3\"},\n";
  NamedTexts texts = fabric_texts();
  texts[0].second =
      changed(texts[0].second, "        \"global\": {\"dscp_to_tc_map\": \"AZURE\"},\n", "");
  EXPECT_THAT(findings_of(texts), IsEmpty());
  EXPECT_THAT(findings_after(texts, "leaf01.json", row, ""),
              ElementsAre(AllOf(HasSubstr("leaf01 Ethernet8: has no classes"),
                                HasSubstr("PORT|Ethernet8"))));
}

TEST(ChecksSettings, AnotherCodePointOfRoceIsChecked) {
  const Description description = described("fabric/config_db-leaf01.json");
  const Remarks remarks = check_settings(description, {.roce_dscp = 24});
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_THAT(remarks[0].to_string(), HasSubstr("DSCP_TO_TC_MAP|AZURE.24"));
}

TEST(ChecksSettings, PastedSwitchesAreChecked) {
  const auto off =
      changed(operator_sample("fabric/qos-eos.txt"), "   priority-flow-control on\n", "");
  EXPECT_THAT(findings_of({{"a", off}}), ElementsAre(HasSubstr("Ethernet1/1: PFC is off")));
  const auto drops = changed(operator_sample("fabric/qos-nxos.txt"), "weight 0 ecn", "weight 0");
  EXPECT_THAT(findings_of({{"a", drops}}), ElementsAre(HasSubstr("WRED of queue 3 drops")));
  const auto none = changed(operator_sample("fabric/qos-cumulus.txt"), "tx enable", "tx disable");
  EXPECT_THAT(findings_of({{"a", none}}), ElementsAre(HasSubstr("all ports: PFC is off")));
}

}  // namespace
}  // namespace weft::import
