#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {

/// Files an alarm of a process, which is in the cell.
inline void set_alarm(Cell& cell, Picoseconds time, ProcessId process, std::uint32_t number) {
  constexpr auto kType = static_cast<std::uint32_t>(EventType::kAlarm);
  ++cell.job_events;
  schedule(cell,
           {.time = time,
            .order = CalendarEvent::make_order(EventRank::kTimer, kType, process.value(), number),
            .type = kType,
            .target = process.value(),
            .value = number,
            .origin = process.value()});
}

/// What a process sees of the packet network while one of its callbacks runs.
template <class Host>
class HostContext final : public ProcessContext {
 public:
  HostContext(NetworkState& state, Host& host, const Here& here, ProcessId self)
      : s_(state), host_(host), here_(here), self_(self) {}

  [[nodiscard]] Picoseconds now() const override { return here_.now; }

  void post(ConnectionId connection, Bytes size) override { host_.post(here_, connection, size); }

  void wake_at(Picoseconds time, std::uint64_t token) override {
    WEFT_CHECK(time >= here_.now, "nobody wakes in the past");
    ++here_.cell.job_events;
    schedule(here_.cell, make_event(EventRank::kTimer, EventType::kWake, time, self_, token));
  }

  void signal(ProcessId to, std::uint64_t token) override {
    const Picoseconds time = here_.now + s_.constants.control_latency;
    const CalendarEvent event =
        make_event(EventRank::kControl, EventType::kSignal, time, to, token);
    const std::uint32_t target_cell = s_.processes[to.value()].cell;
    if (target_cell == s_.processes[self_.value()].cell) {
      ++here_.cell.job_events;
      schedule(here_.cell, event);
    } else {
      here_.worker.outbox.push_back({target_cell, event});
    }
  }

  void alarm_at(Picoseconds time, ProcessId process, std::uint32_t number) override {
    WEFT_CHECK(time >= here_.now, "nobody wakes in the past");
    const auto cell_of = [&](ProcessId p) { return s_.processes[p.value()].cell; };
    WEFT_CHECK(cell_of(process) == cell_of(self_), "alarms do not cross cells");
    set_alarm(here_.cell, time, process, number);
  }

  [[nodiscard]] Picoseconds next_event() const override {
    return next_event_time(here_.cell, here_.now);
  }

  void restart(ConnectionId connection) override { host_.restart(connection); }

 private:
  CalendarEvent make_event(EventRank rank, EventType type, Picoseconds time, ProcessId target,
                           std::uint64_t token) {
    const auto number = static_cast<std::uint32_t>(type);
    const std::uint32_t sequence = s_.processes[self_.value()].sequence++;
    return {.time = time,
            .order = CalendarEvent::make_order(rank, number, self_.value(), sequence),
            .type = number,
            .target = target.value(),
            .value = token,
            .origin = self_.value()};
  }

  NetworkState& s_;
  Host& host_;
  const Here& here_;
  ProcessId self_;
};

}  // namespace weft::protocols
