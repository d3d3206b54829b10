#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectives/steps/read_program.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "simcore/base/hash.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/spray.hpp"
#include "tests/properties/random_scenario.hpp"
#include "tests/properties/random_scenario_check.hpp"
#include "tests/support/engines.hpp"

/// What no network can beat, in both engines, on shipped and random scenarios:
///
/// (a) No message is faster than its exact zero-load time on its own path.
/// (b) What a link has carried by time t took the link at least that long: for every message in the
///     order of delivery, the wire bytes of all messages delivered up to then, divided by the rate,
///     fit between the first possible arrival at the link and that delivery.
/// (c) A job takes at least its ideal time (dependencies at zero load; cuts), and for every link
///     its wire bytes over the rate plus the least latency before and after the link.
///
/// Sprayed packets cross links at random, and which channel of a collective a message takes is not
/// in the results: there (b) and (c) look at the links that all of them cross. The fluid's shares
/// of a spray are exact, so it is held to them on every link. Tolerance: 2 ps in the fluid (the
/// solver joins what lies within 1 ps, and rounds), none for packets.
namespace weft::testing {

/// A link that a message crosses.
struct Crossing {
  PortId port;
  double share;
  Picoseconds before;  ///< from the post: latencies, and the first packet stored at every hop
  Picoseconds after;   ///< latencies of this link and the rest of the path
};

class Links {
 public:
  Links(const scenarios::Experiment& e, bool is_fluid)
      : e_(e),
        is_fluid_(is_fluid),
        transports_(e.scenario, e.fabric, e.routes, e.workload),
        is_sprayed_(chooses_paths(e, is_fluid) || (!is_fluid && draws_paths(e))) {}

  /// Of the next message of these ranks; to be asked in the order of posting.
  std::vector<Crossing> next(const scenarios::MessageResult& m) {
    const ConnectionId id = connection_of(m);
    const scenarios::ConnectionTransport transport = transports_.of(id);
    const Framing& framing = transport.framing;
    const Bytes packet = std::min(m.bytes, framing.payload) + framing.header;
    // A message of several channels may be of any of them, and a split one is of several paths.
    if (e_.workload.jobs()[m.job].lanes > 1 || transport.is_split) {
      return crossings(sprayed_shares(e_.fabric, e_.routes, m.source, m.destination),
                       transport.is_split ? framing.header : packet, false);
    }
    const std::uint32_t turn = turns_[id]++ % transport.queue_pairs;
    const std::uint32_t label = e_.workload.connections()[id.value()].flow_label;
    return crossings(steps(m, queue_pair_number(label, turn)), packet, is_fluid_);
  }
  [[nodiscard]] Bytes wire(const scenarios::MessageResult& m) const {
    return scenarios::wire_bytes(m.bytes, transports_.of(connection_of(m)).framing);
  }

 private:
  /// Whether messages have paths of their own: in the packet engine each fresh queue pair has one.
  [[nodiscard]] static bool draws_paths(const scenarios::Experiment& e) {
    return std::ranges::any_of(e.scenario.transports(), [](const auto& transport) {
      return protocols::traits_of(transport).queue_pair_life == protocols::QueuePairLife::kMessage;
    });
  }
  /// Whether queue pairs change their paths; as fluids, whether they take several at a time.
  [[nodiscard]] static bool chooses_paths(const scenarios::Experiment& e, bool is_fluid) {
    return std::ranges::any_of(e.workload.connections(), [&](const Connection& c) {
      return is_fluid ? e.scenario.sprays(c.traffic_class, c.transport)
                      : !e.scenario.keeps_path(c.traffic_class, c.transport);
    });
  }
  [[nodiscard]] ConnectionId connection_of(const scenarios::MessageResult& m) const {
    const collectives::JobPlan& job = e_.workload.jobs()[m.job];
    const ProcessId from = job.process(m.source_rank);
    const ProcessId to = job.process(m.destination_rank);
    // Data of reads has lanes behind those of requests. Some is as short as these.
    const bool is_data = job.reads() && m.bytes != collectives::kReadRequest;
    const ConnectionId id = e_.workload.find(from, to, is_data ? job.request_lanes : 0);
    return id.is_none() ? e_.workload.find(from, to, job.request_lanes) : id;
  }
  [[nodiscard]] std::vector<std::vector<PortShare>> steps(const scenarios::MessageResult& m,
                                                          std::uint32_t number) const {
    if (is_sprayed_) return sprayed_shares(e_.fabric, e_.routes, m.source, m.destination);
    std::vector<std::vector<PortShare>> steps;
    for (const PortId port :
         flow_path(e_.fabric, e_.routes, e_.scenario.seed, m.source, m.destination,
                   flow_entropy(m.source, m.destination, number))) {
      steps.push_back({{port, 1.0}});
    }
    return steps;
  }
  /// Of steps with several links only where the shares are what the message takes.
  [[nodiscard]] std::vector<Crossing> crossings(const std::vector<std::vector<PortShare>>& steps,
                                                Bytes packet, bool knows_shares) const {
    // Steps of several links count with the least that any of them takes.
    std::vector<Picoseconds> latency;
    std::vector<Picoseconds> storing;
    for (const auto& step : steps) {
      latency.push_back(Picoseconds::max());
      storing.push_back(Picoseconds::max());
      for (const PortShare& s : step) {
        latency.back() = std::min(latency.back(), e_.fabric.data_latency(s.port));
        storing.back() =
            std::min(storing.back(), transmission_time(packet, e_.fabric.port(s.port).rate));
      }
    }
    std::vector<Crossing> crossings;
    Picoseconds before;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      Picoseconds after;
      for (std::size_t j = i; j < steps.size(); ++j) after += latency[j];
      if (knows_shares || steps[i].size() == 1) {
        for (const PortShare& s : steps[i]) crossings.push_back({s.port, s.share, before, after});
      }
      // With cut-through a packet is forwarded before it is stored.
      before += latency[i] + (cuts_through_ ? Picoseconds(0) : storing[i]);
    }
    return crossings;
  }

