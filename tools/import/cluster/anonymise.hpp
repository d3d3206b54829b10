#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/cluster/cluster.hpp"
#include "tools/import/source/natural_order.hpp"

namespace weft::import {

/// Replaces what names a site: its devices, addresses, GUIDs and serial numbers. The same name gets
/// the same replacement in every text, in whatever case; what is equal stays equal, what differs
/// stays different.
class Anonymiser {
 public:
  /// Servers become `server1`, `server2` ..., switches `leaf1` or `spine1`, in natural order.
  explicit Anonymiser(const Cluster& cluster);

  [[nodiscard]] std::string apply(std::string_view text);

 private:
  /// Of the word that begins at `at`: how long it is and what stands for it; nothing if it stays.
  struct Replacement {
    std::size_t length = 0;
    std::string text;
  };
  [[nodiscard]] Replacement name_at(std::string_view text, std::size_t at) const;
  [[nodiscard]] Replacement number_at(std::string_view text, std::size_t at);
  [[nodiscard]] Replacement serial_at(std::string_view text, std::size_t at);
  [[nodiscard]] const std::string& stand_in(const std::string& original, char kind);

  std::map<std::string, std::string, CaselessOrder> names_;
  std::vector<std::size_t> lengths_;  ///< of names, longest first
  std::map<std::string, std::string> stand_ins_;
  std::map<char, std::size_t> counts_;
};

}  // namespace weft::import
