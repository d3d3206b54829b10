#pragma once

#include <string>

#include "collectives/spec/collective_spec.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// What an operation does, in a sentence.
[[nodiscard]] std::string operation_doc(Operation operation);

/// The keys of a collective, one declaration for all operations: those that this one has.
[[nodiscard]] schema::Object<CollectiveSpec> collective_schema(Operation operation);

}  // namespace weft::collectives
