#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weft::scenarios {

/// A CSV file that grows during a run. Once it cannot be written, it takes no more rows and says
/// so.
class CsvStream {
 public:
  CsvStream() = default;  ///< takes nothing
  CsvStream(const std::filesystem::path& path, const std::string& header);

  template <class... Args>
  void add(fmt::format_string<Args...> format, const Args&... args) {
    write(format, fmt::make_format_args(args...));
  }
  void flush();
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  void write(fmt::string_view format, fmt::format_args args);

  std::ofstream out_;
  std::string buffer_;
  bool has_failed_ = false;
};

}  // namespace weft::scenarios
