#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "scenarios/text/zstd_stream.hpp"

namespace weft::scenarios {

/// A CSV file that grows during a run; packed if its name ends in `.zst`, and then whole once it is
/// finished. Once it cannot be written, it takes no more rows and says so.
class CsvStream {
 public:
  CsvStream() = default;  ///< takes nothing
  CsvStream(const std::filesystem::path& path, const std::string& header);

  template <class... Args>
  void add(fmt::format_string<Args...> format, const Args&... args) {
    write(format, fmt::make_format_args(args...));
  }
  void flush();
  /// There are no more rows.
  void finish();
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  void write(fmt::string_view format, fmt::format_args args);
  void write_out(const std::string& bytes);

  std::ofstream out_;
  std::unique_ptr<ZstdEncoder> encoder_;  ///< null: it is not packed
  std::string buffer_;
  std::string packed_;
  bool has_failed_ = false;
};

}  // namespace weft::scenarios
