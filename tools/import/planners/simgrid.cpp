#include "tools/import/planners/simgrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/parse/cable_list.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"
#include "tools/import/parse/xml_text.hpp"

namespace weft::import {
namespace {

/// A parallel-port fat tree (E. Zahavi, "D-Mod-K routing", 2010): of each level the children of a
/// switch, the parents of a child, and the cables between such a pair.
struct FatTree {
  std::vector<std::uint64_t> down, up, links;

  [[nodiscard]] std::size_t levels() const { return down.size(); }
  /// Nodes of a level; 0: hosts.
  [[nodiscard]] std::uint64_t width(std::size_t level) const {
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < levels(); ++i) count *= i < level ? up[i] : down[i];
    return count;
  }
};

class SimgridReader {
 public:
  SimgridReader(Reading& reading, const XmlText& xml)
      : reading_(reading), xml_(xml), cables_(reading, "line") {}

  std::string read() {
    const pugi::xml_node root = xml_.root();
    check_shape(reading_, xml_, root, {root_attributes(), root_elements()});
    std::vector<pugi::xml_node> clusters;
    find_clusters(root, clusters);
    if (reading_.has_errors()) return "";
    if (clusters.size() != 1) {
      reading_.error({}, fmt::format("{}: one `cluster` with topology=\"FAT_TREE\" expected",
                                     counted(clusters.size(), "cluster")));
      return "";
    }
    read_cluster(clusters.front());
    return fmt::format("fat tree, {}, {}", counted(hosts_, "host"),
                       counted(cables_.size(), "cable"));
  }

 private:
  static const std::vector<std::string>& root_attributes() {
    static const std::vector<std::string> names{"version"};
    return names;
  }
  static const std::vector<std::string>& root_elements() {
    static const std::vector<std::string> names{"cluster", "zone", "AS", "config"};
    return names;
  }

  void find_clusters(const pugi::xml_node& zone, std::vector<pugi::xml_node>& clusters) {
    for (const pugi::xml_node& child : zone.children()) {
      const std::string_view name = child.name();
      if (name == "cluster") {
        clusters.push_back(child);
      } else if (name == "zone" || name == "AS") {
        find_clusters(child, clusters);
      } else if (name == "link" || name == "route" || name == "host" || name == "backbone" ||
                 name == "zoneRoute" || name == "ASroute" || name == "bypassRoute") {
        reading_.error(xml_.where(child),
                       fmt::format("element {}: links of SimGrid's zones are abstractions, of "
                                   "which it is not known whether they are cables; a `cluster` "
                                   "with topology=\"FAT_TREE\" is read",
                                   backquoted(name)));
        return;
      }
    }
  }

  std::optional<std::vector<std::uint64_t>> numbers(std::string_view text) {
    std::vector<std::uint64_t> all;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const auto number = parse_unsigned(trimmed(text.substr(at, end - at)));
      if (!number || *number == 0 || *number > kMaxObjects || all.size() >= 8) return std::nullopt;
      all.push_back(*number);
      at = end + 1;
    }
    return all;
  }

