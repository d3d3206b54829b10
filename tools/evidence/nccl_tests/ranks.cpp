#include "tools/evidence/nccl_tests/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/evidence/operations.hpp"

namespace weft::evidence {
namespace {

/// Of operations that are not in the table each rank has a part.
OperationFacts facts_of(std::string_view operation) {
  const OperationFacts* found = find_operation(operation);
  OperationFacts facts;
  facts.factor = BusFactor::kPart;
  return found == nullptr ? facts : *found;
}

struct Ratio {
  double min = 0;
  double max = 0;
};

/// busbw / algbw, as far as they are printed.
Ratio ratio_of(const MeasuredRow& row) {
  const Printed& bus = row.bus_bandwidth;
  const Printed& algorithm = row.algorithm_bandwidth;
  const double divisor = algorithm.value - algorithm.unit;
  return {std::max(0.0, bus.value - bus.unit) / (algorithm.value + algorithm.unit),
          divisor > 0 ? (bus.value + bus.unit) / divisor : INFINITY};
}

RankRange exactly(double ranks, std::string why) { return {ranks, ranks, std::move(why)}; }

RankRange ranks_of_row(const MeasuredRow& row, std::string_view operation) {
  const BusFactor factor = facts_of(operation).factor;
  if (factor == BusFactor::kPart && row.parts() > 1) {
    return exactly(static_cast<double>(row.parts()), "size / count");
  }
  if (factor == BusFactor::kOne || row.algorithm_bandwidth.value == 0) return {};
  const double whole = factor == BusFactor::kTwice ? 2 : 1;
  const auto ranks = [whole](double ratio) {
    return ratio < whole ? whole / (whole - ratio) : 1e9;
  };
  const Ratio ratio = ratio_of(row);
  return {.min = std::max(1.0, std::ceil(ranks(ratio.min) - 1e-9)),
          .max = std::floor(ranks(ratio.max) + 1e-9),
          .why = fmt::format("busbw / algbw is {:.2f}",
                             row.bus_bandwidth.value / row.algorithm_bandwidth.value)};
}

}  // namespace

std::string RankRange::text() const {
  if (min == max) return fmt::format("{:.0f}", min);
  if (max >= 1e9) return fmt::format("at least {:.0f}", min);
  return fmt::format("{:.0f} to {:.0f}", min, max);
}

Result<RankRange> ranks_of(const MeasuredTable& table, std::string_view operation,
                           const std::string& file) {
  RankRange range;
  int line = 0;  // of the row that says most
  for (const MeasuredRow& row : table.rows) {
    const RankRange said = ranks_of_row(row, operation);
    if (said.why.empty()) continue;
    if (said.min > range.max || said.max < range.min) {
      return Error{
          fmt::format("is of {} ranks ({}), and line {} of {} ({}): rows of one machine are "
                      "compared with one",
                      said.text(), said.why, line, range.text(), range.why),
          {file, row.line, 0, {}}};
    }
    if (said.max - said.min < range.max - range.min) {
      range.why = said.why;
      line = row.line;
    }
    range.min = std::max(range.min, said.min);
    range.max = std::min(range.max, said.max);
  }
  if (range.min == range.max) return range;
  if (!table.devices.empty() && range.has(table.devices.size())) {
    return exactly(static_cast<double>(table.devices.size()), "its list of devices");
  }
  if (table.communicator > 0 && range.has(table.communicator)) {
    return exactly(table.communicator, "NCCL's lines");
  }
  return range;
}

bool can_be_of(const MeasuredRow& row, std::string_view operation, std::size_t ranks) {
  return ranks_of_row(row, operation).has(ranks);
}

std::string contradiction(const MeasuredTable& table, std::string_view operation) {
  const OperationFacts facts = facts_of(operation);
  for (const MeasuredRow& row : table.rows) {
    if (!row.redop.empty() && facts.reduces == (row.redop == "none")) {
      return fmt::format("line {} has redop {}", row.line, row.redop);
    }
    if (!facts.has_parts() && row.parts() > 1) {
      return fmt::format("line {} is of {} parts of {} elements", row.line, row.parts(), row.count);
    }
    if (row.bus_bandwidth.value == 0) continue;  // too small to say, or of one rank
    const Ratio ratio = ratio_of(row);
    const BusFactor factor = facts_of(operation).factor;
    const double max = factor == BusFactor::kTwice ? 2 : 1;
    const double min = factor == BusFactor::kPart ? 0.5 : 1;
    if (ratio.max < min || ratio.min > max) {
      return fmt::format("line {} has busbw / algbw {:.2f}", row.line,
                         row.bus_bandwidth.value / row.algorithm_bandwidth.value);
    }
  }
  return {};
}

}  // namespace weft::evidence
