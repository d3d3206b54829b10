#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/swift/swift_config.hpp"
#include "protocols/congestion/swift/swift_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// SwiftConfig in the integers that the engine computes with.
struct SwiftParameters {
  explicit SwiftParameters(const SwiftConfig& config);

  /// Windows, in packets, and shares.
  using Number = Fixed<24>;

  Picoseconds base_target;
  Picoseconds hop_target;
  Picoseconds scaling_range;
  /// Flow scaling is fs_alpha / sqrt(window) - fs_beta, within 0 and its range (section 3.3).
  Picoseconds fs_alpha;
  Picoseconds fs_beta;
  Number additive_increase;
  Number beta;
  Number max_decrease;
  Number minimum_window;
  std::uint32_t retransmit_reset;
  std::uint32_t median_of;
};

/// The last delays, in steps of 1.024 ns and at most 4.4 s.
class SwiftSamples {
 public:
  /// The median of this delay and of those before it, `many` in all; the higher one of two.
  [[nodiscard]] Picoseconds add(Picoseconds delay, std::uint32_t many) {
    constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
    delays_[next_] = static_cast<std::uint32_t>(std::min(delay.count() >> kShift, kMax));
    if (++next_ == many) next_ = 0;
    count_ = std::min(count_ + 1, many);
    std::array<std::uint32_t, kSwiftMaxSamples> sorted = delays_;
    const auto middle = sorted.begin() + count_ / 2;
    std::nth_element(sorted.begin(), middle, sorted.begin() + count_);
    return Picoseconds(std::int64_t{*middle} << kShift);
  }

 private:
  static constexpr int kShift = 10;
  std::array<std::uint32_t, kSwiftMaxSamples> delays_{};
  std::uint32_t next_ = 0;
  std::uint32_t count_ = 0;
};

/// Algorithm 1 of the paper for one queue pair. The delay of an ACK is that of the fabric: from the
/// start of the packet's transmission until the ACK is back, as NIC time stamps give it.
///
/// The window starts at what fills the idle path, as RDMA senders start at line rate; and it never
/// exceeds what fills the path at the largest target delay: beyond that it would grow without limit
/// while something else limits the flow.
class Swift : public SwiftSpec {
 public:
  using Parameters = SwiftParameters;
  using Receiver = OnlyAcknowledges;

  void start(const Parameters& p, const FlowStart& start) {
    line_rate_ = start.line_rate;
    packet_ = start.packet;
    hops_ = start.hops;
    delay_ = start.base_rtt;
    window_ = limited(p, packets_in(start.base_rtt));
  }

  /// The window changes with ACKs only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}

  /// Less than a packet in flight is one in several round trips.
  Picoseconds on_sent(const Parameters& /*p*/, Bytes /*bytes*/, Picoseconds now) {
    if (window_ >= Number::one()) return Picoseconds(0);
    return now + delay_ / window_;
  }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds now) {
    timeouts_ = 0;
    delay_ = p.median_of == 1 ? ack.delay : samples_.add(ack.delay, p.median_of);
    delay_ = std::max(delay_, Picoseconds(1));
    const Picoseconds target = target_delay(p);
    if (delay_ < target) {
      const Number gain = p.additive_increase * ack.packets;
      window_ = limited(p, window_ + gain / std::max(window_, Number::one()));
    } else {
      const Number share = scaled(p.beta, delay_ - target, delay_);
      decrease(p, std::min(share, p.max_decrease), now);
    }
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}

  void on_loss(const Parameters& p, LossSignal signal, Picoseconds now) {
    if (signal == LossSignal::kTimeout && ++timeouts_ >= p.retransmit_reset) {
      window_ = p.minimum_window;
      last_decrease_ = now;
      return;
    }
    if (signal == LossSignal::kNack) timeouts_ = 0;
    decrease(p, p.max_decrease, now);
  }

  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const {
    return static_cast<std::uint32_t>(std::max(window_, Number::one()).floor());
  }

  void sample(const Parameters& p, std::span<std::int64_t, kColumns.size()> values) const {
    const Picoseconds full = transmission_time(packet_, line_rate_);
    const BitsPerSecond rate = scaled(line_rate_, full * window_, std::max(delay_, Picoseconds(1)));
    values[0] = std::min(line_rate_, rate).count();
    values[1] = window_.in<32>().raw();
    values[2] = delay_.count();
    values[3] = target_delay(p).count();
  }

  /// Packets that may be in flight.
  [[nodiscard]] Parameters::Number window_fixed() const { return window_; }

  /// The delay that is aimed at with the present window (section 3.3).
  [[nodiscard]] Picoseconds target_delay(const Parameters& p) const {
    // The window in units of 2^-40 has its root in those of 2^-20.
    const auto window = static_cast<std::uint64_t>(window_.in<2 * kRootBits>().raw());
    const auto root = Root::from_raw(static_cast<std::int64_t>(square_root(window)));
    const Picoseconds scaling = p.fs_alpha / std::max(root, Root::unit()) - p.fs_beta;
    return p.base_target + p.hop_target * hops_ +
           std::clamp(scaling, Picoseconds(0), p.scaling_range);
  }

 private:
  using Number = Parameters::Number;
  static constexpr int kRootBits = 20;
  using Root = Fixed<kRootBits>;

  /// The largest integer whose square is no more than `n`, by Newton's method from above.
  [[nodiscard]] static std::uint64_t square_root(std::uint64_t n) {
    if (n < 2) return n;
    std::uint64_t root = std::uint64_t{1} << ((static_cast<unsigned>(std::bit_width(n)) + 1) / 2);
    for (;;) {
      const std::uint64_t next = (root + n / root) / 2;
      if (next >= root) return root;
      root = next;
    }
  }

  /// Packets that the line carries in `time`.
  [[nodiscard]] Number packets_in(Picoseconds time) const {
    return Number::ratio(time, transmission_time(packet_, line_rate_));
  }

  [[nodiscard]] Number limited(const Parameters& p, Number window) const {
    constexpr Number kMax = Number::whole(kMaxInFlight);
    const Number useful = packets_in(p.base_target + p.hop_target * hops_ + p.scaling_range);
    return std::clamp(window, p.minimum_window, std::clamp(useful, Number::one(), kMax));
  }

  /// At most once per round trip.
  void decrease(const Parameters& p, Number share, Picoseconds now) {
    if (now - last_decrease_ < delay_) return;
    last_decrease_ = now;
    window_ = std::max(p.minimum_window, window_ - window_ * share);
  }

  BitsPerSecond line_rate_;
  Bytes packet_;
  Picoseconds delay_;
  Picoseconds last_decrease_{std::numeric_limits<std::int64_t>::min() / 2};
  Number window_ = Number::one();
  std::uint32_t hops_ = 0;
  std::uint32_t timeouts_ = 0;
  SwiftSamples samples_;
};
static_assert(CongestionControl<Swift>);

}  // namespace weft::protocols::congestion
