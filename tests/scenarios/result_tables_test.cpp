#include "scenarios/output/result_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace weft::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const TableReference& table) {
  std::vector<std::string> all;
  for (const TableReference::Field& f : table.fields) all.push_back(f.name);
  return all;
}

TEST(ResultTables, NameEveryColumnOnceAndSayTheUnitThatTheNameEndsIn) {
  std::set<std::string> files;
  for (const TableReference& table : result_reference()) {
    EXPECT_TRUE(files.insert(table.file).second) << table.file;
    std::set<std::string> seen;
    for (const TableReference::Field& f : table.fields) {
      EXPECT_TRUE(seen.insert(f.name).second) << table.file << " " << f.name;
      const std::string where = table.file + ": " + f.name;
      EXPECT_EQ(f.unit == "s", f.name.ends_with("_s") && !f.name.ends_with("_per_s")) << where;
      EXPECT_EQ(f.unit == "bytes/s", f.name.ends_with("_bytes_per_s")) << where;
      EXPECT_EQ(f.unit == "bit/s", f.name.ends_with("_bps")) << where;
      EXPECT_EQ(f.unit == "bytes", f.name == "bytes" || f.name.ends_with("_bytes")) << where;
    }
  }
  EXPECT_THAT(files, ElementsAre("classes.csv", "collectives.csv", "jobs.csv", "messages.csv",
                                 "pauses.csv", "ports.csv", "victims.csv"));
}

TEST(ResultTables, OfTheFluidEngineLackWhatOnlyPacketsTell) {
  EXPECT_THAT(names(TableReference(fluid_ports_table())),
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
  jobs_table().append_header(text);
  jobs_table().append(text, {job});
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
