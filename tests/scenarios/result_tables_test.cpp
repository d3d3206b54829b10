#include "scenarios/results/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const TableReference& table) {
  std::vector<std::string> all;
  for (const TableReference::Field& f : table.fields) all.push_back(f.name);
  return all;
}

TEST(ResultTables, NameEveryColumnOnce) {
  std::set<std::string> files;
  for (const TableReference& table : result_reference()) {
    EXPECT_TRUE(files.insert(table.file).second) << table.file;
    std::set<std::string> seen;
    for (const TableReference::Field& f : table.fields) {
      EXPECT_TRUE(seen.insert(f.name).second) << table.file << " " << f.name;
    }
  }
  EXPECT_THAT(files, ElementsAre("classes.csv", "collectives.csv", "jobs.csv", "messages.csv",
                                 "pauses.csv", "ports.csv", "victims.csv"));
}

TEST(ResultTables, SayUnitsInTheLastWordOfNames) {
  EXPECT_STREQ(unit_of("time_s"), "s");
  EXPECT_STREQ(unit_of("fct_seconds"), "s");
  EXPECT_STREQ(unit_of("seconds"), "s");
  EXPECT_STREQ(unit_of("bytes"), "bytes");
  EXPECT_STREQ(unit_of("peak_queue_bytes"), "bytes");
  EXPECT_STREQ(unit_of("busbw_bytes_per_s"), "bytes/s");
  EXPECT_STREQ(unit_of("algbw_bytes_per_second"), "bytes/s");
  EXPECT_STREQ(unit_of("rate_bps"), "bit/s");
  EXPECT_STREQ(unit_of("ecn_marks"), "");
  EXPECT_STREQ(unit_of("seconds_of_arc"), "");
}

TEST(ResultTables, OfTheFluidEngineLackWhatOnlyPacketsTell) {
  EXPECT_THAT(names(TableReference(PortsTable::declaration().known(false))),
              ElementsAre("port", "rate_bps", "bytes", "utilisation"));
}

TEST(ResultTables, AreARowOfCellsUnderAHeader) {
  JobResult job;
  job.name = "a,b";
  job.type = "incast";
  job.ranks = 3;
  job.bytes = Bytes(7);
  job.start = Picoseconds(1);
  job.end = Picoseconds(2'000'000'000'000);
  std::string text;
  JobsTable::declaration().append_header(text);
  JobsTable::declaration().append(text, job);
  EXPECT_EQ(text,
            "job,type,ranks,bytes,start_s,end_s,jct_s,ideal_s,ideal_set_by,busbw_bytes_per_s,"
            "finished\n"
            "\"a,b\",incast,3,7,0.000000000001,2.000000000000,,,,,0\n");
}

TEST(ResultTables, AreDescribedForPeople) {
  const std::string text = result_reference_text();
  EXPECT_THAT(text, HasSubstr("messages.csv: a row is a message posted since"));
  EXPECT_THAT(text, HasSubstr("  slowdown                    fct_s over ideal_s, never below 1\n"));
}

}  // namespace
}  // namespace weft::scenarios
