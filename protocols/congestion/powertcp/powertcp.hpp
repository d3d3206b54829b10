#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/hop_memory.hpp"
#include "protocols/congestion/powertcp/powertcp_config.hpp"
#include "protocols/congestion/powertcp/powertcp_schema.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// PowerTcpConfig in the integers that the engine computes with: shares in units of 2^-30.
struct PowerTcpParameters {
  explicit PowerTcpParameters(const PowerTcpConfig& config);

  static constexpr int kBits = 30;
  static constexpr std::int64_t kOne = std::int64_t{1} << kBits;

  std::int64_t gamma;
  std::int64_t expected_flows;
  Picoseconds base_rtt;
};

/// The windows of the last T: sixteen of them.
class WindowHistory {
 public:
  void start(std::int64_t window) { entries_[0].window = window; }

  /// At most sixteen times in a `span`.
  void note(Picoseconds now, Picoseconds span, std::int64_t window) {
    if (now - entries_[last_ % kEntries].time < span / kPerSpan) return;
    ++last_;
    entries_[last_ % kEntries] = {.window = window, .time = now};
    if (last_ - oldest_ == kEntries) ++oldest_;
  }
  /// The one that held at `time`.
  [[nodiscard]] std::int64_t at(Picoseconds time) {
    while (oldest_ != last_ && entries_[(oldest_ + 1) % kEntries].time <= time) ++oldest_;
    return entries_[oldest_ % kEntries].window;
  }

 private:
  static constexpr std::uint32_t kPerSpan = 16;
  static constexpr std::uint32_t kEntries = 2 * kPerSpan;
  struct Entry {
    std::int64_t window = 0;
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
/// a round trip ago, in-casts that begin with several T of queue never come to rest: while the
/// queue drains nothing arrives, and large windows of long ago are divided by a power of nearly 0.
class PowerTcp {
 public:
  using Config = PowerTcpConfig;
  using Parameters = PowerTcpParameters;
  using Receiver = OnlyAcknowledges;
  static constexpr const char* kName = "powertcp";
  static constexpr const char* kTitle = "PowerTCP";
  static constexpr Needs kNeeds{.acks = true, .path = true, .telemetry = true};
  static constexpr std::array<Column, 3> kColumns{{
      {"rate_bps", "the rate that it sends at"},
      {"window_packets", "packets that may be in flight", Column::Form::kFraction},
      {"power", "of the fullest link, 1 where it is full without a queue", Column::Form::kFraction},
  }};
  [[nodiscard]] static schema::Object<Config> schema() { return powertcp_schema(); }
  [[nodiscard]] static Config standard() { return {}; }

  void start(const Parameters& p, const FlowStart& start) {
    line_rate_ = rate_ = start.line_rate;
    packet_ = start.packet;
    base_rtt_ = p.base_rtt != Picoseconds(0) ? p.base_rtt : start.base_rtt;
    base_rtt_ = std::max(base_rtt_, Picoseconds(1));
    const std::int64_t filling = bytes_in(base_rtt_, line_rate_).count() * kPart;
    step_ = std::max<std::int64_t>(filling / p.expected_flows, 1);
    window_ = std::max<std::int64_t>(filling, 1);
    most_ = window_ + step_;
    past_.start(window_);
  }

  /// Bytes that may be in flight, in parts of 1/256.
  [[nodiscard]] std::int64_t window_fixed() const { return window_; }
  /// In units of 2^-30.
  [[nodiscard]] std::int64_t power() const { return power_; }

  /// The window changes with ACKs only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}

  /// The next packet waits as long as this one takes at the rate.
  Picoseconds on_sent(const Parameters& /*p*/, Bytes bytes, Picoseconds now) {
    return now + transmission_time(bytes, rate_);
  }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds now) {
    if (!measure(ack.hops)) return;
    const std::int64_t power = std::max(power_, kLeastPower);
    const std::int64_t before = past_.at(now - base_rtt_);
    const std::int64_t aim = scaled(before, Parameters::kOne, power) + step_;
    window_ += scaled(aim - window_, p.gamma, Parameters::kOne);
    window_ = std::clamp(window_, std::int64_t{1}, most_);
    const std::int64_t rate = scaled(window_, 8 * kPicosecondsPerSecond, base_rtt_.count()) / kPart;
    rate_ = std::clamp(BitsPerSecond(rate), BitsPerSecond(1'000'000), line_rate_);
    past_.note(now, base_rtt_, window_);
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  /// Losses are the transport's.
  void on_loss(const Parameters& /*p*/, Loss /*how*/, Picoseconds /*now*/) {}

  /// A window of less than a packet is one packet, paced.
  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const {
    const std::int64_t packet = packet_.count() * kPart;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>((window_ + packet - 1) / packet, 1, kMostInFlight));
  }

  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate_.count();
    values[1] = scaled(window_, std::int64_t{1} << 32, packet_.count() * kPart);
    values[2] = power_ << (32 - Parameters::kBits);
  }

 private:
  static constexpr std::int64_t kPart = 256;  ///< windows are in parts of a byte
  /// What a power is taken for that is less; a window grows to a thousandfold at most at once.
  static constexpr std::int64_t kLeastPower = Parameters::kOne / 1'024;

  /// The power of the hop with the most, smoothed over T; false where none can be told.
  bool measure(std::span<const HopReport> hops) {
    std::int64_t most = -1;
    Picoseconds time;
    memory_.compare(
        hops, [&](const HopReport& report, const HopReport& before, Picoseconds elapsed) {
          const std::int64_t growth = std::int64_t{report.waiting} - std::int64_t{before.waiting};
          const Bytes arrived = report.sent - before.sent + Bytes(growth);
          const std::int64_t current = load_of(arrived, elapsed, report.rate, Parameters::kBits);
          const std::int64_t voltage = Parameters::kOne + load_of(Bytes(report.waiting), base_rtt_,
                                                                  report.rate, Parameters::kBits);
          const std::int64_t power = scaled(current, voltage, Parameters::kOne);
          if (power <= most) return;
          most = power;
          time = elapsed;
        });
    if (most < 0) return false;
    time = std::min(time, base_rtt_);
    power_ += scaled(most - power_, time.count(), base_rtt_.count());
    return true;
  }

  BitsPerSecond line_rate_;
  BitsPerSecond rate_;
  Bytes packet_;
  Picoseconds base_rtt_;
  std::int64_t window_ = 1;  ///< bytes, in parts
  std::int64_t step_ = 1;    ///< beta
  std::int64_t most_ = 1;
  std::int64_t power_ = Parameters::kOne;
  WindowHistory past_;
  HopMemory memory_;
};
static_assert(CongestionControl<PowerTcp>);

}  // namespace weft::protocols::congestion
