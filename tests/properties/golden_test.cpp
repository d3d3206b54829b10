// The digests of the shipped scenarios, some made smaller. They are the same in release, debug and
// sanitizer builds; a change here is a change of results and wants a reason in its commit.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <typeinfo>

#include "protocols/state/packet_path.hpp"
#include "scenarios/run/network_options.hpp"
#include "tests/properties/golden_cases.hpp"

namespace weft::testing {
namespace {

TEST(Golden, ShippedScenariosGiveTheirDigests) {
  const std::vector<GoldenCase> cases = golden_cases();
  EXPECT_GE(cases.size(), 6u);
  for (const GoldenCase& golden : cases) {
    EXPECT_EQ(scenarios::simulate(golden.experiment()).digest(), golden.digest) << golden;
  }
}

/// The packet path of a run that nobody observes.
std::string path_of(const scenarios::Experiment& e) {
  const protocols::PacketNetwork network(e.fabric, e.routes, scenarios::network_options(e),
                                         e.workload.process_hosts(), e.workload.connections(),
                                         e.workload.groups());
  return protocols::PacketPaths::choose(network.features(),
                                        []<class Path>() { return typeid(Path).name(); });
}

// Traces of packets and queues are written with files, which goldens do not have: watching_test.cpp
// compares the digests of TracePath with those of the other paths.
TEST(Golden, EveryPacketPathHasOne) {
  std::set<std::string> seen;
  for (const GoldenCase& golden : golden_cases()) seen.insert(path_of(golden.experiment()));
  protocols::PacketPaths::for_each([&]<class Path>() {
    if (typeid(Path) == typeid(protocols::TracePath)) return;
    EXPECT_TRUE(seen.contains(typeid(Path).name())) << typeid(Path).name();
  });
}

}  // namespace
}  // namespace weft::testing
