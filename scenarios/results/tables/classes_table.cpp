#include "scenarios/results/tables/classes_table.hpp"

#include "scenarios/results/results.hpp"

namespace weft::scenarios {
namespace {

bool saw_anything(const protocols::ClassCounters& c) {
  return c.packets > 0 || c.peak_bytes > Bytes(0) || c.paused_time > Picoseconds(0) ||
         c.pauses_received > 0 || c.credit_stalls > 0 || c.buffer_drops > 0 ||
         c.wred_drops + c.watchdog_drops > 0;
}

}  // namespace

const Table<ClassRow>& ClassesTable::declaration() {
  static const Table<ClassRow> table{
      "classes.csv",
      "a traffic class of a port, if it saw anything",
      {{"port", "as in leaf0[3]->spine1", [](const ClassRow& r) { return r.port.name; }},
       {"class", "its name",
        [](const ClassRow& r) { return r.results.class_names[r.traffic_class]; }},
       {"bytes", "on the wire", [](const ClassRow& r) { return r.counters.bytes.count(); }},
       {"packets", "", [](const ClassRow& r) { return r.counters.packets; }},
       {"share", "of the port's bytes",
        [](const ClassRow& r) {
          const auto all = static_cast<double>(r.port.counters.bytes.count());
          return ratio(all > 0 ? static_cast<double>(r.counters.bytes.count()) / all : 0);
        }},
       {"peak_queue_bytes", "most that waited here at once",
        [](const ClassRow& r) { return r.counters.peak_bytes.count(); }},
       Column<ClassRow>{"trimmed", "packets of it that were cut to their headers here",
                        [](const ClassRow& r) { return r.counters.trimmed; }, Needs::kTrims}
           .derived(),
       {"buffer_drops", "packets that came in here and found the buffer full",
        [](const ClassRow& r) { return r.counters.buffer_drops; }},
       Column<ClassRow>{"wred_drops", "packets of it that WRED dropped here",
                        [](const ClassRow& r) { return r.counters.wred_drops; }, Needs::kEarlyDrops}
           .derived(),
       Column<ClassRow>{"watchdog_drops", "packets of it that the PFC watchdog dropped here",
                        [](const ClassRow& r) { return r.counters.watchdog_drops; },
                        Needs::kEarlyDrops}
           .derived(),
       Column<ClassRow>{"pause_storms", "that the PFC watchdog found here",
                        [](const ClassRow& r) { return r.counters.pause_storms; },
                        Needs::kEarlyDrops}
           .derived(),
       {"pauses_received", "from its peer",
        [](const ClassRow& r) { return r.counters.pauses_received; }},
       {"paused_s", "time during which it could not start because of a pause",
        [](const ClassRow& r) { return r.counters.paused_time; }},
       {"credit_stalls", "times that data began to wait for credits",
        [](const ClassRow& r) { return r.counters.credit_stalls; }},
       {"credit_stall_s", "time during which data waited for credits",
        [](const ClassRow& r) { return r.counters.credit_stall_time; }}},
      [](const Results& r, const auto& visit) {
        for (const PortResult& port : r.ports) {
          for (const ClassId c : all_classes(r.class_names.size())) {
            const protocols::ClassCounters& counters = r.class_counters(port.port, c);
            if (saw_anything(counters)) visit({r, port, c, counters});
          }
        }
      },
      [](const Results& r) { return r.has_packets; }};
  return table;
}

}  // namespace weft::scenarios
