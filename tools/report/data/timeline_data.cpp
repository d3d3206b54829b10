#include "tools/report/data/timeline_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/text/text_file.hpp"

namespace weft::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNames = 20'000;
constexpr const char* kCritical = "critical path";
/// Of all slices, those that are kept for critical paths.
constexpr std::size_t kCriticalPart = 4;

struct Slice {
  double begin = 0;  ///< microseconds
  double end = 0;
  std::uint32_t name = 0;
  std::uint32_t count = 1;  ///< slices that it stands for
};

struct Track {
  std::int64_t process = 0;
  std::string name;
  bool is_critical = false;
  std::vector<Slice> slices;
};

/// Neighbours that become one slice for each kind of them, one behind the other: each is as long as
/// all of its kind, and what was between them comes last.
class SliceGroup {
 public:
  /// `kinds`: what looks alike, by the numbers of names.
  explicit SliceGroup(const std::vector<std::uint32_t>& kinds) : kinds_(kinds) {}

  [[nodiscard]] bool is_empty() const { return parts_.empty(); }
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] double end() const { return end_; }

  void add(const Slice& slice) {
    if (parts_.empty()) begin_ = end_ = slice.begin;
    // Of what lies in another slice, or over its end, no time counts twice.
    const double time = std::max(0.0, slice.end - std::max(slice.begin, end_));
    end_ = std::max(end_, slice.end);
    const std::uint32_t kind = kinds_[slice.name];
    auto part = std::ranges::find(parts_, kind, &Part::kind);
    if (part == parts_.end()) part = parts_.insert(part, Part{.kind = kind, .name = slice.name});
    part->time += time;
    part->count += slice.count;
    if (time / slice.count <= part->longest) return;
    part->longest = time / slice.count;
    part->name = slice.name;
  }

  void move_to(std::vector<Slice>& slices) {
    double at = begin_;
    for (const Part& part : parts_) {
      slices.push_back({at, at + part.time, part.name, part.count});
      at += part.time;
    }
    parts_.clear();
  }

 private:
  struct Part {
    std::uint32_t kind = 0;
    std::uint32_t name = 0;  ///< of the longest
    std::uint32_t count = 0;
    double time = 0;
    double longest = 0;
  };

  const std::vector<std::uint32_t>& kinds_;
  double begin_ = 0;
  double end_ = 0;
  std::vector<Part> parts_;
};

