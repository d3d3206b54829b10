#include "tools/import/cluster/join_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/cluster/server_parts.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

using Files = std::map<std::string, const Server*, NaturalOrder>;

/// By server: the file that describes it, which itself or by its name says so.
Files files_by_server(Description& description, const std::set<std::string, NaturalOrder>& names) {
  Files files;
  for (const Server& server : description.servers) {
    const std::string* host = nullptr;
    if (server.host) {
      host = name_in_any_case(names, *server.host);
    } else {
      host = named_after(server.where.file, names);
    }
    if (host == nullptr) continue;
    const auto [known, is_new] = files.emplace(*host, &server);
    if (is_new) continue;
    // NCCL's XML has rates; a table of `nvidia-smi topo -m` beside it adds nothing.
    const auto has_rates = [](const Server& s) {
      return std::ranges::any_of(s.nics, [](const ServerNic& nic) { return nic.rate.has_value(); });
    };
    if (known->second->gpus.size() != server.gpus.size()) {
      add_error(description.remarks, server.where,
                fmt::format("{} has {} GPUs here and {} in {}", escaped(*host), server.gpus.size(),
                            known->second->gpus.size(), short_place(known->second->where)));
    }
    if (!has_rates(*known->second) && has_rates(server)) known->second = &server;
  }
  return files;
}

/// What is cabled to a server.
struct Cabling {
  std::set<std::string, NaturalOrder> ports;
  std::vector<const JoinedCable*> cables;
};

std::map<std::string, Cabling> cabling_by_server(const DeviceKinds& kinds,
                                                 const std::vector<JoinedCable>& cables) {
  std::map<std::string, Cabling> cabling;
  for (const JoinedCable& cable : cables) {
    for (const PortName& end : {cable.a, cable.b}) {
      if (!kinds.is_server(end.device)) continue;
      cabling[end.device].ports.insert(end.port);
      cabling[end.device].cables.push_back(&cable);
    }
  }
  return cabling;
}

ClusterNic cluster_nic(const ServerNic& nic, bool is_own) {
  ClusterNic made{.name = nic.name, .interface = nic.interface, .rate = nic.rate, .degraded = {}};
  const bool is_clipped =
      nic.full_pcie && nic.pcie && (!nic.rate || nic.pcie->value < nic.rate->value);
  if (is_own && is_clipped) made.degraded = nic.pcie;
  return made;
}

/// What the narrowest slot carries, if no NIC of the server has one that keeps up with it. A slot
/// that was trained with less than those of its likes is a fault.
std::optional<Stated<BitsPerSecond>> slower_slots(const Server& file) {
  std::optional<Stated<BitsPerSecond>> slowest;
  for (const ServerNic& nic : file.nics) {
    const auto& full = nic.full_pcie ? nic.full_pcie : nic.pcie;
    if (!full || !nic.rate || full->value >= nic.rate->value) return std::nullopt;
    if (!slowest || full->value < slowest->value) slowest = full;
  }
  return slowest;
}

/// Gives NICs that a file names the interfaces that cables name: by PCI bus, else in their order.
class InterfaceMatcher {
 public:
  InterfaceMatcher(ClusterServer& server, const Server& file,
                   const std::set<std::string, NaturalOrder>& ports)
      : server_(server), file_(file), ports_(ports) {}

  /// How the interfaces were found; empty: by what files say.
  std::string match() {
    std::set<std::string, NaturalOrder> left;
    for (const std::string& port : ports_) {
      if (!nic_at(server_, port)) left.insert(port);
    }
    if (left.empty()) return {};
    std::set<std::string, NaturalOrder> after_buses = left;
    for (const std::string& port : left) {
      if (take_by_bus(port)) after_buses.erase(port);
    }
    if (after_buses.empty()) return "by their PCI bus";
    std::vector<ClusterNic*> free;
    for (ClusterNic& nic : server_.nics) {
      if (!nic.interface && !ports_.contains(nic.name)) free.push_back(&nic);
    }
    if (free.size() != after_buses.size()) return "not at all";
    std::size_t next = 0;
    for (const std::string& port : after_buses) free[next++]->interface = port;
    return "in their order";
  }

 private:
  bool take_by_bus(const std::string& port) {
    const auto bus = bus_of_interface(port);
    if (!bus) return false;
    ClusterNic* only = nullptr;
    for (std::size_t i = 0; i < file_.nics.size(); ++i) {
      if (!file_.nics[i].bus_id || bus_of_address(*file_.nics[i].bus_id) != bus) continue;
      if (only != nullptr) return false;
      only = &server_.nics[i];
    }
    if (only == nullptr || only->interface) return false;
    only->interface = port;
    return true;
  }

  ClusterServer& server_;
  const Server& file_;
  const std::set<std::string, NaturalOrder>& ports_;
};

class ServerJoiner {
 public:
  ServerJoiner(Description& description, const DeviceKinds& kinds,
               const std::vector<JoinedCable>& cables, const JoinOptions& options,
               std::vector<std::string>& assumptions)
      : description_(description),
        kinds_(kinds),
        options_(options),
        assumptions_(assumptions),
        files_(files_by_server(description, kinds.servers())),
        cabling_(cabling_by_server(kinds, cables)) {
    for (const SwitchSettings& settings : description.switches) {
      if (settings.name) settings_.emplace(*settings.name, &settings);
    }
  }

