#include "topologies/assembly/servers.hpp"
#include "simcore/text/counted.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft::topologies {
namespace {

/// The GPUs that a NIC serves; of a server without GPUs the host that sends by it.
struct Served {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

Served served_by(const ServerPart& server, std::uint32_t nic) {
  if (server.gpus == 0) return {.first = nic, .count = 1};
  const auto gpu_at = [&](std::uint32_t n) {
    return static_cast<std::uint32_t>(std::uint64_t{n} * server.gpus / server.nics);
  };
  return {gpu_at(nic), std::max(1U, gpu_at(nic + 1) - gpu_at(nic))};
}

/// Of a server that has a name.
std::string host_name(const RackSpec& rack, const ServerNames& names, std::uint32_t host) {
  const ServerPart& server = rack.server;
  const bool is_a_nic = server.hosts() == server.nics && !has_nic_nodes(rack);
  const char* kind = server.gpus > 0 ? "/gpu" : "/host";
  return is_a_nic ? names.nic(host) : names.name + kind + std::to_string(host);
}

std::uint32_t links_to_switch(const ScaleUpPart& part, std::uint32_t switch_of_board) {
  return part.links_per_switch.size() == 1 ? part.links_per_switch.front()
                                           : part.links_per_switch[switch_of_board];
}

std::uint64_t scale_up_cables(const ServerPart& server) {
  if (!server.scale_up) return 0;
  const ScaleUpPart& part = *server.scale_up;
  const std::uint32_t switches = part.switches / part.boards;
  std::uint64_t links = 0;
  for (std::uint32_t i = 0; i < switches; ++i) links += links_to_switch(part, i);
  return saturating_sum(saturating_product(server.gpus, links),
                        saturating_product(std::uint64_t{part.boards - 1} * switches, part.trunks));
}

class Checker {
 public:
  void check(const RackSpec& rack, const std::string& key) {
    check_at_least_one(rack.count, key + ".count", errors);
    check_at_least_one(rack.servers, key + ".servers", errors);
    const ServerPart& server = rack.server;
    const std::string at = key + ".server";
    if (server.hosts() == 0) check_at_least_one(0, at + ".nics", errors);
    if (server.gpus == 0 && server.scale_up) {
      fail(at + ".scale_up", "joins GPUs; the server has none");
    }
    check_at_least_one(server.nic.ports, at + ".nic.ports", errors);
    check_not_negative(server.nic.receive_latency, at + ".nic.receive_latency", errors);
    check_not_negative(server.nic.transport_latency, at + ".nic.transport_latency", errors);
    check_not_negative(server.nic.send_latency, at + ".nic.send_latency", errors);
    check_not_negative(server.host_link.latency, at + ".host_link.latency", errors);
    if (server.host_link.rate) check_rate(*server.host_link.rate, at + ".host_link.rate");
    check_shared_link(server, at + ".host_link");
    if (server.rails > server.nics) {
      fail(at + ".rails", "is " + std::to_string(server.rails) + "; the server has " +
                              weft::counted(server.nics, "NIC"));
    }
    if (server.gpus > 0 && server.nics > 0 && server.gpus % server.nics != 0 &&
        server.nics % server.gpus != 0) {
      fail(at + ".nics", "is " + std::to_string(server.nics) + "; " + std::to_string(server.gpus) +
                             " GPUs need a number of NICs that divides theirs, or a multiple");
    }
    if (server.scale_up) check(*server.scale_up, server.gpus, at + ".scale_up");
  }

  Errors errors;

