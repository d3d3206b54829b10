#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "protocols/config/headroom.hpp"
#include "scenarios/build/changed_links.hpp"
#include "scenarios/checks/odd/majority.hpp"
#include "scenarios/checks/odd/odd_ones.hpp"
#include "scenarios/checks/odd/settings_values.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using protocols::PfcConfig;
using protocols::SwitchConfig;
using protocols::TrafficClass;

constexpr std::size_t kMaxListedPorts = 3;
/// Of one kind; more tell nobody anything.
constexpr std::size_t kMaxFindings = 20;

/// Those that should agree: the tier of their switches, what they face, and what is compared.
struct Compared {
  std::uint32_t tier = 0;
  std::string facing;
  std::string label;
  auto operator<=>(const Compared&) const = default;
};

struct Said {
  NodeId node;
  PortId port;  ///< none: of the whole switch
  std::string value;
  std::string key;  ///< of the scenario
};

/// The same of several ports of a switch, which is one finding.
struct Group {
  std::vector<PortId> ports;
  NodeId node;
  std::string key;
};

class SettingsChecks {
 public:
  SettingsChecks(const Scenario& scenario, const Fabric& fabric)
      : scenario_(scenario),
        fabric_(fabric),
        changes_(changes_by_place(scenario, fabric)),
        switches_(scenario.switches),
        transports_(scenario.transports()) {
    switches_.by_port = settings_by_port(scenario, fabric);
  }

  std::vector<OddOne> run() {
    for (const NodeId id : fabric_.switches) {
      const Node& node = fabric_.node(id);
      if (node.network != NetworkKind::kScaleOut || node.is_nic) continue;
      check_ports(id);
      if (!scenario_.settings_changes.empty()) add_votes(id);
    }
    tell_groups();
    check_mtus();
    judge();
    return std::move(found_);
  }

 private:
  // --- what stands where ---

  [[nodiscard]] std::string key_of(PortId port, bool (*says)(const SettingsChange&)) const {
    return last_change(changes_.of_port, port, says);
  }
  template <class Place>
  [[nodiscard]] std::string last_change(const std::map<Place, std::vector<std::size_t>>& places,
                                        Place place, bool (*says)(const SettingsChange&)) const {
    const auto found = places.find(place);
    if (found == places.end()) return {};
    for (auto it = found->second.rbegin(); it != found->second.rend(); ++it) {
      if (says(scenario_.settings_changes[*it])) return fmt::format("fabric.changes[{}]", *it);
    }
    return {};
  }
  [[nodiscard]] std::string key_of_class(PortId port, ClassId c) const {
    const std::string& name = switches_.classes[c].name;
    const auto found = changes_.of_port.find(port);
    if (found != changes_.of_port.end()) {
      for (auto it = found->second.rbegin(); it != found->second.rend(); ++it) {
        const auto& classes = scenario_.settings_changes[*it].classes;
        if (std::ranges::find(classes, name, &ClassChange::name) != classes.end()) {
          return fmt::format("fabric.changes[{}]", *it);
        }
      }
    }
    return fmt::format("fabric.classes[{}]", c.value());
  }

  [[nodiscard]] std::string port_text(PortId port) const {
    return fabric_.node(fabric_.port(port).node).name + " to " +
           fabric_.node(fabric_.peer_node(port)).name;
  }
  /// Some ports of a switch by what they lead to, `and n more` beyond three.
  [[nodiscard]] std::string ports_text(const std::vector<PortId>& ports) const {
    std::vector<std::string> peers;
    for (const PortId port : ports) {
      const std::string& peer = fabric_.node(fabric_.peer_node(port)).name;
      if (std::ranges::find(peers, peer) == peers.end()) peers.push_back(peer);
    }
    std::string text = fabric_.node(fabric_.port(ports.front()).node).name + " to ";
    for (std::size_t i = 0; i < std::min(peers.size(), kMaxListedPorts); ++i) {
      text += (i == 0 ? "" : ", ") + peers[i];
    }
    if (peers.size() > kMaxListedPorts) {
      text += fmt::format(" and {} more", peers.size() - kMaxListedPorts);
    }
    return text;
  }

  // --- what a port is by itself ---

  void check_ports(NodeId id) {
    for (const PortId port : ports_of(id)) {
      for (const ClassId c : switches_.all_classes()) {
        const TrafficClass& here = switches_.class_at(port, c);
        if (here.network != NetworkKind::kScaleOut || !here.is_pfc()) continue;
        check_headroom(port, c, here);
        check_marks(port, c, here);
      }
    }
  }

