#include "tools/sweep/language/conditions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace weft::sweep {
namespace {

/// Conditions wherever they are: errors of links, and how long cables are.
constexpr std::array<std::string_view, 3> kAnywhere{"bit_error_rate", "frame_loss_rate", "length"};

/// Of a job: what it sends, to whom, when, and how evenly. How it sends is a choice.
constexpr std::array<std::string_view, 35> kOfJobs{
    "after",   "arrivals", "blocks",     "clients",   "csv",    "data_type",  "destinations",
    "experts", "fan_out",  "iterations", "jitter",    "list",   "load",       "model",
    "nodes",   "noise",    "off",        "on",        "pairs",  "period",     "receiver",
    "repeats", "request",  "response",   "responses", "rounds", "senders",    "service",
    "size",    "sizes",    "skip",       "start",     "stop",   "stragglers", "think"};

/// `jobs[0].batch.global` as jobs, batch, global.
std::vector<std::string> keys_of(std::string_view path) {
  std::vector<std::string> keys(1);
  bool is_index = false;
  for (const char c : path) {
    if (c == '.') keys.emplace_back();
    is_index = c == '[' || (is_index && c != ']');
    if (c != '.' && c != ']' && !is_index) keys.back() += c;
  }
  return keys;
}

template <class List>
bool holds(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

bool is_condition(std::string_view path) {
  const std::vector<std::string> keys = keys_of(path);
  if (keys.front() == "faults" || holds(kAnywhere, keys.back())) return true;
  if (keys.size() < 2) return false;
  if (keys[0] == "links" && keys[1] == "changes") return true;
  if (keys[0] != "jobs") return false;
  return holds(kOfJobs, keys[1]) || (keys[1] == "batch" && keys.back() == "global");
}

}  // namespace weft::sweep
