#include "tools/import/cluster/join_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/cluster/server_parts.hpp"
#include "tools/import/names/odd_servers.hpp"
#include "tools/import/parse/reading.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {
namespace {

using Files = std::map<std::string, const Server*, NaturalOrder>;

/// Which of two files of a server says more. NCCL's XML has rates; a table of `nvidia-smi topo -m`
/// has NVLinks, and hwloc's XML has neither.
bool says_more(const Server& a, const Server& b) {
  const auto key = [](const Server& server) {
    const bool has_rates =
        std::ranges::any_of(server.nics, [](const ServerNic& nic) { return nic.rate.has_value(); });
    const bool has_nvlinks =
        std::ranges::any_of(server.gpus, [](const ServerGpu& gpu) { return gpu.nvlinks > 0; });
    return std::pair(has_rates, has_nvlinks);
  };
  if (key(a) != key(b)) return key(a) > key(b);
  return a.where.file < b.where.file;
}

/// What another file says of the same NICs: hwloc's names their interfaces, NCCL's their buses.
void complete(Server& server, const Server& other) {
  for (ServerNic& nic : server.nics) {
    const auto same = std::ranges::find(other.nics, nic.name, &ServerNic::name);
    if (same == other.nics.end()) continue;
    if (!nic.interface) nic.interface = same->interface;
    if (!nic.bus_id) nic.bus_id = same->bus_id;
  }
}

/// By server: the file that describes it, which itself or by its name says so.
Files files_by_server(Description& description, const std::set<std::string, NaturalOrder>& names) {
  std::map<std::string, std::vector<Server*>, NaturalOrder> all;
  for (Server& server : description.servers) {
    const std::string* host =
        server.host ? name_in_any_case(names, *server.host) : named_after(server.where.file, names);
    if (host != nullptr) all[*host].push_back(&server);
  }
  Files files;
  for (auto& [host, servers] : all) {
    std::ranges::sort(servers, [](const Server* a, const Server* b) { return says_more(*a, *b); });
    Server& first = *servers.front();
    for (const Server* const other : servers) {
      if (other->gpus.size() != first.gpus.size()) {
        add_error(description.remarks, other->where,
                  fmt::format("{} has {} GPUs here and {} in {}", escaped(host), other->gpus.size(),
                              first.gpus.size(), short_place(first.where)));
      }
      complete(first, *other);
    }
    files.emplace(host, &first);
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

constexpr const char* kNotMatched = "not at all";
constexpr const char* kInOrder = "in their order";

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
    if (free.size() != after_buses.size()) return kNotMatched;
    std::size_t next = 0;
    for (const std::string& port : after_buses) free[next++]->interface = port;
    return kInOrder;
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
    check_order(servers);
    odd_.say(description_.remarks);
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
    if (how == kNotMatched) {
      odd_.add(name, file, cabled_rates(name, cabling->second));
    } else if (how == kInOrder) {
      in_order_.push_back(name);
    } else if (!how.empty()) {
      ++matched_[how];
    }
    return server;
  }

  /// By port of a server: what its cable is said to run at; 0: nothing is said.
  static std::map<std::string, BitsPerSecond> cabled_rates(const std::string& name,
                                                           const Cabling& cabling) {
    std::map<std::string, BitsPerSecond> rates;
    for (const JoinedCable* const cable : cabling.cables) {
      const auto& rate = cable->said.front()->rate;
      rates[cable->a.device == name ? cable->a.port : cable->b.port] =
          rate ? rate->value : BitsPerSecond();
    }
    return rates;
  }

  /// An order is a guess, and on it depends which cable a slow NIC is on.
  void check_order(const std::vector<ClusterServer>& servers) {
    if (in_order_.empty()) return;
    const std::string& name = in_order_.front();
    const auto server = std::ranges::find(servers, name, &ClusterServer::name);
    const Cabling& cabling = cabling_.at(name);
    const bool has_buses = std::ranges::all_of(
        cabling.ports, [](const std::string& port) { return bus_of_interface(port).has_value(); });
    std::vector<std::string> pairs;
    for (const ClusterNic& nic : server->nics) {
      if (nic.interface && *nic.interface != nic.name) {
        pairs.push_back(escaped(nic.name) + " is " + escaped(*nic.interface));
      }
    }
    add_warning(
        description_.remarks, cabling.cables.front()->said.front()->where,
        fmt::format("no file says which interface is which NIC: those of {} are taken in their "
                    "order ({}: {}). On it depends which cable a slow NIC is on. `lstopo --of xml "
                    "--whole-io` of a server settles it{}, as do NICs such as {} in the list of "
                    "cables",
                    counted(in_order_.size(), "server"), escaped(name), listing(pairs),
                    has_buses ? ", or NCCL's topology XML" : "",
                    escaped(server->nics.front().name)));
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
  std::vector<std::string> in_order_;
  OddServers odd_;
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
