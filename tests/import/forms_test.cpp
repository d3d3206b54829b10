#include <gtest/gtest.h>

#include "tests/import/support/samples.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/planners/slurm_topology.hpp"

namespace weft::import {
namespace {

TEST(Forms, Json0WrapsEachValueInAList) {
  const Description read = read_text(
      R"({"lldp":[{"interface":[{"name":"eth0","via":"LLDP","chassis":[{"id":[{"type":"mac",
"value":"02:00:00:01:00:01"}],"name":[{"value":"leaf01"}]}],"port":[{"id":[{"type":"ifname",
"value":"Ethernet0"}],"descr":[{"value":"to gpu01"}]}]}]}]})");
  EXPECT_EQ(remarks_text(read), "");
  ASSERT_EQ(read.cables.size(), 1U);
  EXPECT_EQ(read.cables[0].b, (PortName{"leaf01", "Ethernet0", false}));
}

TEST(Forms, NetboxPagesAreJoinedAndMissingOnesSaid) {
  const std::string cable =
      R"({"id":1,"a_terminations":[{"object_type":"dcim.interface","object":{"device":{"name":"a"},
"name":"p"}}],"b_terminations":[{"object_type":"dcim.interface","object":{"device":{"name":"b"},
"name":"q"}}],"status":{"value":"connected"},"type":"aoc","length":3.5,"length_unit":{"value":"m"}})";
  const Description read = read_text(R"({"count":1,"next":null,"results":[)" + cable + "]}");
  EXPECT_EQ(remarks_text(read), "");
  ASSERT_EQ(read.cables.size(), 1U);
  EXPECT_EQ(read.cables[0].length->value.count(), 3500);
  EXPECT_EQ(read.cables[0].medium->value, "fibre");
  EXPECT_TRUE(says(read_text(R"({"count":2,"next":null,"results":[)" + cable + "]}"),
                   Severity::kError, 0, "pages are missing"));
  EXPECT_TRUE(says(read_text(R"({"count":2,"next":"http://n","results":[)" + cable + "]}"),
                   Severity::kError, 0, "more pages follow"));
}

TEST(Forms, HostlistsHaveSeveralBracketsAndAreBounded) {
  const auto names = expand_hostlist("r[1-2]n[08-10],x", 100);
  ASSERT_EQ(names.index(), 0U);
  EXPECT_EQ(std::get<0>(names),
            (std::vector<std::string>{"r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10", "x"}));
  EXPECT_EQ(expand_hostlist("n[1-1000000000000]", 1000).index(), 1U);
  EXPECT_EQ(expand_hostlist("a[1-999]b[1-999]c[1-999]", 1000).index(), 1U);
}

std::string infra_edges(const std::string& edges) {
  return "devices:\n- {name: s, components: [{name: nic, count: 2, choice: nic}]}\n"
         "- {name: box, components: [{name: s, count: 2, choice: device}]}\n"
         "instances:\n- {name: a, device: s, count: 2}\n- {name: b, device: box, count: 1}\n"
         "links:\n- {name: l, physical: {bandwidth: {choice: gigabytes_per_second, "
         "gigabytes_per_second: 50}}}\nedges:\n" +
         edges;
}

TEST(Forms, InfragraphComposesDevicesAndSlices) {
  const Description read = read_text(infra_edges(
      "- {ep1: {instance: a, component: nic}, ep2: {instance: b, component: \"s.nic\"}, "
      "scheme: one2one, link: l}\n"));
  ASSERT_EQ(read.cables.size(), 4U) << remarks_text(read);
  EXPECT_EQ(read.cables[1].a, (PortName{"a.0", "nic.1"}));
  EXPECT_EQ(read.cables[2].b, (PortName{"b.0", "s.1.nic.0"}));
  EXPECT_EQ(read.cables[0].rate->value.count(), 400'000'000'000);
  EXPECT_EQ(read_text(infra_edges("- {ep1: {instance: \"a[0]\", component: \"nic[0:2:2]\"}, ep2: "
                                  "{instance: \"a[1]\", component: \"nic[1]\"}, scheme: many2many, "
                                  "link: l}\n"))
                .cables.size(),
            1U);
}

TEST(Forms, HostileTextsAreRefusedSoon) {
  const std::string deep(1'000'000, '[');
  EXPECT_TRUE(says(read_text("{\"lldp\": " + deep, "lldpctl"), Severity::kError, 0, "levels deep"));
  std::string xml = "<system version=\"1\">";
  for (int i = 0; i < 1000; ++i) xml += "<cpu>";
  EXPECT_TRUE(says(read_text(xml, "nccl-topo"), Severity::kError, 0, "levels deep"));
  EXPECT_TRUE(
      says(read_text("<!DOCTYPE a [<!ENTITY b \"c\">]><system version=\"1\"/>", "nccl-topo"),
           Severity::kError, 0, "declares entities"));
  EXPECT_TRUE(says(read_text("devices: []\ninstances: &a []\nedges: *a\n"), Severity::kError, 0,
                   "anchors and aliases"));
  EXPECT_TRUE(says(read_text("from,from_port,to,to_port\na\x1b,b,c,d\n"), Severity::kError, 2,
                   "characters that are not shown"));
}

TEST(Forms, RatesOfNoPortAreRefused) {
  EXPECT_EQ(parse_port_rate("400 Gb/s").index(), 0U);
  EXPECT_EQ(parse_port_rate("0.8T").index(), 0U);
  for (const char* text : {"40000G", "401G", "400", "50GB/s", "400Q", "", "1e5G"}) {
    EXPECT_EQ(parse_port_rate(text).index(), 1U) << text;
  }
}

}  // namespace
}  // namespace weft::import
