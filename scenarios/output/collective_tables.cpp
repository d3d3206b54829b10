#include "scenarios/output/collective_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

std::string bandwidth(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value * 1e-9) : "-";
}

std::string share(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds(0)) return "-";
  return format_share(to_seconds(part) / to_seconds(whole));
}

/// Of the iterations of a job.
struct Summary {
  const CollectiveResult* slowest = nullptr;
  Picoseconds sum;
  Bytes size;  ///< of all of them, as is `bus`
  Bytes bus;
  Picoseconds skew;
  std::uint32_t count = 0;

  /// Bytes over the time that all of them took: a mean of rates would hide the slow ones.
  [[nodiscard]] std::optional<double> mean_bandwidth(Bytes bytes) const {
    if (bytes == Bytes(0) || sum == Picoseconds(0)) return {};
    return static_cast<double>(bytes.count()) / to_seconds(sum);
  }
};

Summary summarize(const Results& r, std::uint32_t job) {
  Summary s;
  for (const CollectiveResult& c : r.collectives) {
    if (c.job != job) continue;
    ++s.count;
    s.sum += c.end - c.start;
    s.size += c.size;
    s.bus += c.bus;
    s.skew = std::max(s.skew, c.end_skew);
    if (s.slowest == nullptr || c.end - c.start > s.slowest->end - s.slowest->start) s.slowest = &c;
  }
  return s;
}

/// Of an iteration; what ranks send for it is the `bytes` of their job.
std::string mean_size(const Summary& s) {
  return format_bytes(static_cast<double>(s.size.count()) / s.count);
}

/// What an iteration of a job is blamed for, by groups of causes.
struct BlamedShares {
  Picoseconds whole;
  Picoseconds links;
  Picoseconds queueing;
  Picoseconds paused;
  Picoseconds control;
  Picoseconds lost;
  Picoseconds straggler;
  Picoseconds computing;
  Picoseconds other;

  void add(const BlameResult& b) {
    whole += b.time;
    group(b.cause) += b.time;
  }

 private:
  [[nodiscard]] Picoseconds& group(const std::string& cause) {
    if (cause == "serialisation" || cause == "propagation") return links;
    if (cause == "queueing") return queueing;
    if (cause == "pause" || cause == "credits") return paused;
    if (cause == "congestion control" || cause == "window") return control;
    if (cause == "retransmission" || cause == "time-out" || cause == "link failure" ||
        cause == "link retry") {
      return lost;
    }
    if (cause == "straggler") return straggler;
    return cause == "compute" ? computing : other;
  }
};

/// The same table where it is known who is to blame.
std::string blamed_collectives_text(const Results& r) {
  TextTable table({"collectives", "algorithm", "size", "time", "algbw", "busbw", "skew", "links",
                   "queueing", "paused", "control", "losses", "straggler", "compute", "other"});
  std::string reasons;
  for (std::uint32_t j = 0; j < r.jobs.size(); ++j) {
    const Summary s = summarize(r, j);
    if (s.count == 0) continue;
    BlamedShares b;
    for (const BlameResult& part : r.blame) {
      if (part.job == j && part.iteration == s.slowest->iteration) b.add(part);
    }
    const std::string protocol = r.jobs[j].protocol == "none" ? "" : "/" + r.jobs[j].protocol;
    table.add({r.jobs[j].name, r.jobs[j].algorithm + protocol, mean_size(s),
               format_time(s.sum / s.count), bandwidth(s.mean_bandwidth(s.size)),
               bandwidth(s.mean_bandwidth(s.bus)), format_time(s.skew), share(b.links, b.whole),
               share(b.queueing, b.whole), share(b.paused, b.whole), share(b.control, b.whole),
               share(b.lost, b.whole), share(b.straggler, b.whole), share(b.computing, b.whole),
               share(b.other, b.whole)});
    if (!r.jobs[j].choice.empty())
      reasons += "  " + r.jobs[j].name + ": " + r.jobs[j].choice + "\n";
  }
  return table.to_string("  ") +
         "  times of an iteration on average, and GB/s in that time; shares of the slowest one's "
         "time, from the end of the one before\n"
         "  links: serialisation and propagation; control: congestion control and windows; losses: "
         "time-outs, what was sent again, links "
         "that failed\n" +
         reasons + "\n";
}

}  // namespace

std::string collectives_text(const Results& r) {
  if (r.collectives.empty()) return {};
  if (r.has_blame) return blamed_collectives_text(r);
  TextTable table({"collectives", "algorithm", "size", "time", "algbw", "busbw", "skew",
                   "zero-load", "held up", "paused", "reducing", "waiting", "other"});
  std::string reasons;
  for (std::uint32_t j = 0; j < r.jobs.size(); ++j) {
    const Summary s = summarize(r, j);
    if (s.count == 0) continue;
    const CriticalPath& p = s.slowest->path;
    const Picoseconds whole = s.slowest->end - s.slowest->start;
    const std::string protocol = r.jobs[j].protocol == "none" ? "" : "/" + r.jobs[j].protocol;
    table.add({r.jobs[j].name, r.jobs[j].algorithm + protocol, mean_size(s),
               format_time(s.sum / s.count), bandwidth(s.mean_bandwidth(s.size)),
               bandwidth(s.mean_bandwidth(s.bus)), format_time(s.skew), share(p.wire, whole),
               share(p.queueing, whole), share(p.paused, whole), share(p.reducing, whole),
               share(p.late + p.window, whole), share(p.launch + p.protocol + p.copying, whole)});
    if (!r.jobs[j].choice.empty())
      reasons += "  " + r.jobs[j].name + ": " + r.jobs[j].choice + "\n";
  }
  return table.to_string("  ") +
         "  times of an iteration on average, and GB/s in that time; shares of the slowest one's "
         "critical path\n" +
         "  zero-load: messages as fast as they are alone; held up: by queues, congestion control, "
         "windows or time-outs; --blame says which\n" +
         reasons + "\n";
}

}  // namespace weft::scenarios
