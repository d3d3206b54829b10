#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "protocols/congestion/control.hpp"
#include "protocols/path_selection/path_history.hpp"
#include "simcore/base/units.hpp"
#include "simcore/schema/schema.hpp"

/// Which path a sender's packets take: the entropy that each carries, which ECMP hashes. A choice
/// is a header beside this file, its keys in `list.cpp` and an entry in `list.hpp`; all that runs
/// it, names it or describes it follows from there.
namespace weft::protocols::path_selection {

/// Values that a queue pair can choose among, at most: an ACK tells of the one that its packet had.
inline constexpr std::uint32_t kMaxValues = 256;

/// What an ACK says of the path of the packet that it answers.
struct AckedPacket {
  std::uint32_t value = 0;  ///< that the packet carried, below `kMaxValues`
  bool is_marked = false;   ///< a switch on that path had marked it
  /// Distinct packets of the queue pair that have arrived, and that were ever sent. What a choice
  /// does once per round trip it does again when all that was sent by then has arrived.
  std::uint32_t arrived = 0;
  std::uint32_t sent = 0;
};

using congestion::LossSignal;

/// What a choice asks of the transport.
struct Traits {
  /// Packets of one queue pair are under way on several paths at a time, so that the receiver has
  /// to take them in any order.
  bool is_per_packet = false;
  /// It hears of every packet, so that each has an ACK, which says whether it was marked.
  bool observes_acks = false;
};

/// A choice: the state of one queue pair at its sender. Parameters are run constants made of the
/// specification `Config`. Nothing here draws on anything but its arguments. After `start`, memory
/// grows only with what is in flight and with values that failed.
///
/// - `start(p, key)` once, before anything else; draws follow from `key`.
/// - `next(p, sequence, now)`: the value of the packet that is about to be sent.
/// - `on_ack`; `on_loss(p, sequence, how, now)`: that packet is taken for lost. Transports that
/// know
///   which value it had say `on_path_loss(p, value, how, now)` instead; kNack: a switch trimmed it.
/// - A choice that probes paths (`ProbesPaths`) is told the planes, and by which the packet leaves.
template <class C>
concept EntropyChoice = std::equality_comparable<typename C::Config> &&
    std::constructible_from<typename C::Parameters, const typename C::Config&> &&
    requires(C choice, const typename C::Parameters& p, const AckedPacket& answer,
             std::uint64_t key, std::uint32_t sequence, Picoseconds now) {
  { C::kName } -> std::convertible_to<const char*>;  // in scenarios
  { C::kTraits } -> std::convertible_to<Traits>;
  { C::schema() } -> std::same_as<schema::Object<typename C::Config>>;
  choice.start(p, key);
  { choice.next(p, sequence, now) } -> std::same_as<std::uint32_t>;
  choice.on_ack(p, answer, now);
  choice.on_loss(p, sequence, LossSignal::kTimeout, now);
  choice.on_path_loss(p, sequence, LossSignal::kTimeout, now);
};

/// A choice whose host sends probes by values that lost packets: `take_probe` gives a value that is
/// due at `next_probe`, and `on_probe` tells that its probe has come back. Values are shares of
/// planes, and `next` is told by which the packet leaves. `take_change` says which value came into
/// another state by what it was told last, and `count(p, plane)` how many are in which.
template <class C>
concept ProbesPaths = EntropyChoice<C> &&
    requires(C choice, const typename C::Parameters& p, std::uint64_t key, std::uint32_t number,
             Picoseconds now) {
  choice.start(p, key, number);
  { choice.next(p, number, now, number) } -> std::same_as<std::uint32_t>;
  { choice.next_probe() } -> std::same_as<OptionalTime>;
  choice.take_probe(p, now);
  choice.on_probe(p, number);
  choice.planes_without_values();
  { choice.take_change() } -> std::same_as<std::optional<ChangedPath>>;
  { choice.count(p, number) } -> std::same_as<PathStateCounts>;
};

}  // namespace weft::protocols::path_selection
