#include "scenarios/output/result_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "scenarios/output/pause_summary.hpp"
#include "scenarios/text/csv.hpp"

namespace weft::scenarios {
namespace {

using csv::field;
using csv::seconds;
using csv::seconds_if_any;
using std::to_string;

std::string count(Bytes bytes) { return to_string(bytes.count()); }
std::string ratio(double value) { return fmt::format("{:.6f}", value); }
std::string per_second(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string();
}

}  // namespace

const Table<JobRow>& jobs_table() {
  static const Table<JobRow> table{
      "jobs.csv",
      "a job",
      {{"job", "", "its name", [](const JobRow& r) { return field(r.job.name); }},
       {"type", "", "as the scenario spells it", [](const JobRow& r) { return r.job.type; }},
       {"ranks", "", "", [](const JobRow& r) { return to_string(r.job.ranks); }},
       {"bytes", "bytes", "payload that it posted",
        [](const JobRow& r) { return count(r.job.bytes); }},
       {"start_s", "s", "its first event", [](const JobRow& r) { return seconds(r.job.start); }},
       {"end_s", "s", "its last event; of an unfinished job the last one so far",
        [](const JobRow& r) { return seconds(r.job.end); }},
       {"jct_s", "s", "job completion time; empty if unfinished",
        [](const JobRow& r) { return r.job.is_finished ? seconds(r.job.jct) : std::string(); }},
       {"ideal_s", "s", "without contention; empty where there is no such time (open loops)",
        [](const JobRow& r) {
          return r.job.ideal > Picoseconds(0) ? seconds(r.job.ideal) : std::string();
        }},
       {"ideal_set_by", "", "what the ideal time is made of",
        [](const JobRow& r) { return field(r.job.ideal_set_by); }},
       {"busbw_bytes_per_s", "bytes/s", "bus bandwidth as nccl-tests has it; collectives only",
        [](const JobRow& r) { return per_second(r.job.bus_bandwidth); }},
       {"finished", "", "1, or 0",
        [](const JobRow& r) { return std::string(r.job.is_finished ? "1" : "0"); }}}};
  return table;
}

const Table<MessageRow>& messages_table() {
  static const Table<MessageRow> table{
      "messages.csv",
      "a message posted since the measurement began, by source host and order of posting",
      {{"job", "", "its name",
        [](const MessageRow& r) { return field(r.results.jobs[r.message.job].name); }},
       {"source_rank", "", "in the job",
        [](const MessageRow& r) { return to_string(r.message.source_rank); }},
       {"destination_rank", "", "in the job",
        [](const MessageRow& r) { return to_string(r.message.destination_rank); }},
       {"source_host", "", "number of the host",
        [](const MessageRow& r) { return to_string(r.message.source.value()); }},
       {"destination_host", "", "number of the host",
        [](const MessageRow& r) { return to_string(r.message.destination.value()); }},
       {"bytes", "bytes", "payload", [](const MessageRow& r) { return count(r.message.bytes); }},
       {"start_s", "s", "when it was posted",
        [](const MessageRow& r) { return seconds(r.message.start); }},
       {"delivered_s", "s", "when the receiver had its last byte; empty: never",
        [](const MessageRow& r) { return seconds_if_any(r.message.delivered); }},
       {"completion_s", "s",
        "when the sender had the last ACK, or, without ACKs, it was delivered; empty: never",
        [](const MessageRow& r) { return seconds_if_any(r.message.completed); }},
       {"fct_s", "s", "flow completion time: from start to completion",
        [](const MessageRow& r) {
          const MessageResult& m = r.message;
          return m.is_complete() ? seconds(m.completed - m.start) : std::string();
        }},
       {"ideal_s", "s", "exact zero-load time to completion on its own path",
        [](const MessageRow& r) { return seconds(r.message.ideal); }},
       {"slowdown", "", "fct_s over ideal_s, never below 1", [](const MessageRow& r) {
          const MessageResult& m = r.message;
          return m.is_complete() ? ratio(to_seconds(m.completed - m.start) / to_seconds(m.ideal))
                                 : std::string();
        }}}};
  return table;
}

const Table<PortRow>& ports_table() {
  static const Table<PortRow> table{
      "ports.csv",
      "a port, that is a direction of a link",
      {{"port", "", "as in leaf0[3]->spine1", [](const PortRow& r) { return field(r.port.name); }},
       {"rate_bps", "bit/s", "of the link",
        [](const PortRow& r) { return to_string(r.port.rate.count()); }},
       {"bytes", "bytes", "on the wire",
        [](const PortRow& r) { return to_string(r.port.counters.bytes.count()); }},
       {"packets", "", "", [](const PortRow& r) { return to_string(r.port.counters.packets); }},
       {"utilisation", "", "share of the measured time in which it sent",
        [](const PortRow& r) { return ratio(r.port.utilisation); }},
       {"peak_queue_bytes", "bytes", "most that waited here at once",
        [](const PortRow& r) { return to_string(r.port.counters.peak_backlog.count()); }},
       {"mean_queue_bytes", "bytes", "what waited here, mean over time",
        [](const PortRow& r) { return fmt::format("{:.1f}", r.port.mean_queue_bytes); }},
       {"ecn_marks", "", "packets marked here",
        [](const PortRow& r) { return to_string(r.port.counters.ecn_marked); }},
       {"pauses_sent", "", "to its peer",
        [](const PortRow& r) { return to_string(r.port.counters.pauses_sent); }},
       {"pauses_received", "", "from its peer",
        [](const PortRow& r) { return to_string(r.port.counters.pauses_received); }},
       {"paused_s", "s",
        "time during which a class could not start because of a pause, all classes",
        [](const PortRow& r) { return seconds(r.port.counters.paused_time); }},
       {"buffer_drops", "", "packets that came in here and found the buffer full",
        [](const PortRow& r) { return to_string(r.port.counters.buffer_drops); }},
       {"ttl_drops", "", "packets whose time to live was over",
        [](const PortRow& r) { return to_string(r.port.counters.ttl_drops); }},
       {"fault_drops", "", "packets that a failing link lost",
        [](const PortRow& r) { return to_string(r.port.counters.fault_drops); }},
       {"credit_stalls", "", "times that data began to wait for credits, all classes",
        [](const PortRow& r) { return to_string(r.port.counters.credit_stalls); }},
       {"credit_stall_s", "s", "time during which data waited for credits, all classes",
        [](const PortRow& r) { return seconds(r.port.counters.credit_stall_time); }}}};
  return table;
}

const Table<PortRow>& fluid_ports_table() {
  static const Table<PortRow> table = [] {
    Table<PortRow> fluid{ports_table().file, ports_table().holds, {}};
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
      {{"port", "", "as in leaf0[3]->spine1", [](const ClassRow& r) { return field(r.port.name); }},
       {"class", "", "its name",
        [](const ClassRow& r) { return field(r.results.class_names[r.traffic_class]); }},
       {"bytes", "bytes", "on the wire",
        [](const ClassRow& r) { return to_string(r.counters().bytes.count()); }},
       {"packets", "", "", [](const ClassRow& r) { return to_string(r.counters().packets); }},
       {"share", "", "of the port's bytes",
        [](const ClassRow& r) {
          const auto all = static_cast<double>(r.port.counters.bytes.count());
          return ratio(all > 0 ? static_cast<double>(r.counters().bytes.count()) / all : 0);
        }},
       {"peak_queue_bytes", "bytes", "most that waited here at once",
        [](const ClassRow& r) { return to_string(r.counters().peak_bytes.count()); }},
       {"buffer_drops", "", "packets that came in here and found the buffer full",
        [](const ClassRow& r) { return to_string(r.counters().buffer_drops); }},
       {"pauses_received", "", "from its peer",
        [](const ClassRow& r) { return to_string(r.counters().pauses_received); }},
       {"paused_s", "s", "time during which it could not start because of a pause",
        [](const ClassRow& r) { return seconds(r.counters().paused_time); }},
       {"credit_stalls", "", "times that data began to wait for credits",
        [](const ClassRow& r) { return to_string(r.counters().credit_stalls); }},
       {"credit_stall_s", "s", "time during which data waited for credits",
        [](const ClassRow& r) { return seconds(r.counters().credit_stall_time); }}}};
  return table;
}

const Table<CollectiveRow>& collectives_table() {
  using Row = CollectiveRow;
  static const Table<Row> table{
      "collectives.csv",
      "an iteration of a collective that all ranks ended",
      {{"job", "", "its name", [](const Row& r) { return field(r.job().name); }},
       {"operation", "", "as the scenario spells it", [](const Row& r) { return r.job().type; }},
       {"algorithm", "", "that carried it out", [](const Row& r) { return r.job().algorithm; }},
       {"protocol", "", "of NCCL; none: plain messages",
        [](const Row& r) { return r.job().protocol; }},
       {"iteration", "", "from 0", [](const Row& r) { return to_string(r.collective.iteration); }},
       {"size_bytes", "bytes", "what nccl-tests calls its size",
        [](const Row& r) { return count(r.collective.size); }},
       {"start_s", "s", "when the first rank began",
        [](const Row& r) { return seconds(r.collective.start); }},
       {"end_s", "s", "when the last rank ended",
        [](const Row& r) { return seconds(r.collective.end); }},
       {"time_s", "s", "from start to end",
        [](const Row& r) { return seconds(r.collective.end - r.collective.start); }},
       {"algbw_bytes_per_s", "bytes/s", "size over time",
        [](const Row& r) { return per_second(r.collective.algorithm_bandwidth); }},
       {"busbw_bytes_per_s", "bytes/s", "the same, times the factor of nccl-tests",
        [](const Row& r) { return per_second(r.collective.bus_bandwidth); }},
       {"start_skew_s", "s", "from the first to the last rank's begin",
        [](const Row& r) { return seconds(r.collective.start_skew); }},
       {"end_skew_s", "s", "from the first to the last rank's end",
        [](const Row& r) { return seconds(r.collective.end_skew); }},
       {"mean_wait_s", "s", "what ranks waited for messages, mean over ranks",
        [](const Row& r) { return seconds(r.collective.mean_wait); }},
       {"last_rank", "", "whose end is the end; the critical path leads to it",
        [](const Row& r) { return to_string(r.collective.last_rank); }},
       {"path_late_s", "s", "critical path: waiting for the rank that it starts on",
        [](const Row& r) { return seconds(r.collective.path.late); }},
       {"path_launch_s", "s", "critical path: launch latencies",
        [](const Row& r) { return seconds(r.collective.path.launch); }},
       {"path_wire_s", "s", "critical path: messages at their zero-load times",
        [](const Row& r) { return seconds(r.collective.path.wire); }},
       {"path_queueing_s", "s", "critical path: what messages took longer",
        [](const Row& r) { return seconds(r.collective.path.queueing); }},
       {"path_paused_s", "s",
        "critical path: the same while a pause or want of credits held a port of their ways",
        [](const Row& r) { return seconds(r.collective.path.paused); }},
       {"path_protocol_s", "s", "critical path: from arrivals until receivers saw them",
        [](const Row& r) { return seconds(r.collective.path.protocol); }},
       {"path_reducing_s", "s", "critical path: adding",
        [](const Row& r) { return seconds(r.collective.path.reducing); }},
       {"path_copying_s", "s", "critical path: putting in place",
        [](const Row& r) { return seconds(r.collective.path.copying); }},
       {"path_window_s", "s", "critical path: senders that waited for acknowledgements",
        [](const Row& r) { return seconds(r.collective.path.window); }},
       {"path_messages", "", "messages on the critical path",
        [](const Row& r) { return to_string(r.collective.path.messages); }}}};
  return table;
}

const Table<VictimRow>& victims_table() {
  using Row = VictimRow;
  static const Table<Row> table{
      "victims.csv",
      "a queue pair and a storm that it lost time to, queue pairs by falling loss",
      {{"job", "", "its name",
        [](const Row& r) { return field(r.results.jobs[r.victim.job].name); }},
       {"source_rank", "", "in the job",
        [](const Row& r) { return to_string(r.victim.source_rank); }},
       {"destination_rank", "", "in the job",
        [](const Row& r) { return to_string(r.victim.destination_rank); }},
       {"source", "", "name of the host",
        [](const Row& r) { return field(r.results.host_names[r.victim.source.value()]); }},
       {"destination", "", "name of the host",
        [](const Row& r) { return field(r.results.host_names[r.victim.destination.value()]); }},
       {"queue_pair", "", "among those of its connection",
        [](const Row& r) { return to_string(r.victim.queue_pair); }},
       {"class", "", "its name",
        [](const Row& r) { return field(r.results.class_names[r.victim.traffic_class]); }},
       {"active_s", "s", "time during which a message was under way",
        [](const Row& r) { return seconds(r.victim.active); }},
       {"lost_s", "s",
        "of that, while a pause held a port of its path although the root lies elsewhere",
        [](const Row& r) { return seconds(r.victim.lost); }},
       {"lost_share", "", "lost_s over active_s",
        [](const Row& r) {
          return ratio(to_seconds(r.victim.lost) / to_seconds(r.victim.active));
        }},
       {"root", "", "of the storm: an egress port, a NIC, or a cycle of ports",
        [](const Row& r) {
          return field(root_name(r.results, r.results.pauses.analysis.storms[r.loss.storm]));
        }},
       {"lost_to_root_s", "s", "to this storm",
        [](const Row& r) { return seconds(r.loss.lost); }}}};
  return table;
}

const Table<PauseRow>& pauses_table() {
  using Row = PauseRow;
  static const Table<Row> table{
      "pauses.csv",
      "a pause, by port and start",
      {{"port", "", "that was paused",
        [](const Row& r) { return field(r.results.port_name(r.pause.port)); }},
       {"from", "", "the node that asked",
        [](const Row& r) { return field(r.results.ports[r.pause.port.value()].peer_node); }},
       {"to", "", "the node that obeyed",
        [](const Row& r) { return field(r.results.ports[r.pause.port.value()].node); }},
       {"class", "", "its name",
        [](const Row& r) { return field(r.results.class_names[r.pause.traffic_class]); }},
       {"start_s", "s", "", [](const Row& r) { return seconds(r.pause.start); }},
       {"end_s", "s", "", [](const Row& r) { return seconds(r.pause.end); }},
       {"lasting", "", "1: still held at the end of the run",
        [](const Row& r) { return std::string(r.pause.is_lasting ? "1" : "0"); }},
       {"cause", "",
        "egress port of `from` that held most of what had come by this link; empty for a NIC",
        [](const Row& r) {
          return r.pause.cause.is_none() ? std::string()
                                         : field(r.results.port_name(r.pause.cause));
        }},
       {"root", "", "of its storm; empty: over before the measurement", [](const Row& r) {
          return r.storm == protocols::kNoIndex
                     ? std::string()
                     : field(root_name(r.results, r.results.pauses.analysis.storms[r.storm]));
        }}}};
  return table;
}

std::vector<TableReference> result_reference() {
  std::vector<TableReference> all{
      TableReference(classes_table()), TableReference(collectives_table()),
      TableReference(jobs_table()),    TableReference(messages_table()),
      TableReference(pauses_table()),  TableReference(ports_table()),
      TableReference(victims_table())};
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
