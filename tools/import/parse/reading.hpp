#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tools/import/facts/description.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::import {

/// No file of a cluster has more servers, cables or entries than these; what stands for more is
/// refused before it is expanded.
inline constexpr std::size_t kMaxObjects = 1'000'000;

/// What one file says, kept back until the file is known to be sound.
class Reading {
 public:
  Reading(const InputFile& input, Description& into) : file(input), into_(into) {}

  void error(SourceLocation where, std::string text);
  void warning(SourceLocation where, std::string text);
  void finding(SourceLocation where, std::string text);
  [[nodiscard]] bool has_errors() const { return has_errors_; }

  /// A word that weft ignores: one warning for each, with the known one that may be meant.
  void unknown(std::string_view what, std::string_view word, SourceLocation where,
               std::span<const std::string> known);

  /// `text` as a name; an error where it is empty, too long, or holds what a terminal or a YAML
  /// file would not show. `what` says what it should name: `a device`.
  [[nodiscard]] std::optional<std::string> name(std::string_view text, std::string_view what,
                                                SourceLocation where);

  /// A file whose last line has no end may have been cut there.
  void check_last_line();

  /// Says that the file was recognised as `about` and holds `contents`; its facts are added if
  /// there is no error.
  void finish(std::string_view about, const std::string& contents);

  const InputFile& file;
  Description found;

 private:
  void add(Severity severity, SourceLocation where, std::string text);

  Description& into_;
  bool has_errors_ = false;
  std::map<Severity, std::size_t> counts_;
  std::set<std::string, std::less<>> unknown_;
};

/// `1 cable`, `2 cables`
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

}  // namespace weft::import
