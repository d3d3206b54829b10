#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft::diagnose {

/// What `weft import` wrote behind the values of a scenario, in comments.
struct Written {
  /// No file said how switches choose among paths.
  bool assumes_load_balancing = false;
  /// By end: `enp41s0np0 to leaf01 Ethernet4, cables.csv:3`.
  std::map<std::string, std::vector<std::string>, std::less<>> cables{};

  /// All cables of a NIC or a switch, in words. Empty: no comment says it.
  [[nodiscard]] std::string cable_of(std::string_view place) const;
};

/// `overrides`: what they replace is assumed no more.
[[nodiscard]] Written written_in(std::string_view text, const std::vector<std::string>& overrides);

}  // namespace weft::diagnose
