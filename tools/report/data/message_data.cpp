#include "tools/report/data/message_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "simcore/base/histogram.hpp"
#include "simcore/messages/size_class.hpp"
#include "tools/report/data/size_names.hpp"

namespace weft::report {
namespace {

constexpr double kPicoseconds = 1e12;
/// Slowdowns are counted in millionths.
constexpr double kSlowdownScale = 1e6;

struct Group {
  Histogram times;
  Histogram slowdowns;
  std::uint64_t unfinished = 0;

  void merge(const Group& other) {
    times.merge(other.times);
    slowdowns.merge(other.slowdowns);
    unfinished += other.unfinished;
  }
};

/// Dense where a curve is looked at: even steps, then ever closer to 1.
std::vector<double> probabilities() {
  std::vector<double> all;
  all.reserve(80);
  for (int i = 0; i < 36; ++i) all.push_back(0.025 * i);
  for (double rest = 0.1; rest > 5e-7; rest /= 10) {
    for (const double part : {1.0, 0.7, 0.5, 0.3, 0.2, 0.14}) all.push_back(1 - rest * part);
  }
  all.push_back(1);
  return all;
}

Json quantiles(const Histogram& values, double scale) {
  Json list = Json::array();
  const double finest = 1.0 - 0.5 / static_cast<double>(std::max<std::uint64_t>(values.count(), 1));
  for (const double p : probabilities()) {
    if (p > finest && p < 1) continue;
    list.push_back(Json::array(
        {short_number(p), short_number(static_cast<double>(values.quantile(p)) / scale)}));
  }
  return list;
}

Json group_json(const std::string& job, const std::string& size, const Group& group) {
  return {{"job", job},
          {"size", size},
          {"count", group.times.count()},
          {"unfinished", group.unfinished},
          {"seconds", quantiles(group.times, kPicoseconds)},
          {"slowdown", quantiles(group.slowdowns, kSlowdownScale)}};
}

class Collector {
 public:
  explicit Collector(std::size_t tail) : max_(tail) {}

  void add(TailMessage message, bool is_finished) {
    const Bytes size(std::max<std::int64_t>(1, std::llround(message.bytes)));
    auto& group = groups_[{order_of(message.job), size_class_of(size)}];
    if (!group) group = std::make_unique<Group>();
    if (!is_finished) {
      ++group->unfinished;
      return;
    }
    group->times.add(std::llround(std::max(0.0, message.time) * kPicoseconds));
    group->slowdowns.add(std::llround(std::max(0.0, message.slowdown) * kSlowdownScale));
    keep(std::move(message));
  }

  MessageData finish() {
    MessageData data;
    data.distributions = Json::array();
    const auto whole = std::make_unique<Group>();
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const auto job = std::make_unique<Group>();
      Json sizes = Json::array();
      for (const auto& [key, group] : groups_) {
        if (key.first != j) continue;
        job->merge(*group);
        sizes.push_back(group_json(jobs_[j], kSizeNames[key.second], *group));
      }
      whole->merge(*job);
      data.distributions.push_back(group_json(jobs_[j], "", *job));
      if (sizes.size() > 1)
        data.distributions.insert(data.distributions.end(), sizes.begin(), sizes.end());
    }
    if (jobs_.size() > 1) {
      data.distributions.insert(data.distributions.begin(), group_json("", "", *whole));
    }
    std::ranges::sort(tail_, &is_slower);
    data.tail = std::move(tail_);
    return data;
  }

 private:
  static bool is_slower(const TailMessage& a, const TailMessage& b) {
    return std::pair(a.slowdown, a.time) > std::pair(b.slowdown, b.time);
  }

  std::size_t order_of(const std::string& job) {
    const auto [at, is_new] = numbers_.emplace(job, jobs_.size());
    if (is_new) jobs_.push_back(job);
    return at->second;
  }

  /// A heap whose top is the least slowed down of those kept.
  void keep(TailMessage message) {
    if (max_ == 0 || (tail_.size() == max_ && !is_slower(message, tail_.front()))) return;
    if (tail_.size() == max_) {
      std::ranges::pop_heap(tail_, &is_slower);
      tail_.pop_back();
    }
    tail_.push_back(std::move(message));
    std::ranges::push_heap(tail_, &is_slower);
  }

  std::size_t max_;
  std::vector<std::string> jobs_;
  std::map<std::string, std::size_t> numbers_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::unique_ptr<Group>> groups_;
  std::vector<TailMessage> tail_;
};

}  // namespace

Result<MessageData> read_messages(const std::filesystem::path& folder, std::size_t tail) {
  TableReader table(folder / "messages.csv");
  constexpr std::array kColumns{
      "job",     "source_rank", "destination_rank", "source_host", "destination_host", "bytes",
      "start_s", "fct_s",       "slowdown"};
  std::array<std::size_t, kColumns.size()> places{};
  for (std::size_t i = 0; i < kColumns.size(); ++i) places[i] = table.column(kColumns[i]);
  Collector collector(tail);
  while (table.next()) {
    const auto whole = [&](std::size_t i) {
      return static_cast<std::uint32_t>(std::max(0.0, table.number_or_zero(places[i])));
    };
    TailMessage message{.job = std::string(table.text(places[0])),
                        .source_rank = whole(1),
                        .destination_rank = whole(2),
                        .source_host = whole(3),
                        .destination_host = whole(4),
                        .bytes = table.number_or_zero(places[5]),
                        .start = table.number_or_zero(places[6]),
                        .time = table.number_or_zero(places[7]),
                        .slowdown = table.number_or_zero(places[8])};
    collector.add(std::move(message), table.number(places[7]).has_value());
  }
  if (!table.errors().empty()) return table.errors();
  return collector.finish();
}

}  // namespace weft::report
