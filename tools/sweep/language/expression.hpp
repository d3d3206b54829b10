#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace weft::sweep {

/// What a name in an expression stands for; nothing: it has no value, and comparisons with it do
/// not hold.
using Operand = std::optional<std::variant<double, std::string>>;
using Lookup = std::function<Operand(const std::string& name)>;

/// The unit of what a name stands for, as Number::unit says it; empty: it has none, or nobody
/// knows.
using UnitOf = std::function<std::string(const std::string& name)>;

/// A condition such as `2 * kmin <= kmax` or `buffer_drops == 0 and p99 < 50us`: comparisons of
/// sums and products of numbers (with or without unit), names and 'texts', joined by `and` and
/// `or`.
class Expression {
 public:
  struct Node;

  Expression() = default;
  /// The expression, or a sentence that says what is wrong with `text`.
  [[nodiscard]] static std::variant<Expression, std::string> parse(const std::string& text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The names in it, each once.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool holds(const Lookup& lookup) const;
  /// What is wrong where quantities of different kinds meet, as a size and a time; empty: nothing.
  [[nodiscard]] std::string unit_problem(const UnitOf& unit_of) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::shared_ptr<const Node> root_;
};

}  // namespace weft::sweep
