#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Values as bytes, to a process of the same build or of another one on the same kind of machine.
namespace weft::scenarios {

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(const T& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    out_ += text;
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_arithmetic_v<T>) {
      out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) add(value);
    }
  }

 private:
  std::string& out_;
};

/// Reads what a ByteWriter wrote. What is not there, or cannot be, makes it fail: then values are
/// empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view in) : rest_(in) {}

  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void read(T& value) {
    if (!holds(1, sizeof value)) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  void read(std::string& text) {
    std::uint64_t size = 0;
    read(size);
    if (!holds(size, 1)) return;
    text.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  template <class T>
  void read(std::vector<T>& values) {
    std::uint64_t size = 0;
    read(size);
    if constexpr (std::is_arithmetic_v<T>) {
      if (!holds(size, sizeof(T))) return;
      values.resize(size);
      if (size == 0) return;  // an empty vector has no place to copy to
      std::memcpy(values.data(), rest_.data(), size * sizeof(T));
      rest_.remove_prefix(size * sizeof(T));
    } else {
      if (!holds(size, 1)) return;
      values.resize(size);
      for (T& value : values) read(value);
    }
  }

 private:
  [[nodiscard]] bool holds(std::uint64_t count, std::size_t each) {
    if (!has_failed_ && count <= rest_.size() / each) return true;
    has_failed_ = true;
    return false;
  }

  std::string_view rest_;
  bool has_failed_ = false;
};

}  // namespace weft::scenarios
