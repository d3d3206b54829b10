#include "scenarios/results/result_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace weft::scenarios {
namespace {

Quotient ratio(double value) { return {value, Quotient::Spelling::kRatio}; }
std::optional<Quotient> per_second(const std::optional<double>& value) {
  if (!value) return {};
  return Quotient{*value, Quotient::Spelling::kRate};
}
Quotient mean(double value) { return {value, Quotient::Spelling::kMean}; }
template <class T>
std::optional<T> only_if(bool is_there, T value) {
  if (!is_there) return {};
  return value;
}
/// Nothing for a time below 0, which stands for "never".
std::optional<Picoseconds> if_any(Picoseconds time) {
  return only_if(time >= Picoseconds(0), time);
}

bool has_packets(const Results& r) { return r.has_packets; }

bool saw_anything(const protocols::ClassCounters& c) {
  return c.packets > 0 || c.peak_bytes > Bytes(0) || c.paused_time > Picoseconds(0) ||
         c.pauses_received > 0 || c.credit_stalls > 0 || c.buffer_drops > 0;
}

}  // namespace

const Table<JobRow>& jobs_table() {
  static const Table<JobRow> table{
      "jobs.csv",
      "a job",
      {{"job", "its name", [](const JobRow& r) { return r.job.name; }, "name"},
       {"type", "as the scenario spells it", [](const JobRow& r) { return r.job.type; }, "type"},
       {"ranks", "", [](const JobRow& r) { return r.job.ranks; }, "ranks"},
       {"bytes", "payload that it posted", [](const JobRow& r) { return r.job.bytes; }, "bytes"},
       {"start_s", "its first event", [](const JobRow& r) { return r.job.start; }, "start_seconds"},
       {"end_s", "its last event; of an unfinished job the last one so far",
        [](const JobRow& r) { return r.job.end; }},
       {"jct_s", "job completion time; empty if unfinished",
        [](const JobRow& r) { return only_if(r.job.is_finished, r.job.jct); }, "jct_seconds"},
       {"ideal_s", "without contention; empty where there is no such time (open loops)",
        [](const JobRow& r) { return only_if(r.job.ideal > Picoseconds(0), r.job.ideal); },
        "ideal_seconds"},
       {"ideal_set_by", "what the ideal time is made of",
        [](const JobRow& r) { return r.job.ideal_set_by; }, "ideal_set_by"},
       {"busbw_bytes_per_s", "bus bandwidth as nccl-tests has it; collectives only",
        [](const JobRow& r) { return per_second(r.job.bus_bandwidth); }, "busbw_bytes_per_second"},
       {"finished", "1, or 0", [](const JobRow& r) { return r.job.is_finished; }, "finished"}},
      [](const Results& r, const auto& visit) {
        for (const JobResult& job : r.jobs) visit({job});
      }};
  return table;
}

const Table<MessageRow>& messages_table() {
  static const Table<MessageRow> table{
      "messages.csv",
      "a message posted since the measurement began, by the time when it was over; last what never "
      "was",
      {{"job", "its name", [](const MessageRow& r) { return r.job; }},
       {"source_rank", "in the job", [](const MessageRow& r) { return r.message.source_rank; }},
       {"destination_rank", "in the job",
        [](const MessageRow& r) { return r.message.destination_rank; }},
       {"source_host", "number of the host",
        [](const MessageRow& r) { return r.message.source.value(); }},
       {"destination_host", "number of the host",
        [](const MessageRow& r) { return r.message.destination.value(); }},
       {"bytes", "payload", [](const MessageRow& r) { return r.message.bytes; }},
       {"start_s", "when it was posted", [](const MessageRow& r) { return r.message.start; }},
       {"delivered_s", "when the receiver had its last byte; empty: never",
        [](const MessageRow& r) { return if_any(r.message.delivered); }},
       {"completion_s",
        "when the sender had the last ACK, or, without ACKs, it was delivered; empty: never",
        [](const MessageRow& r) { return if_any(r.message.completed); }},
       {"fct_s", "flow completion time: from start to completion",
        [](const MessageRow& r) {
          const MessageResult& m = r.message;
          return only_if(m.is_complete(), m.completed - m.start);
        }},
       {"ideal_s", "exact zero-load time to completion on its own path",
        [](const MessageRow& r) { return r.message.ideal; }},
       {"slowdown", "fct_s over ideal_s, never below 1",
        [](const MessageRow& r) {
          const MessageResult& m = r.message;
          return only_if(m.is_complete(), ratio(m.is_complete() ? m.slowdown() : 0));
        }}},
      nullptr};
  return table;
}

