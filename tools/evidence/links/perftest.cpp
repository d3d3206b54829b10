#include "tools/evidence/links/perftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/json/json_text.hpp"
#include "tools/evidence/links/rate_unit.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxTableLine = 1024;
constexpr std::size_t kMaxRowProblems = 20;

using TableWords = std::vector<std::string_view>;

/// One size of a test.
struct PerftestRow {
  std::int64_t bytes = 0;
  double average = 0;       ///< in the unit of the table
  double average_unit = 0;  ///< one in its last digit
  double message_rate = 0;  ///< 10^6 per second; 0: not printed
};

/// What stands above the rows.
struct PerftestHeader {
  std::string test{};  ///< `write-bw`
  std::string device{};
  std::uint32_t queue_pairs = 0;
  bool is_bidirectional = false;
  std::optional<bool> gpu_memory{};
  std::uint32_t mtu = 0;
};

/// `write-bw` of `RDMA_Write BW Test`, `RDMA_Write_BW_Test` and of the file `ib_write_bw-...`;
/// empty: none.
std::string test_in(std::string_view text) {
  const std::string small = lower(text);
  for (const char* test : {"write", "read", "send", "atomic"}) {
    for (const char* form : {"rdma_{} bw test", "rdma_{} bidirectional bw test", "rdma_{}_bw_test",
                             "{} bw test", "{} bidirectional bw test", "{}_bw_test", "ib_{}_bw"}) {
      const std::string name = fmt::format(fmt::runtime(form), test);
      if (small.find(name) != std::string::npos) return std::string(test) + "-bw";
    }
  }
  return {};
}

/// Whether it is from --out_json. A bracket may be what a launcher writes before lines.
bool is_object(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first != text.npos && text[first] == '{';
}

double last_digit(std::string_view word) {
  const std::size_t point = word.find('.');
  return point == word.npos ? 1 : std::pow(10.0, -static_cast<double>(word.size() - point - 1));
}

/// `65536 5000 393.65 392.08 0.747833`
std::optional<PerftestRow> row_in(const TableWords& words) {
  if (words.size() < 4 || words.size() > 5) return {};
  const auto bytes = number_in<std::int64_t>(words[0]);
  const auto iterations = number_in<std::int64_t>(words[1]);
  const auto peak = number_in<double>(words[2]);
  const auto average = number_in<double>(words[3]);
  const auto rate = words.size() == 5 ? number_in<double>(words[4]) : std::optional(0.0);
  if (!bytes || !iterations || !peak || !average || !rate) return {};
  if (*bytes < 1 || *iterations < 1 || *peak < 0 || *average < 0 || *rate < 0) return {};
  return PerftestRow{*bytes, *average, last_digit(words[3]), *rate};
}

/// `gpu01`, `gpu03` of `ib_write_bw-gpu01-gpu03-mlx5_5.txt`; empty: the name is another one.
std::pair<std::string, std::string> hosts_of_file(const std::string& name,
                                                  const std::string& device) {
  const std::string stem = std::filesystem::path(name).stem().string();
  const std::size_t start = stem.find("_bw-");
  const std::size_t end = device.empty() ? std::string::npos : stem.find("-" + device, start);
  if (start == std::string::npos || end == std::string::npos || end <= start + 4) return {};
  const std::string_view between = std::string_view(stem).substr(start + 4, end - start - 4);
  const std::size_t dash = between.find('-');
  if (dash == between.npos || between.find('-', dash + 1) != between.npos) return {};
  return {safe_name(between.substr(0, dash)), safe_name(between.substr(dash + 1))};
}

