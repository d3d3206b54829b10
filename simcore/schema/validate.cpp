#include "simcore/schema/validate.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "simcore/text/quantity_text.hpp"

namespace weft::schema {
namespace {

constexpr std::size_t kMaxProblems = 20;

class Validation {
 public:
  std::vector<Problem> problems;

  void object(const AnyObject& object, const void* value, const std::string& prefix) {
    const std::size_t before = problems.size();
    fields(object, value, prefix);
    if (object.selected) {
      const Alternative& chosen = object.alternatives[object.selected(value)];
      fields(*chosen.object, chosen.view(value), prefix);
      if (problems.size() == before) checks(*chosen.object, chosen.view(value), prefix);
    }
    // As for whoever reads: what several keys say together matters once each of them is right.
    if (problems.size() == before) checks(object, value, prefix);
  }

 private:
  void fields(const AnyObject& object, const void* value, const std::string& prefix) {
    for (const Field& field : object.fields) {
      if (problems.size() >= kMaxProblems) return;
      if (field.applies_to(value)) this->field(field, value, prefix + field.key);
    }
  }

  void checks(const AnyObject& object, const void* value, const std::string& prefix) {
    std::vector<Problem> found;
    for (const auto& check : object.checks) check(value, found);
    for (Problem& problem : found) {
      problems.push_back({prefix + problem.key, std::move(problem.message)});
    }
  }

  void field(const Field& field, const void* value, const std::string& key) {
    if (field.kind == Kind::kObject) {
      if (const void* inner = field.view(value)) object(*field.object, inner, key + ".");
    } else if (field.kind == Kind::kObjects) {
      if (field.size(value) < field.min) problems.push_back({key, "is empty"});
      for (std::size_t i = 0; i < field.size(value) && problems.size() < kMaxProblems; ++i) {
        object(*field.object, field.element(value, i), key + "[" + std::to_string(i) + "].");
      }
    } else if (field.kind == Kind::kIntegers) {
      // The schema hands out one reference for reading and writing.
      for (const std::uint32_t number : field.integers(const_cast<void*>(value))) {
        scalar_field(field, Scalar(std::uint64_t{number}), key);
      }
    } else if (field.is_scalar()) {
      if (const auto scalar = field.get(value); scalar && !is_special(field, *scalar)) {
        scalar_field(field, *scalar, key);
      }
    }
  }

  static bool is_special(const Field& field, const Scalar& scalar) {
    return std::ranges::any_of(field.specials,
                               [&](const Special& special) { return special.value == scalar; });
  }

  void scalar_field(const Field& field, const Scalar& scalar, const std::string& key) {
    if (field.kind == Kind::kQuantity) {
      const auto text = [&](std::int64_t q) { return quantity_text(q, *field.dimension); };
      limits(std::get<std::int64_t>(scalar), field.minimum, field.maximum, text, key);
    } else if (field.kind == Kind::kInteger || field.kind == Kind::kIntegers) {
      const auto text = [](std::uint64_t number) { return std::to_string(number); };
      limits(std::get<std::uint64_t>(scalar), field.integer_minimum, field.integer_maximum, text,
             key);
    } else if (field.kind == Kind::kFraction) {
      const double number = std::get<double>(scalar);
      const Interval& interval = field.interval;
      const bool is_above = interval.includes_low ? number >= interval.low : number > interval.low;
      if (is_above && number <= interval.high) return;
      problems.push_back({key, "is " + std::to_string(number) + "; expected a number " +
                                   (interval.includes_low ? "from " : "above ") +
                                   std::to_string(interval.low) + " to " +
                                   std::to_string(interval.high)});
    }
  }

  template <class Number, class Text>
  void limits(Number number, Number min, Number max, Text text, const std::string& key) {
    if (number < min) {
      problems.push_back({key, "is " + text(number) + "; at least " + text(min) + " is needed"});
    } else if (number > max) {
      problems.push_back({key, "is " + text(number) + "; at most " + text(max) + " is possible"});
    }
  }
};

}  // namespace

std::vector<Problem> problems_of(const AnyObject& object, const void* value) {
  Validation validation;
  validation.object(object, value, "");
  return std::move(validation.problems);
}

}  // namespace weft::schema
