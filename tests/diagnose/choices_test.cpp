// What NCCL says that it chose, line by line of the log samples, beside what `weft expect` says.
// The samples are written by hand: where they contradict NCCL's own rules, the row says which.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "collectives/nccl/nccl_channels.hpp"
#include "tools/diagnose/model/simulator.hpp"
#include "tools/evidence/forms.hpp"

namespace weft::diagnose {
namespace {

using collectives::Algorithm;
using collectives::nccl_channels_of_call;
using collectives::Operation;
using collectives::Protocol;

constexpr const char* kFourServers =
    "name: four-servers\n"
    "racks: {count: 2, servers: 2, server: hgx-h100}\n"
    "links: {access: {length: 3m, cable: copper}, uplink: {length: 20m, cable: fibre}}\n"
    "fabric: {topology: leaf-spine, spines: 2, links_per_pair: 8, load_balancing: spray}\n"
    "transport: {receiver: any-order}\n"
    "jobs: [{name: ar, type: all-reduce, size: 64MiB}]\n";

std::vector<evidence::Choice> choices_of(const std::string& log) {
  evidence::Measurements all;
  const auto file =
      import::InputFile::read(std::string(WEFT_SOURCE_DIR) + "/tests/operators/logs/" + log);
  EXPECT_TRUE(file.ok()) << log;
  if (file.ok()) evidence::read_file(file.value(), nullptr, all);
  std::vector<evidence::Choice> choices;
  for (const evidence::NcclLog& one : all.nccl_logs) {
    choices.insert(choices.end(), one.choices.begin(), one.choices.end());
  }
  return choices;
}

Operation operation_of(const std::string& name) {
  static const std::map<std::string, Operation> names{{"all-reduce", Operation::kAllReduce},
                                                      {"all-gather", Operation::kAllGather},
                                                      {"reduce-scatter", Operation::kReduceScatter},
                                                      {"broadcast", Operation::kBroadcast},
                                                      {"reduce", Operation::kReduce}};
  return names.at(name);
}

/// `tree/ll, 2 channels`, in NCCL's names.
std::string choice_text(std::string algorithm, const std::string& protocol,
                        std::uint32_t channels) {
  if (algorithm == "double-binary-tree") algorithm = "tree";
  return fmt::format("{}/{}, {} channels", algorithm, protocol, channels);
}

/// Lines of the samples that NCCL 2.27.5 would not print of this machine, by operation and size of
/// nccl-tests, with the reason.
const std::map<std::pair<std::string, std::int64_t>, const char*> kUnlike{
    {{"all-reduce", 1024},
     "1 KiB is one cell of 4 KiB, and 512 threads have 2 B each: one channel"},
    {{"all-reduce", 1048576},
     "2 MiB of traffic are 128 KiB for each of 16 channels: all have some"},
};

// Every line is equal, or is one of those that the list names; and no listed line is equal.
TEST(Choices, AreThoseOfTheLogsLineByLine) {
  Simulator cluster = Simulator::of_text(kFourServers, "four.yaml", {}, Twin::kHealthy).value();
  std::size_t lines = 0;
  std::size_t equal = 0;
  std::vector<evidence::Choice> lines_of_logs = choices_of("nccl-info-2.27.5.txt");
  // The line of nccl-tests-2.17.8-reducescatter-4n-slow-interleaved.txt, whose communicator no line
  // describes: of one rank 524,288 bytes.
  lines_of_logs.push_back({"reduce-scatter", 32 * 524'288, "ring", "ll128", 16, {}});
  for (const evidence::Choice& line : lines_of_logs) {
    Call call{.operation = operation_of(line.operation), .size = Bytes(line.bytes)};
    for (std::uint32_t host = 0; host < 32; ++host) call.hosts.push_back(host);
    const auto run = cluster.choice(call);
    ASSERT_TRUE(run.ok());
    const std::string said = choice_text(line.algorithm, line.protocol, line.channels);
    const std::string own =
        choice_text(run.value().algorithm, run.value().protocol, run.value().call_channels);
    const auto unlike = kUnlike.find({line.operation, line.bytes});
    const char* difference = unlike == kUnlike.end() ? "DIFFERS" : unlike->second;
    std::printf("%-14s %12lld  log: %-28s weft: %-28s %s\n", line.operation.c_str(),
                static_cast<long long>(line.bytes), said.c_str(), own.c_str(),
                said == own ? "equal" : difference);
    ++lines;
    equal += said == own ? 1 : 0;
    EXPECT_EQ(said == own, unlike == kUnlike.end()) << line.operation << " " << line.bytes;
  }
  EXPECT_EQ(lines, 6U);
  EXPECT_EQ(equal, lines - kUnlike.size());
}

// By hand from src/enqueue.cc of 2.27 to 2.30, 16 channels and 32 ranks. Cells hold 32 KiB of
// traffic, which is 2 per byte of an all-reduce, 32 of an all-gather, and 4 times that in LL.
TEST(Choices, SmallCallsHaveFewChannels) {
  const auto tree = [](Protocol protocol, Bytes bytes) {
    return nccl_channels_of_call(Operation::kAllReduce, Algorithm::kDoubleBinaryTree, protocol,
                                 bytes, 32, 16);
  };
  // A cell is 32 KiB / 8 = 4 KiB in LL; below 512 x 8 B per channel there is one.
  EXPECT_EQ(tree(Protocol::kLl, 1_KiB), 1U);
  EXPECT_EQ(tree(Protocol::kLl, 8_KiB), 2U);
  EXPECT_EQ(tree(Protocol::kLl, 20_KiB), 5U);
  EXPECT_EQ(tree(Protocol::kLl, 64_KiB), 16U);
  EXPECT_EQ(tree(Protocol::kLl, 1_MiB), 16U);
  // LL128: cells of 16 KiB; 640 x 8 B per channel ask for less.
  EXPECT_EQ(tree(Protocol::kLl128, 48_KiB), 3U);
  EXPECT_EQ(tree(Protocol::kLl128, 1_MiB), 16U);
  // Simple: 512 x 64 B = 32 KiB per channel, so 3 of 96 KiB and not the 6 of cells of 16 KiB.
  EXPECT_EQ(tree(Protocol::kSimple, 96_KiB), 3U);
  EXPECT_EQ(tree(Protocol::kSimple, 512_KiB), 16U);
  // NVLS has all of its own channels, but for cells: 3 x 16 KiB.
  EXPECT_EQ(nccl_channels_of_call(Operation::kAllReduce, Algorithm::kNvls, Protocol::kSimple,
                                  48_KiB, 8, 16),
            3U);
  // Of one rank of 32: 1 KiB are 32 KiB in all, a channel of Simple, and a cell.
  const auto gather = [](Bytes bytes) {
    return nccl_channels_of_call(Operation::kAllGather, Algorithm::kRing, Protocol::kSimple, bytes,
                                 32, 16);
  };
  EXPECT_EQ(gather(1_KiB), 1U);
  EXPECT_EQ(gather(4_KiB), 4U);
  EXPECT_EQ(gather(1_MiB), 16U);
  // Rings in LL ask for 8 x 32 B per thread: 128 KiB per channel.
  EXPECT_EQ(nccl_channels_of_call(Operation::kAllReduce, Algorithm::kRing, Protocol::kLl, 256_KiB,
                                  32, 16),
            2U);
  // What NCCL does not tune has what it has.
  EXPECT_EQ(nccl_channels_of_call(Operation::kAllToAll, Algorithm::kPairwise, Protocol::kSimple,
                                  1_KiB, 32, 8),
            8U);
}

}  // namespace
}  // namespace weft::diagnose
