#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "simcore/base/histogram.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/engine/activity_bitmap.hpp"
#include "simcore/engine/arrival_batch.hpp"
#include "simcore/engine/event_calendar.hpp"
#include "simcore/engine/link.hpp"
#include "simcore/engine/trace.hpp"
#include "simcore/engine/winner_tree.hpp"

namespace weft {

/// What one thread needs to run logical processes: scratch space, packet memory and statistics that
/// are sums, so that it does not matter which thread ran which logical process.
struct alignas(64) Worker {
  std::uint32_t number = 0;  ///< of the thread, from 0
  ChunkPool pool;
  ArrivalBatch batch;
  /// By group of connections, and within it by size class of messages.
  std::vector<Histogram> packet_latency;
  /// Counted from the start of the run.
  struct Sums {
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
    std::uint64_t packets_injected = 0;
    std::uint64_t packets_delivered = 0;
    std::uint64_t packets_dropped = 0;
    std::uint64_t packets_retransmitted = 0;
    std::uint64_t timeouts = 0;         ///< of senders that heard nothing for too long
    std::uint64_t packets_trimmed = 0;  ///< data that a switch cut to their headers
    std::uint64_t trims_lost = 0;       ///< of these, dropped after that
    std::uint64_t losses_inferred = 0;  ///< packets that a sender repeats unasked, before time-outs
    std::uint64_t trims_answered = 0;   ///< of these, answered by a NACK or an ACK
    std::uint64_t path_probes = 0;      ///< sent by paths that lost packets
    std::uint64_t path_probes_lost = 0;      ///< of these, dropped, or their reply was
    std::uint64_t path_probes_answered = 0;  ///< of these, whose reply came back
    std::uint64_t messages_posted = 0;
    std::uint64_t messages_sent = 0;       ///< that their senders are done with
    std::uint64_t messages_delivered = 0;  ///< of a multicast, to each member

    /// Packets that are somewhere in the network: injected, and neither delivered nor dropped.
    [[nodiscard]] std::uint64_t packets_in_flight() const {
      return packets_injected - packets_delivered - packets_dropped;
    }

    Sums& operator+=(const Sums& other) { return add(other, 1); }
    /// Adds `times * other`. Arithmetic is modulo 2^64, so `times` = -1 subtracts.
    Sums& add(const Sums& other, std::uint64_t times) {
      events += times * other.events;
      packet_hops += times * other.packet_hops;
      packets_injected += times * other.packets_injected;
      packets_delivered += times * other.packets_delivered;
      packets_dropped += times * other.packets_dropped;
      packets_retransmitted += times * other.packets_retransmitted;
      timeouts += times * other.timeouts;
      packets_trimmed += times * other.packets_trimmed;
      trims_lost += times * other.trims_lost;
      losses_inferred += times * other.losses_inferred;
      trims_answered += times * other.trims_answered;
      path_probes += times * other.path_probes;
      path_probes_lost += times * other.path_probes_lost;
      path_probes_answered += times * other.path_probes_answered;
      messages_posted += times * other.messages_posted;
      messages_sent += times * other.messages_sent;
      messages_delivered += times * other.messages_delivered;
      return *this;
    }
  };
  Sums sums;
  /// The run is to be left right after the event at hand, of the calendar; of a network that is one
  /// logical process alone. When that was so.
  bool stops = false;
  Picoseconds stopped_at;
  /// Control events for logical processes that may run on another thread, handed over between
  /// windows.
  struct Outgoing {
    std::uint32_t lp;
    CalendarEvent event;
  };
  std::vector<Outgoing> outbox;
  /// What was observed in this window, in the order in which logical processes ran.
  std::vector<TraceRecord> trace;
  ActivityBitmap activity;
  std::vector<std::uint32_t>
      arriving;  ///< ports of the logical process at hand that something comes to
};

/// Keys of a logical process's departures and arrivals, which order them by (time, priority, port):
/// time since an origin << shift | priority bit | local number of the port.
struct EventKeys {
  std::uint32_t shift = 1;
  std::uint64_t arrival_bit = 1;
  Picoseconds origin;  ///< before everything that is still to come

  EventKeys() = default;
  explicit EventKeys(std::uint32_t port_count)
      : shift(static_cast<std::uint32_t>(std::bit_width(port_count)) + 1),
        arrival_bit(std::uint64_t{1} << (shift - 1)) {}

