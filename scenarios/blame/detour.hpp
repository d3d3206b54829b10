#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/runtime/workload.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/lane_walk.hpp"
#include "simcore/fabric/fabric.hpp"

/// Paths through calls whose packets the run's own network did not carry, because an oracle knew
/// when they end (collectives::CallOracle). They are simulated in a network apart.
namespace weft::scenarios {

/// A network apart, which can be run again.
class NetworkApart {
 public:
  virtual ~NetworkApart() = default;
  [[nodiscard]] virtual const Fabric& fabric() const = 0;
  [[nodiscard]] virtual const collectives::Workload& workload() const = 0;
  /// Runs it, and hands what happens to packets of these messages to `sink`; `begin` is told the
  /// network that is run.
  virtual void watch(std::vector<protocols::WatchedMessage> messages,
                     protocols::MessageTraceSink sink,
                     const std::function<void(const protocols::PacketNetwork&)>& begin) const = 0;
};

/// The part of a path that leads through a network apart.
class Detour {
 public:
  virtual ~Detour() = default;
  [[nodiscard]] virtual const NetworkApart& network() const = 0;

  /// By the ranks, connections, ports and times of the network apart.
  std::vector<PathMessage> messages;

  // By those of the whole run.
  [[nodiscard]] virtual ConnectionId in_whole(ConnectionId connection) const = 0;
  [[nodiscard]] virtual Charge in_whole(const Charge& charge) const = 0;
  [[nodiscard]] virtual PathMessage in_whole(const PathMessage& message) const = 0;
};

/// Finds detours of a run.
class Detours {
 public:
  virtual ~Detours() = default;
  /// From where `lanes` is, at the end of a call that an oracle knew, or of one that lets another
  /// begin, back through that call, to `begin` at most. Adds what the path has there to `charges`.
  /// Nothing: no such call ended there.
  [[nodiscard]] virtual std::unique_ptr<Detour> walk(LaneWalk& lanes, std::uint32_t job,
                                                     Picoseconds begin,
                                                     std::vector<Charge>& charges) = 0;
  /// No path will lead through what ended before, of a job.
  virtual void forget(std::uint32_t job, Picoseconds before) = 0;
};

}  // namespace weft::scenarios