const Table<PortRow>& ports_table() {
  static const Table<PortRow> table{
      "ports.csv",
      "a port, that is a direction of a link",
      {{"port", "as in leaf0[3]->spine1", [](const PortRow& r) { return r.port.name; }},
       {"rate_bps", "of the link", [](const PortRow& r) { return r.port.rate.count(); }},
       {"bytes", "on the wire", [](const PortRow& r) { return r.port.counters.bytes.count(); }},
       {"packets", "", [](const PortRow& r) { return r.port.counters.packets; }},
       {"utilisation", "share of the measured time in which it sent",
        [](const PortRow& r) { return ratio(r.port.utilisation); }},
       {"peak_queue_bytes", "most that waited here at once",
        [](const PortRow& r) { return r.port.counters.peak_backlog.count(); }},
       {"mean_queue_bytes", "what waited here, mean over time",
        [](const PortRow& r) { return mean(r.port.mean_queue_bytes); }},
       {"ecn_marks", "packets marked here",
        [](const PortRow& r) { return r.port.counters.ecn_marked; }},
       {"pauses_sent", "to its peer", [](const PortRow& r) { return r.port.counters.pauses_sent; }},
       {"pauses_received", "from its peer",
        [](const PortRow& r) { return r.port.counters.pauses_received; }},
       {"paused_s", "time during which a class could not start because of a pause, all classes",
        [](const PortRow& r) { return r.port.counters.paused_time; }},
       {"buffer_drops", "packets that came in here and found the buffer full",
        [](const PortRow& r) { return r.port.counters.buffer_drops; }},
       {"ttl_drops", "packets whose time to live was over",
        [](const PortRow& r) { return r.port.counters.ttl_drops; }},
       {"fault_drops", "packets that a failing link lost",
        [](const PortRow& r) { return r.port.counters.fault_drops; }},
       {"credit_stalls", "times that data began to wait for credits, all classes",
        [](const PortRow& r) { return r.port.counters.credit_stalls; }},
       {"credit_stall_s", "time during which data waited for credits, all classes",
        [](const PortRow& r) { return r.port.counters.credit_stall_time; }}},
      [](const Results& r, const auto& visit) {
        for (const PortResult& port : r.ports) visit({port});
      },
      has_packets};
  return table;
}

const Table<PortRow>& fluid_ports_table() {
  static const Table<PortRow> table = [] {
    Table<PortRow> fluid = ports_table();
    fluid.columns.clear();
    fluid.is_filled = [](const Results& r) { return !r.has_packets; };
    for (const Column<PortRow>& c : ports_table().columns) {
      const std::string name = c.name;
      if (name == "port" || name == "rate_bps" || name == "bytes" || name == "utilisation") {
        fluid.columns.push_back(c);
      }
    }
    return fluid;
  }();
  return table;
}

const Table<ClassRow>& classes_table() {
  static const Table<ClassRow> table{
      "classes.csv",
      "a traffic class of a port, if it saw anything",
      {{"port", "as in leaf0[3]->spine1", [](const ClassRow& r) { return r.port.name; }},
       {"class", "its name",
        [](const ClassRow& r) { return r.results.class_names[r.traffic_class]; }},
       {"bytes", "on the wire", [](const ClassRow& r) { return r.counters().bytes.count(); }},
       {"packets", "", [](const ClassRow& r) { return r.counters().packets; }},
       {"share", "of the port's bytes",
        [](const ClassRow& r) {
          const auto all = static_cast<double>(r.port.counters.bytes.count());
          return ratio(all > 0 ? static_cast<double>(r.counters().bytes.count()) / all : 0);
        }},
       {"peak_queue_bytes", "most that waited here at once",
        [](const ClassRow& r) { return r.counters().peak_bytes.count(); }},
       {"buffer_drops", "packets that came in here and found the buffer full",
        [](const ClassRow& r) { return r.counters().buffer_drops; }},
       {"pauses_received", "from its peer",
        [](const ClassRow& r) { return r.counters().pauses_received; }},
       {"paused_s", "time during which it could not start because of a pause",
        [](const ClassRow& r) { return r.counters().paused_time; }},
       {"credit_stalls", "times that data began to wait for credits",
        [](const ClassRow& r) { return r.counters().credit_stalls; }},
       {"credit_stall_s", "time during which data waited for credits",
        [](const ClassRow& r) { return r.counters().credit_stall_time; }}},
      [](const Results& r, const auto& visit) {
        for (const PortResult& port : r.ports) {
          for (std::size_t i = 0; i < r.class_names.size(); ++i) {
            if (saw_anything(r.class_counters(port.port, i))) visit({r, port, i});
          }
        }
      },
      has_packets};
  return table;
}

