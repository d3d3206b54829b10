#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocols/state/fault.hpp"
#include "simcore/base/units.hpp"
#include "topologies/parts/parts.hpp"

/// What goes wrong, by names of the fabric.
namespace weft::scenarios {

/// Links by the names of their ends: those between two nodes, or those of one node.
struct LinkSelection {
  /// Which links of a node. A GPU has some in either network, a switch in one only.
  enum class Network : std::uint8_t { kScaleOut, kScaleUp, kBoth };
  std::string from;
  std::string to;  ///< empty: every link of `from` in `network`
  Network network = Network::kScaleOut;
};

/// Which directions of the selected links a fault concerns, as `LinkSelection::from` sees them.
enum class LinkDirection : std::uint8_t {
  kBoth,
  kOut,  ///< what `from` sends
  kIn,   ///< what `from` receives
};

/// A NIC that holds its switch paused, whatever its buffer.
struct NicPause {
  static constexpr auto kKind = protocols::Fault::Kind::kNicPause;
  std::string host;
  std::vector<std::string> classes = {"all"};  ///< `all`: every class with PFC
};

/// Cables that run below their rate.
struct LinkRate {
  static constexpr auto kKind = protocols::Fault::Kind::kLinkRate;
  LinkSelection links;
  LinkDirection direction = LinkDirection::kBoth;
  BitsPerSecond rate;
};

/// Cables that carry nothing. A port that receives no signal reports a remote fault, upon which its
/// peer stops sending (IEEE 802.3, clause 81.3.4): one direction does not fail alone.
struct LinkDown {
  static constexpr auto kKind = protocols::Fault::Kind::kLinkDown;
  LinkSelection links;
};

/// How long a link that flaps stays up, or down.
struct FlapTime {
  enum class Distribution : std::uint8_t { kFixed, kExponential, kLogNormal };
  Distribution distribution = Distribution::kExponential;
  Picoseconds mean;
  Picoseconds deviation;  ///< of kLogNormal
};

/// Cables that fail and come back again and again, each by itself. They are up first.
struct Flapping {
  static constexpr auto kKind = protocols::Fault::Kind::kLinkDown;
  LinkSelection links;
  FlapTime up;
  FlapTime down;
};

/// A switch that is off, with what it holds: all its cables are down.
struct SwitchDown {
  static constexpr auto kKind = protocols::Fault::Kind::kLinkDown;
  std::string node;
};

/// Cables that take longer.
struct LinkLatency {
  static constexpr auto kKind = protocols::Fault::Kind::kLinkLatency;
  LinkSelection links;
  LinkDirection direction = LinkDirection::kBoth;
  Picoseconds added;
};

/// Cables that corrupt frames.
struct BitErrors {
  static constexpr auto kKind = protocols::Fault::Kind::kLinkErrors;
  LinkSelection links;
  LinkDirection direction = LinkDirection::kBoth;
  topologies::LinkErrorPart errors;
};

struct FaultSpec {
  Picoseconds at;
  std::optional<Picoseconds> until;  ///< absent: it stays
  std::variant<NicPause, LinkRate, LinkDown, SwitchDown, LinkLatency, BitErrors, Flapping> what;

  /// What it is to a port.
  [[nodiscard]] protocols::Fault::Kind kind() const {
    return std::visit([]<class Kind>(const Kind&) { return Kind::kKind; }, what);
  }
};

/// The directions of its links that a fault concerns.
[[nodiscard]] inline LinkDirection direction_of(const FaultSpec& fault) {
  return std::visit(
      [](const auto& what) {
        if constexpr (requires { what.direction; }) {
          return what.direction;
        } else {
          return LinkDirection::kBoth;
        }
      },
      fault.what);
}

/// The links that a fault names; null where it names a NIC or a switch.
[[nodiscard]] inline const LinkSelection* links_of(const FaultSpec& fault) {
  return std::visit(
      [](const auto& what) -> const LinkSelection* {
        if constexpr (requires { what.links; }) {
          return &what.links;
        } else {
          return nullptr;
        }
      },
      fault.what);
}

}  // namespace weft::scenarios
