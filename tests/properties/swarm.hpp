#pragma once

#include <fmt/format.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "simcore/base/random.hpp"

namespace weft::testing {

/// What a random scenario can have and most have not.
enum class SwarmFeature : std::uint8_t {
  kFatTree,
  kSlowNics,  ///< NICs that take packets in more slowly than links bring them
  kSpray,
  kCells,  ///< buffers in units of more than one byte
  kLossy,  ///< classes without flow control
  kCredits,
  kDynamicThresholds,
  kHeadroom,
  kExpiringPauses,
  kNoMarks,
  kInputQueues,
  kCutThrough,
  kClasses,
  kStrict,
  kRivals,  ///< several strict classes, with a job each
  kDatagrams,
  kTcp,
  kGoBackN,  ///< RoCE whose receiver takes packets in order only
  kSelectiveRepeat,
  kWindows,
  kQueuePairs,         ///< several per connection
  kMessageQueuePairs,  ///< that last for one message
  kEntropies,
  kEncapsulation,
  kTelemetry,
  kGrants,
  kOwnTransports,  ///< jobs with one of their own
  kLinkFailures,
  kSlowLinks,
  kNicPauses,
  kBitErrors,
  kGraphs,
  kTraffic,
  kCollectives,
  kChains,  ///< jobs that begin when another ends
  kUltraEthernet,
  kTrimming,   ///< lossy classes whose queues are bounded, and which trim
  kLinkRetry,  ///< links that send again what they corrupt
  kPlainPath,  ///< follows from the others: nothing that needs another packet path
};
inline constexpr std::size_t kDrawnFeatures = static_cast<std::size_t>(SwarmFeature::kPlainPath);
inline constexpr std::size_t kSwarmFeatures = kDrawnFeatures + 1;
using SwarmFeatures = std::bitset<kSwarmFeatures>;

struct SwarmFeatureTraits {
  std::string_view name;
  std::uint64_t maximum = 100;  ///< the highest probability that is drawn for it, in percent
};

/// Where packets may be dropped although a class is lossless, or the fluid engine cannot follow,
/// some checks say nothing. Such features are rare, so that few checks are without effect.
inline constexpr std::array<SwarmFeatureTraits, kSwarmFeatures> kSwarmFeatureTraits{{
    {"fat tree"},
    {"slow NICs"},
    {"spray"},
    {"cells"},
    {"lossy"},
    {"credits"},
    {"dynamic thresholds"},
    {"headroom"},
    {"expiring pauses", 20},
    {"no marks"},
    {"input queues"},
    {"cut-through"},
    {"classes"},
    {"strict"},
    {"rivals"},
    {"datagrams"},
    {"TCP"},
    {"go-back-N"},
    {"selective repeat"},
    {"windows"},
    {"queue pairs"},
    {"message queue pairs"},
    {"entropies"},
    {"encapsulation"},
    {"telemetry"},
    {"grants"},
    {"own transports"},
    {"link failures", 20},
    {"slow links"},
    {"NIC pauses"},
    {"bit errors"},
    {"graphs"},
    {"traffic"},
    {"collectives"},
    {"chains"},
    {"Ultra Ethernet"},
    {"trimming"},
    {"link retry"},
    {"plain path"},
}};

constexpr std::size_t index_of(SwarmFeature feature) { return static_cast<std::size_t>(feature); }
inline std::string name_of(SwarmFeature feature) {
  return std::string(kSwarmFeatureTraits[index_of(feature)].name);
}

/// How likely each feature is in one scenario. The probabilities are drawn, too: a quarter, a half
/// or three quarters of the features are off, and half of the others are rare. So features that
/// fixed probabilities seldom join meet, without the noise of all the rest (Groce et al., "Swarm
/// Testing", ISSTA 2012).
class SwarmOdds {
 public:
  explicit SwarmOdds(std::uint64_t seed) {
    const RandomStream random(seed, Purpose::kTestScenario, 15);
    constexpr std::array<std::uint64_t, 3> kOff{25, 50, 75};
    const std::uint64_t off = kOff[random.below(0, kOff.size())];
    for (std::size_t f = 0; f < kDrawnFeatures; ++f) {
      const std::uint64_t first_draw = 1 + 3 * f;
      if (random.below(first_draw, 100) < off) continue;
      const std::uint64_t maximum = kSwarmFeatureTraits[f].maximum;
      const std::uint64_t few = (maximum + 3) / 4;
      percent_[f] = random.below(first_draw + 1, 2) == 0
                        ? 1 + random.below(first_draw + 2, few)
                        : few + 1 + random.below(first_draw + 2, maximum - few);
    }
  }

  [[nodiscard]] std::uint64_t percent(SwarmFeature feature) const {
    return percent_[index_of(feature)];
  }
  /// In one line, without what is off.
  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t f = 0; f < kDrawnFeatures; ++f) {
      if (percent_[f] == 0) continue;
      text += fmt::format("{}{} {} %", text.empty() ? "" : ", ", kSwarmFeatureTraits[f].name,
                          percent_[f]);
    }
    return text;
  }

 private:
  std::array<std::uint64_t, kDrawnFeatures> percent_{};
};

/// Draws of one scenario one after the other, and which features it got.
class SwarmDraws {
 public:
  explicit SwarmDraws(std::uint64_t seed) : odds_(seed), random_(seed, Purpose::kTestScenario, 7) {}

  std::uint64_t below(std::uint64_t n) { return random_.below(counter_++, n); }
  template <std::size_t N>
  const char* one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }
  /// Whether the scenario gets it here, where it can have it.
  bool draws(SwarmFeature feature) {
    const bool is_on = below(100) < odds_.percent(feature);
    if (is_on) note(feature);
    return is_on;
  }
  void note(SwarmFeature feature) { features_.set(index_of(feature)); }
  [[nodiscard]] bool has(SwarmFeature feature) const { return features_.test(index_of(feature)); }
  [[nodiscard]] const SwarmFeatures& features() const { return features_; }
  [[nodiscard]] const SwarmOdds& odds() const { return odds_; }

 private:
  SwarmOdds odds_;
  RandomStream random_;
  std::uint64_t counter_ = 0;
  SwarmFeatures features_;
};

}  // namespace weft::testing
