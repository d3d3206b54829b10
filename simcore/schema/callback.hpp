#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace weft::schema {

/// A function of a description: what a std::function is, for some thousand small lambdas. Of each
/// the compiler makes one function, where std::function needs four, and a name of its type.
/// What may be copied byte by byte, up to two words, is kept in place: pointers to members, and
/// lambdas that capture one. The rest is shared between copies, and never changed.
template <class Signature>
class Callback;

template <class R, class... Args>
class Callback<R(Args...)> {
 public:
  Callback() = default;

  template <class F>
  requires(!std::same_as<F, Callback> && std::is_invocable_r_v<R, const F&, Args...>)
      Callback(F function) {  // NOLINT: implicit, as that of std::function
    if constexpr (std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(Words)) {
      new (static_cast<void*>(&words_)) F(function);
      call_ = [](const Callback& self, Args... args) -> R {
        const void* kept = &self.words_;
        return (*static_cast<const F*>(kept))(std::forward<Args>(args)...);
      };
    } else {
      shared_ = std::make_shared<const F>(std::move(function));
      call_ = [](const Callback& self, Args... args) -> R {
        return (*static_cast<const F*>(self.shared_.get()))(std::forward<Args>(args)...);
      };
    }
  }

  [[nodiscard]] explicit operator bool() const { return call_ != nullptr; }

  R operator()(Args... args) const {
    assert(call_ != nullptr);
    return call_(*this, std::forward<Args>(args)...);
  }

 private:
  struct Words {
    std::byte* words[2] = {};
  };

  R (*call_)(const Callback& self, Args... args) = nullptr;
  Words words_;
  std::shared_ptr<const void> shared_;
};

}  // namespace weft::schema
