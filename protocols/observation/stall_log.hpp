#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols {

/// When the data of a port waited for credits, in bounded memory: neighbouring waits of a class
/// become one entry where more would be too many. What an entry says it waited stays exact; when,
/// is known to within its length.
class StallLog {
 public:
  struct Entry {
    Picoseconds start;
    Picoseconds end;
    Picoseconds stalled;  ///< of the time between them
    ClassId traffic_class{};
  };

  /// A wait that has ended. Those of a class come one after the other; `kept` entries at most, at
  /// least 16, remain.
  void add(ClassId traffic_class, Picoseconds start, Picoseconds end, std::size_t kept) {
    append({start, end, end - start, traffic_class});
    if (entries_.size() < kept) return;
    std::ranges::sort(entries_, {},
                      [](const Entry& e) { return std::tuple(e.traffic_class, e.start); });
    while (entries_.size() > kept / 2) {
      resolution_ = std::max(2 * resolution_, kFirstResolution);
      std::vector<Entry> finer;
      finer.swap(entries_);
      for (const Entry& e : finer) append(e);
    }
  }

  void clear() {
    entries_.clear();
    resolution_ = {};
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  static constexpr Picoseconds kFirstResolution{1'000'000};  ///< 1 us

  void append(const Entry& e) {
    if (!entries_.empty() && entries_.back().traffic_class == e.traffic_class &&
        e.end - entries_.back().start <= resolution_) {
      entries_.back().end = e.end;
      entries_.back().stalled += e.stalled;
      return;
    }
    entries_.push_back(e);
  }

  std::vector<Entry> entries_;
  Picoseconds resolution_;  ///< waits this close together may be one entry
};

}  // namespace weft::protocols
