#include "scenarios/output/result_writer.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "scenarios/measure/collect_collectives.hpp"
#include "scenarios/output/pause_summary.hpp"
#include "scenarios/output/result_folder.hpp"
#include "scenarios/output/summary.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/json_text.hpp"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;

using csv::field;
using csv::seconds;
using csv::seconds_if_any;

std::string jobs_csv(const Results& r) {
  std::string text =
      "job,type,ranks,bytes,start_s,end_s,jct_s,ideal_s,ideal_set_by,busbw_bytes_per_s,finished\n";
  for (const JobResult& j : r.jobs) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", field(j.name), j.type, j.ranks, j.bytes.count(),
        seconds(j.start), seconds(j.end), j.is_finished ? seconds(j.jct) : "",
        j.ideal > Picoseconds(0) ? seconds(j.ideal) : "", field(j.ideal_set_by),
        j.bus_bandwidth ? fmt::format("{:.6g}", *j.bus_bandwidth) : "", j.is_finished ? 1 : 0);
  }
  return text;
}

/// There may be many millions of them, so they are written as they are made.
void write_messages_csv(const Results& r, std::ofstream& out) {
  constexpr std::size_t kFlushed = std::size_t{1} << 20U;
  std::string text =
      "job,source_rank,destination_rank,source_host,destination_host,bytes,start_s,delivered_s,"
      "completion_s,fct_s,ideal_s,slowdown\n";
  for (const MessageResult m : r.messages) {
    if (text.size() >= kFlushed) {
      out << text;
      text.clear();
    }
    const bool is_complete = m.is_complete();
    fmt::format_to(
        std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{}\n",
        field(r.jobs[m.job].name), m.source_rank, m.destination_rank, m.source.value(),
        m.destination.value(), m.bytes.count(), seconds(m.start), seconds_if_any(m.delivered),
        seconds_if_any(m.completed), is_complete ? seconds(m.completed - m.start) : "",
        seconds(m.ideal),
        is_complete ? fmt::format("{:.6f}", to_seconds(m.completed - m.start) / to_seconds(m.ideal))
                    : "");
  }
  out << text;
}

/// Without the columns that only packets fill.
std::string fluid_ports_csv(const Results& r) {
  std::string text = "port,rate_bps,bytes,utilisation\n";
  for (const PortResult& p : r.ports) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.6f}\n", field(p.name), p.rate.count(),
                   p.counters.bytes, p.utilisation);
  }
  return text;
}

std::string ports_csv(const Results& r) {
  if (!r.has_packets) return fluid_ports_csv(r);
  std::string text =
      "port,rate_bps,bytes,packets,utilisation,peak_queue_bytes,mean_queue_bytes,ecn_marks,"
      "pauses_sent,pauses_received,paused_s,buffer_drops,ttl_drops,fault_drops,credit_stalls,"
      "credit_stall_s\n";
  for (const PortResult& p : r.ports) {
    const protocols::PortCounters& c = p.counters;
    fmt::format_to(std::back_inserter(text),
                   "{},{},{},{},{:.6f},{},{:.1f},{},{},{},{},{},{},{},{},{}\n", field(p.name),
                   p.rate.count(), c.bytes, c.packets, p.utilisation, c.peak_backlog,
                   p.mean_queue_bytes, c.ecn_marked, c.pauses_sent, c.pauses_received,
                   seconds(Picoseconds(c.paused_time)), c.buffer_drops, c.ttl_drops, c.fault_drops,
                   c.credit_stalls, seconds(Picoseconds(c.credit_stall_time)));
  }
  return text;
}

/// Classes that saw nothing are left out.
std::string classes_csv(const Results& r) {
  std::string text =
      "port,class,bytes,packets,share,peak_queue_bytes,buffer_drops,pauses_received,paused_s,"
      "credit_stalls,credit_stall_s\n";
  for (const PortResult& p : r.ports) {
    for (std::size_t i = 0; i < r.class_names.size(); ++i) {
      const protocols::ClassCounters& c = r.class_counters(p.port, i);
      if (c.packets == 0 && c.peak_bytes == 0 && c.paused_time == 0 && c.pauses_received == 0 &&
          c.credit_stalls == 0 && c.buffer_drops == 0) {
        continue;
      }
      const double share = p.counters.bytes > 0 ? static_cast<double>(c.bytes) /
                                                      static_cast<double>(p.counters.bytes)
                                                : 0;
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.6f},{},{},{},{},{},{}\n",
                     field(p.name), field(r.class_names[i]), c.bytes, c.packets, share,
                     c.peak_bytes, c.buffer_drops, c.pauses_received,
                     seconds(Picoseconds(c.paused_time)), c.credit_stalls,
                     seconds(Picoseconds(c.credit_stall_time)));
    }
  }
  return text;
}

