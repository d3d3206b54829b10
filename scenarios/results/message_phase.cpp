#include "scenarios/results/message_phase.hpp"

#include "simcore/base/hash.hpp"

namespace weft::scenarios {

RowName::RowName(std::uint32_t source_rank, std::uint32_t destination_rank) {
  const std::uint64_t pair = std::uint64_t{source_rank} << 32U | destination_rank;
  for (std::size_t i = 0; i < factors_.size(); ++i) factors_[i] = mix64(i, pair) | 1U;
}

void RowSum::add(const RowName& name, std::span<const std::int64_t> row, std::int64_t time) {
  // Two chains of the same values from different keys, which then fill four words.
  std::uint64_t first = row.size();
  std::uint64_t second = ~first;
  for (const std::int64_t value : row) {
    first = mix64(first, static_cast<std::uint64_t>(value));
    second = mix64(second + first, static_cast<std::uint64_t>(value));
  }
  const std::array<std::uint64_t, 4> hash{first, second, mix64(first, second),
                                          mix64(second, first)};
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const std::uint64_t named = hash[i] * name.factors_[i];
    words_[i] += named;
    moments_[i] += named * static_cast<std::uint64_t>(time);
  }
}

void RowSum::add(const RowName& name, const RowSum& rows, std::uint64_t copies,
                 std::uint64_t shifts) {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    words_[i] += name.factors_[i] * rows.words_[i] * copies;
    moments_[i] += name.factors_[i] * (rows.moments_[i] * copies + rows.words_[i] * shifts);
  }
}

void RowSum::add_to(Digest& digest) const {
  for (const std::uint64_t word : words_) digest.add(word);
  for (const std::uint64_t moment : moments_) digest.add(moment);
}

void add_message(RowSum& sum, const RowName& name, const MessageResult& m, Picoseconds start) {
  constexpr std::int64_t kNever = -1;
  const auto since_begin = [&m](OptionalTime time) {
    return time ? (*time - m.start).count() : kNever;
  };
  const std::array<std::int64_t, 4> row{m.bytes.count(), since_begin(m.delivered),
                                        since_begin(m.completed), m.ideal.count()};
  sum.add(name, row, (m.start - start).count());
}

void MessagePhase::add(const MessageResult& m) {
  ++messages;
  add_message(sum, RowName(m.source_rank, m.destination_rank), m, start);
}

void MessagePhase::add_to(Digest& digest) const {
  digest.add(job);
  digest.add(iteration);
  digest.add(start.count());
  digest.add(messages);
  sum.add_to(digest);
}

}  // namespace weft::scenarios