class PerftestReader {
 public:
  explicit PerftestReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    if (is_object(file_.text())) {
      read_json();
    } else {
      read_text();
    }
    if (problems_ > kMaxRowProblems) {
      add_error(m_.remarks, {.file = file_.name()},
                fmt::format("{} more rows do not check", problems_ - kMaxRowProblems));
    }
    if (!has_errors(m_.remarks)) conclude();
    return std::move(m_);
  }

 private:
  void read_text() {
    for (const std::string_view line : file_.lines()) {
      ++line_;
      if (line.size() <= kMaxTableLine) read_line(without_prefix(line));
    }
    if (rows_ == 0 && !has_errors(m_.remarks)) {
      add_error(m_.remarks, {.file = file_.name()},
                "has no row of a size, such as `65536 5000 393.65 392.08 0.747833`: did the test "
                "end?");
    }
  }

  void read_line(std::string_view line) {
    if (const std::string test = test_in(line); !test.empty() && !line.starts_with('#')) {
      header_ = {.test = test, .gpu_memory = std::exchange(has_named_gpu_, false)};
      header_.is_bidirectional = line.find("Bidirectional") != line.npos;
      has_rows_ = false;
    }
    const TableWords words = split_words(line);
    if (line.find("#bytes") != line.npos) return read_columns(line);
    if (line.find("CUDA") != line.npos || line.find("GPU buffer") != line.npos) {
      // Above the header of the next test, or among the settings of this one.
      has_named_gpu_ = has_rows_ || header_.test.empty();
      if (!has_rows_) header_.gpu_memory = true;
    }
    read_setting(words, "Device",
                 [this](std::string_view word) { header_.device = safe_name(word); });
    read_setting(words, "Mtu", [this](std::string_view word) {
      header_.mtu = number_in<std::uint32_t>(word.substr(0, word.find('['))).value_or(0);
    });
    if (line.find("Number of qps") != line.npos) {
      read_setting(words, "qps", [this](std::string_view word) {
        header_.queue_pairs = number_in<std::uint32_t>(word).value_or(0);
      });
    }
    if (line.starts_with('#')) return read_comment(words);
    const auto row = row_in(words);
    if (!row) return;
    ++rows_;
    has_rows_ = true;
    if (unit_ == 0) {
      if (problems_++ > 0) return;
      return add_error(m_.remarks, file_.line(line_),
                       fmt::format("has rows without their header `#bytes #iterations BW "
                                   "average[..]`: the unit is unknown ({})",
                                   kRateUnits));
    }
    add_row(*row, file_.line(line_));
  }

  /// `Device : mlx5_5`
  template <class Take>
  static void read_setting(const TableWords& words, std::string_view name, const Take& take) {
    const auto at = std::ranges::find(words, name);
    if (words.end() - at > 2 && at[1] == ":") take(at[2]);
  }

  /// `#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]`
  void read_columns(std::string_view line) {
    constexpr std::string_view kAverage = "BW average[";
    const std::size_t at = line.find(kAverage);
    if (at == line.npos) {
      return add_error(m_.remarks, file_.line(line_),
                       "is no table of a bandwidth test: of perftest ib_write_bw, ib_read_bw and "
                       "ib_send_bw are read");
    }
    const std::string_view rest = line.substr(at + kAverage.size());
    std::string_view unit = rest.substr(0, rest.find(']'));
    // Before March 2024 perftest said MB and meant MiB.
    if (unit == "MB/sec") unit = "MiB/sec";
    const auto known = rate_unit(unit);
    if (!known) {
      return add_error(
          m_.remarks, file_.line(line_),
          fmt::format("has the unit {}: expected Gb/sec or MiB/sec", backquoted(unit)));
    }
    unit_ = *known;
  }

  /// `# from gpu01 to gpu03`
  void read_comment(const TableWords& words) {
    const std::string_view from = word_behind(words, "from");
    const std::string_view to = word_behind(words, "to");
    if (!from.empty() && !to.empty()) hosts_ = {safe_name(from), safe_name(to)};
  }

  void add_row(const PerftestRow& row, const SourceLocation& where) {
    const double gigabytes = row.average * unit_;
    const double by_rate = row.message_rate * static_cast<double>(row.bytes) * 1e-3;
    const auto checks = [&](double times) {
      const double tolerance = row.average_unit * unit_ + 2e-3 * gigabytes +
                               1e-6 * times * static_cast<double>(row.bytes) * 1e-3;
      return std::abs(gigabytes - times * by_rate) <= tolerance;
    };
    if (row.message_rate > 0 && !checks(1) && !(header_.is_bidirectional && checks(2))) {
      if (++problems_ > kMaxRowProblems) return;
      return add_error(m_.remarks, where,
                       fmt::format("does not check: {:.6g} million messages of {} bytes are {:.5g} "
                                   "GB/s, and BW average is {:.5g} GB/s",
                                   row.message_rate, row.bytes, by_rate, gigabytes));
    }
    if (row.average == 0) {
      return add_warning(m_.remarks, where, "has the bandwidth 0 and is left out");
    }
    PairSeries series{.operation = header_.test.empty() ? "write-bw" : header_.test,
                      .bytes = row.bytes,
                      .queue_pairs = header_.queue_pairs,
                      .gpu_memory = header_.gpu_memory,
                      .mtu = header_.mtu,
                      .where = where};
    if (!header_.device.empty()) series.nic = header_.device;
    const int directions = header_.is_bidirectional ? 2 : 1;
    series.values.assign(static_cast<std::size_t>(directions),
                         {.gigabytes_per_second = gigabytes / directions, .where = where});
    m_.pairs.push_back(std::move(series));
  }

  void read_json() {
    const auto root = parse_json(file_);
    if (!root) {
      return add_error(m_.remarks, root.errors().front().where, root.errors().front().message);
    }
    const json info = root.value().value("test_info", json());
    header_.test = test_in(json_text(info, "test"));
    header_.is_bidirectional = json_text(info, "test").find("idirectional") != std::string::npos;
    header_.device = safe_name(json_text(info, "Device"));
    header_.queue_pairs = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(json_whole(info, "Number_of_qps"), 0, 1 << 24));
    const json results = root.value().value("results", json());
    const json list = results.is_array() ? results : json::array({results});
    for (std::size_t i = 0; i < list.size(); ++i) {
      read_result(list[i], file_.key(results.is_array() ? fmt::format("results[{}]", i)
                                                        : std::string("results")));
    }
  }

  /// No unit stands in the file: rate and size of messages say which it is.
  void read_result(const json& result, const SourceLocation& where) {
    const PerftestRow row{json_whole(result, "MsgSize"), json_number(result, "BW_average"), 0.01,
                          json_number(result, "MsgRate")};
    if (row.bytes < 1 || row.average <= 0) {
      return add_error(m_.remarks, where,
                       "has no `MsgSize` and `BW_average`, as perftest --out_json writes them");
    }
    const double by_rate = row.message_rate * static_cast<double>(row.bytes) * 1e-3;
    constexpr double kSlack = 5e-3;
    unit_ = 0;
    for (const char* unit : {"Gb/s", "MiB/s"}) {
      const double gigabytes = row.average * rate_unit(unit).value();
      for (const double times : {1.0, header_.is_bidirectional ? 2.0 : 1.0}) {
        if (std::abs(gigabytes - by_rate * times) <= kSlack * gigabytes) {
          unit_ = rate_unit(unit).value();
        }
      }
    }
    if (unit_ == 0) {
      return add_error(
          m_.remarks, where,
          fmt::format("BW_average {} is neither in Gb/s nor in MiB/s what `MsgRate` {} "
                      "and `MsgSize` {} come to: the unit is unknown",
                      row.average, row.message_rate, row.bytes));
    }
    add_row(row, where);
  }

  void conclude() {
    if (hosts_.first.empty()) hosts_ = hosts_of_file(file_.name(), header_.device);
    if (hosts_.first.empty()) {
      add_warning(m_.remarks, {.file = file_.name()},
                  "does not say between which hosts it ran: name the file like "
                  "`ib_write_bw-gpu01-gpu03-mlx5_5.txt`, or add a line `# from gpu01 to gpu03`");
    }
    const auto is_sum = [](const PairSeries& series) { return series.values.size() > 1; };
    if (const auto sum = std::ranges::find_if(m_.pairs, is_sum); sum != m_.pairs.end()) {
      add_warning(m_.remarks, sum->where,
                  fmt::format("is the sum of both directions (-b): {:.0f} Gb/s each way are taken",
                              sum->values.front().gigabytes_per_second * 8));
    }
    for (PairSeries& series : m_.pairs) {
      if (hosts_.first.empty()) series.values.resize(1);
      for (PairValue& value : series.values) std::tie(value.from, value.to) = hosts_;
      if (is_sum(series)) std::swap(series.values[1].from, series.values[1].to);
    }
    if (m_.pairs.empty()) return;
    const PairSeries& last = m_.pairs.back();
    m_.recognised.push_back(
        fmt::format("{}: perftest: {}{}{}, {} size{}, {:.1f} Gb/s at {} bytes",
                    escaped(file_.name()), last.operation, last.nic ? " of " + *last.nic : "",
                    hosts_.first.empty() ? "" : " from " + hosts_.first + " to " + hosts_.second,
                    m_.pairs.size(), m_.pairs.size() == 1 ? "" : "s",
                    last.values.front().gigabytes_per_second * 8, last.bytes));
  }

  const InputFile& file_;
  Measurements m_;
  PerftestHeader header_;
  std::pair<std::string, std::string> hosts_;
  bool has_rows_ = false;       ///< of this test
  bool has_named_gpu_ = false;  ///< before the header of a test
  double unit_ = 0;             ///< GB/s in one; 0: no header yet
  std::size_t line_ = 0;
  std::size_t rows_ = 0;
  std::size_t problems_ = 0;
};

