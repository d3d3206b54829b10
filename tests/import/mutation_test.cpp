#include <gtest/gtest.h>

#include "tests/import/support/mutants.hpp"

namespace weft::import {
namespace {

TEST(Mutants, NeitherCrashNorTakeLong) { read_mutants(300); }

/// Recognised, sound, and in need of no remark: what mutants are compared with.
TEST(Mutants, BeginAsGoodSamples) {
  for (const auto& [format, name] : good_samples()) {
    const InputFile file("sample", sample_text(name));
    const Format* const found = recognise(file);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->name, format);
    EXPECT_EQ(remarks_text(read_sample(name)), "") << name;
  }
}

/// A value that the facts hold: its text, as it stands in the sample, and another one.
struct ChangedValue {
  const char* name;
  const char* format;
  const char* from;
  const char* to;
};

TEST(Mutants, AChangedValueChangesFactsOrIsSaid) {
  const ChangedValue values[] = {
      {"server/nccl-topo-gpu01.xml", "nccl-topo", "speed=\"400000\"", "speed=\"100000\""},
      {"server/nccl-topo-gpu01.xml", "nccl-topo", "speed=\"400000\"", "speed=\"500000\""},
      {"server/nccl-topo-gpu01.xml", "nccl-topo", "count=\"5\"", "count=\"4\""},
      {"server/topo-m-gpu01.txt", "topo-m", "PIX", "PXB"},
      {"server/topo-m-gpu01.txt", "topo-m", "NV18", "NV12"},
      {"server/lstopo-gpu01.xml", "lstopo", "enp24s0np0", "enp25s0np0"},
      {"fabric/netbox-cables.csv", "netbox-csv", ",3,m,", ",4,m,"},
      {"fabric/netbox-cables.csv", "netbox-csv", "Ethernet0", "Ethernet4"},
      {"fabric/netbox-cables-table-export.csv", "netbox-table", "3.0 Meters", "3.0 Feet"},
      {"fabric/cables-generic.csv", "cables-csv", "400G", "100G"},
      {"fabric/cables-generic.csv", "cables-csv", "400G", "401G"},
      {"fabric/cables-generic.csv", "cables-csv", "3m", "5m"},
      {"fabric/cables-generic.csv", "cables-csv", "3m", "3"},
      {"fabric/cables-generic.csv", "cables-csv", "400G", "400000"},
      {"fabric/cables-generic.csv", "cables-csv", "gpu01", "GPU01x"},
      {"fabric/cables-semicolons.csv", "cables-csv", "(m)", "(ft)"},
      {"fabric/cables-semicolons.csv", "cables-csv", "(m)", "(yd)"},
      {"fabric/cables-semicolons.csv", "cables-csv", "3,0", "3,1"},
      {"fabric/cables-semicolons.csv", "cables-csv", "3,0", "3,000"},
      {"fabric/cables-semicolons.csv", "cables-csv", "(Gb/s)", "(GB/s)"},
      {"fabric/cables-semicolons.csv", "cables-csv", "(Gb/s)", ""},
      {"fabric/cables-semicolons.csv", "cables-csv", "DAC", "AOC"},
      {"fabric/cables-semicolons.csv", "cables-csv", "DAC", "ABC"},
      {"fabric/cables-semicolons.csv", "cables-csv", "Source Port", "Source Rack"},
      {"fabric/cables-tabs.txt", "cables-csv", "length_m", "length_ft"},
      {"fabric/cables-tabs.txt", "cables-csv", "400GbE", "100GbE"},
      {"fabric/cables-tabs.txt", "cables-csv", "A Device", "B Device"},
      {"fabric/cables-tabs.txt", "cables-csv", "A Interface", "Z Interface"},
      {"fabric/lldpctl-gpu01.json", "lldpctl", "etp1a", "etp1b"},
      {"fabric/lldp-table-leaf01.txt", "lldp-table", "enp24s0np0", "enp25s0np0"},
      {"fabric/dsx-air.json", "dsx-air", "\"Ethernet0\"", "\"Ethernet1\""},
      {"fabric/cumulus.dot", "dot", "\"Ethernet0\"", "\"Ethernet1\""},
      {"fabric/ibnetdiscover.txt", "ibnetdiscover", "4xNDR", "4xHDR"},
      {"fabric/ibnetdiscover.txt", "ibnetdiscover", "4xNDR", "2xNDR"},
      {"fabric/iblinkinfo.txt", "iblinkinfo", "106.25", "53.125"},
      {"fabric/topology.conf", "slurm-topology", "01-02", "01-03"},
      {"fabric/topograph.yaml", "topograph", "[leaf01, leaf02]", "[leaf01, leaf03]"},
      {"fabric/infragraph.yaml", "infragraph", "gigabits_per_second: 400",
       "gigabits_per_second: 200"},
      {"fabric/simgrid.xml", "simgrid", "400Gbps", "400GBps"},
      {"fabric/simgrid.xml", "simgrid", "radical=\"0-31\"", "radical=\"0-30\""}};
  for (const ChangedValue& value : values) {
    std::string text = sample_text(value.name);
    const std::string before = facts_text(read_text(text, value.format));
    const std::size_t at = text.find(value.from);
    ASSERT_NE(at, std::string::npos) << value.name << " " << value.from;
    text.replace(at, std::string(value.from).size(), value.to);
    const Description read = read_text(text, value.format);
    EXPECT_TRUE(facts_text(read) != before || !read.remarks.empty())
        << value.name << ": " << value.from << " to " << value.to;
  }
}

/// Cut at each of many places: wherever a value is lost, facts differ or something is said.
TEST(Mutants, ACutEndIsNeverSilent) {
  for (const auto& [format, name] : good_samples()) {
    const std::string text = sample_text(name);
    const std::string before = facts_text(read_text(text, format));
    for (std::size_t i = 1; i <= 60; ++i) {
      const std::size_t end = text.size() * i / 61;
      // Ports that are down are no facts: iblinkinfo may lose them at its end.
      if (format == "iblinkinfo" && text.find("Active/", end) == std::string::npos) continue;
      const Description read = read_text(text.substr(0, end), format);
      EXPECT_TRUE(facts_text(read) != before || !read.remarks.empty())
          << name << " cut at " << i << " of 61";
    }
  }
}

}  // namespace
}  // namespace weft::import
