#pragma once

#include <cstddef>
#include <cstdint>
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

/// How names and rates of an expression are read.
enum class Dialect : std::uint8_t {
  kCondition,    ///< of sweeps: `kmax-kmin` is a difference
  kExpectation,  ///< of results: names have hyphens, as in `jobs.all-reduce.jct_seconds`, and a
                 ///< rate such as 50Gbps is one of bytes, as all rates of summary.json are
};

/// What is wrong with an expression, and the character before which that is, from 0.
struct ExpressionProblem {
  std::string sentence;
  std::size_t place = 0;
};

/// A condition such as `2 * kmin <= kmax` or `buffer_drops == 0 and p99 < 50us`: comparisons of
/// sums and products of numbers (with or without unit, or as `5%`), names and 'texts', joined by
/// `and` and `or`.
class Expression {
 public:
  struct Node;

  Expression() = default;
  /// The expression, or a sentence that says what is wrong with `text`.
  [[nodiscard]] static std::variant<Expression, std::string> parse(const std::string& text);
  [[nodiscard]] static std::variant<Expression, ExpressionProblem> read(const std::string& text,
                                                                        Dialect dialect);

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
