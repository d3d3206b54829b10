// Bytes on the links between servers, by packets: what leaves the NIC of a GPU is the payload of
// the closed form, but for headers and acknowledgements. One exchange with a known payload says
// what these add; every other exchange has to agree with that, within half a percent.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using weft::testing::experiment_of_text;

constexpr double kModelLayers = 2;
constexpr double kTokens = 512;
constexpr double kHidden = 1024;
constexpr double kServers = 4;
constexpr double kGpus = 4;  // of a server
constexpr double kRanks = kServers * kGpus;
constexpr double kExperts = 32;
constexpr double kChosen = 4;
constexpr double kBf16 = 2 * kHidden;
constexpr double kFp8 = kHidden + kHidden / 128 * 4;  // a scale of 32 bits for 128 numbers

std::string job(const std::string& keys, const std::string& model) {
  return "name: t\n"
         "racks: {count: 4, servers: 1, server: {gpus: 4, nics: 4, scale_up: {switches: 1, rate: "
         "1600Gbps}}}\n"
         "fabric: {topology: rail-optimised, group: 4, spines: 4, switch: quantum-2, "
         "load_balancing: spray}\n"
         "transport: {type: roce, receiver: any-order, congestion_control: none}\n"
         "jobs:\n"
         "  - name: train\n"
         "    type: training\n"
         "    communication: {algorithm: ring}\n"
         "    model: {layers: 2, hidden: 1024, heads: 8, ffn: 1024, vocabulary: 64, sequence: 512" +
         model + "}\n" + keys;
}

/// What leaves all NICs, in bytes on the wire.
double on_nics(const std::string& text) {
  const Results r = simulate(experiment_of_text(text));
  EXPECT_EQ(r.jobs.size(), 1U);
  double sum = 0;
  for (const PortResult& port : r.ports) {
    const bool is_nic = port.node.starts_with("gpu") && port.peer_node.starts_with("leaf");
    if (is_nic) sum += static_cast<double>(port.counters.bytes.count());
  }
  return sum;
}

std::string mixture(const std::string& keys) {
  return job("    parallelism: {data: 16, expert: 16}\n    batch: {global: 16}\n" + keys,
             ", experts: 32, top_k: 4, expert_ffn: 256");
}

/// A ring over all ranks: a server's last rank sends to the next server, 15/16 of all in a pass.
double ring_bytes(double bytes, double passes) {
  return kServers * passes * bytes * (kRanks - 1) / kRanks;
}

/// Numbers of a job without experts on a rank: attention, feed-forward, two norms of a layer; the
/// embedding and the output layer of 64 words, and the last norm.
double dense_numbers(double ffn) {
  return kModelLayers * (4 * kHidden * kHidden + 2 * kHidden * ffn + 2 * kHidden) +
         2 * 64 * kHidden + kHidden;
}
/// What ranks of the mixture have alike: no feed-forward, but a router.
double shared_numbers() { return dense_numbers(0) + kModelLayers * kHidden * kExperts; }

