#include "scenarios/output/result_writer.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/output/result_folder.hpp"
#include "scenarios/output/run_files.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/text/json_text.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

/// Writes a table row by row, for there may be many millions of them. `each(add)` calls `add` with
/// every row.
template <class Row, class Each>
bool write_table(const fs::path& folder, const Table<Row>& table, Each each) {
  constexpr std::size_t kFlushed = std::size_t{1} << 16U;
  std::ofstream out(folder / table.file, std::ios::binary);
  std::string text;
  table.append_header(text);
  each([&](const Row& row) {
    table.append(text, row);
    if (text.size() < kFlushed) return;
    out << text;
    text.clear();
  });
  out << text;
  out.flush();
  return out.good();
}

bool write_tables(const Results& r, const fs::path& folder, const WriteOptions& options) {
  bool is_written = true;
  for_each_table(r, [&](const auto& table) {
    if (table.is_asked_for && !options.pauses) return;
    is_written =
        is_written && write_table(folder, table, [&](const auto& add) { table.each(r, add); });
  });
  return is_written;
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  return out.good();
}

}  // namespace

Result<fs::path> publish_results(ResultFolder& target, const fs::path& folder,
                                 const ResultParts& parts) {
  const fs::path& partial = target.partial();
  const bool is_written = write_file(partial / "summary.json", parts.summary) &&
                          parts.write_tables(partial) &&
                          write_file(partial / "resolved.yaml", parts.resolved_scenario);
  if (!is_written) {
    const std::string kept = target.keep().string();
    return target.error(std::string(kCannotWrite) + "; what could be written is in " + kept);
  }
  if (parts.is_interrupted && target.has_whole_results()) return target.keep();
  const auto state =
      parts.is_interrupted ? ResultFolder::State::kInterrupted : ResultFolder::State::kWhole;
  if (Errors errors = target.publish(state, parts.continues); !errors.empty()) return errors;
  return folder;
}

Result<fs::path> write_results(const Results& results, const std::string& resolved_scenario,
                               const fs::path& folder, const WriteOptions& options) {
  const auto write = [&](ResultFolder& target) {
    return publish_results(target, folder,
                           {.summary = json_text(summary_json(results)) + "\n",
                            .resolved_scenario = resolved_scenario,
                            .is_interrupted = results.outcome == Outcome::kInterrupted,
                            .write_tables =
                                [&](const fs::path& at) {
                                  return write_tables(results, at, options) &&
                                         (options.expectations.empty() ||
                                          write_file(at / kExpectationsFile, options.expectations));
                                },
                            .continues = options.continues});
  };
  if (options.files != nullptr) {
    options.files->finish_messages();
    if (Errors errors = options.files->errors(); !errors.empty()) return errors;
    return write(options.files->folder());
  }
  auto target = ResultFolder::create(folder);
  if (!target) return target.errors();
  return write(target.value());
}

}  // namespace weft::scenarios
