#pragma once

#include <array>
#include <cstdint>

#include "protocols/path_selection/choice.hpp"
#include "simcore/base/hash.hpp"

namespace weft::protocols::path_selection {

struct RepsConfig {
  std::uint32_t values = 64;
  Picoseconds freeze_time = 10_ms;  ///< after a time-out nothing new is tried for so long
  std::uint32_t explorations = 16;  ///< then this many packets try what is drawn

  friend bool operator==(const RepsConfig&, const RepsConfig&) = default;
};

/// REPS (T. Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and
/// Failure Mitigation", 2024): a value whose packet came back unmarked is used once more; where
/// none has, one is drawn. After a time-out the values that last came back are used over and over,
/// so that nothing is tried that may have failed. Constants: uet-htsim, `uec_mp.cpp`, UecMpReps.
class Reps {
 public:
  using Config = RepsConfig;
  using Parameters = RepsConfig;
  static constexpr const char* kName = "reps";
  static constexpr Traits kTraits{.is_per_packet = true, .observes_acks = true};
  static constexpr std::uint32_t kRecycled = 8;  ///< values kept
  [[nodiscard]] static schema::Object<Config> schema();

  void start(const Parameters& p, std::uint64_t key) {
    key_ = key;
    to_explore_ = p.explorations;
  }

  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t /*sequence*/,
                                   Picoseconds now) {
    if (is_frozen_ && now >= thaw_) {
      is_frozen_ = false;
      to_explore_ = p.explorations;
      fresh_ = 0;
      kept_ = 0;
    }
    if (is_frozen_ && kept_ > 0) return cache_[frozen_turn_++ % kept_];
    if (to_explore_ > 0) {
      --to_explore_;
      return draw(p);
    }
    if (fresh_ == 0) return draw(p);
    const std::uint32_t oldest = (head_ + kRecycled - fresh_) % kRecycled;
    --fresh_;
    return cache_[oldest];
  }

  void on_ack(const Parameters& /*p*/, const AckedPacket& answer, Picoseconds /*now*/) {
    if (answer.is_marked) return;
    cache_[head_] = static_cast<std::uint8_t>(answer.value);
    head_ = (head_ + 1) % kRecycled;
    if (fresh_ < kRecycled) ++fresh_;
    if (kept_ < kRecycled) ++kept_;
  }
  void on_loss(const Parameters& p, std::uint32_t /*sequence*/, LossSignal signal,
               Picoseconds now) {
    if (signal != LossSignal::kTimeout) return;
    is_frozen_ = true;
    thaw_ = now + p.freeze_time;
  }
  void on_path_loss(const Parameters& p, std::uint32_t /*value*/, LossSignal signal,
                    Picoseconds now) {
    on_loss(p, 0, signal, now);
  }

 private:
  [[nodiscard]] std::uint32_t draw(const Parameters& p) {
    return static_cast<std::uint32_t>(mix64(key_, drawn_++)) & (p.values - 1);
  }

  std::uint64_t key_ = 0;
  std::uint64_t drawn_ = 0;
  Picoseconds thaw_;
  std::array<std::uint8_t, kRecycled> cache_{};
  std::uint32_t head_ = 0;   ///< where the next one is kept
  std::uint32_t fresh_ = 0;  ///< of those kept, not used again yet
  std::uint32_t kept_ = 0;
  std::uint32_t frozen_turn_ = 0;
  std::uint32_t to_explore_ = 0;
  bool is_frozen_ = false;
};
static_assert(EntropyChoice<Reps>);

}  // namespace weft::protocols::path_selection
