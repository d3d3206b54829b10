// What `weft report` reads from results folders.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/blame/explain/explanation.hpp"
#include "scenarios/timeline/json_format.hpp"
#include "scenarios/timeline/perfetto_format.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/report/data/blame_data.hpp"
#include "tools/report/data/message_data.hpp"
#include "tools/report/data/port_data.hpp"
#include "tools/report/data/run_data.hpp"
#include "tools/report/data/series_data.hpp"
#include "tools/report/data/table_reader.hpp"
#include "tools/report/page.hpp"
#include "tools/report/trace/timeline_data.hpp"

namespace weft::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportData : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  testing::TemporaryFolder folder_{"weft report"};
};

constexpr const char* kMessages =
    "job,source_rank,destination_rank,source_host,destination_host,bytes,start_s,delivered_s,"
    "completion_s,fct_s,ideal_s,slowdown\n";

// Of times 1 us ... 1000 us the p-quantile is the ceil(1000 p)-th, within 1/128 by the histogram.
TEST_F(ReportData, QuantilesAreThoseOfTheMessages) {
  std::string text = kMessages;
  for (int i = 1000; i >= 1; --i) {
    text += fmt::format("a,0,1,0,1,2048,0.0,{0:.6f},{0:.6f},{0:.6f},0.000001,{1}\n", i * 1e-6, i);
  }
  write("messages.csv", text);
  const auto data = read_messages(folder(), 3);
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(data.value().distributions.size(), 1U);  // one job, one size: the same curve
  const Json& group = data.value().distributions[0];
  EXPECT_EQ(group["count"], 1000);
  for (const Json& point : group["seconds"]) {
    const double p = point[0].get<double>();
    const double exact = std::max(1.0, std::ceil(1000 * p - 1e-6)) * 1e-6;
    EXPECT_NEAR(point[1].get<double>(), exact, exact / 128 + 1e-12) << p;
  }
  EXPECT_DOUBLE_EQ(group["seconds"].back()[1].get<double>(), 1e-3);
}

TEST_F(ReportData, PacketLatenciesAreByJobAndSizeAsInTheTable) {
  write("summary.json", R"({"scenario": "t", "jobs": [], "simulated_seconds": 1})");
  write("latency.csv",
        "job,above_bytes,up_to_bytes,longer,latency_s\n"
        ",,,0.5,2e-6\n,,,0,4e-6\n"
        ",0,4096,0,1e-6\n,16777216,,0,4e-6\n"
        "a,,,0,4e-6\na,4096,65536,0,3e-6\n");
  const auto run = run_json(folder(), {});
  ASSERT_TRUE(run.ok()) << run.errors()[0].to_string();
  std::vector<std::string> groups;
  for (const Json& group : run.value()["latencies"]) {
    groups.push_back(group["job"].get<std::string>() + "|" + group["size"].get<std::string>() +
                     "|" + group["seconds"].dump());
  }
  EXPECT_THAT(groups, ElementsAre("||[[0.5,2e-06],[1,4e-06]]", "|up to 4 KiB|[[1,1e-06]]",
                                  "|over 16 MiB|[[1,4e-06]]", "a||[[1,4e-06]]",
                                  "a|up to 64 KiB|[[1,3e-06]]"));
}

TEST_F(ReportData, PacketLatenciesOfResultsOfBeforeAreByJobOnly) {
  write("summary.json", R"({"scenario": "t", "jobs": [], "simulated_seconds": 1})");
  write("latency.csv", "job,longer,latency_s\n,0,4e-6\na,0,3e-6\n");
  const auto run = run_json(folder(), {});
  ASSERT_TRUE(run.ok()) << run.errors()[0].to_string();
  ASSERT_EQ(run.value()["latencies"].size(), 2U);
  EXPECT_EQ(run.value()["latencies"][1]["job"], "a");
  EXPECT_EQ(run.value()["latencies"][1]["size"], "");
}

