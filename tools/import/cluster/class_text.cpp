#include "tools/import/cluster/class_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simcore/text/quantity_text.hpp"
#include "tools/import/cluster/cabled_ports.hpp"
#include "tools/import/cluster/join_names.hpp"

namespace weft::import {
namespace {

/// SONiC's watchdog looks that often at least.
constexpr Picoseconds kPoll = 100_ms;

std::string bytes(Bytes size) { return fmt::format("{}B", size.count()); }

/// What makes two ports alike, besides headroom and length, which follow the cable.
std::string key_of(const std::vector<ClassSettings>& classes) {
  std::string key;
  for (const ClassSettings& c : classes) {
    key += fmt::format("{}/{}/{}/{}:", c.queue, c.priority, c.pfc, c.is_strict);
    for (const std::uint32_t dscp : c.dscps) key += fmt::format("{},", dscp);
    if (c.ecn) {
      key += fmt::format("ecn {} {} {};", c.ecn->kmin.value.count(), c.ecn->kmax.value.count(),
                         c.ecn->pmax.value);
    }
    if (c.ingress && c.ingress->alpha) key += fmt::format("alpha {};", c.ingress->alpha->value);
    if (c.weight) key += fmt::format("weight {};", c.weight->value);
  }
  return key;
}

/// `pfc_watchdog` of a port; empty: none that acts.
std::string watchdog_of(const SwitchPort* port) {
  if (port == nullptr || !port->watchdog || port->watchdog->action == "alert") return {};
  const PfcWatchdog& dog = *port->watchdog;
  const Picoseconds restoration =
      dog.restoration_time > Picoseconds() ? dog.restoration_time : dog.detection_time;
  const Picoseconds poll = std::min({dog.poll.value_or(kPoll), dog.detection_time, restoration});
  const auto text = [](Picoseconds time) {
    return quantity_text(time.count(), dimension_of<Picoseconds>());
  };
  return fmt::format("{{detection: {}, restoration: {}, action: {}, poll: {}}}",
                     text(dog.detection_time), text(restoration), dog.action, text(poll));
}

class ClassWriter {
 public:
  explicit ClassWriter(const Cluster& cluster) : cluster_(cluster), ports_(cabled_ports(cluster)) {
    std::erase_if(ports_, [](const CabledPort& port) { return port.classes->empty(); });
  }

  ClassText write() {
    find_usual();
    if (usual_ == nullptr) return {};
    text_.yaml = "  classes:\n";
    std::set<std::string> names;
    for (const ClassSettings* c : in_order()) {
      std::string name = name_of(*c);
      if (!names.insert(name).second) {
        name += std::to_string(c->queue);
        if (!names.insert(name).second) continue;
      }
      write(*c, name);
      written_.emplace_back(name, c);
    }
    write_watchdog();
    for (const CabledPort& port : ports_) compare(port);
    write_changes();
    return std::move(text_);
  }

 private:
  void count(const std::vector<ClassSettings>& classes, std::map<std::string, std::size_t>& votes) {
    if (classes.empty()) return;
    const std::string key = key_of(classes);
    ++votes[key];
    examples_.emplace(key, &classes);
  }

  void find_usual() {
    std::map<std::string, std::size_t> votes;
    for (const ClusterSwitch& s : cluster_.switches) {
      if (s.settings == nullptr) continue;
      count(s.settings->classes, votes);
      for (const auto& [name, port] : s.settings->ports) count(port.classes, votes);
    }
    const auto largest =
        std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    if (largest != votes.end()) usual_ = examples_.at(largest->first);
  }

  /// Ascending priority: lossy ones, lossless ones, strict ones. Lossy classes are one.
  [[nodiscard]] std::vector<const ClassSettings*> in_order() const {
    std::vector<const ClassSettings*> order;
    bool has_other = false;
    for (const ClassSettings& c : *usual_) {
      const bool is_other = !is_lossless(c) && !c.is_strict;
      if (is_other && has_other && c.dscps.empty()) continue;
      has_other = has_other || is_other;
      order.push_back(&c);
    }
    std::ranges::stable_sort(order, {}, [](const ClassSettings* c) {
      return c->is_strict ? 2 : is_lossless(*c) ? 1 : 0;
    });
    return order;
  }

  static bool is_lossless(const ClassSettings& c) {
    return c.pfc && (!c.ingress || c.ingress->headroom);
  }

  static std::string name_of(const ClassSettings& c) {
    if (is_lossless(c)) return "roce";
    return c.is_strict ? "cnp" : "other";
  }

