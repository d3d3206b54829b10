#include "tools/live/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "scenarios/text/format.hpp"
#include "scenarios/text/plain_number.hpp"
#include "simcore/base/escape.hpp"
#include "tools/io/millions.hpp"

namespace weft::live {
namespace {

using scenarios::format_bytes;
using scenarios::format_count;
using scenarios::format_time;
using scenarios::Progress;
using scenarios::RunState;

constexpr double kSlowdownScale = 1e6;
constexpr std::size_t kNameColumns = 20;  ///< of a job at most, and of a port
constexpr std::size_t kPortColumns = 30;
constexpr std::size_t kBarColumns = 20;
constexpr std::size_t kPortRows = 8;
/// Lines besides the head, jobs and ports: titles, blank ones before them, and how many jobs more.
constexpr std::size_t kOtherRows = 5;
constexpr double kBusy = 0.8;
constexpr double kLongTail = 10;

std::string slowdown_text(const Histogram& slowdowns, double p) {
  if (slowdowns.is_empty()) return "-";
  const double value = static_cast<double>(slowdowns.quantile(p)) / kSlowdownScale;
  return scenarios::plain_number(value, 4);
}

std::string time_text(const std::optional<Picoseconds>& time) {
  return time ? format_time(*time) : std::string("-");
}

/// What remains if the rest goes as fast as what is done; empty: nobody knows.
std::string time_left(const Progress& progress, double seconds) {
  if (!progress.done || *progress.done <= 0 || *progress.done >= 1 || !progress.stall.empty()) {
    return {};
  }
  const double done = std::min(*progress.done, 1.0);
  return ", " + duration_text(seconds * (1 - done) / done) + " left";
}

const char* state_text(const RunState::Job& job) {
  if (job.is_finished) return "finished";
  return job.has_begun ? "runs" : "waits";
}

/// What is said of a job beside its name, and how many columns it takes.
struct Field {
  const char* title;
  std::size_t columns;
  int rank;  ///< what has the greatest goes first where a terminal is narrow
};
constexpr std::array<Field, 8> kFields{{{"state", 9, 2},
                                        {"steps", 7, 3},
                                        {"last step", 11, 5},
                                        {"mean", 10, 6},
                                        {"messages", 11, 4},
                                        {"slowdown p50", 14, 1},
                                        {"p99", 9, 0},
                                        {"max", 9, 0}}};

/// Which of them fit beside a name of `columns` in `max`.
std::array<bool, kFields.size()> fields_that_fit(std::size_t columns, std::size_t max) {
  std::array<bool, kFields.size()> fits{};
  fits.fill(true);
  for (const Field& field : kFields) columns += field.columns;
  for (int rank = static_cast<int>(kFields.size()); rank > 0 && columns > max; --rank) {
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      if (kFields[i].rank != rank) continue;
      fits[i] = false;
      columns -= kFields[i].columns;
    }
  }
  return fits;
}

/// A bar of what a line has left beside `columns`, which has its ends, too; empty if that is
/// nothing.
std::string bar_beside(double share, std::size_t columns, std::size_t max) {
  constexpr std::size_t kEnds = 2;
  constexpr std::size_t kMin = 4;
  if (columns + kEnds + kMin > max) return {};
  return bar(share, std::min(kBarColumns, max - columns - kEnds));
}

/// Columns of the names of jobs, and of one behind them.
std::size_t name_columns(const scenarios::Experiment& e) {
  std::size_t longest = std::string_view("job").size();
  for (const auto& job : e.scenario.jobs) longest = std::max(longest, escaped(job.name).size());
  return std::min(longest + 1, kNameColumns);
}

}  // namespace

RunView::RunView(const scenarios::Experiment& experiment, std::string unit)
    : e_(experiment), unit_(std::move(unit)), tails_(experiment.workload.jobs().size()) {}

void RunView::Tail::add(const scenarios::MessageResult& message) {
  if (!message.is_complete() || message.ideal <= Picoseconds(0)) return;
  slowdowns.add(std::llround(message.slowdown() * kSlowdownScale));
}

void RunView::add(const scenarios::MessageResult& message) { tails_[message.job].add(message); }