TEST_F(ReportData, SummariesOfTheReleaseBeforeHaveTheNamesOfThisOne) {
  write("summary.json", R"({"scenario": "t", "jobs": [], "simulated_seconds": 1, "cells": 3,)"
                        R"( "reuse": {"leaps": 2}})");
  const auto run = run_json(folder(), {});
  ASSERT_TRUE(run.ok()) << run.errors()[0].to_string();
  const Json& summary = run.value()["summary"];
  EXPECT_EQ(summary["logical_processes"], 3);
  EXPECT_EQ(summary["reuse"], Json::object({{"skips", 2}}));
  EXPECT_FALSE(summary.contains("cells"));
  write("x.csv", "path_late_s,path_left_out_s\n");
  EXPECT_THAT(TableReader(folder() / "x.csv").header(),
              ElementsAre("path_late_s", "path_skipped_s"));
}

// What a scenario has that is to be mended stands on the page, with blame and without.
TEST_F(ReportData, LateRanksAndRepairsAreThoseOfWeftExplain) {
  write("summary.json",
        R"({"scenario": "t", "jobs": [], "simulated_seconds": 1, "network": {"error_drops": 3}})");
  write("resolved.yaml",
        "name: t\nracks: {count: 2, servers: 2, server: host-400g}\nfabric: {topology: leaf-spine, "
        "spines: 1}\nlinks: {uplink: {frame_loss_rate: 1e-6}}\njobs:\n  - {name: ring, type: "
        "all-reduce, size: 1MiB, stragglers: [{ranks: 3, late: 1ms}]}\n");
  const auto run = run_json(folder(), {});
  ASSERT_TRUE(run.ok()) << run.errors()[0].to_string();
  EXPECT_EQ(run.value()["late_ranks"][0]["job"], "ring");
  EXPECT_EQ(run.value()["late_ranks"][0]["text"], "rank 3 (late by 1 ms)");
  const Json& repairs = run.value()["repairs"];
  ASSERT_EQ(repairs.size(), 2U);
  EXPECT_EQ(repairs[0]["without"], "bit-errors");
  EXPECT_EQ(repairs[0]["because"], "3 packets were lost there");
  EXPECT_EQ(repairs[1]["because"], "in the zero-load time of ring");
}

// Results of before: their numbers say what they are of.
TEST_F(ReportData, PercentilesOfRunsThatWereCutOffSayOfWhatTheyAre) {
  write("summary.json",
        R"({"scenario": "t", "outcome": "horizon", "simulated_seconds": 1, "jobs": [)"
        R"({"name": "a.b", "messages": 32, "completed_messages": 7, "fct_seconds": {"p50": 1}},)"
        R"({"name": "done", "messages": 2, "completed_messages": 2, "jct_seconds": 1,)"
        R"( "fct_seconds": {"p50": 1}}],)"
        R"("messages": {"count": 34, "completed": 9, "slowdown": {"p50": 1}},)"
        R"("packet_latency_seconds": {"p50": 1}})");
  write("messages.csv",
        std::string(kMessages) + "a.b,0,1,0,1,1,0,1,1,1,1,5\na.b,2,3,2,3,1,0,,,,1,\n");
  const auto run = run_json(folder(), {});
  ASSERT_TRUE(run.ok()) << run.errors()[0].to_string();
  const Json& summary = run.value()["summary"];
  EXPECT_EQ(summary["jobs"][0]["fct_seconds"]["cut_off"], "of 7 of 32 messages");
  EXPECT_FALSE(summary["jobs"][1]["fct_seconds"].contains("cut_off"));
  EXPECT_EQ(summary["messages"]["slowdown"]["cut_off"], "of 9 of 34 messages");
  EXPECT_EQ(summary["packet_latency_seconds"]["cut_off"], "of 9 of 34 messages");
  EXPECT_EQ(run.value()["distributions"][0]["cut_off"], "of 1 of 2 messages");
}

