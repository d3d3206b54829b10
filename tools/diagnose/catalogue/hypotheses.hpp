#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/model/places.hpp"

namespace weft::diagnose {

/// Through host memory a message between servers takes about this long.
inline constexpr double kCopyMicroseconds = 20;

/// What single change of a cluster can make it slow.
enum class CulpritKind : std::uint8_t {
  kNic,         ///< one NIC carries a fraction
  kServer,      ///< all NICs of one server do
  kUplinks,     ///< the uplinks of one leaf do: cables that are down or slow
  kCollisions,  ///< flows meet on one path while others are idle
  kAllNics,     ///< the NICs of every server carry a fraction of what they could
  kChannels,    ///< the library moves a fraction, on every link alike
  kStraggler,   ///< every call takes a constant longer
  kStorm,       ///< a NIC pauses its switch: it takes less than arrives
  kMtu,         ///< packets are smaller, and have more headers
  kGpuDirect,   ///< what NCCL sends passes through host memory
  kAlgorithm,   ///< NCCL runs another algorithm or protocol than it would choose
  kThresholds,  ///< ECN marks from few bytes on: flows that meet slow down too far
  kLoss,        ///< packets are lost where flows meet, and sent again after a time-out
  kLeaf,        ///< all NICs at one leaf carry a fraction: its settings, its buffer, its ASIC
};

inline constexpr int kCulpritKinds = static_cast<int>(CulpritKind::kLeaf) + 1;

/// `slow-nic`, `slow-server` ...: of JSON and of tests.
[[nodiscard]] const char* name_of(CulpritKind kind);
/// What is wrong, in words, and what makes it so.
[[nodiscard]] const char* meaning_of(CulpritKind kind);

/// One change, with its place and its number.
struct Hypothesis {
  CulpritKind kind = CulpritKind::kNic;
  std::string place{};                     ///< empty: the cluster
  std::vector<std::uint32_t> resources{};  ///< whose rate is multiplied by `value`
  /// The part of the rate that is left; of a straggler: microseconds.
  double value = 1;
  /// Which of the evidence's, of kinds that have one.
  std::size_t alternative = 0;
  /// Of data in host memory: which part of the alternative's latency a message has.
  double latency = 0;
  /// perftest has found `value`: it is not fitted.
  bool is_measured = false;
  /// What it costs to assume it: a free number, and how rare it is.
  double penalty = 1;
};

/// Whether its number is a part of a rate.
[[nodiscard]] bool has_rate(CulpritKind kind);

/// All changes that this evidence can point at, without their numbers.
[[nodiscard]] std::vector<Hypothesis> catalogue(const Places& places,
                                                const EvidencePoints& evidence);

/// What the measurement would have been: the time of the healthy run, longer by what the busiest
/// part takes longer. Microseconds.
[[nodiscard]] double predicted_us(const Hypothesis& hypothesis, const Point& point);

/// Whether a call took as long as only time-outs of lost packets make it.
[[nodiscard]] bool has_timed_out(const Point& point);

/// Overrides that make the change in packets; empty: the language cannot express it.
struct PacketChange {
  std::vector<std::string> changes{};    ///< of the scenario
  std::vector<std::string> execution{};  ///< of the call
  std::vector<std::string> keys{};
  [[nodiscard]] bool is_empty() const {
    return changes.empty() && execution.empty() && keys.empty();
  }
};
[[nodiscard]] PacketChange packet_change(const Hypothesis& hypothesis, const Places& places,
                                         std::uint32_t healthy_channels);

}  // namespace weft::diagnose