std::string victims_csv(const Results& r) {
  std::string text =
      "job,source_rank,destination_rank,source,destination,queue_pair,class,active_s,lost_s,"
      "lost_share,root,lost_to_root_s\n";
  for (const VictimResult& v : r.pauses.victims) {
    for (const protocols::VictimLoss& loss : v.losses) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{:.6f},{},{}\n",
                     field(r.jobs[v.job].name), v.source_rank, v.destination_rank,
                     field(r.host_names[v.source.value()]),
                     field(r.host_names[v.destination.value()]), v.queue_pair,
                     field(r.class_names[v.traffic_class]), seconds(v.active), seconds(v.lost),
                     to_seconds(v.lost) / to_seconds(v.active),
                     field(root_name(r, r.pauses.analysis.storms[loss.storm])), seconds(loss.lost));
    }
  }
  return text;
}

std::string pauses_csv(const Results& r) {
  std::string text = "port,from,to,class,start_s,end_s,lasting,cause,root\n";
  const auto& report = r.pauses;
  for (std::size_t i = 0; i < report.pauses.size(); ++i) {
    const protocols::PauseInterval& p = report.pauses[i];
    const std::uint32_t storm = report.analysis.storm_of[i];
    fmt::format_to(
        std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n", field(r.port_name(p.port)),
        field(r.ports[p.port.value()].peer_node), field(r.ports[p.port.value()].node),
        field(r.class_names[p.traffic_class]), seconds(p.start), seconds(p.end),
        p.is_lasting ? 1 : 0, p.cause.is_none() ? "" : field(r.port_name(p.cause)),
        storm == protocols::kNoIndex ? "" : field(root_name(r, report.analysis.storms[storm])));
  }
  return text;
}

template <class Write>
bool write_file_by(const fs::path& path, Write write) {
  std::ofstream out(path, std::ios::binary);
  write(out);
  out.flush();
  return out.good();
}

bool write_file(const fs::path& path, const std::string& text) {
  return write_file_by(path, [&text](std::ofstream& out) { out << text; });
}

Result<fs::path> write_into(ResultFolder& target, const Results& results,
                            const std::string& resolved_scenario, const fs::path& folder,
                            const WriteOptions& options) {
  const fs::path& partial = target.partial();
  bool is_written = write_file(partial / "summary.json", json_text(summary_json(results)) + "\n") &&
                    write_file(partial / "jobs.csv", jobs_csv(results)) &&
                    write_file(partial / "ports.csv", ports_csv(results)) &&
                    write_file(partial / "resolved.yaml", resolved_scenario);
  if (results.has_packets) {
    is_written = is_written && write_file(partial / "classes.csv", classes_csv(results));
  }
  if (!results.collectives.empty()) {
    is_written = is_written && write_file(partial / "collectives.csv", collectives_csv(results));
  }
  if (options.messages) {
    is_written =
        is_written && write_file_by(partial / "messages.csv", [&results](std::ofstream& out) {
          write_messages_csv(results, out);
        });
  }
  if (options.pauses && results.has_packets) {
    is_written = is_written && write_file(partial / "pauses.csv", pauses_csv(results));
  }
  if (!results.pauses.victims.empty()) {
    is_written = is_written && write_file(partial / "victims.csv", victims_csv(results));
  }
  if (!is_written) {
    const std::string kept = target.keep().string();
    return target.error(std::string(kCannotWrite) + "; what could be written is in " + kept);
  }
  const bool is_interrupted = results.outcome == Outcome::kInterrupted;
  if (is_interrupted && target.has_whole_results()) return target.keep();
  const auto state =
      is_interrupted ? ResultFolder::State::kInterrupted : ResultFolder::State::kWhole;
  if (Errors errors = target.publish(state); !errors.empty()) return errors;
  return folder;
}

}  // namespace

Result<fs::path> write_results(const Results& results, const std::string& resolved_scenario,
                               const fs::path& folder, const WriteOptions& options) {
  if (options.traces != nullptr) {
    if (Errors errors = options.traces->errors(); !errors.empty()) return errors;
    return write_into(options.traces->folder(), results, resolved_scenario, folder, options);
  }
  if (options.target != nullptr) {
    return write_into(*options.target, results, resolved_scenario, folder, options);
  }
  auto target = ResultFolder::create(folder);
  if (!target) return target.errors();
  return write_into(target.value(), results, resolved_scenario, folder, options);
}

}  // namespace weft::scenarios
