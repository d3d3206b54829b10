#include "scenarios/output/summary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/output/collective_tables.hpp"
#include "scenarios/output/incident_summary.hpp"
#include "scenarios/output/pause_summary.hpp"
#include "scenarios/output/size_summary.hpp"
#include "scenarios/results/coverage.hpp"
#include "scenarios/results/memo/reuse_text.hpp"
#include "scenarios/results/summary/summary_record.hpp"
#include "scenarios/text/counted.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::scenarios {
namespace {

constexpr std::size_t kBusiestPorts = 5;

std::string time_to_ideal(Picoseconds time, Picoseconds ideal) {
  if (ideal <= Picoseconds(0)) return "-";
  return fmt::format("{:.3f}", to_seconds(time) / to_seconds(ideal));
}

std::string jobs_text(const Results& r) {
  const bool has_bound =
      std::ranges::any_of(r.jobs, [](const JobResult& job) { return job.bound.has_value(); });
  std::vector<std::string> columns{"job", "type",      "ranks",    "bytes",
                                   "JCT", "ideal JCT", "JCT/ideal"};
  if (has_bound) columns.insert(columns.end(), {"bound", "JCT/bound"});
  columns.emplace_back("busbw");
  TextTable table(std::move(columns));
  for (const JobResult& job : r.jobs) {
    std::vector<std::string> cells{job.name,
                                   job.type,
                                   std::to_string(job.ranks),
                                   format_bytes(static_cast<double>(job.bytes.count())),
                                   job.is_finished                  ? format_time(job.jct)
                                   : r.outcome == Outcome::kHorizon ? "cut"
                                                                    : "unfinished",
                                   job.ideal > Picoseconds(0) ? format_time(job.ideal) : "-",
                                   job.is_finished ? time_to_ideal(job.jct, job.ideal) : "-"};
    if (has_bound) {
      const Picoseconds bound = job.bound.value_or(Picoseconds(0));
      cells.push_back(job.bound ? format_time(bound) : "-");
      cells.push_back(job.is_finished ? time_to_ideal(job.jct, bound) : "-");
    }
    cells.push_back(job.bus_bandwidth ? fmt::format("{:.2f} GB/s", *job.bus_bandwidth * 1e-9)
                                      : "-");
    table.add(std::move(cells));
  }
  return table.to_string("  ") +
         (has_bound ? "  ideal: by this algorithm, without contention; bound: by any, what must "
                      "cross a cut over its links\n"
                    : "");
}

/// Jobs that the horizon cut, and how far they came.
std::string cut_text(const Results& r) {
  if (r.outcome != Outcome::kHorizon) return {};
  std::string text;
  for (const JobResult& job : r.jobs) {
    if (job.is_finished) continue;
    const auto of = [](std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); };
    text += fmt::format("  {} is cut at the horizon of {}: ", escaped(job.name),
                        format_time(r.simulated));
    text += job.has_begun ? fmt::format("{} of {} messages that it posted are completed\n",
                                        of(job.messages.completed()), of(job.messages.count()))
                          : "it has not begun\n";
  }
  return text;
}

/// What the iterations of one job come to.
struct IterationSum {
  std::int64_t count = 0;
  Picoseconds time;
  Picoseconds longest;
  Picoseconds compute;
  Picoseconds bubble;
  Picoseconds exposed;
  Picoseconds hidden;

  void add(const IterationResult& i) {
    ++count;
    time += i.end - i.start;
    longest = std::max(longest, i.end - i.start);
    compute += i.compute;
    bubble += i.bubble;
    exposed += i.exposed_in_all();
    hidden += i.hidden_in_all();
  }
};

std::string iterations_text(const Results& r) {
  if (r.iterations.empty()) return {};
  std::map<std::uint32_t, IterationSum> of_job;
  for (const IterationResult& i : r.iterations) of_job[i.job].add(i);
  TextTable table(
      {"iterations", "count", "mean time", "longest", "compute", "bubble", "exposed", "hidden"});
  for (const auto& [job, sum] : of_job) {
    const auto mean = [n = sum.count](Picoseconds time) { return format_time(time / n); };
    const JobResult& of = r.jobs[job];
    const Coverage coverage{.completed = static_cast<std::uint64_t>(sum.count),
                            .is_cut = !of.is_finished,
                            .of = Coverage::Of::kIterations};
    table.add({with_coverage(of.name, coverage), std::to_string(sum.count), mean(sum.time),
               format_time(sum.longest), mean(sum.compute), mean(sum.bubble), mean(sum.exposed),
               mean(sum.hidden)});
  }
  return "\n" + table.to_string("  ");
}

