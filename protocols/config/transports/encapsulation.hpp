#pragma once

#include <span>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"

namespace weft::protocols {

/// What operators put around packets, and the bytes that it adds to each on the wire.
struct Encapsulation {
  const char* name;
  Bytes size;
  const char* parts;  ///< what the bytes are, and who says so
};

/// All of them.
[[nodiscard]] std::span<const Encapsulation> encapsulations();

/// What those of the names add to a packet; a name may come more than once, as tags in tags do.
/// Names that are none add nothing.
[[nodiscard]] Bytes encapsulation_size(const std::vector<std::string>& names);

/// What the key means, and what each name adds.
[[nodiscard]] std::string encapsulation_doc();

/// What is wrong with a list of names; empty if nothing is.
[[nodiscard]] std::string encapsulation_problem(const std::vector<std::string>& names);

}  // namespace weft::protocols
