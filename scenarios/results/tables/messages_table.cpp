#include "scenarios/results/tables/messages_table.hpp"

#include <optional>

namespace weft::scenarios {
namespace {

/// Nothing for a time below 0, which stands for "never".
std::optional<Picoseconds> if_any(Picoseconds time) {
  return only_if(time >= Picoseconds(0), time);
}

}  // namespace

const Table<MessageRow>& MessagesTable::declaration() {
  static const Table<MessageRow> table{
      "messages.csv",
      "a message posted since the measurement began, by the time when it was over; last what never "
      "was",
      {{"job", "its name", [](const MessageRow& r) { return r.job; }},
       {"source_rank", "in the job", [](const MessageRow& r) { return r.message.source_rank; }},
       {"destination_rank", "in the job",
        [](const MessageRow& r) { return r.message.destination_rank; }},
       {"source_host", "number of the host",
        [](const MessageRow& r) { return r.message.source.value(); }},
       {"destination_host", "number of the host",
        [](const MessageRow& r) { return r.message.destination.value(); }},
       {"bytes", "payload", [](const MessageRow& r) { return r.message.bytes; }},
       {"start_s", "when it was posted", [](const MessageRow& r) { return r.message.start; }},
       {"delivered_s", "when the receiver had its last byte; empty: never",
        [](const MessageRow& r) { return if_any(r.message.delivered); }},
       {"completion_s",
        "when the sender had the last ACK, or, without ACKs, it was delivered; empty: never",
        [](const MessageRow& r) { return if_any(r.message.completed); }},
       {"fct_s", "flow completion time: from start to completion",
        [](const MessageRow& r) {
          const MessageResult& m = r.message;
          return only_if(m.is_complete(), m.completed - m.start);
        }},
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
