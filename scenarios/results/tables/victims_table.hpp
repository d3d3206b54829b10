#pragma once

#include "scenarios/results/table.hpp"
#include "scenarios/results/tables/pauses_table.hpp"

namespace weft::scenarios {

struct VictimRow {
  const Results& results;
  const VictimResult& victim;
  const protocols::VictimLoss& loss;
};

/// victims.csv; the report of pauses has its rows.
struct VictimsTable {
  [[nodiscard]] static const Table<VictimRow>& declaration();
};

}  // namespace weft::scenarios
