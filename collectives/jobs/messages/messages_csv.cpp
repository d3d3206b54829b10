#include "collectives/jobs/messages/messages_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/schema/schema_builder.hpp"
#include "simcore/text/csv_row.hpp"
#include "simcore/text/nearest.hpp"
#include "simcore/text/quantity_text.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::collectives {
namespace {

using Message = MessagesSpec::Message;

constexpr std::size_t kMaxErrors = 20;
constexpr std::size_t kMaxMessages = 16'000'000;

enum Column : std::size_t { kStart, kSource, kDestination, kBytes, kClass, kColumns };

using Cell = CsvRow::Cell;

class CsvReader {
 public:
  CsvReader(const std::string& file, const std::string& traffic_class, const RankOnHost& rank_on)
      : file_(file), traffic_class_(traffic_class), rank_on_(rank_on) {}

  Result<std::vector<Message>> read(std::string_view text) {
    text = without_byte_order_mark(text);
    bool has_header = false;
    for (std::size_t begin = 0; begin < text.size() && errors_.size() < kMaxErrors;) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      begin = end + 1;
      ++line_;
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || line[first] == '#') continue;
      if (!row_.read(line)) {
        fail(row_.problem_column(), row_.problem());
      } else if (has_header) {
        read_row(row_.cells());
      } else {
        read_header(row_.cells());
      }
      if (!has_header && !errors_.empty()) break;
      has_header = true;
    }
    if (errors_.empty() && messages_.empty()) fail(1, "holds no messages");
    if (!errors_.empty()) return std::move(errors_);
    return std::move(messages_);
  }

 private:
  void fail(int column, std::string message) {
    errors_.push_back({std::move(message), {file_, line_, column, {}}});
  }

  /// Lists in scenarios call these columns otherwise.
  static std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
    constexpr std::array<std::pair<const char*, const char*>, 4> kOfScenarios{
        {{"from", "source"}, {"to", "destination"}, {"size", "bytes"}, {"time", "start_us"}}};
    for (const auto& [of_scenarios, column] : kOfScenarios) {
      if (name == of_scenarios) return std::string("; did you mean `") + column + "`?";
    }
    return did_you_mean(name, names);
  }

  void read_header(const std::vector<Cell>& cells) {
    static const std::vector<std::string> names{"start",    "start_ps", "start_ns", "start_us",
                                                "start_ms", "start_s",  "source",   "destination",
                                                "bytes",    "class"};
    places_.fill(std::nullopt);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string name(cells[i].text);
      if (std::ranges::find(names, name) == names.end()) {
        fail(cells[i].column, "unknown column " + backquoted(name) + "; the columns are " +
                                  listing(names) + suggestion(name, names));
        continue;
      }
      Column column = kStart;
      if (name == "source") column = kSource;
      if (name == "destination") column = kDestination;
      if (name == "bytes") column = kBytes;
      if (name == "class") column = kClass;
      if (name.starts_with("start_")) start_unit_ = name.substr(6);
      if (places_[column])
        fail(cells[i].column, "the column " + backquoted(name) + " appears twice");
      places_[column] = i;
    }
    width_ = cells.size();
    constexpr std::array kRequired{std::pair(kStart, "start_us"), std::pair(kSource, "source"),
                                   std::pair(kDestination, "destination"),
                                   std::pair(kBytes, "bytes")};
    for (const auto& [column, name] : kRequired) {
      if (!places_[column] && errors_.empty()) {
        fail(1, std::string("the header has no column `") + name + "`");
      }
    }
  }

  void read_row(const std::vector<Cell>& cells) {
    if (cells.size() != width_) {
      return fail(1, "has " + std::to_string(cells.size()) + " cells; the header has " +
                         std::to_string(width_));
    }
    if (messages_.size() >= kMaxMessages) {
      return fail(1, "more than " + std::to_string(kMaxMessages) + " messages");
    }
    Message message;
    const Cell& start = cells[*places_[kStart]];
    message.start = Picoseconds(read_time(start));
    const std::size_t problems = errors_.size();
    message.from = read_rank(cells[*places_[kSource]]);
    message.to = read_rank(cells[*places_[kDestination]]);
    const bool has_ranks = errors_.size() == problems;
    const Cell& bytes = cells[*places_[kBytes]];
    message.size = Bytes(static_cast<std::int64_t>(read_number(bytes, 1'000'000'000'000)));
    if (message.size.count() == 0) fail(bytes.column, "a message has at least 1 byte");
    if (has_ranks && message.from == message.to) {
      fail(cells[*places_[kDestination]].column, "the destination is the source itself");
    }
    if (places_[kClass] && cells[*places_[kClass]].text != traffic_class_) {
      const Cell& cell = cells[*places_[kClass]];
      fail(cell.column, backquoted(cell.text) + " is not the class of the job, " +
                            backquoted(traffic_class_) + "; its messages share one class");
    }
    messages_.push_back(message);
  }

  std::int64_t read_time(const Cell& cell) {
    const auto parsed =
        parse_quantity(std::string(cell.text) + start_unit_, dimension_of<Picoseconds>());
    if (const auto* problem = std::get_if<std::string>(&parsed)) {
      fail(cell.column, backquoted(cell.text) + " " + *problem);
      return 0;
    }
    const std::int64_t count = std::get<std::int64_t>(parsed);
    if (count > schema::kMaxQuantity) fail(cell.column, backquoted(cell.text) + " is too large");
    return count;
  }

  /// A number is that of a rank; anything else names a host.
  std::uint32_t read_rank(const Cell& cell) {
    const bool is_number = cell.text.empty() || cell.text.front() == '-' ||
                           cell.text.find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_number) return static_cast<std::uint32_t>(read_number(cell, UINT32_MAX));
    const auto rank = rank_on_(std::string(cell.text));
    if (const auto* problem = std::get_if<std::string>(&rank)) {
      fail(cell.column, backquoted(cell.text) + " " + *problem);
      return 0;
    }
    return std::get<std::uint32_t>(rank);
  }

  std::uint64_t read_number(const Cell& cell, std::uint64_t limit) {
    std::uint64_t number = 0;
    const char* end = cell.text.data() + cell.text.size();
    const auto [stop, error] = std::from_chars(cell.text.data(), end, number);
    if (error != std::errc() || stop != end || number > limit) {
      fail(cell.column, backquoted(cell.text) + " is not a whole number up to " +
                            std::to_string(limit) + " without a unit");
      return 1;
    }
    return number;
  }

  const std::string& file_;
  const std::string& traffic_class_;
  const RankOnHost& rank_on_;
  int line_ = 0;
  CsvRow row_;
  Errors errors_;
  std::string start_unit_;
  std::array<std::optional<std::size_t>, kColumns> places_;
  std::size_t width_ = 0;
  std::vector<Message> messages_;
};

}  // namespace

Result<std::vector<MessagesSpec::Message>> parse_messages_csv(std::string_view text,
                                                              const std::string& file,
                                                              const std::string& traffic_class,
                                                              const RankOnHost& rank_on) {
  return CsvReader(file, traffic_class, rank_on).read(text);
}

}  // namespace weft::collectives
