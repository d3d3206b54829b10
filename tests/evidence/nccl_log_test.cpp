// What NCCL logs, by version.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/evidence/reading.hpp"

namespace weft::evidence {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(NcclLog, TheSampleOf2_27GivesStructureChoicesAndCalls) {
  const Measurements m = read_sample("logs/nccl-info-2.27.5.txt");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.nccl_logs.size(), 1U);
  const NcclLog& log = m.nccl_logs[0];
  EXPECT_EQ(log.id, "0x7d1c33aa90e15b02");
  EXPECT_EQ(log.on.ranks, 32U);
  EXPECT_EQ(log.nodes, 4U);
  EXPECT_EQ(log.on.nccl_version, "2.27.5");
  EXPECT_EQ(log.channels, 16U);
  EXPECT_EQ(log.p2p_channels, 32U);
  EXPECT_EQ(log.p2p_channels_per_peer, 2U);
  EXPECT_EQ(log.nics.size(), 8U);
  EXPECT_TRUE(log.nics.contains("mlx5_7"));
  EXPECT_EQ(log.sockets, false);
  EXPECT_EQ(log.gpu_direct, true);
  EXPECT_EQ(log.worst_path, "PIX");
  EXPECT_EQ(log.nvls, true);
  ASSERT_EQ(log.seen.size(), 2U);
  EXPECT_EQ(log.seen[1].rank, 21U);
  EXPECT_EQ(log.seen[1].host, "gpu03");
  ASSERT_EQ(log.rings.size(), 2U);
  EXPECT_EQ(log.rings[0].size(), 32U);
  EXPECT_EQ(log.rings[0][1], 7U);
  // NICs of channels, one of them through rank 21 (PXN).
  ASSERT_EQ(log.nets.size(), 4U);
  const auto through =
      std::ranges::find_if(log.nets, [](const ChannelNet& net) { return net.proxy.has_value(); });
  ASSERT_NE(through, log.nets.end());
  EXPECT_EQ(through->proxy, 21U);
  EXPECT_EQ(through->nic, "mlx5_5");
  EXPECT_TRUE(through->is_send);
  ASSERT_EQ(log.neighbours.size(), 4U);
  ASSERT_EQ(log.choices.size(), 5U);
  EXPECT_EQ(log.choices[0].algorithm, "tree");
  EXPECT_EQ(log.choices[0].protocol, "ll");
  EXPECT_EQ(log.choices[0].channels, 2U);
  EXPECT_EQ(log.choices[2].algorithm, "nvls-tree");
  // NCCL logs 1/n of an all-gather.
  EXPECT_EQ(log.choices[4].operation, "all-gather");
  EXPECT_EQ(log.choices[4].bytes, 1073741824);
  ASSERT_EQ(m.calls.size(), 2U);
  EXPECT_EQ(m.calls[1].rank, 21U);
  ASSERT_EQ(m.calls[0].calls.size(), 5U);
  EXPECT_EQ(m.calls[0].calls[2].bytes, 268435456);
  EXPECT_EQ(m.calls[0].calls[4].bytes, 1073741824);
  EXPECT_FALSE(m.calls[0].calls[0].time_us.has_value());
}

TEST(NcclLog, TheSampleOf2_14HasNeitherCommIdNorChoices) {
  const Measurements m = read_sample("logs/nccl-info-2.14.3.txt");
  EXPECT_THAT(said(m), AllOf(HasSubstr("rings show 20 of 32 ranks"), Not(HasSubstr("TUNING"))));
  ASSERT_EQ(m.nccl_logs.size(), 1U);
  const NcclLog& log = m.nccl_logs[0];
  EXPECT_EQ(log.id, "nranks 32");
  EXPECT_EQ(log.channels, 16U);
  EXPECT_EQ(log.worst_path, "PIX");
  EXPECT_EQ(log.gpu_direct, true);
  EXPECT_EQ(log.nets.size(), 2U);
  EXPECT_EQ(log.rings.at(0).size(), 20U);
}

/// A line of rank 0 of two.
std::string line(const std::string& text) { return "a:1:2 [0] NCCL INFO " + text + "\n"; }
const std::string kComm =
    line("comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0xc - Init START") +
    line("comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0xc - Init COMPLETE");

