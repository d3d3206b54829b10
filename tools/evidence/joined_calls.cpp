#include "tools/evidence/joined_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "simcore/base/escape.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxCallRemarks = 20;  ///< of a kind; the rest is counted
constexpr std::size_t kMaxListed = 8;        ///< ranks in a message

/// What calls of several ranks have in common.
struct CallKey {
  std::string_view source;
  std::string_view group;
  std::size_t alone = 0;  ///< number of a file whose rank is not known; 0: it is
  bool is_message = false;
  std::pair<std::uint32_t, std::uint32_t> message;
  std::uint64_t sequence = 0;

  [[nodiscard]] auto tied() const {
    return std::tie(source, group, alone, is_message, message, sequence);
  }
  /// Whether calls of both are numbered in the same order.
  [[nodiscard]] bool is_in_group_of(const CallKey& other) const {
    return std::tie(source, group, alone, is_message, message) ==
           std::tie(other.source, other.group, other.alone, other.is_message, other.message);
  }
};

/// A call of a rank.
struct SeenCall {
  CallKey key;
  std::uint32_t rank = 0;
  const Call* call = nullptr;
};

std::vector<SeenCall> sorted_calls(std::span<const RankCalls> ranks) {
  std::vector<SeenCall> calls;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (const Call& call : ranks[i].calls) {
      calls.push_back({.key = {.source = ranks[i].source,
                               .group = call.group,
                               .alone = ranks[i].is_rank_known ? 0 : i + 1,
                               .is_message = call.message.has_value(),
                               .message = call.message.value_or(std::pair(0U, 0U)),
                               .sequence = call.sequence},
                       .rank = ranks[i].rank,
                       .call = &call});
    }
  }
  // Of two files of the same rank the shorter time comes first, whichever was given first.
  std::ranges::sort(calls, [](const SeenCall& a, const SeenCall& b) {
    if (a.key.tied() != b.key.tied()) return a.key.tied() < b.key.tied();
    return std::tuple(a.rank, a.call->time_us.value_or(0), a.call->bytes) <
           std::tuple(b.rank, b.call->time_us.value_or(0), b.call->bytes);
  });
  return calls;
}

std::string name_of_call(const JoinedCall& call) {
  return fmt::format("{} {} of group {}", call.operation, call.sequence, escaped(call.group));
}

std::string rank_list(const std::vector<std::uint32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(kMaxListed, ranks.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > kMaxListed) text += fmt::format(" and {} more", ranks.size() - kMaxListed);
  return text;
}

class Joiner {
 public:
  explicit Joiner(std::span<const RankCalls> ranks) : calls_(sorted_calls(ranks)) {}

  JoinedCalls join() {
    for (std::size_t begin = 0; begin < calls_.size();) {
      std::size_t end = begin;
      while (end < calls_.size() && calls_[end].key.is_in_group_of(calls_[begin].key)) ++end;
      join_group(begin, end);
      begin = end;
    }
    say_rest(mismatches_, "more calls differ between ranks");
    say_rest(absences_, "more ranks did not arrive");
    say_rest(unfinished_, "more calls were not completed");
    say_partial();
    return std::move(joined_);
  }

 private:
  void join_group(std::size_t begin, std::size_t end) {
    const std::size_t first = joined_.calls.size();
    std::set<std::uint32_t> all;
    for (std::size_t i = begin; i < end; ++i) all.insert(calls_[i].rank);
    for (std::size_t i = begin; i < end;) {
      std::size_t next = i;
      while (next < end && calls_[next].key.sequence == calls_[i].key.sequence) ++next;
      join_call(i, next);
      i = next;
    }
    if (calls_[begin].key.alone == 0) find_absent(begin, end, all);
    for (std::size_t i = first; i < joined_.calls.size(); ++i) {
      const JoinedCall& call = joined_.calls[i];
      if (!call.time_us) continue;
      if (call.is_upper_bound) ++alone_;
      if (!call.is_upper_bound && call.ranks_seen < call.group_ranks) ++partial_;
    }
  }

  void join_call(std::size_t begin, std::size_t end) {
    const Call& first = *calls_[begin].call;
    JoinedCall joined{.source = std::string(calls_[begin].key.source),
                      .group = first.group,
                      .operation = first.operation,
                      .type = first.type,
                      .sequence = first.sequence,
                      .bytes = first.bytes,
                      .group_ranks = first.message ? 2 : first.group_ranks,
                      .message = first.message,
                      .where = first.where};
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> unfinished;
    double longest = 0;
    bool is_alike = true;
    for (std::size_t i = begin; i < end; ++i) {
      const SeenCall& other = calls_[i];
      if (!seen.insert(other.rank).second) continue;  // a second file, or a repeated number
      if (!other.call->is_finished) unfinished.push_back(other.rank);
      if (other.call->operation != first.operation || other.call->bytes != first.bytes) {
        if (is_alike) say_mismatch(joined, calls_[begin], other);
        is_alike = false;
      }
      if (!other.call->time_us) continue;
      const double time = *other.call->time_us;
      longest = std::max(longest, time);
      if (joined.time_us && *joined.time_us <= time) continue;
      joined.time_us = time;
      joined.last_rank = other.rank;
    }
    joined.ranks_seen = static_cast<std::uint32_t>(seen.size());
    joined.is_upper_bound = seen.size() < 2;
    if (joined.time_us) joined.skew_us = longest - *joined.time_us;
    if (!is_alike) joined.time_us.reset();  // it is no time of one collective
    if (!unfinished.empty() && ++unfinished_ <= kMaxCallRemarks) {
      add_finding(joined_.remarks, joined.where,
                  fmt::format("{} was called by {} and not completed: {} of {} ranks have a file",
                              name_of_call(joined), rank_list(unfinished), joined.ranks_seen,
                              joined.group_ranks == 0 ? std::string("unknown")
                                                      : std::to_string(joined.group_ranks)));
    }
    joined_.calls.push_back(std::move(joined));
  }