  std::vector<ClusterServer> join() {
    const Server* twin = files_.empty() ? first_unnamed() : files_.begin()->second;
    std::vector<ClusterServer> servers;
    for (const std::string& name : kinds_.servers()) {
      if (!cabling_.contains(name) && !files_.contains(name)) continue;
      const auto own = files_.find(name);
      const Server* file = own == files_.end() ? twin : own->second;
      servers.push_back(file != nullptr ? by_file(name, *file, own != files_.end())
                                        : by_ports(name));
      if (own == files_.end() && twin != nullptr) like_twin_.push_back(name);
    }
    if (!like_twin_.empty()) {
      assumptions_.push_back(
          fmt::format("{} of {} servers have no file of their own: taken to be as {} says",
                      like_twin_.size(), servers.size(), short_place(twin->where)));
    }
    for (const auto& [how, names] : matched_) {
      assumptions_.push_back(
          fmt::format("NICs of {} servers were given their interfaces {}", names, how));
    }
    return servers;
  }

 private:
  [[nodiscard]] const Server* first_unnamed() const {
    const Server* first = nullptr;
    for (const Server& server : description_.servers) {
      if (first == nullptr || server.where.file < first->where.file) first = &server;
    }
    return first;
  }

  ClusterServer by_file(const std::string& name, const Server& file, bool is_own) {
    ClusterServer server{
        .name = name, .gpus = static_cast<std::uint32_t>(file.gpus.size()), .has_file = is_own};
    for (const ServerNic& nic : file.nics) {
      server.nics.push_back(cluster_nic(nic, is_own));
      if (nic.part) server.nic_part = nic.part;
    }
    server.pcie = slower_slots(file);
    server.host_paths = host_paths(file);
    choose_part_of(server, file);
    const auto cabling = cabling_.find(name);
    if (cabling == cabling_.end()) return server;
    const std::set<std::string, NaturalOrder>& ports = cabling->second.ports;
    const std::string how = InterfaceMatcher(server, file, ports).match();
    if (how == "not at all") {
      add_error(description_.remarks, file.where,
                fmt::format("{} has {} NICs here; the cables name {} ports of it", escaped(name),
                            server.nics.size(), ports.size()));
    } else if (!how.empty()) {
      ++matched_[how];
    }
    return server;
  }

  ClusterServer by_ports(const std::string& name) {
    ClusterServer server{.name = name};
    for (const std::string& port : cabling_.at(name).ports)
      server.nics.push_back({port, port, {}, {}});
    const std::optional<BitsPerSecond> rate = common_rate(name);
    std::string part(likely_part(server.nics.size(), rate));
    if (part.empty()) {
      choose_part(server, {}, {});
      if (rate) server.nic_part = std::string(nic_of_rate(*rate));
      return server;
    }
    choose_part(server, part,
                fmt::format("assumed: it has {} NICs of {} Gb/s, and no file says its GPUs",
                            server.nics.size(), rate->count() / 1'000'000'000));
    server.gpus = gpus_of(server.part.value);
    return server;
  }

  void choose_part_of(ClusterServer& server, const Server& file) const {
    std::string part(part_of(file));
    std::string from = short_place(file.where);
    if (part.empty()) {
      const std::optional<BitsPerSecond> rate = common_rate(server.name);
      part = likely_part(file, rate);
      if (!part.empty()) {
        from = fmt::format(
            "assumed: {} GPUs with {} NVLinks each{}, and no file says their kind",
            file.gpus.size(), file.gpus.front().nvlinks,
            rate ? fmt::format(", NICs of {} Gb/s", rate->count() / 1'000'000'000) : std::string());
      }
    }
    choose_part(server, std::move(part), std::move(from));
  }

  void choose_part(ClusterServer& server, std::string part, std::string from) const {
    if (options_.server) {
      server.part = {*options_.server, "--server"};
      return;
    }
    server.part = {std::move(part), std::move(from)};
  }

  /// The fastest that its cables or the ports of its switches are said to be.
  [[nodiscard]] std::optional<BitsPerSecond> common_rate(const std::string& name) const {
    std::optional<BitsPerSecond> fastest = options_.rate;
    const auto take = [&fastest](const std::optional<Stated<BitsPerSecond>>& rate) {
      if (rate) fastest = std::max(fastest.value_or(rate->value), rate->value);
    };
    const auto cabling = cabling_.find(name);
    if (cabling == cabling_.end()) return fastest;
    for (const JoinedCable* cable : cabling->second.cables) {
      for (const Cable* said : cable->said) take(said->full_rate ? said->full_rate : said->rate);
      const PortName& peer = cable->a.device == name ? cable->b : cable->a;
      const auto settings = settings_.find(peer.device);
      if (settings == settings_.end()) continue;
      const auto port = settings->second->ports.find(peer.port);
      if (port != settings->second->ports.end()) take(port->second.rate);
    }
    return fastest;
  }

  Description& description_;
  const DeviceKinds& kinds_;
  const JoinOptions& options_;
  std::vector<std::string>& assumptions_;
  Files files_;
  std::map<std::string, Cabling> cabling_;
  std::map<std::string, const SwitchSettings*> settings_;
  std::vector<std::string> like_twin_;
  std::map<std::string, std::uint32_t> matched_;
};

}  // namespace

std::optional<std::size_t> nic_at(const ClusterServer& server, const std::string& port) {
  const auto found = std::ranges::find_if(server.nics, [&port](const ClusterNic& nic) {
    return nic.name == port || nic.interface == port;
  });
  if (found == server.nics.end()) return {};
  return static_cast<std::size_t>(found - server.nics.begin());
}

std::vector<ClusterServer> join_servers(Description& description, const DeviceKinds& kinds,
                                        const std::vector<JoinedCable>& cables,
                                        const JoinOptions& options,
                                        std::vector<std::string>& assumptions) {
  return ServerJoiner(description, kinds, cables, options, assumptions).join();
}

}  // namespace weft::import
