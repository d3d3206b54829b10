#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/import/source/remark.hpp"

namespace weft::import {

/// What lies between a GPU and a NIC, nearest first, in the words of `nvidia-smi topo -m`.
enum class PciePath : std::uint8_t { kPix, kPxb, kPhb, kNode, kSys };

/// The link between a PCIe switch at the root complex and that: what is below shares it.
struct PcieTrunk {
  std::uint32_t number = 0;                   ///< of a server
  std::optional<Stated<BitsPerSecond>> rate;  ///< payload per direction
};

struct ServerNic {
  std::string name;                           ///< `mlx5_0`
  std::optional<std::string> interface;       ///< `enp24s0np0`
  std::optional<Stated<BitsPerSecond>> rate;  ///< of its port
  std::optional<Stated<BitsPerSecond>>
      pcie;  ///< of its slot as it was trained, payload per direction
  std::optional<Stated<BitsPerSecond>> full_pcie;  ///< of the slot of its likes, where that is more
  std::optional<std::string> bus_id;
  std::optional<std::string>
      part;  ///< of the catalogue, such as `connectx-7`, from vendor and device
  std::optional<bool> is_infiniband;
  std::optional<std::uint64_t> guid;
  std::optional<bool> gpu_direct;
  std::optional<PcieTrunk> trunk{};
  SourceLocation where{};
};

struct ServerGpu {
  std::optional<std::uint32_t> compute_capability;  ///< 90 of an H100
  std::optional<std::string> bus_id;
  std::optional<Stated<BitsPerSecond>> pcie;
  std::uint32_t nvlinks = 0;
  std::map<std::size_t, PciePath> nics;  ///< by index into Server::nics
  std::optional<bool> gpu_direct;
  SourceLocation where{};
};

/// One server, or one image of servers that are alike.
struct Server {
  std::optional<std::string> host;  ///< that the file itself names
  std::vector<ServerGpu> gpus;
  std::vector<ServerNic> nics;
  /// 0 with NVLinks: GPUs are joined directly. 1 also where a file shows only that there are some.
  std::uint32_t nvswitches = 0;
  std::uint32_t sockets = 0;
  std::optional<Stated<BitsPerSecond>> socket_link{};  ///< between sockets, per direction
  bool is_multi_node_domain = false;                   ///< NVLink joins it with other servers
  SourceLocation where{};
};

}  // namespace weft::import
