#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/api/weft.hpp"
#include "tools/validate/suite.hpp"

namespace weft::validate {

/// What became of a row.
struct Verdict {
  const Case* of = nullptr;
  const Row* row = nullptr;
  double simulated = 0;
  std::string unit{};
  double error = 0;  ///< relative
  bool holds = false;
  std::string failure{};  ///< why there is no number; empty: there is one

  /// It misses, and the suite does not say that it does.
  [[nodiscard]] bool is_red() const { return !holds && row->misses.empty(); }
};

struct Validation {
  std::vector<Verdict> verdicts;  ///< in the order of the suite
  /// SHA-256 over the digests of all runs, which are of the packet engine: the same on every
  /// machine.
  std::string digest;
  std::uint64_t runs = 0;

  [[nodiscard]] bool is_good() const;
};

struct Options {
  bool is_full = false;
  std::vector<std::string> changes{};  ///< of every scenario: what would they break?
  std::uint32_t workers = 0;           ///< runs at once; 0: one per core
  std::function<bool(std::size_t done, std::size_t all)> progress{};  ///< false: stop
};

/// Runs the cases. Nothing is red that a stopped validation has not run.
[[nodiscard]] Validation validate(const std::vector<Case>& suite, const Options& options);

/// A line for each row, by kind, then how many hold, and the digest.
[[nodiscard]] std::string validation_text(const Validation& validation);
[[nodiscard]] nlohmann::ordered_json validation_json(const Validation& validation);

}  // namespace weft::validate
