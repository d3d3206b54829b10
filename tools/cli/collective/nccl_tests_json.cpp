#include "tools/cli/collective/nccl_tests_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

namespace weft::cli {
namespace {

using nlohmann::json;

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

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& file)
      : file_(file), lines_(lines_of_results(text)) {}

  /// Throws json::exception where the file is not what nccl-tests writes.
  Result<std::vector<MeasuredTable>> read(const json& root) {
    if (const json version = root.value("version", json()); version != kSchema) {
      return error(fmt::format("has version {}; known is {}", version.dump(), kSchema), 1);
    }
    for (const json& word : root.value("args", json::array())) {
      if (table_.operation.empty()) table_.operation = operation_in(word_of(word));
    }
    for (const json& device : root.at("config").value("devices", json::array())) {
      add_device(device);
    }
    const json& results = root.at("results");
    if (results.empty()) return error("has no results: did the run end?", 1);
    for (std::size_t i = 0; i < results.size(); ++i) {
      table_.line = table_.rows.empty() ? line_of(i) : table_.line;
      if (const std::string problem = add_row(results[i], line_of(i)); !problem.empty()) {
        return error(problem, line_of(i));
      }
    }
    table_.has_failed = root.at("out_of_bounds").value("okay", "true") != "true" ||
                        !root.value("errors", json::array()).empty();
    return std::vector{std::move(table_)};
  }

 private:
  void add_device(const json& device) {
    table_.devices.insert(device.at("rank").get<std::uint32_t>());
    table_.hosts.insert(word_at(device, "hostname"));
    if (table_.gpu.empty()) table_.gpu = word_at(device, "device_info");
  }

  [[nodiscard]] int line_of(std::size_t result) const {
    return result < lines_.size() ? lines_[result] : 1;
  }

  /// In the words of the table that nccl-tests prints beside it.
  std::string add_row(const json& result, int line) {
    std::vector<std::string> words;
    for (const char* key : {"size", "count", "type", "redop", "root"}) {
      if (auto word = word_at(result, key); !word.empty()) words.push_back(std::move(word));
    }
    for (const char* place : {"out_of_place", "in_place"}) {
      const json& numbers = result.at(place);
      if (numbers.contains("cpu_time")) return kCpuTime;
      for (const char* key : {"time", "alg_bw", "bus_bw"}) words.push_back(word_at(numbers, key));
      const json wrong = numbers.value("nwrong", json());
      words.push_back(wrong.is_number() ? fmt::format("{:.0f}", wrong.get<double>()) : "N/A");
    }
    if (!looks_like_row(words)) return fmt::format("has the type `{}`", words[2]);
    MeasuredRow row;
    row.line = line;
    if (std::string problem = read_row(words, 1, row); !problem.empty()) return problem;
    if (row.has_wrong_data) return kWrongData;
    table_.rows.push_back(std::move(row));
    return {};
  }

  [[nodiscard]] Error error(std::string message, int line) const {
    return {std::move(message), {file_, line, 0, {}}};
  }

  const std::string& file_;
  std::vector<int> lines_;
  MeasuredTable table_;
};

}  // namespace

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != text.npos && text[first] == '{';
}

Result<std::vector<MeasuredTable>> parse_nccl_tests_json(std::string_view text,
                                                         const std::string& file) {
  const auto line_at = [text](std::size_t byte) {
    return static_cast<int>(std::ranges::count(text.substr(0, byte), '\n')) + 1;
  };
  try {
    const json root = json::parse(text.substr(std::min(text.find('{'), text.size())));
    return JsonReader(text, file).read(root);
  } catch (const json::parse_error& e) {
    return Error{"is no whole JSON: nccl-tests -J writes its end when the run does",
                 {file, line_at(std::min(e.byte, text.size())), 0, {}}};
  } catch (const json::exception&) {
    return Error{
        "is no output of nccl-tests -J: expected `config`, `results` with `out_of_place` "
        "and `in_place`, and `out_of_bounds`",
        {file, 1, 0, {}}};
  }
}

}  // namespace weft::cli
