#pragma once

#include <cstddef>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "scenarios/results/table.hpp"
#include "scenarios/results/tables/ports_table.hpp"

namespace weft::scenarios {

struct ClassRow {
  const Results& results;
  const PortResult& port;
  ClassId traffic_class{};
  const protocols::ClassCounters& counters;
};

/// classes.csv
struct ClassesTable {
  std::vector<protocols::ClassCounters> classes;  ///< by port, then class

  [[nodiscard]] static const Table<ClassRow>& declaration();
};

}  // namespace weft::scenarios
