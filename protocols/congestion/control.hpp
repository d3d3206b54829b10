#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "protocols/congestion/control_spec.hpp"
#include "protocols/packet/credit_request.hpp"
#include "protocols/packet/telemetry.hpp"
#include "simcore/base/random.hpp"
#include "simcore/base/units.hpp"

/// What a congestion control does. A control is one folder beside this file (specification with the
/// source of each default, keys, state and reaction), one entry in `specs.hpp` and one in
/// `list.hpp`; all that runs it, names it or describes it follows from there.
namespace weft::protocols::congestion {

/// What a control learns of its queue pair before the first packet.
struct FlowStart {
  BitsPerSecond line_rate{};  ///< at which the host can send it
  Bytes packet{};             ///< wire bytes of a full packet
  Bytes payload{};            ///< of those, what the message has
  /// Where Needs::path is set: from a full packet's first bit until its ACK is back, with nobody
  /// else on the way, and the switches that it crosses.
  Picoseconds base_rtt{};
  std::uint32_t hops = 0;
  // Where Needs::contexts is set, `packet` is without what the control does not count.
  bool trims = false;  ///< switches cut packets to their headers instead of dropping them
  Bytes drop_limit{};  ///< bytes of the class at an egress, from which they do; 0: none
};

/// An ACK that came back to a congestion context, where a control counts bytes.
struct ContextAck {
  Bytes fresh;             ///< that it is the first to say have arrived
  bool is_marked = false;  ///< the packet that it answers was
  /// Since that packet was sent; absent where it is not certain which of several times.
  std::optional<Picoseconds> round_trip{};
};

/// An ACK that came back to the sender.
struct Acknowledgement {
  std::uint32_t packets = 0;  ///< that it is the first to say have arrived
  /// Distinct packets of the queue pair that have arrived, and that were ever sent. What a control
  /// does once per round trip it does again when all that was sent by then has arrived.
  std::uint32_t arrived = 0;
  std::uint32_t sent = 0;
  bool is_marked = false;  ///< it echoes a congestion mark (MarkResponse::kEcho)
  /// False where no window is to grow by it: the oldest packet is still missing, or the transport
  /// repairs a loss that it told of (RFC 5681, 3.2).
  bool may_grow = true;
  /// Where Needs::echo_time is set: since the packet that it answers began to be sent.
  Picoseconds delay{};
  /// Where Needs::telemetry is set: what the switches on its way said in that packet, in order.
  std::span<const HopReport> hops{};
};

/// How a sender learned that packets are missing.
enum class LossSignal : std::uint8_t {
  kNack,     ///< the receiver asks for them
  kTimeout,  ///< nothing was acknowledged for too long
};

/// How a packet came to a receiver that grants credit.
enum class Arrival : std::uint8_t {
  kWhole,
  kMarked,          ///< whole
  kTrimmed,         ///< its header alone
  kTrimmedLastHop,  ///< the same, cut at the port that leads here
};
[[nodiscard]] constexpr bool is_trim(Arrival arrival) {
  return arrival == Arrival::kTrimmed || arrival == Arrival::kTrimmedLastHop;
}

/// What the receiver's part does about a marked packet.
enum class MarkResponse : std::uint8_t {
  kNothing,
  kEcho,              ///< the next ACK carries the mark
  kNotify,            ///< a notification of its own (CNP), at once
  kEchoUntilReduced,  ///< all ACKs carry it until the sender has reduced, where it can say so
};
/// The packets that may be in flight where a control sets no window.
inline constexpr std::uint32_t kNoWindow = std::numeric_limits<std::uint32_t>::max();

/// What a rate sends in `time`, in packets: rounded up, and one at least.
[[nodiscard]] constexpr std::uint32_t window_of(BitsPerSecond rate, Picoseconds time,
                                                Bytes packet) {
  const std::int64_t packets = (bytes_in(time, rate) + packet - Bytes(1)) / packet;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(packets, 1, kMaxInFlight));
}

/// The receiver's part of a control that has no use for marks.
struct OnlyAcknowledges {
  template <class Parameters>
  MarkResponse on_marked(const Parameters& /*p*/, Picoseconds /*now*/) {
    return MarkResponse::kNothing;
  }
};

