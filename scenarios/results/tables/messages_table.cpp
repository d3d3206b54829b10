#include "scenarios/results/tables/messages_table.hpp"

#include <optional>

namespace weft::scenarios {
namespace {

/// Nothing for a time below 0, which stands for "never".
std::optional<Picoseconds> if_any(OptionalTime time) {
  return only_if(time.has_value(), time.value_or({}));
}

}  // namespace

const Table<MessageRow>& MessagesTable::declaration() {
  static const Table<MessageRow> table{
      "messages.csv",
      "a message posted since the measurement began, by the time when it was over; last what never "
      "was",
      {message_columns::kJob,
       message_columns::kSourceRank,
       message_columns::kDestinationRank,
       {"source_host", "number of the host",
        [](const MessageRow& r) { return r.message.source.value(); }},
       {"destination_host", "number of the host",
        [](const MessageRow& r) { return r.message.destination.value(); }},
       message_columns::kBytes,
       message_columns::kStart,
       {"delivered_s", "when the receiver had its last byte; empty: never",
        [](const MessageRow& r) { return if_any(r.message.delivered); }},
       {"completion_s",
        "when the sender had the last ACK, or, without ACKs, it was delivered; empty: never",
        [](const MessageRow& r) { return if_any(r.message.completed); }},
       message_columns::kCompletionTime,
       {"ideal_s", "exact zero-load time to completion on its own path",
        [](const MessageRow& r) { return r.message.ideal; }},
       {"slowdown", "fct_s over ideal_s, never below 1",
        [](const MessageRow& r) {
          const MessageResult& m = r.message;
          return only_if(m.is_complete(), ratio(m.is_complete() ? m.slowdown() : 0));
        }}},
      nullptr};
  return table;
}

}  // namespace weft::scenarios
