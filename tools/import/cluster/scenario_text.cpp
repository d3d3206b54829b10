#include "tools/import/cluster/scenario_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/quantity_text.hpp"
#include "tools/import/checks/settings_checks.hpp"
#include "tools/import/cluster/cabled_ports.hpp"
#include "tools/import/cluster/class_text.hpp"
#include "tools/import/cluster/join_names.hpp"
#include "tools/import/cluster/server_parts.hpp"
#include "tools/import/source/characters.hpp"

namespace weft::import {
namespace {

template <class T>
std::string quantity(T value) {
  return quantity_text(value.count(), dimension_of<T>());
}

/// A name as YAML reads it as a text, whatever is in it.
std::string yaml_name(const std::string& name) {
  const bool is_plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_digit(c) || ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  });
  const bool is_a_word =
      is_plain && !is_digit(name.front()) && name.front() != '-' && name.front() != '.';
  static const std::set<std::string> reserved{"null", "true", "false", "yes", "no",
                                              "on",   "off",  "y",     "n"};
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (is_a_word && !reserved.contains(lower)) return name;
  std::string quoted = "\"";
  for (const char c : escaped(name)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

class ScenarioWriter {
 public:
  ScenarioWriter(Cluster& cluster, const Description& description, const JoinOptions& options)
      : cluster_(cluster),
        description_(description),
        options_(options),
        classes_(class_text(cluster)) {}

  std::string write(const std::string& name) {
    const std::string body = scenario(name);
    return header() + body;
  }

 private:
  void assume(std::string what) { cluster_.assumptions.push_back(std::move(what)); }

  std::string header() const {
    std::string text =
        "# Written by `weft import`. Behind each value stands the place that it is from.\n#\n# "
        "Read:\n";
    for (const std::string& line : description_.recognised) text += "#   " + escaped(line) + "\n";
    std::string findings;
    std::string warnings;
    for (const Remark& remark : description_.remarks) {
      std::string& list = remark.severity == Severity::kFinding ? findings : warnings;
      const std::string where = short_place(remark.where);
      list += "#   " + (where.empty() ? "" : where + ": ") + escaped(remark.text) + "\n";
    }
    if (!findings.empty()) text += "# Found, and to be looked into:\n" + findings;
    if (!warnings.empty()) text += "# Warnings:\n" + warnings;
    if (!cluster_.assumptions.empty()) text += "# Assumed, as no file says it:\n";
    for (const std::string& line : cluster_.assumptions) text += "#   " + escaped(line) + "\n";
    return text + "\n";
  }

  std::string scenario(const std::string& name) {
    std::string text = fmt::format("name: {}\n\nracks:\n", yaml_name(name));
    text += racks();
    text += links();
    text += fabric();
    if (balancing_ != "ecmp" && !cluster_.is_infiniband) {
      text +=
          "\ntransport: {receiver: any-order}  # packets that are sprayed arrive out of order\n";
    }
    text +=
        "\njobs:\n  - {name: all-reduce, type: all-reduce, algorithm: nccl, execution: nccl, size: "
        "1GiB";
    if (!classes_.roce.empty()) text += ", class: " + classes_.roce;
    text += "}\n";
    return text + faults();
  }

  /// Servers side by side that are alike are one entry.
  std::string racks() {
    std::string text;
    std::string last;
    std::size_t count = 0;
    std::string comment;
    const auto close = [&] {
      if (count == 0) return;
      text += fmt::format("  - {{count: 1, servers: {}, server: {}}}{}\n", count, last,
                          comment.empty() ? "" : "  # " + comment);
    };
    for (const ClusterServer& server : cluster_.servers) {
      const std::string part = server_yaml(server);
      if (part != last) {
        close();
        last = part;
        count = 0;
        comment = server.part.from;
      }
      ++count;
    }
    close();
    return text;
  }

  std::string server_yaml(const ClusterServer& server) {
    const std::string& part = server.part.value;
    const BitsPerSecond rate = rate_of(server);
    if (part.empty()) {
      const std::string nic(server.nic_part ? *server.nic_part : nic_of_rate(rate));
      if (server.gpus > 0 && said_.insert("gpus").second) {
        assume(
            fmt::format("{} GPUs of no server in the catalogue: joined by their NICs alone "
                        "(`--server` names a part)",
                        server.gpus));
      }
      if (server.gpus == 0 && said_.insert("hosts").second) {
        assume("servers whose GPUs no file says: every NIC is a host (`--server` names a part)");
      }
      return fmt::format("{{gpus: {}, nics: {}, nic: {}{}}}", server.gpus, server.nics.size(),
                         nic_yaml(nic, rate), host_link(server));
    }
    const bool has_nics = nics_of(part) == server.nics.size() || nics_of(part) == 0;
    const bool has_nic =
        nic_of(part).empty() ||
        ((!server.nic_part || *server.nic_part == nic_of(part)) && rate == nic_rate_of(part));
    if (has_nics && has_nic && host_link(server).empty()) return part;
    std::string text = "{part: " + part;
    if (!has_nics) text += fmt::format(", nics: {}", server.nics.size());
    if (!has_nic)
      text += ", nic: " + nic_yaml(server.nic_part.value_or(std::string(nic_of(part))), rate);
    return text + host_link(server) + "}";
  }

  /// What the slots of its NICs carry, where that is less than the NICs' rate; or the link that
  /// data pass besides, where that may be less.
  std::string host_link(const ClusterServer& server) {
    for (const std::string& reason : server.host_paths.reasons) {
      if (said_.insert(reason).second) assume(server.name + ": " + reason);
    }
    if (server.host_paths.link) return shared_link(server, *server.host_paths.link);
    if (!server.pcie) return {};
    if (said_.insert("slots").second) {
      assume(
          fmt::format("NICs of {} are faster than their slots ({}), whose payload is `host_link`",
                      server.name, short_place(server.pcie->where)));
    }
    return ", host_link: {rate: " + quantity(server.pcie->value) + "}";
  }

  static std::string shared_link(const ClusterServer& server, const HostPath& path) {
    BitsPerSecond rate = path.rate;
    const std::int64_t nics = std::max(1U, path.shared_by);
    if (server.pcie) rate = std::min(rate, nics * server.pcie->value);
    std::string text = ", host_link: {rate: " + quantity(rate);
    if (path.shared_by > 0) text += fmt::format(", shared_by: {}", path.shared_by);
    if (path.is_through_root) text += ", through: root-complex";
    return text + "}";
  }

  static std::string nic_yaml(const std::string& part, BitsPerSecond rate) {
    if (nic_part_rate(part) == rate) return part;
    return fmt::format("{{part: {}, rate: {}}}", part, quantity(rate));
  }

  /// Of the NICs of a server, or of its cables.
  BitsPerSecond rate_of(const ClusterServer& server) const {
    BitsPerSecond fastest(0);
    for (const ClusterNic& nic : server.nics) {
      if (nic.rate) fastest = std::max(fastest, nic.rate->value);
    }
    if (fastest.count() > 0) return fastest;
    const auto index = static_cast<std::size_t>(&server - cluster_.servers.data());
    for (const ClusterCable& cable : cluster_.cables) {
      if (cable.a.is_server && cable.a.device == index && cable.rate) {
        fastest = std::max(fastest, cable.rate->value);
      }
    }
    if (fastest.count() > 0) return fastest;
    return options_.rate.value_or(nic_rate_of(server.part.value));
  }

  /// What cables have that say nothing themselves.
  std::string links() const {
    return "\nlinks:\n"
           "  access: {length: 3m, cable: copper}\n"
           "  uplink: {length: 20m, cable: fibre}\n";
  }

  std::string fabric() {
    std::string text = "\nfabric:\n  topology: cabled\n";
    text += switch_yaml();
    balancing_ = options_.load_balancing.value_or("ecmp");
    text += fmt::format("  load_balancing: {}{}\n", balancing_,
                        options_.load_balancing ? "" : "  # assumed: no file says it");
    if (!options_.load_balancing) {
      assume(
          "load balancing is ECMP by flow; `--load-balancing spray` says that packets are sprayed");
    }
    text += classes_.yaml;
    const std::string changes = buffer_changes() + classes_.changes + mtu_changes(cluster_) +
                                priority_changes(cluster_, CheckedTraffic().roce_dscp);
    if (!changes.empty()) text += "  changes:\n" + changes;
    for (const std::string& remark : classes_.remarks) assume(remark);
    text += "  servers:\n";
    for (const ClusterServer& server : cluster_.servers) text += server_line(server);
    text += "  switches:\n";
    for (const ClusterSwitch& s : cluster_.switches) text += switch_line(s);
    text += "  cables:\n";
    for (const ClusterCable& cable : cluster_.cables) text += cable_line(cable);
    return text;
  }

  std::string switch_yaml() {
    std::map<std::string, std::size_t> votes;
    for (const ClusterSwitch& s : cluster_.switches) {
      if (s.part) ++votes[*s.part];
    }
    const auto largest =
        std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    if (largest == votes.end()) {
      part_ = cluster_.is_infiniband ? "quantum-2" : "tomahawk-5";
      assume(fmt::format("switches are {} (`--switch` names another part)", part_));
    } else {
      part_ = largest->first;
    }
    const SwitchSettings* smallest = nullptr;
    for (const ClusterSwitch& s : cluster_.switches) {
      if (s.settings == nullptr || (!s.settings->buffer && !s.settings->headroom_pool)) continue;
      if (smallest == nullptr || buffer_of(*s.settings) < buffer_of(*smallest)) {
        smallest = s.settings;
      }
    }
    if (smallest == nullptr) return fmt::format("  switch: {}\n", part_);
    usual_ = smallest;
    std::string text = "  switch: {part: " + part_;
    std::string places;
    if (smallest->buffer) {
      text += fmt::format(", buffer: {}B", buffer_of(*smallest).count());
      places = short_place(smallest->buffer->where);
    }
    if (smallest->headroom_pool) {
      text += fmt::format(", headroom_pool: {}B", smallest->headroom_pool->value.count());
      const std::string place = short_place(smallest->headroom_pool->where);
      if (places != place) places += (places.empty() ? "" : ", ") + place;
    }
    return text + "}  # " + places + "\n";
  }

  /// Switches whose buffer or headroom pool is not that of all.
  std::string buffer_changes() const {
    std::string text;
    for (const ClusterSwitch& s : cluster_.switches) {
      if (usual_ == nullptr || s.settings == nullptr) continue;
      const SwitchSettings& own = *s.settings;
      const auto pool_of = [](const SwitchSettings& settings) {
        return settings.headroom_pool ? settings.headroom_pool->value : Bytes();
      };
      std::string entry;
      if (own.buffer && buffer_of(own) != buffer_of(*usual_)) {
        entry += fmt::format(", buffer: {}B", buffer_of(own).count());
      }
      if (own.buffer && pool_of(own) != pool_of(*usual_)) {
        entry += fmt::format(", headroom_pool: {}B", pool_of(own).count());
      }
      if (entry.empty()) continue;
      text += fmt::format("    - {{node: {}{}}}  # {}\n", yaml_name(s.name), entry,
                          short_place(own.buffer->where));
    }
    return text;
  }

  /// The pool of ingress and the headroom of all ports. Where NVIDIA's switches have a headroom
  /// pool, `size` is without it (sonic-swss, buffer_pool_mellanox.lua); elsewhere it is a part.
  [[nodiscard]] static Bytes buffer_of(const SwitchSettings& settings) {
    if (!settings.buffer) return Bytes::max();
    const bool is_apart = settings.part && settings.part->starts_with("spectrum");
    const Bytes pool = settings.headroom_pool ? settings.headroom_pool->value : Bytes();
    return settings.buffer->value + (is_apart ? pool : Bytes());
  }

  static std::string server_line(const ClusterServer& server) {
    std::string nics;
    for (const ClusterNic& nic : server.nics) {
      if (!nics.empty()) nics += ", ";
      nics += yaml_name(nic.name);
    }
    return fmt::format("    - {{name: {}, nics: [{}]}}\n", yaml_name(server.name), nics);
  }

  std::string switch_line(const ClusterSwitch& s) const {
    std::string text = "    - {name: " + yaml_name(s.name);
    if (s.tier) text += fmt::format(", tier: {}", *s.tier);
    if (s.part && *s.part != part_) text += ", switch: " + *s.part;
    return text + "}\n";
  }

  std::string end_name(const ClusterEnd& end) const {
    if (!end.is_server) return cluster_.switches[end.device].name;
    const ClusterServer& server = cluster_.servers[end.device];
    return server.name + "/" + server.nics[end.nic].name;
  }

  std::string cable_line(const ClusterCable& cable) const {
    std::string text = fmt::format("    - {{from: {}, to: {}", yaml_name(end_name(cable.a)),
                                   yaml_name(end_name(cable.b)));
    std::string from;
    if (cable.rate) {
      text += ", rate: " + quantity(cable.rate->value);
      from += "; rate " + cable.rate->from;
    }
    if (cable.length) {
      text += ", length: " + quantity(cable.length->value);
      from += "; length " + cable.length->from;
    }
    if (cable.medium) text += ", cable: " + cable.medium->value;
    return text + fmt::format("}}  # {} to {}, {}{}\n", escaped(cable.a.port),
                              escaped(cable.b.port), cable.from, from);
  }

  /// What files show to run below its rate. `weft expect` takes the healthy twin.
  std::string faults() const {
    std::string text;
    for (const ClusterServer& server : cluster_.servers) {
      for (const ClusterNic& nic : server.nics) {
        if (!nic.degraded) continue;
        text += fmt::format("  - {{type: link-rate, from: {}, rate: {}}}  # {}\n",
                            yaml_name(server.name + "/" + nic.name), quantity(nic.degraded->value),
                            short_place(nic.degraded->where));
      }
    }
    for (const ClusterCable& cable : cluster_.cables) {
      if (!cable.degraded) continue;
      text += fmt::format("  - {{type: link-rate, from: {}, to: {}, rate: {}}}  # {}\n",
                          yaml_name(end_name(cable.a)), yaml_name(end_name(cable.b)),
                          quantity(cable.degraded->value), short_place(cable.degraded->where));
    }
    return text.empty() ? "" : "\nfaults:\n" + text;
  }

  Cluster& cluster_;
  const Description& description_;
  const JoinOptions& options_;
  ClassText classes_;
  std::string part_;
  const SwitchSettings* usual_ = nullptr;  ///< whose buffer stands for all
  std::string balancing_;
  std::set<std::string> said_;
};

}  // namespace

std::string scenario_text(Cluster& cluster, const Description& description,
                          const JoinOptions& options, const std::string& name) {
  return ScenarioWriter(cluster, description, options).write(name);
}

}  // namespace weft::import
