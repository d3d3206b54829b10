#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/hop_memory.hpp"
#include "protocols/congestion/hpcc/hpcc_config.hpp"
#include "protocols/congestion/hpcc/hpcc_spec.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// HpccConfig in the integers that the engine computes with.
struct HpccParameters {
  explicit HpccParameters(const HpccConfig& config);

  using Utilization = Fixed<30>;

  Utilization target;
  std::uint32_t max_stage;
  BitsPerSecond additive_increase;
  BitsPerSecond minimum_rate;
  Picoseconds base_rtt;
  bool counts_payload;
};

/// Algorithm 1 of the paper for one queue pair, written with rates R = W / T as its authors' ns-3
/// model has it. It starts at line rate; the first ACK only begins the series. Packets are paced at
/// R, and W = R T, rounded up to whole packets, may be in flight. A change of R may move the packet
/// that waits (HpccConfig::rate_change).
class Hpcc : public HpccSpec {
 public:
  using Parameters = HpccParameters;
  using Receiver = OnlyAcknowledges;

  void start(const Parameters& p, const FlowStart& start) {
    line_rate_ = rate_ = reference_ = start.line_rate;
    packet_ = p.counts_payload ? start.payload : start.packet;
    base_rtt_ = p.base_rtt != Picoseconds(0) ? p.base_rtt : start.base_rtt;
    base_rtt_ = std::max(base_rtt_, Picoseconds(1));
  }

  [[nodiscard]] BitsPerSecond rate() const { return rate_; }
  [[nodiscard]] Parameters::Utilization utilization() const { return utilization_; }

  /// The rate changes with ACKs only.
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}

  /// The next packet waits as long as this one takes at the rate.
  Picoseconds on_sent(const Parameters& /*p*/, Bytes bytes, Picoseconds now) {
    last_sent_ = bytes;
    return now + gap();
  }
  [[nodiscard]] Picoseconds gap() const { return transmission_time(last_sent_, rate_); }

  void on_ack(const Parameters& p, const Acknowledgement& ack, Picoseconds /*now*/) {
    if (!measure(ack.hops)) {
      if (!has_begun_) round_end_ = ack.sent;
      has_begun_ = true;
      return;
    }
    // The reference moves once per round trip; in between every ACK starts from it.
    const bool is_round_over = is_past(ack.arrived, round_end_);
    const bool is_multiplicative = utilization_ >= p.target || stage_ >= p.max_stage;
    BitsPerSecond next = reference_;
    if (is_multiplicative) {
      next = scaled(reference_, p.target, std::max(utilization_, Utilization::unit()));
      next = std::min(next, line_rate_);  // before it is added to, it may be huge
    }
    next += p.additive_increase;
    rate_ = std::clamp(next, std::min(p.minimum_rate, line_rate_), line_rate_);
    if (!is_round_over) return;
    round_end_ = ack.sent;
    reference_ = rate_;
    stage_ = is_multiplicative ? 0 : stage_ + 1;
  }

  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  /// Losses are the transport's.
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) {}

  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const {
    return window_of(rate_, base_rtt_, packet_);
  }

  void sample(const Parameters& p, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = rate_.count();
    values[1] = Fixed<32>::whole(window(p)).raw();
    values[2] = utilization_.in<32>().raw();
  }

 private:
  using Utilization = Parameters::Utilization;
  static constexpr Utilization kNothing = Utilization::from_raw(-1);  ///< less than any that counts

  /// The utilisation of the fullest hop, smoothed over T; false where none can be told.
  bool measure(std::span<const HopReport> hops) {
    Utilization max = kNothing;
    Picoseconds time;
    memory_.compare(hops,
                    [&](const HopReport& report, const HopReport& before, Picoseconds elapsed) {
                      const Bytes waiting(std::min(report.waiting, before.waiting));
                      const Utilization in_flight =
                          load_of<Utilization>(report.sent - before.sent, elapsed, report.rate) +
                          load_of<Utilization>(waiting, base_rtt_, report.rate);
                      if (in_flight <= max) return;
                      max = in_flight;
                      time = elapsed;
                    });
    if (max == kNothing) return false;
    time = std::min(time, base_rtt_);
    utilization_ += scaled(max - utilization_, time, base_rtt_);
    return true;
  }

  BitsPerSecond line_rate_;
  BitsPerSecond rate_;
  BitsPerSecond reference_;  ///< Rc: the rate of the last full round trip
  Bytes packet_;             ///< what the window counts of one
  Bytes last_sent_;          ///< wire bytes of the last packet
  Picoseconds base_rtt_;
  Utilization utilization_ = Utilization::one();
  std::uint32_t round_end_ = 0;
  std::uint32_t stage_ = 0;  ///< additive increases in a row
  bool has_begun_ = false;
  HopMemory memory_;
};
static_assert(CongestionControl<Hpcc>);

}  // namespace weft::protocols::congestion
