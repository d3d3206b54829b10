#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/new_reno/new_reno_config.hpp"
#include "protocols/congestion/new_reno/new_reno_spec.hpp"
#include "protocols/congestion/tcp_window.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// TCP NewReno for one queue pair (RFC 5681): slow start, then a packet per round trip; half of the
/// window at a mark or a loss, one packet after a time-out.
class NewReno : public NewRenoSpec {
 public:
  using Parameters = NewRenoConfig;
  using Receiver = EchoesUntilReduced;

  void start(const Parameters& p, const FlowStart& start) { window_.start(p.window, start); }

  /// The window changes with ACKs and losses only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}
  Picoseconds on_sent(const Parameters& /*p*/, Bytes /*bytes*/, Picoseconds /*now*/) {
    return Picoseconds(0);
  }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds /*now*/) {
    window_.on_ack(ack);
    if (p.window.ecn && window_.asks_to_reduce(ack)) {
      window_.reduce(kHalf, true);
    } else if (window_.may_grow(ack)) {
      const TcpWindow::Number rest = window_.slow_start(ack.packets);
      if (rest > TcpWindow::Number()) window_.add_per_window(TcpWindow::kOne, rest);
    }
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}

  void on_loss(const Parameters& /*p*/, LossSignal signal, Picoseconds /*now*/) {
    if (signal == LossSignal::kTimeout) {
      window_.time_out(kHalf);
    } else if (!window_.is_reducing()) {
      window_.reduce(kHalf, false);
    }
  }

  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const { return window_.packets(); }

  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    window_.sample(values);
  }

  /// Packets that may be in flight.
  [[nodiscard]] TcpWindow::Number window_fixed() const { return window_.window(); }

 private:
  static constexpr TcpWindow::Number kHalf = TcpWindow::kOne / 2;

  TcpWindow window_;
};
static_assert(CongestionControl<NewReno>);

}  // namespace weft::protocols::congestion
