#include "collectives/runtime/workload.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "collectives/steps/read_program.hpp"
#include "simcore/base/check.hpp"
#include "simcore/engine/huge_pages.hpp"

namespace weft::collectives {

namespace {

/// Tells the connections between two hosts apart: of jobs, and of lanes.
constexpr std::uint32_t kLanesBits = 8;
constexpr std::uint32_t kJobsBits = 16;
std::uint32_t flow_label_of(std::uint32_t job, std::uint32_t lane) {
  const std::uint32_t low = lane & ((1U << kLanesBits) - 1);
  return (job << kLanesBits) + low + (lane >> kLanesBits << (kLanesBits + kJobsBits));
}

/// Room for `all` elements. Memory that is not touched yet takes nothing, and huge pages are asked
/// for before it is: most of the time of millions of connections would be for page faults.
template <class T>
void make_room(std::vector<T>& list, std::size_t all) {
  if (all <= list.capacity()) return;
  std::vector<T> grown;
  grown.reserve(all);
  expect_huge_pages(grown.data(), all * sizeof(T));
  grown.insert(grown.end(), list.begin(), list.end());
  list.swap(grown);
}

}  // namespace

std::uint32_t job_of_label(std::uint32_t flow_label) {
  return (flow_label >> kLanesBits) & ((1U << kJobsBits) - 1);
}

Errors Workload::add_job(std::string name, Picoseconds start, std::span<const HostId> hosts,
                         std::unique_ptr<const JobProgram> program, bool has_acknowledgements,
                         JobTraffic traffic, std::optional<AlgorithmChoice> choice) {
  if (program->needs_acknowledgements() && !has_acknowledgements) {
    return {Error{
        "job '" + name + "' waits for acknowledgements, which the transport does not give", {}}};
  }
  WEFT_CHECK(relay_of_direct_.empty(), "second legs come after the connections of all jobs");
  const auto place_of_job = static_cast<std::uint32_t>(jobs_.size());
  const std::uint32_t number = traffic.number.value_or(place_of_job);
  JobPlan plan;
  plan.name = std::move(name);
  plan.start = start;
  plan.first_process = static_cast<std::uint32_t>(hosts_.size());
  plan.ranks = static_cast<std::uint32_t>(hosts.size());
  plan.lanes = program->lanes();
  plan.request_lanes = program->request_lanes();
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    if (const auto drawn = program->drawn_sends(rank)) drawn_messages_ += drawn->messages;
  }
  plan.first_lane = lane_count();
  const std::size_t first_connection = connections_.size();
  WEFT_CHECK(plan.lanes >= 1 && plan.lanes <= kMaxLanes, "a program has lanes, not too many");
  hosts_.insert(hosts_.end(), hosts.begin(), hosts.end());
  job_of_process_.insert(job_of_process_.end(), hosts.size(), place_of_job);
  add_groups(plan, program->in_network().groups());
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const std::size_t before = connections_.size();
    for (std::uint32_t lane = 0; lane < plan.lanes; ++lane) {
      const LanePlace place{rank, lane};
      const InNetworkWork work = program->in_network().in_network_work(place);
      add_in_network(plan.process(rank), plan.first_lane + std::size_t{rank} * plan.lanes + lane,
                     flow_label_of(number, lane), work);
      lane_of_connection_.resize(connections_.size(), static_cast<std::uint16_t>(lane));
      const std::vector<std::uint32_t> peers = program->send_peers(place);
      WEFT_CHECK(std::is_sorted(peers.begin(), peers.end()), "peers ascend");
      WEFT_CHECK(peers.empty() || !work.any(), "a lane sends to ranks or to scale-up switches");
      for (const std::uint32_t peer : peers) {
        WEFT_CHECK(peer < plan.ranks && peer != rank, "a peer is another rank");
        connections_.push_back({.source = plan.process(rank),
                                .destination = plan.process(peer),
                                .flow_label = flow_label_of(number, lane),
                                .traffic_class = traffic.traffic_class,
                                .transport = traffic.transport,
                                .queue_pairs = traffic.queue_pairs});
        lane_of_connection_.push_back(static_cast<std::uint16_t>(lane));
      }
      first_connection_.push_back(static_cast<std::uint32_t>(connections_.size()));
    }
    const std::size_t of_rank = connections_.size() - before;
    const bool is_inside = rank > 0 && rank + 1 < plan.ranks;
    if (is_inside && connections_.capacity() - connections_.size() < of_rank) {
      reserve_rest(plan, of_rank, traffic.max_connections);
    }
    if (connections_.size() > traffic.max_connections) {
      return {Error{"job '" + plan.name + "' and those before it have more than " +
                        std::to_string(traffic.max_connections) + " connections",
                    {}}};
    }
  }
  for (std::size_t i = first_connection; i < connections_.size(); ++i) {
    connections_[i].latency_group = static_cast<std::uint8_t>(std::min(place_of_job, 255U));
  }
  plan.program = std::move(program);
  plan.choice = std::move(choice);
  jobs_.push_back(std::move(plan));
  return {};
}

