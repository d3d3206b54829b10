// perftest, pair matrices, nvbandwidth, and rules of a tuner.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/evidence/reading.hpp"
#include "tools/evidence/links/rate_unit.hpp"

namespace weft::evidence {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RateUnits, BitsAndBytesAreToldApart) {
  EXPECT_EQ(rate_unit("Gb/s"), 0.125);
  EXPECT_EQ(rate_unit("Gb/sec"), 0.125);
  EXPECT_EQ(rate_unit("Gbps"), 0.125);
  EXPECT_EQ(rate_unit("gbps"), 0.125);
  EXPECT_EQ(rate_unit("GB/s"), 1);
  EXPECT_EQ(rate_unit("GBs"), 1);
  EXPECT_EQ(rate_unit("MB/s"), 1e-3);
  EXPECT_EQ(rate_unit("MiB/s"), 1048576e-9);
  for (const char* other : {"", "s", "G/s", "gb/s", "Tb/s", "Gb", "GB"}) {
    EXPECT_FALSE(rate_unit(other).has_value()) << other;
  }
  EXPECT_EQ(rate_unit_in("busbw_GBs"), 1);
  EXPECT_EQ(rate_unit_in("bandwidth (GB/s)"), 1);
  EXPECT_FALSE(rate_unit_in("GB/s or Gb/s").has_value());
}

// As nccl-tests calls its programs and sizes.
TEST(PairMatrix, CommentsNameOperationAndSize) {
  const std::string square = "src\\dst,a,b\na,,40\nb,41,\n";
  for (const char* comment :
       {"# all_reduce_perf, 1 GiB, GB/s\n", "# all_reduce, 1073741824 bytes, GB/s\n",
        "# all-reduce 1GiB GB/s\n", "# AllReduce, busbw of 1GiB, GB/s\n"}) {
    const Measurements m = read_text(comment + square);
    ASSERT_EQ(m.pairs.size(), 1U) << comment;
    EXPECT_EQ(m.pairs[0].operation, "all-reduce") << comment;
    EXPECT_EQ(m.pairs[0].bytes, std::int64_t{1} << 30U) << comment;
  }
  const Measurements none = read_text("# all_reduce_perf, GB/s\n" + square);
  ASSERT_EQ(none.pairs.size(), 1U);
  EXPECT_EQ(none.pairs[0].bytes, 0);
}

TEST(PairMatrix, ColumnsHaveSizesOfNcclTests) {
  const std::string header = "src,dst,op,bytes,busbw_GBs\n";
  const auto bytes = [&](const char* size) -> std::int64_t {
    const Measurements m = read_text(header + "a,b,all_reduce_perf," + size + ",40\n");
    return m.pairs.size() == 1 ? m.pairs[0].bytes : -1;
  };
  EXPECT_EQ(bytes("1G"), std::int64_t{1} << 30U);
  EXPECT_EQ(bytes("512M"), std::int64_t{512} << 20U);
  EXPECT_EQ(bytes("4096"), 4096);
  EXPECT_EQ(bytes("1GB"), -1);  // 10^9 or 2^30
  EXPECT_EQ(bytes("9223372036854775807G"), -1);
}

TEST(Perftest, ValuesAreGigabytesPerSecondOfOneDirection) {
  const Measurements m = read_sample("logs/ib_write_bw-gpu01-gpu03-mlx5_5.txt");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.pairs.size(), 1U);
  const PairSeries& series = m.pairs[0];
  EXPECT_EQ(series.operation, "write-bw");
  EXPECT_EQ(series.bytes, 65536);
  EXPECT_EQ(series.nic, "mlx5_5");
  EXPECT_EQ(series.queue_pairs, 4U);
  EXPECT_EQ(series.mtu, 4096U);
  EXPECT_EQ(series.gpu_memory, false);
  ASSERT_EQ(series.values.size(), 1U);
  EXPECT_EQ(series.values[0].from, "gpu01");
  EXPECT_EQ(series.values[0].to, "gpu03");
  EXPECT_NEAR(series.values[0].gigabytes_per_second * 8, 203.41, 0.01);
  const Measurements mebi = read_sample("logs/ib_write_bw-gpu01-gpu03-mlx5_5-mbytes.txt");
  EXPECT_NEAR(mebi.pairs.at(0).values.at(0).gigabytes_per_second * 8, 203.41, 0.01);
  // Without a unit in the file, rate and size of messages decide.
  const Measurements written = read_sample("logs/ib_write_bw-out.json");
  EXPECT_NEAR(written.pairs.at(0).values.at(0).gigabytes_per_second * 8, 203.41, 0.01);
  EXPECT_THAT(said(written), HasSubstr("does not say between which hosts"));
  EXPECT_THAT(said(read_text(replaced(text_of("logs/ib_write_bw-out.json"), "0.387974", "0"))),
              HasSubstr("error: BW_average 203.41 is neither"));
}

