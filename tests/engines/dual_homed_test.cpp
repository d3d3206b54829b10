// Hosts with two ports lose one switch and continue by the other.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/engines.hpp"

namespace weft::testing {
namespace {

std::string dual(const std::string& how, const std::string& leaf) {
  return "name: dual\n"
         "racks: {count: 4, servers: 4, server: {nics: 1, nic: {rate: 200Gbps, ports: 2}}}\n"
         "fabric: {topology: leaf-spine, " +
         how +
         ": 2, spines: 4, convergence: 50us}\n"
         "transport: {type: roce, queue_pairs: 2, congestion_control: none,\n"
         "            retransmit_timeout: 200us}\n"
         "jobs: [{name: p, type: permutation, size: 4MiB}]\n"
         "faults: [{type: switch-down, switch: " +
         leaf + ", at: 30us}]\n";
}

// The hosts under the dead leaf see their link fail and send by the other port at once; the others
// learn of it with the routes, 50 us later. What was under way is sent again after the time-out.
// The slowest flow has one port of 200 Gbps instead of two and some hundreds of microseconds lost.
void expect_slower_and_finished(const std::string& how, const std::string& leaf) {
  const std::string text = dual(how, leaf);
  const auto results = scenarios::simulate(experiment_of_text(text));
  EXPECT_EQ(results.outcome, scenarios::Outcome::kFinished);
  EXPECT_GT(results.totals.fault_drops, 0);
  const std::string healthy = text.substr(0, text.find("faults:"));
  const auto whole = scenarios::simulate(experiment_of_text(healthy));
  EXPECT_GT(results.jobs[0].jct, whole.jobs[0].jct);
  EXPECT_LT(results.jobs[0].jct, 2 * whole.jobs[0].jct + 1_ms);
}

// A short burst to the same host marks packets of the long message once: one CNP, which halves its
// rate. Five increases of 55 us later it is at 97 % of its line rate, that of both ports: it takes
// a tenth longer than alone. Over a line rate of one port it would take twice as long.
TEST(DualPlane, DcqcnRecoversToTheRateOfBothPorts) {
  const std::string text =
      "name: dual\n"
      "racks: {count: 2, servers: 2, server: {nics: 1, nic: {rate: 200Gbps, ports: 2}}}\n"
      "fabric: {topology: leaf-spine, planes: 2, spines: 2, load_balancing: round-robin,\n"
      "         ecn: {kmin: 5KB, kmax: 20KB, pmax: 1}}\n"
      "transport: {type: roce, receiver: any-order, congestion_control: {type: dcqcn, preset: "
      "paper}}\n"
      "jobs:\n"
      "  - {name: long, type: messages, list: [{from: 0, to: 2, size: 80MB}]}\n"
      "  - {name: burst, type: messages, list: [{from: 1, to: 2, size: 100KB}], start: 20us}\n";
  const auto results = scenarios::simulate(experiment_of_text(text));
  ASSERT_GT(results.totals.ecn_marked, 0);
  EXPECT_LT(results.jobs[0].jct, results.jobs[0].ideal + results.jobs[0].ideal.count() / 4 * 1_ps);
  EXPECT_GT(results.jobs[0].jct, results.jobs[0].ideal);
}

TEST(DualTor, ALeafLessSlowsTheJobDownAndDoesNotStopIt) {
  expect_slower_and_finished("leaves", "leaf0");
}

TEST(DualPlane, ALeafLessSlowsTheJobDownAndDoesNotStopIt) {
  expect_slower_and_finished("planes", "p0-leaf0");
}

}  // namespace
}  // namespace weft::testing