void RunView::show(Display& display, const Progress& progress, bool is_last) {
  display.update({.picture =
                      [&](int columns, int rows) {
                        return picture(progress, static_cast<std::size_t>(std::max(columns, 1)),
                                       static_cast<std::size_t>(std::max(rows, 1)));
                      },
                  .sentence = [&] { return sentence(progress); }},
                 is_last);
}

RunView::Snapshot RunView::snapshot(const Progress& progress, std::size_t ports) {
  Snapshot snapshot;
  const Clock::time_point now = Clock::now();
  snapshot.seconds = std::chrono::duration<double>(now - begin_).count();
  const double since = std::chrono::duration<double>(now - words_checked_).count();
  // A second run, such as that of blame, counts from zero again.
  const std::uint64_t fresh = progress.count < count_ ? progress.count : progress.count - count_;
  if (since > 0) snapshot.rate = static_cast<double>(fresh) / since;
  words_checked_ = now;
  count_ = progress.count;
  snapshot.tails = tails_;
  if (!progress.state) return snapshot;
  snapshot.state = progress.state(ports);
  for (const auto& message : snapshot.state.messages) snapshot.tails[message.job].add(message);
  return snapshot;
}

std::vector<Line> RunView::picture(const Progress& progress, std::size_t columns,
                                   std::size_t rows) {
  const Snapshot now = snapshot(progress, kPortRows);
  std::vector<Line> lines;
  add_head(progress, now, columns, lines);
  const std::size_t other = lines.size() + kOtherRows + now.state.ports.size();
  add_jobs(now, columns, rows > other ? rows - other : 1, lines);
  add_ports(now, columns, lines);
  return lines;
}

void RunView::add_head(const Progress& progress, const Snapshot& snapshot, std::size_t columns,
                       std::vector<Line>& lines) const {
  const std::string right_text = duration_text(snapshot.seconds) + ", Ctrl-C ends the run";
  const std::size_t width = columns > right_text.size() ? columns - right_text.size() : 0;
  lines.push_back(
      {{left("weft  " + e_.scenario.name, width), Tone::kStrong}, {right_text, Tone::kFaint}});
  std::string second = "simulated " + format_time(progress.now) + "  ";
  if (progress.done) {
    const std::string share = fmt::format(" {:.0f} %{}", 100 * std::min(*progress.done, 1.0),
                                          time_left(progress, snapshot.seconds));
    second += bar_beside(*progress.done, second.size() + share.size(), columns) + share;
  }
  lines.push_back({{second}});
  std::string third = fmt::format("{} million {}/s", format_millions(snapshot.rate), unit_);
  if (progress.in_flight > 0) {
    third += fmt::format(", {} packets in flight",
                         format_count(static_cast<std::int64_t>(progress.in_flight)));
  }
  lines.push_back({{third, Tone::kFaint}});
  if (!progress.stall.empty()) {
    lines.push_back({{left(progress.stall, columns), Tone::kAlarm}});
  }
}

