#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/facts/description.hpp"
#include "tools/import/facts/server.hpp"
#include "tools/import/facts/switch_settings.hpp"
#include "tools/import/server/host_path.hpp"
#include "tools/import/source/remark.hpp"

/// One cluster, joined from what all files say of it.
namespace weft::import {

/// What no file says and the user may.
struct JoinOptions {
  std::optional<std::string> server;          ///< part of all servers
  std::optional<std::string> switch_part;     ///< part of all switches
  std::optional<BitsPerSecond> rate;          ///< of cables that nothing says a rate of
  std::optional<std::string> load_balancing;  ///< as `fabric.load_balancing` takes it
  std::vector<std::string> servers;  ///< names of servers; `gpu*` stands for all that begin so
  std::vector<std::string> without;  ///< devices, ports and NICs of other networks (leave_out.hpp)
};

/// A value of a cluster, and in words where it is from.
template <class T>
struct Taken {
  T value{};
  std::string from;  ///< `netbox.csv:2`, or `assumed: ...`
};

struct ClusterNic {
  std::string name;                      ///< `mlx5_5`, or its interface where that is all
  std::optional<std::string> interface;  ///< `enp168s0np0`
  std::optional<Stated<BitsPerSecond>> rate;
  std::optional<Stated<BitsPerSecond>> degraded;  ///< what its slot leaves of it
};

struct ClusterServer {
  std::string name;
  std::vector<ClusterNic> nics{};
  Taken<std::string> part{};  ///< of the catalogue; empty: `gpus` and `nics` say what it is
  std::uint32_t gpus = 0;
  std::optional<std::string> nic_part{};
  /// Of the slot of each NIC, where that is less than the NIC's rate.
  std::optional<Stated<BitsPerSecond>> pcie{};
  HostPaths host_paths{};  ///< where GPU and NIC do not meet in a PCIe switch
  bool has_file = false;   ///< itself, not one that is like it
};

struct ClusterSwitch {
  std::string name;
  std::optional<std::uint32_t> tier;
  std::optional<std::string> part;
  const SwitchSettings* settings = nullptr;  ///< of the description
};

/// An end of a cable: a NIC of a server, or a switch.
struct ClusterEnd {
  bool is_server = false;
  std::size_t device = 0;  ///< index into servers or switches
  std::size_t nic = 0;     ///< of a server
  std::string port;        ///< as the files have it
};

struct ClusterCable {
  ClusterEnd a;  ///< the server, where there is one
  ClusterEnd b;
  std::optional<Taken<BitsPerSecond>> rate{};
  std::optional<Taken<Millimetres>> length{};
  std::optional<Taken<std::string>> medium{};
  std::optional<Stated<BitsPerSecond>> degraded{};  ///< it runs at this rate
  std::string from{};                               ///< places that name it
};

struct Cluster {
  std::vector<ClusterServer> servers;  ///< in natural order
  std::vector<ClusterSwitch> switches;
  std::vector<ClusterCable> cables;
  bool is_infiniband = false;
  std::vector<std::string> excluded;     ///< devices that the user left out
  std::vector<std::string> assumptions;  ///< what stands in for what no file says
};

/// Joins what files say. What they contradict each other in, and what looks wrong in the cabling,
/// is added to the remarks of the description; where one of them is an error, the cluster is not to
/// be used. Does not depend on the order of the files.
[[nodiscard]] Cluster join(Description& description, const JoinOptions& options);

}  // namespace weft::import
