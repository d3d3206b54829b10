#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::report {

/// A process and a thread of it, by their numbers in the file.
using TraceThread = std::pair<std::int64_t, std::int64_t>;

/// A slice of a timeline's file; times in microseconds.
struct TraceSliceRead {
  double begin = 0;
  double end = 0;
  std::string_view name;
  std::string_view culprit;  ///< of critical paths, as is the port
  std::string_view port;
  std::vector<std::uint64_t> arrows;  ///< that begin here
};

/// What the file of a timeline holds, event by event.
class TraceEvents {
 public:
  TraceEvents() = default;
  TraceEvents(const TraceEvents&) = delete;
  TraceEvents& operator=(const TraceEvents&) = delete;
  virtual ~TraceEvents() = default;

  virtual void on_process(std::int64_t process, std::string_view name) = 0;
  virtual void on_thread(const TraceThread& thread, std::string_view name) = 0;
  virtual void on_slice(const TraceThread& thread, const TraceSliceRead& slice) = 0;
  /// An arrow ends in a process.
  virtual void on_arrival(std::int64_t process, double time, std::uint64_t arrow) = 0;
};

/// Chrome's format, an event on each line, as `observe.timeline: json` writes it. Lines that are
/// no events are skipped.
void read_json_trace(const std::filesystem::path& file, TraceEvents& events);

/// Perfetto's format, as `--timeline` writes it. A file that ends within a packet is read up to
/// there.
void read_perfetto_trace(const std::filesystem::path& file, TraceEvents& events);

}  // namespace weft::report
