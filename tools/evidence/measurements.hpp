#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
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
  std::uint32_t ranks = 0;                ///< 0: not said
  std::vector<std::string> hosts;         ///< in the order of ranks, each once; empty: not said
  std::vector<std::uint32_t> rank_hosts;  ///< by rank: index into `hosts`; empty: not said
  std::string gpu;                        ///< `NVIDIA H100 80GB HBM3`; empty: not said
  std::string nccl_version;               ///< `2.27.5`; empty: not said
};

/// One curve: a collective over sizes.
struct Series {
  std::string operation;  ///< weft's name: `all-reduce`, `all-gather`, `send-recv` ...
  std::string type;       ///< `float`, `half`, `int8` ...
  std::string reduction;  ///< `sum`; empty: none
  std::optional<std::int32_t> root;
  bool in_place = false;
  bool is_upper_bound = false;  ///< of one rank alone: its times hold what it waited for others
  MeasuredOn on;
  std::vector<MeasuredTime> times;  ///< ascending sizes, each once
  SourceLocation where{};
};

/// One value between two servers, or two NICs of them.
struct PairValue {
  std::string from;
  std::string to;
  double gigabytes_per_second = 0;  ///< 10^9 bytes per second, one direction
  SourceLocation where{};
};

/// What was measured between pairs: a matrix, or a single run of perftest.
struct PairSeries {
  /// `write-bw` of perftest, or a collective on two servers, whose values are bus bandwidths.
  std::string operation;
  std::int64_t bytes = 0;          ///< 0: not said
  std::optional<std::string> nic;  ///< `mlx5_5` of both ends; none: all NICs, or not said
  std::optional<std::uint32_t> rail;
  std::uint32_t queue_pairs = 0;  ///< 0: not said
  std::optional<bool> gpu_memory;
  std::vector<PairValue> values;
  SourceLocation where{};
};

/// What NCCL chose for a call.
struct Choice {
  std::string operation;
  std::int64_t bytes = 0;      ///< nccl-tests' size
  std::string algorithm;       ///< `ring`, `tree`, `nvls`, `nvls-tree`, `collnet-direct` ...
  std::string protocol;        ///< `ll`, `ll128`, `simple`
  std::uint32_t channels = 0;  ///< 0: not said
  SourceLocation where{};
};

/// What NCCL says of itself in its log, of one communicator.
struct NcclLog {
  MeasuredOn on;
  std::uint32_t nodes = 0;
  std::uint32_t channels = 0;  ///< of collectives; 0: not said
  std::uint32_t p2p_channels = 0;
  std::uint32_t p2p_channels_per_peer = 0;
  std::set<std::string> nics;   ///< used, by name; empty: not said
  std::optional<bool> sockets;  ///< it uses TCP, not RDMA
  std::optional<bool> gpu_direct;
  std::string worst_path;  ///< of `Pattern ... type NVL/PIX`: `PIX`, `SYS` ...; empty: not said
  std::optional<bool> nvls;
  std::vector<Choice> choices;
  std::vector<std::pair<std::string, std::string>> environment;
  SourceLocation where{};
};

/// A call as one rank saw it, of a trace or a log of calls.
struct Call {
  std::string group;  ///< by which calls of several ranks are joined
  std::string operation;
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0;  ///< nccl-tests' size; 0: the group's ranks are not known
  std::optional<double> time_us;
  std::optional<double> begin_us;  ///< on the clock of its rank
  std::uint32_t group_ranks = 0;   ///< 0: not said
  SourceLocation where{};
};

/// All calls of one rank.
struct RankCalls {
  std::uint32_t rank = 0;
  std::optional<std::string> host;
  std::string source;  ///< `NCCL Inspector`, `flight recorder`, `Kineto`
  std::vector<Call> calls;
  SourceLocation where{};
};

/// A counter of a NIC or a switch port.
struct Counter {
  std::string device;
  std::string port;
  std::string name;  ///< as the tool prints it
  std::uint64_t value = 0;
  SourceLocation where{};
};

/// How a NIC's port finds the priority of a packet, and which priorities have PFC.
struct NicQos {
  std::string host;
  std::string interface;
  std::string trust;                                  ///< `dscp` or `pcp`
  std::set<std::uint32_t> pfc;                        ///< priorities
  std::map<std::uint64_t, std::uint32_t> priorities;  ///< by DSCP; empty: not said
  SourceLocation where{};
};

/// What the files of a measurement say.
struct Measurements {
  std::vector<Series> series;
  std::vector<PairSeries> pairs;
  std::vector<NcclLog> nccl_logs;
  std::vector<RankCalls> calls;
  std::vector<Counter> counters;
  std::vector<NicQos> nic_qos;
  std::vector<std::string> recognised;  ///< as in import::Description
  Remarks remarks;
};

}  // namespace weft::evidence
