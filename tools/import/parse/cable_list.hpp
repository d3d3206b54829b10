#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tools/import/facts/cable.hpp"
#include "tools/import/parse/reading.hpp"

namespace weft::import {

/// Collects the cables of one file, and says what cannot be: a cable from a port to itself, two in
/// one port.
class CableList {
 public:
  /// `unit` is what a cable takes in the file: `row`, `line`.
  CableList(Reading& reading, std::string_view unit) : reading_(reading), unit_(unit) {}

  /// One that a file must name once: a repetition is counted once, with a warning.
  void add(Cable cable);

  [[nodiscard]] std::size_t size() const { return reading_.found.cables.size(); }

 private:
  [[nodiscard]] std::string place(const Cable& cable) const;
  [[nodiscard]] bool is_repeated(const Cable& cable);

  Reading& reading_;
  std::string unit_;
  std::map<PortName, std::size_t> by_port_;  ///< indices of cables
};

}  // namespace weft::import
