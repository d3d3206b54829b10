#include "tools/import/planners/infragraph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/parse/cable_list.hpp"
#include "tools/import/parse/data_node.hpp"
#include "tools/import/parse/quantities.hpp"

namespace weft::import {
namespace {

/// `name`, `name[i]` or `name[a:b:c]`, as Python slices: ends are exclusive.
struct InfraSlice {
  std::string name;
  std::vector<std::uint64_t> indices;
};

struct InfraComponent {
  std::uint64_t count = 0;
  bool is_device = false;  ///< another device of that name stands in its place
};

struct InfraDevice {
  std::map<std::string, InfraComponent> components;
  std::optional<DeviceKind> kind;
};

struct InfraInstance {
  std::string device;
  std::uint64_t count = 0;
};

class InfragraphReader {
 public:
  explicit InfragraphReader(Reading& reading) : reading_(reading), cables_(reading, "line") {}

  std::string read(const DataNode& root) {
    if (is_stale(root)) return "";
    check_keys(root,
               {"name", "description", "devices", "instances", "links", "edges", "annotations"});
    for_each(root, "devices", [this](const DataNode& node) { read_device(node); });
    for_each(root, "instances", [this](const DataNode& node) { read_instance(node); });
    for_each(root, "links", [this](const DataNode& node) { links_[name_of(node)] = &node; });
    if (reading_.has_errors()) return "";
    for_each(root, "edges", [this](const DataNode& node) { read_edge(node); });
    if (cables_.size() == 0 && !reading_.has_errors()) {
      reading_.error({}, "no edge between instances: nothing is cabled");
    }
    return fmt::format("{}, {}", counted(reading_.found.devices.size(), "device"),
                       counted(cables_.size(), "cable"));
  }

 private:
  template <class F>
  void for_each(const DataNode& map, const std::string& key, F take) {
    const DataNode* const list = map.find(key);
    if (list == nullptr) return;
    if (!list->is_list()) {
      reading_.error(list->where(reading_.file, key), "a list expected");
      return;
    }
    for (const DataNode& node : list->items) {
      if (node.is_map()) {
        take(node);
      } else {
        reading_.error(node.where(reading_.file, key), "a map expected");
      }
    }
  }

  void check_keys(const DataNode& map, const std::vector<std::string>& known) {
    for (const std::string& key : map.keys) {
      if (std::ranges::find(known, key) != known.end()) continue;
      reading_.unknown("key", key, map.where(reading_.file), known);
    }
  }

  bool is_stale(const DataNode& root) {
    if (const DataNode* const old = root.find("connections")) {
      reading_.error(old->where(reading_.file, "connections"),
                     "`connections` belongs to an older schema; 2.4.0 has `edges`");
    }
    const std::size_t at = reading_.file.text().find("giga_bytes_per_second");
    if (at != std::string_view::npos) {
      reading_.error(reading_.file.at(at),
                     "`giga_bytes_per_second` belongs to an older schema; 2.4.0 has "
                     "`gigabytes_per_second` under physical.bandwidth");
    }
    return reading_.has_errors();
  }

  std::string name_of(const DataNode& node) {
    return reading_.name(node.scalar("name").value_or(""), "an entry", node.where(reading_.file))
        .value_or("");
  }

  std::uint64_t count_of(const DataNode& node) {
    const auto count = parse_unsigned(node.scalar("count").value_or("1"));
    if (count && *count > 0 && *count <= kMaxObjects) return *count;
    reading_.error(node.where(reading_.file, "count"),
                   fmt::format("count {}: a number from 1 to {} expected",
                               backquoted(node.scalar("count").value_or("")), kMaxObjects));
    return 1;
  }

