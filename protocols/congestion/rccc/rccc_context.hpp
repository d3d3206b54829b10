#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/congestion/control.hpp"
#include "protocols/congestion/fixed_point.hpp"
#include "protocols/congestion/rccc/rccc.hpp"
#include "protocols/packet/credit_request.hpp"
#include "simcore/base/units.hpp"

/// RCCC of congestion contexts, as Ultra Ethernet has it (UE specification 1.0, 3.6.14). Ports and
/// their pace are those of `rccc.hpp`. Its two ends differ from those of RoCE's queue pairs:
///
/// - one credit serves all contexts to a destination, in units of 256 B;
/// - the first answer takes back what is left of the speculative credit, once and for all: after
///   that a sender that was idle has the credit that idle receivers grant;
/// - a request of its own asks where nothing may be sent.
namespace weft::protocols::congestion {

/// The sender of a congestion context.
class RcccSource {
 public:
  void start(const RcccConfig& config, const FlowStart& start) {
    const RcccParameters p(config);
    base_rtt_ = config.base_rtt.value_or(start.base_rtt);
    const Bytes idle = bytes_in(base_rtt_, start.line_rate);
    packet_ = start.packet;
    max_credit_ = std::max(std::min(idle * p.request, kMaxCredit), packet_);
    credit_ = std::min(idle * p.speculative, kMaxCredit);
  }

  [[nodiscard]] bool may_send() const { return credit_ > Bytes(); }
  [[nodiscard]] bool has_backlog() const { return backlog_ > Bytes(); }
  /// Whether it has something to send and may not.
  [[nodiscard]] bool is_waiting() const { return has_backlog() && !may_send(); }
  /// So much more is to be sent, for the first time or again; or less, where it has arrived.
  void add_backlog(Bytes bytes) { backlog_ += bytes; }

  /// The transmission of a packet begins; the one that uses up the last credit overdraws it.
  void on_packet(Bytes bytes) {
    backlog_ -= bytes;
    credit_ -= bytes;
  }
  /// Something came back: the receiver is in control.
  void on_answer() {
    if (!is_speculating_) return;
    is_speculating_ = false;
    credit_ = std::min(credit_, Bytes());
  }
  /// All that its receiver has ever granted.
  void on_granted(std::uint32_t total) {
    on_answer();
    if (!is_past(total, granted_)) return;  // a later grant overtook it
    credit_ = std::min(credit_ + Bytes(total - granted_), std::max(credit_, max_credit_));
    granted_ = total;
  }

  /// What contexts of a host with something to send share: what the host can send in a round trip,
  /// or what each of them wants (uet-htsim).
  enum class Shared : std::uint8_t { kLimit, kDemand };

  /// What it would have granted in all. `senders`: those contexts; `window`: bytes in flight that a
  /// window beside it allows.
  [[nodiscard]] std::uint32_t demand(Bytes window, std::uint32_t senders, Shared shared) const {
    const std::uint32_t active = std::max(senders, 1U);
    const Bytes limit =
        shared == Shared::kLimit ? std::max(max_credit_ / active, packet_) : max_credit_;
    Bytes wish = std::min({backlog_, limit, window + packet_});
    // What goes unasked will be taken back, and counts for nothing.
    wish = is_speculating_ ? std::max(wish, packet_) : wish - credit_;
    // It has more than it can use: the receiver knows by that how far ahead it is.
    if (wish <= Bytes()) return granted_ - whole_units(Bytes() - wish);
    if (shared == Shared::kDemand) wish = wish / active;
    return granted_ + whole_units(wish + kUnit - Bytes(1));
  }
  /// Tells the receiver: what was once asked for is never taken back.
  std::uint32_t ask(std::uint32_t demand) {
    if (is_past(demand, asked_)) asked_ = demand;
    return asked_;
  }
  /// Whether the receiver was not told of all that it wants.
  [[nodiscard]] bool is_unasked(std::uint32_t demand) const { return is_past(demand, asked_); }
  /// Packets with a request may be lost.
  void ask_again() { asked_ = granted_; }

  [[nodiscard]] Bytes credit() const { return credit_; }
  [[nodiscard]] Bytes backlog() const { return backlog_; }
  [[nodiscard]] Bytes max_credit() const { return max_credit_; }
  [[nodiscard]] std::uint32_t granted() const { return granted_; }
  [[nodiscard]] std::uint32_t asked() const { return asked_; }
  [[nodiscard]] Picoseconds base_rtt() const { return base_rtt_; }
  /// Bytes that were sent beyond that.
  [[nodiscard]] Bytes overdrawn() const { return Bytes() - std::min(credit_, Bytes()); }

  Picoseconds next_request;   ///< it sends a request of its own no earlier
  std::uint32_t retries = 0;  ///< of such requests that brought nothing

 private:
  static constexpr Bytes kUnit{256};
  [[nodiscard]] static std::uint32_t whole_units(Bytes bytes) {
    return static_cast<std::uint32_t>(bytes / kUnit * kUnit.count());
  }
  /// Totals are compared modulo 2^32.
  static constexpr Bytes kMaxCredit = 1_GiB;

  Bytes credit_;
  Bytes backlog_;  ///< on the wire
  Bytes max_credit_;
  Bytes packet_;
  Picoseconds base_rtt_;
  std::uint32_t granted_ = 0;
  std::uint32_t asked_ = 0;
  bool is_speculating_ = true;
};

/// What a congestion context has been promised, at its receiver. Where a port has nobody who asks,
/// it grants to those that are satisfied until they are a largest credit ahead.
class RcccSink : public RcccReceiver {
 public:
  /// Of the source that it grants to.
  void start(const RcccSource& source) { max_idle_ = source.max_credit(); }
  [[nodiscard]] bool takes_idle() const { return ahead() < max_idle_.count(); }
  Bytes grant_idle(const RcccParameters& p) {
    const Bytes more = std::min(p.quantum, max_idle_ - Bytes(ahead()));
    granted_ += static_cast<std::uint32_t>(more.count());
    return more;
  }
  /// Granted without being asked for; less than 0: asked for and not granted.
  [[nodiscard]] std::int32_t ahead() const { return static_cast<std::int32_t>(granted_ - wanted_); }
  [[nodiscard]] Bytes max_idle() const { return max_idle_; }

 private:
  Bytes max_idle_;
};

}  // namespace weft::protocols::congestion
