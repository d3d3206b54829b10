#include "scenarios/results/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/run/simulation.hpp"
#include "tests/support/engines.hpp"

namespace weft::scenarios {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

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
  // Scripts read them: names stay.
  EXPECT_THAT(files, IsSupersetOf({"classes.csv", "collectives.csv", "jobs.csv", "messages.csv",
                                   "isolated.csv", "latency.csv", "pauses.csv", "ports.csv",
                                   "victims.csv"}));
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
  EXPECT_STREQ(unit_of("tokens_per_second"), "tokens/s");
  EXPECT_STREQ(unit_of("model_flops_per_second"), "FLOP/s");
  EXPECT_STREQ(unit_of("steps_per_second"), "");
  EXPECT_STREQ(unit_of("ecn_marks"), "");
  EXPECT_STREQ(unit_of("seconds_of_arc"), "");
}

TEST(ResultTables, OfTheFluidEngineLackWhatOnlyPacketsTell) {
  EXPECT_THAT(names(TableReference(PortsTable::declaration().known(false, false))),
              ElementsAre("port", "rate_bps", "bytes", "utilisation"));
}

TEST(ResultTables, AreARowOfCellsUnderAHeader) {
  struct Row {
    std::string name;
    Bytes bytes;
    Picoseconds start;
    std::optional<Picoseconds> end;
    bool is_finished = false;
    double share = 0;
  };
  const Table<Row> table{"rows.csv",
                         "a row",
                         {{"name", "", [](const Row& r) { return r.name; }},
                          {"bytes", "", [](const Row& r) { return r.bytes; }},
                          {"start_s", "", [](const Row& r) { return r.start; }},
                          {"end_s", "", [](const Row& r) { return r.end; }},
                          {"finished", "", [](const Row& r) { return r.is_finished; }},
                          {"share", "", [](const Row& r) { return ratio(r.share); }}},
                         nullptr};
  std::string text;
  table.append_header(text);
  table.append(text, {"a,b", Bytes(7), Picoseconds(1), {}, false, 0.5});
  table.append(text, {"c", Bytes(0), Picoseconds(0), Picoseconds(2'000'000'000'000), true, 1.0});
  EXPECT_EQ(text,
            "name,bytes,start_s,end_s,finished,share\n"
            "\"a,b\",7,0.000000000001,,0,0.500000\n"
            "c,0,0.000000000000,2.000000000000,1,1.000000\n");
  EXPECT_EQ(table.columns[0].kind, Kind::kText);
  EXPECT_EQ(table.columns[1].kind, Kind::kInteger);
  EXPECT_EQ(table.columns[3].kind, Kind::kDecimal);
  EXPECT_EQ(table.columns[5].kind, Kind::kDecimal);
  EXPECT_TRUE(table.columns[3].may_be_empty);
  EXPECT_FALSE(table.columns[2].may_be_empty);
}

