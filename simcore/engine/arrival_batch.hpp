#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simcore/engine/packet.hpp"

namespace weft {

/// The packets that reach one cell from outside in one window, in (time, port, order on the link).
///
/// Packets are gathered port by port in ascending order, so a stable sort by time alone gives the
/// total order. A gathered packet's stamp becomes the local number of the port it arrived at.
class ArrivalBatch {
 public:
  /// Starts a window that begins at `start` and is shorter than 2^32 ps.
  void begin(std::int64_t start) {
    start_ = start;
    keys_.clear();
    packets_.clear();
    next_ = 0;
    sources_ = 0;
  }
  void add(const Packet& packet, std::uint32_t local_port) {
    keys_.push_back((static_cast<std::uint64_t>(packet.stamp - start_) << 32U) | packets_.size());
    packets_.push_back(packet);
    packets_.back().stamp = local_port;
  }
  /// One more port has been gathered; with at most one, the batch is in order already.
  void note_source() { ++sources_; }

  void sort(std::int64_t window) {
    if (sources_ <= 1) return;
    if (keys_.size() <= kInsertionLimit) {
      insertion_sort();
    } else {
      radix_sort(static_cast<std::uint64_t>(window));
    }
  }

  [[nodiscard]] bool done() const { return next_ == keys_.size(); }
  [[nodiscard]] std::int64_t next_time() const {
    return start_ + static_cast<std::int64_t>(keys_[next_] >> 32U);
  }
  [[nodiscard]] Packet& front() { return packets_[keys_[next_] & 0xffffffffU]; }
  void pop() { ++next_; }
  /// The packet `ahead` places further on, or null: for prefetching what it will need.
  [[nodiscard]] const Packet* peek(std::size_t ahead) const {
    return next_ + ahead < keys_.size() ? &packets_[keys_[next_ + ahead] & 0xffffffffU] : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  static constexpr std::size_t kInsertionLimit = 20;

  void insertion_sort() {
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      const std::uint64_t key = keys_[i];
      std::size_t j = i;
      for (; j > 0 && (keys_[j - 1] >> 32U) > (key >> 32U); --j) keys_[j] = keys_[j - 1];
      keys_[j] = key;
    }
  }

  void radix_sort(std::uint64_t window) {
    scratch_.resize(keys_.size());
    std::uint64_t* from = keys_.data();
    std::uint64_t* to = scratch_.data();
    const auto bits = static_cast<unsigned>(std::bit_width(window));
    const std::size_t n = keys_.size();
    for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
      std::array<std::uint32_t, kDigits> count{};
      for (std::size_t i = 0; i < n; ++i) ++count[(from[i] >> (32U + shift)) & (kDigits - 1)];
      std::uint32_t sum = 0;
      for (std::uint32_t& c : count) {
        const std::uint32_t here = c;
        c = sum;
        sum += here;
      }
      for (std::size_t i = 0; i < n; ++i) {
        to[count[(from[i] >> (32U + shift)) & (kDigits - 1)]++] = from[i];
      }
      std::swap(from, to);
    }
    if (from != keys_.data()) keys_.swap(scratch_);
  }

  static constexpr unsigned kDigitBits = 7;
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

  std::int64_t start_ = 0;
  std::size_t next_ = 0;
  std::size_t sources_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> scratch_;
  std::vector<Packet> packets_;
};

}  // namespace weft