  [[nodiscard]] std::uint64_t departure(Picoseconds time, std::uint32_t local) const {
    return (static_cast<std::uint64_t>((time - origin).count()) << shift) | local;
  }
  [[nodiscard]] std::uint64_t arrival(Picoseconds time, std::uint32_t local) const {
    return departure(time, local) | arrival_bit;
  }
  [[nodiscard]] bool is_arrival(std::uint64_t key) const { return (key & arrival_bit) != 0; }
  [[nodiscard]] std::uint32_t local_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & (arrival_bit - 1));
  }
  [[nodiscard]] Picoseconds time_of(std::uint64_t key) const {
    return origin + Picoseconds(static_cast<std::int64_t>(key >> shift));
  }
  /// How long after the origin a window may end: half of what keys hold, for what is under way then
  /// lies beyond.
  [[nodiscard]] Picoseconds reach() const {
    return Picoseconds(static_cast<std::int64_t>(std::uint64_t{1} << (63U - shift)));
  }
};

/// A set of nodes simulated as one unit. Its events are ordered by (time, priority, source,
/// sequence); the three sources of events are the batch of arrivals from outside (gathered per
/// window), the tree of departures and arrivals inside, and the calendar of control events and
/// timers.
struct LogicalProcess {
  std::vector<PortId> ports;   ///< ascending; the index is the local number
  std::vector<Link*> inbound;  ///< the link that ends at each port
  std::vector<std::uint32_t>
      external_in;  ///< local numbers of ports fed from other logical processes
  std::uint32_t first_activity_word =
      0;            ///< word of the activity bitmap of `external_in`, in that order
  WinnerTree next;  ///< departures at [local], inside arrivals at [n + local]
  EventCalendar calendar;
  /// EventCalendar entries that still matter. Timers of finished flows stay behind without
  /// counting.
  std::int64_t live_events = 0;
  /// Those among `live_events` that jobs wait for.
  std::int64_t job_events = 0;
  Picoseconds last_event_time;
  /// After this time nothing takes effect any more that has no event.
  Picoseconds last_eventless_time{-1};
  EventKeys keys;

  [[nodiscard]] std::uint32_t port_count() const {
    return static_cast<std::uint32_t>(ports.size());
  }
};

/// Has keys count from a later origin on, before which nothing in the logical process is left to
/// happen.
inline void move_origin(LogicalProcess& lp, Picoseconds origin) {
  lp.next.subtract(lp.keys.departure(origin, 0));
  lp.keys.origin = origin;
}

/// How many ports ahead of its use memory is asked for. A window touches the ports of a logical
/// process in order, and in large fabrics all of them lie beyond the second-level cache.
inline constexpr std::size_t kStateAhead = 8;
inline constexpr std::size_t kPacketsAhead = 4;

/// The ports of `lp` that something may come to from outside, in ascending order: in a window
/// that reads the activity bitmap those that something does come to.
inline std::span<const std::uint32_t> arriving_ports(const LogicalProcess& lp, Worker& worker) {
  if (!worker.activity.is_read()) return lp.external_in;
  const std::size_t links = lp.external_in.size();
  if (worker.arriving.size() < links) [[unlikely]]
    worker.arriving.resize(links);
  std::uint32_t* next = worker.arriving.data();
  const std::uint32_t* local = lp.external_in.data();
  const std::size_t last = lp.first_activity_word + ActivityBitmap::words_for(links);
  for (std::size_t word = lp.first_activity_word; word < last; ++word) {
    ActivityBitmap::for_each_in(worker.activity.take(word),
                                [&](std::size_t i) { *next++ = local[i]; });
    local += ActivityBitmap::kPerWord;
  }
  return {worker.arriving.data(), next};
}

/// Where and when something happens: what every step of a model is given.
struct Here {
  LogicalProcess& lp;
  Worker& worker;  ///< of the thread that runs the logical process
  Picoseconds now;
  /// CalendarEvent::order of what happens; 0: a departure or an arrival, which precede entries of
  /// the calendar at equal time.
  std::uint64_t order = 0;
};

/// What simulates the nodes of a logical process. `local` is the number of a port within the
/// logical process.
template <class M>
concept LpModel = requires(M& model, const Here& here, LogicalProcess& lp, Packet& packet,
                           const CalendarEvent& event, std::uint32_t local) {
  model.depart(here, local);          // the transmission at the port ends
  model.arrive(here, packet, local);  // a packet has come by it
  // An entry of the calendar is due; false: it had become void.
  { model.handle(here, event) } -> std::same_as<bool>;
  model.accept_control(here, packet, local);  // takes link control out of a queue
  // Ask for the memory of a port and of the link into it, of what these point to, and of the most
  // recent flows of a host.
  model.fetch_state(lp, local);
  model.fetch_packets(lp, local);
  model.fetch_flows(lp, local);
};