std::string training_text(const Results& r) {
  if (r.training.empty()) return {};
  std::vector<std::string> header{"training",        "step", "p99", "trains at",
                                  "TFLOP/s per GPU", "MFU",  "HFU", "communication",
                                  "memory per GPU"};
  const bool has_price = std::ranges::any_of(
      r.training, [](const TrainingResult& t) { return t.price_per_gpu_hour.has_value(); });
  if (has_price) header.insert(header.begin() + 4, {"a step costs", "1 M tokens cost"});
  TextTable table(std::move(header));
  for (const TrainingResult& t : r.training) {
    const TrainingRow row{r.jobs[t.job], t};
    const double seconds = to_seconds(t.mean_step);
    const double per_gpu = t.model_flops / seconds / r.jobs[t.job].ranks;
    const double with_repeats = t.hardware_flops / seconds / r.jobs[t.job].ranks;
    const bool fits = t.memory <= t.gpu_memory;
    std::vector<std::string> line{
        with_coverage(r.jobs[t.job].name, coverage_of(row)),
        format_time(t.mean_step),
        format_time(t.p99_step),
        format_tokens(t.tokens / seconds),
        fmt::format("{:.1f}", per_gpu * 1e-12),
        format_share(per_gpu / t.peak_flops),
        format_share(with_repeats / t.peak_flops),
        fmt::format("{:.3f} ({})", t.communication, t.ratio_class),
        fmt::format("{} of {}{}", format_bytes(static_cast<double>(t.memory.count())),
                    format_bytes(static_cast<double>(t.gpu_memory.count())),
                    fits ? "" : ": too much")};
    if (has_price) {
      const auto text = [](const std::optional<double>& dollars) {
        return dollars ? format_dollars(*dollars) : std::string("-");
      };
      line.insert(line.begin() + 4,
                  {text(row.dollars_per_step()), text(row.dollars_per_million_tokens())});
    }
    table.add(std::move(line));
  }
  return "\n" + table.to_string("  ");
}

std::string time_or_dash(const std::optional<Picoseconds>& time) {
  return time ? format_time(*time) : "-";
}

std::string isolated_text(const Results& r) {
  if (r.isolated.empty()) return {};
  const auto factor = [](const std::optional<double>& slowdown) {
    return slowdown ? fmt::format("{:.3f}x", *slowdown) : "-";
  };
  const auto p99 = [](const IsolatedResult::Times& times, std::optional<Coverage> coverage) {
    if (!times.message_p99_seconds) return std::string("-");
    return with_coverage(format_time(*times.message_p99_seconds), coverage);
  };
  TextTable table({"against running alone", "JCT", "alone", "slowdown", "iteration", "alone",
                   "slowdown", "message p99", "alone", "slowdown"});
  for (const IsolatedResult& i : r.isolated) {
    table.add({r.jobs[i.job].name, time_or_dash(i.shared.completion),
               time_or_dash(i.alone.completion),
               factor(slowdown_of(i.shared.completion, i.alone.completion)),
               time_or_dash(i.shared.iteration), time_or_dash(i.alone.iteration),
               factor(slowdown_of(i.shared.iteration, i.alone.iteration)),
               p99(i.shared, coverage_of(r.jobs[i.job])), p99(i.alone, std::nullopt),
               factor(slowdown_of(i.shared.message_p99_seconds, i.alone.message_p99_seconds))});
  }
  return "\n" + table.to_string("  ");
}

std::string distribution_table(const Results& r) {
  TextTable table({"", "p50", "p99", "p99.9", "max"});
  const Coverage coverage = coverage_of(r);
  const auto add = [&](const char* name, bool has_any, const Percentiles& p, auto format) {
    if (has_any) {
      table.add({with_coverage(name, coverage), format(p.p50), format(p.p99), format(p.p999),
                 format(p.max)});
    } else {
      table.add({name, "-", "-", "-", "-"});
    }
  };
  const auto time = [](double seconds) { return format_time(seconds); };
  const bool has_completed = r.messages.completed() > 0;
  add("message completion", has_completed, r.messages.completion_seconds(), time);
  add("message slowdown", has_completed, r.messages.slowdown(),
      [](double x) { return fmt::format("{:.2f}x", x); });
  if (!r.has_packets) return table.to_string("  ");
  const auto latency = [&r](double p) {
    return to_seconds(Picoseconds(r.packet_latency.quantile(p)));
  };
  add("packet latency", r.packet_latency.count() > 0,
      {latency(0.5), latency(0.95), latency(0.99), latency(0.999),
       to_seconds(Picoseconds(r.packet_latency.max()))},
      time);
  return table.to_string("  ");
}

