#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/rccc/rccc_config.hpp"
#include "protocols/congestion/rccc/rccc_spec.hpp"
#include "simcore/base/random.hpp"
#include "simcore/base/units.hpp"

namespace weft::protocols::congestion {

/// RcccConfig in the integers that the engine computes with.
struct RcccParameters {
  explicit RcccParameters(const RcccConfig& config);

  using Factor = Fixed<30>;

  std::optional<Picoseconds> base_rtt;
  Factor speculative;
  Factor request;
  Bytes quantum;
  Factor pace;
  bool adapts;
  Picoseconds period;
  Factor target;
  Factor increase;
  Factor decrease;
  Factor gain;
  Factor floor;
};

/// What a queue pair has been promised, at its receiver: running totals of bytes, which wrap.
class RcccReceiver : public OnlyAcknowledges {
 public:
  /// Its data ask for credit. Returns whether there is something to grant.
  bool on_request(const RcccParameters& /*p*/, const CreditRequest& request) {
    if (is_past(request.total, wanted_)) wanted_ = request.total;
    is_missed_ = is_missed_ || request.repeats;
    return wants();
  }
  [[nodiscard]] bool wants() const { return is_past(wanted_, granted_) || is_missed_; }
  /// Its turn has come: grants the next quantum, or less where it wants no more. Returns how much;
  /// nothing where the last grant has to be said again.
  Bytes grant(const RcccParameters& p) {
    const auto max = static_cast<std::uint32_t>(p.quantum.count());
    const std::uint32_t more = is_past(wanted_, granted_) ? std::min(wanted_ - granted_, max) : 0;
    granted_ += more;
    is_missed_ = false;
    return Bytes(more);
  }
  /// All that was ever granted.
  [[nodiscard]] std::uint32_t total() const { return granted_; }

 protected:
  std::uint32_t wanted_ = 0;
  std::uint32_t granted_ = 0;
  bool is_missed_ = false;  ///< the sender has waited too long for what it asked for
};

/// What a receiving port grants by: its pace, which falls as switches mark what comes to it, once
/// per period (uet-htsim, oversubscribed_cc.cpp). Periods begin with the first packet, and end
/// where the pace is full again and nothing comes.
class RcccPort {
 public:
  void on_credit_request(const RcccParameters& p, Arrival arrival, Picoseconds now,
                         const RandomStream& random) {
    if (!p.adapts) return;
    catch_up(p, now, random);
    if (!runs_) next_ = now + drawn(p, random);
    runs_ = true;
    ++packets_;
    if (arrival == Arrival::kMarked) ++marked_;
    if (is_trim(arrival)) ++trimmed_;
    if (arrival == Arrival::kTrimmed) ++trimmed_on_path_;
  }
  /// The time from a grant of `bytes` to the next one, on a port of `rate`.
  Picoseconds gap(const RcccParameters& p, Bytes bytes, BitsPerSecond rate, Picoseconds now,
                  const RandomStream& random) {
    if (p.adapts) catch_up(p, now, random);
    const Factor pace = p.pace * share_of_pace_;
    return transmission_time(bytes, rate) / std::max(pace, Factor::unit());
  }
  [[nodiscard]] RcccParameters::Factor share_of_pace() const { return share_of_pace_; }

 private:
  using Factor = RcccParameters::Factor;

  /// 0.75 to 1.25 periods, so that ports do not go in step.
  Picoseconds drawn(const RcccParameters& p, const RandomStream& random) {
    const auto half = static_cast<std::uint64_t>(p.period.count() / 2);
    const auto more = static_cast<std::int64_t>(random.below(draws_++, half + 1));
    return p.period - p.period / 4 + Picoseconds(more);
  }

  void catch_up(const RcccParameters& p, Picoseconds now, const RandomStream& random) {
    while (runs_ && next_ <= now) {
      const bool is_idle = packets_ == 0;
      change(p);
      runs_ = !is_idle || share_of_pace_ != Factor::one() || marked_share_ != Factor();
      next_ += drawn(p, random);
    }
  }

  void change(const RcccParameters& p) {
    constexpr Factor kOne = Factor::one();
    const std::int64_t whole = packets_ - trimmed_;
    const Factor marked = whole == 0 ? Factor() : Factor::ratio(marked_, whole);
    marked_share_ = marked_share_ * (kOne - p.gain) + marked * p.gain;
    const bool is_trimmed = trimmed_on_path_ > 0;
    if (is_trimmed) share_of_pace_ -= Factor::ratio(trimmed_on_path_, packets_);
    if (marked_share_ > p.target) {
      const Factor cut = (marked_share_ - p.target) * p.decrease;
      share_of_pace_ = share_of_pace_ * (kOne - cut);
    }
    if (is_trimmed || marked_share_ > p.target) {
      streak_ = 0;
    } else {
      share_of_pace_ += p.increase << (marked_ == 0 ? streak_ : 0);
      streak_ = std::min(streak_ + 1, kMaxDoublings);
    }
    share_of_pace_ = std::clamp(share_of_pace_, p.floor, kOne);
    packets_ = marked_ = trimmed_ = trimmed_on_path_ = 0;
  }

