#include "tools/import/planners/topograph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/data_node.hpp"
#include "tools/import/planners/placements.hpp"
#include "tools/import/planners/slurm_topology.hpp"

namespace weft::import {
namespace {

bool has_top_key(const InputFile& file, std::string_view key) {
  return std::ranges::any_of(file.lines(), [key](std::string_view line) {
    return line.starts_with(key) && line.substr(key.size()).starts_with(':');
  });
}

class TopographReader {
 public:
  explicit TopographReader(Reading& reading) : reading_(reading), placements_(reading) {}

  std::string read(const DataNode& root) {
    static const std::vector<std::string> known{"switches", "blocks", "name", "description"};
    for (const char* old : {"nodes", "capacity_blocks"}) {
      if (const DataNode* const found = root.find(old)) {
        reading_.error(found->where(reading_.file, old),
                       fmt::format("section {} belongs to an older model of topograph: nodes stand "
                                   "in `blocks` now, each with its `switch`",
                                   backquoted(old)));
      }
    }
    if (reading_.has_errors()) return "";
    check_keys(root, known);
    if (const DataNode* const switches = root.find("switches")) read_switches(*switches);
    if (const DataNode* const blocks = root.find("blocks")) read_blocks(*blocks);
    return placements_.finish();
  }

 private:
  void check_keys(const DataNode& map, const std::vector<std::string>& known) {
    for (const std::string& key : map.keys) {
      if (std::ranges::find(known, key) != known.end()) continue;
      reading_.unknown("key", key, map.where(reading_.file), known);
    }
  }

  void read_switches(const DataNode& switches) {
    static const std::vector<std::string> known{"switches", "labels", "metadata", "annotations"};
    for (std::size_t i = 0; i < switches.keys.size(); ++i) {
      const DataNode& node = switches.items[i];
      const SourceLocation where = node.where(reading_.file, "switches");
      const auto name = reading_.name(switches.keys[i], "a switch", where);
      if (!name) continue;
      placements_.add_switch(*name, where);
      if (node.find("nodes") != nullptr) {
        reading_.error(where, fmt::format("switch {} holds `nodes`, as in an older model of "
                                          "topograph: they stand in `blocks` now",
                                          backquoted(*name)));
        continue;
      }
      check_keys(node, known);
      if (const DataNode* const children = node.find("switches")) {
        for (const std::string& child : names(*children))
          placements_.add_child(child, *name, where);
      }
    }
  }

  void read_blocks(const DataNode& blocks) {
    static const std::vector<std::string> known{"name",   "switch",      "nodes",
                                                "labels", "annotations", "metadata"};
    for (const DataNode& block : blocks.items) {
      const SourceLocation where = block.where(reading_.file, "blocks");
      check_keys(block, known);
      const auto group =
          reading_.name(block.scalar("switch").value_or(""), "the switch of a block", where);
      const DataNode* const nodes = block.find("nodes");
      if (nodes == nullptr) reading_.error(where, "a block without `nodes`");
      if (!group || nodes == nullptr) continue;
      const std::string domain = scale_up_domain(block);
      for (const std::string& node : names(*nodes)) {
        placements_.add_node(node, *group, false, where);
        if (!domain.empty()) placements_.add_node(node, domain, true, where);
      }
    }
  }

  /// The annotation whose key speaks of an accelerator's domain: `.../domain: nvl1`.
  std::string scale_up_domain(const DataNode& block) {
    const DataNode* const annotations = block.find("annotations");
    if (annotations == nullptr) return "";
    for (std::size_t i = 0; i < annotations->keys.size(); ++i) {
      const std::string& key = annotations->keys[i];
      if (!key.ends_with("domain") || !annotations->items[i].is_scalar()) continue;
      const DataNode& value = annotations->items[i];
      return reading_.name(value.text, "a domain", value.where(reading_.file)).value_or("");
    }
    return "";
  }

  std::vector<std::string> names(const DataNode& list) {
    std::vector<std::string> all;
    if (!list.is_list()) {
      reading_.error(list.where(reading_.file), "a list of names expected");
      return all;
    }
    for (const DataNode& item : list.items) {
      const std::size_t room = placements_.left() - std::min(placements_.left(), all.size());
      auto some = expand_hostlist(item.text, room);
      if (const auto* const problem = std::get_if<std::string>(&some)) {
        reading_.error(item.where(reading_.file), *problem);
        continue;
      }
      for (std::string& name : std::get<0>(some)) {
        if (reading_.name(name, "a node", item.where(reading_.file)))
          all.push_back(std::move(name));
      }
    }
    return all;
  }

  Reading& reading_;
  Placements placements_;
};

}  // namespace

std::optional<std::string_view> recognise_topograph(const InputFile& file) {
  if (!has_top_key(file, "switches")) return std::nullopt;
  if (!has_top_key(file, "blocks") && !has_top_key(file, "nodes") &&
      !has_top_key(file, "capacity_blocks")) {
    return std::nullopt;
  }
  return "its keys `switches` and `blocks`";
}

void read_topograph(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  if (const Result<DataNode> root = parse_yaml_text(file); root.ok()) {
    contents = TopographReader(reading).read(root.value());
  } else {
    reading.error(root.errors().front().where, root.errors().front().message);
  }
  reading.finish("topograph YAML", contents);
}

}  // namespace weft::import
