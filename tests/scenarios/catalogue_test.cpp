#include "scenarios/language/yaml/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/language/catalogue_report.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/language/yaml/catalogue_text.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "tests/support/temporary_folder.hpp"
#include "topologies/parts/parts.hpp"
#include "topologies/parts/parts_schema.hpp"

namespace weft::scenarios::language {
namespace {

using topologies::PartKind;
using topologies::ScaleUpPart;
using topologies::ServerPart;

const PartKind& kind_of(const std::vector<PartKind>& kinds, const std::string& collection) {
  return *std::ranges::find(kinds, collection,
                            [](const PartKind& k) { return k.object.collection; });
}

/// A part written as `yaml`, such as `{part: hgx-h100, gpus: 4}`, or what is wrong with it.
template <class Part>
Result<Part> read_part(const std::string& collection, const std::string& yaml) {
  const Catalogue catalogue = Catalogue::embedded();
  const std::vector<PartKind> kinds = topologies::part_kinds();
  Result<Node> node = parse_yaml(yaml, "part.yaml");
  if (!node.ok()) return node.errors();
  Diagnostics diagnostics("part.yaml", {});
  Provenance provenance;
  Part part;
  Reader(catalogue, diagnostics, provenance)
      .read(kind_of(kinds, collection).object, node.value(), &part, "");
  if (!diagnostics.is_empty()) return diagnostics.take();
  return part;
}

ServerPart server(const std::string& yaml) {
  const Result<ServerPart> part = read_part<ServerPart>("servers", yaml);
  EXPECT_TRUE(part.ok()) << yaml << ": " << part.errors().front().to_string();
  return part.value();
}

std::string problem_of(const std::string& collection, const std::string& yaml) {
  const std::vector<PartKind> kinds = topologies::part_kinds();
  const Result<ServerPart> as_server = collection == "servers"
                                           ? read_part<ServerPart>(collection, yaml)
                                           : Result<ServerPart>(ServerPart());
  if (collection == "servers") {
    return as_server.ok() ? "no error" : as_server.errors().front().to_string();
  }
  const Result<ScaleUpPart> part = read_part<ScaleUpPart>(collection, yaml);
  return part.ok() ? "no error" : part.errors().front().to_string();
}

// Half and a third of the memory's bandwidth, in steps of 10 Gbps; what a site gives holds.
TEST(Catalogue, GpusCopyAndAddAtWhatTheirMemoryAllowsUnlessTheySayMore) {
  const auto rates = [](const char* yaml) { return server(yaml).gpu.rates(); };
  EXPECT_EQ(rates("H100"), GpuRates::of(GpuGeneration::kHopper));
  EXPECT_EQ(rates("V100"), GpuRates::of(GpuGeneration::kVolta));
  EXPECT_EQ(rates("A100"), GpuRates::of(GpuGeneration::kAmpere));
  EXPECT_EQ(rates("GB200"), GpuRates::of(GpuGeneration::kBlackwell));
  EXPECT_EQ(rates("H200").copy, 19'200_Gbps);
  EXPECT_EQ(rates("H200").reduce, 12'800_Gbps);
  EXPECT_EQ(rates("p5en").copy, 19'200_Gbps);
  EXPECT_EQ(rates("{part: H100, gpu: h20}").copy, 16'000_Gbps);
  const GpuRates own = rates("{part: H100, gpu: {part: h20, copy_rate: 1Tbps}}");
  EXPECT_EQ(own.copy, 1'000_Gbps);
  EXPECT_EQ(own.reduce, 10'660_Gbps);
  EXPECT_EQ(rates("{gpus: 8, nics: 8}"), GpuRates());
}

// Of ranks on servers of two kinds the slower GPU counts, and where one is not known, the
// generation.
TEST(Catalogue, CollectivesGoByTheSlowestGpuOfTheirRanks) {
  const auto copies = [](const std::string& racks) {
    const auto loaded = load_scenario_text(
        "name: t\nracks: [" + racks +
            "]\nfabric: {topology: leaf-spine, spines: 1}\njobs: [{name: a, type: all-reduce, "
            "size: 1MiB}]\n",
        "t.yaml");
    EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    return build_experiment(loaded.value().scenario).value().scenario.jobs[0].layout.gpu_rates.copy;
  };
  const std::string h200 = "{count: 1, servers: 1, server: H200}";
  const std::string h100 = "{count: 1, servers: 1, server: H100}";
  EXPECT_EQ(copies(h200), 19'200_Gbps);
  EXPECT_EQ(copies(h200 + ", " + h100), 13'400_Gbps);
  EXPECT_EQ(copies(h200 + ", {count: 1, servers: 1, server: {part: plain, nics: 8}}"), kAsGpu);
}

TEST(Catalogue, EveryPartIsValidAndEveryFigureHasASource) {
  const Catalogue catalogue = Catalogue::embedded();
  const std::vector<PartKind> kinds = topologies::part_kinds();
  EXPECT_EQ(catalogue.collections().size(), kinds.size());
  for (const PartKind& kind : kinds) {
    const std::string& collection = kind.object.collection;
    ASSERT_FALSE(catalogue.names(collection).empty()) << collection;
    for (const std::string& name : catalogue.names(collection)) {
      const Part& part = *catalogue.find(collection, name);
      EXPECT_FALSE(part.about.empty()) << name;
      Diagnostics diagnostics(collection, {});
      Provenance provenance;
      Node values = part.values;
      const std::shared_ptr<void> target = kind.make();
      Reader(catalogue, diagnostics, provenance).read(kind.object, values, target.get(), "");
      for (const Error& e : diagnostics.take()) ADD_FAILURE() << name << ": " << e.to_string();
    }
  }
  const auto parts = list_parts("");
  ASSERT_TRUE(parts.ok());
  for (const PartReport& part : parts.value()) {
    int own = 0;
    for (const PartFigure& figure : part.figures) {
      EXPECT_NE(figure.source, part.name) << part.name << "." << figure.path << " has no source";
      EXPECT_FALSE(figure.source.empty()) << part.name << "." << figure.path;
      own += figure.source.starts_with("default") ? 0 : 1;
    }
    EXPECT_GT(own, 0) << part.name;
  }
}

/// Whether two trees say the same, wherever they stand.
bool are_equal(const Node& a, const Node& b) {
  return a.kind == b.kind && a.text == b.text && std::ranges::equal(a.items, b.items, are_equal) &&
         std::ranges::equal(a.entries, b.entries, [](const auto& x, const auto& y) {
           return x.key == y.key && are_equal(x.value, y.value);
         });
}

// A run reads only the parts that it names, each by itself. What it finds is what the whole file
// says, which the YAML parser reads here at once.
TEST(Catalogue, APartReadAloneIsWhatItIsInItsFile) {
  const Catalogue& catalogue = Catalogue::embedded();
  const std::vector<std::string> own{"about", "refused", "aliases", "sources"};
  for (const CatalogueText& file : catalogue_texts()) {
    const std::string collection(file.collection);
    const Result<Node> whole = parse_yaml(file.yaml, collection);
    ASSERT_TRUE(whole.ok()) << collection;
    ASSERT_EQ(whole.value().entries.size(), catalogue.names(collection).size()) << collection;
    for (const Node::Entry& entry : whole.value().entries) {
      const Part* part = catalogue.find(collection, entry.key);
      ASSERT_NE(part, nullptr) << entry.key;
      Node figures = entry.value;
      std::erase_if(figures.entries, [&own](const Node::Entry& e) {
        return std::ranges::find(own, e.key) != own.end();
      });
      EXPECT_TRUE(are_equal(part->values, figures)) << entry.key;
      const Node* aliases = entry.value.find("aliases");
      EXPECT_EQ(part->aliases.size(), aliases == nullptr ? 0 : aliases->items.size()) << entry.key;
      EXPECT_EQ(part->about, entry.value.find("about")->text) << entry.key;
    }
  }
}

// Names are part of the language: scenarios that people have use them.
TEST(Catalogue, KeepsItsNames) {
  const Catalogue catalogue = Catalogue::embedded();
  const std::map<std::string, std::vector<std::string>> names{
      {"servers",
       {"dgx-2",      "dgx-a100",   "gaudi-3",       "gb200-nvl72", "gb300-nvl72", "hgx-b200",
        "hgx-b300",   "hgx-h100",   "hgx-h100-nics", "hgx-h200",    "host-400g",   "host-800g",
        "ideal-host", "mi300x",     "mi355x",        "p5en",        "p6-b200",     "plain",
        "tpu-v5p",    "trainium-2", "ualink-pod"}},
      {"scale-up",
       {"ideal", "nvswitch-1", "nvswitch-2", "nvswitch-3", "nvswitch-4", "ualink-200g"}},
      {"host-links",
       {"c2c-pcie-5-x16", "nvlink-c2c", "pcie-3-x16", "pcie-4-x16", "pcie-5-x16", "pcie-6-x16"}},
      {"nics",
       {"bluefield-3", "connectx-5", "connectx-6", "connectx-7", "connectx-8", "efa-v3", "efa-v4",
        "gaudi-3", "ideal", "thor-2"}},
      {"switches",
       {"hpcc-paper", "ideal", "jericho-3", "q3450-ld", "quantum-2", "quantum-x800", "spectrum-4",
        "tomahawk-4", "tomahawk-5", "tomahawk-6", "tomahawk-ultra"}},
      {"cables",
       {"active-copper", "active-optical", "copper", "copper-200g", "fibre", "fibre-200g", "ideal",
        "linear-fibre"}}};
  for (const auto& [collection, expected] : names) {
    EXPECT_EQ(catalogue.names(collection), expected) << collection;
  }
}

// GPUs, scale-up switches, links between them, and what they carry in both directions together. The
// last column is that of NVIDIA's data sheets: 4.8, 4.8, 7.2, 14.4 and 129.6 TB/s. Every switch has
// enough ports: 18, 36, 64, 72 and 72 by generation; in the DGX-2 eight of them lead to the other
// board.
TEST(Catalogue, MachinesHaveTheLinksThatTheirDataSheetsName) {
  struct Machine {
    const char* name;
    std::uint32_t gpus, switches, links_per_gpu, links, ports_per_switch;
    double terabytes;
    std::uint32_t nics, rails;
    std::int64_t nic_gbps;
  };
  const std::vector<Machine> machines{
      {"dgx-2", 16, 12, 6, 96, 18, 4.8, 8, 0, 100},
      {"dgx-a100", 8, 6, 12, 96, 36, 4.8, 8, 0, 200},
      {"hgx-h100", 8, 4, 18, 144, 64, 7.2, 8, 0, 400},
      {"hgx-h200", 8, 4, 18, 144, 64, 7.2, 8, 0, 400},
      {"hgx-b200", 8, 2, 18, 144, 72, 14.4, 8, 0, 400},
      {"hgx-b300", 8, 2, 18, 144, 72, 14.4, 8, 0, 800},
      {"p5en", 8, 4, 18, 144, 64, 7.2, 8, 0, 400},
      {"p6-b200", 8, 2, 18, 144, 72, 14.4, 8, 0, 400},
      {"gb200-nvl72", 72, 18, 18, 1'296, 72, 129.6, 72, 4, 400},
      {"gb300-nvl72", 72, 18, 18, 1'296, 72, 129.6, 72, 4, 800},
  };
  for (const Machine& m : machines) {
    const ServerPart s = server(m.name);
    ASSERT_TRUE(s.scale_up.has_value()) << m.name;
    EXPECT_EQ(s.gpus, m.gpus) << m.name;
    EXPECT_EQ(s.hosts(), m.gpus) << m.name;
    EXPECT_EQ(s.scale_up->switches, m.switches) << m.name;
    EXPECT_EQ(s.scale_up->links_per_gpu(), m.links_per_gpu) << m.name;
    const std::uint32_t links = s.gpus * s.scale_up->links_per_gpu();
    EXPECT_EQ(links, m.links) << m.name;
    EXPECT_NEAR(2.0 * links * static_cast<double>(s.scale_up->rate.count()) / 8e12, m.terabytes,
                1e-9)
        << m.name;
    for (const std::uint32_t per_switch : s.scale_up->links_per_switch) {
      EXPECT_LE(s.gpus / s.scale_up->boards * per_switch + s.scale_up->trunks, m.ports_per_switch)
          << m.name;
    }
    EXPECT_EQ(s.nics, m.nics) << m.name;
    EXPECT_EQ(s.rails, m.rails) << m.name;
    EXPECT_EQ(s.nic.rate.count(), m.nic_gbps * 1'000'000'000) << m.name;
    ASSERT_TRUE(s.host_link.rate.has_value()) << m.name;
    // PCIe keeps up with the NIC behind it.
    EXPECT_GE(*s.host_link.rate, s.nic.rate) << m.name;
  }
  const ServerPart pod = server("ualink-pod");
  EXPECT_EQ(pod.gpus, 1'024U);
  EXPECT_EQ(pod.nics, 0U);
  EXPECT_EQ(server("{part: ualink-pod, gpus: 64, nics: 16}").hosts(), 64U);
}

// Payload per link is NCCL's figure for the generation: 20.0, 20.0, 20.6 and 40.1 GB/s; per GPU
// 120, 240, 370.8 and 721.8 GB/s.
TEST(Catalogue, NvLinkCarriesWhatNcclCountsOn) {
  const std::map<std::string, double> per_gpu{
      {"dgx-2", 120}, {"dgx-a100", 240}, {"hgx-h100", 370.8}, {"gb200-nvl72", 721.8}};
  for (const auto& [name, gigabytes] : per_gpu) {
    const ScaleUpPart domain = *server(name).scale_up;
    EXPECT_NEAR(static_cast<double>(domain.rate.count()) * *domain.payload_efficiency *
                    domain.links_per_gpu() / 8e9,
                gigabytes, 1e-6)
        << name;
  }
}

TEST(Catalogue, AnyFieldOfAPartAndOfAPartInsideOfItCanBeOverridden) {
  const ServerPart s = server(
      "{part: hgx-h100, nics: 4, scale_up: {spreading: random, switches: 2, links_per_switch: 9},"
      " nic: connectx-8, host_link: {latency: 1us}}");
  EXPECT_EQ(s.gpus, 8U);
  EXPECT_EQ(s.nics, 4U);
  EXPECT_EQ(s.scale_up->spreading, ScaleUpPart::Spreading::kRandom);
  EXPECT_EQ(s.scale_up->links_per_gpu(), 18U);
  EXPECT_EQ(s.scale_up->rate, 200_Gbps);
  EXPECT_EQ(s.nic.rate, 800_Gbps);
  EXPECT_EQ(s.host_link.latency, 1_us);
  EXPECT_EQ(s.host_link.rate, 443_Gbps);
  const ServerPart other = server("{part: hgx-h100, scale_up: nvswitch-4}");
  EXPECT_EQ(other.scale_up->rate, 400_Gbps);
  EXPECT_EQ(other.scale_up->switches, 4U) << "the wiring is the server's";
}

TEST(Catalogue, APartCanBeGivenWhole) {
  const ServerPart s = server(
      "{gpus: 4, nics: 2, scale_up: {switches: 2, links_per_switch: [3, 1], rate: 100Gbps,"
      " switch_latency: 200ns}, nic: {rate: 200Gbps, ports: 2}, host_link: {rate: 300Gbps}}");
  EXPECT_EQ(s.scale_up->links_per_gpu(), 4U);
  EXPECT_EQ(s.nic.ports, 2U);
  EXPECT_EQ(s.scale_up->switch_latency, 200_ns);
}

// The effective rate is what remains after headers; an efficiency beside it would take them off
// twice. Either form replaces the other where a part had it.
TEST(Catalogue, AnEffectiveRateAndAnEfficiencyExcludeEachOther) {
  const ScaleUpPart effective =
      *server("{part: hgx-h100, scale_up: {effective_rate: 164.8Gbps}}").scale_up;
  EXPECT_TRUE(effective.is_effective);
  EXPECT_EQ(effective.rate.count(), 164'800'000'000);
  EXPECT_FALSE(effective.payload_efficiency.has_value());
  const ScaleUpPart nominal = *server("{part: hgx-h100, scale_up: {rate: 100Gbps}}").scale_up;
  EXPECT_FALSE(nominal.is_effective);
  EXPECT_DOUBLE_EQ(*nominal.payload_efficiency, 0.824);
  for (const char* both : {"{effective_rate: 164.8Gbps, payload_efficiency: 0.8}",
                           "{payload_efficiency: 0.8, effective_rate: 164.8Gbps}"}) {
    EXPECT_NE(problem_of("scale-up", both)
                  .find("payload_efficiency: has a meaning only with a nominal `rate`; an "
                        "`effective_rate` has the overhead taken off already"),
              std::string::npos)
        << problem_of("scale-up", both);
  }
  EXPECT_NE(problem_of("scale-up", "{effective_rate: 164.8Gbps, rate: 200Gbps}")
                .find("rate: has a meaning only without `effective_rate`"),
            std::string::npos);
}

TEST(Catalogue, RefusesMachinesThatCannotBeWired) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{part: dgx-2, gpus: 15, nics: 5}", "gpus: `15` cannot be split evenly over the 2 boards"},
      {"{part: hgx-h100, nics: 3}", "nics: `3` leaves 8 GPUs without an equal share of 3 NICs"},
      {"{part: hgx-h100, rails: 9}", "rails: `9` is more than 8 NICs"},
      {"{nics: 0}", "nics: `0` leaves a server with neither GPUs nor NICs"},
      {"{part: hgx-h100, scale_up: {switches: 3}}",
       "links_per_switch: has 4 numbers; a board has 3 switches: expected one"},
      {"{part: dgx-2, scale_up: {trunks: 0}}", "trunks: `0` is 0; GPUs of different boards"},
      {"{part: hgx-h100, scale_up: {trunks: 4}}", "trunks: has a meaning only with two boards"},
      {"{scale_up: nvswitch-3}", "scale_up: has a meaning only with `gpus`"},
      {"{gpus: 2, nics: 1, scale_up: {links_per_switch: []}}",
       "links_per_switch: is an empty list"},
      {"{gpus: 2, nics: 1, scale_up: {links_per_switch: [1, x]}}",
       "links_per_switch[1]: `x` is not a whole number"},
      {"hgx-h10", "did you mean `hgx-h100`?"},
  };
  for (const auto& [yaml, fragment] : cases) {
    EXPECT_NE(problem_of("servers", yaml).find(fragment), std::string::npos)
        << yaml << ": " << problem_of("servers", yaml);
  }
}

/// A folder with a catalogue, named by the environment for as long as it exists.
class UserCatalogue : public ::testing::Test {
 protected:
  UserCatalogue() { ::setenv(kCatalogueVariable, folder_.path().c_str(), 1); }
  ~UserCatalogue() override { ::unsetenv(kCatalogueVariable); }

  [[nodiscard]] static std::string problem() {
    const auto catalogue = Catalogue::standard();
    return catalogue.ok() ? "no error" : catalogue.errors().front().to_string();
  }

  weft::testing::TemporaryFolder folder_{"catalogue"};
};

TEST_F(UserCatalogue, AddsToTheOneThatIsCompiledIn) {
  folder_.write("servers.yaml",
                "mine:\n  part: hgx-h100\n  about: ours\n  nics: 4\n  nic: slow\n"
                "plain: {nics: 2, nic: connectx-8}\n");
  folder_.write("nics.yaml", "slow: {rate: 10Gbps, sources: {rate: measured}}\n");
  const auto scenario = load_scenario_text(
      "name: m\nracks: {count: 2, servers: 1, server: mine}\n"
      "fabric: {topology: leaf-spine, spines: 1}\n"
      "jobs: [{name: a, type: permutation, size: 1MiB}]\n",
      "m.yaml");
  ASSERT_TRUE(scenario.ok()) << scenario.errors().front().to_string();
  const std::string resolved = scenario.value().resolved_yaml("1");
  EXPECT_NE(resolved.find("rate: 10Gbps"), std::string::npos) << resolved;
  EXPECT_NE(resolved.find("# default: slow: measured"), std::string::npos) << resolved;
  const auto plain = find_parts("plain");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain.value().front().file, (folder_.path() / "servers.yaml").string());
  EXPECT_TRUE(find_parts("gb200-nvl72").ok()) << "what is compiled in stays";
  folder_.write("servers.yaml", "hgx-h100: {nics: 2}\nours: {part: H100, aliases: [Our Own]}\n");
  EXPECT_EQ(find_parts("dgx-h100").value().front().file, (folder_.path() / "servers.yaml").string())
      << "who replaces a part has its names";
  EXPECT_EQ(find_parts("our-own").value().front().name, "ours");
}

TEST_F(UserCatalogue, SaysWhereItIsBroken) {
  const std::string file = (folder_.path() / "nics.yaml").string();
  const std::vector<std::pair<std::string, std::string>> cases{
      {"slow: {rate: 10}\n", ":1:14: slow.rate: `10` has no unit"},
      {"slow: {speed: 10Gbps}\n", ":1:8: slow.speed: unknown key `speed`"},
      {"slow: 10Gbps\n", ":1:7: slow: found `10Gbps`; expected a map"},
      {"- slow\n", ":1:1: found a list; expected a map from names of parts"},
      {"slow: {about: [a]}\n", ":1:15: slow.about: found a list; expected a text"},
      {"slow: {refused: [a]}\n", ":1:17: slow.refused: found a list; expected a text"},
      {"slow: {aliases: a}\n", ":1:17: slow.aliases: found `a`; expected a list of names"},
      {"a: {part: b}\nb: {part: a}\n", "` refers to itself; a part builds on another one"},
      {"a: {part: connectx-77}\n", "did you mean `connectx-7`?"},
  };
  for (const auto& [yaml, fragment] : cases) {
    folder_.write("nics.yaml", yaml);
    EXPECT_NE(problem().find(fragment), std::string::npos) << yaml << problem();
    EXPECT_EQ(problem().rfind(file, 0), 0U) << problem();
    EXPECT_FALSE(load_scenario_text("name: m\n", "m.yaml").ok());
  }
}

TEST_F(UserCatalogue, RefusesFilesThatAreNoKindOfPart) {
  EXPECT_NE(problem().find("holds no catalogue"), std::string::npos) << problem();
  folder_.write("nic.yaml", "slow: {rate: 10Gbps}\n");
  EXPECT_NE(problem().find("did you mean `nics`?"), std::string::npos) << problem();
  ::setenv(kCatalogueVariable, "/no/such/folder", 1);
  EXPECT_NE(problem().find("/no/such/folder: cannot be read"), std::string::npos) << problem();
}

}  // namespace
}  // namespace weft::scenarios::language
