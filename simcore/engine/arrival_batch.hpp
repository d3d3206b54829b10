#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "simcore/engine/link.hpp"
#include "simcore/engine/packet.hpp"
#include "simcore/engine/prefetch.hpp"

namespace weft {

/// The packets that reach one logical process from outside in one window, in (time, port, order on
/// the link).
///
/// Packets are gathered port by port in ascending order, so a stable sort by time alone gives the
/// total order. A gathered packet's stamp becomes the local number of the port it arrived at.
class ArrivalBatch {
 public:
  ArrivalBatch() { grow(256); }

  /// Starts a window of `length` < 2^32 - 1 ps that begins at `start`.
  void begin(Picoseconds start, Picoseconds length) {
    start_ = start;
    length_ = static_cast<std::uint64_t>(length.count());
    size_ = next_ = sources_ = 0;
  }
  /// Takes what arrives by `link` before `end` at the port with this local number.
  void gather(Link& link, std::uint32_t local_port, Picoseconds end, ChunkPool& pool) {
    const std::size_t before = size_;
    const std::size_t max = before + link.in_flight();
    if (max > packets_.size()) [[unlikely]]
      grow(max);
    std::uint64_t* key = keys_.data() + before;
    Packet* copy = packets_.data() + before;
    std::uint64_t index = before;
    link.data_out.take_until(end, link.data_in, pool, [&](const Packet& packet) {
      *key++ = (static_cast<std::uint64_t>(packet.stamp - start_.count()) << 32U) | index++;
      *copy = packet;
      copy->stamp = local_port;
      ++copy;
    });
    size_ = index;
    sources_ += index != before ? 1 : 0;
  }

  void sort() {
    if (sources_ > 1) {
      if (size_ > kScatterFrom) scatter();
      insertion_sort();
    }
    std::fill_n(keys_.begin() + static_cast<std::ptrdiff_t>(size_), kAhead + 1, kEnd);
  }

  [[nodiscard]] bool done() const { return keys_[next_] == kEnd; }
  [[nodiscard]] Picoseconds next_time() const {
    return start_ + Picoseconds(static_cast<std::int64_t>(keys_[next_] >> 32U));
  }
  [[nodiscard]] std::uint32_t next_port() const {
    return static_cast<std::uint32_t>(packets_[keys_[next_] & 0xffffffffU].stamp);
  }
  /// Takes the next packet, which stays where it is until the next window.
  [[nodiscard]] Packet& pop() {
    Packet& packet = packets_[keys_[next_++] & 0xffffffffU];
    // In time order packets lie all over the place.
    fetch_lines<1>(&packets_[keys_[next_ + kAhead - 1] & 0xffffffffU]);
    return packet;
  }

 private:
  static constexpr std::size_t kAhead = 4;
  /// Behind the last key, for as far as one looks ahead: windows are shorter than this.
  static constexpr std::uint64_t kEnd = std::uint64_t{0xffffffff} << 32U;
  /// Below this, insertion alone is cheaper.
  static constexpr std::size_t kScatterFrom = 16;

  void grow(std::size_t min) {
    const std::size_t capacity = std::max<std::size_t>(min, 2 * packets_.size());
    packets_.resize(capacity);
    keys_.resize(capacity + kAhead + 1);
    scratch_.resize(keys_.size());
  }

  /// One stable counting pass into about as many equal slices of the window as there are packets.
  /// Arrivals spread over the window, so hardly any packet is left far from its place.
  void scatter() {
    const auto slices = static_cast<std::uint32_t>(std::bit_ceil(size_));
    if (counts_.size() < slices) counts_.resize(slices);
    std::fill_n(counts_.begin(), slices, 0U);
    // slice = offset * slices / length, with the division made a shift
    const auto bits = static_cast<unsigned>(std::bit_width(length_));
    const auto slice_bits = static_cast<unsigned>(std::bit_width(slices) - 1);
    const unsigned shift = 32U + (bits > slice_bits ? bits - slice_bits : 0U);
    std::uint32_t* const counts = counts_.data();
    for (std::size_t i = 0; i < size_; ++i) ++counts[keys_[i] >> shift];
    std::uint32_t sum = 0;
    for (std::uint32_t s = 0; s < slices; ++s) {
      const std::uint32_t here = counts[s];
      counts[s] = sum;
      sum += here;
    }
    for (std::size_t i = 0; i < size_; ++i) scratch_[counts[keys_[i] >> shift]++] = keys_[i];
    keys_.swap(scratch_);
  }

  /// By whole keys: places ascend with ports, and on a port with time.
  void insertion_sort() {
    std::uint64_t* const keys = keys_.data();
    for (std::size_t i = 1; i < size_; ++i) {
      const std::uint64_t key = keys[i];
      std::size_t j = i;
      for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
      keys[j] = key;
    }
  }

  Picoseconds start_;
  std::uint64_t length_ = 0;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  std::size_t sources_ = 0;
  std::vector<std::uint64_t> keys_;  ///< offset from the start, then the place in `packets_`
  std::vector<std::uint64_t> scratch_;
  std::vector<std::uint32_t> counts_;
  std::vector<Packet> packets_;
};

}  // namespace weft