/// Those of the first or the last rank, whichever has fewer: one of them may be a root.
std::uint64_t Workload::likely_connections(const JobProgram& program, std::uint32_t ranks) {
  const auto of_rank = [&](std::uint32_t rank) {
    std::uint64_t sum = 0;
    for (std::uint32_t lane = 0; lane < program.lanes(); ++lane) {
      sum += program.send_peers({rank, lane}).size();
    }
    return sum;
  };
  return ranks == 0 ? 0 : std::min(of_rank(0), of_rank(ranks - 1)) * ranks;
}

void Workload::reserve(std::uint64_t connections) {
  make_room(connections_, connections);
  make_room(lane_of_connection_, connections);
}

/// Room for the ranks to come, and at least an eighth, so that many small jobs do not copy the list
/// for each of them.
void Workload::reserve_rest(const JobPlan& plan, std::size_t per_rank, std::uint64_t max) {
  const std::size_t ranks_so_far = (lane_count() - plan.first_lane) / plan.lanes;
  const std::size_t more = per_rank * (plan.ranks - ranks_so_far);
  const std::size_t all = connections_.size() + std::max(more, connections_.size() / 8);
  if (all > max || connections_.size() + more <= connections_.capacity()) return;
  reserve(all);
}

void Workload::begin_after(std::uint32_t job, std::vector<std::uint32_t> others) {
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  for (const std::uint32_t other : others) {
    jobs_[other].followers.push_back(job);
    jobs_[job].awaited_ranks += jobs_[other].ranks;
  }
  jobs_[job].after = std::move(others);
}

void Workload::add_groups(const JobPlan& plan, const std::vector<ReductionGroup>& groups) {
  if (groups.empty()) return;
  group_of_lane_.resize(plan.first_lane + std::size_t{plan.ranks} * plan.lanes);
  for (const ReductionGroup& reduction : groups) {
    ProcessGroup& group = groups_.emplace_back();
    for (const std::uint32_t rank : reduction.ranks) {
      for (std::uint32_t lane = reduction.first_lane; lane < reduction.end_lane; ++lane) {
        group_of_lane_[plan.first_lane + std::size_t{rank} * plan.lanes + lane] = {
            static_cast<std::uint32_t>(groups_.size() - 1),
            static_cast<std::uint32_t>(group.members.size())};
      }
      group.members.push_back(plan.process(rank));
    }
  }
}

void Workload::add_in_network(ProcessId source, std::size_t lane_index, std::uint32_t label,
                              InNetworkWork work) {
  if (!work.any()) return;
  Connection connection;
  connection.source = source;
  connection.flow_label = label;
  connection.group = group_of_lane_[lane_index].group;
  const std::span members(groups_[connection.group].members);
  WEFT_CHECK(std::max(work.sums, work.copies) <= members.size(), "heads are members");
  connection.kind = Connection::Kind::kReduce;
  for (const ProcessId owner : members.first(work.sums)) {
    connection.destination = owner;
    connections_.push_back(connection);
  }
  if (group_of_lane_[lane_index].place >= work.copies) return;
  connection.kind = Connection::Kind::kMulticast;
  connection.destination = source;
  connections_.push_back(connection);
}

namespace {

/// Finds who forwards what one process sends to another. The lanes of a rank send to the same ranks
/// by the same relays, which are looked for once per pair.
class RelayFinder {
 public:
  RelayFinder(const Workload& workload, const Workload::RelaysOf& relays_of)
      : workload_(workload),
        relays_of_(relays_of),
        process_on_(host_count(workload)),
        known_(workload.process_hosts().size()) {}

  /// None: it goes straight.
  [[nodiscard]] ProcessId of(const Connection& logical) {
    if (logical.kind != Connection::Kind::kUnicast) return {};
    Known& of_pair = known_[logical.destination.value()];
    if (of_pair.source != logical.source) of_pair = {logical.source, find(logical)};
    return of_pair.relay;
  }

 private:
  struct Known {
    ProcessId source;
    ProcessId relay;
  };

