#include "scenarios/results/message_table.hpp"

#include <algorithm>
#include <utility>

#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

/// By nearest rank; each is found in what the one before has left unordered.
Percentiles percentiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  auto from = values.begin();
  const auto at = [&](std::size_t per_mille) {
    const std::size_t rank = std::max<std::size_t>((values.size() * per_mille + 999) / 1000, 1);
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    if (place < from) return *place;
    std::nth_element(from, place, values.end());
    from = place;
    return *place;
  };
  const double p50 = at(500);
  const double p99 = at(990);
  const double p999 = at(999);
  return {p50, p99, p999, at(1000)};
}

}  // namespace

MessageTable::MessageTable(std::vector<Ends> ends, std::vector<protocols::MessageOutcome> outcomes,
                           std::vector<Picoseconds> ideals)
    : ends_(std::move(ends)), outcomes_(std::move(outcomes)), ideals_(std::move(ideals)) {
  WEFT_CHECK(outcomes_.size() == ideals_.size(), "every message has an ideal time");
}

MessageResult MessageTable::operator[](std::size_t row) const {
  const protocols::MessageOutcome& m = outcomes_[row];
  const Ends& ends = ends_[m.connection.value()];
  return {.job = ends.job,
          .source_rank = ends.source_rank,
          .destination_rank = ends.destination_rank,
          .source = ends.source,
          .destination = ends.destination,
          .bytes = m.bytes,
          .start = m.posted,
          .delivered = m.delivered,
          .completed = ends.is_acknowledged ? m.acknowledged : m.delivered,
          .ideal = ideals_[row]};
}

MessageResult MessageTable::at(std::size_t row) const {
  WEFT_CHECK(row < size(), "the table has this row");
  return (*this)[row];
}

std::size_t MessageTable::completed(std::optional<std::uint32_t> job) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      *this, [&](const MessageResult& m) { return m.is_complete() && (!job || m.job == *job); }));
}

template <class Value>
Percentiles MessageTable::percentiles(std::optional<std::uint32_t> job, Value value) const {
  std::vector<double> values;
  values.reserve(completed(job));
  for (const MessageResult m : *this) {
    if (m.is_complete() && (!job || m.job == *job)) values.push_back(value(m));
  }
  return percentiles_of(std::move(values));
}

Percentiles MessageTable::completion_seconds(std::optional<std::uint32_t> job) const {
  return percentiles(job, [](const MessageResult& m) { return to_seconds(m.completed - m.start); });
}

Percentiles MessageTable::slowdown(std::optional<std::uint32_t> job) const {
  return percentiles(job, [](const MessageResult& m) {
    return to_seconds(m.completed - m.start) / to_seconds(m.ideal);
  });
}

}  // namespace weft::scenarios