/// Joins neighbours of which each is shorter than `min`, with gaps that are shorter, too.
void join(Track& track, double min, const std::vector<std::uint32_t>& kinds) {
  // Of two that begin at once the longer one has the other in it.
  std::ranges::stable_sort(track.slices, [](const Slice& a, const Slice& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  constexpr double kMax = 4;  // times as long as what is joined
  std::vector<Slice> joined;
  SliceGroup group(kinds);
  for (const Slice& slice : track.slices) {
    const bool is_short = slice.end - slice.begin < min || (slice.count > 1 && min > 0);
    const bool fits = !group.is_empty() && slice.begin - group.end() < min &&
                      group.end() - group.begin() < kMax * min;
    if (!is_short || !fits) group.move_to(joined);
    if (is_short) {
      group.add(slice);
    } else {
      joined.push_back(slice);
    }
  }
  group.move_to(joined);
  track.slices = std::move(joined);
}

class Builder {
 public:
  explicit Builder(std::size_t max)
      : critical_{.max = std::max<std::size_t>(max, 1'000) / kCriticalPart},
        other_{.max = std::max<std::size_t>(max, 1'000) - critical_.max} {}

  /// An event as `weft run` writes it, one on a line.
  void add(const Json& event) {
    const std::string kind = event.value("ph", std::string());
    if (kind == "M") add_name(event);
    if (kind == "X") add_slice(event);
    if (kind == "C") ++counters_;
  }

  Json finish() {
    for (Budget* budget : {&critical_, &other_}) {
      while (budget->used > budget->max) thin(*budget);
    }
    for (auto& [key, track] : tracks_) join(track, 0, kinds_of(track));
    Json tracks = Json::array();
    for (const auto& [key, track] : tracks_) {
      if (!track.slices.empty()) tracks.push_back(track_json(track));
    }
    return {{"names", names_},
            {"tracks", std::move(tracks)},
            {"joined_below", other_.min},
            {"critical_joined_below", critical_.min}};
  }

 private:
  /// How many slices some tracks may have, and what is done for that.
  struct Budget {
    std::size_t max = 0;
    std::size_t used = 0;
    double min = 0;  ///< microseconds; neighbours that are shorter are joined
  };

  void add_name(const Json& event) {
    const auto process = event.value("pid", std::int64_t{0});
    if (!event.contains("args") || !event["args"].is_object()) return;
    const std::string name = event["args"].value("name", std::string());
    if (event.value("name", std::string()) == "process_name") {
      processes_[process] = name;
    } else if (event.contains("tid")) {
      Track& track = tracks_[{process, event.value("tid", std::int64_t{0})}];
      track.process = process;
      track.name = name;
      track.is_critical = name == kCritical;
    }
  }

  void add_slice(const Json& event) {
    Track& track =
        tracks_[{event.value("pid", std::int64_t{0}), event.value("tid", std::int64_t{0})}];
    const double begin = event.value("ts", 0.0);
    std::string name = event.value("name", std::string());
    if (track.is_critical && event.contains("args")) {
      for (const char* key : {"culprit", "port"}) {
        name += "\t" + event["args"].value(key, std::string());
      }
    }
    track.slices.push_back({begin, begin + event.value("dur", 0.0), number_of(name), 1});
    Budget& budget = budget_of(track);
    if (++budget.used > 2 * budget.max) thin(budget);
  }

  Budget& budget_of(const Track& track) { return track.is_critical ? critical_ : other_; }

  /// Joins slices; where that leaves too many, doubles the length below which they are joined.
  void thin(Budget& budget) {
    if (budget.min > 0) join_all(budget);
    constexpr double kFirst = 0.001;
    constexpr double kTooLong = 1e12;
    while (budget.used > budget.max) {
      budget.min = budget.min == 0 ? kFirst : 2 * budget.min;
      join_all(budget);
      if (budget.min > kTooLong) budget.max = budget.used;
    }
  }

  void join_all(Budget& budget) {
    budget.used = 0;
    for (auto& [key, track] : tracks_) {
      if (&budget_of(track) != &budget) continue;
      join(track, budget.min, kinds_of(track));
      budget.used += track.slices.size();
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& kinds_of(const Track& track) const {
    return track.is_critical ? causes_ : stems_;
  }

  std::uint32_t number_of(const std::string& name) {
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    if (names_.size() >= kMaxNames) return number_of(name.substr(0, name.find(' ')), 0);
    return number_of(name, 0);
  }
  std::uint32_t number_of(const std::string& name, std::uint32_t otherwise) {
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    if (names_.size() >= 2 * kMaxNames) return otherwise;
    numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    names_.push_back(name);
    // As the page colours them: causes of critical paths, and names up to their first number.
    causes_.push_back(kind_of("c" + name.substr(0, name.find('\t'))));
    stems_.push_back(kind_of("s" + name.substr(0, name.find_first_of("0123456789."))));
    return static_cast<std::uint32_t>(names_.size() - 1);
  }

  std::uint32_t kind_of(const std::string& look) {
    return kinds_.emplace(look, static_cast<std::uint32_t>(kinds_.size())).first->second;
  }

  [[nodiscard]] Json track_json(const Track& track) const {
    Json flat = Json::array();
    std::int64_t before = 0;
    for (const Slice& slice : track.slices) {
      const auto begin = static_cast<std::int64_t>(std::llround(slice.begin * 1000));
      const auto end = static_cast<std::int64_t>(std::llround(slice.end * 1000));
      flat.push_back(begin - before);
      flat.push_back(end - begin);
      flat.push_back(slice.name);
      flat.push_back(slice.count);
      before = begin;
    }
    const auto process = processes_.find(track.process);
    return {{"process", process == processes_.end() ? std::string() : process->second},
            {"name", track.name},
            {"slices", std::move(flat)}};
  }

  Budget critical_;
  Budget other_;
  std::map<std::int64_t, std::string> processes_;
  std::map<std::pair<std::int64_t, std::int64_t>, Track> tracks_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> kinds_;
  std::vector<std::uint32_t> causes_;  ///< by number of the name
  std::vector<std::uint32_t> stems_;
  std::size_t counters_ = 0;
};

}  // namespace

Json timeline_json(const fs::path& folder, std::size_t max) {
  const fs::path file = folder / "timeline.json";
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    const bool has_other = fs::exists(folder / "timeline.perfetto-trace", ignored);
    return {{"other", has_other ? "timeline.perfetto-trace" : ""}};
  }
  Builder builder(max);
  scenarios::LineReader in(file);
  while (in.next()) {
    std::string_view line = in.line();
    while (!line.empty() && (line.back() == ',' || line.back() == '\r')) {
      line.remove_suffix(1);
    }
    if (line.size() < 2 || line.front() != '{' || line.back() != '}') continue;
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object()) continue;
    try {
      builder.add(event);
    } catch (const Json::exception&) {
      continue;  // somebody else's idea of an event
    }
  }
  return builder.finish();
}

}  // namespace weft::report