TEST(NcclLog, NumbersOfAlgorithmsUntil2_22AreNames) {
  const std::string call = line(
      "AllGather: opCount a sendbuff 0x1 recvbuff 0x2 count 256 datatype 7 op 0 root 0 comm "
      "0x5 [nranks=2] stream 0x3");
  // The size of all ranks, and no operation; then that of one, and its name.
  for (const std::string choice :
       {"2048 Bytes -> Algo 1 proto 2 time 12.5", "AllGather: 2048 Bytes -> Algo 1 proto 2 time 12",
        "AllGather: 1024 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..0}"}) {
    const Measurements m = read_text(kComm + call + line(choice));
    ASSERT_EQ(m.nccl_logs.size(), 1U) << said(m);
    ASSERT_EQ(m.nccl_logs[0].choices.size(), 1U) << choice;
    EXPECT_EQ(m.nccl_logs[0].choices[0].operation, "all-gather");
    EXPECT_EQ(m.nccl_logs[0].choices[0].algorithm, "ring");
    EXPECT_EQ(m.nccl_logs[0].choices[0].protocol, "simple");
    EXPECT_EQ(m.nccl_logs[0].choices[0].bytes, 2048);
    EXPECT_EQ(m.calls.at(0).calls.at(0).sequence, 10U);
  }
}

TEST(NcclLog, SocketsMissingGpuDirectAndFarNicsAreTaken) {
  const Measurements m = read_text(
      line("NET/Socket : Using [0]eth0:10.0.0.1<0>") + line("Using network Socket") +
      line("comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1b000 commId 0xc - Init START") +
      line("Pattern 4, crossNic 0, nChannels 2, bw 10.0/10.0, type NVL/PIX, sameChannels 1") +
      line("Pattern 1, crossNic 0, nChannels 2, bw 10.0/10.0, type NVL/SYS, sameChannels 1") +
      line("Channel 00/0 : 1[1] -> 0[0] [receive] via NET/Socket/0"));
  ASSERT_EQ(m.nccl_logs.size(), 1U);
  EXPECT_EQ(m.nccl_logs[0].sockets, true);
  EXPECT_EQ(m.nccl_logs[0].gpu_direct, false);
  EXPECT_EQ(m.nccl_logs[0].worst_path, "SYS");
  EXPECT_EQ(m.nccl_logs[0].nets.at(0).nic, "eth0");
}

TEST(NcclLog, TheEnvironmentIsTaken) {
  const Measurements m = read_text(kComm + line("NCCL_IB_TC set by environment to 106.") +
                                   line("ncclParamFoo NCCL_ALGO set by environment to Ring"));
  const auto& environment = m.nccl_logs.at(0).environment;
  ASSERT_EQ(environment.size(), 2U);
  EXPECT_EQ(environment[0], (std::pair<std::string, std::string>("NCCL_ALGO", "Ring")));
  EXPECT_EQ(environment[1], (std::pair<std::string, std::string>("NCCL_IB_TC", "106")));
}

// Both forms of NCCL's table of costs: names in one line, or in two.
TEST(NcclLog, TablesOfCostsAreTaken) {
  const Measurements one =
      read_text(line("comm 0x5 rank 0 nranks 2 cudaDev 0 commId 0xc - Init START") +
                line("Latency/AlgBw |    Tree/    LL |    Tree/ LL128 |    Ring/Simple |") +
                line("    AllReduce |     9.6/   1.5 |    12.0/   5.5 |    20.5/  20.0 |"));
  const Measurements two = read_text(
      line("comm 0x5 rank 0 nranks 2 cudaDev 0 commId 0xc - Init START") +
      line("  Algorithm   |            Tree                  |            NVLSTree            |") +
      line("  Protocol    |  LL |   LL128 |  Simple |  LL |  LL128 | Simple |") +
      line("    AllReduce |  9.6/  1.5 | 12.0/ 5.5 | 0.0/ 0.0 | 1.0/2.0 | 3.0/4.0 | 5.0/6.0 |"));
  ASSERT_EQ(one.nccl_logs.at(0).costs.size(), 3U);
  EXPECT_EQ(one.nccl_logs[0].costs[2].algorithm, "ring");
  EXPECT_EQ(one.nccl_logs[0].costs[2].protocol, "simple");
  EXPECT_EQ(one.nccl_logs[0].costs[2].latency_us, 20.5);
  ASSERT_EQ(two.nccl_logs.at(0).costs.size(), 6U);
  EXPECT_EQ(two.nccl_logs[0].costs[4].algorithm, "nvls-tree");
  EXPECT_EQ(two.nccl_logs[0].costs[4].protocol, "ll128");
  EXPECT_EQ(two.nccl_logs[0].costs[4].gigabytes_per_second, 4);
}

