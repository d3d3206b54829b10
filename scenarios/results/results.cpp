#include "scenarios/results/results.hpp"

#include "simcore/base/digest.hpp"

namespace weft::scenarios {
std::string Results::digest() const {
  Digest sha;
  const auto add = [&sha](std::int64_t value) { sha.add(value); };
  add(static_cast<std::int64_t>(jobs.size()));
  for (const JobResult& job : jobs) {
    add(job.ranks);
    add(job.bytes.count());
    add(job.start.count());
    add(job.end.count());
    add(job.is_finished ? 1 : 0);
  }
  add(static_cast<std::int64_t>(messages.size()));
  for (const MessageResult m : messages) {
    add(m.job);
    add(m.source_rank);
    add(m.destination_rank);
    add(m.bytes.count());
    add(m.start.count());
    add(m.delivered.count());
    add(m.completed.count());
  }
  add(static_cast<std::int64_t>(ports.size()));
  for (const PortResult& p : ports) {
    const protocols::PortCounters& c = p.counters;
    for (const std::int64_t value :
         {c.bytes.count(), c.packets, c.ecn_marked, c.buffer_drops, c.ttl_drops, c.fault_drops,
          c.pauses_sent, c.pauses_received, c.paused_time.count(), c.credit_stalls,
          c.credit_stall_time.count(), c.peak_backlog.count()}) {
      add(value);
    }
  }
  add(static_cast<std::int64_t>(classes.size()));
  for (const protocols::ClassCounters& c : classes) {
    for (const std::int64_t value :
         {c.bytes.count(), c.packets, c.peak_bytes.count(), c.buffer_drops, c.paused_time.count(),
          c.pauses_received, c.credit_stalls, c.credit_stall_time.count()}) {
      add(value);
    }
  }
  return sha.hex();
}

}  // namespace weft::scenarios
