// What longer shipped scenarios say one should look for, with the numbers of their headers.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/language/load_scenario.hpp"
#include "scenarios/run/build_experiment.hpp"
#include "scenarios/run/simulation.hpp"

namespace weft::scenarios {
namespace {

using Overrides = std::vector<std::string>;

Results run_of(const std::string& name, const Overrides& overrides = {}) {
  const auto loaded =
      load_scenario(std::string(WEFT_SOURCE_DIR) + "/scenarios/" + name + ".yaml", overrides);
  EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto experiment = build_experiment(loaded.value().scenario);
  EXPECT_TRUE(experiment.ok()) << experiment.errors().front().to_string();
  return simulate(experiment.value(), {}, nullptr, {.threads = 0});
}

double seconds(const JobResult& job) { return to_seconds(job.jct); }
double ratio_to_ideal(const JobResult& job) { return seconds(job) / to_seconds(job.ideal); }

// "JCT/ideal is 3.2; 2.4 with two queue pairs, 2.0 with four; 1.05 sprayed at random, 1.03 by load
// and in turn; 18.7 for a receiver that wants its packets in order; flowlets 2.4, and 42.5 with too
// short a gap."
TEST(ShippedClaimsAtLength, EcmpCollisions) {
  const auto expect = [](const Overrides& overrides, double ratio, double digit) {
    const double found = ratio_to_ideal(run_of("ecmp-collisions", overrides).jobs[0]);
    EXPECT_NEAR(found, ratio, digit) << (overrides.empty() ? "as shipped" : overrides.back());
  };
  const std::string any = "transport.receiver=any-order";
  expect({}, 3.2, 0.05);
  expect({"transport.queue_pairs=2"}, 2.4, 0.05);
  expect({"transport.queue_pairs=4"}, 2.0, 0.05);
  expect({any, "fabric.load_balancing=spray"}, 1.05, 0.005);
  expect({any, "fabric.load_balancing=adaptive"}, 1.03, 0.005);
  expect({any, "fabric.load_balancing=round-robin"}, 1.03, 0.005);
  expect({"fabric.load_balancing=spray"}, 18.7, 0.05);
  expect({"fabric.load_balancing=flowlet"}, 2.4, 0.05);
  expect({"fabric.load_balancing={type: flowlet, gap: 1us}"}, 42.5, 0.05);
}

// "One server of 32 costs the second job at least a factor of four, while the first does not
// notice. Without congestion control close to the ideal time; with a healthy link both jobs alike.
// A late rank delays a ring by all of its 500 us, a tree by a part of it."
TEST(ShippedClaimsAtLength, Straggler) {
  const Results r = run_of("straggler");
  EXPECT_NEAR(ratio_to_ideal(r.jobs[0]), 1, 0.03);
  EXPECT_GT(seconds(r.jobs[1]), 4 * seconds(r.jobs[0]));
  const Results calm = run_of("straggler", {"transport.congestion_control=none"});
  EXPECT_NEAR(ratio_to_ideal(calm.jobs[1]), 1, 0.03);
  const Results healthy = run_of("straggler", {"links.changes[0].rate=400Gbps"});
  EXPECT_NEAR(seconds(healthy.jobs[1]) / seconds(healthy.jobs[0]), 1, 0.01);
  const Results punctual = run_of("straggler", {"jobs[2].stragglers=[]", "jobs[3].stragglers=[]"});
  EXPECT_NEAR(seconds(r.jobs[2]) - seconds(punctual.jobs[2]), 500e-6, 5e-6);
  EXPECT_LT(seconds(r.jobs[3]) - seconds(punctual.jobs[3]), 490e-6);
}

// "JCT/ideal stays near 1 and nothing queues, 2 % above it are the ACKs"; random ranks meet.
TEST(ShippedClaimsAtLength, AllReduce) {
  EXPECT_NEAR(ratio_to_ideal(run_of("all-reduce", {"jobs[0].size=64MiB"}).jobs[0]), 1.02, 0.015);
  EXPECT_GT(ratio_to_ideal(
                run_of("all-reduce", {"jobs[0].size=64MiB", "jobs[0].ranks.random=64"}).jobs[0]),
            1.5);
}

}  // namespace
}  // namespace weft::scenarios
