#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tools/import/parse/cable_list.hpp"

namespace weft::import {

/// What the tools for InfiniBand say of nodes and of both ends of each cable, until they are
/// joined.
class LinkEnds {
 public:
  explicit LinkEnds(Reading& reading) : reading_(reading) {}

  struct Node {
    std::string name;  ///< of a switch, or of a host
    std::string nic;   ///< empty: a switch
    std::optional<std::string> part;
    std::uint32_t ports = 1;
    bool is_left_out = false;  ///< an aggregation node of SHARP: no cable leads to it
    SourceLocation where{};
  };
  using Port = std::pair<std::string, std::uint64_t>;  ///< id of its node, number
  struct End {
    Port peer;
    BitsPerSecond rate;
    std::optional<BitsPerSecond> full_rate;
    std::string degraded;  ///< `runs 2X, could be 4X`
    SourceLocation where{};
  };

  /// Takes a node description as the tools print it. An id stands once.
  void add_node(const std::string& id, std::string_view description, bool is_switch, Node node);
  [[nodiscard]] bool has_node(const std::string& id) const { return nodes_.contains(id); }
  void add_end(const Port& port, End end);

  /// Adds devices and cables to what was found. `says_both`: a cable that is seen from one end only
  /// is worth a warning of its own.
  void join(bool says_both);
  [[nodiscard]] std::string contents() const;

 private:
  [[nodiscard]] PortName port_name(const Port& port) const;
  [[nodiscard]] std::string shown(const Port& port) const;
  void name_switches();
  void add_devices();
  void add_cable(const Port& port, const End& end, CableList& cables);
  [[nodiscard]] bool agree(const Port& port, const End& end);

  Reading& reading_;
  std::map<std::string, Node> nodes_;
  std::map<Port, End> ends_;
  std::size_t one_sided_ = 0;
  SourceLocation first_one_sided_;
  bool says_both_ = true;
};

}  // namespace weft::import