TEST_F(ReportData, TailHasTheMostSlowedDownMessagesFirst) {
  write("messages.csv", std::string(kMessages) +
                            "a,0,1,0,1,1,0,1,1,1,1,5\n"
                            "b,1,2,1,2,99999999,0,1,1,1,1,50\n"
                            "a,2,3,2,3,1,0,,,,1,\n"
                            "a,3,4,3,4,1,0,1,1,1,1,7\n");
  const auto data = read_messages(folder(), 2);
  ASSERT_TRUE(data.ok());
  std::vector<double> slowdowns;
  for (const TailMessage& message : data.value().tail) slowdowns.push_back(message.slowdown);
  EXPECT_THAT(slowdowns, ElementsAre(50.0, 7.0));
  EXPECT_EQ(data.value().distributions[0]["unfinished"], 1);  // of all jobs together
  EXPECT_EQ(data.value().distributions[0]["count"], 3);
}

TEST_F(ReportData, BrokenRowsNameFileAndLine) {
  write("messages.csv", std::string(kMessages) + "a,0,1\n");
  const auto data = read_messages(folder(), 2);
  ASSERT_FALSE(data.ok());
  EXPECT_THAT(data.errors()[0].to_string(), HasSubstr("messages.csv:2"));
}

TEST_F(ReportData, OfManyPortsThoseWithTheLongestQueuesStay) {
  write("ports.csv", "port,bytes,peak_queue_bytes\na->b,9,1\nb->a,8,0\nc->d,1,7\nd->c,2,3\n");
  const auto ports = read_ports(folder(), 2);
  ASSERT_TRUE(ports.ok());
  EXPECT_THAT(ports.value().names, ElementsAre("c->d", "d->c"));
  EXPECT_EQ(ports.value().left_out, 2U);
}

TEST_F(ReportData, BlameOfAJobAddsUpToItsTime) {
  std::vector<scenarios::BlameEntry> blame;
  for (std::uint32_t i = 0; i < 500; ++i) {
    blame.push_back({"j", i, i % 2 == 0 ? "pause" : "queueing", "port", "p" + std::to_string(i),
                     "p" + std::to_string(i), Picoseconds(1000 + i)});
  }
  const Json job = blame_json(blame)[0];
  double rows = 0;
  for (const Json& row : job["rows"]) rows += row[4].get<double>();
  EXPECT_NEAR(rows, job["seconds"].get<double>(), 1e-15);
  EXPECT_LE(job["rows"].size(), 202U);
  EXPECT_LE(job["bars"]["seconds"].size(), 60U);
}

// A job's own packets are apart from those of others, as in the sentences of `weft explain`.
TEST_F(ReportData, BlameTellsOwnPacketsFromThoseOfOthers) {
  const std::vector<scenarios::BlameEntry> blame{
      {"j", 0, "queueing", "job", "j", "a->b", Picoseconds(3000)},
      {"j", 0, "queueing", "job", "k", "a->b", Picoseconds(1000)}};
  const Json job = blame_json(blame)[0];
  EXPECT_EQ(job["causes"], Json({"own packets", "queueing"}));
  EXPECT_EQ(job["rows"], Json({{"own packets", "job", "j", "a->b", 3e-9},
                               {"queueing", "job", "k", "a->b", 1e-9}}));
  EXPECT_EQ(job["bars"]["seconds"][0], Json({3e-9, 1e-9}));
}

// One list of advice: its order and its words are those of the sentences.
TEST_F(ReportData, BlameHasTheAdviceOfItsSentencesAndTheTimeAtSlowLinks) {
  const std::vector<scenarios::BlameEntry> blame{
      {"j", 0, "queueing", "job", "k", "a->b", Picoseconds(3000)},
      {"j", 0, "schedule", "job", "j", "", Picoseconds(1000)}};
  const scenarios::SlowLink link{.port = "a->b",
                                 .node = "a",
                                 .peer = "b",
                                 .rate = BitsPerSecond(1),
                                 .usual_rate = BitsPerSecond(4),
                                 .added = {}};
  const scenarios::RunFacts facts{.slow_links = {link}};
  const Json job = blame_json(blame, facts)[0];
  EXPECT_EQ(job["advice"], scenarios::explanation_json(blame, facts)["jobs"][0]["advice"]);
  ASSERT_EQ(job["advice"].size(), 2U) << "against a slow link and a schedule";
  const std::string advice = job["advice"][0]["advice"];
  EXPECT_THAT(job["sentences"].get<std::string>(), HasSubstr("Try first: " + advice));
  ASSERT_EQ(job["slow_links"].size(), 1U);
  EXPECT_EQ(job["slow_links"][0]["port"], "a->b");
  EXPECT_EQ(std::stod(job["slow_links"][0]["seconds"].get<std::string>()), 3e-9);
}

