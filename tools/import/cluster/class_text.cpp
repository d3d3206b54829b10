#include "tools/import/cluster/class_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tools/import/cluster/join_names.hpp"

namespace weft::import {
namespace {

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

class ClassWriter {
 public:
  explicit ClassWriter(const Cluster& cluster) : cluster_(cluster) {}

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
    }
    for (const ClusterSwitch& s : cluster_.switches) note_what_is_left(s);
    return std::move(text_);
  }

 private:
  void count(const std::vector<ClassSettings>& classes, std::map<std::string, std::size_t>& votes) {
    if (classes.empty()) return;
    const std::string key = key_of(classes);
    ++votes[key];
    examples_.emplace(key, &classes);
    for (const ClassSettings& c : classes) {
      if (c.ingress && c.ingress->headroom) {
        headrooms_.emplace(c.ingress->headroom->value.count(), c.ingress->headroom->where);
      }
    }
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
    write_headroom();
    if (reserve.of_headroom > Bytes()) {
      line("headroom_reserved", bytes(reserve.of_headroom), buffer.reserved.where);
    }
  }

  /// A scenario has one headroom per class. Where cables of several lengths have several, each port
  /// gets what its cable needs, which the checks have held the switches' values against.
  void write_headroom() {
    if (headrooms_.empty()) return;
    if (headrooms_.size() == 1) {
      text_.yaml +=
          fmt::format("        headroom: {}  # {}\n", bytes(Bytes(headrooms_.begin()->first)),
                      short_place(headrooms_.begin()->second));
      return;
    }
    std::string values;
    for (const auto& [headroom, place] : headrooms_) {
      values += fmt::format("{}{} ({})", values.empty() ? "" : ", ", bytes(Bytes(headroom)),
                            short_place(place));
    }
    text_.yaml += "        headroom: exact  # ports have " + values + "\n";
    text_.remarks.push_back(
        "each port has the headroom that its cable needs, as a scenario has no "
        "headroom by port; the switches have " +
        values);
  }

  void write_ecn(const ClassSettings& c) {
    if (!c.ecn || c.ecn->drops) {
      text_.yaml += "      ecn: none\n";
      if (c.ecn) {
        text_.remarks.push_back(fmt::format("WRED of queue {} drops ({}): not simulated", c.queue,
                                            short_place(c.ecn->kmin.where)));
      }
      return;
    }
    text_.yaml += fmt::format("      ecn: {{type: red, kmin: {}, kmax: {}, pmax: {:g}}}  # {}\n",
                              bytes(c.ecn->kmin.value), bytes(c.ecn->kmax.value), c.ecn->pmax.value,
                              short_place(c.ecn->kmin.where));
  }

  void note_what_is_left(const ClusterSwitch& s) {
    if (s.settings == nullptr) return;
    if (s.settings->watchdog && said_.insert("watchdog").second) {
      text_.remarks.emplace_back(
          "the PFC watchdog is not simulated: pauses last as long as they do");
    }
  }

  const Cluster& cluster_;
  ClassText text_;
  const std::vector<ClassSettings>* usual_ = nullptr;
  std::map<std::string, const std::vector<ClassSettings>*> examples_;
  std::map<std::int64_t, SourceLocation> headrooms_;
  std::set<std::string> said_;
};

}  // namespace

ClassText class_text(const Cluster& cluster) { return ClassWriter(cluster).write(); }

}  // namespace weft::import
