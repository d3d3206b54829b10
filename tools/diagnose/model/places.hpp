#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/ids.hpp"
#include "simcore/fabric/fabric.hpp"

/// What a search for culprits knows of a cluster: where a fault can be, and what a run loads.
namespace weft::diagnose {

enum class ResourceKind : std::uint8_t { kNic, kUplinks, kScaleUp };

/// What carries bytes and can be too slow. Loads are kept by its number.
struct Resource {
  ResourceKind kind = ResourceKind::kNic;
  std::string name{};    ///< `gpu03/mlx5_5`, `leaf01`; of scale-up: its server
  BitsPerSecond rate{};  ///< of all uplinks together
};

/// A NIC, or the part of a host where it leaves its server.
struct NicPlace {
  std::string name;
  std::string node;            ///< of the fabric: what a fault names
  std::uint32_t server = 0;    ///< number of its server
  std::uint32_t resource = 0;  ///< its load
  std::uint32_t leaf = 0;      ///< load of the uplinks of the switch that it is attached to
  BitsPerSecond rate;          ///< of all its ports
  NodeId leaf_node;
};

struct ServerPlace {
  std::string name;
  std::vector<std::uint32_t> hosts;  ///< HostIds, ascending: ranks in their order
  std::vector<std::uint32_t> nics;   ///< in the order of hosts and ports
  std::uint32_t scale_up = 0;        ///< load of its fast links
};

/// Servers, NICs and leaves, by the fabric alone. A host that is named SERVER/NIC is a NIC of that
/// server; other hosts belong to the server of their scale-up domain.
class Places {
 public:
  explicit Places(const Fabric& fabric);

  std::vector<Resource> resources;
  std::vector<ServerPlace> servers;
  std::vector<NicPlace> nics;
  std::vector<std::uint32_t> leaves;  ///< resources that are uplinks

  /// By port: the resource that its bytes load; nothing: they load none.
  [[nodiscard]] const std::vector<std::optional<std::uint32_t>>& of_port() const {
    return of_port_;
  }
  /// In whatever case; one of the very name comes first.
  [[nodiscard]] std::optional<std::uint32_t> server_named(std::string_view name) const;
  /// Where a NIC is whose name does not say it: `NIC 5 of server2`. Empty: it does, or it is none.
  [[nodiscard]] std::string whereabouts(std::string_view nic) const;
  /// The NIC of a server, by its name with or without the server's, or as the `rail`th of it.
  [[nodiscard]] std::optional<std::uint32_t> nic_of(std::uint32_t server, std::string_view name,
                                                    std::optional<std::uint32_t> rail) const;
  /// What is the same for two pairs whose packets find the same kind of path: per NIC, whether
  /// both ends are attached to one switch, or below a common one.
  [[nodiscard]] std::string relation(std::uint32_t a, std::uint32_t b) const;
  /// Whether packets between them pass an uplink.
  [[nodiscard]] bool crosses_uplinks(std::uint32_t a, std::uint32_t b) const;

 private:
  void add_servers(const Fabric& fabric);
  void add_nics(const Fabric& fabric);
  void add_nic(const Fabric& fabric, PortId port, const std::string& name, std::uint32_t server);
  void add_uplinks(const Fabric& fabric);
  [[nodiscard]] std::uint32_t uplinks_of(const Fabric& fabric, NodeId leaf);

  std::vector<std::optional<std::uint32_t>> of_port_;
  std::vector<std::optional<std::uint32_t>> of_leaf_;  // by node
  std::vector<std::vector<std::uint32_t>> above_;      // by leaf's resource: nodes above it
  std::vector<std::uint32_t> server_of_host_;
};

}  // namespace weft::diagnose
