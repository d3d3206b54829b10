#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "simcore/schema/schema.hpp"

/// What a congestion control says of itself, without the algorithm: scenarios, checks and writers
/// of results see nothing else of it.
namespace weft::protocols::congestion {

/// What a control asks of the network and of the transport.
struct Needs {
  bool marks = false;      ///< switches that mark; without them it never reacts
  bool acks = false;       ///< hears of every ACK, not of marked ones only
  bool echo_time = false;  ///< ACKs say when the packet was sent that they answer
  bool path = false;       ///< FlowStart says base RTT and hops
  bool telemetry = false;  ///< ACKs say what switches said in the packet that they answer
  bool notices = false;    ///< receivers send notifications of their own (CNPs)
  bool grants = false;     ///< receivers grant credit (GrantsCredit)
  bool contexts = false;   ///< counts bytes by destination, as uec does (CountsBytes)
  bool repaces = false;    ///< a change of its rate moves the packet that waits (RateChange)
};

/// Something that a control can tell of itself: a column of rates.csv.
struct Column {
  /// How a sample is written.
  enum class Form : std::uint8_t {
    kInteger,
    kFraction,  ///< samples are in units of 2^-32
    kSeconds,   ///< samples are picoseconds
  };
  const char* name;
  const char* doc;
  Form form = Form::kInteger;
};

/// A sample of a column that means nothing at present.
inline constexpr std::int64_t kNoSample = std::numeric_limits<std::int64_t>::min();

/// What a change of the rate does to the packet that waits for its turn. Every control that paces
/// by a rate sets the gap to the next packet when it sends one.
enum class RateChange : std::uint8_t {
  /// The gap stays; the new rate holds from the next packet on.
  kNextPacket,
  /// The gap becomes that of the new rate, counted from the last packet: the send time moves by the
  /// difference of that packet's times at both rates.
  kWaitingPacket,
};

/// Sequence numbers are 24 bits wide, of which half may be in flight (InfiniBand, 9.7.2).
inline constexpr std::uint32_t kMaxInFlight = 8'388'607;

/// The specification of a control: `Config`, its keys (`schema`), the names that scenarios and
/// sentences have for it, and the columns that it fills.
///
/// - `kRequirements`, or where what it needs depends on its keys `needs(config)`, which has all of
/// kRequirements.
/// - `published_rate(config)` where its steps are meant for links of a rate: that rate, or 0.
template <class S>
concept ControlSpec = std::equality_comparable<typename S::Config> && requires {
  { S::kName } -> std::convertible_to<const char*>;         // in scenarios
  { S::kDisplayName } -> std::convertible_to<const char*>;  // in sentences
  { S::kRequirements } -> std::convertible_to<Needs>;
  S::kColumns.size();
  { S::schema() } -> std::same_as<schema::Object<typename S::Config>>;
  { S::default_config() } -> std::same_as<typename S::Config>;
};

}  // namespace weft::protocols::congestion
