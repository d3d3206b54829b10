#include "tools/report/trace/timeline_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/blame/explain/advice.hpp"
#include "tools/report/trace/path_hops.hpp"
#include "tools/report/trace/trace_events.hpp"

namespace weft::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNames = 20'000;
constexpr const char* kCritical = "critical path";
constexpr std::string_view kJob = "job ";  ///< begins the name of a job's process
/// Of all slices, those that are kept for critical paths.
constexpr std::size_t kCriticalPart = 4;
/// Of all arrows, the longest: one for each n slices.
constexpr std::size_t kSlicesOfArrow = 20;
/// Of all messages of critical paths, the longest: one for each n slices.
constexpr std::size_t kSlicesOfHop = 40;

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

/// From when a message was posted to when it had come.
struct Arrow {
  TraceThread from;
  double begin = 0;  ///< microseconds
  std::int64_t to = 0;
  double end = 0;
  [[nodiscard]] double length() const { return end - begin; }
  /// The shortest is the first to go.
  bool operator<(const Arrow& other) const { return length() > other.length(); }
};

/// Ends of arrows find each other, whichever is read first.
class Arrows {
 public:
  explicit Arrows(std::size_t max) : max_(max) {}

  void begin(std::uint64_t number, const TraceThread& from, double time) {
    const auto found = ends_.find(number);
    if (found == ends_.end()) {
      begins_[number] = {from, time};
      return;
    }
    keep({from, time, found->second.first, found->second.second});
    ends_.erase(found);
  }
  void end(std::uint64_t number, std::int64_t to, double time) {
    const auto found = begins_.find(number);
    if (found == begins_.end()) {
      ends_[number] = {to, time};
      return;
    }
    keep({found->second.first, found->second.second, to, time});
    begins_.erase(found);
  }

  [[nodiscard]] std::size_t seen() const { return seen_; }
  /// By begin.
  [[nodiscard]] std::vector<Arrow> take() {
    std::vector<Arrow> all;
    for (; !kept_.empty(); kept_.pop()) all.push_back(kept_.top());
    std::ranges::sort(all, {}, [](const Arrow& a) { return std::pair(a.begin, a.from); });
    return all;
  }

 private:
  void keep(const Arrow& arrow) {
    ++seen_;
    kept_.push(arrow);
    if (kept_.size() > max_) kept_.pop();
  }

  std::size_t max_;
  std::size_t seen_ = 0;
  std::priority_queue<Arrow> kept_;
  std::unordered_map<std::uint64_t, std::pair<TraceThread, double>> begins_;
  std::unordered_map<std::uint64_t, std::pair<std::int64_t, double>> ends_;
};