  void read_device(const DataNode& node) {
    check_keys(node, {"name", "description", "components", "links", "edges"});
    const std::string name = name_of(node);
    InfraDevice device;
    for_each(node, "components", [&](const DataNode& part) {
      check_keys(part, {"name", "description", "count", "choice", "custom", "device", "cpu", "xpu",
                        "nic", "memory", "port", "switch"});
      static const std::vector<std::string> known{"custom", "device", "cpu",  "xpu",
                                                  "nic",    "memory", "port", "switch"};
      const std::string choice(part.scalar("choice").value_or("custom"));
      if (std::ranges::find(known, choice) == known.end()) {
        reading_.error(part.where(reading_.file, "choice"),
                       fmt::format("choice {} is not known{}", backquoted(choice),
                                   did_you_mean(choice, known)));
      }
      const std::string part_name = name_of(part);
      if (!device.components.emplace(part_name, InfraComponent{count_of(part), choice == "device"})
               .second) {
        reading_.error(part.where(reading_.file),
                       fmt::format("component {} stands twice", backquoted(part_name)));
      }
      if (choice == "xpu") device.kind = DeviceKind::kServer;
      if (choice == "switch" && !device.kind) device.kind = DeviceKind::kSwitch;
    });
    if (!devices_.emplace(name, std::move(device)).second) {
      reading_.error(node.where(reading_.file),
                     fmt::format("device {} stands twice", backquoted(name)));
    }
  }

  void read_instance(const DataNode& node) {
    check_keys(node, {"name", "description", "device", "count"});
    const std::string name = name_of(node);
    const std::string device(node.scalar("device").value_or(""));
    const auto known = devices_.find(device);
    if (known == devices_.end()) {
      reading_.error(node.where(reading_.file), "device " + unknown_text(device, devices_));
      return;
    }
    const std::uint64_t count = count_of(node);
    if (!instances_.emplace(name, InfraInstance{device, count}).second) {
      reading_.error(node.where(reading_.file),
                     fmt::format("instance {} stands twice", backquoted(name)));
      return;
    }
    if (reading_.found.devices.size() + count > kMaxObjects) {
      reading_.error(node.where(reading_.file), fmt::format("more than {} devices", kMaxObjects));
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      reading_.found.devices.push_back({.name = fmt::format("{}.{}", name, i),
                                        .kind = known->second.kind,
                                        .tier = {},
                                        .part = {},
                                        .where = node.where(reading_.file)});
    }
  }

  template <class Map>
  std::string unknown_text(const std::string& name, const Map& known) {
    std::vector<std::string> names;
    for (const auto& entry : known) names.push_back(entry.first);
    const bool suggests = ++strangers_ <= kMaxSuggestions;
    return backquoted(name) + " is not described" + (suggests ? did_you_mean(name, names) : "");
  }

  /// Indices of a slice of `count`; nothing, and an error, where it is none.
  std::optional<std::vector<std::uint64_t>> slice(std::string_view text, std::uint64_t count,
                                                  const DataNode& edge) {
    std::vector<std::optional<std::uint64_t>> parts;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(':', at), text.size());
      parts.push_back(parse_unsigned(text.substr(at, end - at)));
      if (!parts.back() && end != at) parts.clear();
      if (parts.empty() || parts.size() > 3) break;
      at = end + 1;
    }
    const bool is_index = parts.size() == 1 && parts[0];
    const std::uint64_t begin = parts.empty() ? 0 : parts[0].value_or(0);
    const std::uint64_t end = is_index           ? begin + 1
                              : parts.size() > 1 ? parts[1].value_or(count)
                                                 : 0;
    const std::uint64_t step = parts.size() == 3 ? parts[2].value_or(1) : 1;
    if (parts.empty() || (parts.size() == 1 && !is_index) || parts.size() > 3 || step == 0 ||
        begin >= end || end > count) {
      reading_.error(
          edge.where(reading_.file, "edges"),
          fmt::format("`[{}]` is no slice of {}: an index or `[begin:end:step]` expected",
                      text.substr(0, 60), count));
      return std::nullopt;
    }
    std::vector<std::uint64_t> indices;
    for (std::uint64_t i = begin; i < end; i += step) indices.push_back(i);
    return indices;
  }

