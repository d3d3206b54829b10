#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

/// SHA-256 (FIPS 180-4) over a stream of values: what a run's results are compared by.
///
/// Integers enter as 64-bit two's complement, little-endian, whatever their type and the machine.
/// There is deliberately no overload for floating point: a digest depends on integers only.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(Digest&& other) noexcept;
  Digest& operator=(Digest&& other) noexcept;

  template <std::integral T>
  void add(T value) {
    add_word(static_cast<std::uint64_t>(value));
  }
  /// The length as an integer, then the characters, so that neighbouring texts cannot run together.
  void add_text(std::string_view text);
  /// The bytes alone, as `sha256sum` counts them.
  void add_bytes(std::string_view bytes);

  /// The digest of everything added so far, as 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;

 private:
  struct Context;

  void add_word(std::uint64_t word);
  void flush();

  std::unique_ptr<Context> context_;
  std::array<char, 1024> buffer_{};
  std::size_t buffered_ = 0;
};

/// The digest of `bytes` alone: what `sha256sum` prints for a file with this content.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace weft
