#pragma once

#include <optional>
#include <string>

#include "tools/evidence/measurements.hpp"
#include "tools/evidence/nccl_tests/tables.hpp"

namespace weft::evidence {

/// Says what prevents the use of a table, or limits it: no header, times of the CPU or in ms,
/// narrow rows, a run that failed or was built without MPI. False: it is of no use.
[[nodiscard]] bool check_table(const import::InputFile& file, MeasuredTable& table,
                               Remarks& remarks);

/// The operation of a table: that of its program, of the file's name, or the only one that its
/// columns allow. Nothing: said as an error.
[[nodiscard]] std::optional<std::string> settle_operation(const import::InputFile& file,
                                                          const MeasuredTable& table,
                                                          Remarks& remarks);

/// Ranks and hosts of a table, after its rows were held against them; nothing: said as errors.
[[nodiscard]] std::optional<MeasuredOn> settle_machine(const import::InputFile& file,
                                                       const MeasuredTable& table,
                                                       const std::string& operation,
                                                       Remarks& remarks);

/// What is wrong with a row of an operation on `ranks` ranks (0: not known); empty: nothing.
[[nodiscard]] std::string problem_of_row(const MeasuredRow& row, const std::string& operation,
                                         std::uint32_t ranks);

}  // namespace weft::evidence
