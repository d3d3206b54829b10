#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// All ranks but one send to that one at once.
struct IncastSpec {
  std::uint32_t receiver = 0;
  Bytes size;  ///< per sender and round
  std::uint32_t rounds = 1;
  Picoseconds jitter;                      ///< each sender starts a round uniformly within it
  std::optional<std::uint32_t> senders{};  ///< absent: all ranks but the receiver
};

/// All ranks but the receiver send to it at once. When the receiver has a whole round, it signals
/// the senders, which start the next one. Each sender starts each round at a random time of its
/// own, uniform in [0, jitter) after it may.
class Incast final : public JobProgram {
 public:
  using Spec = IncastSpec;
  static constexpr bool kIsOpenLoop = false;
  [[nodiscard]] static const char* type_name(const Spec&) { return "incast"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  [[nodiscard]] static std::optional<RankDemand> rank_demand(const Spec& spec);
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t most_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);

  Incast(ProgramSetting setting, const IncastSpec& spec);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

 private:
  class Sender;
  class Receiver;

  ProgramSetting setting_;
  IncastSpec spec_;
};

}  // namespace weft::collectives
