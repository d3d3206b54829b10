// Calls of NCCL Inspector, of the flight recorder and of Kineto traces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/evidence/reading.hpp"

namespace weft::evidence {
namespace {

using ::testing::HasSubstr;

TEST(Inspector, BytesAreThoseOfNcclTests) {
  const Measurements m = read_sample("logs/inspector-gpu01-rank0.log");
  ASSERT_EQ(m.calls.size(), 1U);
  const RankCalls& rank = m.calls[0];
  EXPECT_EQ(rank.rank, 0U);
  EXPECT_EQ(rank.host, "gpu01");
  ASSERT_EQ(rank.calls.size(), 5U);
  EXPECT_EQ(rank.calls[0].operation, "all-reduce");
  EXPECT_EQ(rank.calls[0].bytes, 16777216);
  EXPECT_EQ(rank.calls[0].time_us, 392);
  EXPECT_EQ(rank.calls[0].group, "0x7d1c33aa90e15b02");
  EXPECT_EQ(rank.calls[0].group_ranks, 32U);
  // Inspector has a rank's part of all-gather and reduce-scatter: 8 MiB of 256 MiB.
  EXPECT_EQ(rank.calls[2].bytes, 268435456);
  EXPECT_EQ(rank.calls[3].bytes, 268435456);
  EXPECT_EQ(rank.calls[3].sequence, 4U);
}

TEST(Inspector, LinesThatDoNotCheckAreRefused) {
  const std::string text = text_of("logs/inspector-gpu01-rank0.log");
  struct Case {
    const char* from;
    const char* to;
    const char* problem;
  };
  for (const Case& c : {Case{"\"coll_exec_time_us\":2961", "\"coll_exec_time_us\":1961",
                             ":2: error: does not check: 268435456 bytes in 1961 us"},
                        Case{"\"coll_busbw_gbs\":175", "\"coll_busbw_gbs\":185",
                             ":2: error: does not check: busbw 185"},
                        Case{"\"coll_msg_size_bytes\":16777216", "\"coll_msg_size_bytes\":-1",
                             ":1: error: has a negative size"},
                        Case{"\"rank\":0", "\"rank\":32", ":1: error: has rank 32 of 32"},
                        Case{"\"coll\":\"AllReduce\"", "\"coll\":\"AllReduse\"",
                             ":1: error: has the operation `AllReduse`"},
                        Case{"\"coll_sn\":1,", "", ":1: error: has no field `coll_sn`"},
                        Case{"\"rec_mechanism\"", "rec", ":1: error: is no whole JSON"}}) {
    const Measurements m = read_text(replaced(text, c.from, c.to));
    EXPECT_THAT(said(m), HasSubstr(std::string("log.txt") + c.problem));
    EXPECT_TRUE(is_empty(m)) << c.to;
  }
}

TEST(Inspector, CommunicatorsOfAProcessAreApart) {
  const std::string text = text_of("logs/inspector-gpu01-rank0.log");
  const std::string other =
      replaced(replaced(text.substr(0, text.find('\n') + 1), "0x7d1c33aa90e15b02", "0xb"),
               "\"coll_sn\":1", "\"coll_sn\":7");
  const Measurements m = read_text(text + other);
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.calls.size(), 2U);
  EXPECT_EQ(m.calls[1].calls.at(0).group, "0xb");
}

TEST(Inspector, MetricsOfPrometheusAreRefused) {
  for (const char* text : {"# HELP nccl_bus_bandwidth_gbs x\n", "# TYPE nccl_algo_bw gauge\n",
                           "nccl_bus_bandwidth{rank=\"0\",message_size=\"1M-2M\"} 12.5\n"}) {
    EXPECT_THAT(said(read_text(text)), HasSubstr("error: has Inspector's metrics for Prometheus"));
  }
}

TEST(Inspector, MessagesAreReadAsWell) {
  const Measurements m = read_text(
      "{\"header\":{\"id\":\"0x1\",\"rank\":2,\"n_ranks\":4},\"metadata\":{"
      "\"inspector_output_format_version\":\"v4.0\",\"hostname\":\"a\"},\"p2p_perf\":{\"p2p\":"
      "\"Recv\",\"p2p_sn\":9,\"p2p_msg_size_bytes\":1048576,\"p2p_exec_time_us\":50,\"p2p_peer\":3,"
      "\"p2p_algobw_gbs\":20.97152,\"p2p_busbw_gbs\":20.97152}}\n");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.calls.size(), 1U);
  EXPECT_EQ(m.calls[0].calls[0].operation, "send-recv");
  EXPECT_EQ(m.calls[0].calls[0].message, (std::pair<std::uint32_t, std::uint32_t>(3, 2)));
}

