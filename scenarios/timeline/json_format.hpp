#pragma once

#include <string>
#include <string_view>

#include "scenarios/timeline/trace_format.hpp"

namespace weft::scenarios {

/// The format of Chrome's tracing, which many programs read: an array of events in JSON, times in
/// microseconds with six decimals, exact to the picosecond ("Trace Event Format", D. Duca and D.
/// Sinclair, Google). Arrows are `bind_id` with `flow_out` and `flow_in`.
class JsonFormat final : public TraceFormat {
 public:
  /// The first part of a file opens it; others are appended to it, and the last one closes it.
  explicit JsonFormat(bool is_first) : is_first_(is_first) {}

  void open(std::string& out) override;
  void add_process(std::string& out, const TraceTrack& track, std::string_view name) override;
  void add_thread(std::string& out, const TraceTrack& track, std::string_view name) override;
  /// Counters go by their names.
  void add_counter(std::string& /*out*/, const TraceTrack& /*track*/, std::string_view /*name*/,
                   bool /*is_of_bytes*/) override {}
  void slice(std::string& out, const TraceTrack& track, const TraceSlice& slice) override;
  void arrival(std::string& out, const TraceTrack& track, const TraceArrival& arrival) override;
  void value(std::string& out, const TraceTrack& track, std::string_view name, Picoseconds time,
             std::int64_t value) override;
  void close(std::string& out) override;

 private:
  bool is_first_;
};

}  // namespace weft::scenarios
