#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "protocols/path_selection/choice.hpp"
#include "protocols/path_selection/rounds.hpp"
#include "protocols/path_selection/sent_values.hpp"

namespace weft::protocols::path_selection {

/// Penalties as uet-htsim has them (`uec_mp.cpp`, UecMpBitmap).
struct BitmapConfig {
  std::uint32_t values = 64;
  std::uint32_t mark_penalty = 1;
  std::uint32_t nack_penalty = 4;
  std::uint32_t timeout_penalty = 15;

  friend bool operator==(const BitmapConfig&, const BitmapConfig&) = default;
};

/// Packets take all values in turn, but those that a mark or a loss has told of are passed over as
/// many times as their penalty says. Of several that follow one another, only the first has its
/// penalty lessened (uet-htsim, `uec_mp.cpp`, UecMpBitmap).
class Bitmap {
 public:
  using Config = BitmapConfig;
  using Parameters = WithSentValues<BitmapConfig>;
  static constexpr const char* kName = "bitmap";
  static constexpr Traits kTraits{.is_per_packet = true, .observes_acks = true};
  static constexpr std::uint32_t kMaxPenalty = 15;
  [[nodiscard]] static schema::Object<Config> schema();

  void start(const Parameters& p, std::uint64_t key) {
    rounds_.start(key, p.values);
    if (p.remembers) sent_.remember();
  }

  [[nodiscard]] std::uint32_t next(const Parameters& p, std::uint32_t sequence,
                                   Picoseconds /*now*/) {
    std::uint32_t value = rounds_.next(p.values);
    if (penalties_[value] > 0) {
      --penalties_[value];
      // Where all are punished, one takes what is there.
      for (std::uint32_t i = 0; i < p.values; ++i) {
        value = rounds_.next(p.values);
        if (penalties_[value] == 0) break;
      }
    }
    note_sent(sequence, value);
    return value;
  }
  /// A packet carries a value that was chosen elsewhere.
  void note_sent(std::uint32_t sequence, std::uint32_t value) { sent_.note(sequence, value); }

  void on_ack(const Parameters& p, const AckedPacket& answer, Picoseconds /*now*/) {
    if (answer.is_marked) punish(answer.value, p.mark_penalty);
  }
  void on_loss(const Parameters& p, std::uint32_t sequence, LossSignal signal,
               Picoseconds /*now*/) {
    if (signal != LossSignal::kTimeout) return;
    if (const auto value = sent_.of(sequence)) punish(*value, p.timeout_penalty);
  }
  void on_path_loss(const Parameters& p, std::uint32_t value, LossSignal signal,
                    Picoseconds /*now*/) {
    punish(value, signal == LossSignal::kTimeout ? p.timeout_penalty : p.nack_penalty);
  }

 private:
  void punish(std::uint32_t value, std::uint32_t penalty) {
    penalties_[value] = static_cast<std::uint8_t>(
        std::min<std::uint32_t>(penalties_[value] + penalty, kMaxPenalty));
  }

  Rounds rounds_;
  SentValues sent_;
  std::array<std::uint8_t, kMaxValues> penalties_{};
};
static_assert(EntropyChoice<Bitmap>);

}  // namespace weft::protocols::path_selection
