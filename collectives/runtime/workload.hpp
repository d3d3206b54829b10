#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/costs/choose.hpp"
#include "collectives/jobs/job.hpp"
#include "collectives/steps/program.hpp"
#include "collectives/steps/relay.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/result.hpp"
#include "simcore/base/units.hpp"
#include "simcore/messages/message_network.hpp"

namespace weft::collectives {

/// Of all jobs of a run. What jobs are bounded by before is coarse where it depends on scale-up
/// domains, so that they are counted again as they are made.
inline constexpr std::uint64_t kMaxConnections = 16'000'000;

struct WorkloadOptions {
  std::uint64_t seed = 1;
  /// The rate of each host's access link, of which open-loop loads are fractions. May be empty if
  /// no job is open-loop.
  std::span<const BitsPerSecond> access_rates;
  std::uint64_t max_connections = kMaxConnections;
  bool has_relays = false;  ///< connections may get second legs
};

/// One job: its ranks are the processes first_process .. first_process + ranks - 1.
struct JobPlan {
  std::string name;
  Picoseconds start;                     ///< counted from the end of the jobs that it is after
  std::vector<std::uint32_t> after;      ///< jobs that it waits for, ascending
  std::vector<std::uint32_t> followers;  ///< jobs that wait for it
  std::uint32_t awaited_ranks = 0;       ///< of all that it is after
  std::uint32_t first_process = 0;
  std::uint32_t ranks = 0;
  std::uint32_t lanes = 1;          ///< per rank
  std::uint32_t first_lane = 0;     ///< among the lanes of all jobs
  std::uint32_t request_lanes = 0;  ///< of reads, whose data comes in as many after them; 0: none
  std::unique_ptr<const JobProgram> program;
  std::optional<AlgorithmChoice> choice;  ///< collectives only

  [[nodiscard]] ProcessId process(std::uint32_t rank) const {
    return ProcessId(first_process + rank);
  }
  [[nodiscard]] bool reads() const { return request_lanes > 0; }
};

/// The one job of a workload that runs, from a time on; the others keep their ranks, their
/// connections and their random numbers, and do nothing.
struct LoneJob {
  std::uint32_t job = 0;
  Picoseconds begin;
};

/// What the connections of a job have in common (see Connection).
struct JobTraffic {
  ClassId traffic_class{};
  std::uint16_t queue_pairs = 0;
  std::uint8_t transport = 0;
  std::uint64_t max_connections = kMaxConnections;  ///< of this and earlier jobs
  std::optional<std::uint32_t> number = {};         ///< that paths go by; absent: its place
};

/// The number of a job that the flow labels of its connections hold.
[[nodiscard]] std::uint32_t job_of_label(std::uint32_t flow_label);

/// All jobs of a run as processes, connections and programs: what networks are built from and the
/// executor runs. Immutable once built.
///
/// Connections are only those that a program may use. They are numbered by job, source rank, lane
/// and destination rank. Their flow label is made of the job's number and the lane, which tells the
/// connections between two hosts apart and does not depend on what else the run has.
class Workload {
 public:
  static constexpr std::uint32_t kNoRelay = std::numeric_limits<std::uint32_t>::max();

  /// Adds a job after the others. `program` is for as many ranks as there are hosts. Error: the
  /// program waits for acknowledgements that the transport does not give, or there are too many
  /// connections.
  [[nodiscard]] Errors add_job(std::string name, Picoseconds start, std::span<const HostId> hosts,
                               std::unique_ptr<const JobProgram> program, bool has_acknowledgements,
                               JobTraffic traffic = {}, std::optional<AlgorithmChoice> choice = {});

  /// The job waits for the end of others: then its ranks begin `start` later, two control latencies
  /// after the last rank of those is done. Circles never begin (check_order).
  void begin_after(std::uint32_t job, std::vector<std::uint32_t> others);

  /// About as many as a job of this program will have.
  [[nodiscard]] static std::uint64_t likely_connections(const JobProgram& program,
                                                        std::uint32_t ranks);
  /// Room for this many in all, so that lists are not copied as jobs come.
  void reserve(std::uint64_t connections);

