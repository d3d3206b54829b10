#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/dcqcn/dcqcn_config.hpp"
#include "protocols/congestion/dcqcn/dcqcn_spec.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// DcqcnConfig in the integers the engine computes with.
struct DcqcnParameters {
  explicit DcqcnParameters(const DcqcnConfig& config);

  using Alpha = Fixed<30>;

  Alpha gain;
  Alpha initial_alpha;
  Picoseconds alpha_timer;
  Picoseconds cnp_interval;
  Picoseconds decrease_period;
  Picoseconds increase_timer;
  Bytes byte_counter;
  BitsPerSecond additive_increase;
  BitsPerSecond hyper_increase;
  BitsPerSecond minimum_rate;
  BitsPerSecond at_rate;  ///< 0: steps are the same everywhere
  std::uint32_t fast_recovery_steps;
  bool cnp_on_ack;
  bool cut_on_cnp;
  bool clamp_always;
  bool first_cnp_cuts;
  bool limits_flight;
};

/// The notification point: at most one CNP per queue pair and interval, or a flag on the ACK.
class DcqcnReceiver {
 public:
  MarkResponse on_marked(const DcqcnParameters& p, Picoseconds now) {
    if (p.cnp_on_ack) return MarkResponse::kEcho;
    if (now - last_cnp_ < p.cnp_interval) return MarkResponse::kNothing;
    last_cnp_ = now;
    return MarkResponse::kNotify;
  }

 private:
  Picoseconds last_cnp_{std::numeric_limits<std::int64_t>::min() / 2};
};

/// The reaction point of one queue pair.
///
/// Nothing reads the rate between packets, so the timers (alpha, decrease check, rate increase)
/// need no events: whoever is about to use or change the state first catches it up to the present,
/// expiry by expiry in time order, exactly as if each had fired. At equal time alpha goes first,
/// then the decrease check, then the increase. Until the first CNP the queue pair sends at line
/// rate and none of this runs.
class Dcqcn : public DcqcnSpec {
 public:
  using Parameters = DcqcnParameters;
  using Receiver = DcqcnReceiver;

  void start(const Parameters& p, const FlowStart& start) {
    line_rate_ = rate_ = target_ = start.line_rate;
    if (!p.limits_flight) return;
    const auto packets = Window::ratio(bytes_in(start.base_rtt, line_rate_), start.packet);
    const Window window = std::min(packets + Window::unit(), Window::whole(kMaxInFlight));
    window_ = static_cast<std::uint32_t>(window.raw());
  }

  [[nodiscard]] bool active() const { return active_; }
  /// Valid while caught up.
  [[nodiscard]] BitsPerSecond rate() const { return rate_; }
  [[nodiscard]] BitsPerSecond target() const { return target_; }
  [[nodiscard]] double alpha() const { return alpha_.to_double(); }

  /// Lets every timer that expired at or before `now` take effect.
  void on_timer(const Parameters& p, Picoseconds now) {
    for (;;) {
      const Picoseconds decrease = cnp_for_cut_ ? next_decrease_ : kNever;
      const Picoseconds next = std::min({next_alpha_, decrease, next_increase_});
      if (next > now) break;
      if (next == next_alpha_) {
        update_alpha(p, now);
      } else if (next == decrease) {
        next_decrease_ += p.decrease_period;
        cnp_for_cut_ = false;
        cut(p, next);
      } else {
        next_increase_ += p.increase_timer;
        increase(p);
        ++timer_stage_;
      }
    }
    // Checks without a CNP do nothing; skip the ones that lie in the past.
    if (!p.cut_on_cnp && next_decrease_ <= now) {
      next_decrease_ += p.decrease_period * ((now - next_decrease_) / p.decrease_period + 1);
    }
  }