/// Of several jobs, those of each.
std::string job_messages_text(const Results& r) {
  if (r.jobs.size() < 2) return {};
  TextTable table(
      {"messages of", "count", "p50", "p95", "p99", "p99.9", "max", "slowdown p50", "p99", "max"});
  for (const JobResult& job : r.jobs) {
    if (!job.message_seconds || !job.message_slowdown) continue;
    const Percentiles& time = *job.message_seconds;
    const Percentiles& slow = *job.message_slowdown;
    table.add({with_coverage(job.name, coverage_of(job)),
               format_count(static_cast<std::int64_t>(job.messages.completed())),
               format_time(time.p50), format_time(time.p95), format_time(time.p99),
               format_time(time.p999), format_time(time.max), fmt::format("{:.2f}x", slow.p50),
               fmt::format("{:.2f}x", slow.p99), fmt::format("{:.2f}x", slow.max)});
  }
  return table.to_string("  ") + "\n";
}

std::string network_lines(const Results& r) {
  const protocols::NetworkTotals& t = r.totals;
  std::string text = fmt::format(
      "  buffer drops {}   ECN marks {}   retransmitted {}{}\n"
      "  PFC pauses {}   paused time {} (sum over ports)\n",
      format_count(t.buffer_drops), format_count(t.ecn_marked),
      format_count(static_cast<std::int64_t>(t.packets_retransmitted)),
      t.timeouts == 0 ? "" : "   time-outs " + format_count(static_cast<std::int64_t>(t.timeouts)),
      format_count(t.pauses), format_time(Picoseconds(t.paused_time)));
  if (t.headroom_pool_peak > Bytes()) {
    text += fmt::format("  headroom pools: the fullest held {}   drops for want of them {}\n",
                        format_bytes(static_cast<double>(t.headroom_pool_peak.count())),
                        format_count(t.headroom_pool_drops));
  }
  if (t.ttl_drops + t.fault_drops > 0) {
    text += fmt::format("  lost to expired TTL {}   lost to faults {}\n", format_count(t.ttl_drops),
                        format_count(t.fault_drops));
  }
  if (r.has_early_drops) {
    text += fmt::format("  dropped by WRED {}   by PFC watchdogs {} in {}\n",
                        format_count(t.wred_drops), format_count(t.watchdog_drops),
                        counted(t.pause_storms, "storm"));
  }
  if (r.has_trims) {
    text +=
        fmt::format("  trimmed {}\n", format_count(static_cast<std::int64_t>(t.packets_trimmed)));
  }
  if (r.has_link_errors) {
    text += fmt::format("  lost to errors of links {}\n", format_count(t.error_drops));
  }
  if (r.has_retries) {
    text += fmt::format("  link retry: replays {}   frames sent again {}   given up {}\n",
                        format_count(t.replays), format_count(t.frames_replayed),
                        format_count(t.retry_drops));
  }
  if (t.poison_drops > 0) {
    text += fmt::format("  passed on corrupted by cut-through switches {}\n",
                        format_count(t.poison_drops));
  }
  if (t.credit_stalls > 0) {
    text +=
        fmt::format("  credit stalls {}   stalled time {} (sum over ports)\n",
                    format_count(t.credit_stalls), format_time(Picoseconds(t.credit_stall_time)));
  }
  return text;
}

std::vector<const PortResult*> busiest_ports(const Results& r) {
  std::vector<const PortResult*> busiest;
  for (const PortResult& p : r.ports) busiest.push_back(&p);
  const std::size_t n = std::min(kBusiestPorts, busiest.size());
  std::partial_sort(busiest.begin(), busiest.begin() + static_cast<std::ptrdiff_t>(n),
                    busiest.end(), [](const PortResult* a, const PortResult* b) {
                      return a->utilisation != b->utilisation ? a->utilisation > b->utilisation
                                                              : a->port < b->port;
                    });
  busiest.resize(n);
  return busiest;
}

std::string ports_text(const Results& r) {
  TextTable table({"busiest ports", "rate", "used", "peak queue", "mean queue", "marks",
                   "pauses in", "paused"});
  for (const PortResult* port : busiest_ports(r)) {
    const PortResult& p = *port;
    table.add({p.name, format_rate(static_cast<double>(p.rate.count())),
               format_share(p.utilisation),
               format_bytes(static_cast<double>(p.counters.peak_backlog.count())),
               format_bytes(p.mean_queue_bytes), format_count(p.counters.ecn_marked),
               format_count(p.counters.pauses_received), format_time(p.counters.paused_time)});
  }
  return table.to_string("  ");
}

/// What passed at a port along critical paths, but for the latency of its link.
struct PortCost {
  Picoseconds all;
  std::map<std::pair<std::string, std::string>, Picoseconds> by_job_and_cause;
};

