#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/tcp_window_config.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// What the windows of TCP's congestion controls have in common: slow start up to a threshold, and
/// one reduction per window of data, whether a mark or a loss asked for it (RFC 5681, RFC 3168
/// 6.1.2).
///
/// Slow start counts packets, not ACKs, so that a receiver that acknowledges every second one does
/// not slow it down (RFC 3465; Linux). What is reduced is the window, which grows only while all of
/// it is in use (RFC 7661), not the flight, as RFC 5681 has it; Linux does the same.
class TcpWindow {
 public:
  /// Packets, and shares of a window.
  using Number = Fixed<24>;
  static constexpr Number kOne = Number::one();
  static constexpr Number kMax = Number::whole(kMaxInFlight);

  static constexpr const auto& kColumns = kTcpWindowColumns;

  void start(const TcpWindowConfig& config, const FlowStart& flow) {
    line_rate_ = flow.line_rate;
    packet_ = flow.packet;
    window_ = Number::whole(config.initial);
    if (config.slow_start_limit > 0) threshold_ = Number::whole(config.slow_start_limit);
  }

  /// To be told of every ACK, first of all.
  void on_ack(const Acknowledgement& ack) {
    delay_ = ack.delay;
    sent_ = ack.sent;
    if (ack.packets > 0) timeouts_ = 0;
    if (is_reducing_ && is_past(ack.arrived, reduced_at_)) is_reducing_ = false;
  }
  /// Whether a mark that this ACK echoes is the first of a window of data.
  [[nodiscard]] bool asks_to_reduce(const Acknowledgement& ack) const {
    return ack.is_marked && ack.may_grow && !is_reducing_;
  }
  /// Whether the window may grow by this ACK: not after a reduction, before what had been sent by
  /// then has arrived, nor while less was in flight than it allows. Slow start asks for half of it:
  /// what ACKs allow at twice the rate of the link waits at the NIC (as Linux has it).
  [[nodiscard]] bool may_grow(const Acknowledgement& ack) const {
    if (is_reducing_ || !ack.may_grow) return false;
    const Number in_flight = Number::whole(ack.sent - ack.arrived + ack.packets);
    return window_ < (window_ < threshold_ ? 2 * in_flight : in_flight + kOne);
  }
  /// Slow start for `packets` acknowledged packets; returns those left for congestion avoidance.
  [[nodiscard]] Number slow_start(std::uint32_t packets) {
    const Number acknowledged = Number::whole(packets);
    if (window_ >= threshold_) return acknowledged;
    const Number gain = std::min(acknowledged, threshold_ - window_);
    window_ += gain;
    return acknowledged - gain;
  }
  /// By `packets` per window, of that many that were acknowledged.
  void add_per_window(Number packets, Number acknowledged) {
    set(window_ + scaled(packets, acknowledged, window_));
  }
  void set(Number window) { window_ = std::clamp(window, kOne, kMax); }

  /// A reduction to `share`, by a mark or a loss. The threshold is two packets
  /// at least (RFC 5681, equation 4), and so is the window after a loss (RFC 9438, 4.6).
  void reduce(Number share, bool by_mark) {
    const Number reduced = window_ * share;
    threshold_ = std::max(reduced, 2 * kOne);
    set(by_mark ? reduced : threshold_);
    reduced_at_ = sent_;
    is_reducing_ = true;
  }
  /// Back to one packet; only the first of several time-outs in a row says what the path bears.
  void time_out(Number share) {
    if (timeouts_++ == 0) threshold_ = std::max(window_ * share, 2 * kOne);
    window_ = kOne;
    is_reducing_ = false;
  }

  [[nodiscard]] Number window() const { return window_; }
  [[nodiscard]] Number threshold() const { return threshold_; }
  [[nodiscard]] bool is_reducing() const { return is_reducing_; }
  [[nodiscard]] std::uint32_t packets() const {
    return static_cast<std::uint32_t>(window_.floor());
  }

  /// Of the last ACK; 0 before the first.
  [[nodiscard]] Picoseconds delay() const { return delay_; }
  /// The values of `kColumns`.
  void sample(std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate().count();
    values[1] = window_.in<32>().raw();
    if (threshold_ < kMax) values[2] = threshold_.in<32>().raw();
    if (delay_ > Picoseconds(0)) values[3] = delay_.count();
  }

 private:
  /// What the window sends at while ACKs take as long as the last one.
  [[nodiscard]] BitsPerSecond rate() const {
    if (delay_ <= Picoseconds(0)) return line_rate_;
    const Picoseconds busy = transmission_time(packet_, line_rate_) * window_;
    return std::min(line_rate_, scaled(line_rate_, busy, delay_));
  }

  Number window_ = kOne;
  Number threshold_ = kMax;
  BitsPerSecond line_rate_;
  Bytes packet_;
  Picoseconds delay_;
  std::uint32_t sent_ = 0;
  std::uint32_t reduced_at_ = 0;  ///< what had been sent at the last reduction
  std::uint32_t timeouts_ = 0;    ///< in a row
  bool is_reducing_ = false;
};

/// A receiver of TCP that knows ECN (RFC 3168): all ACKs carry a mark until the sender says that it
/// has reduced its window.
struct EchoesUntilReduced {
  template <class Parameters>
  MarkResponse on_marked(const Parameters& p, Picoseconds /*now*/) {
    return p.window.ecn ? MarkResponse::kEchoUntilReduced : MarkResponse::kNothing;
  }
};

}  // namespace weft::protocols::congestion
