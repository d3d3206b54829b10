// What stands in quantities.txt is what the terminal prints; the page's own tests read it, too.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

std::string printed(const std::string& kind, double value) {
  if (kind == "time") return format_time(value);
  if (kind == "bytes") return format_bytes(value);
  if (kind == "rate") return format_rate(value);
  if (kind == "percent") return format_share(value);
  if (kind == "tokens") return format_tokens(value);
  if (kind == "dollars") return format_dollars(value);
  return format_count(std::llround(value));
}

TEST(Quantities, ThoseOfThePageAreThoseOfTheTerminal) {
  std::ifstream file(std::string(WEFT_SOURCE_DIR) + "/tests/report/quantities.txt");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string kind;
    std::string value;
    std::string text;
    std::getline(words, kind, '\t');
    std::getline(words, value, '\t');
    std::getline(words, text);
    EXPECT_EQ(printed(kind, std::stod(value)), text) << line;
    ++count;
  }
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace weft::scenarios