  static constexpr std::uint32_t kMaxDoublings = 20;

  Picoseconds next_;
  Factor share_of_pace_ = Factor::one();
  Factor marked_share_;
  std::int64_t packets_ = 0;
  std::int64_t marked_ = 0;
  std::int64_t trimmed_ = 0;
  std::int64_t trimmed_on_path_ = 0;  ///< before the port that leads to the host
  std::uint64_t draws_ = 0;
  std::uint32_t streak_ = 0;  ///< increases in a row
  bool runs_ = false;
};

/// The sender of one queue pair. It may send while it has credit; the packet that uses up the last
/// of it may overdraw it. Where its receiver knows of no wish that it has not fulfilled, one packet
/// may go without credit, to tell it one: what is sent again after a loss, which may have taken the
/// request along, and a message that is posted when all credit is used.
class Rccc : public RcccSpec {
 public:
  using Parameters = RcccParameters;
  using Receiver = RcccReceiver;
  using Port = RcccPort;

  void start(const Parameters& p, const FlowStart& start) {
    const Bytes idle = bytes_in(p.base_rtt.value_or(start.base_rtt), start.line_rate);
    speculative_ = std::min(idle * p.speculative, kMaxCredit);
    // Less than a packet would be asked for packet by packet.
    max_wanted_ = std::max(std::min(idle * p.request, kMaxCredit), start.packet);
    credit_ = speculative_;
  }
  void on_timer(const Parameters& /*p*/, Picoseconds /*now*/) {}
  Picoseconds on_sent(const Parameters& /*p*/, Bytes bytes, Picoseconds /*now*/) {
    credit_ -= bytes;
    return Picoseconds(0);
  }
  void on_ack(const Parameters& /*p*/, const Acknowledgement& /*ack*/, Picoseconds /*now*/) {}
  void on_notified(const Parameters& /*p*/, Picoseconds /*now*/) {}
  void on_loss(const Parameters& /*p*/, LossSignal /*how*/, Picoseconds /*now*/) { ask_again(); }
  [[nodiscard]] std::uint32_t window(const Parameters& /*p*/) const { return kNoWindow; }
  void sample(const Parameters& /*p*/, std::span<std::int64_t, kColumns.size()> values) const {
    values[0] = credit_.count();
    values[1] = static_cast<std::int32_t>(asked_ - granted_);
  }

  /// It has something to send after it was idle.
  void begin() {
    credit_ = speculative_;
    asked_ = granted_;
  }
  [[nodiscard]] bool may_send() const { return credit_ > Bytes() || !is_past(asked_, granted_); }
  /// What the next packet tells the receiver; `backlog` is what it leaves to be sent.
  CreditRequest request(const Parameters& /*p*/, Bytes packet, Bytes backlog) {
    const Bytes left = credit_ - packet;
    const Bytes wish = backlog == Bytes() ? Bytes() : std::min(backlog, max_wanted_) - left;
    const std::uint32_t total =
        granted_ + static_cast<std::uint32_t>(std::clamp(wish, Bytes(), kMaxCredit).count());
    if (is_past(total, asked_)) asked_ = total;
    const bool repeats = asks_again_;
    asks_again_ = false;
    return {.total = asked_, .repeats = repeats};
  }
  /// All that its receiver has ever granted.
  void on_granted(const Parameters& /*p*/, std::uint32_t total) {
    if (!is_past(total, granted_)) return;  // a later grant overtook it
    const Bytes max = std::max(speculative_, max_wanted_);
    credit_ = std::min(credit_ + Bytes(total - granted_), std::max(credit_, max));
    granted_ = total;
  }
  /// It has waited too long, or a packet with a request may be lost.
  void ask_again() {
    asked_ = granted_;
    asks_again_ = true;
  }
  [[nodiscard]] Bytes credit() const { return credit_; }

 private:
  /// Totals are compared modulo 2^32.
  static constexpr Bytes kMaxCredit = 1_GiB;

  Bytes credit_;
  Bytes speculative_;
  Bytes max_wanted_;
  std::uint32_t granted_ = 0;
  std::uint32_t asked_ = 0;
  bool asks_again_ = false;
};
static_assert(CongestionControl<Rccc> && GrantsCredit<Rccc>);

}  // namespace weft::protocols::congestion
