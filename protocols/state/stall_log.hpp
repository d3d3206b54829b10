#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace weft::protocols {

/// When the data of a port waited for credits, in bounded memory: neighbouring waits of a class
/// become one entry where more would be too many. What an entry says it waited stays exact; when,
/// is known to within its length.
class StallLog {
 public:
  struct Entry {
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::int64_t stalled = 0;  ///< of the time between them
    std::uint8_t traffic_class = 0;
  };

  /// A wait that has ended. Those of a class come one after the other; `kept` entries at most, at
  /// least 16, remain.
  void add(std::uint8_t traffic_class, std::int64_t start, std::int64_t end, std::size_t kept) {
    append({start, end, end - start, traffic_class});
    if (entries_.size() < kept) return;
    std::ranges::sort(entries_, {},
                      [](const Entry& e) { return std::tuple(e.traffic_class, e.start); });
    while (entries_.size() > kept / 2) {
      resolution_ = std::max<std::int64_t>(2 * resolution_, kFirstResolution);
      std::vector<Entry> finer;
      finer.swap(entries_);
      for (const Entry& e : finer) append(e);
    }
  }

  void clear() {
    entries_.clear();
    resolution_ = 0;
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  static constexpr std::int64_t kFirstResolution = 1'000'000;  // 1 us

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
  std::int64_t resolution_ = 0;  ///< waits this close together may be one entry
};

}  // namespace weft::protocols
