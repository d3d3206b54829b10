#include "tools/cli/collective/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <utility>

#include "tools/cli/collective/nccl_tests_json.hpp"

namespace weft::cli {
namespace {

using Words = std::vector<std::string>;

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

}  // namespace

std::string operation_in(std::string_view line) {
  std::string found;
  for (const auto& [program, operation] : kPrograms) {
    for (std::size_t at = line.find(program); at != line.npos; at = line.find(program, at + 1)) {
      // `reduce_perf` is in `all_reduce_perf`.
      const char before = at == 0 ? ' ' : line[at - 1];
      if (std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_') continue;
      if (!found.empty() && found != operation) return {};
      found = operation;
    }
  }
  return found;
}

namespace {

std::optional<std::uint32_t> number_after(const Words& words, std::string_view name) {
  const auto at = std::ranges::find(words, name);
  if (at == words.end() || at + 1 == words.end()) return {};
  const std::string& word = at[1];
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || stop != word.data() + word.size()) return {};
  return number;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  void read(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      read_line(line);
    }
  }

  Result<std::vector<MeasuredTable>> take() {
    begin_table();
    if (!errors_.empty()) return std::move(errors_);
    if (!tables_.empty()) return std::move(tables_);
    return Error{"has no row of nccl-tests, such as `1048576 262144 float sum -1 35.2 29.8 52.1 0`",
                 {file_, 0, 0, {}}};
  }

 private:
  void read_line(const std::string& line) {
    const Words words = words_of(line);
    if (words.empty()) return;
    if (looks_like_row(words)) return add_row(words);
    if (auto operation = operation_in(line); !operation.empty()) {
      // Newer versions say at the end, too, which program it was.
      if (std::ranges::find(words, "concluded:") == words.end()) begin_table();
      if (table_.rows.empty()) table_.operation = std::move(operation);
    }
    if (std::ranges::find(words, "nThread") != words.end()) begin_table();
    if (std::ranges::find(words, "FAILED") != words.end()) table_.has_failed = true;
    read_header(words);
    read_ranks(words);
  }

  /// `#  size  count  type  redop  root  time  algbw  busbw  #wrong ...`, in 2017 `bytes N type`
  /// with times in ms.
  void read_header(const Words& words) {
    for (const auto& [size, count, us] :
         {std::tuple{"size", "count", 1.0}, std::tuple{"bytes", "N", 1000.0}}) {
      const std::array<std::string_view, 3> header{size, count, "type"};
      if (std::ranges::search(words, header).empty()) continue;
      begin_table();
      us_per_time_ = us;
    }
    if (std::ranges::find(words, "cputime") != words.end()) {
      add_error(kCpuTime);
    }
  }

  /// `Rank  0 Group  0 Pid 1 on host0 device  0 [0x0f] NVIDIA H100 80GB HBM3`, `... nranks 2 ...`
  void read_ranks(const Words& words) {
    const auto rank = number_after(words, "Rank");
    const auto device = std::ranges::find(words, "device");
    if (rank && number_after(words, "device")) {
      begin_table();
      table_.devices.insert(*rank);
      const auto on = std::ranges::find(words, "on");
      if (on < device && on + 1 != device) table_.hosts.insert(on[1]);
      if (table_.gpu.empty()) {
        for (auto word = device + 2; word != words.end(); ++word) {
          table_.gpu += (table_.gpu.empty() ? "" : " ") + *word;
        }
      }
    }
    for (const char* name : {"nranks", "nRanks"}) {
      if (const auto ranks = number_after(words, name)) {
        table_.communicator = std::max(table_.communicator, *ranks);
      }
    }
  }

  void add_row(const Words& words) {
    MeasuredRow row;
    row.line = line_;
    if (const std::string problem = read_row(words, us_per_time_, row); !problem.empty()) {
      return add_error(problem);
    }
    if (row.has_wrong_data) {
      return add_error(kWrongData);
    }
    if (table_.rows.empty()) table_.line = line_;
    table_.rows.push_back(std::move(row));
  }

  /// What comes now is of another run, if there are rows of one.
  void begin_table() {
    if (table_.rows.empty()) return;
    tables_.push_back(std::exchange(table_, {}));
  }

  void add_error(std::string message) {
    errors_.push_back({std::move(message), {file_, line_, 0, {}}});
  }

  const std::string& file_;
  int line_ = 0;
  double us_per_time_ = 1;
  MeasuredTable table_;
  std::vector<MeasuredTable> tables_;
  Errors errors_;
};

std::string lines_text(const std::vector<int>& lines) {
  constexpr std::size_t kMax = 4;
  std::string text = lines.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < std::min(kMax, lines.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  }
  if (lines.size() > kMax) text += fmt::format(" and {} more", lines.size() - kMax);
  return text;
}

}  // namespace

Result<std::vector<MeasuredTable>> parse_nccl_tests(std::string_view text,
                                                    const std::string& file) {
  if (is_json(text)) return parse_nccl_tests_json(text, file);
  Reader reader(file);
  reader.read(text);
  return reader.take();
}

void keep(MeasuredTable& table, const std::function<bool(const MeasuredRow&)>& is_wanted,
          const std::string& why, std::vector<std::string>& said) {
  std::vector<int> lines;
  std::erase_if(table.rows, [&](const MeasuredRow& row) {
    if (is_wanted(row)) return false;
    lines.push_back(row.line);
    return true;
  });
  if (!lines.empty()) said.push_back(lines_text(lines) + " left out: " + why);
}

void keep_first_kind(MeasuredTable& table, std::vector<std::string>& said) {
  const std::string kind = table.rows.front().kind;
  keep(
      table, [&kind](const MeasuredRow& row) { return row.kind == kind; },
      "not of `" + kind + "`, as the first row is", said);
}

void keep_first_of_size(MeasuredTable& table, std::vector<std::string>& said) {
  keep(
      table, [](const MeasuredRow& row) { return row.size > 0; },
      "of no bytes, less than an element for each rank", said);
  std::set<std::int64_t> sizes;
  keep(
      table, [&sizes](const MeasuredRow& row) { return sizes.insert(row.size).second; },
      "of sizes that earlier lines have", said);
}

std::string operation_of_file(const std::string& file) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kNames{
      {{"allreduce", "all-reduce"},
       {"allgather", "all-gather"},
       {"reducescatter", "reduce-scatter"},
       {"alltoall", "all-to-all"},
       {"broadcast", "broadcast"},
       {"sendrecv", "send-recv"}}};
  std::string name = std::filesystem::path(file).filename().string();
  std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string found;
  for (const auto& [written, operation] : kNames) {
    if (name.find(written) == std::string::npos) continue;
    if (!found.empty()) return {};
    found = operation;
  }
  return found;
}

}  // namespace weft::cli
