#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "scenarios/build/experiment.hpp"
#include "scenarios/run/run_mode.hpp"
#include "scenarios/zero_load/zero_load_times.hpp"
#include "simcore/fabric/spray.hpp"
#include "simcore/fluid/fluid_network.hpp"

namespace weft::scenarios {

/// A scenario as the fluid engine sees it.
///
/// - A queue pair takes the path that the packet engine's hashes choose. Sprayed, its bytes spread
///   evenly over all next hops: the ports that share them are one bundle, whose rate is what the
///   even spread leaves of them (bundles that overlap are joined, and the scarcest port decides).
/// - Data count with their headers. ACKs take a fixed share of each link: of all bytes that a job
///   sends over it, those that are ACKs; the job with the most of them decides.
/// - A message takes its exact zero-load time if nothing contends: what is not its bytes on the
///   slowest link (latencies, store and forward) passes before they flow.
/// - A window that is too small for the path limits the rate of its queue pair, a NIC's receive
///   rate the link to it.
/// - Faults of links change what they offer. A link that is down offers nothing: flows wait for it,
///   and lose nothing, since a fluid knows no time-outs.
/// - Where one job runs alone, the others have no part in any of that.
class FluidModel {
 public:
  /// All must outlive it, and it must outlive its plan.
  FluidModel(const Experiment& experiment, const RunMode& mode, ZeroLoadTimes& ideals);

  [[nodiscard]] FluidNetwork::Plan plan();
  /// The key of the queue pair's packets in the packet engine.
  [[nodiscard]] std::uint32_t entropy_of(ConnectionId connection, std::uint32_t queue_pair) const;
  /// Wire bytes of the ACKs of a message.
  [[nodiscard]] std::int64_t ack_bytes(ConnectionId connection, Bytes message) const;
  /// Adds `data` that a queue pair sent, and `acks` that came back, to the bytes of the ports.
  void add_port_bytes(ConnectionId connection, std::uint32_t queue_pair, double data, double acks,
                      std::vector<double>& by_port) const;

 private:
  struct Key {
    std::uint64_t queue_pair;
    std::int64_t size;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Ends {
    HostId source;
    HostId destination;
    std::uint32_t number;  ///< of the queue pair, as the hashes take it
    QueuePairUse use;
    bool is_spread;   ///< its packets take all paths
    bool keeps_port;  ///< from one port of its NIC
  };

  [[nodiscard]] Ends ends(ConnectionId connection, std::uint32_t queue_pair) const;
  /// Ports of one direction with the share of bytes that each carries.
  [[nodiscard]] std::vector<std::vector<PortShare>> steps(const Ends& ends, bool is_reverse) const;
  [[nodiscard]] std::vector<std::uint32_t> links(const Ends& ends, bool is_reverse) const;
  [[nodiscard]] FluidTransfer transfer(ConnectionId connection, std::uint32_t queue_pair,
                                       Bytes message);
  [[nodiscard]] Picoseconds part_delay(ConnectionId connection, std::uint32_t queue_pair,
                                       Bytes whole) const;
  [[nodiscard]] std::uint32_t queue_pairs_of(ConnectionId connection) const;
  /// Of the jobs that run.
  template <class Visit>
  void for_each_queue_pair(Visit visit) const;

  void bundle_ports();
  void share_ports();
  void make_room_for_acks();
  /// What a link offers to data while its ports have these rates.
  [[nodiscard]] BitsPerSecond capacity_of(std::uint32_t link) const;
  void file_faults();
  void add_job_bytes(std::uint32_t job, std::vector<double>& data, std::vector<double>& acks) const;
  void limit_by_windows();
  [[nodiscard]] BitsPerSecond window_rate(const ZeroLoadTimes::Paths& paths, const Framing& framing,
                                          BitsPerSecond line);

  const Experiment& experiment_;
  const RunMode& mode_;
  ZeroLoadTimes& ideals_;
  ConnectionTransports transports_;
  std::vector<PortId> owners_;                 ///< Fabric::link_owners
  std::uint32_t queue_pairs_ = 1;              ///< of a connection that does not say
  std::uint32_t max_queue_pairs_ = 1;          ///< of a connection
  bool spreads_ = false;                       ///< packets of some connections take several paths
  std::vector<BitsPerSecond> rates_;           ///< by port, as faults change them
  std::vector<double> shares_;                 ///< by port: the most of a message that crosses it
  std::vector<std::uint32_t> link_of_port_;    ///< the first port of its bundle
  std::vector<std::vector<PortId>> ports_of_;  ///< by link: those that data cross
  std::vector<double> data_part_;              ///< by link: what ACKs leave of it
  std::vector<BitsPerSecond> capacities_;      ///< by link
  std::vector<FluidNetwork::CapacityChange> changes_;
  /// For each queue pair the link that stands for its window, if the window binds.
  std::vector<std::uint32_t> limit_of_pair_;
  std::map<std::tuple<Picoseconds, Picoseconds, BitsPerSecond, std::size_t, std::uint32_t, Bytes>,
           BitsPerSecond>
      window_rates_;
  std::unordered_map<Key, FluidTransfer, KeyHash> transfers_;
};

}  // namespace weft::scenarios
