#include "scenarios/text/csv_stream.hpp"

#include <fmt/format.h>

#include <iterator>

namespace weft::scenarios {
namespace {

constexpr std::size_t kFlushAt = 65'536;

}  // namespace

CsvStream::CsvStream(const std::filesystem::path& path, const std::string& header)
    : out_(path, std::ios::binary), has_failed_(!out_.good()) {
  add("{}\n", header);
  flush();
}

void CsvStream::write(fmt::string_view format, fmt::format_args args) {
  if (has_failed_) return;
  fmt::vformat_to(std::back_inserter(buffer_), format, args);
  if (buffer_.size() >= kFlushAt) flush();
}

void CsvStream::flush() {
  if (has_failed_ || buffer_.empty()) return;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  out_.flush();
  has_failed_ = !out_.good();
  buffer_.clear();
}

}  // namespace weft::scenarios
