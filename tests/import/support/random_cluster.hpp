#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Clusters as they stand in data centres, drawn by a seed and written down in every form that
/// operators have. Shares nothing with the readers.
namespace weft::drawn {

struct WrittenFile {
  std::string name;
  std::string text;
};

struct RandomCluster {
  struct Nic {
    std::string device;     ///< mlx5_0
    std::string interface;  ///< enp24s0np0
    std::uint32_t bus = 0;
  };
  struct Server {
    std::string name;
    std::vector<Nic> nics;
  };
  struct Port {
    std::string name;
    std::string alias;
  };
  struct Switch {
    std::string name;
    std::uint32_t tier = 1;
    std::vector<Port> ports;
    std::size_t used = 0;
  };
  /// From a NIC or a switch port up to a switch port.
  struct Cable {
    bool from_server = false;
    std::size_t from = 0;
    std::size_t from_port = 0;
    std::size_t to = 0;
    std::size_t to_port = 0;
    std::uint32_t metres = 3;
  };
  std::vector<Server> servers;
  std::vector<Switch> switches;
  std::vector<Cable> cables;
  std::uint32_t gigabits = 400;
  std::uint32_t gpus = 8;  ///< per server
  bool is_sonic = true;    ///< all switches; else leaves and spines are of two other vendors

  explicit RandomCluster(std::uint64_t seed);

  /// Every cable as `server/mlx5_0 - leaf` or `leaf - spine`, sorted.
  [[nodiscard]] std::vector<std::string> cable_names() const;

  [[nodiscard]] WrittenFile netbox() const;
  [[nodiscard]] WrittenFile generic_csv() const;
  [[nodiscard]] WrittenFile dot() const;
  [[nodiscard]] WrittenFile air() const;
  [[nodiscard]] WrittenFile ibnetdiscover() const;
  [[nodiscard]] WrittenFile iblinkinfo() const;
  [[nodiscard]] WrittenFile slurm() const;
  [[nodiscard]] std::vector<WrittenFile> lldp_of_hosts() const;
  [[nodiscard]] std::vector<WrittenFile> lldp_of_switches() const;  ///< needs SONiC, as the next
  [[nodiscard]] std::vector<WrittenFile> config_dbs() const;
  [[nodiscard]] std::vector<WrittenFile> nccl_xml() const;
  [[nodiscard]] WrittenFile topo_m() const;

 private:
  void draw_names(std::uint64_t seed);
  void cable_up(std::uint64_t seed);
  [[nodiscard]] std::pair<std::string, std::string> end_of(const Cable& cable, bool upper) const;
};

}  // namespace weft::drawn