/// Whether there is nothing but rows of perftest, as somebody copies them.
bool has_only_rows(const InputFile& file) {
  std::size_t rows = 0;
  for (const std::string_view line : file.lines()) {
    if (line.empty()) continue;
    if (line.size() > kMaxTableLine) return false;
    const TableWords words = split_words(without_prefix(line));
    if (words.size() != 5 || !row_in(words)) return false;
    ++rows;
  }
  return rows > 0;
}

std::optional<std::string_view> recognise_perftest(const InputFile& file) {
  const std::string_view text = file.text();
  if (is_object(text)) {
    for (const std::string_view key : {"\"BW_average\"", "\"Number_of_qps\""}) {
      if (text.find(key) != text.npos) return "`BW_average` of --out_json";
    }
    return {};
  }
  if (text.find("#bytes") != text.npos && text.find("#iterations") != text.npos) {
    return "columns `#bytes` and `#iterations`";
  }
  for (const std::string_view test : {"BW Test", "Latency Test"}) {
    if (text.find(test) != text.npos && text.find("Number of qps") != text.npos) {
      return "settings of perftest";
    }
  }
  if (has_only_rows(file)) return "rows of bytes, iterations and bandwidths";
  return {};
}

void read_perftest(const InputFile& file, Measurements& measurements) {
  take(measurements, PerftestReader(file).read());
}

}  // namespace

Form perftest_form() {
  return {.name = "perftest",
          .about = "output of ib_write_bw, ib_read_bw and ib_send_bw between two servers",
          .command =
              "ib_write_bw -d mlx5_5 -q 4 --report_gbits, on the second server with the name "
              "of the first one",
          .recognise = recognise_perftest,
          .read = read_perftest};
}

}  // namespace weft::evidence