double choose(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

class TrainingLinks : public ::testing::Test {
 protected:
  /// Bytes on the wire for each of the payload, by a ring whose payload is known: gradients in 32
  /// bits, reduced and gathered.
  static double overhead() {
    static const double factor =
        on_nics(job("    parallelism: {data: 16}\n    batch: {global: 16}\n", "")) /
        ring_bytes(4 * dense_numbers(1024), 2);
    return factor;
  }
  /// Of the mixture, without its gradients.
  static double exchanged(const std::string& keys) {
    return on_nics(mixture(keys)) / overhead() - ring_bytes(4 * shared_numbers(), 2);
  }
  static void expect_close(double found, double expected, const std::string& what) {
    EXPECT_NEAR(found / expected, 1, 0.005) << what;
  }
};

TEST_F(TrainingLinks, HaveSmallHeaders) {
  EXPECT_GT(overhead(), 1);
  EXPECT_LT(overhead(), 1.1);
}

// A copy per expert: of four, 3/4 are of other servers. Out and back, in two passes of a layer.
TEST_F(TrainingLinks, HaveACopyPerExpert) {
  const double copies = kRanks * kTokens * kChosen * (kServers - 1) / kServers * 2 * kModelLayers;
  expect_close(exchanged(""), copies * (kBf16 + kBf16), "all-to-all");
  expect_close(exchanged("    precision: {exchange: {dispatch: fp8, combine: bf16}}\n"),
               copies * (kFp8 + kBf16), "all-to-all, FP8 out");
  expect_close(exchanged("    experts: {exchange: low-latency}\n"
                         "    precision: {exchange: {dispatch: fp8}}\n"),
               copies * (kFp8 + kBf16), "low latency, FP8 out");
}

// A copy per server: E[distinct servers] of the three others, 1 - C(24, 4) / C(32, 4) each.
TEST_F(TrainingLinks, HaveACopyPerDistinctServer) {
  const double distinct = (kServers - 1) * (1 - choose(24, kChosen) / choose(32, kChosen));
  const double copies = kRanks * kTokens * distinct * 2 * kModelLayers;
  expect_close(exchanged("    experts: {exchange: high-throughput}\n"), copies * 2 * kBf16,
               "once per server");
  expect_close(exchanged("    experts: {exchange: high-throughput}\n"
                         "    precision: {exchange: {dispatch: fp8}}\n"),
               copies * (kFp8 + kBf16), "once per server, FP8 out");
  expect_close(exchanged("    experts: {exchange: high-throughput}\n"
                         "    overlap: {experts: halves}\n"),
               copies * 2 * kBf16, "by halves");
}

// Of four groups, a server's experts each, a token's lie in two: it goes to 2 of 4 servers at most.
TEST_F(TrainingLinks, HaveFewerCopiesWhereGroupsAreLimited) {
  // Its own server is one of the two in half of all cases. A group of two chosen has none of the
  // four with probability C(8, 4) / C(16, 4).
  const double each = 0.5 * (1 - choose(8, kChosen) / choose(16, kChosen));
  const double copies = kRanks * kTokens * (kServers - 1) * each * 2 * kModelLayers;
  expect_close(exchanged("    experts: {exchange: high-throughput}\n"
                         "    routing: {groups: 4, top_groups: 2}\n"),
               copies * 2 * kBf16, "limited groups");
}

// Modules that run again send tokens a third time where they hold the experts, else not.
TEST_F(TrainingLinks, HaveAThirdOfTokensMoreWhereExpertsRunAgain) {
  const double copies = kRanks * kTokens * kChosen * (kServers - 1) / kServers * 2 * kModelLayers;
  const std::string selective = "    recomputation: selective\n    recomputed_modules: ";
  expect_close(exchanged(selective + "[moe]\n"), 1.5 * copies * 2 * kBf16, "moe");
  expect_close(exchanged(selective + "[moe_act, layernorm]\n"), copies * 2 * kBf16, "moe_act");
}

// Gathers beside the forward pass are as many bytes as after the step, in 16 bits.
TEST_F(TrainingLinks, HaveAsManyGathersWhereTheyAreHidden) {
  const double expected =
      ring_bytes(4 * dense_numbers(1024), 1) + ring_bytes(2 * dense_numbers(1024), 1);
  for (const char* const overlap : {"false", "true"}) {
    expect_close(on_nics(job("    parallelism: {data: 16, zero: 1}\n    batch: {global: 16}\n"
                             "    overlap: {parameters: " +
                                 std::string(overlap) + "}\n",
                             "")) /
                     overhead(),
                 expected, std::string("gathers beside: ") + overlap);
  }
  // FSDP2: gathered in both passes in 16 bits, reduced in 16 bits.
  expect_close(on_nics(job("    framework: fsdp2\n    parallelism: {data: 16}\n"
                           "    batch: {global: 16}\n",
                           "")) /
                   overhead(),
               ring_bytes(2 * dense_numbers(1024), 3), "fsdp2");
}

}  // namespace
}  // namespace weft::scenarios