  /// Hosts that may forward what one host sends to another: those of a list that outlives the call,
  /// from `best` on and then from its beginning. None: it goes straight.
  struct RelayHosts {
    std::span<const HostId> hosts;
    std::size_t best = 0;
  };
  using RelaysOf = std::function<RelayHosts(HostId from, HostId to)>;
  /// Sends messages by way of a relay: of the hosts that `relays_of` offers the first one with a
  /// rank of the same job. Both legs are ordinary connections; the second ones come after all
  /// others. They have the flow label of the logical connection, as a relay's own messages to the
  /// receiver have: NCCL lets them share connections (NCCL_NET_SHARED_COMMS). Messages are cut into
  /// chunks of `chunk` (>= 1 byte). Only once, and after the last job.
  void relay(const RelaysOf& relays_of, Bytes chunk);

  /// A connection takes another of the scenario's transports.
  void set_transport(ConnectionId connection, std::uint8_t transport) {
    connections_[connection.value()].transport = transport;
  }

  /// The host of each process, by ProcessId.
  [[nodiscard]] const std::vector<HostId>& process_hosts() const { return hosts_; }
  /// All connections, by ConnectionId.
  [[nodiscard]] const std::vector<Connection>& connections() const { return connections_; }
  /// Ranks whose data scale-up switches reduce and repeat, of all jobs.
  [[nodiscard]] const std::vector<ProcessGroup>& groups() const { return groups_; }
  [[nodiscard]] const std::vector<JobPlan>& jobs() const { return jobs_; }
  /// By chance, of all jobs: as many as are expected.
  [[nodiscard]] double drawn_messages() const { return drawn_messages_; }
  [[nodiscard]] std::uint32_t lane_count() const {
    return static_cast<std::uint32_t>(first_connection_.size() - 1);
  }

  [[nodiscard]] std::uint32_t job_of(ProcessId process) const {
    return job_of_process_[process.value()];
  }
  [[nodiscard]] std::uint32_t rank_of(ProcessId process) const {
    return process.value() - jobs_[job_of(process)].first_process;
  }
  /// The lane of its source and of its destination that a connection belongs to.
  [[nodiscard]] std::uint32_t lane_of(ConnectionId connection) const {
    return lane_of_connection_[connection.value()];
  }
  /// The number of a rank's lane among all lanes.
  [[nodiscard]] std::uint32_t lane_index(ProcessId process, std::uint32_t lane) const {
    const JobPlan& job = jobs_[job_of(process)];
    return job.first_lane + (process.value() - job.first_process) * job.lanes + lane;
  }
  /// The connections that a lane sends on: [first, second), by rising destination.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> sends_of(std::uint32_t lane_index) const {
    return {first_connection_[lane_index], first_connection_[lane_index + 1]};
  }
  /// A rank's number within the group that scale-up switches serve in a lane.
  [[nodiscard]] std::uint32_t place_in_group(ProcessId process, std::uint32_t lane) const {
    return group_of_lane_[lane_index(process, lane)].place;
  }
  /// The connection to what scale-up switches reduce for `owner`, a head of the same group, in a
  /// lane whose data they add.
  [[nodiscard]] ConnectionId reduction(ProcessId source, std::uint32_t owner,
                                       std::uint32_t lane) const {
    const ProcessId to = jobs_[job_of(source)].process(owner);
    return ConnectionId(sends_of(lane_index(source, lane)).first + place_in_group(to, lane));
  }
  /// The connection by which scale-up switches repeat what a head sends to its group, in a lane of
  /// that kind.
  [[nodiscard]] ConnectionId multicast(ProcessId source, std::uint32_t lane) const {
    return ConnectionId(sends_of(lane_index(source, lane)).second - 1);
  }
  [[nodiscard]] const std::vector<Relay>& relays() const { return relays_; }
  [[nodiscard]] Bytes relay_chunk() const { return relay_chunk_; }
  /// The number of the relay that a connection is a leg of; kNoRelay if it is none.
  [[nodiscard]] std::uint32_t relay_of(ConnectionId connection) const {
    if (relay_of_direct_.empty()) return kNoRelay;
    const std::size_t direct = relay_of_direct_.size();
    return connection.value() < direct ? relay_of_direct_[connection.value()]
                                       : static_cast<std::uint32_t>(connection.value() - direct);
  }
  /// A leg that starts at a relay.
  [[nodiscard]] bool is_second_leg(ConnectionId connection) const {
    const std::uint32_t relay = relay_of(connection);
    return relay != kNoRelay && relays_[relay].second == connection;
  }
  /// Where the messages of a connection come from, and where they go to in the end.
  [[nodiscard]] ProcessId origin_of(ConnectionId connection) const {
    const std::uint32_t relay = relay_of(connection);
    return relay == kNoRelay ? connections_[connection.value()].source : relays_[relay].source;
  }
  [[nodiscard]] ProcessId target_of(ConnectionId connection) const {
    const std::uint32_t relay = relay_of(connection);
    return relay == kNoRelay ? connections_[connection.value()].destination
                             : relays_[relay].destination;
  }
  /// A connection carries the data of reads.
  [[nodiscard]] bool carries_read_data(ConnectionId connection) const {
    const JobPlan& job = jobs_[job_of(connections_[connection.value()].source)];
    return job.reads() && lane_of(connection) >= job.request_lanes;
  }
  /// By which data comes that is asked for on a connection, and the reverse; relayed or not.
  [[nodiscard]] ConnectionId data_of(ConnectionId request) const {
    return find(target_of(request), origin_of(request),
                lane_of(request) + jobs_[job_of(origin_of(request))].request_lanes);
  }
  [[nodiscard]] ConnectionId request_of(ConnectionId data) const {
    return find(target_of(data), origin_of(data),
                lane_of(data) - jobs_[job_of(origin_of(data))].request_lanes);
  }
  /// From one process to another on a lane, relayed or not; none() if the program has no such
  /// connection.
  [[nodiscard]] ConnectionId find(ProcessId source, ProcessId destination,
                                  std::uint32_t lane) const;

