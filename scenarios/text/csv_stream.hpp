#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace weft::scenarios {

/// A CSV file that grows during a run. Once it cannot be written, it takes no more rows and says
/// so.
class CsvStream {
 public:
  CsvStream() = default;  ///< takes nothing
  CsvStream(const std::filesystem::path& path, const std::string& header)
      : out_(path, std::ios::binary), has_failed_(!out_.good()) {
    add("{}\n", header);
    flush();
  }

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (has_failed_) return;
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kFlushAt) flush();
  }
  void flush() {
    if (has_failed_ || buffer_.size() == 0) return;
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    out_.flush();
    has_failed_ = !out_.good();
    buffer_.clear();
  }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  static constexpr std::size_t kFlushAt = 65'536;

  std::ofstream out_;
  fmt::memory_buffer buffer_;
  bool has_failed_ = false;
};

}  // namespace weft::scenarios
