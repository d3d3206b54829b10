#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/timely/timely_config.hpp"
#include "protocols/congestion/timely/timely_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// TimelyConfig in the integers that the engine computes with.
struct TimelyParameters {
  explicit TimelyParameters(const TimelyConfig& config);

  using Share = Fixed<30>;

  Picoseconds low_threshold;
  Picoseconds high_threshold;
  Picoseconds minimum_rtt;
  Share ewma;
  Share beta;
  BitsPerSecond additive_increase;
  BitsPerSecond hyper_increase;
  std::uint32_t hyper_after;
  bool hyper_below_low;
  Bytes segment;
  BitsPerSecond minimum_rate;
};

/// Algorithm 1 of the paper for one queue pair, which starts at line rate. An update takes the
/// delay of the ACK that completes a segment, or a round trip: from the first bit of the packet
/// that it answers until it is back. The first ACK only begins the series.
class Timely : public TimelySpec {
 public:
  using Parameters = TimelyParameters;
  using Receiver = OnlyAcknowledges;

  void start(const Parameters& /*p*/, const FlowStart& start) {
    line_rate_ = rate_ = start.line_rate;
    packet_ = start.packet;
  }

  [[nodiscard]] BitsPerSecond rate() const { return rate_; }

  /// The rate changes with ACKs only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}

  /// The next packet waits as long as this one takes at the rate.
  Picoseconds on_sent(const Parameters& /*p*/, Bytes bytes, Picoseconds now) {
    last_sent_ = bytes;
    return now + gap();
  }
  [[nodiscard]] Picoseconds gap() const { return transmission_time(last_sent_, rate_); }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds /*now*/) {
    acknowledged_ += packet_ * ack.packets;
    if (delay_ == Picoseconds(0)) {
      delay_ = std::max(ack.delay, Picoseconds(1));
      round_end_ = ack.sent;
      return;
    }
    const bool is_due =
        p.segment == Bytes(0) ? is_past(ack.arrived, round_end_) : acknowledged_ >= p.segment;
    if (!is_due) return;
    acknowledged_ = Bytes(0);
    round_end_ = ack.sent;
    update(p, std::max(ack.delay, Picoseconds(1)));
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  /// Losses are the transport's.
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) {}
  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const { return kNoWindow; }

  void sample(const Parameters& p, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate_.count();
    if (delay_ == Picoseconds(0)) return;
    values[1] = delay_.count();
    values[2] = Fixed<32>::ratio(difference_, p.minimum_rtt).raw();
  }

 private:
  using Share = Parameters::Share;

  void update(const Parameters& p, Picoseconds delay) {
    const Picoseconds news = delay - delay_ - difference_;
    difference_ += news * p.ewma;
    delay_ = delay;
    if (delay < p.low_threshold) {
      p.hyper_below_low ? increase(p) : raise(p.additive_increase);
    } else if (delay > p.high_threshold) {
      decrease(p, scaled(p.beta, delay - p.high_threshold, delay));
    } else if (difference_ <= Picoseconds(0)) {
      increase(p);
    } else {
      decrease(p, scaled(p.beta, difference_, p.minimum_rtt));
    }
  }

  void raise(BitsPerSecond by) { rate_ = std::min(line_rate_, rate_ + by); }

  void increase(const Parameters& p) {
    raise(increases_ < p.hyper_after ? p.additive_increase : p.hyper_increase);
    if (increases_ < p.hyper_after) ++increases_;
  }

  /// By this share of the rate; a share of 1 and more is all of it.
  void decrease(const Parameters& p, Share share) {
    increases_ = 0;
    const Share kept = std::max(Share::one() - share, Share());
    rate_ = std::max(p.minimum_rate, rate_ * kept);
  }

  BitsPerSecond line_rate_;
  BitsPerSecond rate_;
  Bytes packet_;
  Bytes last_sent_;         ///< wire bytes of the last packet
  Bytes acknowledged_;      ///< since the last update
  Picoseconds delay_;       ///< of the last update; 0: no ACK has come
  Picoseconds difference_;  ///< of consecutive delays, smoothed
  std::uint32_t round_end_ = 0;
  std::uint32_t increases_ = 0;  ///< in a row, as far as they matter
};
static_assert(CongestionControl<Timely>);

}  // namespace weft::protocols::congestion