 private:
  void reserve_rest(const JobPlan& plan, std::size_t per_rank, std::uint64_t max);
  void add_groups(const JobPlan& plan, const std::vector<ReductionGroup>& groups);
  void add_in_network(ProcessId source, std::size_t lane_index, std::uint32_t label,
                      InNetworkWork work);

  std::vector<HostId> hosts_;
  std::vector<std::uint32_t> job_of_process_;
  std::vector<Connection> connections_;
  std::vector<ProcessGroup> groups_;
  struct GroupPlace {
    std::uint32_t group = 0;
    std::uint32_t place = 0;
  };
  std::vector<GroupPlace> group_of_lane_;  ///< by lane index, where scale-up switches serve it
  std::vector<std::uint16_t> lane_of_connection_;
  std::vector<std::uint32_t> first_connection_ = {0};  ///< by lane index, and the end
  std::vector<JobPlan> jobs_;
  std::vector<Relay> relays_;                   ///< by first leg, and so by second leg
  std::vector<std::uint32_t> relay_of_direct_;  ///< those after them are second legs, in order
  Bytes relay_chunk_;
  double drawn_messages_ = 0;
};

/// Checks and compiles the jobs of a scenario. Every error names the job by number and the field:
/// `jobs[2].size`.
[[nodiscard]] Result<Workload> build_workload(std::span<const JobDescription> jobs,
                                              const WorkloadOptions& options);

/// Calls `visit` with what a job puts on the network, summed per connection and message size, by
/// rank and lane in the order of connections and sizes. What is relayed counts on both legs, the
/// second among the messages of the rank that sent it first; what is read counts as a request, and
/// as data after it, among the messages of the rank that reads. Runs through the whole program:
/// time linear in its messages.
void for_each_transfer(
    const Workload& workload, std::uint32_t job,
    const std::function<void(ConnectionId connection, Bytes size, std::int64_t count)>& visit);

/// What one send of a rank becomes there: a message, or the chunks of both legs.
void for_each_transfer_of(
    const Workload& workload, std::uint32_t job, std::uint32_t rank, const SendCount& send,
    const std::function<void(ConnectionId connection, Bytes size, std::int64_t count)>& visit);

/// Messages that chance decides on, in a run. That many are drawn in a quarter of a second.
inline constexpr double kMaxDrawn = 1e6;

/// How often something is sent, before it is known.
struct LikelyCount {
  double mean = 0;
  double max = 0;  ///< more than that is less likely than 1 in e^48
};

/// As for_each_transfer, for whoever looks ahead: where a run draws more than kMostDrawn messages,
/// those count by what is expected of each connection, in time linear in the connections. All else
/// is counted, and mean and most are the same.
void for_each_likely_transfer(
    const Workload& workload, std::uint32_t job,
    const std::function<void(ConnectionId connection, Bytes size, LikelyCount count)>& visit);

}  // namespace weft::collectives
