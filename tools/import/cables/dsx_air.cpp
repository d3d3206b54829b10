#include "tools/import/cables/dsx_air.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/import/parse/cable_list.hpp"
#include "tools/import/parse/data_node.hpp"

namespace weft::import {
namespace {

/// The network that Air manages its machines by carries no traffic of theirs.
bool is_out_of_band(std::string_view node) { return node.starts_with("oob-mgmt-"); }

class DsxAirReader {
 public:
  explicit DsxAirReader(Reading& reading) : reading_(reading), cables_(reading, "line") {}

  std::string read(const DataNode& root) {
    const DataNode* const content = root.find("content");
    const DataNode* const nodes = content == nullptr ? nullptr : content->find("nodes");
    const DataNode* const links = content == nullptr ? nullptr : content->find("links");
    if (nodes == nullptr || !nodes->is_map() || links == nullptr || !links->is_list()) {
      reading_.error(root.where(reading_.file, "content"),
                     "a map `nodes` and a list `links` expected");
      return "";
    }
    for (std::size_t i = 0; i < nodes->keys.size(); ++i) read_node(nodes->keys[i], nodes->items[i]);
    for (std::size_t i = 0; i < links->items.size(); ++i) read_link(i, links->items[i]);
    if (unconnected_ > 0) {
      reading_.warning({}, fmt::format("{} with an end that is no port, left out",
                                       counted(unconnected_, "link")));
    }
    if (cables_.size() == 0 && !reading_.has_errors()) reading_.error({}, "holds no cable");
    return fmt::format("{}, {}", counted(nodes->keys.size(), "node"),
                       counted(cables_.size(), "cable"));
  }

 private:
  void read_node(const std::string& name, const DataNode& node) {
    names_.push_back(name);
    known_.insert(name);
    if (is_out_of_band(name)) return;
    if (!reading_.name(name, "a node", node.where(reading_.file, "content.nodes"))) return;
    Device device{
        .name = name, .kind = {}, .tier = {}, .part = {}, .where = node.where(reading_.file)};
    const std::string_view system = node.scalar("os").value_or("");
    if (system.starts_with("cumulus") || system.starts_with("sonic")) {
      device.kind = DeviceKind::kSwitch;
    } else if (system.starts_with("generic/")) {
      device.kind = DeviceKind::kServer;
    }
    reading_.found.devices.push_back(std::move(device));
  }

  void read_link(std::size_t index, const DataNode& link) {
    const SourceLocation where = link.where(reading_.file, fmt::format("content.links[{}]", index));
    if (!link.is_list() || link.items.size() != 2) {
      reading_.error(where, fmt::format("link {}: a list of two ends expected", index + 1));
      return;
    }
    Cable cable;
    cable.where = where;
    for (std::size_t side = 0; side < 2; ++side) {
      const DataNode& end = link.items[side];
      if (end.is_scalar()) {
        ++unconnected_;
        return;
      }
      const std::string_view node = end.scalar("node").value_or("");
      if (is_out_of_band(node)) return;
      const auto device = reading_.name(node, fmt::format("the node of link {}", index + 1), where);
      const auto port = reading_.name(end.scalar("interface").value_or(""),
                                      fmt::format("the interface of link {}", index + 1), where);
      if (!device || !port) return;
      if (!known_.contains(*device)) {
        const bool suggests = ++strangers_ <= kMaxSuggestions;
        reading_.error(
            where, fmt::format("link {} names {}, which is not in nodes{}", index + 1,
                               backquoted(*device), suggests ? did_you_mean(*device, names_) : ""));
        return;
      }
      (side == 0 ? cable.a : cable.b) = {*device, *port};
    }
    cables_.add(std::move(cable));
  }

  Reading& reading_;
  CableList cables_;
  std::vector<std::string> names_;
  std::set<std::string> known_;
  std::size_t unconnected_ = 0;
  std::uint32_t strangers_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_dsx_air(const InputFile& file) {
  const std::string_view text = file.text();
  const auto has = [text](std::string_view word) { return text.find(word) != text.npos; };
  if (!looks_like_json(file) || !has("\"content\"") || !has("\"links\"") || !has("\"nodes\"") ||
      !has("\"interface\"")) {
    return std::nullopt;
  }
  return "its keys `content`, `nodes` and `links`";
}

void read_dsx_air(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  if (const Result<DataNode> root = parse_json_text(file); root.ok()) {
    contents = DsxAirReader(reading).read(root.value());
  } else {
    reading.error(root.errors().front().where, root.errors().front().message);
  }
  reading.finish("DSX Air JSON", contents);
}

}  // namespace weft::import
