#include "scenarios/results/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "scenarios/results/results.hpp"
#include "scenarios/results/summary/summary_record.hpp"

namespace weft::scenarios {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const TableReference& table) {
  std::vector<std::string> all;
  for (const FieldReference& f : table.fields) all.push_back(f.name);
  return all;
}

TEST(ResultTables, NameEveryColumnOnce) {
  std::set<std::string> files;
  for (const TableReference& table : result_reference()) {
    EXPECT_TRUE(files.insert(table.file).second) << table.file;
    std::set<std::string> seen;
    for (const FieldReference& f : table.fields) {
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

TEST(Summary, IsDescribedFieldByField) {
  std::set<std::string> seen;
  for (const FieldReference& f : summary_record().reference()) {
    EXPECT_TRUE(seen.insert(f.name).second) << f.name;
  }
  for (const char* name :
       {"scenario", "jobs[].jct_seconds", "collectives[].critical_path_seconds.wire",
        "messages.fct_seconds.p999", "network.buffer_drops", "pause_storms.storms[].tree[].depth",
        "victims.victims[].lost_to[].seconds", "deadlock[].waiting_bytes", "results_sha256"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
  // An object says the unit of what is in it.
  const std::string text = result_reference_text();
  EXPECT_THAT(text, ContainsRegex("\n  messages.fct_seconds.p50 +s +median"));
  EXPECT_THAT(text, ContainsRegex("\n  collectives\\[\\].critical_path_seconds.wire +s "));
}

TEST(Summary, LeavesOutWhatTheEngineDoesNotKnow) {
  Results r;
  EXPECT_TRUE(summary_record().json(r).contains("network"));
  r.has_packets = false;
  const nlohmann::ordered_json fluid = summary_record().json(r);
  for (const char* name : {"events", "network", "packet_latency_seconds", "pause_storms"}) {
    EXPECT_FALSE(fluid.contains(name)) << name;
  }
  EXPECT_TRUE(fluid.contains("messages"));
}

}  // namespace
}  // namespace weft::scenarios