std::vector<std::size_t> RunView::order_of_jobs(const Snapshot& snapshot) const {
  std::vector<std::size_t> order(tails_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (snapshot.state.jobs.empty()) return order;
  const auto rank = [&](std::size_t j) {
    const RunState::Job& job = snapshot.state.jobs[j];
    return job.is_finished ? 2 : job.has_begun ? 0 : 1;
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

void RunView::add_jobs(const Snapshot& snapshot, std::size_t columns, std::size_t max,
                       std::vector<Line>& lines) const {
  const std::size_t width = name_columns(e_);
  const auto fits = fields_that_fit(width, columns);
  Line titles{{left("job", width), Tone::kFaint}};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (!fits[i]) continue;
    const Field& field = kFields[i];
    const std::string title =
        i == 0 ? left(field.title, field.columns) : right(field.title, field.columns);
    titles.push_back({title, Tone::kFaint});
  }
  lines.emplace_back();
  lines.push_back(std::move(titles));
  std::size_t shown = 0;
  for (const std::size_t j : order_of_jobs(snapshot)) {
    if (shown++ == max) {
      lines.push_back({{fmt::format("and {} more jobs", tails_.size() - max), Tone::kFaint}});
      break;
    }
    const bool is_known = j < snapshot.state.jobs.size();
    const RunState::Job job = is_known ? snapshot.state.jobs[j] : RunState::Job{};
    const Histogram& slowdowns = snapshot.tails[j].slowdowns;
    const bool is_long = !slowdowns.is_empty() &&
                         static_cast<double>(slowdowns.quantile(0.99)) > kLongTail * kSlowdownScale;
    const Tone tail = is_long ? Tone::kAlarm : Tone::kPlain;
    const std::array<Piece, kFields.size()> pieces{
        {{is_known ? state_text(job) : "-", job.is_finished ? Tone::kFaint : Tone::kCalm},
         {job.steps > 0 ? format_count(job.steps) : "-"},
         {time_text(job.last_step)},
         {time_text(job.mean_step)},
         {format_count(static_cast<std::int64_t>(slowdowns.count()))},
         {slowdown_text(slowdowns, 0.5)},
         {slowdown_text(slowdowns, 0.99), tail},
         {slowdown_text(slowdowns, 1), tail}}};
    Line line{{left(e_.scenario.jobs[j].name, width - 1) + " ", Tone::kStrong}};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!fits[i]) continue;
      const auto& [text, tone] = pieces[i];
      const std::size_t places = kFields[i].columns;
      line.push_back({i == 0 ? left(text, places) : right(text, places), tone});
    }
    lines.push_back(std::move(line));
  }
}

void RunView::add_ports(const Snapshot& snapshot, std::size_t columns,
                        std::vector<Line>& lines) const {
  if (snapshot.state.ports.empty()) return;
  lines.emplace_back();
  const std::size_t width = std::min(kPortColumns, columns > 24 ? columns - 20 : 4);
  lines.push_back(
      {{left("hottest ports", width) + right("queue", 12) + right("busy", 8), Tone::kFaint}});
  for (const RunState::Port& port : snapshot.state.ports) {
    lines.push_back({{left(e_.fabric.port_name(port.port), width - 1) + " "},
                     {right(format_bytes(static_cast<double>(port.queue.count())), 12)},
                     {right(fmt::format("{:.0f} %", 100 * port.utilisation), 8) + "  "},
                     {bar_beside(port.utilisation, width + 22, columns),
                      port.utilisation > kBusy ? Tone::kBusy : Tone::kCalm}});
  }
}

std::string RunView::sentence(const Progress& progress) {
  const Snapshot now = snapshot(progress, 1);
  std::string text = "simulated " + format_time(progress.now);
  if (progress.done) {
    text += fmt::format(", {:.0f} %{}", 100 * std::min(*progress.done, 1.0),
                        time_left(progress, now.seconds));
  }
  if (!progress.stall.empty()) text += "; " + progress.stall;
  std::size_t named = 0;
  for (const std::size_t j : order_of_jobs(now)) {
    constexpr std::size_t kMaxNamed = 3;
    if (named++ == kMaxNamed) break;
    text += "; " + e_.scenario.jobs[j].name + ":";
    if (j < now.state.jobs.size() && now.state.jobs[j].steps > 0) {
      text += fmt::format(" {} steps, the last {},", now.state.jobs[j].steps,
                          time_text(now.state.jobs[j].last_step));
    }
    const Histogram& slowdowns = now.tails[j].slowdowns;
    text += fmt::format(" {} messages", format_count(static_cast<std::int64_t>(slowdowns.count())));
    if (!slowdowns.is_empty()) {
      text += fmt::format(", slowdown p50 {} p99 {} max {}", slowdown_text(slowdowns, 0.5),
                          slowdown_text(slowdowns, 0.99), slowdown_text(slowdowns, 1));
    }
  }
  if (!now.state.ports.empty()) {
    const RunState::Port& port = now.state.ports.front();
    text +=
        fmt::format("; hottest {}: {} queued, {:.0f} % busy", e_.fabric.port_name(port.port),
                    format_bytes(static_cast<double>(port.queue.count())), 100 * port.utilisation);
  }
  return text;
}

}  // namespace weft::live