  [[nodiscard]] std::vector<PortId> ports_of(NodeId id) const {
    std::vector<PortId> ports;
    const Node& node = fabric_.node(id);
    for (std::uint32_t i = 0; i < node.port_count; ++i) {
      const PortId port(node.first_port.value() + i);
      if (fabric_.network_of(port) == NetworkKind::kScaleOut) ports.push_back(port);
    }
    return ports;
  }

  void add_group(PortId port, std::string key, std::string text) {
    const NodeId node = fabric_.port(port).node;
    Group& group = groups_[{node, std::move(text)}];
    if (group.ports.empty()) group.key = std::move(key);
    group.node = node;
    group.ports.push_back(port);
  }

  /// Whatever the pipeline of the switch takes: a real one needs more.
  void check_headroom(PortId port, ClassId c, const TrafficClass& here) {
    const PfcConfig& pfc = here.pfc();
    if (pfc.headroom != PfcConfig::Headroom::kGiven) return;
    const Bytes needed = needed_headroom(port, here);
    if (pfc.headroom_bytes >= needed) return;
    add_group(port, key_of_class(port, c),
              fmt::format("headroom {} < {}, the minimum for {} and {} of cable and transceivers: "
                          "class {} loses packets in spite of PFC",
                          bytes_text(pfc.headroom_bytes), bytes_text(needed),
                          format_rate(static_cast<double>(fabric_.port(port).rate.count())),
                          format_time(fabric_.port(port).wire_latency), here.name));
  }

  Bytes needed_headroom(PortId port, const TrafficClass& here) {
    const Port& p = fabric_.port(port);
    const auto [it, is_new] =
        needed_.try_emplace({here.name, p.rate, p.wire_latency, fabric_.port(p.peer).wire_latency});
    if (is_new) {
      protocols::HeadroomTerms terms =
          protocols::headroom_terms(fabric_, port, switches_, here, transports_);
      terms.pipeline = {};
      terms.reverse_hold = {};
      terms.cell = 1_B;
      it->second = protocols::exact_headroom(terms);
    }
    return it->second;
  }

  void check_marks(PortId port, ClassId c, const TrafficClass& here) {
    if (!here.ecn.enabled || here.ecn.at_rate) return;
    const Node& node = fabric_.node(fabric_.port(port).node);
    const Bytes shared = switches_.buffer_of(node) - switches_.headroom_pool_of(node);
    const Bytes xoff = latest_xoff(here.pfc(), shared);
    // Of static thresholds, several inputs may each hold as much: marks begin before that alone.
    const bool is_min = here.ecn.curve == protocols::EcnConfig::Curve::kStep ||
                        here.pfc().threshold == PfcConfig::Threshold::kStatic;
    const Bytes limit = is_min ? here.ecn.kmin : here.ecn.kmax;
    if (limit <= xoff) return;
    add_group(port, key_of_class(port, c),
              fmt::format("ECN's {} {} is above XOFF, {} at most: pauses come before marks of "
                          "class {}",
                          is_min ? "minimum" : "maximum", bytes_text(limit), bytes_text(xoff),
                          here.name));
  }

  void tell_groups() {
    std::map<std::string, std::vector<const Group*>> by_text;
    for (const auto& [key, group] : groups_) by_text[key.second].push_back(&group);
    for (const auto& [text, groups] : by_text) {
      OddOne one{.where = {.key = groups.front()->key}};
      for (const Group* group : groups) {
        one.nodes.push_back(group->node);
        one.ports.insert(one.ports.end(), group->ports.begin(), group->ports.end());
      }
      std::string who = ports_text(groups.front()->ports);
      if (groups.size() > 1) who += fmt::format(", and {} more switches", groups.size() - 1);
      one.text = fmt::format("{}: {}", who, text);
      // All switches alike: nothing of the picture stands out.
      if (is_everywhere(one.nodes)) one.nodes.clear();
      if (one.nodes.empty()) one.ports.clear();
      found_.push_back(std::move(one));
    }
  }
  [[nodiscard]] bool is_everywhere(const std::vector<NodeId>& nodes) const {
    const auto all = std::ranges::count_if(fabric_.switches, [this](NodeId id) {
      return fabric_.node(id).network == NetworkKind::kScaleOut && !fabric_.node(id).is_nic;
    });
    return static_cast<std::size_t>(all) == nodes.size() && nodes.size() > 1;
  }

  // --- MTU ---

