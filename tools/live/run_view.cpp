#include "tools/live/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "scenarios/text/format.hpp"

namespace weft::live {
namespace {

using scenarios::format_bytes;
using scenarios::format_count;
using scenarios::format_time;
using scenarios::Progress;
using scenarios::RunState;

constexpr double kSlowdownScale = 1e6;
constexpr std::size_t kNameColumns = 20;
constexpr std::size_t kPortColumns = 30;
constexpr std::size_t kBarColumns = 20;
constexpr std::size_t kPortRows = 8;
/// Lines besides those of jobs: three of the head, titles, and blank ones between.
constexpr std::size_t kOtherRows = 8;
constexpr double kBusy = 0.8;
constexpr double kLongTail = 10;

std::string slowdown_text(const Histogram& slowdowns, double p) {
  if (slowdowns.is_empty()) return "-";
  const double value = static_cast<double>(slowdowns.quantile(p)) / kSlowdownScale;
  return fmt::format("{:.4g}", value);
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

RunView::Look RunView::look(const Progress& progress, std::size_t ports) {
  Look look;
  const Clock::time_point now = Clock::now();
  look.seconds = std::chrono::duration<double>(now - begin_).count();
  const double since = std::chrono::duration<double>(now - looked_at_).count();
  // A second run, such as that of blame, counts from zero again.
  const std::uint64_t fresh = progress.count < count_ ? progress.count : progress.count - count_;
  if (since > 0) look.rate = static_cast<double>(fresh) / since;
  looked_at_ = now;
  count_ = progress.count;
  look.tails = tails_;
  if (!progress.state) return look;
  look.state = progress.state(ports);
  for (const auto& message : look.state.messages) look.tails[message.job].add(message);
  return look;
}

std::vector<Line> RunView::picture(const Progress& progress, std::size_t columns,
                                   std::size_t rows) {
  const Look now = look(progress, kPortRows);
  std::vector<Line> lines;
  add_head(progress, now, columns, lines);
  const std::size_t other = kOtherRows + now.state.ports.size();
  add_jobs(now, rows > other ? rows - other : 1, lines);
  add_ports(now, lines);
  return lines;
}

void RunView::add_head(const Progress& progress, const Look& look, std::size_t columns,
                       std::vector<Line>& lines) const {
  const std::string right_text = duration_text(look.seconds) + ", Ctrl-C ends the run";
  const std::size_t width = columns > right_text.size() ? columns - right_text.size() : 0;
  lines.push_back(
      {{left("weft  " + e_.scenario.name, width), Tone::kStrong}, {right_text, Tone::kFaint}});
  Line second{{"simulated " + format_time(progress.now)}};
  if (progress.done) {
    second.push_back(
        {fmt::format("  {} {:.0f} %{}", bar(*progress.done, kBarColumns),
                     100 * std::min(*progress.done, 1.0), time_left(progress, look.seconds))});
  }
  lines.push_back(std::move(second));
  std::string third = fmt::format("{:.3g} million {}/s", look.rate * 1e-6, unit_);
  if (progress.in_flight > 0) {
    third += fmt::format(", {} packets in flight",
                         format_count(static_cast<std::int64_t>(progress.in_flight)));
  }
  lines.push_back({{third, Tone::kFaint}});
  if (!progress.stall.empty()) {
    lines.push_back({{left(progress.stall, columns), Tone::kAlarm}});
  }
}

std::vector<std::size_t> RunView::order_of_jobs(const Look& look) const {
  std::vector<std::size_t> order(tails_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (look.state.jobs.empty()) return order;
  const auto rank = [&](std::size_t j) {
    const RunState::Job& job = look.state.jobs[j];
    return job.is_finished ? 2 : job.has_begun ? 0 : 1;
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

void RunView::add_jobs(const Look& look, std::size_t most, std::vector<Line>& lines) const {
  lines.emplace_back();
  lines.push_back({{left("job", kNameColumns) + left("state", 10) + right("steps", 7) +
                        right("last step", 12) + right("mean", 12) + right("messages", 12) +
                        right("slowdown p50", 14) + right("p99", 10) + right("max", 10),
                    Tone::kFaint}});
  std::size_t shown = 0;
  for (const std::size_t j : order_of_jobs(look)) {
    if (shown++ == most) {
      lines.push_back({{fmt::format("and {} more jobs", tails_.size() - most), Tone::kFaint}});
      break;
    }
    const bool is_known = j < look.state.jobs.size();
    const RunState::Job job = is_known ? look.state.jobs[j] : RunState::Job{};
    const Histogram& slowdowns = look.tails[j].slowdowns;
    const bool is_long = !slowdowns.is_empty() &&
                         static_cast<double>(slowdowns.quantile(0.99)) > kLongTail * kSlowdownScale;
    lines.push_back(
        {{left(e_.scenario.jobs[j].name, kNameColumns - 1) + " ", Tone::kStrong},
         {left(is_known ? state_text(job) : "-", 10), job.is_finished ? Tone::kFaint : Tone::kCalm},
         {right(job.steps > 0 ? format_count(job.steps) : "-", 7)},
         {right(time_text(job.last_step), 12) + right(time_text(job.mean_step), 12)},
         {right(format_count(static_cast<std::int64_t>(slowdowns.count())), 12)},
         {right(slowdown_text(slowdowns, 0.5), 14)},
         {right(slowdown_text(slowdowns, 0.99), 10) + right(slowdown_text(slowdowns, 1), 10),
          is_long ? Tone::kAlarm : Tone::kPlain}});
  }
}

void RunView::add_ports(const Look& look, std::vector<Line>& lines) const {
  if (look.state.ports.empty()) return;
  lines.emplace_back();
  lines.push_back({{left("hottest ports", kPortColumns) + right("queue", 12) + right("busy", 8),
                    Tone::kFaint}});
  for (const RunState::Port& port : look.state.ports) {
    lines.push_back({{left(e_.fabric.port_name(port.port), kPortColumns - 1) + " "},
                     {right(format_bytes(static_cast<double>(port.queue.count())), 12)},
                     {right(fmt::format("{:.0f} %", 100 * port.utilisation), 8) + "  "},
                     {bar(port.utilisation, kBarColumns),
                      port.utilisation > kBusy ? Tone::kBusy : Tone::kCalm}});
  }
}

std::string RunView::sentence(const Progress& progress) {
  const Look now = look(progress, 1);
  std::string text = "simulated " + format_time(progress.now);
  if (progress.done) {
    text += fmt::format(", {:.0f} %{}", 100 * std::min(*progress.done, 1.0),
                        time_left(progress, now.seconds));
  }
  if (!progress.stall.empty()) text += "; " + progress.stall;
  std::size_t named = 0;
  for (const std::size_t j : order_of_jobs(now)) {
    constexpr std::size_t kMostNamed = 3;
    if (named++ == kMostNamed) break;
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