 private:
  void fail(std::string key, std::string message) {
    errors.push_back(error_at(std::move(key), std::move(message)));
  }
  void check_shared_link(const ServerPart& server, const std::string& key) {
    const HostLinkPart& link = server.host_link;
    if (link.is_shared() && !link.rate) {
      fail(key + ".rate", "is missing; a link that is shared needs one");
    }
    if (link.shared_by > 0 && (server.nics == 0 || server.nics % link.shared_by != 0)) {
      fail(key + ".shared_by", "is " + std::to_string(link.shared_by) + "; the server has " +
                                   weft::counted(server.nics, "NIC"));
    }
    if (link.is_one_way() && server.gpus == 0) {
      fail(key + ".through", "is the root complex; the server has no GPUs");
    }
  }
  void check_rate(BitsPerSecond rate, const std::string& key) {
    if (rate.count() > 0) return;
    fail(key, "is " + std::to_string(rate.count()) + " bit/s; a rate above 0 is needed");
  }
  void check(const ScaleUpPart& part, std::uint32_t gpus, const std::string& key) {
    check_rate(part.rate, key + ".rate");
    check_not_negative(part.link_latency, key + ".link_latency", errors);
    check_not_negative(part.gpu_latency, key + ".gpu_latency", errors);
    check_not_negative(part.send_latency, key + ".send_latency", errors);
    check_not_negative(part.switch_latency, key + ".switch_latency", errors);
    check_at_least_one(part.switches, key + ".switches", errors);
    check_at_least_one(part.boards, key + ".boards", errors);
    if (part.boards == 0 || part.switches == 0) return;
    const auto splits = [&](std::uint32_t n, const char* one, const char* several,
                            const std::string& at) {
      if (n % part.boards == 0) return true;
      fail(at, weft::counted(n, one, several) + " cannot be split over " +
                   weft::counted(part.boards, "board"));
      return false;
    };
    if (!splits(gpus, "GPU", "GPUs", key + ".boards") ||
        !splits(part.switches, "switch", "switches", key + ".switches")) {
      return;
    }
    const std::uint32_t switches = part.switches / part.boards;
    const std::size_t given = part.links_per_switch.size();
    if (given != 1 && given != switches) {
      fail(key + ".links_per_switch", "has " + weft::counted(given, "number") + "; a board has " +
                                          weft::counted(switches, "switch", "switches") +
                                          ": one number for all, or one for each, is needed");
    }
    if (std::ranges::find(part.links_per_switch, 0U) != part.links_per_switch.end()) {
      fail(key + ".links_per_switch", "has a 0; every GPU has a link to every switch of its board");
    }
    if (part.boards > 1 && part.trunks == 0) {
      fail(key + ".trunks", "is 0; boards need trunks between their switches");
    }
  }
};

std::uint64_t sum_over(std::span<const RackSpec> racks, std::uint64_t (*of)(const RackSpec&)) {
  std::uint64_t sum = 0;
  for (const RackSpec& rack : racks) sum = saturating_sum(sum, of(rack));
  return sum;
}

std::uint64_t servers_of(const RackSpec& rack) {
  return saturating_product(rack.count, rack.servers);
}

/// Adds what racks bring, kind by kind.
class Adder {
 public:
  Adder(std::span<const RackSpec> racks, std::span<const ServerNames> names, Assembler& assembler)
      : assembler_(assembler) {
    std::uint32_t rack = 0;
    for (std::uint32_t group = 0; group < racks.size(); ++group) {
      const RackSpec& spec = racks[group];
      has_rails_ = has_rails_ || rails_of(spec.server) > 1;
      for (std::uint32_t i = 0; i < spec.count; ++i, ++rack) {
        for (std::uint32_t k = 0; k < spec.servers; ++k) {
          const std::size_t n = servers_.size();
          servers_.push_back({&spec, n < names.size() ? &names[n] : nullptr, group, rack});
        }
      }
    }
  }

  void add_hosts() {
    std::uint32_t index = 0;
    for (Server& server : servers_) {
      const ServerPart& part = server.spec->server;
      const bool is_gpu = part.gpus > 0;
      const bool is_nic = !is_gpu && !has_nic_nodes(*server.spec);
      if (part.scale_up) server.domain = assembler_.add_domain(server.group);
      for (std::uint32_t i = 0; i < part.hosts(); ++i, ++index) {
        const std::string name = server.names != nullptr
                                     ? host_name(*server.spec, *server.names, i)
                                     : (is_gpu ? "gpu" : "h") + std::to_string(index);
        const NodeId id = assembler_.add_host(name, static_cast<std::int32_t>(server.rack),
                                              is_nic ? part.nic.arrival_latency() : Picoseconds(0));
        if (i == 0) server.first_host = id;
        Node& node = assembler_.node(id);
        node.domain = server.domain;
        if (part.nics > 0 && has_rails_) {
          const auto nic = static_cast<std::uint32_t>(std::uint64_t{i} * part.nics / part.hosts());
          node.rail = static_cast<std::int32_t>(nic % rails_of(part));
        }
      }
    }
  }