// A queue holds what it has until it changes: 0, then 5 from the middle on.
TEST_F(ReportData, QueuesHoldUntilTheyChange) {
  write("queues.csv", "time_s,port,class,bytes\n0.0,a->b,data,0\n0.5,a->b,data,5\n");
  const auto series = series_json(folder(), 1.0);
  ASSERT_TRUE(series.ok());
  const Json& values = series.value()["queues"]["series"][0]["values"];
  ASSERT_EQ(values.size(), 800U);
  EXPECT_EQ(values[399], 0);
  EXPECT_EQ(values[400], 5);
  EXPECT_EQ(values[799], 5);
}

// 8 packets in [0, 0.1 s) are 80 a second, and 1 in the 1.25 ms of a step is 800 in that step.
TEST_F(ReportData, MarksLieEvenlyInTheirPeriods) {
  write("marks.csv",
        "port,class,start_s,end_s,packets\na->b,data,0.0,0.1,8\na->b,data,0.5,0.50125,1\n");
  const auto series = series_json(folder(), 1.0);
  ASSERT_TRUE(series.ok());
  const Json& marks = series.value()["marks"];
  EXPECT_EQ(marks["unit"], "marks/s");
  const Json& values = marks["series"][0]["values"];
  ASSERT_EQ(values.size(), 800U);
  for (const std::size_t step : {0U, 79U}) EXPECT_NEAR(values[step].get<double>(), 80, 1e-6);
  EXPECT_NEAR(values[80].get<double>(), 0, 1e-6);
  EXPECT_NEAR(values[400].get<double>(), 800, 1e-6);
  EXPECT_EQ(marks["moments"]["ports"], Json({"a->b"}));
}

// Two classes of a port are one on the fabric: 3 and 5 together are the most that there is, 250 of
// 250 shades, and 5 alone five eighths of it.
TEST_F(ReportData, MomentsOfTheFabricAddClasses) {
  write("queues.csv",
        "time_s,port,class,bytes\n0.0,a->b,x,3\n0.0,a->b,y,5\n0.5,a->b,x,0\n0.0,c->d,x,0\n");
  const auto series = series_json(folder(), 1.0);
  ASSERT_TRUE(series.ok());
  const Json& moments = series.value()["queues"]["moments"];
  EXPECT_EQ(moments["ports"], Json({"a->b", "c->d"}));
  EXPECT_EQ(moments["most"], 8);
  EXPECT_EQ(moments["values"][0], Json({250, 51, 157, 49}));
  EXPECT_EQ(moments["values"][1], Json({0, 100}));
}

