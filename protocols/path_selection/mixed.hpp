#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocols/path_selection/bitmap.hpp"

namespace weft::protocols::path_selection {

struct MixedConfig {
  std::uint32_t values = 64;
  std::uint32_t mark_penalty = 1;
  std::uint32_t nack_penalty = 4;
  std::uint32_t timeout_penalty = 15;

  [[nodiscard]] BitmapConfig bitmap() const {
    return {values, mark_penalty, nack_penalty, timeout_penalty};
  }
  friend bool operator==(const MixedConfig&, const MixedConfig&) = default;
};

/// A value whose packet came back unmarked is used once more, in the order in which they came;
/// where none has, packets take values as under `bitmap`, which hears of everything (uet-htsim,
/// `uec_mp.cpp`, UecMpMixed).
class alignas(64) Mixed {
 public:
  using Config = MixedConfig;
  struct Parameters {
    explicit Parameters(const Config& config) : bitmap(config.bitmap()) {}
    void set_remembers(bool remembers) { bitmap.remembers = remembers; }
    Bitmap::Parameters bitmap;
  };
  static constexpr const char* kName = "mixed";
  static constexpr Traits kTraits{.is_per_packet = true, .observes_acks = true};
  [[nodiscard]] static schema::Object<Config> schema();

  void start(const Parameters& p, std::uint64_t key) { bitmap_.start(p.bitmap, key); }

  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t sequence, Picoseconds now) {
    if (count_ == 0) return bitmap_.next(p.bitmap, sequence, now);
    const std::uint32_t value = good_[head_ & (good_.size() - 1)];
    ++head_;
    --count_;
    bitmap_.note_sent(sequence, value);
    return value;
  }

  void on_ack(const Parameters& p, const AckedPacket& answer, Picoseconds now) {
    bitmap_.on_ack(p.bitmap, answer, now);
    if (answer.is_marked) return;
    if (count_ == good_.size()) grow();
    good_[(head_ + count_) & (good_.size() - 1)] = static_cast<std::uint8_t>(answer.value);
    ++count_;
  }
  void on_loss(const Parameters& p, std::uint32_t sequence, LossSignal signal, Picoseconds now) {
    bitmap_.on_loss(p.bitmap, sequence, signal, now);
  }
  void on_path_loss(const Parameters& p, std::uint32_t value, LossSignal signal, Picoseconds now) {
    bitmap_.on_path_loss(p.bitmap, value, signal, now);
  }

 private:
  /// Never more than packets in flight: each ACK is of a packet that took one, or took none.
  void grow() {
    std::vector<std::uint8_t> larger(good_.empty() ? 16 : 2 * good_.size());
    for (std::uint32_t i = 0; i < count_; ++i) larger[i] = good_[(head_ + i) & (good_.size() - 1)];
    good_.swap(larger);
    head_ = 0;
  }

  std::vector<std::uint8_t> good_;  ///< a ring, a power of two
  std::uint32_t head_ = 0;
  std::uint32_t count_ = 0;
  Bitmap bitmap_;
};
static_assert(EntropyChoice<Mixed>);

}  // namespace weft::protocols::path_selection
