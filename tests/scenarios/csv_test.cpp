#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "collectives/jobs/messages/messages_csv.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/text/csv.hpp"
#include "simcore/text/csv_row.hpp"
#include "tests/support/temporary_folder.hpp"

namespace weft::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> cells(const std::string& line) {
  CsvRow row;
  if (!row.read(line)) return {std::to_string(row.problem_column()) + ": " + row.problem()};
  std::vector<std::string> texts;
  for (const CsvRow::Cell& cell : row.cells()) texts.emplace_back(cell.text);
  return texts;
}

TEST(CsvRow, CellsAreThoseOfRfc4180) {
  EXPECT_THAT(cells("a,b,c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cells("a, b ,\tc\r"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cells(",,"), ElementsAre("", "", ""));
  EXPECT_THAT(cells(R"("a","b, c","say ""hi""")"), ElementsAre("a", "b, c", "say \"hi\""));
  EXPECT_THAT(cells(R"( "a" ,"",x)"), ElementsAre("a", "", "x"));
  EXPECT_THAT(cells(R"("a",)"), ElementsAre("a", ""));
  EXPECT_THAT(cells(R"("""")"), ElementsAre("\""));
}

TEST(CsvRow, WhatIsNoRowIsSaidWithItsPlace) {
  EXPECT_THAT(cells(R"(a,"b)"), ElementsAre("3: a quoted cell has no end on its line"));
  EXPECT_THAT(cells(R"("a"b,c)").front(), HasSubstr("4: something stands between"));
  EXPECT_THAT(cells(R"(a,b"c")").front(), HasSubstr("4: a quote stands within a cell"));
}

TEST(CsvRow, AFieldIsReadAsItWasWritten) {
  for (const char* text : {"a", "a,b", "say \"hi\"", "", "#1"}) {
    EXPECT_THAT(cells(scenarios::csv::field(text) + ",x"), ElementsAre(text, "x"));
  }
  // A record is a line, and a cell is no command for a terminal.
  EXPECT_EQ(scenarios::csv::field("a\nb\x1b"), "a\\x0ab\\x1b");
}

// https://owasp.org/www-community/attacks/CSV_Injection
TEST(CsvRow, ANameIsNoFormulaAndANumberStaysOne) {
  using scenarios::csv::field;
  for (const char* name : {"=1+1", "+cmd", "-a", "@SUM(A1)", "=", "-", "-1e", "+"}) {
    EXPECT_EQ(field(name), std::string("'") + name);
  }
  for (const char* plain : {"-1", "+2.5", "-3e-7", "a=b", "h0", ""}) EXPECT_EQ(field(plain), plain);
}

Result<std::vector<collectives::MessagesSpec::Message>> messages(const std::string& text) {
  return collectives::parse_messages_csv(
      text, "m.csv", "data", [](const std::string&) { return std::string("names no host"); });
}

TEST(MessagesCsv, FilesAsSpreadsheetsWriteThemAreTheSame) {
  const auto plain = messages("start_us,source,destination,bytes\n1.5,0,1,2000\n");
  ASSERT_TRUE(plain.ok()) << plain.errors().front().to_string();
  ASSERT_EQ(plain.value().size(), 1U);
  for (const char* text :
       {"\xEF\xBB\xBFstart_us,source,destination,bytes\n1.5,0,1,2000\n",
        "start_us,source,destination,bytes\r\n1.5,0,1,2000\r\n",
        "\"start_us\",\"source\",\"destination\",\"bytes\"\n\"1.5\",\"0\",\"1\",\"2000\"\n",
        "\xEF\xBB\xBF\"start_us\", \"source\",destination,bytes\r\n\r\n\"1.5\",0,\"1\" ,2000"}) {
    const auto read = messages(text);
    ASSERT_TRUE(read.ok()) << read.errors().front().to_string();
    ASSERT_EQ(read.value().size(), 1U);
    EXPECT_EQ(read.value()[0].start, plain.value()[0].start);
    EXPECT_EQ(read.value()[0].to, 1U);
    EXPECT_EQ(read.value()[0].size, 2'000_B);
  }
}

TEST(MessagesCsv, AnOpenQuoteIsSaidWithItsPlace) {
  const auto read = messages("start_us,source,destination,bytes\n1,0,\"1,2000\n");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.errors().front().to_string(), HasSubstr("m.csv:2:5: a quoted cell has no end"));
}

/// Two servers of two NICs each, without GPUs: hosts h0 to h3, of which h3, h1 and h0 have the
/// ranks 0, 1 and 2.
Result<scenarios::LoadedScenario> load_with_messages(const std::string& rows,
                                                     const std::string& ranks = "[h3, h1, h0]") {
  const TemporaryFolder folder("csv names");
  folder.write("m.csv", "start_us,source,destination,bytes\n" + rows);
  folder.write("s.yaml",
               "name: s\nracks: {count: 1, servers: 2, server: {part: host-400g, nics: 2}}\n"
               "fabric: {topology: leaf-spine, spines: 1}\n"
               "jobs: [{name: j, type: messages, csv: m.csv, ranks: " +
                   ranks + "}]\n");
  return scenarios::load_scenario(folder.path() / "s.yaml", {});
}

std::string csv_error(const std::string& rows, const std::string& ranks = "[h3, h1, h0]") {
  const auto loaded = load_with_messages(rows, ranks);
  return loaded.ok() ? "no error" : loaded.errors().front().to_string();
}

TEST(MessagesCsv, HostsMayBeNamedInPlaceOfRanks) {
  const auto loaded = load_with_messages("0,h0,h3,100\n1,1,h0,200\n2,h3,1,300\n");
  ASSERT_TRUE(loaded.ok()) << loaded.errors().front().to_string();
  const auto& list =
      std::get<collectives::MessagesSpec>(loaded.value().scenario.jobs.front().kind).list;
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].from, 2U) << "h0 has rank 2";
  EXPECT_EQ(list[0].to, 0U);
  EXPECT_EQ(list[1].from, 1U) << "a number is a rank, not a host";
  EXPECT_EQ(list[1].to, 2U);
  EXPECT_EQ(list[2].from, 0U);
  EXPECT_EQ(list[2].to, 1U);
}

TEST(MessagesCsv, UnknownHostsAreSaidWithTheirPlaceAndTheNearest) {
  EXPECT_THAT(csv_error("0,h0,h3,100\n1,h1,host3,200\n"),
              HasSubstr("m.csv:3:6: `host3` is no rank and names no host; there are the hosts 0 to "
                        "3 (h0 to h3); did you mean `h3`?"));
  EXPECT_THAT(csv_error("0,h0,h2,100\n"),
              HasSubstr("m.csv:2:6: `h2` is no host of the job, whose `ranks` are 3 hosts of 4"));
  EXPECT_THAT(csv_error("0,h0,0x1,100\n"), HasSubstr("m.csv:2:6: `0x1` is no rank"));
  EXPECT_THAT(csv_error("0,h0,-1,100\n"), HasSubstr("m.csv:2:6: `-1` is not a whole number"));
  EXPECT_THAT(csv_error("0,h0,h0,100\n"), HasSubstr("m.csv:2:6: the destination is the source"));
  EXPECT_THAT(csv_error("0,h0,h1,100\n", "[h0, h9]"), HasSubstr("`ranks` are wrong: `h9`"));
}

}  // namespace
}  // namespace weft::testing
