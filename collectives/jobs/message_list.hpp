#pragma once

#include "collectives/jobs/job_specs.hpp"
#include "collectives/jobs/program.hpp"

namespace weft::collectives {

/// The messages of a list, each posted at its start, counted from the job's start. Messages of one
/// rank with the same start are posted in the order of the list. A rank ends when it has received
/// all that the list sends to it.
class MessageList final : public JobProgram {
 public:
  MessageList(ProgramSetting setting, MessagesSpec spec);

  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(std::uint32_t rank,
                                                      std::uint32_t lane) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(std::uint32_t rank,
                                                  std::uint32_t lane) const override;

 private:
  class Source;

  /// Message numbers [first[rank], first[rank + 1]) of `order` are the rank's.
  struct Index {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> order;
  };
  [[nodiscard]] Index index_by(std::uint32_t MessagesSpec::Message::*rank) const;

  ProgramSetting setting_;
  MessagesSpec spec_;  ///< in the order of starts
  Index sent_;
  Index received_;
};

}  // namespace weft::collectives
