#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simcore/base/units.hpp"

/// Traces as viewers of them have it: slices on tracks, arrows between slices, counters. What a
/// format makes of that is bytes to be appended to a file.
namespace weft::scenarios {

/// A row of a viewer. Slices of a track do not overlap, and come in the order of time.
struct TraceTrack {
  std::uint64_t id = 0;      ///< of this track alone
  std::uint64_t parent = 0;  ///< id of its process
  std::int32_t process = 0;  ///< number of the process, > 0
  std::int32_t thread = 0;   ///< number of the thread, of this track alone; of a process its own
};

/// Something that is said of a slice besides its name; without a name, nothing is.
struct TraceNote {
  const char* name = nullptr;
  std::string_view text{};  ///< if it is not empty; else the number counts
  std::int64_t number = 0;
};

struct TraceSlice {
  Picoseconds begin;
  Picoseconds end;
  std::string_view name;
  const char* category = "";
  TraceNote first{};
  TraceNote second{};
  std::uint64_t first_arrow = 0;  ///< that begin here, by their numbers from this one on
  std::uint32_t arrows = 0;
};

/// The end of an arrow.
struct TraceArrival {
  Picoseconds time;
  std::string_view name;
  const char* category = "";
  std::uint64_t arrow = 0;        ///< its number; 0: none ends here
  std::uint64_t first_arrow = 0;  ///< of those that begin where it begins
};

/// A file is `open`, then any of the others in an order in which tracks are described before they
/// are used, then `close`.
class TraceFormat {
 public:
  TraceFormat() = default;
  TraceFormat(const TraceFormat&) = delete;
  TraceFormat& operator=(const TraceFormat&) = delete;
  virtual ~TraceFormat() = default;

  virtual void open(std::string& out) = 0;
  virtual void add_process(std::string& out, const TraceTrack& track, std::string_view name) = 0;
  virtual void add_thread(std::string& out, const TraceTrack& track, std::string_view name) = 0;
  virtual void add_counter(std::string& out, const TraceTrack& track, std::string_view name,
                           bool is_of_bytes) = 0;
  virtual void slice(std::string& out, const TraceTrack& track, const TraceSlice& slice) = 0;
  virtual void arrival(std::string& out, const TraceTrack& track, const TraceArrival& arrival) = 0;
  virtual void value(std::string& out, const TraceTrack& track, std::string_view name,
                     Picoseconds time, std::int64_t value) = 0;
  virtual void close(std::string& out) = 0;
};

}  // namespace weft::scenarios
