#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simcore/base/units.hpp"

namespace weft {

/// Priorities of event kinds at equal time: departures first, then arrivals, control, timers. Every
/// digest depends on this order.
enum class EventPriority : std::uint8_t { kDeparture = 0, kArrival = 1, kControl = 2, kTimer = 3 };

/// A control event or a timer of a logical process: everything but packet arrivals and departures.
struct CalendarEvent {
  Picoseconds time;
  /// Priority, type, source and sequence of the source, most significant first: the total order at
  /// equal time, made of what the model defines only.
  std::uint64_t order = 0;
  std::uint32_t type = 0;
  std::uint32_t target = 0;
  std::uint64_t value = 0;
  std::uint32_t origin = 0;

  /// `source` < 2^26, `type` < 2^4.
  static std::uint64_t make_order(EventPriority priority, std::uint32_t type, std::uint32_t source,
                                  std::uint32_t sequence) {
    return (static_cast<std::uint64_t>(priority) << 62U) |
           (static_cast<std::uint64_t>(type) << 58U) | (static_cast<std::uint64_t>(source) << 32U) |
           sequence;
  }
  [[nodiscard]] static std::uint32_t source_in(std::uint64_t order) {
    return static_cast<std::uint32_t>(order >> 32U) & ((1U << 26U) - 1);
  }
  friend bool operator<(const CalendarEvent& a, const CalendarEvent& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }
};

/// A logical process's control events and timers, earliest first.
class EventCalendar {
 public:
  static constexpr Picoseconds kNever = Picoseconds::max();

  [[nodiscard]] Picoseconds next_time() const { return next_time_; }
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const CalendarEvent& top() const { return heap_[0]; }
  void push(const CalendarEvent& event) {
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), Later{});
    next_time_ = heap_[0].time;
  }
  /// Every event, in no order that means anything.
  [[nodiscard]] const std::vector<CalendarEvent>& events() const { return heap_; }
  /// `change(events)` may give them other times and another order.
  template <class Change>
  void change(Change change) {
    change(heap_);
    std::make_heap(heap_.begin(), heap_.end(), Later{});
    next_time_ = heap_.empty() ? kNever : heap_[0].time;
  }
  CalendarEvent pop() {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    const CalendarEvent event = heap_.back();
    heap_.pop_back();
    next_time_ = heap_.empty() ? kNever : heap_[0].time;
    return event;
  }

 private:
  struct Later {
    bool operator()(const CalendarEvent& a, const CalendarEvent& b) const { return b < a; }
  };
  Picoseconds next_time_ = kNever;  ///< of the heap's top: asked for between any two events
  std::vector<CalendarEvent> heap_;
};

}  // namespace weft