  void add_scale_up_switches() {
    std::uint32_t index = 0;
    for (const Server& server : servers_) {
      const ServerPart& part = server.spec->server;
      if (!part.scale_up) continue;
      const ScaleUpPart& scale_up = *part.scale_up;
      std::vector<NodeId> switches;
      for (std::uint32_t i = 0; i < scale_up.switches; ++i) {
        const auto rack = static_cast<std::int32_t>(server.rack);
        const std::string name = server.names != nullptr
                                     ? server.names->name + "/switch" + std::to_string(i)
                                     : "chip" + std::to_string(index++);
        const NodeId id = assembler_.add_switch(name, 1, rack, scale_up.switch_latency);
        Node& node = assembler_.node(id);
        node.domain = server.domain;
        node.network = NetworkKind::kScaleUp;
        switches.push_back(id);
      }
      join(server, scale_up, switches);
    }
  }

  std::vector<Servers::NicPort> add_nics() {
    std::vector<Servers::NicPort> ports;
    std::uint32_t index = 0;
    for (std::uint32_t i = 0; i < servers_.size(); ++i) {
      const Server& server = servers_[i];
      const ServerPart& part = server.spec->server;
      const bool is_node = has_nic_nodes(*server.spec);
      for (std::uint32_t nic = 0; nic < part.nics; ++nic) {
        Servers::NicPort port{.rack = server.rack,
                              .server = i,
                              .rail = nic % rails_of(part),
                              .nic = nic,
                              .node = is_node ? add_nic(server, nic, index++) : holder(server, nic),
                              .spec = server.spec,
                              .sending = part.nic.send_latency,
                              .receiving = part.nic.arrival_latency()};
        if (!is_node) {
          port.sending += part.host_link.latency;
          // A host that is a NIC books its arrival latency as its pipeline.
          if (part.gpus == 0) port.receiving = Picoseconds(0);
          port.receiving += part.host_link.latency;
        }
        for (port.port = 0; port.port < part.nic.ports; ++port.port) ports.push_back(port);
      }
    }
    return ports;
  }

 private:
  struct Server {
    const RackSpec* spec;
    const ServerNames* names;  ///< null: they are numbered
    std::uint32_t group;       ///< of racks alike
    std::uint32_t rack;
    NodeId first_host{};
    std::int32_t domain = -1;
  };

  static NodeId nth(NodeId first, std::uint32_t n) { return NodeId(first.value() + n); }

  /// The host that a NIC is part of.
  static NodeId holder(const Server& server, std::uint32_t nic) {
    const ServerPart& part = server.spec->server;
    return nth(server.first_host, served_by(part, nic).first);
  }

  void join(const Server& server, const ScaleUpPart& part, const std::vector<NodeId>& switches) {
    const std::uint32_t gpus = server.spec->server.gpus / part.boards;
    const std::uint32_t per_board = part.switches / part.boards;
    const LinkSpec link{part.rate, part.link_latency};
    for (std::uint32_t i = 0; i < part.switches; ++i) {
      const std::uint32_t board = i / per_board;
      std::uint32_t ports = 0;
      const std::uint32_t links = links_to_switch(part, i % per_board);
      for (std::uint32_t gpu = board * gpus; gpu < (board + 1) * gpus; ++gpu) {
        for (std::uint32_t k = 0; k < links; ++k, ++ports) {
          assembler_.add_cable({.a = nth(server.first_host, gpu),
                                .b = switches[i],
                                .link = link,
                                .edge_from_a = part.send_latency,
                                .edge_from_b = part.gpu_latency});
        }
      }
      if (board > 0) ports += part.trunks;
      if (board + 1 < part.boards) {
        ports += part.trunks;
        for (std::uint32_t k = 0; k < part.trunks; ++k) {
          assembler_.add_cable({.a = switches[i], .b = switches[i + per_board], .link = link});
        }
      }
      assembler_.node(switches[i]).buffer = std::int64_t{ports} * part.port_buffer;
      assembler_.node(switches[i]).cell = 1_B;
    }
  }

  NodeId add_nic(const Server& server, std::uint32_t nic, std::uint32_t index) {
    const ServerPart& part = server.spec->server;
    const auto rack = static_cast<std::int32_t>(server.rack);
    const std::string name =
        server.names != nullptr ? server.names->nic(nic) : "nic" + std::to_string(index);
    const NodeId id = assembler_.add_switch(name, 1, rack, SwitchPart{});
    Node& node = assembler_.node(id);
    node.is_nic = true;
    if (has_rails_) node.rail = static_cast<std::int32_t>(nic % rails_of(part));
    const Served served = served_by(part, nic);
    const BitsPerSecond whole = std::int64_t{part.nic.ports} * server.spec->access.rate;
    const LinkSpec link{part.host_link.rate.value_or(whole), part.host_link.latency};
    const SharedLinks shared = shared_links(part.host_link, nic);
    for (std::uint32_t gpu = served.first; gpu < served.first + served.count; ++gpu) {
      assembler_.add_cable({.a = nth(server.first_host, gpu),
                            .b = id,
                            .link = link,
                            .shared_from_a = shared.to_nic,
                            .shared_from_b = shared.to_host});
    }
    return id;
  }

