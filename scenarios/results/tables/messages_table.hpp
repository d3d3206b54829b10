#pragma once

#include <string>

#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/table.hpp"

namespace weft::scenarios {

struct MessageRow {
  const std::string& job;
  const MessageResult& message;
};

/// messages.csv. Its rows are streamed: no run keeps them.
struct MessagesTable {
  [[nodiscard]] static const Table<MessageRow>& declaration();
};

}  // namespace weft::scenarios