const Table<CollectiveRow>& collectives_table() {
  using Row = CollectiveRow;
  static const Table<Row> table{
      "collectives.csv",
      "an iteration of a collective that all ranks ended",
      {{"job", "its name", [](const Row& r) { return r.job().name; }, "job"},
       {"operation", "as the scenario spells it", [](const Row& r) { return r.job().type; }},
       {"algorithm", "that carried it out", [](const Row& r) { return r.job().algorithm; }},
       {"protocol", "of NCCL; none: plain messages", [](const Row& r) { return r.job().protocol; }},
       {"iteration", "from 0", [](const Row& r) { return r.collective.iteration; }, "iteration"},
       {"size_bytes", "what nccl-tests calls its size",
        [](const Row& r) { return r.collective.size; }, "size_bytes"},
       {"start_s", "when the first rank began", [](const Row& r) { return r.collective.start; },
        "start_seconds"},
       {"end_s", "when the last rank ended", [](const Row& r) { return r.collective.end; }},
       {"time_s", "from start to end",
        [](const Row& r) { return r.collective.end - r.collective.start; }, "seconds"},
       {"algbw_bytes_per_s", "size over time",
        [](const Row& r) { return per_second(r.collective.algorithm_bandwidth); },
        "algbw_bytes_per_second"},
       {"busbw_bytes_per_s", "the same, times the factor of nccl-tests",
        [](const Row& r) { return per_second(r.collective.bus_bandwidth); },
        "busbw_bytes_per_second"},
       {"start_skew_s", "from the first to the last rank's begin",
        [](const Row& r) { return r.collective.start_skew; }},
       {"end_skew_s", "from the first to the last rank's end",
        [](const Row& r) { return r.collective.end_skew; }, "end_skew_seconds"},
       {"mean_wait_s", "what ranks waited for messages, mean over ranks",
        [](const Row& r) { return r.collective.mean_wait; }, "mean_wait_seconds"},
       {"last_rank", "whose end is the end; the critical path leads to it",
        [](const Row& r) { return r.collective.last_rank; }},
       {"path_late_s", "critical path: waiting for the rank that it starts on",
        [](const Row& r) { return r.collective.path.late; }, "critical_path_seconds/late"},
       {"path_launch_s", "critical path: launch latencies",
        [](const Row& r) { return r.collective.path.launch; }, "critical_path_seconds/launch"},
       {"path_wire_s", "critical path: messages at their zero-load times",
        [](const Row& r) { return r.collective.path.wire; }, "critical_path_seconds/wire"},
       {"path_queueing_s", "critical path: what messages took longer",
        [](const Row& r) { return r.collective.path.queueing; }, "critical_path_seconds/queueing"},
       {"path_paused_s",
        "critical path: the same while a pause or want of credits held a port of their ways",
        [](const Row& r) { return r.collective.path.paused; }, "critical_path_seconds/paused"},
       {"path_protocol_s", "critical path: from arrivals until receivers saw them",
        [](const Row& r) { return r.collective.path.protocol; }, "critical_path_seconds/protocol"},
       {"path_reducing_s", "critical path: adding",
        [](const Row& r) { return r.collective.path.reducing; }, "critical_path_seconds/reducing"},
       {"path_copying_s", "critical path: putting in place",
        [](const Row& r) { return r.collective.path.copying; }, "critical_path_seconds/copying"},
       {"path_window_s", "critical path: senders that waited for acknowledgements",
        [](const Row& r) { return r.collective.path.window; }, "critical_path_seconds/window"},
       {"path_messages", "messages on the critical path",
        [](const Row& r) { return r.collective.path.messages; }}},
      [](const Results& r, const auto& visit) {
        for (const CollectiveResult& c : r.collectives) visit({r, c});
      },
      [](const Results& r) { return !r.collectives.empty(); }};
  return table;
}

