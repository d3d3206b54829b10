// Which packet path a run takes, and that all paths give the same bits wherever they apply.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "protocols/state/packet_path.hpp"
#include "tests/support/flow_runner.hpp"
#include "tests/topologies/machines.hpp"

namespace weft::testing {
namespace {

using protocols::Feature;
using protocols::Features;
using protocols::NetworkTotals;
using protocols::PacketNetwork;

/// An in-cast and a permutation with pauses, marks and DCQCN.
PacketNetwork::Options crowded(bool spray) {
  PacketNetwork::Options options;
  protocols::RoceConfig roce;
  roce.receiver = protocols::RoceConfig::Receiver::kAnyOrder;
  options.transport = roce;
  if (spray) options.switches.load_balancing = protocols::LoadBalancing::kSpray;
  options.switches.data().ecn = {.enabled = true, .kmin = 50_KB, .kmax = 200_KB, .pmax = 0.2};
  options.switches.data().pfc().xoff = 60_KB;
  options.switches.data().pfc().xon = 50_KB;
  return options;
}

topologies::TopologySpec single_homed() {
  topologies::LeafSpineSpec spec;
  spec.racks = spec.servers_per_rack = spec.spines = 4;
  spec.access = spec.uplink = {100_Gbps, 500_ns};
  return spec;
}

topologies::TopologySpec dual_homed() {
  topologies::ServerPart part = topologies::server(0, 1);
  part.nic.ports = 2;
  topologies::ClosSpec spec = topologies::clos({topologies::racks_of(4, 4, part)}, 4);
  spec.leaves = 2;
  return spec;
}

/// When each message is over, and what switches did.
std::vector<std::int64_t> numbers(const PacketNetwork::Options& options,
                                  const topologies::TopologySpec& spec = single_homed()) {
  std::vector<Flow> flows;
  for (std::uint32_t i = 1; i < 16; ++i) {
    flows.push_back({HostId(i), HostId(0u), 300_KB, 0_ps});
    flows.push_back({HostId(i), HostId((i * 7 + 3) % 16), 500_KB, 3_us});
  }
  FlowRun run(spec, options, flows);
  std::vector<std::int64_t> all;
  for (const Picoseconds time : run.completions()) all.push_back(time.count());
  const NetworkTotals totals = run.network().totals();
  all.insert(all.end(),
             {totals.ecn_marked, totals.pauses, totals.paused_time.count(), totals.credit_stalls,
              totals.fault_drops, static_cast<std::int64_t>(totals.packet_hops)});
  return all;
}

TEST(PacketPath, EveryPathGivesTheBitsOfThePlainOne) {
  for (const bool spray : {false, true}) {
    PacketNetwork::Options options = crowded(spray);
    const std::vector<std::int64_t> plain = numbers(options);
    EXPECT_GT(plain[plain.size() - 5], 0) << "pauses";
    EXPECT_GT(plain[plain.size() - 6], 0) << "marks";
    int paths = 0;
    protocols::PacketPaths::for_each([&]<class Path>() {
      options.extra_features = Path::kFeatures;
      EXPECT_EQ(numbers(options), plain) << "path " << paths;
      ++paths;
    });
    EXPECT_LE(paths, 10) << "each takes some seconds to compile";
  }
}

/// What a run can ask for, and the path that it takes then.
struct Asked {
  const char* name;
  Features needs;
  void (*ask)(PacketNetwork::Options&);
};

const std::vector<Asked>& all_asked() {
  static const std::vector<Asked> all{
      {"several weighted classes", Features(Feature::kWeightedClasses),
       [](PacketNetwork::Options& o) {
         o.switches.classes.push_back(o.switches.data());
         o.switches.classes.back().name = "second";
       }},
      {"dynamic thresholds", Features(Feature::kPartitions),
       [](PacketNetwork::Options& o) {
         o.switches.data().pfc().threshold = protocols::PfcConfig::Threshold::kDynamic;
       }},
      {"cells", Features(Feature::kCells),
       [](PacketNetwork::Options& o) { o.switches.cell = 192_B; }},
      {"credits", Features(Feature::kCredits),
       [](PacketNetwork::Options& o) {
         o.switches.data().flow_control = protocols::CreditConfig{};
       }},
      {"cut-through", Features(Feature::kCutThrough),
       [](PacketNetwork::Options& o) {
         o.switches.forwarding = protocols::SwitchConfig::Forwarding::kCutThrough;
       }},
      {"telemetry", Features(Feature::kTelemetry),
       [](PacketNetwork::Options& o) {
         roce_of(o).congestion_control = protocols::congestion::HpccSpec::default_config();
       }},
      {"entropies", Features(Feature::kEntropies),
       [](PacketNetwork::Options& o) {
         o.switches.load_balancing = protocols::LoadBalancing::kFlow;
         roce_of(o).path_selection = protocols::path_selection::RepsConfig{};
       }},
      {"a fault", Features(Feature::kFaults),
       [](PacketNetwork::Options& o) {
         o.faults.push_back({.kind = protocols::Fault::Kind::kLinkRate,
                             .port = PortId(1u),
                             .at = 10_us,
                             .until = 60_us,
                             .rate = 25_Gbps});
       }},
      {"early drops", Features(Feature::kSettings),
       [](PacketNetwork::Options& o) {
         o.switches.data().flow_control = protocols::NoFlowControl{};
         o.switches.data().ecn.enabled = false;
         o.switches.data().wred = {.enabled = true, .min = 10_KB, .max = 100_KB, .weight = 2};
         roce_of(o).recovery = protocols::SelectiveRepeat{.reordering = 64};
       }},
      {"a watchdog", Features(Feature::kSettings),
       [](PacketNetwork::Options& o) {
         o.switches.watchdog = {.enabled = true,
                                .detection = 2_us,
                                .restoration = 2_us,
                                .action = protocols::PfcWatchdogConfig::Action::kForward,
                                .poll = 1_us};
       }},
      {"errors of a link", Features(Feature::kFaults),
       [](PacketNetwork::Options& o) {
         o.faults.push_back({.kind = protocols::Fault::Kind::kLinkErrors,
                             .port = PortId(1u),
                             .at = 10_us,
                             .until = 60_us,
                             .errors = {1e-2, LinkErrors::Unit::kFrames}});
         roce_of(o).recovery = protocols::SelectiveRepeat{.reordering = 64};
       }},
  };
  return all;
}

TEST(PacketPath, OneFeatureGivesTheSameBitsOnItsOwnPathAsWithAllOthers) {
  for (const Asked& asked : all_asked()) {
    PacketNetwork::Options options = crowded(true);
    const std::vector<std::int64_t> plain = numbers(options);
    asked.ask(options);
    const std::vector<std::int64_t> own = numbers(options);
    options.extra_features = protocols::GeneralPath::kFeatures;
    EXPECT_EQ(numbers(options), own) << asked.name;
    if (asked.needs != Features(Feature::kWeightedClasses)) {
      EXPECT_NE(own, plain) << asked.name << " changes something";
    }
  }
}

TEST(PacketPath, HostsWithSeveralPortsGiveTheSameBitsOnTheirOwnPath) {
  PacketNetwork::Options options = crowded(true);
  const std::vector<std::int64_t> own = numbers(options, dual_homed());
  options.extra_features = protocols::GeneralPath::kFeatures;
  EXPECT_EQ(numbers(options, dual_homed()), own);
}

/// Whether the path that has `features` is `Path`.
template <class Path>
bool takes(Features features) {
  return protocols::PacketPaths::choose(
      features, []<class Chosen>() { return std::is_same_v<Chosen, Path>; });
}

TEST(PacketPath, IsTheCheapestThatHasWhatIsNeeded) {
  EXPECT_TRUE(takes<protocols::PlainPath>(Features()));
  EXPECT_TRUE(takes<protocols::BufferPath>(Features(Feature::kCells)));
  EXPECT_TRUE(takes<protocols::BufferPath>(Features(Feature::kCells, Feature::kPartitions)));
  EXPECT_TRUE(takes<protocols::FaultPath>(Features(Feature::kFaults)));
  EXPECT_TRUE(takes<protocols::CutThroughPath>(Features(Feature::kCutThrough)));
  EXPECT_TRUE(takes<protocols::ScaleUpPath>(Features(Feature::kCredits, Feature::kTransports)));
  EXPECT_TRUE(takes<protocols::TracePath>(Features(Feature::kTraces, Feature::kCells)));
  EXPECT_TRUE(takes<protocols::GeneralPath>(Features(Feature::kTraces, Feature::kCredits)));
  EXPECT_TRUE(takes<protocols::FaultPath>(Features(Feature::kFaults, Feature::kCells)));
  EXPECT_TRUE(takes<protocols::FaultPath>(Features(Feature::kEntropies)));
  EXPECT_TRUE(takes<protocols::GeneralPath>(Features(Feature::kFaults, Feature::kTelemetry)));
}

}  // namespace
}  // namespace weft::testing
