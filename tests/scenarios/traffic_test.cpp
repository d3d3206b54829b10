// Traffic at a load, from the text of a scenario to what results say of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "scenarios/output/summary.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

using ::testing::HasSubstr;

std::string racks_with(const std::string& job) {
  return "name: traffic\nseed: 3\n"
         "racks: {count: 2, servers: 4, server: host-400g}\n"
         "fabric: {topology: leaf-spine, spines: 2, switch: spectrum-4}\n"
         "jobs: [" +
         job + "]\n";
}

std::string first_error(const std::string& job) {
  const auto loaded = scenarios::load_scenario_text(racks_with(job), "t.yaml");
  return loaded.ok() ? "" : loaded.errors().front().to_string();
}

TEST(SizesTable, CountsEveryMessageInTheClassOfItsSize) {
  const MessageRun run = packet_run(experiment_of_text(
      racks_with("{name: flows, type: open-loop, sizes: fb-hadoop, load: 0.4, stop: 300us}, "
                 "{name: plain, type: permutation, size: 64KB}")));
  ASSERT_EQ(run.results.sizes.size(), 10U) << "of the job whose sizes are drawn";
  std::uint64_t messages = 0;
  Bytes above;
  for (const scenarios::SizeResult& size : run.results.sizes) {
    EXPECT_EQ(size.job, 0U);
    EXPECT_EQ(size.above, above);
    above = size.up_to;
    double greatest = 0;
    const auto within = std::ranges::count_if(run.messages, [&](const auto& m) {
      const bool is_in = m.job == 0 && m.bytes > size.above && m.bytes <= size.up_to;
      if (is_in) greatest = std::max(greatest, m.slowdown());
      return is_in;
    });
    EXPECT_EQ(static_cast<std::uint64_t>(within), size.messages);
    EXPECT_EQ(size.completed, size.messages);
    ASSERT_TRUE(size.slowdown) << size.number;
    EXPECT_DOUBLE_EQ(size.slowdown->max, greatest);
    EXPECT_GE(size.slowdown->p50, 1 - 1e-12);
    messages += size.messages;
  }
  EXPECT_EQ(messages, run.results.jobs[0].messages.count());
  EXPECT_THAT(scenarios::summary_text(run.results), HasSubstr("slowdown by size of"));
}

TEST(SizesTable, RequestsHaveAClassOfTheirOwn) {
  const MessageRun run = packet_run(experiment_of_text(
      racks_with("{name: reads, type: requests, clients: 4, request: 256B, responses: alistorage, "
                 "rounds: 20}")));
  std::uint64_t requests = 0;
  for (const scenarios::SizeResult& size : run.results.sizes) {
    if (size.up_to == 256_B) requests = size.messages;
  }
  EXPECT_GE(requests, 80U);
  EXPECT_LE(requests, 81U) << "a response of just that size is one in 2000";
}

// As sizes.csv does not enter it, a digest is of the messages: those of a file with the same points
// as a published distribution are the same.
TEST(OwnSizes, SayTheSameAsPublishedOnesOfTheirPoints) {
  const TemporaryFolder folder("own sizes");
  std::ofstream(folder.path() / "sizes.txt")
      << "0 0\n4000 22.93\n8000 69.21\n16000 80.61\n32000 90.47\n64000 93.53\n128000 96.77\n"
         "256000 97.53\n2000000 100\n";
  const auto digest_of = [&](const std::string& sizes) {
    std::ofstream(folder.path() / "t.yaml") << racks_with(
        "{name: flows, type: open-loop, sizes: " + sizes + ", load: 0.3, stop: 200us}");
    const auto loaded = scenarios::load_scenario((folder.path() / "t.yaml").string());
    EXPECT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
    return scenarios::simulate(scenarios::build_experiment(loaded.value().scenario).value())
        .digest();
  };
  EXPECT_EQ(digest_of("./sizes.txt"), digest_of("alistorage"));
  EXPECT_NE(digest_of("fb-hadoop"), digest_of("alistorage"));
}

TEST(Traffic, IsRefusedWhereItContradictsItself) {
  const std::string loop = "{name: a, type: open-loop, load: 0.1, stop: 1us, ";
  EXPECT_THAT(first_error(loop + "sizes: websaerch}"),
              HasSubstr("jobs[0].sizes: `websaerch` is no distribution; expected one of websearch, "
                        "fb-hadoop, alistorage, or a file such as `sizes.txt`; did you mean "
                        "`websearch`?"));
  EXPECT_THAT(first_error(loop + "sizes: websearch, size: 1KB}"),
              HasSubstr("jobs[0].size: has a meaning only without `sizes`"));
  EXPECT_THAT(first_error("{name: a, type: open-loop, load: 0.1, stop: 1us}"),
              HasSubstr("jobs[0].size: is missing"));
  EXPECT_THAT(first_error(loop + "size: 1KB, on: 1us}"),
              HasSubstr("jobs[0].on: has a meaning only with `arrivals: on-off`"));
  EXPECT_THAT(first_error(loop + "size: 1KB, arrivals: on-off, on: 1us}"),
              HasSubstr("jobs[0].off: is missing"));
  EXPECT_THAT(first_error(loop + "sizes: ./nowhere.txt}"), HasSubstr("nowhere.txt"));
  EXPECT_THAT(first_error("{name: a, type: incast, size: 1KB, period: 1us, load: 0.1}"),
              HasSubstr("jobs[0].load: `0.1` given together with `period`"));
  EXPECT_THAT(first_error("{name: a, type: incast, size: 1KB, members: random}"),
              HasSubstr("jobs[0].members: `random` needs a `period` or a `load`"));
  EXPECT_THAT(
      first_error("{name: a, type: incast, size: 1KB, members: random, load: 0.1, senders: 8}"),
      HasSubstr("jobs[0].senders: is 8; 8 ranks have at most 7 senders"));
  EXPECT_THAT(first_error("{name: a, type: requests, request: 1KB, response: 1KB, clients: 8}"),
              HasSubstr("jobs[0].clients: is 8; of 8 ranks at least one has to be a server"));
  EXPECT_THAT(first_error("{name: a, type: requests, request: 1KB, response: 1KB, fan_out: 8}"),
              HasSubstr("jobs[0].fan_out: is 8; there are 7 servers"));
  EXPECT_THAT(first_error("{name: a, type: requests, request: 1KB}"),
              HasSubstr("jobs[0].response: is missing"));
  EXPECT_THAT(first_error("{name: a, type: requests, request: 1KB, response: 1KB, think: 1us, "
                          "period: 5us}"),
              HasSubstr("jobs[0].think: has a meaning only without a `period` or a `load`"));
}

// A checkpoint of 4 clients of 1 MB each to one storage host of the same rate: no sooner than 4 MB
// take on its link, and the ideal time knows.
TEST(Requests, WritesMeetAtTheirServer) {
  const MessageRun run = packet_run(experiment_of_text(racks_with(
      "{name: save, type: requests, ranks: [0-4], clients: 4, request: 1MB, response: 64B}")));
  EXPECT_GE(run.results.jobs[0].jct, transmission_time(4_MB, 400_Gbps));
  EXPECT_GE(run.results.jobs[0].ideal, transmission_time(4_MB, 400_Gbps));
  EXPECT_GE(run.results.jobs[0].jct, run.results.jobs[0].ideal);
}

}  // namespace
}  // namespace weft::testing
