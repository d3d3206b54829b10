#pragma once

#include <compare>
#include <cstdint>

#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

/// Who is to blame for the time of a step: intervals along its critical path, each with a cause.
namespace weft::scenarios {

/// Why some time of a job passed.
enum class Cause : std::uint8_t {
  kCompute,            ///< as planned
  kStraggler,          ///< computing or handling data beyond what is planned: a rank
  kBubble,             ///< planned computing of another pipeline stage
  kSchedule,           ///< the job itself begins something at a time of its own
  kProtocol,           ///< launches, copies, additions, protocol latency, answers, link control
  kPropagation,        ///< latency of links and pipelines
  kSerialisation,      ///< the message's own packets on the wire
  kQueueing,           ///< packets of other messages on the wire: a job
  kPause,              ///< a port was paused: the root of the storm
  kCredits,            ///< a port waited for credits
  kCongestionControl,  ///< a port was free, and the congestion control's rate or window was not
  kWindow,             ///< a port was free, and a static window was full
  kRetransmission,     ///< until the sender heard that data was lost
  kTimeout,            ///< until the sender gave up waiting for an answer
  kLinkFailure,        ///< a link was down
  kLinkRetry,          ///< a link sent again what it had corrupted, or waited for its ACKs
};
inline constexpr std::size_t kCauses = 16;

/// As files have it: `congestion control`.
[[nodiscard]] const char* cause_name(Cause cause);

/// Who or what is behind a cause.
struct Culprit {
  enum class Kind : std::uint8_t { kRank, kStage, kJob, kPort, kConnection, kStorm };

  Kind kind = Kind::kJob;
  std::uint32_t job = 0;     ///< of ranks and stages
  std::uint32_t number = 0;  ///< the rank, the PortId ...
  auto operator<=>(const Culprit&) const = default;

  [[nodiscard]] static Culprit rank(std::uint32_t job, std::uint32_t rank) {
    return {Kind::kRank, job, rank};
  }
  [[nodiscard]] static Culprit stage(std::uint32_t job, std::uint32_t stage) {
    return {Kind::kStage, job, stage};
  }
  [[nodiscard]] static Culprit of_job(std::uint32_t job) { return {Kind::kJob, 0, job}; }
  [[nodiscard]] static Culprit port(PortId port) { return {Kind::kPort, 0, port.value()}; }
  /// A queue pair, by the connection that it is of.
  [[nodiscard]] static Culprit connection(ConnectionId connection) {
    return {Kind::kConnection, 0, connection.value()};
  }
  /// The root of a storm of pauses, by its number in the results.
  [[nodiscard]] static Culprit storm(std::uint32_t number) { return {Kind::kStorm, 0, number}; }
};

/// Part of a critical path. Those of a path follow each other without gaps.
struct Charge {
  Picoseconds begin;
  Picoseconds end;
  Cause cause = Cause::kProtocol;
  Culprit culprit;
  PortId port = PortId::none();  ///< where on the fabric, if anywhere
};

}  // namespace weft::scenarios