  /// `name[...]` with `count` known by `find`.
  template <class Map>
  std::optional<InfraSlice> sliced(std::string_view text, const Map& known, const DataNode& edge) {
    const std::size_t open = std::min(text.find('['), text.size());
    InfraSlice result{std::string(text.substr(0, open)), {}};
    const auto found = known.find(result.name);
    if (found == known.end()) {
      reading_.error(edge.where(reading_.file, "edges"), unknown_text(result.name, known));
      return std::nullopt;
    }
    std::string_view inside = ":";
    if (open < text.size()) {
      if (!text.ends_with(']')) {
        reading_.error(edge.where(reading_.file, "edges"),
                       fmt::format("the bracket of {} is not closed", backquoted(text)));
        return std::nullopt;
      }
      inside = text.substr(open + 1, text.size() - open - 2);
    }
    const auto indices = slice(inside, found->second.count, edge);
    if (!indices) return std::nullopt;
    result.indices = *indices;
    return result;
  }

  /// `cx5[0].port[1]` of a device: names of ports, the first part slowest.
  std::optional<std::vector<std::string>> ports(const std::string& device, std::string_view text,
                                                const DataNode& edge) {
    std::vector<std::string> names{""};
    std::string inside = device;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('.', at), text.size());
      const auto owner = devices_.find(inside);
      if (owner == devices_.end()) {
        reading_.error(edge.where(reading_.file, "edges"), unknown_text(inside, devices_));
        return std::nullopt;
      }
      const auto part = sliced(text.substr(at, end - at), owner->second.components, edge);
      if (!part) return std::nullopt;
      if (names.size() * part->indices.size() > kMaxObjects) return too_many(edge);
      std::vector<std::string> longer;
      for (const std::string& name : names) {
        for (const std::uint64_t i : part->indices) {
          longer.push_back(fmt::format("{}{}{}.{}", name, name.empty() ? "" : ".", part->name, i));
        }
      }
      names = std::move(longer);
      const bool is_device = owner->second.components.at(part->name).is_device;
      inside = is_device ? part->name : "";
      at = end + 1;
      if (end < text.size() && !is_device) {
        reading_.error(edge.where(reading_.file, "edges"),
                       fmt::format("component {} of {} is no device and has no parts",
                                   backquoted(part->name), backquoted(text)));
        return std::nullopt;
      }
    }
    return names;
  }

  std::nullopt_t too_many(const DataNode& edge) {
    reading_.error(edge.where(reading_.file, "edges"),
                   fmt::format("an edge stands for more than {} cables", kMaxObjects));
    return std::nullopt;
  }

  /// Ends in the order of the service: by instance, then by component.
  std::optional<std::vector<PortName>> ends(const DataNode& edge, const std::string& side) {
    const DataNode* const end = edge.find(side);
    const auto instance = end == nullptr ? std::nullopt : end->scalar("instance");
    const auto component = end == nullptr ? std::nullopt : end->scalar("component");
    if (!instance || !component) {
      reading_.error(edge.where(reading_.file, "edges." + side),
                     "`instance` and `component` expected");
      return std::nullopt;
    }
    const auto which = sliced(*instance, instances_, edge);
    if (!which) return std::nullopt;
    const auto names = ports(instances_.at(which->name).device, *component, edge);
    if (!names) return std::nullopt;
    if (names->size() * which->indices.size() > kMaxObjects) return too_many(edge);
    std::vector<PortName> all;
    for (const std::uint64_t i : which->indices) {
      for (const std::string& port : *names) {
        all.push_back({fmt::format("{}.{}", which->name, i), port});
      }
    }
    return all;
  }

  std::optional<BitsPerSecond> rate_of(const DataNode& edge) {
    const std::string name(edge.scalar("link").value_or(""));
    const auto link = links_.find(name);
    if (link == links_.end()) {
      reading_.error(edge.where(reading_.file, "edges.link"), "link " + unknown_text(name, links_));
      return std::nullopt;
    }
    const SourceLocation where = link->second->where(reading_.file, "links");
    const DataNode* const physical = link->second->find("physical");
    const DataNode* const bandwidth = physical == nullptr ? nullptr : physical->find("bandwidth");
    if (bandwidth == nullptr) {
      reading_.error(where, fmt::format("link {} has no bandwidth: cables need "
                                        "physical.bandwidth.gigabits_per_second",
                                        backquoted(name)));
      return std::nullopt;
    }
    const std::string choice(bandwidth->scalar("choice").value_or(""));
    const std::string value(bandwidth->scalar(choice).value_or(""));
    OrProblem<BitsPerSecond> rate = fmt::format(
        "bandwidth of link {}: choice gigabits_per_second or gigabytes_per_second with "
        "its number expected",
        backquoted(name));
    if (choice == "gigabits_per_second") rate = parse_port_rate(value + "G");
    if (choice == "gigabytes_per_second" && parse_unsigned(value).value_or(0) > 0) {
      rate = parse_port_rate(
          fmt::format("{}G", std::min<std::uint64_t>(*parse_unsigned(value), 1'000'000) * 8));
    }
    if (const auto* const good = std::get_if<BitsPerSecond>(&rate)) return *good;
    reading_.error(bandwidth->where(reading_.file, "links"), std::get<std::string>(rate));
    return std::nullopt;
  }

  void read_edge(const DataNode& edge) {
    check_keys(edge, {"ep1", "ep2", "scheme", "link", "many2many", "one2one", "ring"});
    const auto rate = rate_of(edge);
    const auto a = ends(edge, "ep1");
    const auto b = ends(edge, "ep2");
    if (!rate || !a || !b) return;
    const std::string scheme(edge.scalar("scheme").value_or(""));
    const bool is_product = scheme == "many2many";
    if (!is_product && scheme != "one2one") {
      reading_.error(edge.where(reading_.file, "edges.scheme"),
                     fmt::format("scheme {}: one2one or many2many expected", backquoted(scheme)));
      return;
    }
    if (!is_product && a->size() != b->size()) {
      reading_.error(edge.where(reading_.file, "edges"),
                     fmt::format("one2one of {} and {} ends: both sides must have as many",
                                 a->size(), b->size()));
      return;
    }
    if (is_product && a->size() * b->size() > kMaxObjects) {
      static_cast<void>(too_many(edge));
      return;
    }
    for (std::size_t i = 0; i < a->size(); ++i) {
      for (std::size_t k = is_product ? 0 : i; k < (is_product ? b->size() : i + 1); ++k) {
        Cable cable;
        cable.a = (*a)[i];
        cable.b = (*b)[k];
        cable.where = edge.where(reading_.file);
        cable.rate = Stated<BitsPerSecond>{*rate, cable.where};
        cables_.add(std::move(cable));
      }
    }
  }

  Reading& reading_;
  CableList cables_;
  std::map<std::string, InfraDevice> devices_;
  std::map<std::string, InfraInstance> instances_;
  std::map<std::string, const DataNode*> links_;
  std::uint32_t strangers_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_infragraph(const InputFile& file) {
  const auto has = [&file](const std::string& key) {
    if (looks_like_json(file)) return file.text().find("\"" + key + "\"") != std::string_view::npos;
    return std::ranges::any_of(file.lines(), [&key](std::string_view line) {
      return line.starts_with(key) && line.substr(key.size()).starts_with(':');
    });
  };
  if (!has("devices") || !has("instances")) return std::nullopt;
  return "its keys `devices` and `instances`";
}

void read_infragraph(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  const Result<DataNode> root =
      looks_like_json(file) ? parse_json_text(file) : parse_yaml_text(file);
  if (root.ok()) {
    contents = InfragraphReader(reading).read(root.value());
  } else {
    reading.error(root.errors().front().where, root.errors().front().message);
  }
  reading.finish("InfraGraph", contents);
}

}  // namespace weft::import