  const scenarios::Experiment& e_;
  bool is_fluid_;
  scenarios::ConnectionTransports transports_;
  bool is_sprayed_;
  bool cuts_through_ =
      e_.scenario.switches.forwarding == protocols::SwitchConfig::Forwarding::kCutThrough;
  std::map<ConnectionId, std::uint32_t> turns_;
};

struct Delivery {
  Picoseconds at;
  double bytes;
};
struct LinkUse {
  Picoseconds first_arrival = Picoseconds::max();
  std::vector<Delivery> deliveries;
};
struct JobUse {
  double bytes = 0;
  Picoseconds before = Picoseconds::max();
  Picoseconds after = Picoseconds::max();
};

inline Picoseconds time_of(double bytes, BitsPerSecond rate) {
  return Picoseconds(
      static_cast<std::int64_t>(bytes * 8e12 / static_cast<double>(rate.count()) - 0.5));
}

inline void check_invariants(const scenarios::Experiment& e, const MessageRun& run) {
  const scenarios::Results& results = run.results;
  const bool is_fluid = !results.has_packets;
  // Of datagrams that a full queue cannot trim nobody sends again what it drops.
  if (results.outcome == scenarios::Outcome::kStuck && may_lose_for_good(e.scenario)) return;
  ASSERT_EQ(results.outcome, scenarios::Outcome::kFinished);
  const Picoseconds tolerance(is_fluid ? 2 : 0);
  Links links(e, is_fluid);
  std::map<PortId, LinkUse> uses;
  std::map<std::pair<std::uint32_t, PortId>, JobUse> jobs;
  for (const scenarios::MessageResult& m : run.messages) {
    ASSERT_TRUE(m.delivered && m.completed);
    EXPECT_GE(*m.completed - m.start, m.ideal);
    const auto wire = static_cast<double>(links.wire(m).count());
    for (const Crossing& c : links.next(m)) {
      LinkUse& link = uses[c.port];
      link.first_arrival = std::min(link.first_arrival, m.start + c.before);
      link.deliveries.push_back({*m.delivered, wire * c.share});
      JobUse& job = jobs[{m.job, c.port}];
      job.bytes += wire * c.share;
      job.before = std::min(job.before, c.before);
      job.after = std::min(job.after, c.after);
    }
  }
  for (auto& [port, use] : uses) {
    std::ranges::sort(use.deliveries, {}, &Delivery::at);
    double bytes = 0;
    for (const Delivery& d : use.deliveries) {
      bytes += d.bytes;
      ASSERT_GE(d.at - use.first_arrival + tolerance, time_of(bytes, e.fabric.port(port).rate))
          << e.fabric.port_name(port) << " carried more than it can";
    }
  }
  for (const auto& [key, use] : jobs) {
    EXPECT_GE(results.jobs[key.first].jct + tolerance,
              time_of(use.bytes, e.fabric.port(key.second).rate) + use.before + use.after)
        << results.jobs[key.first].name << " on " << e.fabric.port_name(key.second);
  }
  for (const scenarios::JobResult& job : results.jobs) {
    EXPECT_GE(job.jct, job.ideal) << job.name << ", " << job.ideal_set_by;
  }
}

/// Of all jobs.
inline std::int64_t message_count(const scenarios::Experiment& e) {
  std::int64_t messages = 0;
  for (std::uint32_t job = 0; job < e.workload.jobs().size(); ++job) {
    collectives::for_each_transfer(
        e.workload, job,
        [&messages](ConnectionId, Bytes, std::int64_t count) { messages += count; });
  }
  return messages;
}

inline std::vector<std::int64_t> checked_fluid_run(const scenarios::Experiment& e) {
  return in_own_process([&e] {
    const MessageRun run = fluid_run(e);
    check_invariants(e, run);
    const std::string digest = run.results.digest();
    return std::vector<std::int64_t>(digest.begin(), digest.end());
  });
}

inline void check_both_engines(const scenarios::Experiment& e) {
  check_invariants(e, packet_run(e));
  EXPECT_EQ(checked_fluid_run(e), checked_fluid_run(e)) << "not the same bits twice";
}

}  // namespace weft::testing
