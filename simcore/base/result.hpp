#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft {

/// Where in the user's input something stands. Empty parts are not known or do not apply.
struct SourceLocation {
  std::string file{};
  int line = 0;       ///< 1-based; 0 if unknown
  int column = 0;     ///< 1-based; 0 if unknown
  std::string key{};  ///< path of the key, such as `fabric.ecn.kmin` or `jobs[2].size`
};

/// One thing that is wrong with the user's input, in words the user can act on.
struct Error {
  std::string message;
  SourceLocation where{};

  /// `file:line:column: key: message`, without the parts that are not known.
  [[nodiscard]] std::string to_string() const;
};

using Errors = std::vector<Error>;

/// Either a value or the errors that prevented it. Input errors travel this way; exceptions do not
/// cross a folder's boundary.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}              // NOLINT: implicit by intent
  Result(Errors errors) : state_(std::move(errors)) {}       // NOLINT: implicit by intent
  Result(Error error) : state_(Errors{std::move(error)}) {}  // NOLINT: implicit by intent

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() & {
    assert(ok());
    return std::get<T>(state_);
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return std::get<T>(state_);
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::get<T>(std::move(state_));
  }
  [[nodiscard]] const Errors& errors() const {
    assert(!ok());
    return std::get<Errors>(state_);
  }

 private:
  std::variant<T, Errors> state_;
};

}  // namespace weft
