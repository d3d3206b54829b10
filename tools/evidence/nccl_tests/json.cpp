#include "tools/evidence/nccl_tests/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "simcore/text/quoted.hpp"
#include "tools/evidence/json/json_text.hpp"
#include "tools/evidence/operations.hpp"

namespace weft::evidence {
namespace {

/// Of NVIDIA/nccl-tests, src/common.cu: the layout since `-J` writes in and out of place apart.
constexpr int kSchema = 3;

/// Lines of the results, which have one list of numbers out of place each.
std::vector<int> lines_of_results(std::string_view text) {
  constexpr std::string_view kKey = "\"out_of_place\"";
  std::vector<int> lines;
  std::size_t counted = 0;
  int line = 1;
  for (auto at = text.find(kKey); at != text.npos; at = text.find(kKey, at + 1)) {
    line += static_cast<int>(std::ranges::count(text.substr(counted, at - counted), '\n'));
    counted = at;
    lines.push_back(line);
  }
  return lines;
}

/// Words are texts, numbers what they are written as.
std::string word_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}
std::string word_at(const json& object, const char* key) {
  return object.contains(key) ? word_of(object[key]) : std::string();
}

/// Throws json::exception where the file is not what nccl-tests writes.
class JsonTableReader {
 public:
  explicit JsonTableReader(const import::InputFile& file)
      : file_(file), lines_(lines_of_results(file.text())) {}

  Result<std::vector<MeasuredTable>> read(const json& root) {
    if (const json version = root.value("version", json()); version != kSchema) {
      return Error{fmt::format("has version {}; known is {}", version.dump(), kSchema),
                   file_.line(1)};
    }
    for (const json& word : root.value("args", json::array())) {
      if (table_.operation.empty()) table_.operation = operation_in(word_of(word));
    }
    table_.nccl_version = nccl_version_text(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, json_whole(root, "nccl_version"))));
    for (const json& device : root.at("config").value("devices", json::array())) {
      add_device(device);
    }
    const json& results = root.at("results");
    if (results.empty()) return Error{"has no results: did the run end?", file_.line(1)};
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (table_.line == 0) table_.line = line_of(i);
      add_result(results[i], line_of(i));
    }
    table_.has_failed = root.at("out_of_bounds").value("okay", "true") != "true";
    for (const json& error : root.value("errors", json::array())) {
      if (table_.failure.message.empty()) table_.failure = {word_of(error), file_.key("errors")};
    }
    table_.has_end = true;
    return std::vector{std::move(table_)};
  }

 private:
  void add_device(const json& device) {
    const auto rank = device.at("rank").get<std::uint32_t>();
    if (!table_.devices.insert(rank).second) table_.repeats_ranks = true;
    table_.hosts.insert(word_at(device, "hostname"));
    table_.rank_hosts[rank] = word_at(device, "hostname");
    table_.rank_groups[rank] = device.value("group", 0U);
    if (table_.gpu.empty()) table_.gpu = word_at(device, "device_info");
  }

  [[nodiscard]] int line_of(std::size_t result) const {
    return result < lines_.size() ? lines_[result] : 1;
  }

  /// In the words of the table that nccl-tests prints beside it.
  void add_result(const json& result, int line) {
    std::vector<std::string> words;
    RowLayout& layout = table_.layout;
    layout.line = line;
    for (const char* key : {"size", "count", "type", "redop", "root"}) {
      if (auto word = word_at(result, key); !word.empty()) words.push_back(std::move(word));
    }
    layout.has_redop = !word_at(result, "redop").empty();
    layout.has_root = !word_at(result, "root").empty();
    for (const char* place : {"out_of_place", "in_place"}) {
      const json& numbers = result.at(place);
      const bool is_cpu_time = numbers.contains("cpu_time");
      layout.is_cpu_time = layout.is_cpu_time || is_cpu_time;
      for (const char* key : {is_cpu_time ? "cpu_time" : "time", "alg_bw", "bus_bw"}) {
        words.push_back(word_at(numbers, key));
      }
      const json wrong = numbers.value("nwrong", json());
      words.push_back(wrong.is_number() ? fmt::format("{:.0f}", wrong.get<double>()) : "N/A");
    }
    const auto add_problem = [&](std::string problem) {
      table_.problems.push_back({std::move(problem), file_.line(line)});
    };
    if (!looks_like_row(words)) {
      return add_problem(fmt::format("has the type {}", backquoted(word_at(result, "type"))));
    }
    MeasuredRow row;
    row.line = line;
    if (std::string problem = read_row(words, layout, row); !problem.empty()) {
      return add_problem(std::move(problem));
    }
    table_.rows.push_back(std::move(row));
  }

  const import::InputFile& file_;
  std::vector<int> lines_;
  MeasuredTable table_;
};

}  // namespace

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first != text.npos && text[first] == '{';
}

Result<std::vector<MeasuredTable>> read_nccl_tests_json(const import::InputFile& file) {
  const auto root = parse_json(file);
  if (!root) {
    Errors errors = root.errors();
    errors.front().message += "; nccl-tests -J writes its end when the run does";
    return errors;
  }
  try {
    return JsonTableReader(file).read(root.value());
  } catch (const json::exception&) {
    return Error{
        "is no output of nccl-tests -J: expected `config`, `results` with `out_of_place` "
        "and `in_place`, and `out_of_bounds`",
        file.line(1)};
  }
}

}  // namespace weft::evidence
