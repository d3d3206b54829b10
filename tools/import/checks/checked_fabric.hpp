#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/import/checks/settings_checks.hpp"
#include "tools/import/facts/description.hpp"

namespace weft::import {

/// What a finding is about: the same fault of the same port is told once, by the first check.
enum class Aspect : std::uint8_t {
  kLossless,
  kHeadroom,
  kThreshold,
  kEcn,
  kMtu,
  kFec,
  kRate,
  kWatchdog
};

/// A port by the index of its switch in Description::switches.
struct PortAt {
  std::size_t switch_index = 0;
  std::string port;
  auto operator<=>(const PortAt&) const = default;
};

/// The settings with what their cables join.
class CheckedFabric {
 public:
  CheckedFabric(const Description& description, const CheckedTraffic& traffic);

  [[nodiscard]] const Description& description() const { return description_; }
  [[nodiscard]] std::uint32_t roce_dscp() const { return traffic_.roce_dscp; }
  [[nodiscard]] const SwitchSettings& settings(const PortAt& at) const {
    return description_.switches[at.switch_index];
  }
  [[nodiscard]] const SwitchPort& port(const PortAt& at) const {
    return settings(at).ports.find(at.port)->second;
  }
  /// `leaf01 Ethernet0`.
  [[nodiscard]] std::string name(const PortAt& at) const;
  [[nodiscard]] std::string switch_name(std::size_t index) const;
  /// All ports that are up, switch by switch, in natural order.
  [[nodiscard]] const std::vector<PortAt>& ports() const { return ports_; }
  /// Cables both ends of which have settings, each once.
  [[nodiscard]] const std::vector<std::pair<PortAt, PortAt>>& cables() const { return cables_; }
  /// The far ends of the cables of ports that have settings.
  [[nodiscard]] const std::map<PortAt, PortName>& peers() const { return peers_; }
  /// What a port faces: `servers`, `tier 2`, or `others`.
  [[nodiscard]] std::string facing(const PortAt& at) const;
  /// The longest that any file says of its cable.
  [[nodiscard]] std::optional<Stated<Millimetres>> cable_length(const PortAt& at) const;

  [[nodiscard]] bool is_told(const PortAt& at, Aspect aspect) const {
    return told_.contains({at, aspect});
  }
  void tell(const PortAt& at, Aspect aspect) { told_.insert({at, aspect}); }
  void find(SourceLocation where, std::string text);
  [[nodiscard]] Remarks take() { return std::move(remarks_); }

 private:
  [[nodiscard]] std::optional<PortAt> port_of(const PortName& name) const;
  void join(const Cable& cable);

  const Description& description_;
  CheckedTraffic traffic_;
  std::map<std::string, std::size_t> switches_;
  std::map<std::pair<std::size_t, std::string>, std::string> aliases_;
  std::map<std::string, std::string> roles_;  ///< by device
  std::vector<PortAt> ports_;
  std::vector<std::pair<PortAt, PortAt>> cables_;
  std::map<PortAt, std::string> facing_;
  std::map<PortAt, PortName> peers_;
  std::map<PortAt, Stated<Millimetres>> lengths_;
  std::set<std::pair<PortAt, Aspect>> told_;
  Remarks remarks_;
};

/// Some ports by name, `and n more` beyond three.
[[nodiscard]] std::string port_list(const CheckedFabric& fabric, const std::vector<PortAt>& ports);

/// The class that carries a code point; null: none.
[[nodiscard]] const ClassSettings* class_of_dscp(const std::vector<ClassSettings>& classes,
                                                 std::uint32_t dscp);

/// Where a class maps a code point; its own place where no line does.
[[nodiscard]] SourceLocation place_of_dscp(const ClassSettings& one, std::uint32_t dscp);

/// `file:line: key`.
[[nodiscard]] std::string place_text(const SourceLocation& where);

void check_roce_is_lossless(CheckedFabric& fabric);
void check_headroom(CheckedFabric& fabric);
void check_marking(CheckedFabric& fabric);
void check_cable_ends(CheckedFabric& fabric);
void check_odd_ones(CheckedFabric& fabric);

}  // namespace weft::import
