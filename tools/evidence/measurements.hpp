#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/source/remark.hpp"

/// What was measured on a cluster: read from logs, checked against itself, compared with nothing
/// yet.
namespace weft::evidence {

using import::Remark;
using import::Remarks;

/// One size of a collective, out of place or in place.
struct MeasuredTime {
  std::int64_t bytes =
      0;  ///< nccl-tests' size: the larger of what a rank sends and receives in all
  double time_us = 0;
  SourceLocation where{};
};

/// Where a program ran, as far as its log says.
struct MeasuredOn {
  std::uint32_t ranks = 0;                  ///< 0: not said
  std::vector<std::string> hosts{};         ///< in the order of ranks, each once; empty: not said
  std::vector<std::uint32_t> rank_hosts{};  ///< by rank: index into `hosts`; empty: not said
  std::string gpu{};                        ///< `NVIDIA H100 80GB HBM3`; empty: not said
  std::string nccl_version{};               ///< `2.27.5`; empty: not said
};

/// One curve: a collective over sizes.
struct Series {
  std::string operation{};  ///< weft's name: `all-reduce`, `all-gather`, `send-recv` ...
  std::string type{};       ///< `float`, `half`, `int8` ...
  std::string reduction{};  ///< `sum`; empty: none
  std::optional<std::int32_t> root{};
  bool in_place = false;
  bool is_upper_bound = false;  ///< of one rank alone: its times hold what it waited for others
  std::uint32_t groups = 1;  ///< that ran it at the same time (NCCL_TESTS_SPLIT); ranks are of one
  MeasuredOn on{};
  std::vector<MeasuredTime> times{};  ///< ascending sizes, each once
  SourceLocation where{};
};

/// One value between two servers, or two NICs of them.
struct PairValue {
  std::string from{};  ///< both are empty where a single run of perftest does not say between whom
  std::string to{};
  double gigabytes_per_second = 0;  ///< 10^9 bytes per second, one direction
  SourceLocation where{};
};

/// What was measured between pairs: a matrix, or a single run of perftest.
struct PairSeries {
  /// `write-bw` of perftest, or a collective on two servers, whose values are bus bandwidths.
  std::string operation{};
  std::int64_t bytes = 0;            ///< 0: not said
  std::optional<std::string> nic{};  ///< `mlx5_5` of both ends; none: all NICs, or not said
  std::optional<std::uint32_t> rail{};
  std::uint32_t queue_pairs = 0;  ///< 0: not said
  std::optional<bool> gpu_memory{};
  std::uint32_t mtu = 0;  ///< payload of a packet, bytes; 0: not said
  std::vector<PairValue> values{};
  SourceLocation where{};
};

/// What NCCL chose for a call.
struct Choice {
  std::string operation{};
  std::int64_t bytes = 0;      ///< nccl-tests' size
  std::string algorithm{};     ///< `ring`, `tree`, `nvls`, `nvls-tree`, `collnet-direct` ...
  std::string protocol{};      ///< `ll`, `ll128`, `simple`
  std::uint32_t channels = 0;  ///< 0: not said
  SourceLocation where{};
};

/// A cell of NCCL's table of costs, by which it chooses: what it expects, not what was measured.
struct NcclCost {
  std::string operation{};
  std::string algorithm{};
  std::string protocol{};
  double latency_us = 0;
  double gigabytes_per_second = 0;  ///< of the algorithm; 0: it is not used
};

/// What a channel sends or receives by network.
struct ChannelNet {
  std::uint32_t channel = 0;
  std::uint32_t from = 0;  ///< rank
  std::uint32_t to = 0;
  bool is_send = false;
  std::string host{};                    ///< whose NIC it is
  std::string nic{};                     ///< by name; empty: its number stands in no line
  std::optional<std::uint32_t> proxy{};  ///< rank through which it is sent (PXN)
  bool is_gpu_direct = false;
  SourceLocation where{};
};

/// Neighbours of a rank in the ring of a channel.
struct RingNeighbours {
  std::uint32_t channel = 0;
  std::uint32_t before = 0;
  std::uint32_t rank = 0;
  std::uint32_t after = 0;
};

/// A process that the log shows.
struct NcclRank {
  std::uint32_t rank = 0;
  std::string host{};
  std::uint32_t device = 0;
};

/// What NCCL says of the network of one host.
struct HostNetwork {
  std::uint32_t direct = 0;      ///< channels' sends and receives with GPU-direct RDMA
  std::uint32_t through = 0;     ///< through host memory
  std::set<std::string> nics{};  ///< as in NcclLog
  std::optional<bool> sockets{};
  std::optional<bool> gpu_direct{};
  std::string worst_path{};
};

/// What NCCL says of itself in its log, of one communicator.
struct NcclLog {
  std::string id{};  ///< `commId`, before 2.16 `nranks 32`
  MeasuredOn on{};
  std::vector<NcclRank> seen{};  ///< ascending ranks; others have no line
  std::uint32_t nodes = 0;
  std::uint32_t channels = 0;  ///< of collectives; 0: not said
  std::uint32_t p2p_channels = 0;
  std::uint32_t p2p_channels_per_peer = 0;
  std::set<std::string> nics{};   ///< used, by name; empty: not said
  std::optional<bool> sockets{};  ///< it uses TCP, not RDMA
  std::optional<bool> gpu_direct{};
  std::string worst_path{};  ///< of `Pattern ... type NVL/PIX`: `PIX`, `SYS` ...; empty: not said
  std::optional<bool> nvls{};
  std::vector<std::vector<std::uint32_t>> rings{};  ///< by channel; as far as printed
  std::vector<RingNeighbours> neighbours{};
  std::vector<ChannelNet> nets{};
  std::map<std::string, HostNetwork> networks{};  ///< by host, of those whose lines are there
  std::vector<NcclCost> costs{};
  std::vector<Choice> choices{};
  std::vector<std::pair<std::string, std::string>> environment{};
  SourceLocation where{};
};

/// A call as one rank saw it, of a trace or a log of calls.
struct Call {
  std::string group{};  ///< by which calls of several ranks are joined
  std::string operation{};
  std::string type{};  ///< as in Series; empty: not said
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0;  ///< nccl-tests' size; 0: the group's ranks are not known
  std::optional<double> time_us{};
  std::optional<double> begin_us{};  ///< on the clock of its rank
  std::uint32_t group_ranks = 0;     ///< 0: not said
  /// Of a message alone: whom it is from and to.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> message{};
  bool is_finished = true;  ///< as far as its rank saw
  SourceLocation where{};
};

/// All calls of one rank.
struct RankCalls {
  std::uint32_t rank = 0;
  bool is_rank_known = true;  ///< else calls cannot be joined with those of others
  std::optional<std::string> host{};
  std::string source{};        ///< `NCCL Inspector`, `flight recorder`, `Kineto`, `NCCL log`
  std::string gpu{};           ///< empty: not said
  std::string nccl_version{};  ///< empty: not said
  double compute_us = 0;       ///< of kernels that are none of NCCL; 0: not said
  std::vector<Call> calls{};
  SourceLocation where{};
};

/// A counter of a NIC or a switch port.
struct Counter {
  std::string device{};
  std::string port{};
  std::string name{};  ///< as the tool prints it
  std::uint64_t value = 0;
  SourceLocation where{};
};

/// How a NIC's port finds the priority of a packet, and which priorities have PFC.
struct NicQos {
  std::string host{};
  std::string interface {};
  std::string trust{};                                  ///< `dscp` or `pcp`
  std::set<std::uint32_t> pfc{};                        ///< priorities
  std::map<std::uint64_t, std::uint32_t> priorities{};  ///< by DSCP; empty: not said
  SourceLocation where{};
};

/// What the files of a measurement say.
struct Measurements {
  std::vector<Series> series{};
  std::vector<PairSeries> pairs{};
  std::vector<NcclLog> nccl_logs{};
  std::vector<RankCalls> calls{};
  std::vector<Counter> counters{};
  std::vector<NicQos> nic_qos{};
  std::vector<std::string> recognised{};  ///< as in import::Description
  Remarks remarks{};
};

/// Adds what a file says: all of it, or nothing but remarks where one of them is an error.
void take(Measurements& measurements, Measurements&& of_file);

}  // namespace weft::evidence
