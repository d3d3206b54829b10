#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "protocols/dcqcn/dcqcn_config.hpp"
#include "simcore/units.hpp"

namespace weft::protocols {

/// DcqcnConfig in the integers the engine computes with: alpha and its gain in units of 2^-30.
struct DcqcnParameters {
  explicit DcqcnParameters(const DcqcnConfig& config);

  static constexpr int kAlphaBits = 30;
  static constexpr std::uint64_t kAlphaOne = std::uint64_t{1} << kAlphaBits;

  std::uint64_t gain;
  std::uint64_t initial_alpha;
  std::int64_t alpha_timer;
  std::int64_t cnp_interval;
  std::int64_t decrease_period;
  std::int64_t increase_timer;
  std::int64_t byte_counter;
  std::int64_t additive_increase;
  std::int64_t hyper_increase;
  std::int64_t minimum_rate;
  std::uint32_t fast_recovery_steps;
  bool cnp_on_ack;
  bool cut_on_cnp;
  bool clamp_always;
  bool first_cnp_cuts;
};

/// The reaction point of one queue pair.
///
/// Nothing reads the rate between packets, so the timers (alpha, decrease check, rate increase)
/// need no events: whoever is about to use or change the state first catches it up to the present,
/// expiry by expiry in time order, exactly as if each had fired. At equal time alpha goes first,
/// then the decrease check, then the increase. Until the first CNP the queue pair sends at line
/// rate and none of this runs.
class Dcqcn {
 public:
  [[nodiscard]] bool active() const { return active_; }
  /// Bits per second; valid while active and caught up.
  [[nodiscard]] std::int64_t rate() const { return rate_; }
  [[nodiscard]] std::int64_t target() const { return target_; }
  /// In units of 2^-30.
  [[nodiscard]] std::int64_t alpha_fixed() const { return static_cast<std::int64_t>(alpha_); }
  [[nodiscard]] double alpha() const {
    return static_cast<double>(alpha_) / static_cast<double>(DcqcnParameters::kAlphaOne);
  }

  /// Lets every timer that expired at or before `now` take effect.
  void catch_up(const DcqcnParameters& p, std::int64_t now) {
    for (;;) {
      const std::int64_t decrease = cnp_for_cut_ ? next_decrease_ : kNever;
      const std::int64_t next = std::min({next_alpha_, decrease, next_increase_});
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
      next_decrease_ += ((now - next_decrease_) / p.decrease_period + 1) * p.decrease_period;
    }
  }

  /// A packet of `bytes` was sent; the caller has caught up.
  void on_sent(const DcqcnParameters& p, std::int64_t bytes) {
    if (p.byte_counter == 0) return;
    bytes_left_ -= bytes;
    while (bytes_left_ <= 0) {
      bytes_left_ += p.byte_counter;
      increase(p);
      ++byte_stage_;
    }
  }

  /// A congestion notification reached the sender.
  void on_cnp(const DcqcnParameters& p, std::int64_t line_rate, std::int64_t now) {
    if (!active_) {
      activate(p, line_rate, now);
      return;
    }
    catch_up(p, now);
    if (p.cut_on_cnp) {
      cut(p, now);
      raise_alpha(p);
      next_alpha_ = now + p.alpha_timer;
    } else {
      cnp_for_alpha_ = true;
      cnp_for_cut_ = true;
    }
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  void activate(const DcqcnParameters& p, std::int64_t line_rate, std::int64_t now) {
    active_ = true;
    line_rate_ = rate_ = target_ = line_rate;
    alpha_ = p.initial_alpha;
    next_alpha_ = now + p.alpha_timer;
    bytes_left_ = p.byte_counter;
    if (p.cut_on_cnp) {
      cut(p, now);
      raise_alpha(p);
    } else {
      // The increase timer starts with the first cut.
      next_decrease_ = now + p.decrease_period;
      cnp_for_cut_ = p.first_cnp_cuts;
    }
  }

  void raise_alpha(const DcqcnParameters& p) {
    alpha_ += ((DcqcnParameters::kAlphaOne - alpha_) * p.gain) >> DcqcnParameters::kAlphaBits;
  }

  void update_alpha(const DcqcnParameters& p, std::int64_t now) {
    next_alpha_ += p.alpha_timer;
    if (cnp_for_alpha_) {
      raise_alpha(p);
      cnp_for_alpha_ = false;
      return;
    }
    const std::uint64_t loss = (alpha_ * p.gain) >> DcqcnParameters::kAlphaBits;
    alpha_ -= loss;
    // Decayed to the resolution of the representation: further expiries change nothing.
    if (loss == 0 && next_alpha_ <= now) {
      next_alpha_ += ((now - next_alpha_) / p.alpha_timer + 1) * p.alpha_timer;
    }
  }

  void cut(const DcqcnParameters& p, std::int64_t when) {
    if (p.clamp_always || timer_stage_ > 0 || byte_stage_ > 0) target_ = rate_;
    __extension__ using Wide = unsigned __int128;
    const auto reduction = static_cast<std::int64_t>((static_cast<Wide>(rate_) * alpha_) >>
                                                     (DcqcnParameters::kAlphaBits + 1));
    rate_ = std::max(p.minimum_rate, rate_ - reduction);
    timer_stage_ = byte_stage_ = 0;
    bytes_left_ = p.byte_counter;
    next_increase_ = when + p.increase_timer;
  }

  void increase(const DcqcnParameters& p) {
    const std::uint32_t most = std::max(timer_stage_, byte_stage_);
    const std::uint32_t least =
        p.byte_counter == 0 ? timer_stage_ : std::min(timer_stage_, byte_stage_);
    if (most >= p.fast_recovery_steps) {
      target_ += least > p.fast_recovery_steps ? p.hyper_increase : p.additive_increase;
      target_ = std::min(target_, line_rate_);
    }
    rate_ = (rate_ + target_) / 2;
  }

  std::int64_t rate_ = 0;
  std::int64_t target_ = 0;
  std::int64_t line_rate_ = 0;
  std::uint64_t alpha_ = 0;
  std::int64_t next_alpha_ = kNever;
  std::int64_t next_decrease_ = kNever;
  std::int64_t next_increase_ = kNever;
  std::int64_t bytes_left_ = 0;
  std::uint32_t timer_stage_ = 0;
  std::uint32_t byte_stage_ = 0;
  bool active_ = false;
  bool cnp_for_alpha_ = false;
  bool cnp_for_cut_ = false;
};

}  // namespace weft::protocols
