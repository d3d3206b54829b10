#pragma once

#include <cstdint>

#include "protocols/path_selection/choice.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols::path_selection {

struct FixedConfig {
  friend bool operator==(const FixedConfig&, const FixedConfig&) = default;
};

/// `entropy: fixed`: all packets of a queue pair carry its own, and where switches hash it take one
/// path. The engine keeps no state for it.
class Fixed {
 public:
  using Config = FixedConfig;
  using Parameters = FixedConfig;
  static constexpr const char* kName = "fixed";
  static constexpr Traits kTraits{};
  [[nodiscard]] static schema::Object<Config> schema() {
    return schema::describe<Config>("fixed entropy", "the queue pair's, in all of its packets");
  }

  void start(const Parameters& /*p*/, std::uint64_t /*key*/) {}
  [[nodiscard]] std::uint32_t next(const Parameters& /*p*/, std::uint32_t /*sequence*/,
                                   Picoseconds /*now*/) {
    return 0;
  }
  void on_ack(const Parameters& /*p*/, const AckedPacket& /*answer*/, Picoseconds /*now*/) {}
  void on_loss(const Parameters& /*p*/, std::uint32_t /*sequence*/, LossSignal /*how*/,
               Picoseconds /*now*/) {}
  void on_path_loss(const Parameters& /*p*/, std::uint32_t /*value*/, LossSignal /*how*/,
                    Picoseconds /*now*/) {}
};
static_assert(EntropyChoice<Fixed>);

}  // namespace weft::protocols::path_selection
