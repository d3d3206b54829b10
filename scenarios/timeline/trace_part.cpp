#include "scenarios/timeline/trace_part.hpp"

#include <system_error>
#include <utility>

namespace weft::scenarios {
namespace {

constexpr std::size_t kWrittenAtOnce = 65'536;

}  // namespace

TracePart::TracePart(std::filesystem::path path, std::unique_ptr<TraceFormat> format, Bytes limit)
    : path_(std::move(path)),
      format_(std::move(format)),
      out_(path_, std::ios::binary),
      limit_(static_cast<std::uint64_t>(limit.count())),
      has_failed_(!out_.good()) {
  format_->open(buffer_);
  flush();
}

void TracePart::add_process(const TraceTrack& track, std::string_view name) {
  format_->add_process(buffer_, track, name);
}

void TracePart::add_thread(const TraceTrack& track, std::string_view name) {
  format_->add_thread(buffer_, track, name);
}

void TracePart::add_counter(const TraceTrack& track, std::string_view name, bool is_of_bytes) {
  format_->add_counter(buffer_, track, name, is_of_bytes);
}

void TracePart::add(const TraceTrack& track, const TraceSlice& slice) {
  format_->slice(buffer_, track, slice);
  flush_if_long();
}

void TracePart::add(const TraceTrack& track, const TraceArrival& arrival) {
  format_->arrival(buffer_, track, arrival);
  flush_if_long();
}

void TracePart::add(const TraceTrack& track, std::string_view name, Picoseconds time,
                    std::int64_t value) {
  format_->value(buffer_, track, name, time, value);
  flush_if_long();
}

void TracePart::flush_if_long() {
  if (buffer_.size() >= kWrittenAtOnce) flush();
}

void TracePart::flush() {
  if (!has_failed_) {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    out_.flush();
    has_failed_ = !out_.good();
  }
  size_ += buffer_.size();
  buffer_.clear();
}

void TracePart::finish_with(TracePart* other) {
  flush();
  if (other != nullptr) {
    other->flush();
    other->out_.close();
    std::ifstream in(other->path_, std::ios::binary);
    if (other->size_ > 0) out_ << in.rdbuf();
    has_failed_ = has_failed_ || other->has_failed_ || !in.good() || !out_.good();
    in.close();
    std::error_code error;
    std::filesystem::remove(other->path_, error);
    has_failed_ = has_failed_ || error;
  }
  format_->close(buffer_);
  flush();
  out_.close();
  has_failed_ = has_failed_ || !out_.good();
}

}  // namespace weft::scenarios
