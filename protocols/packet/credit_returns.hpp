#pragma once

#include <array>
#include <cstdint>

#include "simcore/base/units.hpp"
#include "simcore/engine/event_calendar.hpp"

namespace weft::protocols {

/// Credits of a class that are on their way back to the port that sends. An event for each would be
/// a third of all events of a credit link, and a sender that has credits left does nothing in it.
/// So the time when they arrive is noted, and the sender counts them when it lacks some. Only a
/// sender that has to wait for the first of them has an event for that one.
struct alignas(64) CreditReturns {
  /// CalendarEvent::origin of the event of the first one.
  static constexpr std::uint32_t kOrigin = 0;

  struct Return {
    Picoseconds time;
    std::uint32_t sequence = 0;  ///< of the granting port's link control
    std::int32_t blocks = 0;
  };

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const Return& first() const { return returns_[first_]; }

  /// False if there is no place.
  [[nodiscard]] bool push(const Return& last) {
    if (count_ == kPlaces) return false;
    returns_[place(count_)] = last;
    ++count_;
    return true;
  }

  /// Takes those out that arrive before `now`; returns their blocks.
  [[nodiscard]] std::int32_t take_before(Picoseconds now) {
    return take_while([now](const Return& r) { return r.time < now; });
  }
  /// Takes those out whose events would precede what happens `now` in this order; `source`: the
  /// granting port.
  [[nodiscard]] std::int32_t take_before(Picoseconds now, std::uint64_t order, std::uint32_t type,
                                         std::uint32_t source) {
    return take_while([&](const Return& r) {
      if (r.time != now) return r.time < now;
      return CalendarEvent::make_order(EventPriority::kControl, type, source, r.sequence) < order;
    });
  }
  /// The first one has arrived, and had no event; its blocks.
  [[nodiscard]] std::int32_t take_first() {
    const std::int32_t blocks = first().blocks;
    first_ = place(1);
    --count_;
    return blocks;
  }
  /// The event of the first one is here; its blocks.
  [[nodiscard]] std::int32_t take_filed() {
    is_filed_ = false;
    return take_first();
  }
  /// Whether the first one is to be filed as an event now: there is one, and it has none yet. It
  /// may have had one since a wait that credits with events of their own have ended.
  [[nodiscard]] bool files_first() {
    if (empty() || is_filed_) return false;
    is_filed_ = true;
    return true;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t i = 0; i < count_; ++i) visit(returns_[place(i)]);
  }

 private:
  /// What a packet of 4 KiB at 900 Gbps finds on its way in a round trip of half a microsecond.
  static constexpr std::uint32_t kPlaces = 15;

  template <class Arrived>
  [[nodiscard]] std::int32_t take_while(Arrived has_arrived) {
    std::int32_t blocks = 0;
    while (count_ > 0 && has_arrived(first())) blocks += take_first();
    return blocks;
  }
  /// Of the i-th one.
  [[nodiscard]] std::uint32_t place(std::uint32_t i) const {
    const std::uint32_t at = first_ + i;
    return at < kPlaces ? at : at - kPlaces;
  }

  std::array<Return, kPlaces> returns_{};
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  bool is_filed_ = false;  ///< the first one has an event
};

}  // namespace weft::protocols