  [[nodiscard]] std::optional<Bytes> mtu_of(PortId port) const {
    const auto found = changes_.of_port.find(port);
    if (found == changes_.of_port.end()) return std::nullopt;
    for (auto it = found->second.rbegin(); it != found->second.rend(); ++it) {
      if (scenario_.settings_changes[*it].mtu) return scenario_.settings_changes[*it].mtu;
    }
    return std::nullopt;
  }
  static bool says_mtu(const SettingsChange& change) { return change.mtu.has_value(); }

  /// The two ends of a cable.
  void check_mtus() {
    std::map<std::tuple<NodeId, NodeId, Bytes, Bytes>, std::vector<PortId>> unlike;
    for (std::size_t i = 0; i < fabric_.ports.size() && !changes_.of_port.empty(); ++i) {
      const PortId port(i);
      const PortId peer = fabric_.port(port).peer;
      if (peer < port || fabric_.network_of(port) != NetworkKind::kScaleOut) continue;
      const auto own = mtu_of(port);
      const auto other = mtu_of(peer);
      if (!own || !other || *own == *other) continue;
      told_mtus_.insert({port, peer});
      unlike[{fabric_.port(port).node, fabric_.peer_node(port), *own, *other}].push_back(port);
    }
    for (const auto& [ends, ports] : unlike) {
      const auto& [a, b, own, other] = ends;
      // The end with the smaller one is told first.
      const PortId first = own < other ? ports.front() : fabric_.port(ports.front()).peer;
      found_.push_back(
          {.text = fmt::format("MTU {} at {}, {} at the other end of {}: larger packets are lost "
                               "in one direction",
                               bytes_text(std::min(own, other)), port_text(first),
                               bytes_text(std::max(own, other)),
                               ports.size() == 1 ? std::string("the cable")
                                                 : fmt::format("{} cables", ports.size())),
           .where = {.key = key_of(first, says_mtu)},
           .ports = ports});
    }
  }

  // --- who differs ---

  [[nodiscard]] std::string facing(PortId port) const {
    const Node& peer = fabric_.node(fabric_.peer_node(port));
    const bool is_server = peer.kind == NodeKind::kHost || peer.is_nic;
    return is_server ? "servers" : fmt::format("tier {}", peer.tier);
  }

  void add_votes(NodeId id) {
    const Node& node = fabric_.node(id);
    add_switch_votes(id, node);
    for (const PortId port : ports_of(id)) {
      const auto add = [&](const std::string& label, std::string value, std::string key) {
        votes_[{node.tier, facing(port), label}].push_back(
            {id, port, std::move(value), std::move(key)});
      };
      add("PFC watchdog", watchdog_text(switches_.watchdog_at(port)),
          key_of(port, [](const SettingsChange& c) { return c.watchdog.has_value(); }));
      add("pauses", switches_.honours_pause(port) ? "obeyed" : kNotObeyed,
          key_of(port, [](const SettingsChange& c) { return c.honours_pause.has_value(); }));
      const auto mtu = mtu_of(port);
      add("MTU", mtu ? bytes_text(*mtu) : "not said", key_of(port, says_mtu));
      for (const ClassId c : switches_.all_classes()) {
        const TrafficClass& here = switches_.class_at(port, c);
        if (here.network != NetworkKind::kScaleOut) continue;
        const std::string key = key_of_class(port, c);
        for (auto& [label, value] : values_of(here, fabric_.port(port))) {
          add(fmt::format("{} of class {}", label, here.name), std::move(value), key);
        }
      }
    }
  }

  /// Switches of one part are alike.
  void add_switch_votes(NodeId id, const Node& node) {
    const std::string part = fmt::format("{}", node.capacity.count());
    const auto key = [&](bool (*says)(const SettingsChange&)) {
      return last_change(changes_.of_node, id, says);
    };
    votes_[{node.tier, part, "buffer"}].push_back(
        {id, PortId::none(), bytes_text(switches_.buffer_of(node)),
         key([](const SettingsChange& c) { return c.buffer.has_value(); })});
    votes_[{node.tier, part, "headroom pool"}].push_back(
        {id, PortId::none(), bytes_text(switches_.headroom_pool_of(node)),
         key([](const SettingsChange& c) { return c.headroom_pool.has_value(); })});
  }

  struct Odd {
    std::vector<PortId> ports;
    Said first;
    Said peer;
    std::string label;
    std::size_t of_ports = 0;  ///< ports of the switch that were compared
    bool is_undecided = false;
  };