  /// `Port::shared_link` of what goes to a NIC, and of what comes from it.
  struct SharedLinks {
    std::uint32_t to_nic = 0;
    std::uint32_t to_host = 0;
  };
  /// NIC by NIC in order.
  SharedLinks shared_links(const HostLinkPart& link, std::uint32_t nic) {
    if (!link.is_shared()) return {};
    if (nic % link.nics() == 0) {
      shared_.to_nic = ++last_shared_link_;
      shared_.to_host = link.is_one_way() ? shared_.to_nic : ++last_shared_link_;
    }
    return shared_;
  }

  Assembler& assembler_;
  std::vector<Server> servers_;
  bool has_rails_ = false;  ///< of some server: a single NIC beside those is on the first
  SharedLinks shared_;      ///< of the NICs that came last
  std::uint32_t last_shared_link_ = 0;
};

}  // namespace

bool has_nic_nodes(const RackSpec& rack) {
  const ServerPart& server = rack.server;
  if (server.nics == 0) return false;
  const HostLinkPart& feed = server.host_link;
  const std::int64_t ports = std::int64_t{feed.nics()} * server.nic.ports;
  const std::int64_t directions = feed.is_one_way() ? 2 : 1;
  const bool outruns = feed.rate && *feed.rate < directions * ports * rack.access.rate;
  return outruns || server.gpus > server.nics;
}

std::uint32_t rails_of(const ServerPart& server) {
  return server.rails > 0 ? server.rails : std::max(1U, server.nics);
}

Errors Servers::check(const std::string& key) const {
  Checker checker;
  if (racks_.empty()) checker.errors.push_back(error_at(key, "is empty; servers are needed"));
  for (std::size_t i = 0; i < racks_.size(); ++i) {
    checker.check(racks_[i], racks_.size() == 1 ? key : key + "[" + std::to_string(i) + "]");
  }
  return std::move(checker.errors);
}

std::uint64_t Servers::racks() const {
  return sum_over(racks_, [](const RackSpec& rack) { return std::uint64_t{rack.count}; });
}
std::uint64_t Servers::servers() const { return sum_over(racks_, servers_of); }
std::uint64_t Servers::hosts() const {
  return sum_over(racks_, [](const RackSpec& rack) {
    return saturating_product(servers_of(rack), rack.server.hosts());
  });
}
std::uint64_t Servers::inner_cables() const {
  return sum_over(racks_, [](const RackSpec& rack) {
    const std::uint64_t nics =
        weft::topologies::has_nic_nodes(rack) ? std::max(rack.server.gpus, rack.server.nics) : 0;
    return saturating_product(servers_of(rack), saturating_sum(scale_up_cables(rack.server), nics));
  });
}
std::uint64_t Servers::nic_ports() const {
  return sum_over(racks_, [](const RackSpec& rack) {
    return saturating_product(servers_of(rack),
                              std::uint64_t{rack.server.nics} * rack.server.nic.ports);
  });
}
bool Servers::has_nic_nodes() const {
  return std::ranges::any_of(
      racks_, [](const RackSpec& rack) { return weft::topologies::has_nic_nodes(rack); });
}

std::vector<std::string> Servers::host_names() const {
  std::vector<std::string> all;
  std::size_t server = 0;
  for (const RackSpec& rack : racks_) {
    for (std::uint64_t i = 0; i < servers_of(rack) && server < names_.size(); ++i, ++server) {
      const ServerNames& names = names_[server];
      // A wrong number of names is said of them; here they are only numbered.
      const bool are_all = names.nics.empty() || names.nics.size() == rack.server.nics;
      const ServerNames given = are_all ? names : ServerNames{names.name, {}};
      for (std::uint32_t k = 0; k < rack.server.hosts(); ++k) {
        all.push_back(host_name(rack, given, k));
      }
    }
  }
  return all;
}

std::vector<Servers::NicPort> Servers::add_to(Assembler& assembler) const {
  Adder adder(racks_, names_, assembler);
  adder.add_hosts();
  adder.add_scale_up_switches();
  return adder.add_nics();
}

}  // namespace weft::topologies
