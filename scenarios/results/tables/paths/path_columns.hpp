#pragma once

#include "scenarios/results/table.hpp"

/// What path_states.csv and path_changes.csv have in common. A row has a `plane` and `changes`.
namespace weft::scenarios {

template <class Row>
[[nodiscard]] Column<Row> plane_column() {
  return {"plane", "0 where queue pairs select none", [](const Row& r) { return r.plane; },
          "plane"};
}

template <class Row>
[[nodiscard]] Column<Row> passes_column() {
  return {"skips", "times that a value became SKIP", [](const Row& r) { return r.changes.passes; },
          "skips"};
}

template <class Row>
[[nodiscard]] Column<Row> failures_column() {
  return {"failures", "times that a value became ASSUMED_BAD",
          [](const Row& r) { return r.changes.failures; }, "failures"};
}

template <class Row>
[[nodiscard]] Column<Row> recoveries_column() {
  return {"recoveries", "times that probes found such a value good again",
          [](const Row& r) { return r.changes.recoveries; }, "recoveries"};
}

}  // namespace weft::scenarios
