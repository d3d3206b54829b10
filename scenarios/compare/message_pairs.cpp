#include "scenarios/compare/message_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace weft::scenarios {
namespace {

using Pair = Comparison::MessagePair;

double difference(const Pair& pair) {
  return pair.first > 0 && pair.second > 0 ? std::abs(std::log(pair.second / pair.first)) : 0;
}

/// The messages of a run, those of the same job and ranks together by their begin. Jobs are those
/// of the first run; messages of other jobs find no partner.
std::vector<RunFolder::Message> sorted(const RunFolder& run, const RunFolder& first) {
  std::vector<std::uint32_t> job_in_first;
  for (const RunFolder::Job& job : run.jobs) {
    const auto found = std::ranges::find(first.jobs, job.name, &RunFolder::Job::name);
    job_in_first.push_back(static_cast<std::uint32_t>(found - first.jobs.begin()));
  }
  std::vector<RunFolder::Message> messages = *run.messages;
  for (RunFolder::Message& m : messages) m.job = job_in_first[m.job];
  std::ranges::stable_sort(messages, {}, [](const RunFolder::Message& m) {
    return std::tuple(m.job, m.source_rank, m.destination_rank, m.start);
  });
  return messages;
}

std::vector<Pair> pairs_of(const RunFolder& first, const RunFolder& second, Comparison& c) {
  const std::vector<RunFolder::Message> a = sorted(first, first);
  const std::vector<RunFolder::Message> b = sorted(second, first);
  const auto key = [](const RunFolder::Message& m) {
    return std::tuple(m.job, m.source_rank, m.destination_rank);
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool only_a = j == b.size() || (i < a.size() && key(a[i]) < key(b[j]));
    const bool only_b = !only_a && (i == a.size() || key(b[j]) < key(a[i]));
    if (only_a) c.unpaired += a[i++].completion ? 1 : 0;
    if (only_b) c.unpaired += b[j++].completion ? 1 : 0;
    if (only_a || only_b) continue;
    if (a[i].completion && b[j].completion) {
      pairs.push_back({a[i].job, a[i].source_rank, a[i].destination_rank, a[i].bytes,
                       *a[i].completion, *b[j].completion});
    } else if (a[i].completion || b[j].completion) {
      ++c.unpaired;
    }
    ++i;
    ++j;
  }
  return pairs;
}

}  // namespace

void pair_messages(const RunFolder& first, const RunFolder& second, std::size_t limit,
                   Comparison& c) {
  std::vector<Pair> pairs = pairs_of(first, second, c);
  c.paired = pairs.size();
  std::erase_if(pairs, [](const Pair& pair) { return pair.first == pair.second; });
  std::ranges::stable_sort(pairs, std::greater<>{},
                           [](const Pair& pair) { return difference(pair); });
  pairs.resize(std::min(limit, pairs.size()));
  c.worst_messages = std::move(pairs);
}

}  // namespace weft::scenarios