/// A congestion control: the state of one queue pair at its sender, and the reaction. Parameters
/// are run constants made of the specification `Config`. Times are those of the run and never go
/// back. Nothing here allocates, nor draws on anything but its arguments.
///
/// - `start` once, before anything else.
/// - `on_timer(now)` before every other call and before a sample: timers that expired by then take
///   effect, in order. Controls whose timers nobody can see between packets need no events for
///   them.
/// - `on_sent(bytes, now)` as the transmission of `bytes` on the wire begins. It returns the
///   earliest time for the next one, or any time in the past where only the link limits.
/// - `on_ack`, `on_notified` (a CNP came), `on_loss`.
/// - `window()`: packets that may be in flight, kNoWindow for no limit, never 0.
/// - `sample`: the values of `kColumns`; those that mean nothing now stay as they are.
/// - `gap()` where `Needs::repaces` can be set: from the last packet to the next at the present
/// rate.
///
/// `Receiver` is the part at the other end: `on_marked` says what becomes of a marked packet.
template <class C>
concept CongestionControl = ControlSpec<C> &&
    std::constructible_from<typename C::Parameters, const typename C::Config&> &&
    requires(C control, const C& read, const typename C::Parameters& p, const FlowStart& start,
             const Acknowledgement& ack, typename C::Receiver receiver, Picoseconds now,
             std::span<std::int64_t, C::kColumns.size()> values) {
  control.start(p, start);
  control.on_timer(p, now);
  { control.on_sent(p, Bytes(), now) } -> std::same_as<Picoseconds>;
  control.on_ack(p, ack, now);
  control.on_notified(p, now);
  control.on_loss(p, LossSignal::kNack, now);
  { read.window(p) } -> std::same_as<std::uint32_t>;
  read.sample(p, values);
  { receiver.on_marked(p, now) } -> std::same_as<MarkResponse>;
};

/// A control whose changes of the rate can move the packet that waits.
template <class C>
concept Repaces = requires(const C& control) {
  { control.gap() } -> std::same_as<Picoseconds>;
};

/// A control of contexts (`transports/uec`): it counts bytes, and one state serves all queue pairs
/// from a host to another one in a class.
///
/// - `may_send(packet)`: bytes of the packet that is next. `asks_ack`: whether that asks for an
/// ACK,
///   where receivers send one per given number of bytes by themselves.
/// - `on_packet` as the transmission of a packet begins; `on_answer` for every ACK.
/// - `on_nack`: a packet was trimmed, and whether that is settled by credit; `on_missing`: it is
///   lost by another sign; `on_found`: it was not, and will not be sent again.
/// - `window()`: bytes that may be in flight; `max_window()`, `base_rtt()`, and the queueing delay
///   that is kept, `target()`.
template <class C>
concept CountsBytes = CongestionControl<C> &&
                      C::kRequirements.contexts&& requires(C control, const C& read,
                                                           const typename C::Parameters& p,
                                                           Bytes bytes, const ContextAck& ack,
                                                           Picoseconds now) {
  { read.may_send(p, bytes) } -> std::same_as<bool>;
  { read.asks_ack(p, bytes, bytes) } -> std::same_as<bool>;
  control.on_packet(p, bytes, now);
  control.on_answer(p, ack, now);
  control.on_nack(p, bytes, bool(), now, bool());
  { read.window() } -> std::same_as<Bytes>;
  { read.max_window() } -> std::same_as<Bytes>;
  { read.base_rtt() } -> std::same_as<Picoseconds>;
  { read.target() } -> std::same_as<Picoseconds>;
  control.on_missing(p, bytes, LossSignal::kTimeout);
  control.on_found(p, bytes);
};

/// A control whose receivers grant credit (`host/credit_scheduler.hpp`): running totals of bytes,
/// which wrap.
///
/// At the sender:
/// - `begin` when it has something to send after it was idle.
/// - `may_send()`, besides what the window allows.
/// - `request(packet, backlog)`: what the packet that is about to be sent tells its receiver;
///   `backlog` is what is left to be sent after it.
/// - `on_granted(total)`: a grant came. `ask_again`: one has been waited for too long.
///
/// At the receiver: `on_request`, as a packet comes, says whether there is something to grant;
/// `grant`, when its turn has come, how much, and `wants` whether there is more. `Port` is the
/// state of a port that grants: `on_credit_request` for every packet, and `gap` from a grant to the
/// next one.
template <class C>
concept GrantsCredit = CongestionControl<C> && C::kRequirements.grants&& requires(
    C control, const C& read, const typename C::Parameters& p, typename C::Receiver receiver,
    typename C::Port port, const CreditRequest& request, Picoseconds now,
    const RandomStream& random) {
  control.begin();
  control.ask_again();
  control.on_granted(p, std::uint32_t());
  { control.request(p, Bytes(), Bytes()) } -> std::same_as<CreditRequest>;
  { read.may_send() } -> std::same_as<bool>;
  { receiver.on_request(p, request) } -> std::same_as<bool>;
  { receiver.grant(p) } -> std::same_as<Bytes>;
  { receiver.wants() } -> std::same_as<bool>;
  { receiver.total() } -> std::same_as<std::uint32_t>;
  port.on_credit_request(p, Arrival::kWhole, now, random);
  { port.gap(p, Bytes(), BitsPerSecond(), now, random) } -> std::same_as<Picoseconds>;
};

/// The state of a port, of controls that have one.
template <class C>
struct PortStateOf {
  struct Type {};
};
template <GrantsCredit C>
struct PortStateOf<C> {
  using Type = typename C::Port;
};

}  // namespace weft::protocols::congestion