  [[nodiscard]] static std::size_t host_count(const Workload& workload) {
    const std::vector<HostId>& hosts = workload.process_hosts();
    return hosts.empty() ? 0 : std::size_t{std::ranges::max(hosts).value()} + 1;
  }

  [[nodiscard]] ProcessId find(const Connection& logical) {
    list_job(workload_.job_of(logical.source));
    const std::vector<HostId>& hosts = workload_.process_hosts();
    const Workload::RelayHosts offered =
        relays_of_(hosts[logical.source.value()], hosts[logical.destination.value()]);
    for (std::size_t i = 0; i < offered.hosts.size(); ++i) {
      const HostId host = offered.hosts[(offered.best + i) % offered.hosts.size()];
      const ProcessId found =
          host.value() < process_on_.size() ? process_on_[host.value()] : ProcessId();
      if (found.is_none()) continue;
      WEFT_CHECK(found != logical.source && found != logical.destination, "a relay is neither end");
      return found;
    }
    return {};
  }

  void list_job(std::uint32_t number) {
    if (number == listed_) return;
    listed_ = number;
    std::ranges::fill(process_on_, ProcessId());
    const JobPlan& job = workload_.jobs()[number];
    for (std::uint32_t rank = job.ranks; rank-- > 0;) {
      process_on_[workload_.process_hosts()[job.process(rank).value()].value()] = job.process(rank);
    }
  }

  const Workload& workload_;
  const Workload::RelaysOf& relays_of_;
  std::vector<ProcessId> process_on_;          ///< by host: the first one of the job there
  std::vector<Known> known_;                   ///< by destination
  std::uint32_t listed_ = Workload::kNoRelay;  ///< the job whose processes are
};

}  // namespace

void Workload::relay(const RelaysOf& relays_of, Bytes chunk) {
  WEFT_CHECK(relays_.empty() && chunk >= 1_B, "relays are chosen once, for chunks of some size");
  relay_chunk_ = chunk;
  const std::size_t direct = connections_.size();
  make_room(relays_, direct);
  make_room(relay_of_direct_, direct);
  reserve(2 * direct);
  RelayFinder finder(*this, relays_of);
  for (std::size_t i = 0; i < direct; ++i) {
    const Connection logical = connections_[i];
    const ProcessId relay = finder.of(logical);
    if (relay.is_none()) {
      relay_of_direct_.push_back(kNoRelay);
      continue;
    }
    relay_of_direct_.push_back(static_cast<std::uint32_t>(relays_.size()));
    relays_.push_back({.first = ConnectionId(i),
                       .second = ConnectionId(connections_.size()),
                       .source = logical.source,
                       .destination = logical.destination});
    connections_[i].destination = relay;
    connections_.push_back(logical);
    connections_.back().source = relay;
    lane_of_connection_.push_back(lane_of_connection_[i]);
  }
  if (relays_.empty()) relay_of_direct_.clear();
}

ConnectionId Workload::find(ProcessId source, ProcessId destination, std::uint32_t lane) const {
  const auto [first, end] = sends_of(lane_index(source, lane));
  const auto id_of = [this](const Connection& connection) {
    return ConnectionId(static_cast<std::uint32_t>(&connection - connections_.data()));
  };
  const auto target = [&](const Connection& connection) { return target_of(id_of(connection)); };
  const std::span sends = std::span(connections_).subspan(first, end - first);
  const auto found = std::ranges::lower_bound(sends, destination, {}, target);
  if (found == sends.end() || target(*found) != destination) return {};
  return id_of(*found);
}

namespace {

/// What a rank puts on the network, by connection and size. Nearly all connections have messages of
/// one size: those are counted where the connection stands among the rank's own, or among the
/// second legs of its messages, and only further sizes are looked for.
class MessageCounts {
 public:
  MessageCounts(const Workload& workload, ProcessId rank, std::uint32_t lanes) {
    const auto& relays = workload.relays();
    own_.begin = workload.sends_of(workload.lane_index(rank, 0)).first;
    const std::uint32_t end = workload.sends_of(workload.lane_index(rank, lanes - 1)).second;
    own_.slots.resize(end - own_.begin);
    if (relays.empty()) return;
    const auto relay_at = [&](std::uint32_t connection) {
      return std::ranges::lower_bound(relays, ConnectionId(connection), {}, &Relay::first);
    };
    const auto first = relay_at(own_.begin);
    if (first != relays.end()) relayed_.begin = first->second.value();
    relayed_.slots.resize(static_cast<std::size_t>(relay_at(end) - first));
  }

