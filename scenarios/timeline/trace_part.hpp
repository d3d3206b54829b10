#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/timeline/trace_format.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// A trace that grows on disk, up to a limit: what comes after that is left out. Nothing is cut in
/// two.
class TracePart {
 public:
  TracePart(std::filesystem::path path, std::unique_ptr<TraceFormat> format, Bytes limit);

  void add_process(const TraceTrack& track, std::string_view name);
  void add_thread(const TraceTrack& track, std::string_view name);
  void add_counter(const TraceTrack& track, std::string_view name, bool is_of_bytes);
  void add(const TraceTrack& track, const TraceSlice& slice);
  void add(const TraceTrack& track, const TraceArrival& arrival);
  void add(const TraceTrack& track, std::string_view name, Picoseconds time, std::int64_t value);

  /// Nothing more should be added, or nothing but what `reserved` is for.
  [[nodiscard]] bool is_full(Bytes reserved = {}) const {
    return size_ + buffer_.size() + static_cast<std::uint64_t>(reserved.count()) >= limit_;
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  /// Appends all of another part, which is removed, and closes the trace.
  void finish_with(TracePart* other);

 private:
  void flush_if_long();
  void flush();

  std::filesystem::path path_;
  std::unique_ptr<TraceFormat> format_;
  std::ofstream out_;
  std::string buffer_;
  std::uint64_t size_ = 0;  ///< on disk
  std::uint64_t limit_;
  bool has_failed_;
};

}  // namespace weft::scenarios
