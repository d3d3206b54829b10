#pragma once

#include "scenarios/results/table.hpp"
#include "scenarios/results/tables/blame/blame_table.hpp"
#include "scenarios/results/tables/classes_table.hpp"
#include "scenarios/results/tables/collectives_table.hpp"
#include "scenarios/results/tables/incidents/incidents_table.hpp"
#include "scenarios/results/tables/isolated_table.hpp"
#include "scenarios/results/tables/iterations_table.hpp"
#include "scenarios/results/tables/jobs_table.hpp"
#include "scenarios/results/tables/latency/latency_table.hpp"
#include "scenarios/results/tables/paths/path_changes_table.hpp"
#include "scenarios/results/tables/paths/path_states_table.hpp"
#include "scenarios/results/tables/pauses_table.hpp"
#include "scenarios/results/tables/ports_table.hpp"
#include "scenarios/results/tables/reactions/reactions_table.hpp"
#include "scenarios/results/tables/sizes/sizes_table.hpp"
#include "scenarios/results/tables/training_table.hpp"
#include "scenarios/results/tables/victims_table.hpp"

namespace weft::scenarios {

/// Every table of a run but that of messages, which is streamed: the one list. Digests take them in
/// this order. Names of files and columns are what scripts read: they stay.
using ResultTables =
    TableList<JobsTable, PortsTable, ClassesTable, PausesTable, CollectivesTable, IterationsTable,
              TrainingTable, VictimsTable, IsolatedTable, BlameTable, LatencyTable, SizesTable,
              IncidentsTable, PathStatesTable, PathChangesTable, ReactionsTable>;

}  // namespace weft::scenarios
