#include "scenarios/blame/explain/advice.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scenarios/blame/explain/mending.hpp"

namespace weft::scenarios {
namespace {

constexpr CauseWords kWords[] = {
    {"compute", "computing, as planned, by {who}", "a faster GPU, or a plan with more ranks"},
    {"straggler", "waits for {who}, which takes longer than planned",
     "replace {who}, or leave {them} out of the job"},
    {"bubble", "the pipeline's bubble: {who} compute what the others wait for",
     "more micro-batches, or virtual stages"},
    {"schedule", "the job waits for a time of its own: start times, arrivals, service",
     "shorter waits of its own: `start`, `service`, `think`, or more requests at once"},
    {"launch and protocol",
     "launches, copies, additions, protocol latency and answers, most of {who}",
     "fewer and larger messages, another protocol or algorithm"},
    {"propagation", "latency of links and switches{where}", "fewer steps, or shorter paths"},
    {"serialisation", "its own bytes on the wire{where}", "fewer bytes, or faster links there"},
    {kOwnPackets, "its own bytes, in line behind each other{where}",
     "an algorithm or a placement by which fewer of its messages meet"},
    {"queueing", "behind packets of {who}{where}", "other paths or placement"},
    {"pause", "ports that were paused{where}; the storm comes from {who}",
     "marks or thresholds that act before pauses; what overloads the root"},
    {"credits", "want of credits{where}", "larger buffers, or what fills them further on"},
    {"congestion control", "held back by congestion control while the port was free, most {who}",
     "thresholds and steps of the congestion control that suit the rate of the link"},
    {"window", "a window that is full, most {who}",
     "a window of a bandwidth-delay product, rate times round trip: `weft check` says how many "
     "packets that are"},
    {"retransmission", "data that was {lost} and is sent again, most {who}",
     "a lossless class, or room in the buffer"},
    {"time-out", "time-outs of the sender, most {who}",
     "a shorter time-out, and what loses the packets"},
    {"link failure", "a link that is down{where}", "mend the link, or routes that avoid it sooner"},
    {"link retry", "frames that a link sends again, or ACKs of it that are due{where}",
     "mend the link that corrupts frames, if one does; `fabric.link_retry.timeout` above the time "
     "of "
     "an ACK, and `outstanding` and `frames` above what a round trip of the link carries"},
};

constexpr std::string_view kWindow = "window";

/// What an empty network would not have. It has windows: they are part of zero-load times.
bool is_of_excess(std::string_view cause) {
  constexpr std::string_view kOwn[] = {
      "compute",     "bubble",        "schedule", "launch and protocol",
      "propagation", "serialisation", kWindow};
  return std::ranges::find(kOwn, cause) == std::end(kOwn);
}

bool is_of_plan(std::string_view cause) {
  return cause == kOwnPackets || (cause != kWindow && !is_of_excess(cause));
}

/// The degradation that a cause comes from, the likeliest first; null: the scenario has none.
const Degradation* origin_of(std::string_view cause, const std::vector<Degradation>& degradations) {
  constexpr std::pair<const char*, const char*> kOrigins[] = {
      {"straggler", "stragglers"},       {"straggler", "jitter"},
      {"link failure", "link-failures"}, {"time-out", "link-failures"},
      {"time-out", "bit-errors"},        {"retransmission", "link-failures"},
      {"retransmission", "bit-errors"},  {"pause", "nic-pauses"},
      {"time-out", "nic-pauses"},        {"retransmission", "nic-pauses"},
      {"link retry", "bit-errors"}};
  for (const auto& [of, origin] : kOrigins) {
    const auto found = std::ranges::find(degradations, origin, &Degradation::what);
    if (cause == of && found != degradations.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

const CauseWords* words_of(std::string_view cause) {
  const auto* words = std::ranges::find(kWords, cause, &CauseWords::cause);
  return words == std::end(kWords) ? nullptr : words;
}

const char* lever_name(Lever lever) {
  switch (lever) {
    case Lever::kDegradation:
      return "degradation";
    case Lever::kSetting:
      return "setting";
    case Lever::kPlan:
      break;
  }
  return "plan";
}

Advice advice_of(const std::string& cause, Picoseconds time,
                 const std::vector<Degradation>& degradations) {
  const Degradation* origin = origin_of(cause, degradations);
  Advice advice{.lever = is_of_plan(cause) ? Lever::kPlan : Lever::kSetting,
                .against = cause,
                .text = words_of(cause) == nullptr ? "" : words_of(cause)->advice,
                .without = origin == nullptr ? "" : origin->what,
                .time = time,
                .is_of_excess = is_of_excess(cause)};
  // Against a degradation that shows as something else, what mends it helps: against what links
  // lose no buffer does.
  if (origin != nullptr && cause != "link failure" && cause != "link retry") {
    if (const std::string mending = mending_text(*origin); !mending.empty()) advice.text = mending;
    if (origin->what == "link-failures") {
      advice.text += origin->names.size() == 1 ? ", or routes that avoid it sooner"
                                               : ", or routes that avoid them sooner";
    }
    if (origin->what == "jitter") {
      advice.text = "steadier ranks, or fewer points at which all wait for the slowest";
    }
  }
  const bool is_broken = cause == "straggler" || cause == "link failure";
  if (is_broken || !advice.without.empty()) advice.lever = Lever::kDegradation;
  return advice;
}

Advice advice_of_slow_link(std::string text, Picoseconds time) {
  return {.lever = Lever::kDegradation,
          .against = std::move(text),
          .text = "mend or replace what is slow",
          .without = "slow-links",
          .time = time};
}

Advice advice_of_place(const std::string& cause, const std::string& place, const std::string& path,
                       const std::string& what, Picoseconds time) {
  return {.lever = Lever::kDegradation,
          .against = cause,
          .text = "set " + place + " as the others are: `" + path + "` changes its " + what,
          .without = "changed-settings",
          .time = time,
          .place = place};
}

Advice advice_of_tier(const std::string& set_by, Picoseconds time) {
  return {.lever = Lever::kSetting,
          .against = "zero-load time",
          .text = "more or faster links between switches: " + set_by + " has less than NICs send",
          .without = {},
          .time = time};
}

Advice advice_of_limit(const std::string& set_by, Picoseconds time) {
  return {.lever = Lever::kPlan,
          .against = "zero-load time",
          .text = "fewer bytes through " + set_by + ", or more rate there",
          .without = {},
          .time = time};
}

void rank(std::vector<Advice>& advice, Picoseconds whole) {
  constexpr std::int64_t kWorthIt = 100;  // a hundredth of the time
  std::erase_if(advice, [&](const Advice& a) {
    return a.text.empty() || a.time.count() < whole.count() / kWorthIt;
  });
  std::ranges::stable_sort(advice, [](const Advice& a, const Advice& b) {
    return a.lever != b.lever ? a.lever < b.lever : a.time > b.time;
  });
}

}  // namespace weft::scenarios