  void add(ConnectionId connection, std::int64_t size, std::int64_t count) {
    const std::uint32_t id = connection.value();
    const bool is_own = id - own_.begin < own_.slots.size();
    Slot& slot = is_own ? own_.slots[id - own_.begin] : relayed_.slots[id - relayed_.begin];
    if (slot.count == 0) slot.size = size;
    if (slot.size == size) {
      slot.count += count;
    } else {
      further_[{connection, size}] += count;
    }
  }

  /// In the order of connections, and of sizes.
  template <class Visit>
  void for_each(const Visit& visit) const {
    auto next = further_.begin();
    for (const Range* range : {&own_, &relayed_}) {
      for (std::uint32_t i = 0; i < range->slots.size(); ++i) {
        const Slot& slot = range->slots[i];
        const ConnectionId connection(range->begin + i);
        bool is_left = slot.count > 0;
        for (; next != further_.end() && next->first.first == connection; ++next) {
          if (is_left && slot.size < next->first.second) {
            visit(connection, slot.size, slot.count);
            is_left = false;
          }
          visit(connection, next->first.second, next->second);
        }
        if (is_left) visit(connection, slot.size, slot.count);
      }
    }
  }

 private:
  struct Slot {
    std::int64_t size = 0;
    std::int64_t count = 0;  ///< 0: nothing is there yet
  };
  struct Range {
    std::uint32_t begin = 0;
    std::vector<Slot> slots;
  };
  Range own_;
  Range relayed_;
  std::map<std::pair<ConnectionId, std::int64_t>, std::int64_t> further_;
};

/// Calls `visit` with what a message becomes: itself, or the chunks of both legs.
template <typename Visit>
void for_each_leg(const Workload& workload, ConnectionId connection, Bytes size,
                  const Visit& visit) {
  const std::uint32_t relay = workload.relay_of(connection);
  if (relay == Workload::kNoRelay) {
    visit(connection, size, std::int64_t{1});
    return;
  }
  const Bytes chunk = workload.relay_chunk();
  for (const ConnectionId leg : {connection, workload.relays()[relay].second}) {
    if (size >= chunk) visit(leg, chunk, size / chunk);
    if (const Bytes rest = size % chunk; rest > 0_B) visit(leg, rest, std::int64_t{1});
  }
}

/// The connections that a rank sends on. Sends mostly take the same one as the last, or the next:
/// those are tried before it is looked for.
class SendConnections {
 public:
  SendConnections(const Workload& workload, const JobPlan& plan, std::uint32_t rank)
      : workload_(workload), plan_(plan), self_(plan.process(rank)) {}

  [[nodiscard]] ConnectionId of(const SendCount& send) {
    switch (send.step.kind) {
      case Step::Kind::kContribute:
        return workload_.reduction(self_, send.step.peer, send.lane);
      case Step::Kind::kMulticast:
        return workload_.multicast(self_, send.lane);
      default:
        return last_ = find(plan_.process(send.step.peer), send.lane);
    }
  }

 private:
  [[nodiscard]] ConnectionId find(ProcessId to, std::uint32_t lane) const {
    const auto [first, end] = workload_.sends_of(workload_.lane_index(self_, lane));
    for (std::uint32_t id = last_.value(); id - last_.value() < 2; ++id) {
      const bool is_of_lane = id >= first && id < end;
      if (is_of_lane && workload_.target_of(ConnectionId(id)) == to) return ConnectionId(id);
    }
    return workload_.find(self_, to, lane);
  }

  const Workload& workload_;
  const JobPlan& plan_;
  ProcessId self_;
  ConnectionId last_{0U};
};

template <typename Visit>
void for_each_part(const Workload& workload, const JobPlan& plan, std::uint32_t rank,
                   const SendCount& send, SendConnections& connections, const Visit& visit) {
  const Bytes size = plan.program->transfers().wire_size({rank, send.lane}, send.step.bytes());
  for_each_leg(
      workload, connections.of(send), size,
      [&](ConnectionId leg, Bytes part, std::int64_t n) { visit(leg, part, n * send.count); });
}

/// The messages of a job that reads.
template <typename Visit>
void for_each_read(const Workload& workload, const JobPlan& plan, const Visit& visit) {
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    MessageCounts counts(workload, plan.process(rank), plan.lanes);
    SendConnections connections(workload, plan, rank);
    plan.program->for_each_send(rank, [&](const SendCount& send) {
      counts.add(connections.of(send), send.step.bytes().count(), send.count);
    });
    // Those of a connection come one after the other, by size.
    std::vector<std::pair<Bytes, std::int64_t>> reads;
    ConnectionId request;
    const auto visit_reads = [&] {
      if (reads.empty()) return;
      std::int64_t messages = 0;
      for (const auto& [size, count] : reads) messages += count;
      for_each_leg(workload, request, kReadRequest,
                   [&](ConnectionId leg, Bytes part, auto n) { visit(leg, part, n * messages); });
      const ConnectionId data = workload.data_of(request);
      for (const std::pair<Bytes, std::int64_t>& read : reads) {
        for_each_leg(workload, data, read.first, [&](ConnectionId leg, Bytes part, auto n) {
          visit(leg, part, n * read.second);
        });
      }
      reads.clear();
    };
    counts.for_each([&](ConnectionId connection, std::int64_t size, std::int64_t n) {
      if (connection != request) visit_reads();
      request = connection;
      reads.emplace_back(Bytes(size), n);
    });
    visit_reads();
  }
}

}  // namespace

