#include "tools/cli/explain/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "scenarios/text/csv.hpp"
#include "scenarios/text/format.hpp"
#include "simcore/base/escape.hpp"

namespace weft::cli {

Troubles troubles_of(const protocols::NetworkTotals& t) {
  return {{"buffer drops", t.buffer_drops},
          {"retransmissions", static_cast<std::int64_t>(t.packets_retransmitted)},
          {"time-outs", static_cast<std::int64_t>(t.timeouts)},
          {"pauses", t.pauses},
          {"marks", t.ecn_marked}};
}

Troubles troubles_of(const nlohmann::json& summary) {
  const auto network = summary.is_object() ? summary.find("network") : summary.end();
  if (network == summary.end() || !network->is_object()) return {};
  Troubles troubles = troubles_of(protocols::NetworkTotals());
  constexpr std::array<const char*, 5> kFields{"buffer_drops", "packets_retransmitted", "timeouts",
                                               "pfc_pauses", "ecn_marked"};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const auto field = network->find(kFields[i]);
    if (field == network->end() || !field->is_number_integer()) return {};
    troubles[i].second = field->get<std::int64_t>();
  }
  return troubles;
}

std::string why_longer(const Troubles& before, const Troubles& after) {
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i].second <= before[i].second) continue;
    text += fmt::format("{}{} {} instead of {}", text.empty() ? "" : ", ",
                        scenarios::format_count(after[i].second), after[i].first,
                        scenarios::format_count(before[i].second));
  }
  return text.empty() ? "other paths are taken, or others are in the way" : text;
}

std::optional<Picoseconds> JobVerdict::saved() const {
  if (!before || !without) return {};
  return *before - *without;
}

bool JobVerdict::helps() const {
  if (!before) return without.has_value();
  return without && *before - *without >= std::max(*before / 100, Picoseconds(1));
}

bool JobVerdict::is_unchanged() const {
  return before == without && blamed == Picoseconds(0) && (before || why_unfinished.empty());
}

bool JobVerdict::is_better_than(const JobVerdict& other) const {
  if (!without || !other.without) return without.has_value() && !other.without;
  return *without < *other.without;
}

bool JobVerdict::saves_as_much_as(const JobVerdict& other) const {
  const auto mine = saved();
  const auto others = other.saved();
  if (!mine || !others) return without.has_value() || !other.without;
  return mine->count() / 9 >= others->count() / 10;
}

std::string JobVerdict::text(const std::string& why_longer) const {
  const std::string name = escaped(job);
  if (!without) {
    return fmt::format("  {}: does not end{}{}{}\n", name, before ? "" : " either",
                       why_unfinished.empty() ? "" : ": ", escaped(why_unfinished));
  }
  if (!before) {
    return fmt::format("  {}: ends after {}; with it, it did not end\n", name,
                       scenarios::format_time(*without));
  }
  const bool is_longer = *without > *before;
  const Picoseconds change = is_longer ? *without - *before : *before - *without;
  std::string remark;
  if (is_longer) {
    remark = "; " + why_longer;
  } else if (change == Picoseconds(0)) {
    remark = "; it takes as long without: something else holds it up as much";
  } else if (!is_of_messages && 10 * change.count() < 9 * blamed.count()) {
    remark = "; other paths are nearly as long, or others still in the way";
  }
  if (is_of_messages) {
    return fmt::format("  {}: p99 of its messages {} instead of {}, {} {}{}\n", name,
                       scenarios::format_time(*without), scenarios::format_time(*before),
                       scenarios::format_time(change), is_longer ? "more" : "less", remark);
  }
  const std::string said =
      blamed == Picoseconds(0) ? "not blamed" : "blamed for " + scenarios::format_time(blamed);
  return fmt::format("  {}: {} instead of {}, {} {}; {}{}\n", name,
                     scenarios::format_time(*without), scenarios::format_time(*before),
                     scenarios::format_time(change), is_longer ? "more" : "less", said, remark);
}

nlohmann::ordered_json JobVerdict::json() const {
  nlohmann::ordered_json row{{"job", job}};
  const auto seconds = [&row](const char* key, const std::optional<Picoseconds>& time) {
    row[key] = nullptr;
    if (time) row[key] = scenarios::csv::seconds(*time);
  };
  seconds("seconds", before);
  seconds("seconds_without", without);
  row["judged_by"] = is_of_messages ? "message_p99" : "jct";
  row["blamed_seconds"] = scenarios::csv::seconds(blamed);
  if (!without && !why_unfinished.empty()) row["why_unfinished"] = why_unfinished;
  return row;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMax, names.size()); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += escaped(names[i]);
  }
  return text + (names.size() > kMax ? fmt::format(" and {} more", names.size() - kMax) : "");
}

}  // namespace weft::cli