  void write(const ClassSettings& c, const std::string& name) {
    if (is_lossless(c) && text_.roce.empty()) text_.roce = name;
    text_.yaml +=
        fmt::format("    - name: {}  # queue {}, {}\n", name, c.queue, short_place(c.where));
    // Code points that no class lists belong to the first; a scenario names those of the others.
    if (!c.dscps.empty() && name != "other") {
      text_.yaml += fmt::format("      dscp: [{}]\n", fmt::join(c.dscps, ", "));
    }
    if (c.is_strict) text_.yaml += "      scheduling: strict\n";
    if (c.weight && !c.is_strict) {
      text_.yaml +=
          fmt::format("      weight: {}  # {}\n", c.weight->value, short_place(c.weight->where));
    }
    write_flow_control(c);
    write_ecn(c);
    if (c.egress_reserved && c.egress_reserved->value > Bytes(0)) {
      text_.yaml +=
          fmt::format("      egress_reserved: {}  # {}\n", bytes(c.egress_reserved->value),
                      short_place(c.egress_reserved->where));
    }
    if (c.egress_alpha) {
      text_.yaml += fmt::format("      egress_alpha: {}  # {}\n", c.egress_alpha->value,
                                short_place(c.egress_alpha->where));
    }
  }

  /// What the `size` of a profile sets aside: before XOFF, and of the headroom.
  struct Reserve {
    Bytes of_group;
    Bytes of_headroom;
  };
  /// Without a headroom pool, a `size` no less than `xoff` contains it: xon + xoff on NVIDIA's
  /// switches. With one, it is `xon` and what the group has of its headroom to itself.
  [[nodiscard]] Reserve reserve_of(const BufferSettings& buffer) const {
    const Bytes size = buffer.reserved.value;
    if (!buffer.headroom) return {size, Bytes()};
    if (!has_pool()) {
      return {size >= buffer.headroom->value ? size - buffer.headroom->value : size, Bytes()};
    }
    const Bytes xon = buffer.xon ? buffer.xon->value : Bytes();
    return xon > Bytes() && size > xon ? Reserve{xon, size - xon} : Reserve{size, Bytes()};
  }
  [[nodiscard]] bool has_pool() const {
    return std::ranges::any_of(cluster_.switches, [](const ClusterSwitch& s) {
      return s.settings != nullptr && s.settings->headroom_pool;
    });
  }

  void write_flow_control(const ClassSettings& c) {
    if (!is_lossless(c)) {
      text_.yaml += "      flow_control: none\n";
      return;
    }
    text_.yaml += "      flow_control:\n        type: pfc\n";
    if (!c.ingress) return;
    const BufferSettings& buffer = *c.ingress;
    const auto line = [this](const char* key, const std::string& value,
                             const SourceLocation& where) {
      text_.yaml += fmt::format("        {}: {}  # {}\n", key, value, short_place(where));
    };
    if (buffer.alpha) {
      text_.yaml += "        threshold: dynamic\n";
      line("alpha", fmt::format("{}", buffer.alpha->value), buffer.alpha->where);
    } else if (buffer.threshold) {
      text_.yaml += "        threshold: static\n";
      line("xoff", bytes(buffer.threshold->value), buffer.threshold->where);
    }
    if (buffer.xon_offset)
      line("xon_offset", bytes(buffer.xon_offset->value), buffer.xon_offset->where);
    const Reserve reserve = reserve_of(buffer);
    if (reserve.of_group > Bytes()) {
      line("reserved", bytes(reserve.of_group), buffer.reserved.where);
    }
    write_headroom(c);
    if (reserve.of_headroom > Bytes()) {
      line("headroom_reserved", bytes(reserve.of_headroom), buffer.reserved.where);
    }
  }

  /// That of most ports; others stand among the changes.
  void write_headroom(const ClassSettings& c) {
    std::map<std::int64_t, std::size_t> votes;
    std::map<std::int64_t, SourceLocation> places;
    const auto count = [&](const ClassSettings& own) {
      if (!own.ingress || !own.ingress->headroom || own.queue != c.queue) return;
      const std::int64_t headroom = own.ingress->headroom->value.count();
      ++votes[headroom];
      places.emplace(headroom, own.ingress->headroom->where);
    };
    for (const CabledPort& port : ports_) std::ranges::for_each(*port.classes, count);
    if (votes.empty()) count(c);
    const std::int64_t* usual = usual_of(votes);
    if (usual == nullptr) return;
    headroom_ = Bytes(*usual);
    text_.yaml += fmt::format("        headroom: {}  # {}\n", bytes(headroom_),
                              short_place(places.at(*usual)));
  }

