#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/diagnose/model/evidence_points.hpp"
#include "tools/diagnose/model/places.hpp"

namespace weft::diagnose {

/// What single change of a cluster can make it slow.
enum class CulpritKind : std::uint8_t {
  kNic,         ///< one NIC carries a fraction
  kServer,      ///< all NICs of one server do
  kUplinks,     ///< the uplinks of one leaf do: cables that are down or slow
  kCollisions,  ///< flows meet on one path while others are idle
  kAllNics,     ///< the NICs of every server carry a fraction of what they could
  kChannels,    ///< the library moves a fraction, on every link alike
  kStraggler,   ///< every call takes a constant longer
};

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
  /// What it costs to assume it: a free number, and how rare it is.
  double penalty = 1;
};

/// All changes that evidence about these curves can point at, without their numbers.
[[nodiscard]] std::vector<Hypothesis> catalogue(const Places& places,
                                                const std::vector<Curve>& curves);

/// What the measurement would have been: the time of the healthy run, longer by what the busiest
/// part takes longer. Microseconds.
[[nodiscard]] double predicted_us(const Hypothesis& hypothesis, const Point& point);

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
