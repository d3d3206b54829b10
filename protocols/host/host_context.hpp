#pragma once

#include <cstdint>

#include "protocols/link/egress.hpp"
#include "protocols/state/network_state.hpp"
#include "simcore/base/check.hpp"

namespace weft::protocols {

/// Files a timer of a process, which is in the logical process.
inline void file_job_timer(LogicalProcess& lp, Picoseconds time, ProcessId process,
                           std::uint32_t number) {
  constexpr auto kType = static_cast<std::uint32_t>(EventType::kJobTimer);
  ++lp.job_events;
  schedule(lp, {.time = time,
                .order = CalendarEvent::make_order(EventPriority::kTimer, kType, process.value(),
                                                   number),
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
    ++here_.lp.job_events;
    schedule(here_.lp, make_event(EventPriority::kTimer, EventType::kWake, time, self_, token));
  }

  void send_control_event(ProcessId to, std::uint64_t token) override {
    const Picoseconds time = here_.now + s_.constants.control_latency;
    const CalendarEvent event =
        make_event(EventPriority::kControl, EventType::kControlEvent, time, to, token);
    const std::uint32_t target_lp = s_.processes[to.value()].lp;
    if (target_lp == s_.processes[self_.value()].lp) {
      ++here_.lp.job_events;
      schedule(here_.lp, event);
    } else {
      here_.worker.outbox.push_back({target_lp, event});
    }
  }

  void set_job_timer(Picoseconds time, ProcessId process, std::uint32_t number) override {
    WEFT_CHECK(time >= here_.now, "nobody wakes in the past");
    const auto lp_of = [&](ProcessId p) { return s_.processes[p.value()].lp; };
    WEFT_CHECK(lp_of(process) == lp_of(self_), "timers do not cross logical processes");
    file_job_timer(here_.lp, time, process, number);
  }

  [[nodiscard]] Picoseconds next_event() const override {
    // What takes effect now without an event has done so; frames that other logical processes send
    // come in a later window.
    return next_event_time(here_.lp, here_.now + Picoseconds(1));
  }

  void restart(ConnectionId connection) override { host_.restart(connection); }

 private:
  CalendarEvent make_event(EventPriority priority, EventType type, Picoseconds time,
                           ProcessId target, std::uint64_t token) {
    const auto number = static_cast<std::uint32_t>(type);
    const std::uint32_t sequence = s_.processes[self_.value()].sequence++;
    return {.time = time,
            .order = CalendarEvent::make_order(priority, number, self_.value(), sequence),
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
