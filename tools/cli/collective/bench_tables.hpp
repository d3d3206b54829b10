#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "scenarios/results/results.hpp"
#include "tools/evidence/nccl_tests/row.hpp"

namespace weft::cli {

/// A size of a bench.
struct BenchRow {
  std::int64_t size = 0;
  std::string redop;
  std::string root;
  double time_us = 0;
  double algorithm_bandwidth = 0;  ///< GB/s
  double bus_bandwidth = 0;
  std::string algorithm;
  std::string protocol;

  [[nodiscard]] std::string how() const {
    return protocol == "none" ? algorithm : algorithm + "/" + protocol;
  }
};

/// Of the last call of a job; nothing if there was none.
[[nodiscard]] std::optional<BenchRow> row_of(const scenarios::Results& results, std::size_t job,
                                             const collectives::CollectiveSpec& spec);

/// What NCCL's execution came to for a call: `execution nccl: ring in simple, 24 channels, ...`.
[[nodiscard]] std::string execution_text(const collectives::CollectiveSpec& spec);

/// The table of nccl-tests.
class BenchTable {
 public:
  explicit BenchTable(bool is_csv) : is_csv_(is_csv) {}

  void add(const BenchRow& row);

 private:
  void header() const;

  bool is_csv_;
  bool has_header_ = false;
};

/// Beside what was measured.
class ComparedTable {
 public:
  ComparedTable(bool is_csv, const std::vector<evidence::MeasuredRow>& measured)
      : is_csv_(is_csv), measured_(measured) {}

  void add(std::int64_t asked, const BenchRow& row);
  /// Of all sizes: what is meant by the error of a table.
  void conclude() const;

 private:
  void header() const;

  bool is_csv_;
  const std::vector<evidence::MeasuredRow>& measured_;
  std::vector<double> errors_;
};

}  // namespace weft::cli
