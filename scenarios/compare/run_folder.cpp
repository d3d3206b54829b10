#include "scenarios/compare/run_folder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "simcore/text/csv_row.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<std::string_view, 6> kMessageColumns{
    "job", "source_rank", "destination_rank", "bytes", "start_s", "fct_s"};
enum Column : std::size_t { kJob, kSource, kDestination, kBytes, kStart, kCompletion };

Error error_at(const fs::path& file, std::string message, int line = 0) {
  return {.message = std::move(message), .where = {.file = file.string(), .line = line}};
}

template <class Number>
bool parse(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

class MessageReader {
 public:
  MessageReader(const fs::path& file, const std::vector<RunFolder::Job>& jobs) : file_(file) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      job_number_[jobs[j].name] = static_cast<std::uint32_t>(j);
    }
  }

  Result<std::vector<RunFolder::Message>> read() {
    std::ifstream in(file_, std::ios::binary);
    std::string line;
    if (!std::getline(in, line)) return Errors{error_at(file_, "cannot be read or is empty")};
    // A spreadsheet that saved the file may have put a mark before it, and CR before ends of lines.
    const std::string header(without_byte_order_mark(line));
    if (!row_.read(header)) return Errors{error_at(file_, row_.problem(), 1)};
    const auto& names = row_.cells();
    for (std::size_t c = 0; c < kMessageColumns.size(); ++c) {
      const auto found = std::ranges::find(names, kMessageColumns[c], &CsvRow::Cell::text);
      if (found == names.end()) {
        return Errors{error_at(file_, "has no column " + std::string(kMessageColumns[c]), 1)};
      }
      column_[c] = static_cast<std::size_t>(found - names.begin());
    }
    const std::size_t width = names.size();
    std::vector<RunFolder::Message> messages;
    for (int number = 2; std::getline(in, line); ++number) {
      RunFolder::Message message;
      if (!row_.read(line) || row_.cells().size() != width || !read_row(message)) {
        return Errors{error_at(file_, "is not a row of messages.csv", number)};
      }
      messages.push_back(message);
    }
    return messages;
  }

 private:
  [[nodiscard]] std::string_view field(Column column) const {
    return row_.cells()[column_[column]].text;
  }

  bool read_row(RunFolder::Message& m) {
    const auto job = job_number_.find(std::string(field(kJob)));
    if (job == job_number_.end()) return false;
    m.job = job->second;
    const std::string_view completion = field(kCompletion);
    double seconds = 0;
    if (!completion.empty()) {
      if (!parse(completion, seconds)) return false;
      m.completion = seconds;
    }
    return parse(field(kSource), m.source_rank) && parse(field(kDestination), m.destination_rank) &&
           parse(field(kBytes), m.bytes) && parse(field(kStart), m.start);
  }

  fs::path file_;
  std::unordered_map<std::string, std::uint32_t> job_number_;
  std::array<std::size_t, kMessageColumns.size()> column_{};
  CsvRow row_;
};

/// Throws json::exception where the file is not what `write_results` writes.
RunFolder folder_of(const json& summary) {
  RunFolder run;
  run.engine = summary.at("engine").get<std::string>();
  run.scenario_sha256 = summary.at("scenario_sha256").get<std::string>();
  run.seed = summary.at("seed").get<std::uint64_t>();
  for (const json& job : summary.at("jobs")) {
    RunFolder::Job row{job.at("name").get<std::string>(), job.at("type").get<std::string>(), {}};
    if (const json& jct = job.at("jct_seconds"); !jct.is_null()) row.jct = jct.get<double>();
    run.jobs.push_back(std::move(row));
  }
  return run;
}

}  // namespace

Result<RunFolder> read_run_folder(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    return Errors{error_at(file, "cannot be read; expected a folder that `weft run` wrote")};
  }
  RunFolder run;
  try {
    run = folder_of(json::parse(in));
  } catch (const json::exception& e) {
    return Errors{error_at(file, std::string("is not a summary of weft: ") + e.what())};
  }
  run.folder = folder.string();
  std::error_code ignored;
  if (const fs::path messages = folder / "messages.csv"; fs::exists(messages, ignored)) {
    auto rows = MessageReader(messages, run.jobs).read();
    if (!rows) return rows.errors();
    run.messages = std::move(rows).value();
  }
  return run;
}

}  // namespace weft::scenarios