// 20,000 slices of 1 us, each 1 us after the one before, on a track of which 1,000 may stay.
TEST_F(ReportData, TimelinesOfAnyLengthKeepTheirBounds) {
  std::string text =
      "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
      R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"j rank 0"}},)"
      "\n"
      R"({"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"steps"}})";
  for (int i = 0; i < 20'000; ++i) {
    text += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":{},\"dur\":1.0,\"name\":\"receive\"}}",
        2 * i);
  }
  write("timeline.json", text + "\n]}\n");
  const Json timeline = timeline_json(folder(), 1'000);
  ASSERT_EQ(timeline["tracks"].size(), 1U);
  const Json& slices = timeline["tracks"][0]["slices"];
  EXPECT_LE(slices.size(), 4'000U);
  std::int64_t count = 0;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < slices.size(); i += 4) {
    begin += slices[i].get<std::int64_t>();
    count += slices[i + 3].get<std::int64_t>();
  }
  EXPECT_EQ(count, 20'000);
  EXPECT_LE(begin + slices[slices.size() - 3].get<std::int64_t>(), 39'999'000);
}

// A critical path of 12,000 slices without gaps: 20 ns of queueing, 10 ns of serialisation, 5 ns of
// propagation, and 2 us of computing in the middle; 250 of the 1,000 may stay for critical paths.
TEST_F(ReportData, JoinedSlicesKeepTheTimeOfEachName) {
  std::string text = R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"job j"}},)"
                     "\n"
                     R"({"ph":"M","pid":1,"tid":2,"name":"thread_name",)"
                     R"("args":{"name":"critical path"}},)"
                     "\n";
  const std::vector<std::pair<std::string, int>> cycle{
      {"queueing", 20}, {"serialisation", 10}, {"propagation", 5}};
  int at = 0;
  const auto add = [&](const std::string& name, int nanoseconds) {
    text += fmt::format(
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":{:.3f},\"dur\":{:.3f},\"name\":\"{}\"}},\n",
        at * 1e-3, nanoseconds * 1e-3, name);
    at += nanoseconds;
  };
  for (int i = 0; i < 12'000; ++i) {
    if (i == 6'000) add("compute", 2'000);
    add(cycle[i % 3].first, cycle[i % 3].second);
  }
  write("timeline.json", text);
  const Json timeline = timeline_json(folder(), 1'000);
  const Json& slices = timeline["tracks"][0]["slices"];
  EXPECT_LE(slices.size(), 4 * 250U);
  EXPECT_GE(slices.size(), 4 * 60U) << "no coarser than it must be";
  std::map<std::string, std::int64_t> times;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < slices.size(); i += 4) {
    begin += slices[i].get<std::int64_t>();
    EXPECT_GE(begin, end);
    end = begin + slices[i + 1].get<std::int64_t>();
    const std::string name = timeline["names"][slices[i + 2].get<std::size_t>()];
    times[name.substr(0, name.find('\t'))] += end - begin;
  }
  EXPECT_EQ(times["compute"], 2'000);
  const auto share = static_cast<double>(slices.size()) / 4;  // each is rounded to a nanosecond
  EXPECT_NEAR(static_cast<double>(times["queueing"]), 80'000, share);
  EXPECT_NEAR(static_cast<double>(times["serialisation"]), 40'000, share);
  EXPECT_NEAR(static_cast<double>(times["propagation"]), 20'000, share);
  EXPECT_GT(timeline["critical_joined_below"].get<double>(), 0);
  EXPECT_EQ(timeline["joined_below"], 0);
}

/// Two ranks: one computes and sends a message that comes to the other 5 us later; with a piece of
/// the critical path.
std::string small_trace(scenarios::TraceFormat& format) {
  using scenarios::TraceTrack;
  const TraceTrack rank{.id = 1, .process = 1, .thread = 1};
  const TraceTrack other{.id = 2, .process = 2, .thread = 2};
  const TraceTrack messages{.id = 3, .parent = 1, .process = 1, .thread = 3};
  const TraceTrack arrivals{.id = 4, .parent = 2, .process = 2, .thread = 4};
  const TraceTrack critical{.id = 5, .parent = 2, .process = 2, .thread = 5};
  std::string out;
  format.open(out);
  format.add_process(out, rank, "j rank 0 (h0)");
  format.add_process(out, other, "j rank 1 (h1)");
  format.add_thread(out, messages, "messages");
  format.add_thread(out, arrivals, "arrivals");
  format.add_thread(out, critical, "critical path");
  const auto us = [](std::int64_t n) { return Picoseconds(n * 1'000'000); };
  format.arrival(out, arrivals, {us(7), "64KiB from 0", "message", 1, 1});
  format.slice(out, messages,
               {.begin = us(2), .end = us(9), .name = "64KiB to 1", .first_arrow = 1, .arrows = 1});
  format.slice(out, critical,
               {.begin = us(2),
                .end = us(7),
                .name = "queueing",
                .first = {.name = "culprit", .text = "other"},
                .second = {.name = "port", .text = "a->b"}});
  format.close(out);
  return out;
}

// The file that `--timeline` writes and Chrome's have the same timeline in them.
TEST_F(ReportData, TimelinesOfBothFormatsAreTheSame) {
  scenarios::JsonFormat json(true);
  write("timeline.json", small_trace(json));
  const Json of_json = timeline_json(folder(), 1'000);
  scenarios::PerfettoFormat perfetto(1);
  write("timeline.perfetto-trace", small_trace(perfetto));
  EXPECT_EQ(timeline_json(folder(), 1'000), of_json);
  EXPECT_EQ(of_json["names"], Json({"64KiB to 1", "queueing\tother\ta->b"}));
  EXPECT_EQ(of_json["tracks"][0]["slices"], Json({2'000, 7'000, 0, 1}));
  EXPECT_EQ(of_json["arrows"]["to"], Json({"j rank 1 (h1)"}));
  EXPECT_EQ(of_json["arrows"]["flat"], Json({0, 2'000, 0, 5'000}));
}

/// A line of a trace of ranks 0, 1 and 2 on h0, h1 and h2, and of the critical path of their job.
std::string path_trace(const std::vector<std::pair<std::string, std::string>>& pieces) {
  std::string text;
  const auto add = [&text](const std::string& event) { text += event + ",\n"; };
  for (int i = 0; i < 3; ++i) {
    add(fmt::format(
        R"x({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":"j rank {0} (h{0})"}}}})x",
        i));
  }
  add(R"x({"ph":"M","pid":9,"name":"process_name","args":{"name":"job j"}})x");
  add(R"x({"ph":"M","pid":9,"tid":1,"name":"thread_name","args":{"name":"critical path"}})x");
  int at = 0;
  for (const auto& [cause, port] : pieces) {
    add(fmt::format(
        R"x({{"ph":"X","pid":9,"tid":1,"ts":{},"dur":10,"name":"{}","args":{{"port":"{}"}}}})x", at,
        cause, port));
    at += 10;
  }
  return text;
}

// Bars of blame tell packets of the job itself from those of others; so does its critical path.
TEST_F(ReportData, CriticalPathsTellOwnPacketsFromThoseOfOthers) {
  std::string text;
  for (const int job : {1, 2}) {
    text += fmt::format(
        R"x({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":"job j{0}"}}}},)x"
        "\n"
        R"x({{"ph":"M","pid":{0},"tid":1,"name":"thread_name","args":{{"name":"critical path"}}}},)x"
        "\n",
        job);
    int at = 0;
    for (const char* piece : {R"("queueing","args":{"culprit":"j1","port":"a->b"})",
                              R"("queueing","args":{"culprit":"j2","port":"a->b"})",
                              R"("pause","args":{"culprit":"j1","port":"a->b"})"}) {
      text += fmt::format(R"x({{"ph":"X","pid":{},"tid":1,"ts":{},"dur":10,"name":{}}},)x", job, at,
                          piece) +
              "\n";
      at += 10;
    }
  }
  write("timeline.json", text);
  const Json timeline = timeline_json(folder(), 1'000);
  const auto names_of = [&](std::size_t track) {
    std::vector<std::string> names;
    const Json& slices = timeline["tracks"][track]["slices"];
    for (std::size_t i = 2; i < slices.size(); i += 4) {
      names.push_back(timeline["names"][slices[i].get<std::size_t>()]);
    }
    return names;
  };
  EXPECT_THAT(names_of(0),
              ElementsAre("own packets\tj1\ta->b", "queueing\tj2\ta->b", "pause\tj1\ta->b"));
  EXPECT_THAT(names_of(1),
              ElementsAre("queueing\tj1\ta->b", "own packets\tj2\ta->b", "pause\tj1\ta->b"));
}

