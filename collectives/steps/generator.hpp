#pragma once

#include <coroutine>
#include <utility>

namespace weft::collectives {

/// A sequence that a coroutine makes one value at a time: `co_yield` hands out the next one. The
/// arguments of the coroutine live in its frame; what they refer to must outlive the generator.
template <class Value>
class Generator {
 public:
  struct promise_type {            // NOLINT(readability-identifier-naming): the language's name
    const Value* value = nullptr;  ///< in the frame of the coroutine, which stands still

    Generator get_return_object() {
      return Generator(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(const Value& next) noexcept {
      value = &next;
      return {};
    }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }  // at who asked for the next value
  };

  Generator(Generator&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator() {
    if (frame_) frame_.destroy();
  }

  /// The next value, or false after the last one.
  [[nodiscard]] bool next(Value& value) {
    if (frame_.done()) return false;
    frame_.resume();
    if (frame_.done()) return false;
    value = *frame_.promise().value;
    return true;
  }

 private:
  explicit Generator(std::coroutine_handle<promise_type> frame) : frame_(frame) {}

  std::coroutine_handle<promise_type> frame_;
};

}  // namespace weft::collectives