/// Runs one logical process from `start` (inclusive) to `end` (exclusive).
template <LpModel Model>
void run_window(LogicalProcess& lp, Worker& worker, Model& model, Picoseconds start,
                Picoseconds end) {
  const EventKeys keys = lp.keys;
  const std::uint64_t limit = keys.departure(end, 0);  // below it lie the keys of this window
  const std::span<const std::uint32_t> arriving = arriving_ports(lp, worker);
  const std::size_t sources = arriving.size();
  if (sources == 0 && lp.next.top() >= limit && lp.calendar.next_time() >= end) return;
  ArrivalBatch& batch = worker.batch;
  batch.begin(start, end - start);
  for (std::size_t i = 0; i < sources; ++i) {
    if (i + kStateAhead < sources) model.fetch_state(lp, arriving[i + kStateAhead]);
    if (i + kPacketsAhead < sources) model.fetch_packets(lp, arriving[i + kPacketsAhead]);
    const std::uint32_t local = arriving[i];
    Link& link = *lp.inbound[local];
    batch.gather(link, local, end, worker.pool);
    if (link.in_flight() != 0) worker.activity.set(link.activity_index);
    // All of them, also those of later windows: a credit may overtake a pause, which takes longer
    // to act, and the calendar puts them in order.
    if (link.control_out.front(link.control_in) != nullptr) [[unlikely]] {
      link.control_out.take_until(Picoseconds::max(), link.control_in, worker.pool,
                                  [&](const Packet& frame) {
                                    model.accept_control({lp, worker, start}, frame, local);
                                  });
    }
  }
  batch.sort();

  const auto next_outside = [&] {
    return batch.done() ? WinnerTree::kNone : keys.arrival(batch.next_time(), batch.next_port());
  };
  std::uint64_t outside = next_outside();
  Picoseconds now(-1);
  for (;;) {
    const std::uint64_t inside = lp.next.top();
    const bool take_inside = inside < outside;
    const std::uint64_t key = take_inside ? inside : outside;
    const Picoseconds calendar_time = lp.calendar.next_time();
    const Picoseconds time = keys.time_of(key);
    if (calendar_time < time) [[unlikely]] {
      if (calendar_time >= end) break;
      const CalendarEvent event = lp.calendar.pop();
      if (model.handle({lp, worker, event.time, event.order}, event)) ++worker.sums.events;
      if (worker.stops) [[unlikely]] {
        worker.stopped_at = event.time;
        break;
      }
      continue;
    }
    if (key >= limit) break;
    assert(time >= start && time >= now);
    now = time;
    ++worker.sums.events;
    const std::uint32_t local = keys.local_of(key);
    if (!take_inside) {
      // What comes next is looked up before this packet is dealt with, which it does not wait for.
      Packet& packet = batch.pop();
      outside = next_outside();
      model.arrive({lp, worker, time}, packet, local);
    } else if (!keys.is_arrival(key)) {
      model.depart({lp, worker, time}, local);
    } else {
      Link& link = *lp.inbound[local];
      Packet packet = link.data_out.take(link.data_in, worker.pool);
      const Packet* following = link.data_out.front(link.data_in);
      lp.next.update(lp.port_count() + local,
                     following != nullptr ? keys.arrival(Picoseconds(following->stamp), local)
                                          : WinnerTree::kNone);
      model.arrive({lp, worker, time}, packet, local);
    }
  }
  if (now > lp.last_event_time) lp.last_event_time = now;
}

/// The time of the earliest event that the logical process knows of, or EventCalendar::kNever; of
/// what takes effect without events the last one counts.
/// Control frames that are still in a link's queue lie no earlier than `horizon`, the end of the
/// last window.
inline Picoseconds next_event_time(LogicalProcess& lp, Picoseconds horizon) {
  Picoseconds earliest = lp.live_events > 0 ? lp.calendar.next_time() : EventCalendar::kNever;
  if (lp.last_eventless_time >= horizon) earliest = std::min(earliest, lp.last_eventless_time);
  if (lp.next.top() != WinnerTree::kNone) {
    earliest = std::min(earliest, lp.keys.time_of(lp.next.top()));
  }
  for (const std::uint32_t local : lp.external_in) {
    const Link& link = *lp.inbound[local];
    if (const Packet* packet = link.data_out.front(link.data_in)) {
      earliest = std::min(earliest, Picoseconds(packet->stamp));
    }
    // Control frames are few at any time; those of one queue are not in order.
    if (link.control_out.front(link.control_in) != nullptr) earliest = std::min(earliest, horizon);
  }
  return earliest;
}

}  // namespace weft