/// Ports by what they cost jobs: more than by how much they were used.
std::string costly_ports_text(const Results& r) {
  std::map<std::string, PortCost> costs;
  for (const BlameResult& b : r.blame) {
    if (b.port.empty() || b.cause == "propagation") continue;
    PortCost& cost = costs[b.port];
    cost.all += b.time;
    cost.by_job_and_cause[{r.jobs[b.job].name, b.cause}] += b.time;
  }
  std::vector<const std::pair<const std::string, PortCost>*> worst;
  worst.reserve(costs.size());
  for (const auto& entry : costs) worst.push_back(&entry);
  std::ranges::stable_sort(worst, std::ranges::greater{},
                           [](const auto* entry) { return entry->second.all; });
  worst.resize(std::min(kBusiestPorts, worst.size()));
  std::map<std::string, const PortResult*> ports;
  for (const PortResult& p : r.ports) ports[p.name] = &p;
  TextTable table({"ports on critical paths", "cost", "most of it", "of job", "rate", "used",
                   "peak queue", "marks", "paused"});
  for (const auto* entry : worst) {
    const auto& [name, cost] = *entry;
    const auto& max = *std::ranges::max_element(cost.by_job_and_cause, {},
                                                [](const auto& part) { return part.second; });
    const auto port = ports.find(name);
    if (port == ports.end()) continue;
    const PortResult& p = *port->second;
    table.add({name, format_time(cost.all), max.first.second, max.first.first,
               format_rate(static_cast<double>(p.rate.count())), format_share(p.utilisation),
               format_bytes(static_cast<double>(p.counters.peak_backlog.count())),
               format_count(p.counters.ecn_marked), format_time(p.counters.paused_time)});
  }
  return table.to_string("  ");
}

/// Without what only packets tell.
std::string fluid_ports_text(const Results& r) {
  TextTable table({"busiest ports", "rate", "used", "bytes"});
  for (const PortResult* p : busiest_ports(r)) {
    table.add({p->name, format_rate(static_cast<double>(p->rate.count())),
               format_share(p->utilisation),
               format_bytes(static_cast<double>(p->counters.bytes.count()))});
  }
  return table.to_string("  ");
}

std::string cost_line(const Results& r) {
  const std::string times = fmt::format(
      "  simulated {} in {} of wall time{}: ", format_time(r.simulated),
      format_time(r.wall_seconds), r.threads > 1 ? fmt::format(" on {} threads", r.threads) : "");
  if (!r.has_packets) return times + "no packets, fair shares of rate\n";
  const auto hops = static_cast<double>(r.totals.packet_hops);
  return times + fmt::format("{} packet-hops, {:.2f} million/s\n",
                             format_count(static_cast<std::int64_t>(r.totals.packet_hops)),
                             r.wall_seconds > 0 ? hops / r.wall_seconds * 1e-6 : 0.0);
}

}  // namespace

std::string trouble_text(const Results& r) {
  const protocols::NetworkTotals& t = r.totals;
  const bool has_any = t.packets_dropped() > 0 || t.packets_retransmitted + t.packets_trimmed > 0 ||
                       t.ecn_marked + t.pauses + t.credit_stalls > 0;
  return has_any ? network_lines(r) : std::string();
}

std::string summary_text(const Results& r) {
  std::string text = fmt::format("{}  (seed {}, {} engine)  {}\n\n", r.scenario, r.seed, r.engine,
                                 outcome_name(r.outcome));
  text +=
      jobs_text(r) + cut_text(r) + iterations_text(r) + training_text(r) + isolated_text(r) + "\n";
  text += collectives_text(r);
  text += distribution_table(r);
  text += fmt::format("  {} of {} completed\n\n",
                      format_count(static_cast<std::int64_t>(r.messages.completed())),
                      counted(static_cast<std::int64_t>(r.messages.count()), "message"));
  text += job_messages_text(r);
  text += size_summary_text(r);
  if (r.has_packets) text += network_lines(r) + "\n";
  text += incident_summary_text(r);
  const bool has_costs = r.has_packets && std::ranges::any_of(r.blame, [](const BlameResult& b) {
                           return !b.port.empty() && b.cause != "propagation";
                         });
  text += (has_costs       ? costly_ports_text(r)
           : r.has_packets ? ports_text(r)
                           : fluid_ports_text(r)) +
          "\n";
  if (r.has_packets) text += pause_summary_text(r);
  text += cost_line(r);
  text += reuse_text(r.reuse, r.totals.packet_hops, r.periods);
  text += fmt::format("  results sha256 {}\n", r.digest());
  for (const std::string& warning : r.warnings) text += "  warning: " + escaped(warning) + "\n";
  return text;
}

nlohmann::ordered_json summary_json(const Results& results) {
  return summary_record().json(results);
}

}  // namespace weft::scenarios
