#include "tools/import/planners/placements.hpp"

#include <fmt/format.h>

#include "simcore/text/quoted.hpp"

namespace weft::import {

void Placements::add_switch(const std::string& name, const SourceLocation& where) {
  const auto [at, is_new] = switches_.try_emplace(
      name,
      Device{.name = name, .kind = DeviceKind::kSwitch, .tier = {}, .part = {}, .where = where});
  if (is_new) return;
  reading_.error(where, fmt::format("switch {} is described twice, in lines {} and {}",
                                    backquoted(name), at->second.where.line, where.line));
}

void Placements::add_node(const std::string& node, const std::string& group, bool is_block,
                          const SourceLocation& where) {
  if (names_ < kMaxObjects) ++names_;
  if (is_block) blocks_.insert(group);
  const auto [at, is_new] =
      nodes_.try_emplace({node, is_block}, Placement{node, group, is_block, where});
  if (is_new) return;
  reading_.error(where, fmt::format("{} is under {} (line {}) and {} (line {})", backquoted(node),
                                    backquoted(at->second.group), at->second.where.line,
                                    backquoted(group), where.line));
}

void Placements::add_child(const std::string& child, const std::string& parent,
                           const SourceLocation& where) {
  if (names_ < kMaxObjects) ++names_;
  const auto [at, is_new] = parents_.try_emplace(child, SwitchParent{child, parent, where});
  if (is_new) return;
  reading_.error(where, fmt::format("switch {} is under {} (line {}) and {} (line {})",
                                    backquoted(child), backquoted(at->second.parent),
                                    at->second.where.line, backquoted(parent), where.line));
}

/// Goes up from each switch; what was seen on a way that ended is not gone through again.
void Placements::find_loops() {
  std::set<std::string> ends;
  for (const auto& [start, first] : parents_) {
    std::set<std::string> way;
    std::string at = start;
    while (parents_.contains(at) && !ends.contains(at)) {
      if (!way.insert(at).second) {
        const SwitchParent& step = parents_.at(at);
        reading_.error(step.where, fmt::format("{} and {} contain each other",
                                               backquoted(step.child), backquoted(step.parent)));
        break;
      }
      at = parents_.at(at).parent;
    }
    ends.insert(way.begin(), way.end());
  }
}

std::string Placements::finish() {
  find_loops();
  for (const auto& [name, parent] : parents_) {
    if (switches_.contains(name)) continue;
    reading_.error(parent.where, fmt::format("switch {} under {} is not described",
                                             backquoted(name), backquoted(parent.parent)));
  }
  if (nodes_.empty() && !reading_.has_errors()) reading_.error({}, "places no node");
  std::set<std::string> servers;
  for (auto& [key, placement] : nodes_) {
    servers.insert(placement.node);
    if (const auto above = switches_.find(placement.group);
        !placement.is_block && above != switches_.end()) {
      above->second.tier = 1;
    } else if (!placement.is_block) {
      reading_.error(placement.where,
                     fmt::format("switch {} of {} is not described", backquoted(placement.group),
                                 backquoted(placement.node)));
    }
    reading_.found.placements.push_back(placement);
  }
  for (auto& [name, parent] : parents_) reading_.found.parents.push_back(parent);
  for (auto& [name, device] : switches_) {
    reading_.found.devices.push_back(device);
  }
  std::string contents = counted(servers.size(), "node");
  if (!switches_.empty()) contents += ", " + counted(switches_.size(), "switch");
  if (!blocks_.empty()) contents += ", " + counted(blocks_.size(), "block");
  return contents;
}

}  // namespace weft::import
