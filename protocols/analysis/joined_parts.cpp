#include "protocols/analysis/joined_parts.hpp"

#include <algorithm>

namespace weft::protocols {
namespace {

/// Whether the end of the message is that of `part`, which is of another queue pair.
bool ends_later(const MessageOutcome& part, const MessageOutcome& than) {
  if (part.delivered == than.delivered) return part.queue_pair < than.queue_pair;
  if (!part.delivered || !than.delivered) return !part.delivered;
  return *part.delivered > *than.delivered;
}

/// Of two parts; missing if one is.
OptionalTime later(OptionalTime a, OptionalTime b) {
  return a && b ? std::max(a, b) : OptionalTime();
}

MessageOutcome joined(const MessageOutcome& a, const MessageOutcome& b) {
  MessageOutcome both = ends_later(a, b) ? a : b;
  both.bytes = a.bytes + b.bytes;
  both.delivered = later(a.delivered, b.delivered);
  both.acknowledged = later(a.acknowledged, b.acknowledged);
  return both;
}

}  // namespace

std::optional<MessageOutcome> JoinedParts::add(const MessageOutcome& part,
                                               std::uint32_t queue_pairs, std::uint32_t number) {
  Split& split = splits_[part.connection];
  split.added.resize(queue_pairs);
  const std::uint64_t place = split.added[number]++ - split.first;
  if (place >= split.wholes.size()) split.wholes.resize(place + 1);
  Whole& whole = split.wholes[place];
  whole.outcome = whole.parts == 0 ? part : joined(whole.outcome, part);
  if (++whole.parts < queue_pairs) return std::nullopt;
  // Every queue pair was through with earlier messages before.
  const MessageOutcome outcome = whole.outcome;
  split.wholes.pop_front();
  ++split.first;
  return outcome;
}

}  // namespace weft::protocols
