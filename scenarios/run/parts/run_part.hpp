#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "collectives/runtime/executor.hpp"
#include "protocols/network/packet_network.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// How a run came to its end.
struct RunEnd {
  protocols::PacketNetwork::Status status;
  Picoseconds last_event;  ///< when the last thing happened
  Picoseconds stopped;     ///< when it was over
};

/// The warm-up is over.
struct MeasurementBegin {
  protocols::PacketNetwork::Status status;  ///< of the network
  Picoseconds planned;                      ///< until when it was to last
  Picoseconds from;                         ///< from when on the run is measured
};

/// What takes part in a run of the packet engine besides its network, its jobs and its recorder.
/// The run knows its parts by these calls alone, and makes each of them to one after the other, in
/// the order of its list.
class RunPart {
 public:
  RunPart() = default;
  RunPart(const RunPart&) = delete;
  RunPart& operator=(const RunPart&) = delete;
  virtual ~RunPart() = default;

  /// Before the network is built: what it must be like.
  virtual void configure(protocols::PacketNetwork::Options& /*options*/) {}
  /// Both are built and outlive the part's work; nothing has happened yet.
  virtual void start(protocols::PacketNetwork& /*network*/, collectives::Executor& /*executor*/) {}

  /// Between windows: the next time at which it is to `look`.
  [[nodiscard]] virtual Picoseconds next_poll(Picoseconds /*now*/) const {
    return Picoseconds::max();
  }
  virtual void poll(Picoseconds /*now*/) {}
  /// The same, now and then.
  virtual void note_progress(std::uint64_t /*packet_hops*/) {}
  /// Whether the run restarts, because this part did not do as it should; asked at the end, too.
  [[nodiscard]] virtual bool is_abandoned() const { return false; }
  /// Packet-hops that another network has carried and that this one does not count, by now;
  /// nothing: it carries them all.
  [[nodiscard]] virtual std::optional<std::uint64_t> uncounted_hops() const { return {}; }
  virtual void begin_measurement(MeasurementBegin& /*begin*/) {}

  /// The run came to a standstill before its jobs had ended.
  virtual void note_standstill() {}
  /// It is over: `end` may still move.
  virtual void end(RunEnd& /*end*/, Results& /*results*/) {}
  /// Jobs, messages, iterations and pauses are collected.
  virtual void collect(Results& /*results*/) {}
  /// All else is collected.
  virtual void conclude(Results& /*results*/) {}
};

/// Has the network call `also` in every period, besides what it calls already.
inline void add_on_period(protocols::PacketNetwork::Options& options, std::function<void()> also) {
  if (!options.on_period) {
    options.on_period = std::move(also);
    return;
  }
  options.on_period = [first = std::move(options.on_period), then = std::move(also)] {
    first();
    then();
  };
}

}  // namespace weft::scenarios
