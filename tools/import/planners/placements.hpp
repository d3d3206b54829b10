#pragma once

#include <map>
#include <set>
#include <string>

#include "tools/import/parse/reading.hpp"

namespace weft::import {

/// Which node a scheduler believes to be where: a tree of switches, or blocks.
class Placements {
 public:
  explicit Placements(Reading& reading) : reading_(reading) {}

  void add_switch(const std::string& name, const SourceLocation& where);
  void add_node(const std::string& node, const std::string& group, bool is_block,
                const SourceLocation& where);
  void add_child(const std::string& child, const std::string& parent, const SourceLocation& where);
  /// How many names a file may still stand for.
  [[nodiscard]] std::size_t left() const { return kMaxObjects - names_; }

  /// Refuses circles and switches that are not described; adds what was found.
  [[nodiscard]] std::string finish();

 private:
  void find_loops();

  Reading& reading_;
  std::map<std::string, Device> switches_;
  std::map<std::pair<std::string, bool>, Placement> nodes_;
  std::map<std::string, SwitchParent> parents_;
  std::set<std::string> blocks_;
  std::size_t names_ = 0;
};

}  // namespace weft::import
