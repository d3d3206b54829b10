#include "scenarios/language/load_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "protocols/congestion/dcqcn/dcqcn_config.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {
namespace {

using collectives::IncastSpec;
using collectives::MessagesSpec;
using protocols::RoceConfig;
using protocols::congestion::DcqcnConfig;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kSource = WEFT_SOURCE_DIR;
const std::filesystem::path kValid = kSource / "tests/scenarios/valid";

std::string messages_of(const Result<LoadedScenario>& result) {
  if (result.ok()) return "no error";
  std::string text;
  for (const Error& error : result.errors()) text += error.to_string() + "\n";
  return text;
}

/// The scenario of a file that must load.
LoadedScenario load(const std::filesystem::path& path,
                    const std::vector<std::string>& overrides = {}) {
  Result<LoadedScenario> result = load_scenario(path, overrides);
  EXPECT_TRUE(result.ok()) << path << ":\n" << messages_of(result);
  return result.ok() ? std::move(result).value() : LoadedScenario{};
}

std::vector<std::filesystem::path> valid_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : {kValid, kSource / "scenarios"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
  }
  return files;
}

TEST(LoadScenario, FillsInTheDefaults) {
  const Scenario s = load(kValid / "incast.yaml").scenario;
  EXPECT_EQ(s.name, "incast-32");
  EXPECT_EQ(s.seed, 1U);
  const auto& spec = std::get<topologies::ClosSpec>(s.topology);
  ASSERT_EQ(spec.racks.size(), 1U);
  EXPECT_EQ(spec.racks[0].count, 5U);
  EXPECT_EQ(spec.racks[0].servers, 8U);
  EXPECT_EQ(spec.racks[0].server.nics, 1U);
  EXPECT_EQ(spec.racks[0].access.rate, 400_Gbps) << "the rate of the NIC";
  // 3 m of copper: 3 * 4.76 ns + 65 ns of FEC; 30 m of fibre: 30 * 5.05 + 150 + 65 ns.
  EXPECT_EQ(spec.racks[0].access.latency, 79'280_ps);
  EXPECT_EQ(spec.uplink.latency, 366'500_ps);
  EXPECT_EQ(spec.leaf.latency, 500_ns);
  EXPECT_EQ(spec.spine.latency, 500_ns);
  EXPECT_EQ(s.switches.buffer, 158'229'504_B);
  const auto& roce = std::get<RoceConfig>(s.transport);
  EXPECT_TRUE(std::holds_alternative<DcqcnConfig>(roce.congestion_control));
  ASSERT_EQ(s.jobs.size(), 1U);
  EXPECT_EQ(s.jobs[0].ranks.size(), 33U) << "32 senders and the receiver";
  EXPECT_EQ(std::get<IncastSpec>(s.jobs[0].kind).size, 1_MiB);
  EXPECT_FALSE(s.run.until.has_value());
}

TEST(LoadScenario, ReadsEveryKey) {
  const Scenario s = load(kValid / "explicit.yaml").scenario;
  EXPECT_EQ(s.seed, 18'446'744'073'709'551'615ULL);
  const auto& spec = std::get<topologies::ClosSpec>(s.topology);
  const topologies::RackSpec& rack = spec.racks.at(0);
  EXPECT_EQ(rack.server.nics, 2U);
  EXPECT_EQ(rack.server.nic.receive_latency, 250_ns);
  EXPECT_EQ(rack.access.latency, 15_ns);
  // 2.5 m of fibre without transceivers: 2.5 * 5.05 ns + 65 ns.
  EXPECT_EQ(spec.uplink.latency, 77'625_ps);
  EXPECT_EQ(spec.links_per_pair, 2U);
  EXPECT_EQ(s.switches.buffer, 165'660'324_B);
  EXPECT_EQ(s.switches.data().pfc().xon, 48_KB);
  EXPECT_EQ(s.switches.pause.frame, 0_B);
  EXPECT_EQ(s.switches.pause.response, 1_us);
  EXPECT_EQ(s.switches.pause.quanta, protocols::PauseConfig::Quanta::kUntilResume);
  EXPECT_EQ(s.switches.data().ecn.mark, protocols::EcnConfig::Mark::kEnqueue);
  EXPECT_DOUBLE_EQ(s.switches.data().ecn.pmax, 0.01);
  EXPECT_EQ(s.switches.release, protocols::SwitchConfig::Release::kTransmissionStart);
  EXPECT_EQ(s.switches.load_balancing.type, protocols::LoadBalancing::kSpray);
  const auto& roce = std::get<RoceConfig>(s.transport);
  EXPECT_EQ(roce.format.payload, 1_KiB);
  EXPECT_EQ(roce.ack_every, 4U);
  EXPECT_EQ(roce.ack_class, "control");
  EXPECT_EQ(roce.cnp_class, "data");
  EXPECT_EQ(roce.receiver, RoceConfig::Receiver::kAnyOrder);
  EXPECT_EQ(roce.window, 64U);
  EXPECT_EQ(s.run.until, 20_ms);
  EXPECT_EQ(s.run.partition, LpPlan::Cut::kFinest);
  EXPECT_EQ(s.observe.messages, false);
  ASSERT_EQ(s.link_changes.size(), 2U);
  EXPECT_EQ(s.link_changes[0].link.rate, 25_Gbps);
  EXPECT_EQ(s.link_changes[1].link.wire_latency(), 1000 * 4'760_ps + 65_ns);
  const std::vector<HostId> ring{HostId(3U), HostId(7U), HostId(8U), HostId(9U), HostId(10U)};
  EXPECT_EQ(s.jobs[1].ranks, ring);
  EXPECT_EQ(s.jobs[2].ranks.size(), 8U);
  EXPECT_EQ(std::get<MessagesSpec>(s.jobs[3].kind).list[1].size, 1_B);
}

TEST(LoadScenario, PresetsComeFirstAndOtherKeysOverrideThem) {
  const Scenario s = load(kValid / "explicit.yaml").scenario;
  const auto& dcqcn = std::get<DcqcnConfig>(std::get<RoceConfig>(s.transport).congestion_control);
  const DcqcnConfig paper = DcqcnConfig::from_preset(DcqcnConfig::Preset::kPaper);
  EXPECT_EQ(dcqcn.preset, DcqcnConfig::Preset::kPaper);
  EXPECT_EQ(dcqcn.increase_timer, paper.increase_timer);
  EXPECT_EQ(dcqcn.decrease, paper.decrease);
  EXPECT_EQ(dcqcn.byte_counter, 0_B) << "overridden";
}

TEST(LoadScenario, EveryPresetIsTheOneOfItsName) {
  const auto dcqcn = [](const std::string& text) {
    const Scenario s =
        load(kValid / "incast.yaml", {"transport.congestion_control=" + text}).scenario;
    return std::get<DcqcnConfig>(std::get<RoceConfig>(s.transport).congestion_control);
  };
  const auto expect_same = [](const DcqcnConfig& a, const DcqcnConfig& b) {
    EXPECT_EQ(a.preset, b.preset);
    EXPECT_EQ(a.alpha_timer, b.alpha_timer);
    EXPECT_EQ(a.increase_timer, b.increase_timer);
    EXPECT_EQ(a.minimum_rate, b.minimum_rate);
    EXPECT_EQ(a.cnp_on_ack, b.cnp_on_ack);
  };
  using Preset = DcqcnConfig::Preset;
  expect_same(dcqcn("{preset: paper}"), DcqcnConfig::from_preset(Preset::kPaper));
  expect_same(dcqcn("{preset: connectx}"), DcqcnConfig::from_preset(Preset::kConnectx));
  expect_same(dcqcn("{preset: hpcc-ns3}"), DcqcnConfig::from_preset(Preset::kHpccNs3));
  expect_same(dcqcn("dcqcn"), std::get<DcqcnConfig>(RoceConfig().congestion_control));
}

TEST(LoadScenario, CustomFabricsTakeAnchorsLatenciesAndCsvMessages) {
  const Scenario s = load(kValid / "custom.yaml").scenario;
  const auto& spec = std::get<topologies::CustomSpec>(s.topology);
  ASSERT_EQ(spec.nodes.size(), 5U);
  EXPECT_EQ(spec.nodes[0].pipeline, 300_ns) << "of the NIC";
  EXPECT_EQ(spec.nodes[1].pipeline, 1_us);
  EXPECT_EQ(spec.nodes[2].pipeline, 500_ns) << "of the default switch";
  EXPECT_EQ(spec.nodes[3].tier, 2U);
  EXPECT_EQ(spec.links[1].link.rate, 100_Gbps);
  EXPECT_EQ(spec.links[2].count, 2U);
  EXPECT_EQ(s.switches.buffer, 16_MB);
  const std::vector<HostId> ranks{HostId(1U), HostId(0U)};
  EXPECT_EQ(s.jobs[0].ranks, ranks);
  const auto& messages = std::get<MessagesSpec>(s.jobs[0].kind).list;
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].start, 1'500_ns);
  EXPECT_EQ(messages[1].size, 2_MB);
}

TEST(LoadScenario, OverridesReachAnyKeyAndMakeMissingMaps) {
  const auto file = kValid / "incast.yaml";
  EXPECT_EQ(load(file, {"fabric.ecn.kmin=5KB"}).scenario.switches.data().ecn.kmin, 5_KB);
  EXPECT_EQ(load(file, {"seed=7"}).scenario.seed, 7U);
  EXPECT_EQ(std::get<IncastSpec>(load(file, {"jobs[0].size=2MiB"}).scenario.jobs[0].kind).size,
            2_MiB);
  EXPECT_EQ(load(file, {"jobs[1]={name: b, type: permutation, size: 1MB}"}).scenario.jobs.size(),
            2U);
  const auto roce = [&](const std::string& text) {
    return std::get<RoceConfig>(load(file, {text}).scenario.transport);
  };
  EXPECT_EQ(roce("transport.mtu=1KiB").format.payload, 1_KiB);
  EXPECT_TRUE(std::holds_alternative<protocols::congestion::NoControlConfig>(
      roce("transport.congestion_control=none").congestion_control));
  EXPECT_FALSE(load(file, {"fabric.flow_control=none"}).scenario.switches.any_pfc());
}

// `racks.server: host-400g` is a bare name; a key below it keeps the part and changes one figure.
TEST(LoadScenario, OverridesReachIntoPartsGivenByName) {
  const auto file = kValid / "incast.yaml";
  const auto overridden = load(file, {"racks.server.nics=2", "fabric.switch.buffer=16MB"});
  const auto& spec = std::get<topologies::ClosSpec>(overridden.scenario.topology);
  EXPECT_EQ(spec.racks.at(0).server.nics, 2U);
  EXPECT_EQ(spec.racks.at(0).server.nic.receive_latency, 300_ns) << "still that of host-400g";
  EXPECT_EQ(overridden.scenario.switches.buffer, 16_MB);
  EXPECT_EQ(spec.leaf.latency, 500_ns) << "still that of spectrum-4";
}

TEST(LoadScenario, MessagesMayBeAcknowledgedAsAWhole) {
  const auto with = [](std::vector<std::string> transport) {
    transport.emplace_back("transport.ack.every=message");
    return messages_of(load_scenario(kValid / "incast.yaml", transport));
  };
  const Scenario s = load(kValid / "incast.yaml", {"transport.ack.every=message"}).scenario;
  EXPECT_EQ(std::get<RoceConfig>(s.transport).ack_every, RoceConfig::kMessage);
  EXPECT_EQ(with({"transport.congestion_control=dcqcn"}), "no error");
  EXPECT_THAT(with({"transport.congestion_control=swift"}), HasSubstr("goes by ACKs"));
  EXPECT_THAT(with({"transport.window=64"}), HasSubstr("would be full forever"));
  EXPECT_THAT(with({"transport.recovery=selective-repeat"}), HasSubstr("hears of gaps by ACKs"));
  EXPECT_THAT(messages_of(load_scenario(kValid / "incast.yaml", {"transport.ack.every=mesage"})),
              HasSubstr("message"));
}

TEST(LoadScenario, AnUnknownKeySaysWhereItBelongs) {
  const auto of = [](const std::string& text) {
    return messages_of(load_scenario(kValid / "incast.yaml", {text}));
  };
  EXPECT_THAT(of("jobs[0].pxn=true"), HasSubstr("; it is a key of the file itself"));
  EXPECT_THAT(of("fabric.kmin=4KB"), HasSubstr("; it is a key of `fabric.ecn` with `type: red`"));
  EXPECT_THAT(of("fabric.ecn.xoff=4KB"), HasSubstr("`fabric.flow_control`"));
  EXPECT_THAT(of("nobody=1"), Not(HasSubstr("it is a key of")));
}

TEST(LoadScenario, AListThatIsEmptyByDefaultCanBeEmptyAgain) {
  const auto with = [](const std::string& text) {
    return messages_of(load_scenario(kValid / "incast.yaml", {text}));
  };
  EXPECT_EQ(with("transport.encapsulation=[]"), "no error");
  EXPECT_EQ(with("jobs[0].after=[]"), "no error");
  EXPECT_EQ(
      with("jobs[0]={name: m, type: messages, list: [{from: 0, to: 1, size: 1KB, after: []}]}"),
      "no error");
  EXPECT_THAT(with("jobs[0].ranks=[]"), HasSubstr("is an empty list"));
  const auto gpt = load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/gpt3-175b.yaml",
                                 {"jobs[0].parallelism.stage_layers=[]"});
  EXPECT_EQ(messages_of(gpt), "no error");
}

TEST(LoadScenario, ErrorsOfOverridesNameTheOverride) {
  const auto expect = [](const std::string& text, const std::string& fragment) {
    const auto result = load_scenario(kValid / "incast.yaml", {text});
    EXPECT_NE(messages_of(result).find("--set " + text + ": " + fragment), std::string::npos)
        << messages_of(result);
  };
  expect("fabric.ecn.kmin=400", "fabric.ecn.kmin: `400` has no unit");
  expect("fabric.ecn.kmni=4KB", "fabric.ecn.kmni: unknown key `kmni`");
  expect("seed", "expected path=value");
  expect("jobs[x].size=1B", "expected path=value");
  expect("jobs[7].size=1B", "jobs[7].size: there is no element 7; the list has 1");
  expect("fabric..ecn=none", "expected path=value");
  expect("seed=[", "is not valid YAML");
  expect("name.first=a", "name: found a map");
}

// `{path: jobs[0].size}` is what people write for the axis of a sweep.
TEST(LoadScenario, AKeyWithBracketsBetweenBracesIsAskedForInQuotes) {
  const auto message = [](const std::string& line) {
    const auto read = language::parse_yaml("name: a\naxes:\n  - " + line + "\n", "a.yaml", -1);
    return read.ok() ? std::string() : read.errors().front().message;
  };
  EXPECT_EQ(message("{path: jobs[0].size, values: [1, 2]}"),
            "is not valid YAML: end of map flow not found; between braces a key with brackets is "
            "quoted: \"jobs[0].size\"");
  EXPECT_NE(message("{links.changes[10].rate: 3}").find("\"links.changes[10].rate\""),
            std::string::npos);
  EXPECT_EQ(message("{path: \"jobs[0].size\", values: [1, 2}").find("between braces"),
            std::string::npos);
  EXPECT_EQ(message("{path: x, values: [1, 2}").find("between braces"), std::string::npos);
  EXPECT_EQ(message("{path: \"jobs[0].size\", values: [1, 2]}"), "");
}

TEST(LoadScenario, RandomRanksDependOnTheSeedOnly) {
  const auto ranks = [](const std::string& seed) {
    return load(kValid / "incast.yaml", {"jobs[0].ranks.random=33", "seed=" + seed})
        .scenario.jobs[0]
        .ranks;
  };
  EXPECT_EQ(ranks("1"), ranks("1"));
  EXPECT_NE(ranks("1"), ranks("2"));
}

TEST(LoadScenario, ABareNumberOfRanksIsACountAndAListNamesHosts) {
  const auto ranks = [](const std::string& text) {
    return load(kValid / "fat-tree.yaml", {"jobs[0].ranks=" + text}).scenario.jobs[0].ranks;
  };
  EXPECT_EQ(ranks("3"), (std::vector<HostId>{HostId(0U), HostId(1U), HostId(2U)}));
  EXPECT_EQ(ranks("[3, h1]"), (std::vector<HostId>{HostId(3U), HostId(1U)}));
  EXPECT_EQ(ranks("2-3"), (std::vector<HostId>{HostId(2U), HostId(3U)}));
  EXPECT_EQ(ranks("all").size(), 16U);
}

// Resolving is idempotent: the resolved text loads to a scenario whose resolved text, comments
// aside, is the same. As that text holds every field, equal texts mean equal scenarios. The file's
// name is another one, so nothing can depend on where the scenario lies.
TEST(ResolvedYaml, LoadsToTheSameScenario) {
  const auto files = valid_files();
  ASSERT_GE(files.size(), 8U);
  for (const auto& file : files) {
    const LoadedScenario first = load(file);
    const auto second = load_scenario_text(first.resolved_yaml("1.2.3"), "/elsewhere/r.yaml");
    ASSERT_TRUE(second.ok()) << file << "\n" << messages_of(second);
    EXPECT_EQ(second.value().canonical_yaml(), first.canonical_yaml()) << file;
    ASSERT_EQ(second.value().scenario.jobs.size(), first.scenario.jobs.size());
    for (std::size_t i = 0; i < first.scenario.jobs.size(); ++i) {
      EXPECT_EQ(second.value().scenario.jobs[i].ranks, first.scenario.jobs[i].ranks);
    }
  }
}

TEST(ResolvedYaml, SaysWhereDefaultsComeFromAndNothingAboutGivenValues) {
  const std::string text = load(kValid / "incast.yaml").resolved_yaml("1.2.3");
  const auto line_with = [&text](const std::string& key) {
    const std::size_t at = text.find(key);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_NE(text.find("weft 1.2.3"), std::string::npos);
  EXPECT_EQ(line_with("senders:"), "senders: 32");
  EXPECT_NE(line_with("buffer:").find("# default: spectrum-4: SONiC"), std::string::npos);
  EXPECT_NE(line_with("alpha_timer:").find("# default: preset scaled:"), std::string::npos);
  EXPECT_NE(line_with("kmin:").find("# default: "), std::string::npos);
  EXPECT_EQ(text.find("part:"), std::string::npos) << "must not depend on the catalogue";
}

TEST(LoadedScenario, GivesPlacesToErrorsThatHaveAKeyOnly) {
  const LoadedScenario loaded = load(kValid / "explicit.yaml", {"fabric.spines=3"});
  const Errors errors = loaded.located({{"m", {.key = "links.changes[1].from"}},
                                        {"m", {.key = "racks.server.nic.rate"}},
                                        {"m", {.key = "fabric.spines"}}});
  EXPECT_EQ(errors[0].where.line, 14) << errors[0].to_string();
  EXPECT_EQ(errors[1].where.line, 8) << "the map that would hold the key";
  EXPECT_EQ(errors[2].where.file, "--set fabric.spines=3");
}

TEST(BuildScenarioFabric, AppliesChangedLinksInBothDirections) {
  const Scenario s = load(kSource / "tests/scenarios/valid/incast.yaml",
                          {"links.changes=[{from: h3, rate: 100Gbps}]"})
                         .scenario;
  const Result<Fabric> fabric = build_scenario_fabric(s);
  ASSERT_TRUE(fabric.ok());
  const PortId port = fabric.value().host(HostId(3U)).first_port;
  EXPECT_EQ(fabric.value().port(port).rate, 100_Gbps);
  EXPECT_EQ(fabric.value().port(fabric.value().port(port).peer).rate, 100_Gbps);
  EXPECT_EQ(fabric.value().port(fabric.value().host(HostId(2U)).first_port).rate, 400_Gbps);
}

}  // namespace
}  // namespace weft::scenarios