TEST(NcclLog, CommunicatorsOfAProcessAreToldApart) {
  const auto comm = [](const char* address, const char* ranks, const char* id) {
    return line(std::string("ncclCommInitRank comm ") + address + " rank 0 nranks " + ranks +
                " cudaDev 0 nvmlDev 0 busId 1b000 commId " + id + " - Init START");
  };
  const Measurements m = read_text(
      comm("0x5", "32", "0xa") +
      line("16 coll channels, 0 nvls channels, 32 p2p channels, 2 p2p channels per peer") +
      comm("0x6", "8", "0xb") +
      line("4 coll channels, 0 nvls channels, 8 p2p channels, 1 p2p channels per peer") +
      line("AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 4 datatype 9 op 0 root 0 comm 0x5 "
           "[nranks=32] stream 0x3") +
      line("AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 2 datatype 9 op 0 root 0 comm 0x6 "
           "[nranks=8] stream 0x3"));
  ASSERT_EQ(m.nccl_logs.size(), 2U);
  EXPECT_EQ(m.nccl_logs[0].channels, 16U);
  EXPECT_EQ(m.nccl_logs[1].channels, 4U);
  ASSERT_EQ(m.calls.size(), 2U);
  EXPECT_EQ(m.calls[0].calls[0].group, "0xa");
  EXPECT_EQ(m.calls[0].calls[0].bytes, 8);
  EXPECT_EQ(m.calls[1].calls[0].group, "0xb");
  EXPECT_EQ(m.calls[1].calls[0].type, "bfloat16");
}

// Until 2.11 channels have no number of a connection, and paths a speed.
TEST(NcclLog, LinesOf2_7AreRead) {
  const Measurements m = read_text(
      line("NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB ; OOB eth0:10.0.0.1<0>") +
      line("Pattern 4, crossNic 0, nChannels 2, speed 12.0/12.0, type NVL/PHB, sameChannels 1") +
      line("Channel 00/02 :    0   1") +
      line("Channel 00 : 1[2c000] -> 0[1b000] [receive] via NET/IB/1") +
      line("2 coll channels, 2 p2p channels, 1 p2p channels per peer") +
      line("comm 0x7f10 rank 0 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE"));
  ASSERT_EQ(m.nccl_logs.size(), 1U);
  const NcclLog& log = m.nccl_logs[0];
  EXPECT_EQ(log.channels, 2U);
  EXPECT_EQ(log.worst_path, "PHB");
  EXPECT_EQ(log.gpu_direct, false);
  EXPECT_EQ(log.nets.at(0).nic, "mlx5_1");
  EXPECT_EQ(log.rings.at(0), (std::vector<std::uint32_t>{0, 1}));
}

// Before 2.16 there is no name of a communicator: two that have rank 0 are two.
TEST(NcclLog, UnnamedCommunicatorsAreNotMixed) {
  const Measurements m =
      read_text(line("comm 0x5 rank 0 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE") +
                line("comm 0x6 rank 0 nranks 2 cudaDev 0 busId 1b000 - Init COMPLETE"));
  EXPECT_EQ(m.nccl_logs.size(), 2U);
}

TEST(NcclLog, MessagesNameBothRanks) {
  const Measurements m = read_text(
      kComm +
      line("Send: opCount 3 sendbuff 0x1 recvbuff 0x2 count 256 datatype 7 op 0 root 1 comm "
           "0x5 [nranks=2] stream 0x3"));
  ASSERT_EQ(m.calls.size(), 1U);
  EXPECT_EQ(m.calls[0].calls[0].operation, "send-recv");
  EXPECT_EQ(m.calls[0].calls[0].message, (std::pair<std::uint32_t, std::uint32_t>(0, 1)));
}

TEST(NcclLog, MissingSubsystemsAreNamed) {
  EXPECT_THAT(said(read_text(kComm)),
              AllOf(HasSubstr("no lines of GRAPH"), HasSubstr("no lines of NET"),
                    HasSubstr("no lines of COLL"), HasSubstr("no lines of TUNING"),
                    Not(HasSubstr("error"))));
}

TEST(NcclLog, WarningsOfNcclAreQuoted) {
  EXPECT_THAT(said(read_text(kComm + "\na:1:2 [0] transport/net_ib.cc:420 NCCL WARN Call to "
                                     "ibv_modify_qp failed\n")),
              HasSubstr("log.txt:4: warning: NCCL warns: `Call to ibv_modify_qp failed`"));
}

TEST(NcclLog, ATornLineGivesItsSecondPart) {
  const Measurements m = read_sample("broken/nccl-info-torn-line.txt");
  EXPECT_EQ(m.nccl_logs.at(0).channels, 16U);
  for (const std::string& host : m.nccl_logs[0].on.hosts)
    EXPECT_THAT(host, ::testing::StartsWith("gpu"));
}

TEST(NcclLog, SizesBeyondAllRangesAreLeftOut) {
  const Measurements m = read_text(
      kComm + line("AllGather: opCount 0 sendbuff 0x1 recvbuff 0x2 count 9223372036854775807 "
                   "datatype 8 op 0 root 0 comm 0x5 [nranks=2] stream 0x3"));
  EXPECT_THAT(said(m), HasSubstr("1 calls are left out"));
}

}  // namespace
}  // namespace weft::evidence
