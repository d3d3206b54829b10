#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/nscc/nscc_spec.hpp"

namespace weft::protocols::congestion {

/// NsccConfig in the integers that the engine computes with.
struct NsccParameters {
  using Share = Fixed<24>;

  explicit NsccParameters(const NsccConfig& c)
      : config(c),
        is_htsim(c.preset == NsccConfig::Preset::kHtsim),
        max_window(Share::nearest(c.max_window)),
        gamma(Share::nearest(c.gamma)),
        max_decrease(Share::nearest(c.max_decrease)),
        delay_gain(Share::nearest(c.delay_gain)) {}

  NsccConfig config;
  bool is_htsim;
  Share max_window;
  Share gamma;
  Share max_decrease;
  Share delay_gain;
};

/// The window of a congestion context: of all queue pairs from a host to another one in a class. It
/// counts bytes. Names are those of 3.6.13 where members say so.
class alignas(64) Nscc : public NsccSpec {
 public:
  using Parameters = NsccParameters;
  using Receiver = OnlyAcknowledges;

  void start(const Parameters& p, const FlowStart& start) {
    const NsccConfig& c = p.config;
    line_rate_ = start.line_rate;
    rtt_ = base_rtt_ = c.base_rtt.value_or(start.base_rtt);
    target_ = rtt_ * Share::nearest(c.target.value_or(start.trims ? 0.75 : 1.0));
    const Share a = Share::ratio(bytes_in(rtt_, line_rate_).count(), 150'000);
    const Share b = Share::ratio(target_, Picoseconds(12'000'000));
    const auto payload = static_cast<double>(start.payload.count());
    proportional_ = Amount::nearest(c.proportional * payload) * a * b;
    fair_ = Amount::nearest(c.fair * payload) * a;
    steady_ = Amount::nearest(c.steady * payload) * a;
    fast_ = Share::nearest(c.fast) * a;
    mtu_ = p.is_htsim ? start.packet : start.payload;
    set_max_window(p);
    window_ = Amount::whole(max_window_.count());
    quick_delay_ = quick_delay_of(p, start);
  }

  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}
  Picoseconds on_sent(const Parameters& /*p*/, Bytes /*bytes*/, Picoseconds /*now*/) {
    return Picoseconds(0);
  }
  void on_ack(const Parameters& /*p*/, const Acknowledgement& /*ack*/, Picoseconds /*now*/) {}
  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) {}
  /// It counts bytes.
  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const { return kNoWindow; }
  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = window_.floor();
    values[1] = in_flight_.count();
    values[2] = average_delay_.count();
  }

  // What contexts ask and tell (CountsBytes).

  [[nodiscard]] bool may_send(const Parameters& p, Bytes packet) const {
    return in_flight_ + (p.is_htsim ? packet : mtu_) <= window();
  }
  /// Whether a packet that is about to be sent asks for an ACK, where receivers send one per
  /// `per_ack` bytes by themselves.
  [[nodiscard]] bool asks_ack(const Parameters& p, Bytes packet, Bytes per_ack) const {
    const Bytes left = window() - in_flight_ - packet;
    return p.is_htsim ? left <= mtu_ : left < mtu_ || window() < per_ack;
  }
  void on_packet(const Parameters& /*p*/, Bytes packet, Picoseconds now) {
    if (!has_sent_) {
      has_sent_ = true;
      last_adjust_ = last_decrease_ = now;
    }
    in_flight_ += packet;
  }
  /// A packet that counts as lost has arrived, or will be sent again no more.
  void on_found(const Parameters& /*p*/, Bytes packet) { in_flight_ += packet; }

  void on_answer(const Parameters& p, const ContextAck& ack, Picoseconds now) {
    in_flight_ -= ack.fresh;
    received_ += ack.fresh;
    achieved_ += ack.fresh;
    ignored_ += ack.fresh;
    Picoseconds delay = average_delay_;
    if (ack.round_trip) {
      delay = measure(p, *ack.round_trip, ack.is_marked);
    } else if (!p.is_htsim) {
      return;
    }
    if (adapts_quickly(p, false, ack.is_marked, delay, now)) return;
    const bool is_late = delay >= target_;
    if (!ack.is_marked && is_late) {
      increase_ += scaled_increase(fair_, ack.fresh);
    } else if (!ack.is_marked) {
      grow(ack.fresh, delay);
    } else if (is_late) {
      shrink(p, now);
    }
    adjust(p, now);
  }

  /// A packet was trimmed, and is to be sent again. `is_settled`: at the last hop, whose load
  /// credit of the receiver settles.
  void on_nack(const Parameters& p, Bytes packet, bool is_marked, Picoseconds now,
               bool is_settled = false) {
    in_flight_ -= packet;
    ignored_ += packet;
    average(p, rtt_);
    if (is_settled && !p.is_htsim) return;
    is_triggered_ = true;
    if (adapts_quickly(p, true, is_marked, Picoseconds(), now)) return;
    if (!is_settled) cut(packet);
  }
  /// A packet counts as lost without a NACK.
  void on_missing(const Parameters& p, Bytes packet, LossSignal how) {
    in_flight_ -= packet;
    if (how == LossSignal::kTimeout || !p.is_htsim) cut(packet);
  }

  [[nodiscard]] Bytes window() const { return Bytes(window_.floor()); }
  [[nodiscard]] Bytes in_flight() const { return in_flight_; }
  [[nodiscard]] Bytes max_window() const { return max_window_; }
  [[nodiscard]] Picoseconds target() const { return target_; }
  [[nodiscard]] Picoseconds base_rtt() const { return base_rtt_; }
  [[nodiscard]] Picoseconds average_delay() const { return average_delay_; }

 private:
  using Share = Parameters::Share;
  using Amount = Fixed<16>;  ///< of bytes

  /// The threshold of 3.6.13 is not given: 1 us in uet-htsim.
  static constexpr Picoseconds kNoDelay{1'000'000};

  /// What delay sets off quick adapt: as long as a queue that drops takes to drain.
  [[nodiscard]] Picoseconds quick_delay_of(const Parameters& p, const FlowStart& start) const {
    if (p.config.quick_delay) return *p.config.quick_delay;
    if (start.trims && !p.is_htsim) return Picoseconds::max();
    const Bytes bdp = bytes_in(rtt_, line_rate_);
    if (p.is_htsim || start.drop_limit == Bytes() || bdp == Bytes()) return 4 * target_;
    return scaled(rtt_, std::max(start.drop_limit - bdp, Bytes()), bdp);
  }
  void set_max_window(const Parameters& p) {
    max_window_ = std::max(bytes_in(base_rtt_, line_rate_) * p.max_window, mtu_);
  }

  /// A sample of the round trip; returns the queueing delay.
  Picoseconds measure(const Parameters& p, Picoseconds round_trip, bool is_marked) {
    if (round_trip < base_rtt_) {
      base_rtt_ = round_trip;
      set_max_window(p);
    }
    const Picoseconds delay = round_trip - base_rtt_;
    // Delay without a mark is that of a path which has drained since.
    average(p, !is_marked && delay > target_ ? base_rtt_ / 4 : delay);
    return delay;
  }
  void average(const Parameters& p, Picoseconds delay) {
    average_delay_ += (delay - average_delay_) * p.delay_gain;
  }

  [[nodiscard]] static Amount scaled_increase(Amount step, Bytes fresh) {
    return step * fresh.count();
  }
  /// Proportional increase, or a fast one after a window without delay.
  void grow(Bytes fresh, Picoseconds delay) {
    if (delay < kNoDelay) {
      calm_ += fresh;
      if (is_fast_ || calm_ > window()) {
        is_fast_ = true;
        window_ += Amount::whole(fresh.count()) * fast_;
        return;
      }
    } else {
      calm_ = Bytes();
      is_fast_ = false;
    }
    increase_ += scaled(scaled_increase(proportional_, fresh), target_ - delay, target_);
  }
  /// Multiplicative decrease, once per round trip.
  void shrink(const Parameters& p, Picoseconds now) {
    is_fast_ = false;
    calm_ = Bytes();
    if (average_delay_ <= target_ || now - last_decrease_ <= base_rtt_) return;
    const Share left =
        Share::one() - p.gamma * Share::ratio(average_delay_ - target_, average_delay_);
    window_ = window_ * std::max(left, p.max_decrease);
    last_decrease_ = now;
  }

  /// Quick adapt: true if it set the window, or if nothing is to be made of this answer since it
  /// tells of packets that were sent before it did.
  bool adapts_quickly(const Parameters& p, bool is_loss, bool is_marked, Picoseconds delay,
                      Picoseconds now) {
    if (!p.config.quick_adapt) return false;
    bool acts = ignored_ < to_ignore_ && is_marked;
    const bool is_over = !has_period_ || (p.is_htsim ? now > period_end_ : now >= period_end_);
    if (!acts && is_over) {
      const bool is_called = is_triggered_ || is_loss || delay > quick_delay_;
      const Bytes gate(max_window_.count() >> p.config.quick_gate);
      if (has_period_ && is_called && achieved_ < gate) {
        window_ = Amount::whole(std::max(achieved_, mtu_).count());
        to_ignore_ = in_flight_;
        ignored_ = Bytes();
        is_triggered_ = false;
        acts = true;
      }
      achieved_ = Bytes();
      has_period_ = true;
      period_end_ = now + base_rtt_ + target_;
    }
    if (acts) {
      increase_ = Amount();
      received_ = Bytes();
      bound();
    }
    return acts;
  }

  /// What was collected becomes part of the window.
  void adjust(const Parameters& p, Picoseconds now) {
    const bool is_period_over = now - last_adjust_ > p.config.adjust_period.value_or(base_rtt_);
    if (received_ > std::int64_t{p.config.adjust_packets} * mtu_ || is_period_over) {
      window_ += scaled(Amount::one(), increase_, window_);
      if (is_period_over) {
        window_ += steady_;
        last_adjust_ = now;
      }
      increase_ = Amount();
      received_ = Bytes();
    }
    bound();
  }
  void cut(Bytes packet) {
    window_ -= Amount::whole(packet.count());
    bound();
  }
  void bound() {
    window_ = std::clamp(window_, Amount::whole(mtu_.count()), Amount::whole(max_window_.count()));
  }

  // What every packet needs comes first, then what ACKs need.
  Amount window_;    ///< cwnd
  Bytes in_flight_;  ///< may be negative: an ACK may come after its packet counts as lost
  Bytes mtu_;
  Bytes max_window_;      ///< max_wnd
  Picoseconds base_rtt_;  ///< the least that was measured
  Picoseconds average_delay_;
  Bytes received_;   ///< since the window was adjusted
  Bytes achieved_;   ///< in the period of quick adapt
  Amount increase_;  ///< inc_bytes: bytes x bytes
  Bytes calm_;       ///< fi_count
  Picoseconds target_;
  Picoseconds last_adjust_;
  Picoseconds last_decrease_;
  Picoseconds period_end_;  ///< qa_endtime
  Bytes to_ignore_;
  Bytes ignored_;
  // Steps and limits.
  BitsPerSecond line_rate_;
  Picoseconds rtt_;  ///< as it was configured
  Picoseconds quick_delay_;
  Amount proportional_;
  Amount fair_;
  Amount steady_;
  Share fast_;
  bool is_fast_ = false;
  bool is_triggered_ = false;
  bool has_period_ = false;
  bool has_sent_ = false;
};
static_assert(CountsBytes<Nscc>);

}  // namespace weft::protocols::congestion