  std::optional<FatTree> read_tree(const pugi::xml_node& cluster) {
    const std::string_view text = cluster.attribute("topo_parameters").value();
    const SourceLocation where = xml_.where(cluster, "cluster.topo_parameters");
    std::vector<std::vector<std::uint64_t>> parts;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(';', at), text.size());
      const auto part = numbers(text.substr(at, end - at));
      if (!part || parts.size() >= 4) {
        parts.clear();
        break;
      }
      parts.push_back(*part);
      at = end + 1;
    }
    if (parts.size() != 4 || parts[0].size() != 1) {
      reading_.error(where, fmt::format("{}: `levels;children;parents;cables` expected, such as "
                                        "`2;16,2;1,2;1,8`",
                                        backquoted(text)));
      return std::nullopt;
    }
    for (std::size_t i = 1; i < 4; ++i) {
      if (parts[i].size() == parts[0][0]) continue;
      reading_.error(where, fmt::format("{}: {} levels are said, {} given", backquoted(text),
                                        parts[0][0], parts[i].size()));
      return std::nullopt;
    }
    FatTree tree{parts[1], parts[2], parts[3]};
    double cables = 0;
    for (std::size_t level = 0; level < tree.levels(); ++level) {
      double nodes = 1;
      for (std::size_t i = 0; i < tree.levels(); ++i) {
        nodes *= static_cast<double>(i < level ? tree.up[i] : tree.down[i]);
      }
      cables +=
          nodes * static_cast<double>(tree.up[level]) * static_cast<double>(tree.links[level]);
    }
    if (cables > static_cast<double>(kMaxObjects)) {
      reading_.error(where, fmt::format("stands for more than {} cables", kMaxObjects));
      return std::nullopt;
    }
    return tree;
  }

  /// SimGrid writes bits as `bps` and bytes as `Bps`.
  std::optional<BitsPerSecond> read_rate(const pugi::xml_node& cluster) {
    const std::string_view text = cluster.attribute("bw").value();
    OrProblem<BitsPerSecond> rate;
    if (text.ends_with("GBps")) {
      const auto bytes = parse_unsigned(text.substr(0, text.size() - 4));
      rate = bytes && *bytes < 1'000'000 ? parse_port_rate(fmt::format("{}Gbps", *bytes * 8))
                                         : parse_port_rate("");
    } else if (text.ends_with("bps")) {
      rate = parse_port_rate(text);
    } else {
      rate =
          fmt::format("{}: a rate with `Gbps` (bits) or `GBps` (bytes) expected", backquoted(text));
    }
    if (const auto* const good = std::get_if<BitsPerSecond>(&rate)) return *good;
    reading_.error(xml_.where(cluster, "cluster.bw"), std::get<std::string>(rate));
    return std::nullopt;
  }

  std::vector<std::uint64_t> read_radical(const pugi::xml_node& cluster) {
    const std::string_view text = cluster.attribute("radical").value();
    std::vector<std::uint64_t> ids;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const auto range = parse_range(trimmed(text.substr(at, end - at)));
      if (!range || range->second < range->first || range->second - range->first > kMaxObjects ||
          ids.size() > kMaxObjects) {
        reading_.error(xml_.where(cluster, "cluster.radical"),
                       fmt::format("{}: ranges such as `0-31` of at most {} hosts expected",
                                   backquoted(text), kMaxObjects));
        return {};
      }
      for (std::uint64_t i = range->first; i <= range->second; ++i) ids.push_back(i);
      at = end + 1;
    }
    return ids;
  }

  void read_cluster(const pugi::xml_node& cluster) {
    static const std::vector<std::string> known{"id",
                                                "prefix",
                                                "suffix",
                                                "radical",
                                                "speed",
                                                "bw",
                                                "lat",
                                                "topology",
                                                "sharing_policy",
                                                "topo_parameters",
                                                "core",
                                                "loopback_bw",
                                                "loopback_lat",
                                                "router_id",
                                                "bb_bw",
                                                "bb_lat",
                                                "bb_sharing_policy",
                                                "limiter_link"};
    check_shape(reading_, xml_, cluster, {known, {}});
    const std::string_view topology = cluster.attribute("topology").value();
    if (topology != "FAT_TREE") {
      reading_.error(xml_.where(cluster, "cluster.topology"),
                     fmt::format("topology {}: FAT_TREE is read, other clusters have no cables",
                                 backquoted(topology)));
      return;
    }
    if (std::string_view(cluster.attribute("sharing_policy").value()) == "FATPIPE") {
      reading_.error(xml_.where(cluster, "cluster.sharing_policy"),
                     "FATPIPE is an abstraction that no cable has: SPLITDUPLEX expected");
    }
    const std::optional<FatTree> tree = read_tree(cluster);
    const std::optional<BitsPerSecond> rate = read_rate(cluster);
    const std::vector<std::uint64_t> ids = read_radical(cluster);
    const auto id = reading_.name(cluster.attribute("id").value(), "the cluster",
                                  xml_.where(cluster, "cluster.id"));
    if (!tree || !rate || !id || reading_.has_errors()) return;
    if (ids.size() != tree->width(0)) {
      reading_.error(xml_.where(cluster, "cluster.radical"),
                     fmt::format("{} hosts, and the fat tree has {}", ids.size(), tree->width(0)));
      return;
    }
    hosts_ = ids.size();
    build(cluster, *tree, *rate, *id, ids);
  }

  void build(const pugi::xml_node& cluster, const FatTree& tree, BitsPerSecond rate,
             const std::string& id, const std::vector<std::uint64_t>& ids) {
    std::vector<std::string> children;
    for (const std::uint64_t i : ids) {
      const auto name = reading_.name(fmt::format("{}{}{}", cluster.attribute("prefix").value(), i,
                                                  cluster.attribute("suffix").value()),
                                      "a host", xml_.where(cluster));
      if (!name) return;
      children.push_back(*name);
      add_device(*name, 0, xml_.where(cluster));
    }
    std::uint64_t low = 1;  // switches of the level below that differ in their upward digits alone
    for (std::size_t level = 0; level < tree.levels(); ++level) {
      std::vector<std::string> parents;
      for (std::uint64_t p = 0; p < tree.width(level + 1); ++p) {
        parents.push_back(fmt::format("{}.{}.{}", id, level + 1, p));
        add_device(parents.back(), static_cast<std::uint32_t>(level + 1), xml_.where(cluster));
      }
      for (std::uint64_t c = 0; c < children.size(); ++c) {
        const std::uint64_t digits = c % low;
        const std::uint64_t group = c / low / tree.down[level];
        for (std::uint64_t u = 0; u < tree.up[level]; ++u) {
          const std::uint64_t p = (group * tree.up[level] + u) * low + digits;
          for (std::uint64_t k = 0; k < tree.links[level]; ++k) {
            add_cable(children[c], parents[p], rate, xml_.where(cluster));
          }
        }
      }
      low *= tree.up[level];
      children = std::move(parents);
    }
  }

  void add_device(const std::string& name, std::uint32_t tier, const SourceLocation& where) {
    Device device{.name = name,
                  .kind = tier == 0 ? DeviceKind::kServer : DeviceKind::kSwitch,
                  .tier = {},
                  .part = {},
                  .where = where};
    if (tier > 0) device.tier = tier;
    reading_.found.devices.push_back(std::move(device));
  }

  void add_cable(const std::string& a, const std::string& b, BitsPerSecond rate,
                 const SourceLocation& where) {
    Cable cable;
    cable.a = {a, std::to_string(ports_[a]++)};
    cable.b = {b, std::to_string(ports_[b]++)};
    cable.rate = Stated<BitsPerSecond>{rate, where};
    cable.where = where;
    cables_.add(std::move(cable));
  }

  Reading& reading_;
  const XmlText& xml_;
  CableList cables_;
  std::map<std::string, std::size_t> ports_;
  std::size_t hosts_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_simgrid(const InputFile& file) {
  if (root_element(file.text()) != "platform") return std::nullopt;
  return "its root element `platform`";
}

void read_simgrid(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  if (const std::unique_ptr<XmlText> xml = XmlText::parse(reading)) {
    contents = SimgridReader(reading, *xml).read();
  }
  reading.finish("SimGrid platform", contents);
}

}  // namespace weft::import
