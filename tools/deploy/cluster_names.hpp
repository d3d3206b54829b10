#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/fabric/fabric.hpp"

/// What a fabric gives back to be deployed: files for schedulers, libraries and switches.
namespace weft::deploy {

/// The servers of a fabric, by HostId: hosts called `SERVER/NIC` are of that server; else those of
/// a scale-up domain are one, and any other host is one by itself.
class ServerNames {
 public:
  explicit ServerNames(const Fabric& fabric);

  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }
  [[nodiscard]] std::size_t of(HostId host) const { return server_of_[host.value()]; }
  [[nodiscard]] const std::vector<std::vector<HostId>>& hosts() const { return hosts_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::size_t> server_of_;
  std::vector<std::vector<HostId>> hosts_;
};

/// Names as Slurm lists them, such as `gpu[01-02,07],login`.
[[nodiscard]] std::string hostlist(std::vector<std::string> names);

}  // namespace weft::deploy
