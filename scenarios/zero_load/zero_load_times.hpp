#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/memo/gpu_sets.hpp"
#include "collectives/runtime/executor.hpp"
#include "collectives/runtime/workload.hpp"
#include "scenarios/spec/scenario.hpp"
#include "scenarios/zero_load/connection_transports.hpp"
#include "scenarios/zero_load/like_ranks.hpp"
#include "simcore/fabric/capacity_bound.hpp"
#include "simcore/fabric/fabric.hpp"
#include "simcore/fabric/path.hpp"
#include "simcore/fabric/routes.hpp"
#include "simcore/fabric/zero_load.hpp"
#include "simcore/messages/zero_load_network.hpp"

namespace weft::scenarios {

/// How the transport cuts messages into packets and answers them, and how switches send them on.
[[nodiscard]] Framing framing_of(const Scenario& scenario, std::size_t transport = 0);
[[nodiscard]] std::int64_t packets_of(Bytes message, const Framing& framing);
/// A message with the headers of all its packets.
[[nodiscard]] Bytes wire_bytes(Bytes message, const Framing& framing);
/// The sum over the hops.
[[nodiscard]] Picoseconds latency_of(const std::vector<PathHop>& hops);

/// What messages and jobs would take on an empty network: what slowdowns divide by.
class ZeroLoadTimes {
 public:
  /// All arguments must outlive it.
  /// `tables` are the routes of the fabric, and those that failures bring in its place.
  ZeroLoadTimes(const Scenario& scenario, const Fabric& fabric, std::vector<const Routes*> tables,
                const collectives::Workload& workload);

  /// A message of `size` on the queue pair of `connection` whose packets carry `entropy`, on its
  /// own path; sprayed, or where routes change, over the least of all paths.
  /// Where messages are split, the whole over all queue pairs of the connection: a lower bound by
  /// each part, and by what parts that leave by one port take there together.
  [[nodiscard]] ZeroLoad message(ConnectionId connection, std::uint32_t entropy, Bytes size);
  /// What the `index`-th queue pair of a connection sends: a message or a part of one.
  [[nodiscard]] ZeroLoad on_queue_pair(ConnectionId connection, std::uint32_t index, Bytes size);

  struct Paths {
    std::vector<PathHop> forward;
    std::vector<PathHop> reverse;
  };
  /// The paths of the data and of the ACKs of the `index`-th queue pair of a connection.
  [[nodiscard]] Paths paths(ConnectionId connection, std::uint32_t index) const;

  struct Job {
    Picoseconds time;    ///< 0: has no ideal time (open-loop, or nobody waited for it)
    std::string set_by;  ///< `dependencies`, or the cut that carries too much
  };
  /// By job: the larger of its dependency critical path, each message taking its zero-load time,
  /// and for every cut the wire bytes that must cross it over its capacity, plus the least latency
  /// that any of its messages has. Of ranks that do the same one is run (LikeRanks), and calls of
  /// `gpu_sets` that begin alike are run once; else it takes as long as all messages of all
  /// iterations ask for, unless `continues`, asked now and then, says no: only jobs that have ended
  /// by then have a time.
  using Continues = std::function<bool()>;
  /// Which ranks are run. The times do not depend on it; what it takes to find them does.
  enum class Ranks : std::uint8_t { kOneOfEachClass, kAll };
  [[nodiscard]] std::vector<Job> jobs(const collectives::GpuSets& gpu_sets = {},
                                      const Continues& continues = {},
                                      Ranks ranks = Ranks::kOneOfEachClass);
  /// Of all jobs: see find_like_ranks.
  [[nodiscard]] LikeRanks like_ranks(const std::vector<std::uint32_t>& apart = {});

