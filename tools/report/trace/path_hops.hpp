#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/json.hpp"
#include "tools/report/trace/trace_events.hpp"

namespace weft::report {

/// Messages of critical paths, from host to host. The pieces of a path name ports: a message begins
/// where a port of a host sends, and has come where a port sends to a host.
class PathHops {
 public:
  /// Keeps the `max` longest.
  explicit PathHops(std::size_t max) : max_(max) {}

  /// A process `job rank 3 (h3)` makes `h3` a host; before pieces that name it.
  void add_process(std::string_view name);
  /// A piece of the critical path on `track`; pieces of a track come in the order of time.
  void add_piece(const TraceThread& track, const TraceSliceRead& piece);

  /// {seen, ranks, flat}; flat: number of the track, places of the ranks that send and receive,
  /// begin less the one before and length in nanoseconds. Of `numbers` and `processes` those that
  /// are on the page. A hop between hosts without ranks of the track's job is left out.
  [[nodiscard]] Json json(const std::map<TraceThread, std::size_t>& numbers,
                          const std::map<std::int64_t, std::string>& processes);

 private:
  struct Hop {
    TraceThread track;
    std::uint32_t from = 0;  ///< host
    std::uint32_t to = 0;
    double begin = 0;  ///< microseconds
    double end = 0;
    [[nodiscard]] double length() const { return end - begin; }
    /// The shortest is the first to go.
    bool operator<(const Hop& other) const { return length() > other.length(); }
  };
  /// A message that is under way along a path.
  struct Pending {
    Hop hop;
    bool has_begun = false;
    bool has_come = false;
  };

  [[nodiscard]] const std::uint32_t* host(std::string_view end) const;
  void finish(Pending& pending);

  std::size_t max_;
  std::size_t seen_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> hosts_;
  std::map<TraceThread, Pending> pending_;
  std::priority_queue<Hop> kept_;
};

}  // namespace weft::report
