#include "tools/import/planners/slurm_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/text_parts.hpp"
#include "tools/import/planners/placements.hpp"

namespace weft::import {
namespace {

bool names_slurm_group(std::string_view line) {
  const std::string lower = lower_case(trimmed(line.substr(0, 256)));
  return lower.starts_with("switchname=") || lower.starts_with("blockname=");
}

class SlurmTopologyReader {
 public:
  explicit SlurmTopologyReader(Reading& reading) : reading_(reading), placements_(reading) {}

  std::string read() {
    const auto& lines = reading_.file.lines();
    for (number_ = 1; number_ <= lines.size(); ++number_) {
      std::string_view line = lines[number_ - 1];
      line = trimmed(line.substr(0, line.find('#')));
      if (line.ends_with('\\')) {
        reading_.error(here(), "lines that continue (`\\`) are not read: write them as one");
      } else if (!line.empty()) {
        read_line(line);
      }
    }
    reading_.check_last_line();
    return placements_.finish();
  }

 private:
  [[nodiscard]] SourceLocation here(std::string key = {}) const {
    SourceLocation where = reading_.file.line(number_);
    where.key = std::move(key);
    return where;
  }

  void read_line(std::string_view line) {
    static const std::vector<std::string> known{"switchname", "switches",  "nodes",
                                                "linkspeed",  "blockname", "blocksizes"};
    std::map<std::string, std::string_view> values;
    for (const std::string_view word : words_of(line)) {
      const std::size_t equals = word.find('=');
      const std::string key = lower_case(word.substr(0, equals));
      if (equals == std::string_view::npos) {
        reading_.error(here(), fmt::format("{}: `Key=value` expected", backquoted(word)));
      } else if (std::ranges::find(known, key) == known.end()) {
        reading_.unknown("key", word.substr(0, equals), here(), known);
      } else if (!values.emplace(key, word.substr(equals + 1)).second) {
        reading_.error(here(), fmt::format("key {} stands twice", backquoted(key)));
      }
    }
    if (values.contains("switchname")) {
      read_group(values, "switchname", false);
    } else if (values.contains("blockname")) {
      read_group(values, "blockname", true);
    } else if (!values.contains("blocksizes") && !values.empty()) {
      reading_.error(here(), "a line without SwitchName, BlockName or BlockSizes");
    }
  }

  void read_group(const std::map<std::string, std::string_view>& values, const char* key,
                  bool is_block) {
    const auto name = reading_.name(values.at(key), is_block ? "a block" : "a switch", here());
    if (!name) return;
    if (name->find('[') != std::string::npos) {
      reading_.error(here(), fmt::format("{}: one name expected", backquoted(*name)));
      return;
    }
    if (!is_block) placements_.add_switch(*name, here());
    const bool has_nodes = values.contains("nodes");
    const bool has_switches = values.contains("switches");
    if (!has_nodes && !has_switches) {
      reading_.error(here(), fmt::format("{} has neither Nodes nor Switches", backquoted(*name)));
    }
    if (has_switches && is_block) reading_.error(here(), "a block has Nodes, no Switches");
    if (has_nodes) {
      for (const std::string& node : names(values.at("nodes"))) {
        placements_.add_node(node, *name, is_block, here());
      }
    }
    if (has_switches && !is_block) {
      for (const std::string& child : names(values.at("switches"))) {
        placements_.add_child(child, *name, here());
      }
    }
  }

  std::vector<std::string> names(std::string_view list) {
    if (!reading_.name(list.substr(0, 255), "a list of names", here())) return {};
    auto expanded = expand_hostlist(list, placements_.left());
    if (const auto* const problem = std::get_if<std::string>(&expanded)) {
      reading_.error(here(), *problem);
      return {};
    }
    std::vector<std::string>& all = std::get<0>(expanded);
    for (const std::string& name : all) {
      if (!reading_.name(name, "a node", here())) return {};
    }
    return std::move(all);
  }

  Reading& reading_;
  Placements placements_;
  std::size_t number_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_slurm_topology(const InputFile& file) {
  if (std::ranges::none_of(file.lines(), names_slurm_group)) return std::nullopt;
  return "its lines `SwitchName=` or `BlockName=`";
}

void read_slurm_topology(const InputFile& file, Description& description) {
  Reading reading(file, description);
  const std::string contents = SlurmTopologyReader(reading).read();
  reading.finish("Slurm topology.conf", contents);
}

}  // namespace weft::import
