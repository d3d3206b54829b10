#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/jobs/messages/messages_csv.hpp"
#include "scenarios/text/csv.hpp"
#include "simcore/text/csv_row.hpp"

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
  return collectives::parse_messages_csv(text, "m.csv", "data");
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

}  // namespace
}  // namespace weft::testing
