#include "scenarios/compare/run_folder.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "scenarios/language/schemas/document.hpp"
#include "scenarios/language/yaml/catalogue.hpp"
#include "scenarios/language/yaml/node.hpp"
#include "scenarios/language/yaml/reader.hpp"
#include "scenarios/language/yaml/yaml_parser.hpp"
#include "scenarios/results/summary/former_names.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/results/tables/jobs_table.hpp"
#include "scenarios/results/tables/messages_table.hpp"
#include "scenarios/results/tables/ports_table.hpp"
#include "scenarios/text/text_file.hpp"
#include "scenarios/text/zstd_stream.hpp"
#include "simcore/text/csv_row.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;
/// Of resolved.yaml, which says every default of what a scenario of 4 MiB may say.
constexpr std::size_t kMaxResolvedBytes = std::size_t{64} << 20U;

using nlohmann::ordered_json;  // numbers stay in the order of the file

Error error_at(const fs::path& file, std::string message, int line = 0) {
  return {.message = std::move(message), .where = {.file = file.string(), .line = line}};
}

/// A number of a row: its column, whose declaration says how it is read, and where it goes.
template <const Column<MessageRow>& Declared, auto Member>
struct NumberCell {
  static constexpr const char* kName = Declared.name;
  std::size_t position = 0;

  bool read(const CsvRow& row, RunFolder::Message& message) const {
    const std::string_view cell = row.cells()[position].text;
    auto& number = message.*Member;
    if constexpr (Declared.may_be_empty) {
      number.reset();
      return cell.empty() || read(cell, number.emplace());
    } else {
      return read(cell, number);
    }
  }

 private:
  template <class Number>
  static bool read(std::string_view cell, Number& number) {
    static_assert(Declared.kind == (std::is_integral_v<Number> ? Kind::kInteger : Kind::kDecimal));
    const char* end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(cell.data(), end, number);
    return error == std::errc() && stop == end;
  }
};

class MessageReader {
 public:
  MessageReader(const fs::path& file, const std::vector<RunFolder::Job>& jobs) : file_(file) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      job_number_[jobs[j].name] = static_cast<std::uint32_t>(j);
    }
  }

  /// Nothing: there are more than are compared one by one.
  Result<std::optional<std::vector<RunFolder::Message>>> read() {
    LineReader in(file_);
    if (!in.next()) {
      return error_at(file_, in.problem().empty() ? "cannot be read or is empty" : in.problem());
    }
    // A spreadsheet that saved the file may have put a mark before it, and CR before ends of lines.
    const std::string header(without_byte_order_mark(in.line()));
    if (!row_.read(header)) return error_at(file_, row_.problem(), 1);
    if (const std::string missing = find_columns(); !missing.empty()) {
      return error_at(file_, "has no column " + missing, 1);
    }
    const std::size_t width = row_.cells().size();
    std::vector<RunFolder::Message> messages;
    while (in.next()) {
      if (messages.size() == kMaxPaired) return std::optional<std::vector<RunFolder::Message>>();
      RunFolder::Message message;
      if (!row_.read(in.line()) || row_.cells().size() != width || !read_row(message)) {
        return error_at(file_, std::string("is not a row of ") + MessagesTable::declaration().file,
                        in.number());
      }
      messages.push_back(message);
    }
    if (!in.problem().empty()) return error_at(file_, in.problem(), in.number());
    return std::optional(std::move(messages));
  }

 private:
  /// From the header to where the columns stand; the name of the first one that is not there.
  std::string find_columns() {
    std::string missing;
    const auto find = [&](const char* name, std::size_t& position) {
      const auto& names = row_.cells();
      const auto found = std::ranges::find(names, std::string_view(name), &CsvRow::Cell::text);
      if (found == names.end() && missing.empty()) missing = name;
      position = static_cast<std::size_t>(found - names.begin());
    };
    find(message_columns::kJob.name, job_);
    std::apply([&](auto&... cell) { (find(cell.kName, cell.position), ...); }, numbers_);
    return missing;
  }

  bool read_row(RunFolder::Message& message) const {
    const auto job = job_number_.find(std::string(row_.cells()[job_].text));
    if (job == job_number_.end()) return false;
    message.job = job->second;
    return std::apply([&](const auto&... cell) { return (cell.read(row_, message) && ...); },
                      numbers_);
  }

  using Message = RunFolder::Message;

  fs::path file_;
  std::unordered_map<std::string, std::uint32_t> job_number_;
  std::size_t job_ = 0;  ///< where the name of the job stands
  std::tuple<NumberCell<message_columns::kSourceRank, &Message::source_rank>,
             NumberCell<message_columns::kDestinationRank, &Message::destination_rank>,
             NumberCell<message_columns::kBytes, &Message::bytes>,
             NumberCell<message_columns::kStart, &Message::start>,
             NumberCell<message_columns::kCompletionTime, &Message::completion>>
      numbers_;
  CsvRow row_;
};

/// What `item` of the list at `path` is called: by its name, or its number.
std::string element_name(const ordered_json& item, const std::string& path, std::size_t index) {
  const char* key = row_name_key(path);
  if (item.is_object() && item.contains(key) && item[key].is_string()) {
    return item[key].get<std::string>();
  }
  return std::to_string(index);
}

