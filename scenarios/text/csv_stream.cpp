#include "scenarios/text/csv_stream.hpp"

#include <fmt/format.h>

#include <iterator>

namespace weft::scenarios {
namespace {

constexpr std::size_t kFlushAt = 65'536;

}  // namespace

CsvStream::CsvStream(const std::filesystem::path& path, const std::string& header)
    : out_(path, std::ios::binary),
      encoder_(path.extension() == kPacked ? std::make_unique<ZstdEncoder>() : nullptr),
      has_failed_(!out_.good()) {
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
  if (encoder_) {
    packed_.clear();
    encoder_->add(buffer_, false, packed_);
    write_out(packed_);
  } else {
    write_out(buffer_);
  }
  buffer_.clear();
}

void CsvStream::finish() {
  flush();
  if (has_failed_ || !encoder_) return;
  packed_.clear();
  encoder_->add({}, true, packed_);
  encoder_.reset();
  write_out(packed_);
}

void CsvStream::write_out(const std::string& bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out_.flush();
  has_failed_ = !out_.good();
}

}  // namespace weft::scenarios