 private:
  class InNetworkLoad;
  static constexpr std::uint32_t kUnasked = std::numeric_limits<std::uint32_t>::max();
  /// How the messages of a queue pair travel, as far as their times depend on it: those of most
  /// queue pairs travel alike.
  struct Journey {
    Framing framing;
    std::uint32_t parallel_links = 1;
    std::vector<std::vector<PathHop>> forward;  ///< one way; where routes change, all there are
    std::vector<std::vector<PathHop>> reverse;
    auto operator<=>(const Journey&) const = default;
  };
  struct Key {
    std::uint32_t journey;
    std::int64_t size;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  [[nodiscard]] std::uint32_t entropy_of(ConnectionId connection, std::uint32_t index) const;
  [[nodiscard]] bool is_in_network(ConnectionId connection) const;
  /// The hosts that a connection's packets start from and get to.
  [[nodiscard]] std::pair<HostId, HostId> ends(ConnectionId connection) const;
  struct Path {
    std::vector<PathHop> hops;
    std::vector<PortId> last;  ///< the links by which its packets arrive
  };
  /// The way of packets that leave a host by its `first` links.
  [[nodiscard]] Path find_path(const std::vector<PortId>& first, HostId to, std::uint32_t entropy,
                               bool keeps_path) const;
  /// The links of `from` by which the packets of a scale-out queue pair leave.
  [[nodiscard]] std::vector<PortId> first_links_of(const ConnectionTransport& transport,
                                                   HostId from, HostId to,
                                                   std::uint32_t entropy) const;
  /// Adds a stage for a NIC with a finite receive rate that `links` links lead to.
  void add_receiver(std::vector<PathHop>& hops, std::size_t links) const;
  [[nodiscard]] Journey journey(ConnectionId connection, std::uint32_t index) const;
  /// The number of the journey of the `index`-th queue pair of a connection.
  [[nodiscard]] std::uint32_t journey_number(ConnectionId connection, std::uint32_t index);
  [[nodiscard]] static ZeroLoad min_time(const Journey& journey, Bytes size);
  /// See TravelNumber.
  [[nodiscard]] std::uint32_t travel_number(ConnectionId connection);
  /// After a run of all jobs by all ranks.
  [[nodiscard]] std::unique_ptr<collectives::Executor> run_all(const collectives::GpuSets& gpu_sets,
                                                               const Continues& continues);
  /// The same by one rank of each class; null: too few are alike, or turned out to be.
  [[nodiscard]] std::unique_ptr<collectives::Executor> run_like_ranks(const Continues& continues);
  [[nodiscard]] ZeroLoadNetwork::DelayOf delay_of();
  [[nodiscard]] ZeroLoad best_message(ConnectionId connection, Bytes size);
  /// How the parts of a connection's messages travel: the journeys of its queue pairs, and for each
  /// the first of them that leaves by the same port.
  struct Split {
    std::vector<std::uint32_t> journeys;
    std::vector<std::uint32_t> leaves_with;
    auto operator<=>(const Split&) const = default;
  };
  /// Its number among all that differ.
  [[nodiscard]] std::uint32_t split_number(ConnectionId connection);
  [[nodiscard]] ZeroLoad split_message(ConnectionId connection, Bytes size);
  [[nodiscard]] ZeroLoad split_time(const Split& split, Bytes size) const;
  [[nodiscard]] Job capacity_of(std::uint32_t job);

  const Scenario& scenario_;
  const Fabric& fabric_;
  std::vector<const Routes*> tables_;
  const Routes& routes_;  ///< of the healthy fabric
  const collectives::Workload& workload_;
  ConnectionTransports transports_;
  std::uint32_t queue_pairs_;                  ///< of a connection at most
  std::map<Journey, std::uint32_t> journeys_;  ///< and their numbers
  std::vector<const Journey*> by_number_;
  std::vector<std::uint32_t> journey_of_;  ///< by connection and queue pair; kUnasked until asked
  std::unordered_map<Key, ZeroLoad, KeyHash> messages_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> travels_;  ///< and their numbers
  std::map<Split, std::uint32_t> splits_;                        ///< and their numbers
  std::vector<const Split*> split_by_number_;
  std::vector<std::uint32_t> split_of_;  ///< by connection; kUnasked until asked
  std::unordered_map<Key, ZeroLoad, KeyHash> split_messages_;  ///< by number of the split
};

}  // namespace weft::scenarios
