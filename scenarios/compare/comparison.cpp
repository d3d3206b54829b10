#include "scenarios/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "scenarios/results/tables/jobs_table.hpp"
#include "scenarios/results/tables/messages_table.hpp"
#include "scenarios/text/format.hpp"

namespace weft::scenarios {
namespace {

using Pair = Comparison::MessagePair;

double difference(double first, double second) {
  return first > 0 && second > 0 ? std::abs(std::log(second / first)) : 0;
}

double difference(const Comparison::Row& row) {
  return row.first && row.second ? difference(*row.first, *row.second) : 0;
}

double difference(const Pair& pair) { return difference(pair.first, pair.second); }

void compare_jobs(const RunFolder& first, const RunFolder& second, Comparison& c) {
  const auto find = [](const RunFolder& run, const std::string& name) {
    return std::ranges::find(run.jobs, name, &RunFolder::Job::name);
  };
  for (const RunFolder::Job& job : first.jobs) {
    const auto other = find(second, job.name);
    c.jobs.push_back({job.name, job.type, job.jct, {}});
    if (other != second.jobs.end()) c.jobs.back().second = other->jct;
  }
  for (const RunFolder::Job& job : second.jobs) {
    if (find(first, job.name) == first.jobs.end()) {
      c.jobs.push_back({job.name, job.type, {}, job.jct});
    }
  }
  std::ranges::stable_sort(c.jobs, std::greater<>{},
                           [](const Comparison::Row& row) { return difference(row); });
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

std::vector<Pair> pair_messages(const RunFolder& first, const RunFolder& second, Comparison& c) {
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

/// By nearest rank.
double percentile(std::vector<double>& values, std::size_t per_mille) {
  const std::size_t rank = std::max<std::size_t>((values.size() * per_mille + 999) / 1000, 1);
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(rank - 1));
  return values[rank - 1];
}

void compare_messages(const RunFolder& first, const RunFolder& second, std::size_t limit,
                      Comparison& c) {
  std::vector<Pair> pairs = pair_messages(first, second, c);
  c.paired = pairs.size();
  if (pairs.empty()) return;
  std::vector<double> a;
  std::vector<double> b;
  for (const Pair& pair : pairs) {
    a.push_back(pair.first);
    b.push_back(pair.second);
  }
  for (const auto& [name, per_mille] :
       {std::pair("p50", 500), std::pair("p99", 990), std::pair("max", 1000)}) {
    const auto rank = static_cast<std::size_t>(per_mille);
    c.completions.push_back({name, "", percentile(a, rank), percentile(b, rank)});
  }
  std::ranges::stable_sort(pairs, std::greater<>{},
                           [](const Pair& pair) { return difference(pair); });
  pairs.resize(std::min(limit, pairs.size()));
  c.worst_messages = std::move(pairs);
}

/// In the unit that the name of the column says.
template <class Row>
std::string quantity(const Column<Row>& column, double value) {
  const std::string_view unit = unit_of(column.name);
  if (unit == "s") return format_time(value);
  if (unit == "bytes") return format_bytes(value);
  return fmt::format("{:.4g} {}", value, unit);
}

template <class Row>
std::string quantity(const Column<Row>& column, const std::optional<double>& value) {
  return value ? quantity(column, *value) : "-";
}

std::string ratio(double first, double second) {
  return first > 0 ? fmt::format("{:.3f}", second / first) : "-";
}

std::string ratio(const Comparison::Row& row) {
  return row.first && row.second ? ratio(*row.first, *row.second) : "-";
}

}  // namespace

Comparison compare_runs(const RunFolder& first, const RunFolder& second, std::size_t limit) {
  Comparison c;
  compare_jobs(first, second, c);
  if (first.messages && second.messages) {
    compare_messages(first, second, limit, c);
  } else {
    c.notes.push_back(
        "messages are not compared: " + (first.messages ? second.folder : first.folder) +
        " has no " + MessagesTable::declaration().file);
  }
  if (first.scenario_sha256 != second.scenario_sha256) {
    c.notes.emplace_back("the scenarios differ (scenario_sha256)");
  }
  return c;
}

std::string comparison_text(const RunFolder& first, const RunFolder& second, const Comparison& c) {
  const bool has_names = first.engine != second.engine;
  const std::string a = has_names ? first.engine : "first";
  const std::string b = has_names ? second.engine : "second";
  const std::string quotient = b + "/" + a;
  std::string text = fmt::format("{}: {}\n{}: {}\n\n", a, first.folder, b, second.folder);

  TextTable jobs({"job", "type", "JCT " + a, "JCT " + b, quotient});
  for (const Comparison::Row& row : c.jobs) {
    jobs.add({row.name, row.type, quantity(job_columns::kCompletionTime, row.first),
              quantity(job_columns::kCompletionTime, row.second), ratio(row)});
  }
  text += jobs.to_string("  ") + "\n";
  if (!c.completions.empty()) {
    TextTable completions({"message completion", a, b, quotient});
    for (const Comparison::Row& row : c.completions) {
      completions.add({row.name, quantity(message_columns::kCompletionTime, row.first),
                       quantity(message_columns::kCompletionTime, row.second), ratio(row)});
    }
    text += completions.to_string("  ") + "\n";
    TextTable worst({"most different messages", "bytes", a, b, quotient});
    for (const Pair& pair : c.worst_messages) {
      worst.add({fmt::format("{} rank {} -> {}", first.jobs[pair.job].name, pair.source_rank,
                             pair.destination_rank),
                 quantity(message_columns::kBytes, static_cast<double>(pair.bytes)),
                 quantity(message_columns::kCompletionTime, pair.first),
                 quantity(message_columns::kCompletionTime, pair.second),
                 ratio(pair.first, pair.second)});
    }
    text += worst.to_string("  ") + "\n";
  }
  if (c.paired + c.unpaired > 0) {
    text += fmt::format("  {} messages compared, {} completed in one run only\n",
                        format_count(static_cast<std::int64_t>(c.paired)),
                        format_count(static_cast<std::int64_t>(c.unpaired)));
  }
  for (const std::string& note : c.notes) text += "  note: " + note + "\n";
  return text;
}

}  // namespace weft::scenarios