void for_each_transfer(
    const Workload& workload, std::uint32_t job,
    const std::function<void(ConnectionId connection, Bytes size, std::int64_t count)>& visit) {
  const JobPlan& plan = workload.jobs()[job];
  const JobProgram& program = *plan.program;
  if (plan.reads()) return for_each_read(workload, plan, visit);
  // All iterations send alike.
  const std::int64_t iterations = std::max(program.iterations(), 1U);
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    MessageCounts counts(workload, plan.process(rank), plan.lanes);
    SendConnections connections(workload, plan, rank);
    program.for_each_send(rank, [&](const SendCount& send) {
      for_each_part(workload, plan, rank, send, connections,
                    [&](ConnectionId connection, Bytes size, std::int64_t count) {
                      counts.add(connection, size.count(), count);
                    });
    });
    counts.for_each([&](ConnectionId connection, std::int64_t size, std::int64_t n) {
      visit(connection, Bytes(size), n * iterations);
    });
  }
}

void for_each_transfer_of(
    const Workload& workload, std::uint32_t job, std::uint32_t rank, const SendCount& send,
    const std::function<void(ConnectionId connection, Bytes size, std::int64_t count)>& visit) {
  const JobPlan& plan = workload.jobs()[job];
  SendConnections connections(workload, plan, rank);
  for_each_part(workload, plan, rank, send, connections, visit);
}

namespace {

/// Of a Poisson or binomial number of this mean. By Bernstein's inequality, P(X >= mean + x) <=
/// exp(-x^2 / (2 (mean + x / 3))) (S. Boucheron, G. Lugosi, P. Massart, "Concentration
/// Inequalities", 2013, section 2.8), which is below e^-48 here for every mean. Where messages are
/// up to `spread` times their mean size, that many of mean size have as many bytes: the second
/// moment of what is below a limit is at most limit times mean.
double max_of(double mean, double spread) {
  return mean + 10 * std::sqrt(mean * spread) + 40 * spread;
}

}  // namespace

void for_each_likely_transfer(
    const Workload& workload, std::uint32_t job,
    const std::function<void(ConnectionId connection, Bytes size, LikelyCount count)>& visit) {
  const JobPlan& plan = workload.jobs()[job];
  if (workload.drawn_messages() <= kMaxDrawn || !plan.program->drawn_sends(0)) {
    for_each_transfer(workload, job, [&](ConnectionId connection, Bytes size, std::int64_t count) {
      const auto exact = static_cast<double>(count);
      visit(connection, size, {exact, exact});
    });
    return;
  }
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const DrawnSends drawn = plan.program->drawn_sends(rank).value();
    const auto [first, end] = workload.sends_of(workload.lane_index(plan.process(rank), 0));
    const double mean = drawn.messages / (end - first);
    const double spread =
        static_cast<double>(drawn.largest.count()) / static_cast<double>(drawn.size.count());
    const double max = max_of(mean, spread);
    const auto visit_legs = [&](ConnectionId connection, Bytes message) {
      for_each_leg(workload, connection, message,
                   [&](ConnectionId leg, Bytes size, std::int64_t chunks) {
                     const auto n = static_cast<double>(chunks);
                     visit(leg, size, {n * mean, n * max});
                   });
    };
    for (std::uint32_t c = first; c < end; ++c) {
      const ConnectionId connection(c);
      visit_legs(connection, plan.reads() ? kReadRequest : drawn.size);
      if (plan.reads()) visit_legs(workload.data_of(connection), drawn.size);
    }
  }
}

}  // namespace weft::collectives