// From the first piece at a port of the sender to the last one on the link to the receiver: what
// is waited for on the way is part of it, computing before and after is not.
TEST_F(ReportData, CriticalPathsHaveTheirMessages) {
  write("timeline.json", path_trace({{"compute", ""},
                                     {"window", "h0->leaf0[0]"},
                                     {"serialisation", "h0->leaf0[0]"},
                                     {"queueing", "leaf0[4]->spine0[0]"},
                                     {"time-out", ""},
                                     {"serialisation", "leaf1[0]->h1"},
                                     {"propagation", "leaf1[0]->h1"},
                                     {"serialisation", "h1->leaf1[0]"},
                                     {"serialisation", "leaf1[1]->h2"},
                                     {"compute", ""},
                                     {"serialisation", "h2->leaf1[1]"}}));
  const Json hops = timeline_json(folder(), 1'000)["hops"];
  EXPECT_EQ(hops["seen"], 2);
  EXPECT_EQ(hops["ranks"], Json({"j rank 0 (h0)", "j rank 1 (h1)", "j rank 2 (h2)"}));
  EXPECT_EQ(hops["flat"], Json({0, 0, 1, 10'000, 60'000, 0, 1, 2, 60'000, 20'000}));
}

// 1,000 slices have room for 25 messages of a path.
TEST_F(ReportData, OfMessagesOfAPathTheLongestStay) {
  std::vector<std::pair<std::string, std::string>> pieces;
  for (int i = 0; i < 40; ++i) {
    pieces.emplace_back("serialisation", fmt::format("h{}->leaf0[0]", i % 2));
    if (i >= 15) pieces.emplace_back("queueing", "leaf0[4]->spine0[0]");
    pieces.emplace_back("serialisation", fmt::format("leaf0[1]->h{}", 1 - i % 2));
  }
  write("timeline.json", path_trace(pieces));
  const Json hops = timeline_json(folder(), 1'000)["hops"];
  EXPECT_EQ(hops["seen"], 40);
  ASSERT_EQ(hops["flat"].size(), 5 * 25U);
  for (std::size_t i = 4; i < hops["flat"].size(); i += 5) EXPECT_EQ(hops["flat"][i], 30'000);
}

TEST_F(ReportData, TraceThatEndsWithinAPacketIsReadUpToThere) {
  scenarios::PerfettoFormat format(1);
  const std::string whole = small_trace(format);
  write("timeline.perfetto-trace", whole.substr(0, whole.size() - 20));
  const Json timeline = timeline_json(folder(), 1'000);
  ASSERT_EQ(timeline["tracks"].size(), 1U);
  EXPECT_EQ(timeline["tracks"][0]["name"], "messages");
  write("timeline.perfetto-trace", "no trace at all");
  EXPECT_TRUE(timeline_json(folder(), 1'000)["tracks"].empty());
}

// 3,000 messages, each a little longer than the one before: 50 of them have arrows.
TEST_F(ReportData, OfArrowsTheLongestStay) {
  std::string text = R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"j rank 0"}},)"
                     "\n";
  for (int i = 1; i <= 3'000; ++i) {
    text += fmt::format(
        "{{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":{0},\"dur\":0.5,\"name\":\"send\","
        "\"bind_id\":\"{0}\",\"flow_out\":true}},\n"
        "{{\"ph\":\"i\",\"pid\":1,\"tid\":3,\"ts\":{1},\"name\":\"send\","
        "\"bind_id\":\"{0}\",\"flow_in\":true}},\n",
        i, i + i * 0.001);
  }
  write("timeline.json", text);
  const Json arrows = timeline_json(folder(), 1'000)["arrows"];
  EXPECT_EQ(arrows["seen"], 3'000);
  ASSERT_EQ(arrows["flat"].size(), 4 * 50U);
  EXPECT_EQ(arrows["flat"][1], 2'951'000);
}

TEST_F(ReportData, NothingInTheDataEndsItsScript) {
  write("summary.json",
        R"({"scenario":"</script><b>","jobs":[],"simulated_seconds":1.0,"outcome":"finished"})");
  write("ports.csv", "port,bytes\n</script>,1\n");
  const auto data = page_data({folder()}, Json::array());
  ASSERT_TRUE(data.ok()) << data.errors()[0].to_string();
  EXPECT_THAT(data.value(), Not(HasSubstr("<")));
}

TEST_F(ReportData, FoldersWithoutResultsAreNamed) {
  const auto data = page_data({folder()}, Json::array());
  ASSERT_FALSE(data.ok());
  EXPECT_THAT(data.errors()[0].to_string(), HasSubstr("summary.json"));
}

}  // namespace
}  // namespace weft::report