void add_numbers(const ordered_json& value, const std::string& path,
                 std::vector<std::pair<std::string, double>>& numbers) {
  const auto below = [&path](const std::string& name) {
    return path.empty() ? name : path + "." + name;
  };
  if (value.is_number()) numbers.emplace_back(path, value.get<double>());
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) add_numbers(inner, below(key), numbers);
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_numbers(value[i], below(element_name(value[i], path, i)), numbers);
    }
  }
}

void add_keys(const language::Node& node, const std::string& path,
              std::vector<std::pair<std::string, std::string>>& keys) {
  if (node.kind == language::Node::Kind::kScalar) keys.emplace_back(path, node.text);
  if (node.kind == language::Node::Kind::kNull) keys.emplace_back(path, "");
  for (const language::Node::Entry& entry : node.entries) {
    add_keys(entry.value, language::child_path(path, entry.key), keys);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    add_keys(node.items[i], language::element_path(path, i), keys);
  }
}

/// Gives keys and values that an older version wrote their present names: reading the scenario does
/// so in its tree. What this version does not know stays as it is, and is a difference.
void rename_former_keys(language::Node& root, const std::string& file) {
  const std::vector<std::string> no_overrides;
  language::Diagnostics ignored(file, no_overrides);
  language::Provenance provenance;
  language::Document document = language::standard_document(LinkLayer::kEthernet);
  language::Reader(language::Catalogue::embedded(), ignored, provenance)
      .read(language::document_schema(), root, document, {});
}

/// A folder without it can be compared, too.
Errors read_scenario(const fs::path& file, RunFolder& run) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const auto text = read_whole(file, kMaxResolvedBytes);
  if (!text.ok()) return text.errors();
  auto root = language::parse_yaml(text.value(), file.string());
  if (!root.ok()) return root.errors();
  rename_former_keys(root.value(), file.string());
  add_keys(root.value(), "", run.keys);
  return {};
}

double number_of(std::string_view cell) {
  double number = 0;
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  const bool is_number = error == std::errc() && stop == cell.data() + cell.size();
  return is_number ? number : std::numeric_limits<double>::quiet_NaN();
}

/// A folder without them can be compared, too.
Errors read_ports(const fs::path& file, RunFolder& run) {
  if (!has_text(file)) return {};
  LineReader in(file);
  CsvRow row;
  if (!in.next()) return in.problem().empty() ? Errors{} : Errors{error_at(file, in.problem())};
  if (!row.read(in.line()) || row.cells().empty()) return {error_at(file, "has no header", 1)};
  for (const CsvRow::Cell& cell : row.cells())
    run.port_columns.push_back(current_result_name(std::string(cell.text)));
  run.port_columns.erase(run.port_columns.begin());
  while (in.next()) {
    if (!row.read(in.line()) || row.cells().size() != run.port_columns.size() + 1) {
      return {error_at(file, "is not a row of ports", in.number())};
    }
    RunFolder::Port port{.name = std::string(row.cells().front().text), .numbers = {}};
    for (std::size_t i = 1; i < row.cells().size(); ++i) {
      port.numbers.push_back(number_of(row.cells()[i].text));
    }
    run.ports.push_back(std::move(port));
  }
  if (!in.problem().empty()) return {error_at(file, in.problem(), in.number())};
  return {};
}

/// Throws ordered_json::exception where the file is not what `write_results` writes.
RunFolder folder_of(const ordered_json& summary) {
  RunFolder run;
  run.engine = summary.at(summary_keys::kEngine).get<std::string>();
  run.scenario_sha256 = summary.at(summary_keys::kScenario).get<std::string>();
  run.seed = summary.at(summary_keys::kSeed).get<std::uint64_t>();
  run.results_sha256 = summary.at(summary_keys::kResults).get<std::string>();
  run.outcome = summary.value(summary_keys::kOutcome, std::string());
  add_numbers(summary, "", run.numbers);
  for (const ordered_json& job : summary.at(summary_keys::kJobs)) {
    RunFolder::Job row{job.at(job_columns::kName.key).get<std::string>(),
                       job.at(job_columns::kType.key).get<std::string>(),
                       {}};
    static_assert(job_columns::kCompletionTime.may_be_empty);
    const ordered_json& jct = job.at(job_columns::kCompletionTime.key);
    if (!jct.is_null()) row.jct = jct.get<double>();
    run.jobs.push_back(std::move(row));
  }
  return run;
}

}  // namespace

Result<RunFolder> read_run_folder(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return error_at(file, "cannot be read; expected a folder that `weft run` wrote");
  }
  auto summary = read_json(file);
  if (!summary.ok()) return summary.errors();
  rename_former_results(summary.value());
  RunFolder run;
  try {
    run = folder_of(summary.value());
  } catch (const ordered_json::exception&) {
    return error_at(file, "is not a summary of weft: a key is missing, or not what it should be");
  }
  run.folder = folder.string();
  if (Errors errors = read_scenario(folder / "resolved.yaml", run); !errors.empty()) return errors;
  if (Errors errors = read_ports(folder / PortsTable::declaration().file, run); !errors.empty()) {
    return errors;
  }
  if (const fs::path messages = folder / MessagesTable::declaration().file; has_text(messages)) {
    auto rows = MessageReader(messages, run.jobs).read();
    if (!rows.ok()) return rows.errors();
    run.messages = std::move(rows).value();
    run.has_too_many_messages = !run.messages;
  }
  return run;
}

}  // namespace weft::scenarios
