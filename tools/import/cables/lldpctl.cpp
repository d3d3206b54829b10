#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "tools/import/cables/lldp.hpp"
#include "tools/import/cables/lldp_neighbours.hpp"
#include "tools/import/parse/data_node.hpp"

namespace weft::import {
namespace {

/// json0 wraps each value in a list of one: what is inside; null: nothing.
const DataNode* unwrapped(const DataNode* node) {
  while (node != nullptr && node->is_list()) {
    node = node->items.empty() ? nullptr : &node->items.front();
  }
  return node;
}

const DataNode* field_of(const DataNode* map, std::string_view key) {
  const DataNode* const plain = unwrapped(map);
  return plain == nullptr ? nullptr : unwrapped(plain->find(key));
}

/// A scalar, or the `value` of a map.
std::string_view value_of(const DataNode* node) {
  if (node == nullptr) return {};
  if (node->is_map()) node = unwrapped(node->find("value"));
  return node != nullptr && node->is_scalar() ? std::string_view(node->text) : std::string_view();
}

class LldpctlReader {
 public:
  explicit LldpctlReader(Reading& reading) : reading_(reading), neighbours_(reading) {}

  std::string read(const DataNode& root) {
    const DataNode* const lldp = field_of(&root, "lldp");
    const DataNode* const interfaces = lldp == nullptr ? nullptr : lldp->find("interface");
    if (lldp == nullptr) {
      reading_.error(root.where(reading_.file), "no key `lldp`");
    } else if (interfaces == nullptr) {
      return neighbours_.finish();
    } else if (interfaces->is_list()) {
      for (const DataNode& item : interfaces->items) read_item(item);
    } else {
      read_item(*interfaces);
    }
    return neighbours_.finish();
  }

 private:
  /// `{"eth0": {...}}`, or in json0 `{"name": "eth0", ...}`.
  void read_item(const DataNode& item) {
    if (!item.is_map()) {
      reading_.error(item.where(reading_.file, "lldp.interface"), "an interface is no map");
    } else if (item.find("name") != nullptr && item.find("name")->is_scalar()) {
      read_interface(*item.scalar("name"), item);
    } else {
      for (std::size_t i = 0; i < item.keys.size(); ++i) {
        read_interface(item.keys[i], item.items[i]);
      }
    }
  }

  void read_interface(std::string_view name, const DataNode& item) {
    static const std::vector<std::string> known{"name",    "via",      "rid",          "age",
                                                "chassis", "port",     "vlan",         "ppvid",
                                                "pi",      "lldp-med", "unknown-tlvs", "ttl"};
    for (const std::string& key : item.keys) {
      if (std::ranges::find(known, key) == known.end()) {
        reading_.unknown("key", key, item.where(reading_.file), known);
      }
    }
    const DataNode* const port = field_of(&item, "port");
    const DataNode* const id = field_of(port, "id");
    const DataNode* chassis = field_of(&item, "chassis");
    LldpNeighbour neighbour;
    neighbour.local_port = name;
    neighbour.where = item.where(reading_.file, "lldp.interface");
    if (id == nullptr || chassis == nullptr || !chassis->is_map()) {
      reading_.error(neighbour.where,
                     fmt::format("interface {} has no chassis or no port id", backquoted(name)));
      return;
    }
    read_device(chassis, neighbour);
    neighbour.port_id = value_of(id);
    neighbour.is_interface_name = value_of(field_of(id, "type")) == "ifname";
    neighbour.description = value_of(field_of(port, "descr"));
    neighbours_.add(neighbour);
  }

  /// `{"leaf01": {...}}`; json0: `{"name": [{"value": "leaf01"}], ...}`; neither: it has no name.
  void read_device(const DataNode* chassis, LldpNeighbour& neighbour) {
    const DataNode* const id = field_of(chassis, "id");
    if (chassis->keys.size() == 1 && id == nullptr) {
      neighbour.device = chassis->keys.front();
      chassis = unwrapped(&chassis->items.front());
    } else {
      neighbour.device = value_of(field_of(chassis, "name"));
      neighbour.is_nameless = neighbour.device.empty();
      if (neighbour.is_nameless) neighbour.device = value_of(id);
    }
    read_capabilities(chassis == nullptr ? nullptr : chassis->find("capability"), neighbour);
  }

  static void read_capabilities(const DataNode* list, LldpNeighbour& neighbour) {
    if (list == nullptr) return;
    std::size_t others = 0;
    bool is_station = false;
    const auto take = [&](const DataNode& capability) {
      if (capability.scalar("enabled").value_or("") != "true") return;
      const std::string_view type = capability.scalar("type").value_or("");
      neighbour.is_bridge = neighbour.is_bridge || type == "Bridge";
      neighbour.is_router = neighbour.is_router || type == "Router";
      is_station = is_station || type == "Station";
      others += type == "Station" ? 0 : 1;
    };
    if (list->is_list()) {
      for (const DataNode& capability : list->items) take(capability);
    } else {
      take(*list);
    }
    neighbour.is_station = is_station && others == 0;
  }

  Reading& reading_;
  LldpNeighbours neighbours_;
};

}  // namespace

std::optional<std::string_view> recognise_lldpctl(const InputFile& file) {
  const std::string_view begin = file.text().substr(0, 400);
  if (!looks_like_json(file) || begin.find("\"lldp\"") == std::string_view::npos) {
    return std::nullopt;
  }
  return "its key `lldp`";
}

void read_lldpctl(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  if (const Result<DataNode> root = parse_json_text(file); root.ok()) {
    contents = LldpctlReader(reading).read(root.value());
  } else {
    reading.error(root.errors().front().where, root.errors().front().message);
  }
  reading.finish("lldpctl JSON", contents);
}

}  // namespace weft::import
