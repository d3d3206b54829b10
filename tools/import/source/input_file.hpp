#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/result.hpp"

namespace weft::import {

/// Files beyond this are refused: what operators hold of 10,000 servers is smaller.
inline constexpr std::size_t kMaxInputBytes = std::size_t{256} << 20U;

/// A text that somebody handed over, as readers see it: without byte-order mark, carriage returns,
/// blanks at line ends and colour codes of terminals.
class InputFile {
 public:
  InputFile(std::string name, std::string_view raw);

  /// The error says why it cannot be read: it is no regular file, too large, compressed or binary.
  [[nodiscard]] static Result<InputFile> read(const std::filesystem::path& path);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// Without line ends; the last line only if it is not empty.
  [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }
  /// Whether the text ends in the middle of a line, as files that were cut do.
  [[nodiscard]] bool ends_inside_line() const;

  /// The place of a line (from 1), and of a byte of the text.
  [[nodiscard]] SourceLocation line(std::size_t number) const;
  [[nodiscard]] SourceLocation at(std::size_t offset) const;
  /// A place inside of structured text, such as `PORT|Ethernet0.speed`.
  [[nodiscard]] SourceLocation key(std::string path) const;

  InputFile(InputFile&&) noexcept = default;
  InputFile& operator=(InputFile&&) noexcept = default;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() = default;

 private:
  std::string name_;
  // On the heap: views into a short string would not survive a move.
  std::vector<char> bytes_;
  std::string_view text_;
  std::vector<std::string_view> lines_;
};

}  // namespace weft::import
