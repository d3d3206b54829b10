#pragma once

#include "collectives/jobs/job_specs.hpp"
#include "collectives/jobs/program.hpp"

namespace weft::collectives {

/// All ranks but the receiver send to it at once. When the receiver has a whole round, it signals
/// the senders, which start the next one. Each sender starts each round at a random time of its
/// own, uniform in [0, jitter) after it may.
class Incast final : public JobProgram {
 public:
  Incast(ProgramSetting setting, const IncastSpec& spec);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                  std::uint32_t lane) const override;

 private:
  class Sender;
  class Receiver;

  ProgramSetting setting_;
  IncastSpec spec_;
};

}  // namespace weft::collectives
