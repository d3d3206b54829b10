#pragma once

#include <compare>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft::import {

/// What has to be said about an input.
enum class Severity {
  kError,    ///< nothing is built from these inputs
  kWarning,  ///< a part is left out, or an assumption stands in for it
  kFinding,  ///< valid, and explains bad performance
};

/// One thing that a reader says about a file, in words that the user can act on.
struct Remark {
  Severity severity = Severity::kWarning;
  std::string text;
  SourceLocation where{};

  /// `file:line:column: key: warning: text`, without the parts that are not known.
  [[nodiscard]] std::string to_string() const;
};

using Remarks = std::vector<Remark>;

void add_error(Remarks& remarks, SourceLocation where, std::string text);
void add_warning(Remarks& remarks, SourceLocation where, std::string text);
void add_finding(Remarks& remarks, SourceLocation where, std::string text);

[[nodiscard]] bool has_errors(const Remarks& remarks);

/// `file:line` or `file key`, as comments of a scenario have it.
[[nodiscard]] std::string short_place(const SourceLocation& where);

/// A value with the place that states it.
template <class T>
struct Stated {
  T value{};
  SourceLocation where{};
};

}  // namespace weft::import