class Builder : public TraceEvents {
 public:
  explicit Builder(std::size_t max)
      : critical_{.max = std::max<std::size_t>(max, 1'000) / kCriticalPart},
        other_{.max = std::max<std::size_t>(max, 1'000) - critical_.max},
        arrows_(std::max<std::size_t>(max, 1'000) / kSlicesOfArrow),
        hops_(std::max<std::size_t>(max, 1'000) / kSlicesOfHop) {}

  void on_process(std::int64_t process, std::string_view name) override {
    processes_[process] = name;
    hops_.add_process(name);
  }
  void on_thread(const TraceThread& thread, std::string_view name) override {
    Track& track = tracks_[thread];
    track.process = thread.first;
    track.name = name;
    track.is_critical = name == kCritical;
  }
  void on_slice(const TraceThread& thread, const TraceSliceRead& slice) override {
    Track& track = tracks_[thread];
    for (const std::uint64_t arrow : slice.arrows) arrows_.begin(arrow, thread, slice.begin);
    name_.assign(slice.name);
    if (track.is_critical) {
      if (is_own(track, slice)) name_ = scenarios::kOwnPackets;
      hops_.add_piece(thread, slice);
      for (const std::string_view note : {slice.culprit, slice.port}) {
        name_ += '\t';
        name_ += note;
      }
    }
    track.slices.push_back({slice.begin, slice.end, number_of(name_), 1});
    Budget& budget = budget_of(track);
    if (++budget.used > 2 * budget.max) thin(budget);
  }
  void on_arrival(std::int64_t process, double time, std::uint64_t arrow) override {
    arrows_.end(arrow, process, time);
  }

  Json finish() {
    for (Budget* budget : {&critical_, &other_}) {
      while (budget->used > budget->max) thin(*budget);
    }
    for (auto& [key, track] : tracks_) join(track, 0, kinds_of(track));
    Json tracks = Json::array();
    std::map<TraceThread, std::size_t> numbers;
    for (const auto& [key, track] : tracks_) {
      if (track.slices.empty()) continue;
      numbers.emplace(key, tracks.size());
      tracks.push_back(track_json(track));
    }
    Json arrows = arrows_json(numbers);
    Json hops = hops_.json(numbers, processes_);
    return {{"names", names_},
            {"tracks", std::move(tracks)},
            {"joined_below", other_.min},
            {"critical_joined_below", critical_.min},
            {"arrows", std::move(arrows)},
            {"hops", std::move(hops)}};
  }

 private:
  /// How many slices some tracks may have, and what is done for that.
  struct Budget {
    std::size_t max = 0;
    std::size_t used = 0;
    double min = 0;  ///< microseconds; neighbours that are shorter are joined
  };

  Budget& budget_of(const Track& track) { return track.is_critical ? critical_ : other_; }

  /// A wait behind packets of the job whose critical path it is, as `said_cause` has it of blame.
  [[nodiscard]] bool is_own(const Track& track, const TraceSliceRead& slice) const {
    const auto process = processes_.find(track.process);
    if (process == processes_.end() || slice.name != "queueing") return false;
    std::string_view name = process->second;
    if (!name.starts_with(kJob)) return false;
    name.remove_prefix(kJob.size());
    return name == slice.culprit;
  }

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

  std::uint32_t kind_of(const std::string& style) {
    return kinds_.emplace(style, static_cast<std::uint32_t>(kinds_.size())).first->second;
  }

  /// Flat: number of the track, begin less the one before in nanoseconds, place of the process
  /// that it goes to, length.
  [[nodiscard]] Json arrows_json(const std::map<TraceThread, std::size_t>& numbers) {
    Json flat = Json::array();
    std::map<std::string, std::size_t> ends;
    std::int64_t before = 0;
    for (const Arrow& arrow : arrows_.take()) {
      const auto from = numbers.find(arrow.from);
      const auto to = processes_.find(arrow.to);
      if (from == numbers.end() || to == processes_.end()) continue;
      const auto begin = static_cast<std::int64_t>(std::llround(arrow.begin * 1000));
      flat.push_back(from->second);
      flat.push_back(begin - before);
      flat.push_back(place_of(to->second, ends));
      flat.push_back(static_cast<std::int64_t>(std::llround(arrow.length() * 1000)));
      before = begin;
    }
    Json names = Json::array();
    for (const auto& [name, place] : ends) names.push_back(name);
    for (const auto& [name, place] : ends) names[place] = name;
    return {{"to", std::move(names)}, {"flat", std::move(flat)}, {"seen", arrows_.seen()}};
  }
  static std::size_t place_of(const std::string& name, std::map<std::string, std::size_t>& known) {
    return known.emplace(name, known.size()).first->second;
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
  Arrows arrows_;
  PathHops hops_;
  std::string name_;  ///< of the slice that is added
  std::map<std::int64_t, std::string> processes_;
  std::map<TraceThread, Track> tracks_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> kinds_;
  std::vector<std::uint32_t> causes_;  ///< by number of the name
  std::vector<std::uint32_t> stems_;
};

}  // namespace

Json timeline_json(const fs::path& folder, std::size_t max) {
  Builder builder(max);
  std::error_code ignored;
  const fs::path perfetto = folder / "timeline.perfetto-trace";
  const fs::path json = folder / "timeline.json";
  if (fs::is_regular_file(perfetto, ignored)) {
    read_perfetto_trace(perfetto, builder);
  } else if (fs::is_regular_file(json, ignored)) {
    read_json_trace(json, builder);
  } else {
    return Json::object();
  }
  return builder.finish();
}

}  // namespace weft::report
