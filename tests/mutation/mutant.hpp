#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

/// What mutated copies of sources call (README.md): each mutant has a number, and at most one is on
/// in a run. Where the mutated operation does not exist, there is no mutant: its number is never
/// reached. Constants keep their values.
namespace weft::mutation {

/// Chosen by WEFT_MUTANT. Which mutants were reached is added to the file WEFT_MUTANT_COVERAGE:
/// modules have a choice of their own.
class Choice {
 public:
  Choice() {
    if (const char* number = std::getenv("WEFT_MUTANT")) chosen_ = std::atoi(number);
    if (const char* path = std::getenv("WEFT_MUTANT_COVERAGE")) path_ = path;
  }
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;
  ~Choice() {
    std::FILE* file = path_ == nullptr ? nullptr : std::fopen(path_, "a");
    if (file == nullptr) return;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      if (reached_[i].load(std::memory_order_relaxed)) std::fprintf(file, "%zu\n", i);
    }
    (void)std::fclose(file);
  }

  bool is_on(int number) {
    if (path_ != nullptr) {
      reached_[static_cast<std::size_t>(number)].store(true, std::memory_order_relaxed);
    }
    return number == chosen_;
  }

 private:
  static constexpr std::size_t kMax = 1U << 15U;

  int chosen_ = -1;
  const char* path_ = nullptr;
  std::array<std::atomic<bool>, kMax> reached_{};
};
inline Choice choice;

constexpr bool is_on(int number) { return !std::is_constant_evaluated() && choice.is_on(number); }

// `name` for the operator `is`, which becomes `other`.
// NOLINTBEGIN(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)
#define WEFT_MUTANT_OPERATOR(name, is, other)                                                     \
  template <class A, class B>                                                                     \
  constexpr auto name(int number, const A& a, const B& b) {                                       \
    if constexpr (requires { requires std::is_same_v<decltype(a is b), decltype(a other b)>; }) { \
      if (is_on(number)) return a other b;                                                        \
    }                                                                                             \
    return a is b;                                                                                \
  }
WEFT_MUTANT_OPERATOR(lt, <, <=)
WEFT_MUTANT_OPERATOR(le, <=, <)
WEFT_MUTANT_OPERATOR(gt, >, >=)
WEFT_MUTANT_OPERATOR(ge, >=, >)
WEFT_MUTANT_OPERATOR(eq, ==, !=)
WEFT_MUTANT_OPERATOR(ne, !=, ==)
WEFT_MUTANT_OPERATOR(add, +, -)
WEFT_MUTANT_OPERATOR(sub, -, +)
#undef WEFT_MUTANT_OPERATOR
#define WEFT_MUTANT_ASSIGNMENT(name, is, other)     \
  template <class A, class B>                       \
  constexpr A& name(int number, A& a, const B& b) { \
    if constexpr (requires { a other b; }) {        \
      if (is_on(number)) return a other b;          \
    }                                               \
    return a is b;                                  \
  }
WEFT_MUTANT_ASSIGNMENT(add_to, +=, -=)
WEFT_MUTANT_ASSIGNMENT(take_from, -=, +=)
#undef WEFT_MUTANT_ASSIGNMENT
#define WEFT_MUTANT_FUNCTION(name, other)                                              \
  template <class A>                                                                   \
  constexpr const A& name(int number, const A& a, const A& b) {                        \
    return is_on(number) ? std::other(a, b) : std::name(a, b);                         \
  }                                                                                    \
  template <class A, class... More>                                                    \
  constexpr auto name(int number, A&& a, More&&... more) {                             \
    return is_on(number) ? std::other(std::forward<A>(a), std::forward<More>(more)...) \
                         : std::name(std::forward<A>(a), std::forward<More>(more)...); \
  }                                                                                    \
  template <class A>                                                                   \
  constexpr A name(int number, std::initializer_list<A> all) {                         \
    return is_on(number) ? std::other(all) : std::name(all);                           \
  }
WEFT_MUTANT_FUNCTION(min, max)
WEFT_MUTANT_FUNCTION(max, min)
#undef WEFT_MUTANT_FUNCTION
// NOLINTEND(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)

}  // namespace weft::mutation
