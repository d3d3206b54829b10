#pragma once

#include <string>

#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/table.hpp"

namespace weft::scenarios {

struct MessageRow {
  const std::string& job;
  const MessageResult& message;
};

/// The columns by which messages of two runs are compared.
namespace message_columns {
inline constexpr Column<MessageRow> kJob{"job", "its name",
                                         [](const MessageRow& r) { return r.job; }};
inline constexpr Column<MessageRow> kSourceRank{
    "source_rank", "in the job", [](const MessageRow& r) { return r.message.source_rank; }};
inline constexpr Column<MessageRow> kDestinationRank{
    "destination_rank", "in the job",
    [](const MessageRow& r) { return r.message.destination_rank; }};
inline constexpr Column<MessageRow> kBytes{"bytes", "payload",
                                           [](const MessageRow& r) { return r.message.bytes; }};
inline constexpr Column<MessageRow> kStart{"start_s", "when it was posted",
                                           [](const MessageRow& r) { return r.message.start; }};
inline constexpr Column<MessageRow> kCompletionTime{
    "fct_s", "flow completion time: from start to completion", [](const MessageRow& r) {
      return only_if(r.message.is_complete(), r.message.completed.value_or({}) - r.message.start);
    }};
}  // namespace message_columns

/// messages.csv. Its rows are streamed: no run keeps them.
struct MessagesTable {
  [[nodiscard]] static const Table<MessageRow>& declaration();
};

}  // namespace weft::scenarios
