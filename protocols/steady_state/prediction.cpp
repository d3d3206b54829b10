#include "protocols/steady_state/prediction.hpp"

#include <algorithm>

#include "protocols/steady_state/state_visitor.hpp"

namespace weft::protocols {

// Whoever goes back may hear that what was sent before has arrived.
Picoseconds earliest_end(const NetworkState& s, const SenderState& sender, Picoseconds now) {
  const TransportConstants& t = s.constants.transports[sender.transport];
  const bool is_alone = sender.message != kNoIndex && sender.message == sender.oldest_message;
  if (!is_alone || sender.retries > 0 || sender.next != sender.sent_end) return now;
  Picoseconds shortest = s.ports[sender.port()].transmission(t.full_size());
  for (const std::uint16_t local : sender.local_ports()) {
    shortest = std::min(shortest, s.ports[sender.first_port + local].transmission(t.full_size()));
  }
  // But for the last one, which may be smaller.
  const std::uint32_t packets = sender.message_last - sender.next;
  return now + packets / std::max<std::uint32_t>(sender.port_count, 1) * shortest;
}

Picoseconds next_job_event(const LogicalProcess& lp) {
  Picoseconds first = EventCalendar::kNever;
  for (const CalendarEvent& event : lp.calendar.events()) {
    if (is_of_job(event)) first = std::min(first, event.time);
  }
  return first;
}

}  // namespace weft::protocols