  /// The next packet waits as long as this one takes at the rate of before it.
  Picoseconds on_sent(const Parameters& p, Bytes bytes, Picoseconds now) {
    if (!active_) return Picoseconds(0);
    const Picoseconds next = now + transmission_time(bytes, rate_);
    if (p.byte_counter == Bytes(0)) return next;
    bytes_left_ -= bytes;
    while (bytes_left_ <= Bytes(0)) {
      bytes_left_ += byte_counter(p);
      increase(p);
      ++byte_stage_;
    }
    return next;
  }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds now) {
    if (ack.is_marked) on_notified(p, now);
  }

  void on_notified(const Parameters& p, Picoseconds now) {
    if (!active_) {
      activate(p, now);
    } else if (p.cut_on_cnp) {
      cut(p, now);
      raise_alpha(p);
      next_alpha_ = now + p.alpha_timer;
    } else {
      cnp_for_alpha_ = true;
      cnp_for_cut_ = true;
    }
  }

  /// Losses are the transport's.
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) {}
  [[nodiscard]] std::uint32_t window(const Parameters& p) const {
    if (!p.limits_flight) return kNoWindow;
    const Window window = scaled(Window::from_raw(window_), rate_, line_rate_);
    return static_cast<std::uint32_t>(std::max<std::int64_t>(window.ceil(), 1));
  }

  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate_.count();
    values[1] = target_.count();
    if (active_) values[2] = alpha_.in<32>().raw();
  }

 private:
  static constexpr Picoseconds kNever = Picoseconds::max();
  using Alpha = Parameters::Alpha;
  /// Packets.
  using Window = Fixed<8>;

  /// What is meant for links of `at_rate`, at this one.
  template <class Tag>
  [[nodiscard]] Quantity<Tag> at_this_rate(const Parameters& p, Quantity<Tag> value) const {
    if (p.at_rate == BitsPerSecond()) [[likely]]
      return value;
    return scaled(value, line_rate_, p.at_rate);
  }
  /// At least a byte where there is a counter.
  [[nodiscard]] Bytes byte_counter(const Parameters& p) const {
    if (p.byte_counter == Bytes(0)) return p.byte_counter;
    return std::max(at_this_rate(p, p.byte_counter), Bytes(1));
  }

  void activate(const Parameters& p, Picoseconds now) {
    active_ = true;
    alpha_ = p.initial_alpha;
    next_alpha_ = now + p.alpha_timer;
    bytes_left_ = byte_counter(p);
    if (p.cut_on_cnp) {
      cut(p, now);
      raise_alpha(p);
    } else {
      // The increase timer starts with the first cut.
      next_decrease_ = now + p.decrease_period;
      cnp_for_cut_ = p.first_cnp_cuts;
    }
  }

  void raise_alpha(const Parameters& p) { alpha_ += (Alpha::one() - alpha_) * p.gain; }

  void update_alpha(const Parameters& p, Picoseconds now) {
    next_alpha_ += p.alpha_timer;
    if (cnp_for_alpha_) {
      raise_alpha(p);
      cnp_for_alpha_ = false;
      return;
    }
    const Alpha loss = alpha_ * p.gain;
    alpha_ -= loss;
    // Decayed to the resolution of the representation: further expiries change nothing.
    if (loss == Alpha() && next_alpha_ <= now) {
      next_alpha_ += p.alpha_timer * ((now - next_alpha_) / p.alpha_timer + 1);
    }
  }

  void cut(const Parameters& p, Picoseconds when) {
    if (p.clamp_always || timer_stage_ > 0 || byte_stage_ > 0) target_ = rate_;
    const BitsPerSecond reduction = scaled(rate_, alpha_, Alpha::whole(2));
    const BitsPerSecond min = std::min(line_rate_, at_this_rate(p, p.minimum_rate));
    rate_ = std::max(min, rate_ - reduction);
    timer_stage_ = byte_stage_ = 0;
    bytes_left_ = byte_counter(p);
    next_increase_ = when + p.increase_timer;
  }

  void increase(const Parameters& p) {
    const std::uint32_t max = std::max(timer_stage_, byte_stage_);
    const std::uint32_t min =
        p.byte_counter == Bytes(0) ? timer_stage_ : std::min(timer_stage_, byte_stage_);
    if (max >= p.fast_recovery_steps) {
      target_ +=
          at_this_rate(p, min > p.fast_recovery_steps ? p.hyper_increase : p.additive_increase);
      target_ = std::min(target_, line_rate_);
    }
    rate_ = (rate_ + target_) / 2;
  }

  BitsPerSecond rate_;
  BitsPerSecond target_;
  BitsPerSecond line_rate_;
  Alpha alpha_;
  Picoseconds next_alpha_ = kNever;
  Picoseconds next_decrease_ = kNever;
  Picoseconds next_increase_ = kNever;
  Bytes bytes_left_;
  std::uint32_t timer_stage_ = 0;
  std::uint32_t byte_stage_ = 0;
  std::uint32_t window_ = 0;  ///< at line rate, the units of Window; 0: none
  bool active_ = false;
  bool cnp_for_alpha_ = false;
  bool cnp_for_cut_ = false;
};
static_assert(CongestionControl<Dcqcn>);

}  // namespace weft::protocols::congestion
