#include "tools/sweep/language/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

#include "tools/sweep/language/number.hpp"

namespace weft::sweep {

struct Expression::Node {
  std::string operation;  ///< empty: a value
  Operand value;
  std::string name;  ///< instead of a value
  std::string unit;  ///< of a number; empty: none
  std::shared_ptr<const Node> left;
  std::shared_ptr<const Node> right;
};

namespace {

/// What shares and factors are of, as `5%` and `2x`.
constexpr const char* kRatio = "a ratio";

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr std::size_t kMaxText = 1'000;
constexpr int kMaxDepth = 50;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' ||
         c == ']';
}

/// Recursive descent. After a problem everything returns null at once.
class Parser {
 public:
  Parser(std::string_view text, Dialect dialect, std::vector<std::string>& names)
      : text_(text), rest_(text), dialect_(dialect), names_(names) {}

  NodePtr parse() {
    NodePtr node = any();
    pass_blanks();
    if (problem.empty() && !rest_.empty()) fail("does not end at `" + std::string(rest_) + "`");
    return problem.empty() ? node : nullptr;
  }

  std::string problem;
  std::size_t place = 0;

 private:
  NodePtr any() {
    NodePtr node = all();
    while (take_word("or")) node = join("or", node, all());
    return node;
  }
  NodePtr all() {
    NodePtr node = comparison();
    while (take_word("and")) node = join("and", node, comparison());
    return node;
  }
  NodePtr comparison() {
    NodePtr left = sum();
    static constexpr std::array<std::string_view, 6> kOperators{"<=", ">=", "==", "!=", "<", ">"};
    for (const std::string_view operation : kOperators) {
      if (take(operation)) return join(std::string(operation), left, sum());
    }
    return fail("has no comparison (<, <=, ==, !=, >=, >) " + where());
  }
  NodePtr sum() {
    NodePtr node = product();
    for (;;) {
      if (take("+")) {
        node = join("+", node, product());
      } else if (take("-")) {
        node = join("-", node, product());
      } else {
        return node;
      }
    }
  }
  NodePtr product() {
    NodePtr node = operand();
    for (;;) {
      if (take("*")) {
        node = join("*", node, operand());
      } else if (take("/")) {
        node = join("/", node, operand());
      } else {
        return node;
      }
    }
  }
  NodePtr operand() {
    if (take("(")) {
      if (++depth_ > kMaxDepth) return fail("is nested too deeply");
      NodePtr node = sum();
      --depth_;
      if (!take(")")) return fail("lacks a `)`");
      return node;
    }
    if (take("'")) return quoted();
    pass_blanks();
    const std::string_view before = rest_;
    const std::string word(rest_.substr(0, word_length()));
    if (word.empty()) return fail("lacks a value " + where());
    rest_.remove_prefix(word.size());
    auto node = std::make_shared<Node>();
    if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) {
      node->name = word;
      if (std::ranges::find(names_, word) == names_.end()) names_.push_back(word);
      return node;
    }
    std::optional<Number> number = parse_number(word);
    // `2x`, as slowdowns are printed.
    if (!number && word.ends_with('x')) {
      number = parse_number(word.substr(0, word.size() - 1));
      if (number && number->unit().empty()) {
        node->value = number->value;
        node->unit = kRatio;
        return node;
      }
      number.reset();
    }
    if (number && number->unit().empty()) number = with_unit_behind(word, *number);
    if (!number) {
      rest_ = before;
      return fail("has `" + word + "`, which is not a number with a known unit");
    }
    set(*node, *number);
    return node;
  }
  /// A unit behind a blank, as in `2 ms`, belongs to the number.
  Number with_unit_behind(const std::string& word, const Number& number) {
    const std::string_view before = rest_;
    pass_blanks();
    const std::string unit(rest_.substr(0, word_length()));
    const auto whole = unit.empty() ? std::nullopt : parse_number(word + unit);
    if (!whole || whole->unit().empty()) {
      rest_ = before;
      return number;
    }
    rest_.remove_prefix(unit.size());
    return *whole;
  }
  void set(Node& node, const Number& number) {
    constexpr double kPerCent = 100;
    constexpr double kBitsPerByte = 8;
    node.unit = number.unit();
    double value = number.value;
    if (node.unit.empty() && take("%")) {
      value /= kPerCent;
      node.unit = kRatio;
    }
    // `1GB/s`, as bandwidths are printed. A size is not divided by a metric that is called `s`.
    const bool is_per_second =
        node.unit == "B" && rest_.starts_with("/s") && (rest_.size() == 2 || !is_word(rest_[2]));
    if (dialect_ == Dialect::kExpectation && is_per_second) {
      rest_.remove_prefix(2);
      node.unit = "B/s";
    }
    if (dialect_ == Dialect::kExpectation && node.unit == "bit/s") {
      value /= kBitsPerByte;
      node.unit = "B/s";
    }
    node.value = value;
  }
  /// Of the name or number that comes next.
  [[nodiscard]] std::size_t word_length() const {
    const bool is_number =
        rest_.empty() || std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
    const bool has_hyphens = dialect_ == Dialect::kExpectation && !is_number;
    std::size_t end = 0;
    while (end < rest_.size() &&
           (is_word(rest_[end]) || (has_hyphens && end > 0 && rest_[end] == '-' &&
                                    end + 1 < rest_.size() && is_word(rest_[end + 1])))) {
      ++end;
    }
    return end;
  }
  [[nodiscard]] std::string where() const {
    return rest_.empty() ? "at its end" : "before `" + std::string(rest_) + "`";
  }
  NodePtr quoted() {
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return fail("lacks a closing quote");
    auto node = std::make_shared<Node>();
    node->value = std::string(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return node;
  }

  static NodePtr join(std::string operation, NodePtr left, NodePtr right) {
    auto node = std::make_shared<Node>();
    node->operation = std::move(operation);
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }
  void pass_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    pass_blanks();
    if (!problem.empty() || !rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool take_word(std::string_view word) {
    pass_blanks();
    if (rest_.size() > word.size() && is_word(rest_[word.size()])) return false;
    return take(word);
  }
  NodePtr fail(std::string sentence) {
    if (problem.empty()) {
      problem = std::move(sentence);
      place = text_.size() - rest_.size();
    }
    return std::make_shared<Node>();
  }

  std::string_view text_;
  std::string_view rest_;
  Dialect dialect_;
  std::vector<std::string>& names_;
  int depth_ = 0;
};

Operand value_of(const Node& node, const Lookup& lookup) {
  if (node.operation.empty()) return node.name.empty() ? node.value : lookup(node.name);
  const Operand left = value_of(*node.left, lookup);
  const Operand right = value_of(*node.right, lookup);
  if (!left || !right) return std::nullopt;
  const double* a = std::get_if<double>(&*left);
  const double* b = std::get_if<double>(&*right);
  if (a == nullptr || b == nullptr) return std::nullopt;
  switch (node.operation.front()) {
    case '+':
      return *a + *b;
    case '-':
      return *a - *b;
    case '*':
      return *a * *b;
    default:
      if (*b == 0) return std::nullopt;
      return *a / *b;
  }
}

template <class T>
bool compare(const std::string& operation, const T& a, const T& b) {
  if (operation == "<") return a < b;
  if (operation == "<=") return a <= b;
  if (operation == ">") return a > b;
  if (operation == ">=") return a >= b;
  if (operation == "==") return a == b;
  return a != b;
}

bool truth_of(const Node& node, const Lookup& lookup) {
  if (node.operation == "and") return truth_of(*node.left, lookup) && truth_of(*node.right, lookup);
  if (node.operation == "or") return truth_of(*node.left, lookup) || truth_of(*node.right, lookup);
  const Operand left = value_of(*node.left, lookup);
  const Operand right = value_of(*node.right, lookup);
  if (!left || !right || left->index() != right->index()) return false;
  if (const double* a = std::get_if<double>(&*left)) {
    return compare(node.operation, *a, std::get<double>(*right));
  }
  return compare(node.operation, std::get<std::string>(*left), std::get<std::string>(*right));
}

/// The unit of a value, as far as it is known; what is wrong goes to `problem`.
std::string unit_of_value(const Node& node, const UnitOf& unit_of, std::string& problem) {
  if (node.operation.empty()) return node.name.empty() ? node.unit : unit_of(node.name);
  std::string left = unit_of_value(*node.left, unit_of, problem);
  std::string right = unit_of_value(*node.right, unit_of, problem);
  const bool are_known = !left.empty() && !right.empty();
  const auto is_plain = [](const std::string& unit) { return unit.empty() || unit == kRatio; };
  switch (node.operation.front()) {
    case '*':
      if (left == kRatio) return right;
      if (right == kRatio) return left;
      return are_known ? std::string() : left + right;
    case '/':
      return is_plain(right) ? left : std::string();
    case '+':
    case '-':
      if (are_known && left != right && problem.empty()) problem = "adds " + left + " and " + right;
      return left.empty() ? right : left;
    default:  // a comparison
      if (are_known && left != right && problem.empty()) {
        problem = "compares " + left + " with " + right;
      }
      return {};
  }
}

void check_units(const Node& node, const UnitOf& unit_of, std::string& problem) {
  if (node.operation == "and" || node.operation == "or") {
    check_units(*node.left, unit_of, problem);
    check_units(*node.right, unit_of, problem);
  } else {
    static_cast<void>(unit_of_value(node, unit_of, problem));
  }
}

}  // namespace

std::variant<Expression, std::string> Expression::parse(const std::string& text) {
  auto read_text = read(text, Dialect::kCondition);
  if (auto* problem = std::get_if<ExpressionProblem>(&read_text)) return problem->sentence;
  return std::get<Expression>(std::move(read_text));
}

std::variant<Expression, ExpressionProblem> Expression::read(const std::string& text,
                                                             Dialect dialect) {
  if (text.size() > kMaxText) return ExpressionProblem{"is too long", kMaxText};
  Expression expression;
  expression.text_ = text;
  Parser parser(expression.text_, dialect, expression.names_);
  expression.root_ = parser.parse();
  if (!parser.problem.empty()) return ExpressionProblem{parser.problem, parser.place};
  return expression;
}

std::string Expression::unit_problem(const UnitOf& unit_of) const {
  std::string problem;
  check_units(*root_, unit_of, problem);
  return problem;
}

bool Expression::holds(const Lookup& lookup) const { return truth_of(*root_, lookup); }

}  // namespace weft::sweep