TEST(FlightRecorder, SizesTimesAndStatesAreTaken) {
  const Measurements m = read_sample("logs/flight-recorder-rank21.json");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.calls.size(), 1U);
  const RankCalls& rank = m.calls[0];
  EXPECT_EQ(rank.rank, 21U);
  EXPECT_EQ(rank.nccl_version, "2.27.5");
  ASSERT_EQ(rank.calls.size(), 4U);
  EXPECT_EQ(rank.calls[0].bytes, 8388608);
  EXPECT_EQ(rank.calls[0].time_us, 268);
  EXPECT_EQ(rank.calls[0].type, "bfloat16");
  EXPECT_EQ(rank.calls[0].group, "0");
  EXPECT_EQ(rank.calls[0].group_ranks, 32U);
  EXPECT_EQ(rank.calls[1].operation, "all-gather");
  EXPECT_EQ(rank.calls[1].bytes, 268435456);
  EXPECT_EQ(rank.calls[2].operation, "reduce-scatter");
  EXPECT_EQ(rank.calls[2].bytes, 268435456);
  EXPECT_TRUE(rank.calls[2].is_finished);
  EXPECT_FALSE(rank.calls[3].is_finished);
  EXPECT_FALSE(rank.calls[3].time_us.has_value());
}

TEST(FlightRecorder, OldDumpsMessagesAndOtherCallsAreRead) {
  const Measurements m = read_text(
      R"({"version": "2.3", "pg_config": {"0": {"name": "0", "ranks": "[0, 1]"}}, "entries": [
      {"process_group": ["0", "d"], "p2p_seq_id": 3, "collective_seq_id": 0, "is_p2p": true,
       "profiling_name": "nccl:send 0->1", "input_sizes": [[4, 4]], "input_dtypes": ["Float"],
       "output_sizes": [[4, 4]], "output_dtypes": ["Float"], "state": "completed",
       "duration_ms": 0.5},
      {"process_group": ["0", "d"], "collective_seq_id": 1, "profiling_name": "nccl:barrier",
       "input_sizes": [[1]], "input_dtypes": ["Float"], "state": "completed"},
      {"process_group": ["0", "d"], "collective_seq_id": 2, "profiling_name": "nccl:all_gather",
       "input_sizes": [[8]], "input_dtypes": ["Half"], "output_sizes": [[8], [8]],
       "output_dtypes": ["Half", "Half"], "state": "completed"}]})",
      "nccl_trace_rank_1");
  EXPECT_THAT(said(m), HasSubstr("1 calls of `barrier` are left out"));
  ASSERT_EQ(m.calls.at(0).calls.size(), 2U);
  EXPECT_EQ(m.calls[0].rank, 1U);
  EXPECT_EQ(m.calls[0].calls[0].message, (std::pair<std::uint32_t, std::uint32_t>(0, 1)));
  EXPECT_EQ(m.calls[0].calls[0].sequence, 3U);
  EXPECT_EQ(m.calls[0].calls[0].bytes, 64);
  EXPECT_EQ(m.calls[0].calls[1].bytes, 32);
}

TEST(FlightRecorder, SizesBeyondAllRangesAreNotKnown) {
  const Measurements m = read_text(
      R"({"entries": [{"process_group": ["0", "d"], "collective_seq_id": 1,
      "profiling_name": "nccl:all_reduce", "input_sizes": [[9223372036854775807, 4]],
      "input_dtypes": ["Float"], "output_sizes": [[-4]], "output_dtypes": []}]})",
      "rank0.json");
  EXPECT_THAT(said(m), HasSubstr("1 calls have sizes or types that are not known"));
  EXPECT_EQ(m.calls.at(0).calls.at(0).bytes, 0);
}

