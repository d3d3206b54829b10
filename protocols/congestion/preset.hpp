#pragma once

#include <string>
#include <utility>

#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::congestion {

/// A preset as the schema of its control has it. `source` says where its values are from.
template <class Config>
[[nodiscard]] schema::Preset<Config, typename Config::Preset> preset(typename Config::Preset which,
                                                                     std::string name,
                                                                     std::string source) {
  return {which, std::move(name), std::move(source),
          [which](Config& config) { config = Config::from_preset(which); }};
}

}  // namespace weft::protocols::congestion