TEST(Perftest, BothDirectionsAreHalved) {
  const std::string text =
      "# from gpu01 to gpu03\n" + text_of("broken/ib_write_bw-bidirectional.txt");
  const Measurements m = read_text(text);
  EXPECT_THAT(said(m), AllOf(HasSubstr("203 Gb/s each way"), Not(HasSubstr("hosts"))));
  ASSERT_EQ(m.pairs.at(0).values.size(), 2U);
  EXPECT_NEAR(m.pairs[0].values[0].gigabytes_per_second * 8, 203.35, 0.01);
  EXPECT_EQ(m.pairs[0].values[0].from, "gpu01");
  EXPECT_EQ(m.pairs[0].values[1].from, "gpu03");
  EXPECT_EQ(m.pairs[0].values[1].to, "gpu01");
}

// A script that tried both, one after the other.
TEST(Perftest, SeveralTestsInOneFileKeepTheirOwnSettings) {
  const std::string one = text_of("logs/ib_write_bw-gpu01-gpu03-mlx5_5.txt");
  const Measurements m =
      read_text("initializing CUDA\n" + one + text_of("broken/ib_write_bw-bidirectional.txt") +
                    "initializing CUDA\n" + one,
                "ib_write_bw-gpu01-gpu03-mlx5_5.txt");
  ASSERT_EQ(m.pairs.size(), 3U);
  EXPECT_EQ(m.pairs[0].values.size(), 1U);
  EXPECT_EQ(m.pairs[0].gpu_memory, true);
  EXPECT_EQ(m.pairs[1].values.size(), 2U);
  EXPECT_EQ(m.pairs[1].gpu_memory, false);
  EXPECT_NEAR(m.pairs[1].values[0].gigabytes_per_second * 8, 203.35, 0.01);
  EXPECT_EQ(m.pairs[2].values.size(), 1U);
  EXPECT_EQ(m.pairs[2].gpu_memory, true);
}

TEST(Perftest, RowsThatDoNotCheckAndOtherUnitsAreRefused) {
  const std::string text = text_of("logs/ib_write_bw-gpu01-gpu03-mlx5_5.txt");
  EXPECT_THAT(said(read_text(replaced(text, "203.41", "303.41"))),
              HasSubstr(":39: error: does not check: 0.387974 million messages of 65536 bytes"));
  EXPECT_THAT(said(read_text(replaced(text, "BW average[Gb/sec]", "BW average[Tb/sec]"))),
              HasSubstr(":38: error: has the unit `Tb/sec`"));
  EXPECT_THAT(said(read_text(replaced(text, "BW average[Gb/sec]", "t_avg[usec]"))),
              HasSubstr("is no table of a bandwidth test"));
  EXPECT_THAT(said(read_text(text.substr(0, text.find("\n 65536")) + "\n")),
              HasSubstr("error: has no row of a size"));
  EXPECT_EQ(read_text(replaced(text, " TX depth", "cuMemAlloc() of a GPU buffer, CUDA\n TX depth"))
                .pairs.at(0)
                .gpu_memory,
            true);
}

TEST(Prefixes, OfLaunchersChangeNothing) {
  for (const char* name : {"logs/ib_write_bw-gpu01-gpu03-mlx5_5.txt", "logs/nvbandwidth-gpu01.txt",
                           "logs/inspector-gpu01-rank0.log", "logs/nccl-info-2.27.5.txt"}) {
    const Measurements plain = read_sample(name);
    for (const std::string prefix :
         {"[1,0]<stdout>:", " 0: ", "[0] ", "2026-11-02T09:12:41.123Z ", "[rank0]: "}) {
      std::string prefixed;
      const auto file = InputFile::read(sample(name));
      for (const std::string_view line : file.value().lines()) {
        prefixed += prefix + std::string(line) + "\n";
      }
      Measurements m;
      read_file(InputFile(sample(name).string(), prefixed), nullptr, m);
      EXPECT_EQ(said(m), said(plain)) << prefix;
      EXPECT_EQ(m.recognised, plain.recognised) << prefix;
    }
  }
}

