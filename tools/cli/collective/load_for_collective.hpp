#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "simcore/base/units.hpp"

namespace weft::cli {

/// Reads an option, or prints what is wrong with it.
[[nodiscard]] std::optional<collectives::Operation> read_operation(const std::string& text);
[[nodiscard]] std::optional<collectives::Algorithm> read_algorithm(const std::string& text);
/// A number alone counts bytes, as in nccl-tests.
[[nodiscard]] std::optional<Bytes> read_bytes(const char* option, const std::string& text);

/// The job of that name, or the first collective; prints what is wrong.
[[nodiscard]] std::optional<std::size_t> find_collective(const scenarios::Scenario& scenario,
                                                         const std::string& name);

}  // namespace weft::cli
