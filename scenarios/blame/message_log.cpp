#include "scenarios/blame/message_log.hpp"

#include <iterator>
#include <utility>

namespace weft::scenarios {

void MessageLog::add(const protocols::MessageOutcome& m) {
  if (!m.delivered) return;
  std::uint32_t& place = place_[m.connection.value()];
  if (place == 0) {
    lists_.emplace_back();
    place = static_cast<std::uint32_t>(lists_.size());
  }
  std::vector<Message>& known = lists_[place - 1].known;
  // They come by the time when they were over, which is nearly that of their delivery.
  auto before = known.end();
  while (before != known.begin()) {
    const Message& other = *std::prev(before);
    if (std::pair(other.delivered, other.posted) <= std::pair(*m.delivered, m.posted)) break;
    --before;
  }
  known.insert(before, {.posted = m.posted,
                        .delivered = *m.delivered,
                        .acknowledged = m.acknowledged,
                        .bytes = m.bytes,
                        .queue_pair = m.queue_pair,
                        .first_sequence = m.first_sequence,
                        .last_sequence = m.last_sequence,
                        .entropy = m.entropy});
}

const MessageLog::Message* MessageLog::of(ConnectionId connection, std::uint32_t ordinal) const {
  const List* list = list_of(connection);
  if (list == nullptr || ordinal < list->forgotten) return nullptr;
  const std::size_t index = ordinal - list->forgotten;
  return index < list->known.size() ? &list->known[index] : nullptr;
}

const MessageLog::Message* MessageLog::acknowledged_at(ConnectionId connection,
                                                       Picoseconds time) const {
  const List* list = list_of(connection);
  if (list == nullptr) return nullptr;
  // It was delivered before that.
  auto m = std::ranges::upper_bound(list->known, time, {}, &Message::delivered);
  while (m != list->known.begin()) {
    --m;
    if (m->acknowledged == time) return &*m;
  }
  return nullptr;
}

const MessageLog::Message* MessageLog::delivered_at(ConnectionId connection,
                                                    Picoseconds time) const {
  const List* list = list_of(connection);
  if (list == nullptr) return nullptr;
  const auto m = std::ranges::lower_bound(list->known, time, {}, &Message::delivered);
  return m != list->known.end() && m->delivered == time ? &*m : nullptr;
}

void MessageLog::forget(ConnectionId connection, Picoseconds before) {
  const std::uint32_t place = place_[connection.value()];
  if (place == 0) return;
  List& list = lists_[place - 1];
  const auto first = std::ranges::find_if_not(list.known, [before](const Message& m) {
    return m.delivered < before && m.acknowledged < before;
  });
  list.forgotten += static_cast<std::uint32_t>(first - list.known.begin());
  list.known.erase(list.known.begin(), first);
}

}  // namespace weft::scenarios
