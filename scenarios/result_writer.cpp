#include "scenarios/result_writer.hpp"

#include <fmt/format.h>
#include <fmt/os.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include "scenarios/format.hpp"
#include "scenarios/summary.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kFiles{"summary.json", "jobs.csv", "messages.csv",
                                                 "ports.csv", "resolved.yaml"};

/// Exact decimal seconds of a whole number of picoseconds.
std::string seconds(Picoseconds t) {
  return fmt::format("{}.{:012}", t.count() / kPicosecondsPerSecond,
                     t.count() % kPicosecondsPerSecond);
}
std::string seconds_if_any(Picoseconds t) {
  return t < Picoseconds(0) ? std::string() : seconds(t);
}

std::string jobs_csv(const Results& r) {
  std::string text =
      "job,type,ranks,bytes,start_s,end_s,jct_s,ideal_s,ideal_set_by,busbw_bytes_per_s,finished\n";
  for (const JobResult& j : r.jobs) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(j.name), j.type, j.ranks, j.bytes.count(),
        seconds(j.start), seconds(j.end), j.is_finished ? seconds(j.jct) : "",
        j.ideal > Picoseconds(0) ? seconds(j.ideal) : "", csv_field(j.ideal_set_by),
        j.bus_bandwidth ? fmt::format("{:.6g}", *j.bus_bandwidth) : "", j.is_finished ? 1 : 0);
  }
  return text;
}

std::string messages_csv(const Results& r) {
  std::string text =
      "job,source_rank,destination_rank,source_host,destination_host,bytes,start_s,delivered_s,"
      "completion_s,fct_s,ideal_s,slowdown\n";
  for (const MessageResult& m : r.messages) {
    const bool is_complete = m.completed >= Picoseconds(0);
    fmt::format_to(
        std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{}\n",
        csv_field(r.jobs[m.job].name), m.source_rank, m.destination_rank, m.source.value(),
        m.destination.value(), m.bytes.count(), seconds(m.start), seconds_if_any(m.delivered),
        seconds_if_any(m.completed), is_complete ? seconds(m.completed - m.start) : "",
        seconds(m.ideal),
        is_complete ? fmt::format("{:.6f}", to_seconds(m.completed - m.start) / to_seconds(m.ideal))
                    : "");
  }
  return text;
}

std::string ports_csv(const Results& r) {
  std::string text =
      "port,rate_bps,bytes,packets,utilisation,peak_queue_bytes,mean_queue_bytes,ecn_marks,"
      "pauses_sent,pauses_received,paused_s,buffer_drops,ttl_drops\n";
  for (const PortResult& p : r.ports) {
    const protocols::PortCounters& c = p.counters;
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.6f},{},{:.1f},{},{},{},{},{},{}\n",
                   csv_field(p.name), p.rate.count(), c.bytes, c.packets, p.utilisation,
                   c.peak_backlog, p.mean_queue_bytes, c.ecn_marked, c.pauses_sent,
                   c.pauses_received, seconds(Picoseconds(c.paused_time)), c.buffer_drops,
                   c.ttl_drops);
  }
  return text;
}

/// Whether a folder holds the results of a run and nothing else, so that it may be replaced.
bool holds_only_results(const fs::path& folder, std::string& other) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::find(kFiles.begin(), kFiles.end(), name) == kFiles.end()) {
      other = name;
      return false;
    }
  }
  return !error;
}

Error write_error(const fs::path& path, const std::string& reason) {
  return {.message = "cannot write results: " + reason, .where = {.file = path.string()}};
}

bool write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  return out.good();
}

}  // namespace

Errors check_output_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return {write_error(folder, "there is a file of that name")};
    std::string other;
    if (!holds_only_results(folder, other)) {
      return {write_error(
          folder, "the folder holds something else (" + other + "); choose another with --out")};
    }
  }
  // The nearest folder that exists must let us create entries.
  fs::path above = fs::absolute(folder, error).lexically_normal();
  if (above.filename().empty()) above = above.parent_path();
  above = above.parent_path();
  while (!above.empty() && above != above.root_path() && !fs::exists(above, error)) {
    above = above.parent_path();
  }
  if (!fs::is_directory(above, error)) {
    return {write_error(folder, above.string() + " is not a folder")};
  }
  if (::access(above.c_str(), W_OK | X_OK) != 0) {
    return {write_error(folder, "no permission to write in " + above.string())};
  }
  return {};
}

Result<fs::path> write_results(const Results& results, const std::string& resolved_scenario,
                               const fs::path& folder, const WriteOptions& options) {
  if (Errors errors = check_output_folder(folder); !errors.empty()) return errors;
  std::error_code error;
  fs::path target = fs::absolute(folder, error).lexically_normal();
  if (target.filename().empty()) target = target.parent_path();
  const std::string suffix = "." + std::to_string(::getpid());
  const fs::path partial = target.string() + ".partial" + suffix;
  const fs::path previous = target.string() + ".previous" + suffix;
  const auto abandon = [&](const std::string& reason) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    return write_error(folder, reason);
  };

  fs::remove_all(partial, error);
  fs::create_directories(partial, error);
  if (error) return abandon(error.message());
  bool is_written = write_file(partial / "summary.json", summary_json(results).dump(2) + "\n") &&
                    write_file(partial / "jobs.csv", jobs_csv(results)) &&
                    write_file(partial / "ports.csv", ports_csv(results)) &&
                    write_file(partial / "resolved.yaml", resolved_scenario);
  if (options.messages) {
    is_written = is_written && write_file(partial / "messages.csv", messages_csv(results));
  }
  if (!is_written) return abandon("the disk is full or the folder cannot be written");
  if (fs::exists(target, error)) {
    fs::rename(target, previous, error);
    if (error) return abandon(error.message());
  }
  fs::rename(partial, target, error);
  if (error) {
    std::error_code ignored;
    fs::rename(previous, target, ignored);
    return abandon(error.message());
  }
  fs::remove_all(previous, error);
  return folder;
}

}  // namespace weft::scenarios
