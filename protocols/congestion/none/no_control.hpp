#pragma once

#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/none/no_control_spec.hpp"

namespace weft::protocols::congestion {

/// `congestion_control: none`: every queue pair sends at line rate, whatever it hears. The engine
/// keeps no state for it.
class NoControl : public NoControlSpec {
 public:
  using Parameters = NoControlConfig;
  using Receiver = OnlyAcknowledges;

  void start(const Parameters& /*p*/, const FlowStart& /*start*/) {}
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}
  Picoseconds on_sent(const Parameters& /*p*/, Bytes /*bytes*/, Picoseconds /*now*/) {
    return Picoseconds(0);
  }
  void on_ack(const Parameters& /*p*/, const Acknowledgement& /*ack*/, Picoseconds /*now*/) {}
  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) {}
  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const { return kNoWindow; }
  void sample(const Parameters& /*p*/, std::span<std::int64_t, 0> /*values*/) const {}
};
static_assert(CongestionControl<NoControl>);

}  // namespace weft::protocols::congestion
