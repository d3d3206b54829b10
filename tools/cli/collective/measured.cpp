#include "tools/cli/collective/measured.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <sstream>
#include <utility>

namespace weft::cli {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 9> kPrograms{
    {{"all_reduce_perf", "all-reduce"},
     {"all_gather_perf", "all-gather"},
     {"reduce_scatter_perf", "reduce-scatter"},
     {"alltoall_perf", "all-to-all"},
     {"broadcast_perf", "broadcast"},
     {"sendrecv_perf", "send-recv"},
     {"gather_perf", "gather"},
     {"scatter_perf", "scatter"},
     {"reduce_perf", "reduce"}}};

/// Where columns stand: as versions since 2.12 print them, until a header says otherwise.
struct Columns {
  std::size_t time = 5;
  std::size_t bus_bandwidth = 7;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(std::move(word));
  return words;
}

template <class Number>
bool read(const std::string& word, Number& number) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end;
}

/// `#  size  count  type  redop  root  time  algbw  busbw  #wrong ...`
void read_header(std::vector<std::string> words, Columns& columns) {
  if (!words.empty() && words.front() == "#") words.erase(words.begin());
  if (words.empty() || words.front() != "size") return;
  const auto at = [&words](const char* name, std::size_t& place) {
    const auto found = std::ranges::find(words, name);
    if (found != words.end()) place = static_cast<std::size_t>(found - words.begin());
  };
  at("time", columns.time);
  at("busbw", columns.bus_bandwidth);
}

bool read_row(const std::vector<std::string>& words, const Columns& columns, MeasuredRow& row) {
  return words.size() > std::max(columns.time, columns.bus_bandwidth) && read(words[0], row.size) &&
         read(words[columns.time], row.time_us) &&
         read(words[columns.bus_bandwidth], row.bus_bandwidth);
}

std::string operation_in(std::string_view text) {
  for (const auto& [program, operation] : kPrograms) {
    if (text.find(program) != std::string_view::npos) return operation;
  }
  return {};
}

}  // namespace

Result<Measured> parse_nccl_tests(std::string_view text, const std::string& file) {
  Measured measured;
  measured.operation = operation_in(text);
  Columns columns;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.front().starts_with('#')) {
      read_header(words, columns);
      continue;
    }
    MeasuredRow row;
    if (!read_row(words, columns, row) || row.size <= 0 || row.time_us <= 0) continue;
    const auto same = std::ranges::find(measured.rows, row.size, &MeasuredRow::size);
    if (same == measured.rows.end()) {
      measured.rows.push_back(row);
    } else {
      *same = row;
    }
  }
  if (!measured.rows.empty()) return measured;
  return Error{"has no row of nccl-tests, such as `1048576 262144 float sum -1 35.2 29.8 52.1 0`",
               {file, 0, 0, {}}};
}

}  // namespace weft::cli
