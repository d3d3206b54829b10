#include "tools/import/parse/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::import {
namespace {

/// Of one severity and file: whoever mends these knows what is wrong with the rest.
constexpr std::size_t kMaxRemarks = 100;
constexpr std::size_t kMaxNameBytes = 255;
/// Words beyond are not told apart: each would be kept.
constexpr std::size_t kMaxUnknown = 1000;

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void Reading::add(Severity severity, SourceLocation where, std::string text) {
  has_errors_ = has_errors_ || severity == Severity::kError;
  if (++counts_[severity] > kMaxRemarks) return;
  if (where.file.empty()) where.file = file.name();
  into_.remarks.push_back({severity, std::move(text), std::move(where)});
}

void Reading::error(SourceLocation where, std::string text) {
  add(Severity::kError, std::move(where), std::move(text));
}

void Reading::warning(SourceLocation where, std::string text) {
  add(Severity::kWarning, std::move(where), std::move(text));
}

void Reading::finding(SourceLocation where, std::string text) {
  add(Severity::kFinding, std::move(where), std::move(text));
}

void Reading::unknown(std::string_view what, std::string_view word, SourceLocation where,
                      std::span<const std::string> known) {
  if (unknown_.size() >= kMaxUnknown) return;
  if (!unknown_.insert(fmt::format("{} {}", what, word)).second) return;
  const std::string help = unknown_.size() > kMaxSuggestions ? "" : did_you_mean(word, known);
  warning(std::move(where),
          fmt::format("{} {} is not known, ignored{}", what, backquoted(word), help));
}

std::optional<std::string> Reading::name(std::string_view text, std::string_view what,
                                         SourceLocation where) {
  if (text.empty()) {
    error(std::move(where), fmt::format("{} has no name", what));
  } else if (text.size() > kMaxNameBytes) {
    error(std::move(where), fmt::format("the name of {} has {} bytes; at most {} are read: {}",
                                        what, text.size(), kMaxNameBytes, backquoted(text)));
  } else if (escaped(text) != text) {
    error(std::move(where), fmt::format("the name of {} holds characters that are not shown: {}",
                                        what, backquoted(text)));
  } else {
    return std::string(text);
  }
  return std::nullopt;
}

void Reading::check_last_line() {
  if (!file.ends_inside_line()) return;
  warning(file.line(file.lines().size()),
          "the last line has no end: if the file was cut there, its last value is wrong");
}

void Reading::finish(std::string_view about, const std::string& contents) {
  for (const auto& [severity, count] : counts_) {
    if (count <= kMaxRemarks) continue;
    into_.remarks.push_back({severity,
                             fmt::format("{} more of these are not shown", count - kMaxRemarks),
                             SourceLocation{.file = file.name()}});
  }
  if (has_errors_) return;
  append(into_.servers, found.servers);
  append(into_.cables, found.cables);
  append(into_.devices, found.devices);
  append(into_.switches, found.switches);
  append(into_.placements, found.placements);
  append(into_.parents, found.parents);
  into_.recognised.push_back(fmt::format("{}: {}: {}", file.name(), about, contents));
}

std::string counted(std::size_t count, std::string_view noun) {
  const bool is_switch = noun.ends_with("ch");
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : is_switch ? "es" : "s");
}

}  // namespace weft::import