  void write_ecn(const ClassSettings& c) {
    if (!c.ecn || c.ecn->drops) text_.yaml += "      ecn: none\n";
    if (c.ecn && c.ecn->drops) {
      text_.yaml +=
          fmt::format("      wred: {}  # {}\n", wred_text(*c.ecn), short_place(c.ecn->kmin.where));
    }
    if (!c.ecn || c.ecn->drops) return;
    text_.yaml += fmt::format("      ecn: {{type: red, kmin: {}, kmax: {}, pmax: {:g}}}  # {}\n",
                              bytes(c.ecn->kmin.value), bytes(c.ecn->kmax.value), c.ecn->pmax.value,
                              short_place(c.ecn->kmin.where));
  }

  /// WRED without ECN drops.
  static std::string wred_text(const EcnSettings& ecn) {
    const Bytes max = std::max(ecn.kmax.value, ecn.kmin.value + Bytes(1));
    return fmt::format("{{min: {}, max: {}, probability: {:g}}}", bytes(ecn.kmin.value), bytes(max),
                       ecn.pmax.value);
  }

  /// Whether a class that was written has PFC at any port.
  [[nodiscard]] bool has_pfc() const {
    return std::ranges::any_of(written_, [this](const auto& one) {
      const ClassSettings* usual = one.second;
      return is_lossless(*usual) || std::ranges::any_of(ports_, [usual](const CabledPort& port) {
               const ClassSettings* own = like(*usual, *port.classes);
               return own != nullptr && is_lossless(*own);
             });
    });
  }

  void write_watchdog() {
    watches_ = has_pfc();
    if (!watches_) return;  // nobody pauses
    std::map<std::string, std::size_t> votes;
    std::map<std::string, SourceLocation> places;
    for (const CabledPort& port : ports_) {
      const std::string own = watchdog_of(port.port);
      ++votes[own];
      if (!own.empty()) places.emplace(own, port.port->watchdog->where);
      const bool only_tells =
          port.port != nullptr && port.port->watchdog && port.port->watchdog->action == "alert";
      if (only_tells && said_.insert("alert").second) {
        text_.remarks.push_back(
            fmt::format("a PFC watchdog that only tells of storms ({}): it "
                        "changes nothing",
                        short_place(port.port->watchdog->where)));
      }
    }
    if (const std::string* usual = usual_of(votes)) watchdog_ = *usual;
    if (watchdog_.empty()) return;
    text_.yaml +=
        fmt::format("  pfc_watchdog: {}  # {}\n", watchdog_, short_place(places.at(watchdog_)));
  }

  /// Flow control, marks and drops of a class, as a map of one line.
  std::string flow_control_text(const ClassSettings& c) const {
    if (!is_lossless(c)) return "none";
    std::string text = "{type: pfc";
    if (!c.ingress) return text + "}";
    const BufferSettings& buffer = *c.ingress;
    if (buffer.alpha) {
      text += fmt::format(", threshold: dynamic, alpha: {}", buffer.alpha->value);
    } else if (buffer.threshold) {
      text += ", threshold: static, xoff: " + bytes(buffer.threshold->value);
    }
    if (buffer.xon_offset) text += ", xon_offset: " + bytes(buffer.xon_offset->value);
    const Reserve reserve = reserve_of(buffer);
    if (reserve.of_group > Bytes()) text += ", reserved: " + bytes(reserve.of_group);
    if (buffer.headroom) text += ", headroom: " + bytes(buffer.headroom->value);
    if (reserve.of_headroom > Bytes()) {
      text += ", headroom_reserved: " + bytes(reserve.of_headroom);
    }
    return text + "}";
  }
  static std::string ecn_text(const ClassSettings& c) {
    if (!c.ecn || c.ecn->drops) return "none";
    return fmt::format("{{type: red, kmin: {}, kmax: {}, pmax: {:g}}}", bytes(c.ecn->kmin.value),
                       bytes(c.ecn->kmax.value), c.ecn->pmax.value);
  }
  static std::string wred_or_none(const ClassSettings& c) {
    return c.ecn && c.ecn->drops ? wred_text(*c.ecn) : "none";
  }

  /// The class of a port that the code points of `usual` come to, else the one with its queue.
  static const ClassSettings* like(const ClassSettings& usual,
                                   const std::vector<ClassSettings>& classes) {
    const auto takes = [&](const ClassSettings& c) {
      return usual.dscps.empty() ? c.queue == usual.queue : c.dscps.contains(*usual.dscps.begin());
    };
    const auto found = std::ranges::find_if(classes, takes);
    return found == classes.end() ? nullptr : &*found;
  }

