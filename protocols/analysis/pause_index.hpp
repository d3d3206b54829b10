#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "protocols/observation/observation.hpp"

namespace weft::protocols {

/// Pauses by port, class and start, for looking up what held a port at a time. The pauses of one
/// port and class do not overlap.
class PauseIndex {
 public:
  struct Entry {
    PortId port;
    ClassId traffic_class{};
    Picoseconds start{};
    Picoseconds end{};
    std::uint32_t pause = 0;  ///< index in what it was built from
  };

  explicit PauseIndex(std::span<const PauseInterval> pauses) {
    entries_.reserve(pauses.size());
    for (std::uint32_t i = 0; i < pauses.size(); ++i) {
      const PauseInterval& p = pauses[i];
      entries_.push_back({p.port, p.traffic_class, p.start, p.end, i});
    }
    std::ranges::sort(entries_, {}, &key_of);
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// All pauses of a port and class, by start.
  [[nodiscard]] std::span<const Entry> of(PortId port, ClassId traffic_class) const {
    const auto queue_of = [](const Entry& e) { return std::tuple(e.port, e.traffic_class); };
    const std::tuple queue(port, traffic_class);
    return {std::ranges::lower_bound(entries_, queue, {}, queue_of),
            std::ranges::upper_bound(entries_, queue, {}, queue_of)};
  }

  /// The last of `of` that began at `time` or before; null if none did.
  [[nodiscard]] static const Entry* last_begun(std::span<const Entry> of, Picoseconds time) {
    const auto after = std::ranges::upper_bound(of, time, {}, &Entry::start);
    return after == of.begin() ? nullptr : &*(after - 1);
  }

 private:
  static std::tuple<PortId, ClassId, Picoseconds, std::uint32_t> key_of(const Entry& e) {
    return {e.port, e.traffic_class, e.start, e.pause};
  }

  std::vector<Entry> entries_;
};

}  // namespace weft::protocols
