#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {

/// What an operation does, in a sentence.
[[nodiscard]] std::string operation_doc(Operation operation);

/// The keys of a collective, one declaration for all operations: those that this one has.
[[nodiscard]] schema::Object<CollectiveSpec> collective_schema(Operation operation);

/// Those of one call of a collective, which others repeat and delay.
[[nodiscard]] schema::Object<CollectiveSpec> call_schema(Operation operation);

[[nodiscard]] schema::Object<Execution> execution_schema();
[[nodiscard]] std::vector<schema::Enumerator<Algorithm>> algorithm_choices();
[[nodiscard]] std::vector<schema::Enumerator<std::optional<GpuGeneration>>> generation_choices();

}  // namespace weft::collectives