TEST(Kineto, CallsGroupsAndComputeAreTaken) {
  const Measurements m = read_sample("logs/kineto-rank5.json");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.calls.size(), 1U);
  const RankCalls& rank = m.calls[0];
  EXPECT_EQ(rank.rank, 5U);
  EXPECT_EQ(rank.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(rank.nccl_version, "2.27.5");
  EXPECT_EQ(rank.compute_us, 4 * 880.0);
  ASSERT_EQ(rank.calls.size(), 4U);
  EXPECT_EQ(rank.calls[0].operation, "all-reduce");
  EXPECT_EQ(rank.calls[0].group, "0");
  EXPECT_EQ(rank.calls[0].group_ranks, 32U);
  EXPECT_EQ(rank.calls[0].bytes, 8388608);
  EXPECT_EQ(rank.calls[0].time_us, 388.4);
  EXPECT_EQ(rank.calls[0].begin_us, 880);
  EXPECT_EQ(rank.calls[1].bytes, 268435456);
  EXPECT_EQ(rank.calls[3].operation, "send-recv");
  EXPECT_EQ(rank.calls[3].group, "7");
  EXPECT_EQ(rank.calls[3].group_ranks, 2U);
  EXPECT_EQ(rank.calls[3].message, (std::pair<std::uint32_t, std::uint32_t>(5, 13)));
}

TEST(Kineto, WhatIsMissingIsSaid) {
  const std::string text = text_of("logs/kineto-rank0.json");
  EXPECT_THAT(said(read_text(replaced(text, ", \"Seq\": 1", ""), "a.json")),
              HasSubstr("1 calls have no `Seq`"));
  EXPECT_THAT(said(read_text(replaced(text, "\"rank\": 0", "\"r\": 0"), "a.json")),
              HasSubstr("does not say its rank"));
  EXPECT_EQ(read_text(replaced(text, "\"rank\": 0", "\"r\": 0"), "rank7.json").calls.at(0).rank,
            7U);
  EXPECT_THAT(said(read_text(replaced(text, "\"allreduce\"", "\"coalesced\""))),
              HasSubstr("1 calls of `coalesced` are left out"));
  EXPECT_THAT(said(read_text(replaced(text, "\"dur\": 268.4", "\"dur\": 0"))),
              HasSubstr("1 kernels of NCCL without a time are left out"));
  EXPECT_THAT(said(read_text("{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": "
                             "\"gemm\", \"dur\": 3}]}")),
              HasSubstr("error: has no kernel of NCCL"));
}

// Members of other objects with the same names are none of an event.
TEST(Kineto, OnlyMembersOfEventsCount) {
  const std::string text = text_of("logs/kineto-rank0.json");
  const std::string nested =
      replaced(text, "\"grid\": [16, 1, 1]",
               "\"grid\": [{\"Seq\": 77, \"Group size\": 5}, 1], \"x\": {\"dtype\": \"Float\"}");
  const Measurements m = read_text(nested);
  EXPECT_EQ(said(m), "");
  EXPECT_EQ(m.calls.at(0).calls.at(0).sequence, 1U);
  EXPECT_EQ(m.calls[0].calls[0].group_ranks, 32U);
  EXPECT_EQ(m.calls[0].calls[0].type, "bfloat16");
}

TEST(Traces, DeepNestingIsRefusedBeforeItCosts) {
  const std::string deep(100000, '[');
  for (const std::string start : {"{\"traceEvents\": ", "{\"profiling_name\": 1, \"entries\": ",
                                  "{\"BW_average\": ", "{\"out_of_place\": ", "{\"coll_perf\": "}) {
    const Measurements m = read_text(start + deep);
    EXPECT_THAT(said(m), ::testing::AnyOf(HasSubstr("nested"), HasSubstr("incomplete"))) << start;
    EXPECT_TRUE(is_empty(m));
  }
}

}  // namespace
}  // namespace weft::evidence
