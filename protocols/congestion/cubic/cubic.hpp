#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/cubic/cubic_config.hpp"
#include "protocols/congestion/cubic/cubic_curve.hpp"
#include "protocols/congestion/cubic/cubic_spec.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/tcp_window.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// CubicConfig in the integers that the engine computes with.
struct CubicParameters {
  explicit CubicParameters(const CubicConfig& config);

  TcpWindow::Number c;  ///< packets per cubic second
  TcpWindow::Number beta;
  TcpWindow::Number alpha;  ///< packets per window of Reno's increase, for the same average
  TcpWindowConfig window;
  bool fast_convergence;
  bool reno_friendly;
};

/// CUBIC for one queue pair (RFC 9438). In congestion avoidance the window follows
/// W(t) = C (t - K)^3 + W_max, t since it began; where Reno would have more by now, that (W_est).
/// Times in which less is in flight than the window allows do not count (section 5.8).
class Cubic : public CubicSpec {
 public:
  using Parameters = CubicParameters;
  using Receiver = EchoesUntilReduced;

  void start(const Parameters& p, const FlowStart& start) { window_.start(p.window, start); }

  /// The window changes with ACKs and losses only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}
  Picoseconds on_sent(const Parameters& /*p*/, Bytes /*bytes*/, Picoseconds /*now*/) {
    return Picoseconds(0);
  }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds now) {
    const Picoseconds since_last = now - last_ack_;
    last_ack_ = now;
    window_.on_ack(ack);
    if (p.window.ecn && window_.asks_to_reduce(ack)) return reduce(p, true);
    if (!window_.may_grow(ack)) {
      epoch_ += since_last;
      return;
    }
    const Number rest = window_.slow_start(ack.packets);
    if (rest > Number()) avoid_congestion(p, rest, now);
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}

  void on_loss(const Parameters& p, LossSignal signal, Picoseconds /*now*/) {
    if (signal == LossSignal::kNack) {
      if (!window_.is_reducing()) reduce(p, false);
      return;
    }
    // Section 4.8: the next stage of congestion avoidance begins on its plateau.
    prior_ = window_.window();
    window_.time_out(p.beta);
    plateau_ = Number();
    is_avoiding_ = false;
  }

  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const { return window_.packets(); }

  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    window_.sample(values.first<TcpWindow::kColumns.size()>());
    if (is_avoiding_) values[4] = plateau_.in<32>().raw();
  }

  /// Packets that may be in flight.
  [[nodiscard]] TcpWindow::Number window_fixed() const { return window_.window(); }
  /// K: from the beginning of congestion avoidance until the window is W_max again.
  [[nodiscard]] Picoseconds time_to_plateau() const { return cubic_curve::picoseconds(ascent_); }

 private:
  using Number = TcpWindow::Number;

  /// Sections 4.6 and 4.7.
  void reduce(const Parameters& p, bool by_mark) {
    prior_ = window_.window();
    const bool makes_room = p.fast_convergence && prior_ < plateau_;
    plateau_ = makes_room ? scaled(prior_, Number::one() + p.beta, Number::whole(2)) : prior_;
    window_.reduce(p.beta, by_mark);
    is_avoiding_ = false;
  }

  /// Congestion avoidance begins (section 4.2); where nothing was reduced, on the plateau.
  void begin(const Parameters& p, Picoseconds now) {
    is_avoiding_ = true;
    epoch_ = now;
    reno_ = window_.window();
    plateau_ = std::max(plateau_, window_.window());
    ascent_ = cubic_curve::root(plateau_ - window_.window(), p.c);
  }

  /// `acknowledged`: packets.
  void avoid_congestion(const Parameters& p, Number acknowledged, Picoseconds now) {
    if (!is_avoiding_) begin(p, now);
    const Picoseconds age = now - epoch_;
    const Number window = window_.window();
    if (p.reno_friendly) {
      const Number gain = reno_ < prior_ ? p.alpha : TcpWindow::kOne;
      reno_ = std::min(TcpWindow::kMax, reno_ + scaled(gain, acknowledged, window));
      if (reno_ > at(p, age)) return window_.set(std::max(window, reno_));
    }
    const Number target = std::clamp(at(p, age + window_.delay()), window, window + window / 2);
    window_.add_per_window(target - window, acknowledged);
  }

  /// W(t).
  [[nodiscard]] Number at(const Parameters& p, Picoseconds age) const {
    return plateau_ + cubic_curve::above_plateau(cubic_curve::ticks(age) - ascent_, p.c);
  }

  TcpWindow window_;
  Picoseconds last_ack_;
  Picoseconds epoch_;          ///< when congestion avoidance began
  Number plateau_;             ///< W_max
  Number prior_;               ///< the window before the last reduction
  Number reno_;                ///< W_est
  cubic_curve::Ticks ascent_;  ///< K
  bool is_avoiding_ = false;
};
static_assert(CongestionControl<Cubic>);

}  // namespace weft::protocols::congestion