  void judge() {
    std::map<std::tuple<NodeId, std::string, std::string>, Odd> odd;
    find_lossy();
    for (const auto& [compared, said] : votes_) {
      std::vector<Vote> votes;
      for (const Said& one : said) votes.push_back({one.node.value(), one.value});
      std::set<NodeId> counted;
      for (const OddVote& vote : odd_votes(votes)) {
        const Said& one = said[vote.vote];
        const bool is_mtu = compared.label == "MTU";
        if (is_mtu && is_told_mtu(one.port)) continue;
        if (follows_from_loss(compared.label, one, said[vote.peer])) continue;
        auto [it, is_new] = odd.try_emplace({one.node, compared.label, one.value});
        Odd& entry = it->second;
        if (is_new) {
          entry.first = one;
          entry.peer = said[vote.peer];
          entry.label = compared.label;
          entry.is_undecided = vote.is_undecided;
        }
        if (entry.first.key.empty()) entry.first.key = one.key;
        if (!one.port.is_none()) entry.ports.push_back(one.port);
        if (counted.insert(one.node).second) entry.of_ports += vote.of_device;
      }
    }
    for (const auto& [key, one] : odd) tell(one);
  }

  static constexpr std::string_view kFlowControl = "flow control of class ";
  static constexpr const char* kNotObeyed = "not obeyed";

  /// Ports where a class is lossy that has PFC at others. What else is unlike follows from that.
  void find_lossy() {
    for (const auto& [compared, said] : votes_) {
      if (!compared.label.starts_with(kFlowControl)) continue;
      const bool is_mixed =
          std::ranges::any_of(said, [](const Said& one) { return one.value != "none"; });
      for (const Said& one : said) {
        if (is_mixed && one.value == "none") {
          lossy_.insert({one.port, compared.label.substr(kFlowControl.size())});
        }
      }
    }
  }
  [[nodiscard]] bool follows_from_loss(const std::string& label, const Said& a,
                                       const Said& b) const {
    const std::size_t at = label.find(" of class ");
    if (at == std::string::npos || label.starts_with(kFlowControl)) return false;
    const std::string name = label.substr(at + 10);
    return lossy_.contains({a.port, name}) || lossy_.contains({b.port, name});
  }

  [[nodiscard]] bool is_told_mtu(PortId port) const {
    return told_mtus_.contains({port, fabric_.port(port).peer}) ||
           told_mtus_.contains({fabric_.port(port).peer, port});
  }

  void tell(Odd odd) {
    // Of two values without a majority, the one that loses packets is not the one that is meant.
    const bool is_loss = odd.peer.value == kNotObeyed ||
                         (odd.label.starts_with(kFlowControl) && odd.peer.value == "none");
    if (odd.is_undecided && is_loss) std::swap(odd.first, odd.peer);
    if (++told_[odd.label] > kMaxFindings) return;
    const bool is_whole = odd.first.port.is_none() ||
                          (odd.ports.size() >= odd.of_ports && odd.ports.size() > 1) ||
                          odd.is_undecided;
    const std::string& name = fabric_.node(odd.first.node).name;
    OddOne one;
    one.text = fmt::format(
        "{}: {} {}, {} has {}: {}", is_whole ? name : ports_text(odd.ports), odd.label,
        odd.first.value,
        odd.peer.port.is_none() ? fabric_.node(odd.peer.node).name : port_text(odd.peer.port),
        odd.peer.value, odd.is_undecided ? "which of them is meant?" : "the odd one out");
    one.where.key = odd.first.key.empty() ? odd.peer.key : odd.first.key;
    if (one.where.key.empty()) one.where.key = "fabric";
    one.nodes = {odd.first.node};
    if (!is_whole) one.ports = odd.ports;
    found_.push_back(std::move(one));
  }

  const Scenario& scenario_;
  const Fabric& fabric_;
  ChangesByPlace changes_;
  SwitchConfig switches_;
  std::vector<protocols::TransportConfig> transports_;
  std::map<std::tuple<std::string, BitsPerSecond, Picoseconds, Picoseconds>, Bytes> needed_;
  std::map<std::pair<NodeId, std::string>, Group> groups_;
  std::set<std::pair<PortId, PortId>> told_mtus_;
  std::set<std::pair<PortId, std::string>> lossy_;  ///< ports, and names of classes
  std::map<Compared, std::vector<Said>> votes_;
  std::map<std::string, std::size_t> told_;
  std::vector<OddOne> found_;
};

}  // namespace

std::vector<OddOne> odd_settings_of(const Scenario& scenario, const Fabric& fabric) {
  return SettingsChecks(scenario, fabric).run();
}

}  // namespace weft::scenarios