  void say_mismatch(const JoinedCall& joined, const SeenCall& a, const SeenCall& b) {
    if (++mismatches_ > kMaxCallRemarks) return;
    add_finding(joined_.remarks, b.call->where,
                fmt::format("call {} of group {} differs: rank {} calls {} of {} bytes, rank {} {} "
                            "of {} bytes",
                            joined.sequence, escaped(joined.group), a.rank, a.call->operation,
                            a.call->bytes, b.rank, b.call->operation, b.call->bytes));
  }

  /// Ranks that have calls of the group, and none where others have. Before its first one a rank's
  /// buffer may have run over.
  void find_absent(std::size_t begin, std::size_t end, const std::set<std::uint32_t>& all) {
    if (all.size() < 2) return;
    std::map<std::uint32_t, std::vector<std::uint64_t>> numbers;
    std::set<std::uint64_t> known;
    for (std::size_t i = begin; i < end; ++i) {
      numbers[calls_[i].rank].push_back(calls_[i].key.sequence);
      known.insert(calls_[i].key.sequence);
    }
    for (const auto& [rank, own] : numbers) {
      const std::uint64_t last = own.back();
      const auto behind = known.upper_bound(last);
      if (behind == known.end()) continue;
      if (++absences_ > kMaxCallRemarks) continue;
      const auto missed = std::distance(behind, known.end());
      add_finding(joined_.remarks, calls_[begin].call->where,
                  fmt::format("rank {} has no call {} of group {}, which others have, and none of "
                              "the {} after it: it did not arrive, or its file ends earlier",
                              rank, *behind, escaped(calls_[begin].key.group), missed - 1));
    }
  }

  void say_rest(std::size_t count, const char* what) {
    if (count <= kMaxCallRemarks) return;
    add_finding(joined_.remarks, {}, fmt::format("{} {}", count - kMaxCallRemarks, what));
  }

  void say_partial() {
    if (alone_ > 0) {
      add_warning(
          joined_.remarks, {},
          fmt::format("{} call{} known of one rank alone: its times hold what it waited for "
                      "others, and are upper bounds; hand in files of more ranks",
                      alone_, alone_ == 1 ? " is" : "s are"));
    }
    if (partial_ > 0) {
      add_warning(joined_.remarks, {},
                  fmt::format("{} call{} known of some of their ranks: the shortest time of those "
                              "is taken",
                              partial_, partial_ == 1 ? " is" : "s are"));
    }
  }

  std::vector<SeenCall> calls_;
  JoinedCalls joined_;
  std::size_t mismatches_ = 0;
  std::size_t absences_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t alone_ = 0;
  std::size_t partial_ = 0;
};

}  // namespace

JoinedCalls join_calls(std::span<const RankCalls> ranks) { return Joiner(ranks).join(); }

std::vector<Series> series_of_calls(const JoinedCalls& joined, std::span<const RankCalls> ranks) {
  using Key = std::tuple<std::string, std::string, std::uint32_t, bool>;
  std::map<Key, std::map<std::int64_t, std::vector<const JoinedCall*>>> curves;
  for (const JoinedCall& call : joined.calls) {
    if (!call.time_us || call.bytes == 0) continue;
    curves[{call.operation, call.type, call.group_ranks, call.is_upper_bound}][call.bytes]
        .push_back(&call);
  }
  MeasuredOn on;
  for (const RankCalls& rank : ranks) {
    if (on.gpu.empty()) on.gpu = rank.gpu;
    if (on.nccl_version.empty()) on.nccl_version = rank.nccl_version;
  }
  std::vector<Series> all;
  for (auto& [key, sizes] : curves) {
    Series series{.operation = std::get<0>(key),
                  .type = std::get<1>(key),
                  .is_upper_bound = std::get<3>(key),
                  .on = on};
    series.on.ranks = std::get<2>(key);
    for (auto& [bytes, calls] : sizes) {
      std::ranges::stable_sort(calls, {}, [](const JoinedCall* call) { return *call->time_us; });
      const JoinedCall& median = *calls[(calls.size() - 1) / 2];
      series.times.push_back({bytes, *median.time_us, median.where});
    }
    series.where = series.times.front().where;
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace weft::evidence
