#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/dctcp/dctcp_config.hpp"
#include "protocols/congestion/dctcp/dctcp_spec.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// DctcpConfig in the integers that the engine computes with.
struct DctcpParameters {
  explicit DctcpParameters(const DctcpConfig& config);

  /// Windows, in packets, and shares.
  using Number = Fixed<24>;
  static constexpr Number kMaxWindow = Number::whole(kMaxInFlight);

  Number gain;
  Number initial_alpha;
  Number initial_window;
  Number slow_start_limit;
  BitsPerSecond additive_increase;
  BitsPerSecond minimum_rate;
  bool is_rate;
  bool limits_flight;
  bool cuts_every_window;
};

/// Every mark comes back with the next ACK (section 3.1, with an ACK per packet).
struct DctcpReceiver {
  MarkResponse on_marked(const DctcpParameters& /*p*/, Picoseconds /*now*/) {
    return MarkResponse::kEcho;
  }
};

/// The sender of one queue pair. Alpha follows the share of marked packets once per window of them:
/// alpha <- (1 - g) alpha + g F; a cut is to 1 - alpha / 2. Between cuts the window grows as TCP's
/// does: by a packet per packet in slow start, then by one per window, and only while all of it is
/// in use (RFC 5681; RFC 7661 on why). No window is less than a packet. A NACK halves the window as
/// TCP's fast retransmit does, a time-out leaves one packet (RFC 8257, section 3.5); the rate form
/// leaves losses to the transport, as its source does.
class Dctcp : public DctcpSpec {
 public:
  using Parameters = DctcpParameters;
  using Receiver = DctcpReceiver;

  void start(const Parameters& p, const FlowStart& start) {
    line_rate_ = rate_ = start.line_rate;
    packet_ = start.packet;
    base_rtt_ = start.base_rtt;
    alpha_ = p.initial_alpha;
    window_ = window_before_ = p.initial_window;
    threshold_ = p.slow_start_limit;
  }

  /// Everything changes with ACKs only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}

  Picoseconds on_sent(const Parameters& p, Bytes bytes, Picoseconds now) {
    if (!p.is_rate) return Picoseconds(0);
    last_sent_ = bytes;
    return now + gap();
  }
  /// Of the rate form.
  [[nodiscard]] Picoseconds gap() const { return transmission_time(last_sent_, rate_); }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds /*now*/) {
    delay_ = ack.delay;
    seen_ += ack.packets;
    if (ack.is_marked) {
      marked_ += ack.packets;
      threshold_ = std::min(threshold_, window_);
    }
    if (is_recovering_ && is_past(ack.arrived, recovery_end_)) is_recovering_ = false;
    const bool is_round_over = ends_round(p, ack);
    if (is_round_over) end_round(p, ack);
    if (ack.is_marked && !is_recovering_ && !p.cuts_every_window) {
      cut(p, ack);
    }
    if (is_recovering_ || !ack.may_grow) return;
    if (!p.is_rate) {
      grow(ack);
    } else if (is_round_over) {
      rate_ = std::min(line_rate_, rate_ + p.additive_increase);
    }
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}

  void on_loss(const Parameters& p, LossSignal signal, Picoseconds /*now*/) {
    if (p.is_rate) return;
    threshold_ = std::max(window_ / 2, Number::one());
    window_ = signal == LossSignal::kNack ? threshold_ : Number::one();
  }

  [[nodiscard]] std::uint32_t window(const Parameters& p) const {
    if (!p.is_rate) return static_cast<std::uint32_t>(window_.floor());
    return p.limits_flight ? window_of(rate_, base_rtt_, packet_) : kNoWindow;
  }

  void sample(const Parameters& p, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate_.count();
    values[1] = alpha_.in<32>().raw();
    if (delay_ == Picoseconds(0)) return;
    values[3] = delay_.count();
    if (p.is_rate) return;
    const Picoseconds full = transmission_time(packet_, line_rate_);
    values[0] = std::min(line_rate_, scaled(line_rate_, full * window_, delay_)).count();
    values[2] = window_.in<32>().raw();
  }

  /// Packets that may be in flight, and the share of marked ones.
  [[nodiscard]] Parameters::Number window_fixed() const { return window_; }
  [[nodiscard]] Parameters::Number alpha_fixed() const { return alpha_; }
  [[nodiscard]] BitsPerSecond rate() const { return rate_; }

 private:
  using Number = Parameters::Number;

  /// Whether a window of packets has been acknowledged since alpha changed last: as many as the
  /// window had then (csg-htsim), or what had been sent by then.
  [[nodiscard]] bool ends_round(const Parameters& p, const Acknowledgement& ack) const {
    if (p.cuts_every_window) return Number::whole(seen_) >= window_before_;
    return is_past(ack.arrived, round_end_);
  }

  void end_round(const Parameters& p, const Acknowledgement& ack) {
    round_end_ = ack.sent;
    if (!has_begun_ && !p.cuts_every_window) {
      has_begun_ = true;  // what had been sent by the first ACK makes the first round
      return;
    }
    if (seen_ == 0) return;
    const Number share = Number::whole(marked_) / seen_;
    alpha_ += (share - alpha_) * p.gain;
    seen_ = marked_ = 0;
    if (p.cuts_every_window && alpha_ > Number()) threshold_ = window_ = reduced();
    window_before_ = window_;
  }

  void cut(const Parameters& p, const Acknowledgement& ack) {
    is_recovering_ = true;
    recovery_end_ = ack.sent;
    if (p.is_rate) {
      rate_ = std::max(p.minimum_rate, rate_ - scaled(rate_, alpha_, kTwo));
    } else {
      threshold_ = window_ = reduced();
    }
  }

  [[nodiscard]] Number reduced() const {
    return std::max(Number::one(), window_ - scaled(window_, alpha_, kTwo));
  }

  /// By what became free in flight, at most what was acknowledged; not by anything while less was
  /// in flight than the window allows.
  void grow(const Acknowledgement& ack) {
    const Number in_flight = Number::whole(ack.sent - ack.arrived);
    const Number acknowledged = Number::whole(ack.packets);
    if (in_flight + acknowledged + Number::one() <= window_) return;
    Number gain = std::clamp(window_ - in_flight, Number(), acknowledged);
    if (window_ >= threshold_) gain = gain / window_;
    window_ = std::min(Parameters::kMaxWindow, window_ + gain);
  }

  static constexpr Number kTwo = Number::whole(2);

  BitsPerSecond line_rate_;
  BitsPerSecond rate_;
  Bytes packet_;
  Bytes last_sent_;  ///< wire bytes of the last packet; of the rate form
  Picoseconds base_rtt_;
  Picoseconds delay_;
  Number window_ = Number::one();
  Number window_before_ = Number::one();  ///< when alpha changed last
  Number threshold_;                      ///< where slow start ends
  Number alpha_;
  std::uint32_t seen_ = 0;  ///< packets acknowledged since alpha changed last
  std::uint32_t marked_ = 0;
  std::uint32_t round_end_ = 0;
  std::uint32_t recovery_end_ = 0;
  bool has_begun_ = false;
  bool is_recovering_ = false;  ///< cut, and not all that was sent by then has arrived
};
static_assert(CongestionControl<Dctcp>);

}  // namespace weft::protocols::congestion