// Of latencies 1 ns ... 10,000 ns the share x is above the (1 - x) 10,000th, within 1/128 by the
// histogram; the least share that 10,000 packets tell apart is 1e-4, and the last row the maximum.
TEST(ResultTables, HaveTheDistributionOfPacketLatencies) {
  Results r;
  for (std::int64_t ns = 10'000; ns >= 1; --ns) r.packet_latency.add(1'000 * ns);
  std::vector<LatencyRow> rows;
  LatencyTable::declaration().each(r, [&](const LatencyRow& row) { rows.push_back(row); });
  for (const LatencyRow& row : rows) {
    const double exact = std::max(1.0, 10'000 * (1 - row.longer)) * 1e-9;
    EXPECT_NEAR(to_seconds(row.latency), exact, exact / 128) << row.longer;
  }
  ASSERT_GT(rows.size(), 2U);
  EXPECT_NEAR(rows[rows.size() - 2].longer, 1e-4, 1e-12);
  EXPECT_EQ(rows.back().longer, 0);
  EXPECT_EQ(rows.back().latency, Picoseconds(10'000'000));
  EXPECT_FALSE(LatencyTable::declaration().is_filled(Results{}));
}

// Two jobs at once, on hosts of their own: packets by 300 m of cable, 1.4 us more, all take longer
// than those of the other job. Counts add up to the whole.
TEST(ResultTables, TellPacketLatenciesOfJobsApart) {
  const Results r = simulate(weft::testing::experiment_of_text(
      "name: t\n"
      "racks: {count: 1, servers: 4, server: host-400g}\n"
      "links: {changes: [{from: h0, length: 300m, cable: copper}]}\n"
      "fabric: {topology: leaf-spine, spines: 1}\n"
      "transport: {type: roce, congestion_control: none}\n"
      "jobs:\n"
      "  - {name: far, type: messages, ranks: [0, 1], list: [{from: 0, to: 1, size: 64KiB}]}\n"
      "  - {name: near, type: messages, ranks: [2, 3], list: [{from: 0, to: 1, size: 32KiB}]}\n"));
  ASSERT_EQ(r.packet_latency_by_size.size(), 2U);
  Histogram far;
  Histogram near;
  merge(far, r.packet_latency_by_size[0]);
  merge(near, r.packet_latency_by_size[1]);
  EXPECT_EQ(far.count(), 16U);
  EXPECT_EQ(near.count(), 8U);
  EXPECT_GT(far.min(), near.max() + 1'000'000);
  Histogram all = far;
  all.merge(near);
  EXPECT_EQ(all, r.packet_latency);
  std::vector<std::string> jobs;
  LatencyTable::declaration().each(r, [&](const LatencyRow& row) {
    if (jobs.empty() || jobs.back() != row.job) jobs.push_back(row.job);
  });
  EXPECT_THAT(jobs, ElementsAre("", "far", "near"));
}

// One job has messages of two size classes and one of the largest that still is of the lower one,
// the other job of one class. Sixteen packets of 4 KiB are 64 KiB.
TEST(ResultTables, TellPacketLatenciesOfSizesApart) {
  const Results r = simulate(weft::testing::experiment_of_text(
      "name: t\n"
      "racks: {count: 1, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1}\n"
      "transport: {type: roce, congestion_control: none}\n"
      "jobs:\n"
      "  - {name: mixed, type: messages, ranks: [0, 1], list: [{from: 0, to: 1, size: 64KiB}, "
      "{from: 0, to: 1, size: 65537B}, {from: 0, to: 1, size: 5000B}]}\n"
      "  - {name: even, type: messages, ranks: [2, 3], list: [{from: 0, to: 1, size: 4KiB}]}\n"));
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::pair<int, Picoseconds>> ends;
  LatencyTable::declaration().each(r, [&](const LatencyRow& row) {
    auto& [rows, latest] =
        ends[{row.job, row.above ? row.above->count() : -1, row.up_to ? row.up_to->count() : -1}];
    ++rows;
    latest = std::max(latest, row.latency);
  });
  ASSERT_EQ(r.packet_latency_by_size.size(), 2U);
  const LatencyBySize& mixed = r.packet_latency_by_size[0];
  ASSERT_EQ(mixed.size(), 2U);
  EXPECT_EQ(mixed[0].size_class, 1U);
  EXPECT_EQ(mixed[0].latency.count(), 16U + 2);
  EXPECT_EQ(mixed[1].size_class, 2U);
  EXPECT_EQ(mixed[1].latency.count(), 17U);
  const LatencyBySize& even = r.packet_latency_by_size[1];
  ASSERT_EQ(even.size(), 1U);
  EXPECT_EQ(even[0].size_class, 0U);
  EXPECT_EQ(even[0].latency.count(), 1U);
  Histogram all;
  for (const LatencyBySize& job : r.packet_latency_by_size) merge(all, job);
  EXPECT_EQ(all, r.packet_latency);
  const auto last = [&](const char* job, std::int64_t above, std::int64_t up_to) {
    return ends[{job, above, up_to}].second.count();
  };
  EXPECT_EQ(ends.size(), 1U + 3 + 1 + 2 + 1);  // all and three classes; a job with two, and one
  EXPECT_EQ(last("", -1, -1), r.packet_latency.max());
  EXPECT_EQ(last("mixed", 4096, 65'536), mixed[0].latency.max());
  EXPECT_EQ(last("mixed", 65'536, 1'048'576), mixed[1].latency.max());
  EXPECT_EQ(last("even", -1, -1), even[0].latency.max());
}

TEST(ResultTables, HavePercentilesOfTheMessagesOfEachJob) {
  const Results r = simulate(weft::testing::experiment_of_text(
      "name: t\n"
      "racks: {count: 1, servers: 4, server: host-400g}\n"
      "fabric: {topology: leaf-spine, spines: 1}\n"
      "transport: {type: roce, congestion_control: none}\n"
      "jobs:\n"
      "  - {name: one, type: messages, ranks: [0, 1], list: [{from: 0, to: 1, size: 1MiB}]}\n"
      "  - {name: two, type: messages, ranks: [2, 3],\n"
      "     list: [{from: 0, to: 1, size: 4KiB}, {from: 0, to: 1, size: 2MiB, start: 1ms}]}\n"));
  ASSERT_TRUE(r.jobs[0].message_seconds && r.jobs[1].message_slowdown);
  EXPECT_EQ(r.jobs[0].message_seconds->p50, to_seconds(r.jobs[0].jct));
  EXPECT_EQ(r.jobs[0].message_seconds->p50, r.jobs[0].message_seconds->max);
  EXPECT_LT(r.jobs[1].message_seconds->p50, 1e-5);
  EXPECT_GT(r.jobs[1].message_seconds->p95, r.jobs[0].message_seconds->max);
  EXPECT_NEAR(r.jobs[1].message_slowdown->max, 1, 0.01);
  const nlohmann::ordered_json jobs = summary_record().json(r)["jobs"];
  EXPECT_EQ(jobs[0]["messages"], 1);
  EXPECT_EQ(jobs[1]["completed_messages"], 2);
  EXPECT_EQ(jobs[1]["fct_seconds"]["p999"], r.jobs[1].message_seconds->p999);
}

TEST(ResultTables, LeaveThePercentilesOfAJobWithoutMessagesEmpty) {
  JobResult job;
  job.name = "idle";
  std::string row;
  JobsTable::declaration().append(row, job);
  EXPECT_TRUE(row.ends_with(",0,,,,,,,,,,,\n")) << row;
  job.message_slowdown = Percentiles{1, 1.5, 2, 3, 4};
  row.clear();
  JobsTable::declaration().append(row, job);
  EXPECT_TRUE(row.ends_with(",0,,,,,,1.000000,1.500000,2.000000,3.000000,4.000000,\n")) << row;
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