TEST(PairMatrix, SquaresAndListsGiveTheSameKindOfValues) {
  const Measurements square = read_sample("logs/pairs-rail5-write-bw.csv");
  EXPECT_EQ(said(square), "");
  ASSERT_EQ(square.pairs.size(), 1U);
  EXPECT_EQ(square.pairs[0].operation, "write-bw");
  EXPECT_EQ(square.pairs[0].rail, 5U);
  EXPECT_EQ(square.pairs[0].nic, "mlx5_5");
  ASSERT_EQ(square.pairs[0].values.size(), 12U);
  EXPECT_EQ(square.pairs[0].values[1].from, "gpu01");
  EXPECT_EQ(square.pairs[0].values[1].to, "gpu03");
  EXPECT_NEAR(square.pairs[0].values[1].gigabytes_per_second, 25.425, 1e-9);
  EXPECT_EQ(square.pairs[0].values[1].where.line, 3);
  const Measurements list = read_sample("logs/pairs-allreduce.csv");
  EXPECT_EQ(said(list), "");
  EXPECT_EQ(list.pairs.at(0).operation, "all-reduce");
  EXPECT_EQ(list.pairs[0].bytes, 1073741824);
  EXPECT_EQ(list.pairs[0].values.at(1).gigabytes_per_second, 235.5);
  const Measurements rails = read_text("src,dst,rail,Gbps\na,b,0,392\na,b,5,203.4\nb,a,5,203.4\n");
  ASSERT_EQ(rails.pairs.size(), 2U);
  EXPECT_EQ(rails.pairs[1].rail, 5U);
  EXPECT_EQ(rails.pairs[1].values.size(), 2U);
}

// Operation and size stand in the comment of a square, in the words that people use.
TEST(PairMatrix, CommentsSayOperationAndSize) {
  struct Said {
    const char* comment;
    const char* operation;
    std::int64_t bytes;
  };
  for (const Said& said : {Said{"all_reduce, 64 MiB, busbw GB/s", "all-reduce", 64 << 20},
                           Said{"all_reduce_perf -b 1G -e 1G, GB/s", "all-reduce", 1 << 30},
                           Said{"all-reduce of 1073741824 bytes, GB/s", "all-reduce", 1 << 30},
                           Said{"AllGather (16MiB) GB/s", "all-gather", 16 << 20},
                           Said{"sendrecv_perf, 400G NICs, GB/s", "send-recv", 0}}) {
    const Measurements read =
        read_text(std::string("# ") + said.comment + "\nsrc\\dst,a,b,c\na,,1,2\nb,1,,2\nc,1,2,\n");
    ASSERT_EQ(read.pairs.size(), 1U) << said.comment;
    EXPECT_EQ(read.pairs[0].operation, said.operation) << said.comment;
    EXPECT_EQ(read.pairs[0].bytes, said.bytes) << said.comment;
  }
  const Measurements two =
      read_text("# all_reduce, 1 MiB, 2 MiB, GB/s\nsrc\\dst,a,b\na,,1\nb,1,\n");
  EXPECT_TRUE(import::has_errors(two.remarks));
}

TEST(PairMatrix, AllLinesThatCannotBeMeantAreNamed) {
  struct Case {
    const char* text;
    const char* problem;
  };
  for (const Case& c :
       {Case{"src,dst,value\na,b,392\n", "log.txt:2: error: the unit is unknown"},
        Case{"# Gb/s\nsrc,dst,busbw_GBs\na,b,392\n", "another unit than its comment"},
        Case{"# Gb/s, GB/s\nsrc\\dst,a,b\na,,1\nb,1,\n", "names two units"},
        Case{"# Gb/s\nsrc\\dst,a,b\na,,1\nc,1,\n", "log.txt:4: error: row `c` is no column"},
        Case{"# Gb/s\nsrc\\dst,a,a\n", "has no name of its own"},
        Case{"# Gb/s\nsrc\\dst,a,b\na,,1\na,,1\n", "row a is there twice"},
        Case{"# Gb/s\nsrc\\dst,a,b\na,,x\nb,1,\n", "log.txt:3: error: a to b: `x` is no number"},
        Case{"# Gb/s\nsrc\\dst,a,b\na,,-3\nb,1,\n", "a to b: `-3` is no number above 0"},
        Case{"# Gb/s\nsrc\\dst,a,b\na,7,3\nb,1,\n", "a to itself has a value"},
        Case{"src,dst,GB/s\na,b,1\na,b,2\n", "log.txt:3: error: a to b has a value already"},
        Case{"src,dst,GB/s\na,b\n", "has 2 cells, and the header 3"},
        Case{"src,dst,bytes,GB/s\na,b,0,1\n", "`0` is no number of bytes"},
        Case{"src,dst\na,b\n", "has no column value"}, Case{"src,dst,GB/s\n", "has no value"}}) {
    const Measurements m = read_text(c.text);
    EXPECT_THAT(said(m), AllOf(HasSubstr("error"), HasSubstr(c.problem))) << c.text;
    EXPECT_TRUE(is_empty(m)) << c.text;
  }
  EXPECT_THAT(said(read_text("# Gb/s ib_write_bw\nsrc\\dst,a,b\na,,1\n")),
              HasSubstr("has 1 rows for 2 columns"));
  EXPECT_THAT(said(read_text("# ib_write_bw Gb/s\nsrc\\dst,a,b\na,,N/A\nb,1,-\n")),
              HasSubstr("1 pairs have no value"));
  EXPECT_THAT(said(read_text("src,dst,GB/s\na,b,1\n")),
              HasSubstr("does not say what was measured"));
}

