#pragma once

#include "topologies/clos/clos_spec.hpp"

namespace weft::topologies {

/// The fabric of the short form in full: rack r is attached to leaf r, every leaf on every spine.
[[nodiscard]] ClosSpec clos_of(const LeafSpineSpec& spec);

}  // namespace weft::topologies
