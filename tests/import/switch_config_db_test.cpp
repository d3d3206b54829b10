#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch_samples.hpp"

namespace weft::import {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> remarks_of(const std::string& sample) {
  const Description description = described(sample);
  std::vector<std::string> lines = lines_of(description.remarks);
  if (has_errors(description.remarks)) {
    EXPECT_TRUE(description.switches.empty() && description.cables.empty());
    EXPECT_THAT(description.recognised, IsEmpty());
  }
  return lines;
}

std::vector<std::string> errors_of(const std::string& sample) {
  std::vector<std::string> errors;
  for (const std::string& line : remarks_of(sample)) {
    if (line.find("error: ") != std::string::npos) errors.push_back(line);
  }
  return errors;
}

TEST(SwitchConfigDb, TheFourSwitchesHaveTheNumbersOfTheSamples) {
  for (const std::string name : {"leaf01", "leaf02", "spine01", "spine02"}) {
    const Description description = described("fabric/config_db-" + name + ".json");
    const bool is_leaf = name.starts_with("leaf");
    ASSERT_EQ(description.switches.size(), 1U) << name;
    const SwitchSettings& settings = description.switches[0];
    EXPECT_FALSE(has_errors(description.remarks));
    EXPECT_EQ(settings.name, name);
    EXPECT_EQ(settings.part, "tomahawk-5");
    EXPECT_EQ(settings.tier, is_leaf ? 1U : 2U);
    EXPECT_EQ(settings.buffer->value, Bytes(166'115'492));
    EXPECT_EQ(settings.buffer->where.key, "BUFFER_POOL|ingress_lossless_pool.size");
    EXPECT_EQ(settings.headroom_pool->value, Bytes(22'035'008));
    EXPECT_EQ(description.cables.size(), is_leaf ? 32U : 16U);
    ASSERT_EQ(settings.ports.size(), is_leaf ? 32U : 16U);
    for (const auto& [port_name, port] : settings.ports) {
      EXPECT_EQ(port.rate->value, BitsPerSecond(400'000'000'000));
      EXPECT_EQ(port.mtu->value, Bytes(9100));
      EXPECT_EQ(port.fec->value, "rs");
      const bool is_short = port.cable_length->value == Millimetres(5000);
      EXPECT_EQ(is_short, is_leaf && std::stoi(port_name.substr(8)) < 256);
      ASSERT_EQ(port.classes.size(), 3U);
      const ClassSettings& other = port.classes[0];
      const ClassSettings& roce = port.classes[1];
      const ClassSettings& cnp = port.classes[2];
      EXPECT_EQ(other.dscps.size(), 62U);
      EXPECT_EQ(other.weight->value, 14U);
      EXPECT_FALSE(other.pfc || other.ingress->headroom || other.ecn);
      EXPECT_EQ(other.egress_reserved->value, Bytes(1778));
      EXPECT_EQ(other.egress_alpha->value, 1);
      EXPECT_THAT(roce.dscps, ElementsAre(26));
      EXPECT_EQ(roce.queue, 3U);
      EXPECT_EQ(roce.priority, 3U);
      EXPECT_EQ(roce.paused_queue, 3U);
      EXPECT_TRUE(roce.pfc);
      EXPECT_EQ(roce.weight->value, 15U);
      EXPECT_EQ(roce.ingress->reserved.value, Bytes(18'796));
      EXPECT_EQ(roce.ingress->alpha->value, 1);
      EXPECT_EQ(roce.ingress->xon_offset->value, Bytes(3556));
      EXPECT_EQ(roce.ingress->headroom->value, Bytes(is_short ? 393'192 : 612'140));
      EXPECT_EQ(roce.ecn->kmin.value, Bytes(1'048'576));
      EXPECT_EQ(roce.ecn->kmax.value, Bytes(2'097'152));
      EXPECT_EQ(roce.ecn->pmax.value, 0.05);
      EXPECT_FALSE(roce.ecn->drops);
      EXPECT_THAT(cnp.dscps, ElementsAre(48));
      EXPECT_TRUE(cnp.is_strict);
      EXPECT_EQ(cnp.queue, 6U);
      EXPECT_EQ(cnp.priority, 0U);
    }
  }
}

TEST(SwitchConfigDb, SaysWhatItRecognisedAndWhere) {
  const Description description = described("fabric/config_db-leaf01.json");
  EXPECT_THAT(description.recognised,
              ElementsAre("fabric/config_db-leaf01.json: SONiC config_db of leaf01: 32 ports (32 "
                          "up), 32 neighbours, 2 lossless profiles"));
  const SwitchPort& port = description.switches[0].ports.at("Ethernet4");
  EXPECT_EQ(port.alias, "etp1b");
  EXPECT_EQ(port.rate->where.key, "PORT|Ethernet4.speed");
  EXPECT_EQ(port.rate->where.line, 7);
  EXPECT_EQ(port.rate->where.column, 91);  // the end of the value
  const SourceLocation& xoff = roce_class(port.classes)->ingress->headroom->where;
  EXPECT_EQ(xoff.key, "BUFFER_PROFILE|pg_lossless_400000_5m_profile.xoff");
  EXPECT_GT(xoff.line, 0);
  EXPECT_EQ(description.cables[1].b.to_string(), "gpu01 enp41s0np0");
  EXPECT_EQ(description.cables[1].where.key, "DEVICE_NEIGHBOR|Ethernet4");
}

TEST(SwitchConfigDb, TheFourFilesNameEachCableFromBothEnds) {
  std::map<std::pair<PortName, PortName>, int> ends;
  int to_servers = 0;
  for (const std::string name : {"leaf01", "leaf02", "spine01", "spine02"}) {
    for (const Cable& cable : described("fabric/config_db-" + name + ".json").cables) {
      EXPECT_EQ(cable.known_by, Knowledge::kConfigured);
      EXPECT_EQ(cable.rate->value, BitsPerSecond(400'000'000'000));
      ++ends[{std::min(cable.a, cable.b), std::max(cable.a, cable.b)}];
      to_servers += cable.b.device.starts_with("gpu") ? 1 : 0;
    }
  }
  EXPECT_EQ(ends.size(), 64U);
  EXPECT_EQ(to_servers, 32);
}

TEST(SwitchConfigDb, NumbersInsteadOfTextsAreTheSame) {
  const Description numbers = described("broken/config_db-numbers.json");
  EXPECT_FALSE(has_errors(numbers.remarks));
  ASSERT_EQ(numbers.switches.size(), 1U);
  const std::string text = operator_sample("broken/config_db-numbers.json");
  const std::string quoted =
      all_changed(all_changed(text, ": 400000,", ": \"400000\","), ": 9100,", ": \"9100\",");
  EXPECT_NE(quoted, text);
  EXPECT_EQ(settings_text(numbers), settings_text(described({{"a", quoted}})));
}

TEST(SwitchConfigDb, OldReferencesInBracketsAreTheSame) {
  const std::string text = operator_sample("fabric/config_db-leaf01.json");
  std::string old = all_changed(text, "\"profile\": \"", "\"profile\": \"[BUFFER_PROFILE|");
  old = all_changed(old, "_profile\"}", "_profile]\"}");
  old = all_changed(old, "\"wred_profile\": \"[BUFFER_PROFILE|AZURE_LOSSLESS\"",
                    "\"wred_profile\": \"[WRED_PROFILE|AZURE_LOSSLESS]\"");
  ASSERT_NE(old, text);
  EXPECT_EQ(settings_text(described({{"a", text}})), settings_text(described({{"a", old}})));
}

TEST(SwitchConfigDb, SpeedsThatNoPortHasAreErrorsWithTheLikelyMeaning) {
  EXPECT_THAT(errors_of("broken/config_db-speed-two-bytes.json"),
              ElementsAre(AllOf(HasSubstr(":6:"), HasSubstr("PORT|Ethernet0.speed"),
                                HasSubstr("speed 6784 is no Ethernet rate"),
                                HasSubstr("400000 mod 65,536"))));
  EXPECT_THAT(errors_of("broken/config_db-speed-in-gbps.json"),
              ElementsAre(AllOf(HasSubstr("speed 400 is no Ethernet rate in Mb/s"),
                                HasSubstr("400000 (400 Gb/s) meant?"))));
}

TEST(SwitchConfigDb, ReferencesToNothingAreErrorsWithTheNearestName) {
  EXPECT_THAT(errors_of("broken/config_db-unknown-profile.json"),
              ElementsAre(AllOf(HasSubstr("BUFFER_PG|Ethernet0|3-4.profile"),
                                HasSubstr("`pg_lossless_800000_5m_profile`, which BUFFER_PROFILE "
                                          "does not have"),
                                HasSubstr("did you mean `pg_lossless_400000_5m_profile`?"))));
}

TEST(SwitchConfigDb, ValuesOutOfRangeAreErrors) {
  EXPECT_THAT(errors_of("broken/config_db-wred-min-above-max.json"),
              ElementsAre(HasSubstr("green_min_threshold 2097152 > green_max_threshold 1048576")));
  EXPECT_THAT(
      errors_of("broken/config_db-dynamic-th-9.json"),
      ElementsAre(AllOf(HasSubstr("BUFFER_PROFILE|pg_lossless_400000_5m_profile.dynamic_th"),
                        HasSubstr("`9` found"), HasSubstr("-8 to 7"))));
  EXPECT_THAT(errors_of("broken/config_db-cable-length-no-unit.json"),
              ElementsAre(AllOf(HasSubstr("CABLE_LENGTH|AZURE.Ethernet0"),
                                HasSubstr("`5` found, expected a whole number with `m`"))));
  EXPECT_THAT(errors_of("broken/config_db-neighbour-twice.json"),
              ElementsAre(AllOf(HasSubstr("`gpu01 enp24s0np0`"), HasSubstr("`Ethernet0`"),
                                HasSubstr("`Ethernet4`"))));
}

TEST(SwitchConfigDb, BrokenJsonIsRefusedWithLineAndColumn) {
  EXPECT_THAT(errors_of("broken/config_db-trailing-comma.json"),
              ElementsAre(AllOf(HasSubstr(".json:6:"), HasSubstr("is no JSON"))));
  const std::string text = operator_sample("fabric/config_db-leaf01.json");
  const auto cut = described({{"cut.json", text.substr(0, text.size() / 2)}});
  EXPECT_THAT(lines_of(cut.remarks), ElementsAre(HasSubstr("was the file cut?")));
  EXPECT_TRUE(cut.switches.empty());
}

TEST(SwitchConfigDb, DynamicBuffersAreOnTheSwitchOnly) {
  const Description description = described("broken/config_db-dynamic-buffer-model.json");
  EXPECT_FALSE(has_errors(description.remarks));
  EXPECT_THAT(lines_of(description.remarks),
              Contains(AllOf(HasSubstr("warning: "), HasSubstr("`show buffer information`"),
                             HasSubstr("default preset"))));
  const ClassSettings* roce = roce_class(description.switches[0].ports.at("Ethernet0").classes);
  EXPECT_FALSE(roce->ingress.has_value());
  EXPECT_TRUE(roce->pfc);
}

TEST(SwitchConfigDb, DeepTextsAreRefused) {
  const std::string deep = "{\"PORT_QOS_MAP\": " + std::string(100'000, '[');
  EXPECT_THAT(lines_of(described({{"deep", deep}}).remarks),
              ElementsAre(HasSubstr("nested more than 64 levels deep")));
}

// The parser has read the character behind a number before it tells of it.
TEST(SwitchConfigDb, ANumberAtTheEndOfItsLineHasThatLine) {
  std::string text = operator_sample("fabric/config_db-leaf01.json");
  const std::string speed = "\"speed\": \"400000\"";
  text.replace(text.find(speed), speed.size(), "\"speed\":\n6784\n");
  EXPECT_THAT(lines_of(described({{"a", text}}).remarks),
              Contains(AllOf(HasSubstr("a:7:"), HasSubstr("6784"))));
}

TEST(SwitchConfigDb, AKeyThatStandsTwiceIsAnError) {
  const std::string text = changed(operator_sample("fabric/config_db-leaf01.json"),
                                   "\"Ethernet4\": {\"alias\"", "\"Ethernet0\": {\"alias\"");
  EXPECT_THAT(lines_of(described({{"a", text}}).remarks),
              ElementsAre(AllOf(HasSubstr("a:7:"), HasSubstr("`Ethernet0` stands twice"))));
}

TEST(SwitchConfigDb, UnknownTablesAndFieldsAreWarnedOfOnce) {
  std::string text = operator_sample("fabric/config_db-leaf01.json");
  text = all_changed(text, "\"lanes\"", "\"lanez\"");
  text = changed(text, "\"PFC_WD\"", "\"PFC_WDG\"");
  const auto lines = lines_of(described({{"a", text}}).remarks);
  EXPECT_THAT(lines,
              Contains(AllOf(HasSubstr("`lanez` is not known"), HasSubstr("`lanes`?"))).Times(1));
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("`PFC_WDG`"), HasSubstr("`PFC_WD`?"))).Times(1));
}

TEST(SwitchConfigDb, GlobalMapsServePortsThatNameNone) {
  std::string text = operator_sample("fabric/config_db-leaf01.json");
  const std::string without = all_changed(
      text, "{\"dscp_to_tc_map\": \"AZURE\", \"tc_to_queue_map\"", "{\"tc_to_queue_map\"");
  ASSERT_NE(without, text);
  EXPECT_EQ(settings_text(described({{"a", text}})), settings_text(described({{"a", without}})));
}

TEST(SwitchConfigDb, KeysOfManyPortsAndFilesOfManyFaultsAreRefused) {
  std::string names = "Ethernet0";
  for (int i = 1; i < 100'000; ++i) names += ",Ethernet" + std::to_string(i);
  const auto many =
      described({{"a", "{\"BUFFER_PG\": {\"" + names + "|0-7\": {\"profile\": \"NULL\"}}}"}});
  EXPECT_THAT(lines_of(many.remarks), ElementsAre(HasSubstr("more than 4096 ports")));
  std::string rows;
  for (int i = 0; i < 50'000; ++i) rows += ",\"E" + std::to_string(i) + "\": {\"speed\": \"1\"}";
  const auto faults = described({{"a", "{\"PORT\": {" + rows.substr(1) + "}, \"PFC_WD\": {}}"}});
  EXPECT_EQ(faults.remarks.size(), 1001U);
  EXPECT_THAT(lines_of(faults.remarks).back(), HasSubstr("more faults than are listed"));
}

TEST(SwitchConfigDb, AGapInAMapIsSaid) {
  const std::string text = changed(operator_sample("fabric/config_db-leaf01.json"), "\"3\": \"3\"",
                                   "\"9\": \"3\"", "\"TC_TO_QUEUE_MAP\"");
  EXPECT_THAT(lines_of(described({{"a", text}}).remarks),
              Contains(AllOf(HasSubstr("PORT_QOS_MAP|Ethernet0"),
                             HasSubstr("no row for traffic class 3, which DSCP 26 reaches")))
                  .Times(1));
}

TEST(SwitchConfigDb, SeveralFaultsOfAFileAreToldAtOnce) {
  std::string text = operator_sample("fabric/config_db-leaf01.json");
  text = changed(text, "\"400000\"", "\"400\"");
  text = changed(text, "\"mtu\": \"9100\"", "\"mtu\": \"91000\"", "\"Ethernet8\"");
  text = changed(text, "\"DWRR\"", "\"DWR\"");
  const Description description = described({{"a", text}});
  EXPECT_THAT(lines_of(description.remarks),
              AllOf(Contains(HasSubstr("speed 400")), Contains(HasSubstr("`91000` found")),
                    Contains(HasSubstr("`DWR` found"))));
  EXPECT_TRUE(description.switches.empty());
}

TEST(SwitchConfigDb, NamesCannotCommandTheTerminal) {
  std::string text = changed(operator_sample("fabric/config_db-leaf01.json"), "\"BUFFER_PG\": {",
                             "\"BUFFER_PG\": {\"Eth\\u001b[31m|3\": {},");
  for (const std::string& line : lines_of(described({{"a", text}}).remarks)) {
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace weft::import
