// `weft platform`: the written file as SimGrid itself reads it, in a plain S4U program.
//
// A transfer alone takes, in the platform, sum of latencies + bytes / payload rate; the latencies
// hold one packet's storing per hop beyond the first, which makes it weft's zero-load delivery time
// up to the rounding of the last packet. Tolerance: 1 %, and 0.1 % for the in-cast, where all
// routes have the same latency and 8 flows of 4 MiB share the last link.

#include <gtest/gtest.h>
#include <unistd.h>
#include <xbt/log.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/zero_load/zero_load_times.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/zero_load.hpp"
#include "tests/support/engines.hpp"
#include "topologies/export/simgrid_platform.hpp"

namespace weft::testing {
namespace {

namespace s4u = simgrid::s4u;

struct Transfer {
  std::string from;
  std::string to;
  std::uint64_t bytes;
};

std::string platform_of(const scenarios::Experiment& e) {
  std::ostringstream text;
  const Errors errors = topologies::write_simgrid_platform(
      text, e.fabric, e.routes, {.name = e.scenario.name, .seed = e.scenario.seed});
  EXPECT_TRUE(errors.empty());
  return text.str();
}

/// What the S4U program says: the times of the transfers, all started at 0, in picoseconds.
std::vector<std::int64_t> s4u_times(const std::string& platform,
                                    const std::vector<Transfer>& transfers) {
  return in_own_process([&] {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("weft-platform-" + std::to_string(::getpid()));
    std::ofstream(file) << platform;
    xbt_log_control_set("root.thres:critical");
    s4u::Engine engine("s4u");
    engine.load_platform(file.string());
    std::filesystem::remove(file);
    std::vector<std::int64_t> times(transfers.size());
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& t = transfers[i];
      s4u::Actor::create("sender", engine.host_by_name(t.from), [&t, &times, i, &engine] {
        s4u::Comm::sendto(engine.host_by_name(t.from), engine.host_by_name(t.to), t.bytes);
        times[i] = std::llround(s4u::Engine::get_clock() * 1e12);
      });
    }
    engine.run();
    return times;
  });
}

std::int64_t delivered_alone(const scenarios::Experiment& e, HostId from, HostId to, Bytes size) {
  const std::uint32_t number = queue_pair_number(0, 0);
  const auto path = [&](HostId a, HostId b) {
    return hops_of(
        e.fabric, flow_path(e.fabric, e.routes, e.scenario.seed, a, b, flow_entropy(a, b, number)));
  };
  return zero_load(size, scenarios::framing_of(e.scenario), path(from, to), path(to, from))
      .delivered.count();
}

TEST(SimgridPlatform, TransfersAloneTakeTheirZeroLoadTime) {
  const scenarios::Experiment e = experiment_of("incast.yaml");
  const std::string platform = platform_of(e);
  struct Case {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t bytes;
  };
  // Within a leaf and across the spines; one packet, a few, many.
  for (const Case& c : {Case{0, 7, 4096}, Case{0, 7, 1 << 20}, Case{3, 38, 4096},
                        Case{3, 38, 64 << 10}, Case{3, 38, 64 << 20}}) {
    const auto times =
        s4u_times(platform, {{"h" + std::to_string(c.from), "h" + std::to_string(c.to),
                              static_cast<std::uint64_t>(c.bytes)}});
    ASSERT_EQ(times.size(), 1u);
    const auto expected =
        static_cast<double>(delivered_alone(e, HostId(c.from), HostId(c.to), Bytes(c.bytes)));
    EXPECT_NEAR(static_cast<double>(times[0]), expected, 0.01 * expected)
        << c.from << " to " << c.to << ", " << c.bytes << " bytes";
  }
}

TEST(SimgridPlatform, PacketsAndSimgridAgreeOnAnIncast) {
  // Senders h8 to h15 of one rack, receiver h0 of another: every route has the same latency, so
  // SimGrid shares evenly. The job ends with the last delivery in both, up to an ACK.
  const scenarios::Experiment e = experiment_of(
      "incast.yaml", {"jobs[0].senders=8", "jobs[0].size=4MiB", "jobs[0].ranks=[0, 8-15]",
                      "transport.congestion_control=none", "fabric.spines=8"});
  std::vector<Transfer> transfers;
  for (int i = 8; i < 16; ++i) transfers.push_back({"h" + std::to_string(i), "h0", 4 << 20});
  const std::vector<std::int64_t> times = s4u_times(platform_of(e), transfers);
  const MessageRun packets = packet_run(e);
  Picoseconds last;
  for (const auto& m : packets.messages) last = std::max(last, *m.delivered);
  const auto expected = static_cast<double>(last.count());
  EXPECT_NEAR(static_cast<double>(*std::max_element(times.begin(), times.end())), expected,
              0.001 * expected);
}

TEST(SimgridPlatform, NamesAreEscaped) {
  Fabric fabric;
  const auto add = [&fabric](const char* name, NodeKind kind, std::uint32_t index,
                             std::uint32_t port, std::uint32_t ports) {
    Node node;
    node.name = name;
    node.kind = kind;
    node.index = index;
    node.first_port = PortId(port);
    node.port_count = ports;
    fabric.nodes.push_back(node);
  };
  add("a<\"&>", NodeKind::kHost, 0, 0, 1);
  fabric.hosts = {NodeId(0u)};
  fabric.ports.push_back({NodeId(0u), PortId(0u), 1_Gbps, 1_ns});
  std::ostringstream text;
  EXPECT_TRUE(topologies::write_simgrid_platform(text, fabric, Routes{}, {.name = "z"}).empty());
  EXPECT_NE(text.str().find("<host id=\"a&lt;&quot;&amp;&gt;\""), std::string::npos);
}

TEST(SimgridPlatform, RefusesMoreHostsThanAFileCanHold) {
  Fabric fabric;
  fabric.hosts.resize(topologies::kMaxPlatformHosts + 1);
  std::ostringstream text;
  const Errors errors = topologies::write_simgrid_platform(text, fabric, Routes{}, {.name = "z"});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].message.find("at most 1024 hosts"), std::string::npos);
  EXPECT_TRUE(text.str().empty());
}

}  // namespace
}  // namespace weft::testing
