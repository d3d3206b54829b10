#include "scenarios/results/message_phase.hpp"

#include "simcore/base/hash.hpp"

namespace weft::scenarios {

void RowSum::add(std::span<const std::int64_t> row) {
  // Two chains of the same values from different keys, which then fill four words.
  std::uint64_t first = row.size();
  std::uint64_t second = ~first;
  for (const std::int64_t value : row) {
    first = mix64(first, static_cast<std::uint64_t>(value));
    second = mix64(second + first, static_cast<std::uint64_t>(value));
  }
  words_[0] += first;
  words_[1] += second;
  words_[2] += mix64(first, second);
  words_[3] += mix64(second, first);
}

void RowSum::add_to(Digest& digest) const {
  for (const std::uint64_t word : words_) digest.add(word);
}

void MessagePhase::add(const MessageResult& m) {
  constexpr std::int64_t kNever = -1;
  const auto since_start = [this](Picoseconds time) {
    return time < Picoseconds(0) ? kNever : (time - start).count();
  };
  const std::array<std::int64_t, 7> row{m.source_rank,
                                        m.destination_rank,
                                        m.bytes.count(),
                                        (m.start - start).count(),
                                        since_start(m.delivered),
                                        since_start(m.completed),
                                        m.ideal.count()};
  ++messages;
  sum.add(row);
}

void MessagePhase::add_to(Digest& digest) const {
  digest.add(job);
  digest.add(iteration);
  digest.add(start.count());
  digest.add(messages);
  sum.add_to(digest);
}

}  // namespace weft::scenarios