const Table<VictimRow>& victims_table() {
  using Row = VictimRow;
  static const Table<Row> table{
      "victims.csv",
      "a queue pair and a storm that it lost time to, queue pairs by falling loss",
      {{"job", "its name", [](const Row& r) { return r.results.jobs[r.victim.job].name; }},
       {"source_rank", "in the job", [](const Row& r) { return r.victim.source_rank; }},
       {"destination_rank", "in the job", [](const Row& r) { return r.victim.destination_rank; }},
       {"source", "name of the host",
        [](const Row& r) { return r.results.host_names[r.victim.source.value()]; }},
       {"destination", "name of the host",
        [](const Row& r) { return r.results.host_names[r.victim.destination.value()]; }},
       {"queue_pair", "among those of its connection",
        [](const Row& r) { return r.victim.queue_pair; }},
       {"class", "its name",
        [](const Row& r) { return r.results.class_names[r.victim.traffic_class]; }},
       {"active_s", "time during which a message was under way",
        [](const Row& r) { return r.victim.active; }},
       {"lost_s", "of that, while a pause held a port of its path although the root lies elsewhere",
        [](const Row& r) { return r.victim.lost; }},
       {"lost_share", "lost_s over active_s",
        [](const Row& r) {
          return ratio(to_seconds(r.victim.lost) / to_seconds(r.victim.active));
        }},
       {"root", "of the storm: an egress port, a NIC, or a cycle of ports",
        [](const Row& r) {
          return root_name(r.results, r.results.pauses.analysis.storms[r.loss.storm]);
        }},
       {"lost_to_root_s", "to this storm", [](const Row& r) { return r.loss.lost; }}},
      [](const Results& r, const auto& visit) {
        for (const VictimResult& victim : r.pauses.victims) {
          for (const protocols::VictimLoss& loss : victim.losses) visit({r, victim, loss});
        }
      },
      [](const Results& r) { return !r.pauses.victims.empty(); }};
  return table;
}

const Table<PauseRow>& pauses_table() {
  using Row = PauseRow;
  static const Table<Row> table{
      "pauses.csv",
      "a pause, by port and start",
      {{"port", "that was paused", [](const Row& r) { return r.results.port_name(r.pause.port); }},
       {"from", "the node that asked",
        [](const Row& r) { return r.results.ports[r.pause.port.value()].peer_node; }},
       {"to", "the node that obeyed",
        [](const Row& r) { return r.results.ports[r.pause.port.value()].node; }},
       {"class", "its name",
        [](const Row& r) { return r.results.class_names[r.pause.traffic_class]; }},
       {"start_s", "", [](const Row& r) { return r.pause.start; }},
       {"end_s", "", [](const Row& r) { return r.pause.end; }},
       {"lasting", "1: still held at the end of the run",
        [](const Row& r) { return r.pause.is_lasting; }},
       {"cause",
        "egress port of `from` that held most of what had come by this link; empty for a NIC",
        [](const Row& r) {
          return r.pause.cause.is_none() ? std::string() : r.results.port_name(r.pause.cause);
        }},
       {"root", "of its storm; empty: over before the measurement",
        [](const Row& r) {
          return r.storm == protocols::kNoIndex
                     ? std::string()
                     : root_name(r.results, r.results.pauses.analysis.storms[r.storm]);
        }}},
      [](const Results& r, const auto& visit) {
        for (std::size_t i = 0; i < r.pauses.pauses.size(); ++i) {
          visit({r, r.pauses.pauses[i], r.pauses.analysis.storm_of[i]});
        }
      },
      has_packets,
      true};
  return table;
}

std::vector<TableReference> result_reference() {
  std::vector<TableReference> all{TableReference(messages_table())};
  for_each_table([&all](const auto& table) {
    const auto is_same = [&](const TableReference& other) { return other.file == table.file; };
    // The fluid engine has some columns of a table that is there already.
    if (std::ranges::none_of(all, is_same)) all.emplace_back(table);
  });
  std::ranges::sort(all, {}, &TableReference::file);
  return all;
}

std::string result_reference_text() {
  std::string text;
  for (const TableReference& table : result_reference()) {
    if (!text.empty()) text += '\n';
    text += table.file + ": a row is " + table.holds + "\n";
    for (const TableReference::Field& f : table.fields) {
      std::string line = fmt::format("  {:<18} {:<8} {}", f.name, f.unit, f.meaning);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  return text;
}

}  // namespace weft::scenarios
