#include "tools/evidence/nccl_tests/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "tools/evidence/nccl_tests/json.hpp"
#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

using Words = std::vector<std::string>;

/// What rows and lines of comments have at most; longer ones are of something else.
constexpr std::size_t kMaxLine = 4096;

}  // namespace

std::string operation_in(std::string_view line) {
  std::string found;
  for (const OperationFacts& facts : operations()) {
    for (std::size_t at = line.find(facts.program); at != line.npos;
         at = line.find(facts.program, at + 1)) {
      // `reduce_perf` is in `all_reduce_perf`.
      const char before = at == 0 ? ' ' : line[at - 1];
      if (std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_') continue;
      if (!found.empty() && found != facts.name) return {};
      found = facts.name;
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

/// The word behind `name`; empty: none.
std::string word_after(const Words& words, std::string_view name) {
  const auto at = std::ranges::find(words, name);
  return at == words.end() || at + 1 == words.end() ? std::string() : at[1];
}

class TableReader {
 public:
  explicit TableReader(const import::InputFile& file) : file_(file) {}

  std::vector<MeasuredTable> read() {
    for (const std::string_view line : file_.lines()) {
      ++line_;
      if (line.size() <= kMaxLine) read_line(line);
    }
    begin_table();
    return std::move(tables_);
  }

 private:
  void read_line(std::string_view line) {
    const Words words = words_of(line);
    if (words.empty()) return;
    if (looks_like_row(words)) return add_row(words);
    const bool is_end = std::ranges::find(words, "concluded:") != words.end();
    if (auto operation = operation_in(line); !operation.empty()) {
      // Newer versions say at the end, too, which program it was.
      if (!is_end) begin_run();
      if (is_empty()) table_.operation = std::move(operation);
    }
    if (std::ranges::find(words, "nThread") != words.end()) {
      begin_run();
      if (number_after(words, "graph:").value_or(0) > 0) table_.graph_line = line_;
    }
    if (std::ranges::find(words, "FAILED") != words.end()) table_.has_failed = true;
    if (is_end || line.find("Out of bounds values") != line.npos ||
        line.find("Avg bus bandwidth") != line.npos) {
      table_.has_end = true;
    }
    read_header_line(words);
    read_versions(words);
    read_ranks(words);
    read_trouble(line);
  }

  void read_header_line(const Words& words) {
    const auto layout = read_header(words);
    if (!layout) return;
    begin_table();
    table_.layout = *layout;
    table_.layout.line = line_;
  }

  /// `# nccl-tests version 2.17.8 nccl-headers=22705 nccl-library=22705`
  void read_versions(const Words& words) {
    constexpr std::string_view kLibrary = "nccl-library=";
    if (std::ranges::find(words, "nccl-tests") == words.end()) return;
    if (const std::string version = word_after(words, "version"); !version.empty()) {
      begin_run();
      table_.version = safe_name(version);
    }
    for (const std::string& word : words) {
      if (!word.starts_with(kLibrary)) continue;
      std::uint32_t number = 0;
      const char* end = word.data() + word.size();
      if (std::from_chars(word.data() + kLibrary.size(), end, number).ptr == end) {
        table_.nccl_version = nccl_version_text(number);
      }
    }
  }

  /// `Rank  0 Group  0 Pid 1 on host0 device  0 [0x0f] NVIDIA H100 80GB HBM3`, `... nranks 2 ...`
  void read_ranks(const Words& words) {
    const auto rank = number_after(words, "Rank");
    const auto device = std::ranges::find(words, "device");
    if (rank && number_after(words, "device")) {
      begin_table();
      if (!table_.devices.insert(*rank).second) table_.repeats_ranks = true;
      table_.rank_groups[*rank] = number_after(words, "Group").value_or(0);
      const auto on = std::ranges::find(words, "on");
      if (on < device && on + 1 != device) {
        table_.hosts.insert(safe_name(on[1]));
        table_.rank_hosts[*rank] = safe_name(on[1]);
      }
      if (table_.gpu.empty()) {
        for (auto word = device + 2; word != words.end(); ++word) {
          table_.gpu += (table_.gpu.empty() ? "" : " ") + *word;
        }
        table_.gpu = safe_name(table_.gpu);
      }
    }
    for (const char* name : {"nranks", "nRanks"}) {
      if (const auto ranks = number_after(words, name)) {
        table_.communicator = std::max(table_.communicator, *ranks);
      }
    }
  }

  void read_trouble(std::string_view line) {
    const std::size_t failure = line.find(" failure ");
    const bool is_of_test = line.find("Test ") < failure;
    if (is_of_test && failure != line.npos && table_.failure.message.empty()) {
      table_.failure = {std::string(line), file_.line(line_)};
    }
    if (line.find("Reducing maxBytes") != line.npos) table_.reduced_line = line_;
  }

  void add_row(const Words& words) {
    MeasuredRow row;
    row.line = line_;
    const std::string problem = read_row(words, table_.layout, row);
    if (table_.line == 0) table_.line = line_;
    if (row.is_incomplete) {
      table_.narrow.push_back(std::move(row));
    } else if (!problem.empty()) {
      table_.problems.push_back({problem, file_.line(line_)});
    } else {
      table_.rows.push_back(std::move(row));
    }
  }

  [[nodiscard]] bool is_empty() const { return table_.line == 0 && table_.failure.message.empty(); }

  /// A list of devices that no row followed is of a run that was given up.
  void begin_run() {
    if (is_empty() && !table_.devices.empty()) table_ = {};
    begin_table();
  }

  /// What comes now is of another run, if there are rows of one.
  void begin_table() {
    if (!is_empty()) tables_.push_back(std::exchange(table_, {}));
  }

  const import::InputFile& file_;
  int line_ = 0;
  MeasuredTable table_;
  std::vector<MeasuredTable> tables_;
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

Result<std::vector<MeasuredTable>> read_nccl_tests(const import::InputFile& file) {
  if (is_json(file.text())) return read_nccl_tests_json(file);
  return TableReader(file).read();
}

Result<std::vector<MeasuredTable>> parse_nccl_tests(const import::InputFile& file) {
  auto read = read_nccl_tests(file);
  if (!read) return read.errors();
  Errors errors;
  std::vector<MeasuredTable> tables;
  for (MeasuredTable& table : read.value()) {
    const auto add_error = [&](int line, std::string message) {
      errors.push_back({std::move(message), file.line(line)});
    };
    if (table.layout.is_cpu_time) add_error(table.layout.line, kCpuTime);
    errors.insert(errors.end(), table.problems.begin(), table.problems.end());
    for (const MeasuredRow& row : table.narrow) {
      add_error(row.line, fmt::format("has {} words, and the header of line {} names {}: it is cut",
                                      row.fields, table.layout.line, table.layout.fields));
    }
    for (const MeasuredRow& row : table.rows) {
      if (row.has_wrong_data) add_error(row.line, kWrongData);
    }
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  if (!errors.empty()) return errors;
  if (!tables.empty()) return tables;
  return Error{"has no row of nccl-tests, such as `1048576 262144 float sum -1 35.2 29.8 52.1 0`",
               {.file = file.name()}};
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

}  // namespace weft::evidence
