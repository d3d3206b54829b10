#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/hop_memory.hpp"
#include "protocols/congestion/powertcp/powertcp_config.hpp"
#include "protocols/congestion/powertcp/powertcp_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// PowerTcpConfig in the integers that the engine computes with.
struct PowerTcpParameters {
  explicit PowerTcpParameters(const PowerTcpConfig& config);

  using Factor = Fixed<30>;

  Factor gamma;
  std::uint32_t expected_flows;
  Picoseconds base_rtt;
};

/// A window: bytes that may be in flight, in parts of 1/256.
using PowerTcpWindow = Fixed<8>;

/// The windows of the last T: sixteen of them.
class WindowHistory {
 public:
  void start(PowerTcpWindow window) { entries_[0].window = window; }

  /// At most sixteen times in a `span`.
  void note(Picoseconds now, Picoseconds span, PowerTcpWindow window) {
    if (now - entries_[last_ % kEntries].time < span / kPerSpan) return;
    ++last_;
    entries_[last_ % kEntries] = {.window = window, .time = now};
    if (last_ - oldest_ == kEntries) ++oldest_;
  }
  /// The one that held at `time`.
  [[nodiscard]] PowerTcpWindow at(Picoseconds time) {
    while (oldest_ != last_ && entries_[(oldest_ + 1) % kEntries].time <= time) ++oldest_;
    return entries_[oldest_ % kEntries].window;
  }

 private:
  static constexpr std::uint32_t kPerSpan = 16;
  static constexpr std::uint32_t kEntries = 2 * kPerSpan;
  struct Entry {
    PowerTcpWindow window;
    Picoseconds time;
  };
  std::array<Entry, kEntries> entries_{};
  std::uint32_t oldest_ = 0;  ///< counts on, as `last_` does
  std::uint32_t last_ = 0;
};

/// Algorithm 1 of the paper for one queue pair. The power of a hop, relative to that of a full link
/// without a queue, is (arrivals / C) (1 + q / (C T)), with arrivals = dq/dt + what it sends; that
/// of the fullest hop is smoothed over T. With every ACK
///   w <- gamma (w_old / power + beta) + (1 - gamma) w,
/// and packets are paced at w / T. The window starts at what fills the idle path at line rate; it
/// never exceeds that by more than beta, since it would grow without limit while something else
/// limits the flow. The first ACK only begins the series.
///
/// w_old is the window of T ago: what a report counts as arrivals was sent T before the report is
/// back, however long the packet that carries it has waited. With the window of that packet, as of
/// a round trip ago, in-casts that begin with several T of queue never settle: while the
/// queue drains nothing arrives, and large windows of long ago are divided by a power of nearly 0.
class PowerTcp : public PowerTcpSpec {
 public:
  using Parameters = PowerTcpParameters;
  using Receiver = OnlyAcknowledges;

  void start(const Parameters& p, const FlowStart& start) {
    line_rate_ = rate_ = start.line_rate;
    packet_ = start.packet;
    base_rtt_ = p.base_rtt != Picoseconds(0) ? p.base_rtt : start.base_rtt;
    base_rtt_ = std::max(base_rtt_, Picoseconds(1));
    const Window filling = Window::whole(bytes_in(base_rtt_, line_rate_).count());
    step_ = std::max(filling / p.expected_flows, Window::unit());
    window_ = std::max(filling, Window::unit());
    max_ = window_ + step_;
    past_.start(window_);
  }

  /// Bytes that may be in flight.
  [[nodiscard]] PowerTcpWindow window_fixed() const { return window_; }
  [[nodiscard]] Parameters::Factor power() const { return power_; }

  /// The window changes with ACKs only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}

  /// The next packet waits as long as this one takes at the rate.
  Picoseconds on_sent(const Parameters& /*p*/, Bytes bytes, Picoseconds now) {
    last_sent_ = bytes;
    return now + gap();
  }
  [[nodiscard]] Picoseconds gap() const { return transmission_time(last_sent_, rate_); }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds now) {
    if (!measure(ack.hops)) return;
    const Window aim = past_.at(now - base_rtt_) / std::max(power_, kMinPower) + step_;
    window_ += (aim - window_) * p.gamma;
    window_ = std::clamp(window_, Window::unit(), max_);
    const BitsPerSecond rate(scaled(window_, kEightSeconds, base_rtt_).floor());
    rate_ = std::clamp(rate, BitsPerSecond(1'000'000), line_rate_);
    past_.note(now, base_rtt_, window_);
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  /// Losses are the transport's.
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) {}

  /// A window of less than a packet is one packet, paced.
  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const {
    const Window packet = Window::whole(packet_.count());
    const Window rounded_up = window_ + packet - Window::unit();
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(rounded_up.raw() / packet.raw(), 1, kMaxInFlight));
  }

  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate_.count();
    values[1] = Fixed<32>::ratio(window_, Window::whole(packet_.count())).raw();
    values[2] = power_.in<32>().raw();
  }

 private:
  using Window = PowerTcpWindow;
  using Factor = Parameters::Factor;

  /// What a power is taken for that is less; a window grows to a thousandfold at most at once.
  static constexpr Factor kMinPower = Factor::one() / 1'024;
  /// What is sent in eight seconds, in bytes, is what is sent in one, in bits.
  static constexpr Picoseconds kEightSeconds{8 * kPicosecondsPerSecond};

  static constexpr Factor kNothing = Factor::from_raw(-1);  ///< less than any that counts

  /// The power of the hop with the most, smoothed over T; false where none can be told.
  bool measure(std::span<const HopReport> hops) {
    Factor max = kNothing;
    Picoseconds time;
    memory_.compare(
        hops, [&](const HopReport& report, const HopReport& before, Picoseconds elapsed) {
          const std::int64_t growth = std::int64_t{report.waiting} - std::int64_t{before.waiting};
          const Bytes arrived = report.sent - before.sent + Bytes(growth);
          const auto current = load_of<Factor>(arrived, elapsed, report.rate);
          const auto queued = load_of<Factor>(Bytes(report.waiting), base_rtt_, report.rate);
          const Factor power = current * (Factor::one() + queued);
          if (power <= max) return;
          max = power;
          time = elapsed;
        });
    if (max == kNothing) return false;
    time = std::min(time, base_rtt_);
    power_ += scaled(max - power_, time, base_rtt_);
    return true;
  }

  BitsPerSecond line_rate_;
  BitsPerSecond rate_;
  Bytes packet_;
  Bytes last_sent_;  ///< wire bytes of the last packet
  Picoseconds base_rtt_;
  Window window_ = Window::unit();
  Window step_ = Window::unit();  ///< beta
  Window max_ = Window::unit();
  Factor power_ = Factor::one();
  WindowHistory past_;
  HopMemory memory_;
};
static_assert(CongestionControl<PowerTcp>);

}  // namespace weft::protocols::congestion
