#include "scenarios/results/tables/ports_table.hpp"

#include <vector>

#include "scenarios/results/results.hpp"

namespace weft::scenarios {

namespace {

using Columns = std::vector<Column<PortResult>>;

/// What a port sent, and what waited at it.
Columns traffic_columns() {
  return {{"port", "as in leaf0[3]->spine1", [](const PortResult& r) { return r.name; }},
          {"rate_bps", "of the link, averaged over the measured time where a fault slows it down",
           [](const PortResult& r) { return r.rate.count(); }},
          {"bytes", "on the wire", [](const PortResult& r) { return r.counters.bytes.count(); }},
          {"packets", "", [](const PortResult& r) { return r.counters.packets; }, Needs::kPackets},
          {"utilisation", "share of what it could have sent in the measured time",
           [](const PortResult& r) { return ratio(r.utilisation); }},
          {"peak_queue_bytes", "most that waited here at once",
           [](const PortResult& r) { return r.counters.peak_backlog.count(); }, Needs::kPackets},
          {"mean_queue_bytes", "what waited here, mean over time",
           [](const PortResult& r) { return mean(r.mean_queue_bytes); }, Needs::kPackets},
          {"ecn_marks", "packets marked here",
           [](const PortResult& r) { return r.counters.ecn_marked; }, Needs::kPackets},
          Column<PortResult>{"trimmed", "packets that were cut to their headers here",
                             [](const PortResult& r) { return r.counters.trimmed; }, Needs::kTrims}
              .derived(),
          {"pauses_sent", "to its peer", [](const PortResult& r) { return r.counters.pauses_sent; },
           Needs::kPackets},
          {"pauses_received", "from its peer",
           [](const PortResult& r) { return r.counters.pauses_received; }, Needs::kPackets},
          {"paused_s", "time during which a class could not start because of a pause, all classes",
           [](const PortResult& r) { return r.counters.paused_time; }, Needs::kPackets},
          {"buffer_drops", "packets that came in here and found the buffer full",
           [](const PortResult& r) { return r.counters.buffer_drops; }, Needs::kPackets},
          Column<PortResult>{"wred_drops", "packets that WRED dropped here",
                             [](const PortResult& r) { return r.counters.wred_drops; },
                             Needs::kEarlyDrops}
              .derived(),
          Column<PortResult>{"watchdog_drops", "packets that the PFC watchdog dropped here",
                             [](const PortResult& r) { return r.counters.watchdog_drops; },
                             Needs::kEarlyDrops}
              .derived(),
          Column<PortResult>{"pause_storms", "that the PFC watchdog found here, all classes",
                             [](const PortResult& r) { return r.counters.pause_storms; },
                             Needs::kEarlyDrops}
              .derived()};
}

/// What was lost on links, and what links sent again.
Columns loss_columns() {
  return {
      {"ttl_drops", "packets whose time to live was over",
       [](const PortResult& r) { return r.counters.ttl_drops; }, Needs::kPackets},
      {"fault_drops", "packets that a failing link lost",
       [](const PortResult& r) { return r.counters.fault_drops; }, Needs::kPackets},
      {"error_drops", "packets that errors of the link corrupted on the way here",
       [](const PortResult& r) { return r.counters.error_drops; }, Needs::kErrors},
      Column<PortResult>{"link_replays", "times that link-level retry began to send again here",
                         [](const PortResult& r) { return r.counters.replays; }, Needs::kRetries}
          .derived(),
      Column<PortResult>{"frames_replayed", "frames that it sent again here",
                         [](const PortResult& r) { return r.counters.frames_replayed; },
                         Needs::kRetries}
          .derived(),
      Column<PortResult>{"retry_acks", "that it sent here, for what came",
                         [](const PortResult& r) { return r.counters.retry_acks; }, Needs::kRetries}
          .derived(),
      Column<PortResult>{"retry_nacks", "that it sent here, for what was corrupted on the way",
                         [](const PortResult& r) { return r.counters.retry_nacks; },
                         Needs::kRetries}
          .derived(),
      Column<PortResult>{"retry_flushes", "times that it gave up here",
                         [](const PortResult& r) { return r.counters.retry_flushes; },
                         Needs::kRetries}
          .derived(),
      Column<PortResult>{
          "retry_drops", "packets that were lost here by that, or until it had restarted",
          [](const PortResult& r) { return r.counters.retry_drops; }, Needs::kRetries}
          .derived(),
      Column<PortResult>{
          "retry_held_s", "time during which frames that were not acknowledged kept new ones here",
          [](const PortResult& r) { return r.counters.retry_held_time; }, Needs::kRetries}
          .derived(),
      Column<PortResult>{"poison_drops", "frames that came here corrupted by a cut-through switch",
                         [](const PortResult& r) { return r.counters.poison_drops; },
                         Needs::kRetries}
          .derived()};
}

Columns credit_columns() {
  return {{"credit_stalls", "times that data began to wait for credits, all classes",
           [](const PortResult& r) { return r.counters.credit_stalls; }, Needs::kPackets},
          {"credit_stall_s", "time during which data waited for credits, all classes",
           [](const PortResult& r) { return r.counters.credit_stall_time; }, Needs::kPackets}};
}

Columns all_columns() {
  Columns columns = traffic_columns();
  for (const Columns& more : {loss_columns(), credit_columns()}) {
    columns.insert(columns.end(), more.begin(), more.end());
  }
  return columns;
}

}  // namespace

const Table<PortResult>& PortsTable::declaration() {
  static const Table<PortResult> table{"ports.csv", "a port, that is a direction of a link",
                                       all_columns(), [](const Results& r, const auto& visit) {
                                         for (const PortResult& port : r.ports) visit(port);
                                       }};
  return table;
}

}  // namespace weft::scenarios
