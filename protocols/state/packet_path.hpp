#pragma once

#include <concepts>
#include <cstdint>

namespace weft::protocols {

/// What most runs do without, and what costs time per packet even where it is not used.
enum class Feature : std::uint32_t {
  kWeightedClasses = 1U << 0U,  ///< several that share an egress by weight
  kPartitions = 1U << 1U,       ///< reserved parts, headroom and dynamic thresholds in buffers
  kCells = 1U << 2U,            ///< buffers in units of more than one byte
  kCredits = 1U << 3U,
  kInputQueues = 1U << 4U,
  kCutThrough = 1U << 5U,
  kReceiveRate = 1U << 6U,    ///< NICs that take packets in more slowly than links bring them
  kFaults = 1U << 7U,         ///< errors of links, and routes that change
  kTraces = 1U << 8U,         ///< of queues and packets
  kTransports = 1U << 9U,     ///< several in one network
  kHostPorts = 1U << 10U,     ///< hosts choose a port packet by packet
  kInNetwork = 1U << 11U,     ///< scale-up switches reduce and repeat data
  kTelemetry = 1U << 12U,     ///< switches say in packets what they see
  kEntropies = 1U << 13U,     ///< senders choose paths packet by packet
  kGrants = 1U << 14U,        ///< receivers grant credit to senders
  kTrimming = 1U << 15U,      ///< limits of egress queues, beyond which switches may trim packets
  kContexts = 1U << 16U,      ///< Ultra Ethernet, whose ACKs have records
  kSettings = 1U << 17U,      ///< settings that differ by port, WRED that drops, PFC watchdogs
  kLinkRetry = 1U << 18U,     ///< links that send again what they have corrupted
  kSourceRoutes = 1U << 19U,  ///< packets that name their route, which switches go by
  kSharedLinks = 1U << 20U,   ///< ports that take turns on one link
};

/// A set of features.
class Features {
 public:
  constexpr Features() = default;
  template <std::same_as<Feature>... F>
  explicit constexpr Features(F... features)
      : bits_((0U | ... | static_cast<std::uint32_t>(features))) {}

  constexpr void add(Feature feature, bool is_needed = true) {
    if (is_needed) bits_ |= static_cast<std::uint32_t>(feature);
  }
  constexpr void add(Features others) { bits_ |= others.bits_; }
  [[nodiscard]] constexpr bool has(Feature feature) const {
    return (bits_ & static_cast<std::uint32_t>(feature)) != 0;
  }
  [[nodiscard]] constexpr bool covers(Features needed) const {
    return (needed.bits_ & ~bits_) == 0;
  }
  friend constexpr bool operator==(Features, Features) = default;

 private:
  std::uint32_t bits_ = 0;
};

/// A packet path is the code of switches, hosts and links, compiled with some of the features. All
/// paths give the same bits wherever they apply, which tests hold
/// (`tests/protocols/path_test.cpp`). Each takes some seconds to compile: there are those whose
/// absence was measured to cost much (simcore/PERFORMANCE.md), and one that has everything.
template <Feature... F>
struct PathWith {
  static constexpr Features kFeatures{F...};
  [[nodiscard]] static constexpr bool has(Feature feature) { return kFeatures.has(feature); }
};

/// Packets are forwarded whole by switches that share one buffer and queue at outputs.
struct PlainPath : PathWith<> {};
/// What Ethernet switches do about several classes in one buffer.
struct BufferPath : PathWith<Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells> {};
/// Links that fail or corrupt frames, hosts with two of them, senders that choose paths; any
/// buffer.
struct FaultPath : PathWith<Feature::kFaults, Feature::kHostPorts, Feature::kEntropies,
                            Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells> {};
/// Scale-up domains on credits beside a network of any transport and any buffer.
struct ScaleUpPath
    : PathWith<Feature::kCredits, Feature::kTransports, Feature::kHostPorts, Feature::kInNetwork,
               Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells> {};
/// Packets that are forwarded before they are whole.
struct CutThroughPath : PathWith<Feature::kCutThrough> {};
/// Congestion control by what switches say in packets, or by credit that receivers grant for what
/// senders say in them.
struct TelemetryPath : PathWith<Feature::kTelemetry, Feature::kGrants> {};
/// Ultra Ethernet beside RoCE, or any transport in classes that trim.
struct ContextPath
    : PathWith<Feature::kTrimming, Feature::kContexts, Feature::kEntropies, Feature::kTransports,
               Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells> {};
/// Operators' Ethernet: settings that differ by port, WRED that drops, watchdogs; scale-up domains
/// on credits, and links that fail.
struct SettingsPath
    : PathWith<Feature::kSettings, Feature::kFaults, Feature::kEntropies, Feature::kCredits,
               Feature::kTransports, Feature::kHostPorts, Feature::kInNetwork,
               Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells> {};
/// Second runs, which look at some messages.
struct TracePath
    : PathWith<Feature::kTraces, Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells> {
};
/// Everything.
struct GeneralPath
    : PathWith<Feature::kWeightedClasses, Feature::kPartitions, Feature::kCells, Feature::kCredits,
               Feature::kInputQueues, Feature::kCutThrough, Feature::kReceiveRate, Feature::kFaults,
               Feature::kTraces, Feature::kTransports, Feature::kHostPorts, Feature::kInNetwork,
               Feature::kTelemetry, Feature::kEntropies, Feature::kGrants, Feature::kTrimming,
               Feature::kContexts, Feature::kSettings, Feature::kLinkRetry, Feature::kSourceRoutes,
               Feature::kSharedLinks> {};

/// All paths, the cheapest first; the last one has every feature.
template <class... P>
struct PathList {
  /// Calls `use.template operator()<P>()` with the first path that has what is needed.
  template <class Use>
  static constexpr auto choose(Features needed, Use use) {
    return choose_from<Use, P...>(needed, use);
  }
  template <class Visit>
  static void for_each(Visit visit) {
    (visit.template operator()<P>(), ...);
  }

 private:
  template <class Use, class First, class... Rest>
  static constexpr auto choose_from(Features needed, Use use) {
    if constexpr (sizeof...(Rest) > 0) {
      if (!First::kFeatures.covers(needed)) return choose_from<Use, Rest...>(needed, use);
    }
    return use.template operator()<First>();
  }
};
using PacketPaths = PathList<PlainPath, BufferPath, CutThroughPath, TelemetryPath, FaultPath,
                             ContextPath, ScaleUpPath, SettingsPath, TracePath, GeneralPath>;

}  // namespace weft::protocols