  /// What `own` has that `usual`, as it was written, has not; empty: nothing.
  std::string difference(const ClassSettings& usual, const ClassSettings& own) const {
    std::string text;
    ClassSettings written = usual;
    if (written.ingress && written.ingress->headroom) {
      written.ingress->headroom->value = headroom_;
    }
    if (flow_control_text(written) != flow_control_text(own)) {
      text += ", flow_control: " + flow_control_text(own);
    }
    if (ecn_text(usual) != ecn_text(own)) text += ", ecn: " + ecn_text(own);
    if (wred_or_none(usual) != wred_or_none(own)) text += ", wred: " + wred_or_none(own);
    const auto reserved_of = [](const ClassSettings& c) {
      return c.egress_reserved ? c.egress_reserved->value : Bytes();
    };
    if (reserved_of(usual) != reserved_of(own)) {
      text += ", egress_reserved: " + bytes(reserved_of(own));
    }
    const auto alpha_of = [](const ClassSettings& c) {
      return c.egress_alpha ? fmt::format("{}", c.egress_alpha->value) : std::string("none");
    };
    if (alpha_of(usual) != alpha_of(own)) text += ", egress_alpha: " + alpha_of(own);
    return text;
  }

  /// Notes how a port differs from what was written of all.
  void compare(const CabledPort& port) {
    ++peers_[port.at];
    std::string entry;
    const std::string dog = watches_ ? watchdog_of(port.port) : std::string();
    if (dog != watchdog_) entry += ", pfc_watchdog: " + (dog.empty() ? "none" : dog);
    std::string classes;
    SourceLocation where = port.port != nullptr ? port.port->where : port.at->settings->where;
    for (const auto& [name, usual] : written_) {
      const ClassSettings* own = like(*usual, *port.classes);
      if (own == nullptr) continue;
      const std::string differs = difference(*usual, *own);
      if (differs.empty()) continue;
      if (classes.empty()) where = own->ingress ? own->ingress->where : own->where;
      classes += fmt::format("{}{{name: {}{}}}", classes.empty() ? "" : ", ", name, differs);
    }
    if (!classes.empty()) entry += ", classes: [" + classes + "]";
    if (entry.empty()) return;
    Group& group = groups_[{port.at, entry}];
    group.peers.push_back(port.peer);
    if (group.peers.size() == 1) group.where = where;
  }

  /// Ports of one switch that differ alike: all that it has, or those to some peers.
  void write_changes() {
    for (const ClusterSwitch& at : cluster_.switches) {
      for (const auto& [key, group] : groups_) {
        if (key.first != &at) continue;
        const std::string end = fmt::format("{}}}  # {}\n", key.second, short_place(group.where));
        const auto line = [&](const std::string& to) {
          text_.changes += fmt::format("    - {{node: \"{}\"{}{}", at.name, to, end);
        };
        if (group.peers.size() == peers_.at(&at)) {
          line("");
          continue;
        }
        const std::string pattern = pattern_of(at, group.peers);
        if (!pattern.empty()) {
          line(fmt::format(", to: \"{}\"", pattern));
          continue;
        }
        for (const std::string& peer : group.peers) line(fmt::format(", to: \"{}\"", peer));
      }
    }
  }

  /// One pattern for several peers and no other of the switch; empty: there is none.
  std::string pattern_of(const ClusterSwitch& at, const std::vector<std::string>& peers) const {
    std::string prefix = peers.front();
    for (const std::string& peer : peers) {
      const auto [end, other] = std::ranges::mismatch(prefix, peer);
      prefix.erase(end, prefix.end());
    }
    while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') prefix.pop_back();
    if (prefix.empty() || peers.size() == 1) return {};
    const bool is_alone = std::ranges::all_of(ports_, [&](const CabledPort& port) {
      return port.at != &at || !port.peer.starts_with(prefix) ||
             std::ranges::find(peers, port.peer) != peers.end();
    });
    return is_alone ? prefix + "*" : "";
  }

  struct Group {
    std::vector<std::string> peers;
    SourceLocation where{};
  };

  const Cluster& cluster_;
  ClassText text_;
  const std::vector<ClassSettings>* usual_ = nullptr;
  std::map<std::string, const std::vector<ClassSettings>*> examples_;
  std::vector<CabledPort> ports_;
  std::vector<std::pair<std::string, const ClassSettings*>> written_;  ///< names of classes
  Bytes headroom_;        ///< of the lossless class, as it was written
  bool watches_ = false;  ///< some class has PFC, so that there are pauses to look after
  std::string watchdog_;  ///< as it was written; empty: none
  std::map<const ClusterSwitch*, std::size_t> peers_;
  std::map<std::pair<const ClusterSwitch*, std::string>, Group> groups_;
  std::set<std::string> said_;
};

}  // namespace

ClassText class_text(const Cluster& cluster) { return ClassWriter(cluster).write(); }

}  // namespace weft::import