// `<-`: what the column sends, the row gets.
TEST(Nvbandwidth, ArrowsSayWhichWayBytesGo) {
  const Measurements m = read_sample("logs/nvbandwidth-gpu01.txt");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.pairs.size(), 1U);
  ASSERT_EQ(m.pairs[0].values.size(), 56U);
  EXPECT_EQ(m.pairs[0].values[0].from, "GPU1");
  EXPECT_EQ(m.pairs[0].values[0].to, "GPU0");
  EXPECT_EQ(m.pairs[0].values[0].gigabytes_per_second, 387.53);
  const std::string text = text_of("logs/nvbandwidth-gpu01.txt");
  EXPECT_EQ(read_text(replaced(text, "<-", "->")).pairs.at(0).values.at(0).from, "GPU0");
  EXPECT_THAT(said(read_text(replaced(text, "(GB/s)", ""))), HasSubstr("without a unit"));
  EXPECT_THAT(said(read_text(replaced(text, "387.53", "587.53"))),
              HasSubstr("error: does not check: the cells add up to"));
  EXPECT_THAT(said(read_text(replaced(text, "    387.56", ""))),
              HasSubstr("error: has 7 cells, and the header 8"));
}

TEST(Nvbandwidth, HostToDeviceIsOneRow) {
  const Measurements m = read_text(
      "Running host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
      "           0         1\n 0     55.32     55.30\n\nSUM host_to_device_memcpy_ce 110.62\n");
  EXPECT_EQ(said(m), "");
  ASSERT_EQ(m.pairs.at(0).values.size(), 2U);
  EXPECT_EQ(m.pairs[0].values[1].from, "CPU0");
  EXPECT_EQ(m.pairs[0].values[1].to, "GPU1");
}

TEST(Tuner, WhatTheRulesComeToIsSaid) {
  const std::string rest =
      "allgather,0,9223372036854775807,ring,simple,16,4,32\n"
      "reducescatter,0,9223372036854775807,ring,simple,16,4,32\n"
      "broadcast,0,9223372036854775807,ring,simple,16,4,32\n"
      "reduce,0,9223372036854775807,ring,simple,16,4,32\n";
  const std::string whole = "allreduce,0,9223372036854775807,ring,simple,16,4,32\n";
  EXPECT_EQ(said(read_text(whole + rest)), "");
  struct Case {
    const char* rules;
    const char* problem;
  };
  for (const Case& c :
       {Case{"allreduce,0,100,ring,simple,16,4,32\nallreduce,200,9223372036854775807,ring,simple,"
             "16,4,32\n",
             "log.txt:2: finding: allreduce of 101 bytes matches no rule"},
        Case{
            "allreduce,0,9223372036854775807,ring,simple,16,4,32\nallreduce,5,10,tree,ll,16,4,32\n",
            "log.txt:2: finding: is never used: earlier rules have sizes 5 to 10"},
        Case{"allreduce,0,9223372036854775807,ring,Simple,16,4,32\n", "protocol `Simple`"},
        Case{"allreduce,9,3,ring,simple,16,4,32\n", "no size is in that range"},
        Case{"allreduce,0,9223372036854775807,ring,simple,16,four,32\n", "`four` is no whole"},
        Case{"allreduce,0,9223372036854775807,ring,simple,0,4,32\n", "channels `0`"},
        Case{"allreduce,0,9223372036854775807,ring,simple,16\n",
             "log.txt:1: warning: has 6 fields, expected 8 to 10"}}) {
    EXPECT_THAT(said(read_text(c.rules + rest)), HasSubstr(c.problem)) << c.rules;
  }
  EXPECT_THAT(said(read_text(whole)),
              HasSubstr("has no rule for broadcast, reduce, allgather, reducescatter"));
  const std::string wide =
      "allreduce,0,9223372036854775807,ring,simple,16,4," + std::string(240, ' ') + "32\n";
  EXPECT_THAT(said(read_text(whole + rest + wide)), HasSubstr("the plugin reads 255 of a line"));
}

}  // namespace
}  // namespace weft::evidence
