#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/data_builder.hpp"

namespace weft::import {
namespace {

/// How far the parser has read. It takes iterators by value, so that all copies count here.
struct JsonProgress {
  std::size_t offset = 0;
  int line = 1;
  int line_before = 1;  ///< of the character before the last one
  std::size_t line_start = 0;

  [[nodiscard]] int column() const { return static_cast<int>(offset - line_start); }
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, JsonProgress* progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++progress_->offset;
    progress_->line_before = progress_->line;
    if (*at_ == '\n') {
      ++progress_->line;
      progress_->line_start = progress_->offset;
    }
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  JsonProgress* progress_;
};

/// The handler that nlohmann's parser calls.
class JsonEvents {
 public:
  JsonEvents(const InputFile& file, const JsonProgress& progress)
      : builder(file), progress_(progress), size_(file.text().size()) {}

  bool null() { return add(DataNode::Kind::kNull, ""); }
  bool boolean(bool value) { return add(DataNode::Kind::kBool, value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    return add(DataNode::Kind::kNumber, std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return add(DataNode::Kind::kNumber, std::to_string(value));
  }
  bool number_float(double /*value*/, const std::string& text) {
    return add(DataNode::Kind::kNumber, text);
  }
  bool string(std::string& text) { return add(DataNode::Kind::kText, text); }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(DataNode::Kind::kMap); }
  bool start_array(std::size_t /*size*/) { return open(DataNode::Kind::kList); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& text) {
    builder.key(text, progress_.line, progress_.column());
    return true;
  }
  bool parse_error(std::size_t /*at*/, const std::string& token,
                   const nlohmann::detail::exception& /*problem*/) {
    const bool is_end = progress_.offset >= size_;
    builder.refuse(progress_.line, progress_.column(),
                   is_end ? "the JSON text ends here before it is complete: was the file cut?"
                          : fmt::format("this is no JSON: at {}", backquoted(token)));
  }

  DataBuilder builder;

 private:
  bool add(DataNode::Kind kind, std::string text) {
    // A number ends with the character behind it, which may be the end of the line.
    if (kind == DataNode::Kind::kNumber && progress_.line_before != progress_.line) {
      builder.scalar(kind, std::move(text), progress_.line_before, 0);
    } else {
      builder.scalar(kind, std::move(text), progress_.line, progress_.column());
    }
    return true;
  }
  bool open(DataNode::Kind kind) {
    builder.open(kind, progress_.line, progress_.column());
    return true;
  }
  bool close() {
    builder.close();
    return true;
  }

  const JsonProgress& progress_;
  std::size_t size_;
};

}  // namespace

bool looks_like_json(const InputFile& file) {
  const std::size_t first = file.text().find_first_not_of(" \t\n");
  return first != std::string_view::npos &&
         (file.text()[first] == '{' || file.text()[first] == '[');
}

Result<DataNode> parse_json_text(const InputFile& file) {
  JsonProgress progress;
  JsonEvents events(file, progress);
  const char* const begin = file.text().data();
  try {
    const bool is_read =
        nlohmann::json::sax_parse(CountingIterator(begin, &progress),
                                  CountingIterator(begin + file.text().size(), &progress), &events);
    if (!is_read) return Error{.message = "is no JSON", .where = {.file = file.name()}};
  } catch (const DataRefused& refused) {
    return refused.error;
  }
  return events.builder.take();
}

}  // namespace weft::import
