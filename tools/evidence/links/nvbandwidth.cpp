#include "tools/evidence/links/nvbandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "tools/evidence/links/rate_unit.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

constexpr std::size_t kMaxMatrixLine = 16384;

using MatrixWords = std::vector<std::string_view>;

/// `memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)`
struct MatrixTitle {
  std::string row{};  ///< `GPU`, `CPU`
  std::string column{};
  bool is_from_row = true;
  double unit = 1;
};

class NvbandwidthReader {
 public:
  explicit NvbandwidthReader(const InputFile& file) : file_(file) {}

  Measurements read() {
    for (const std::string_view line : file_.lines()) {
      ++line_;
      if (line.size() <= kMaxMatrixLine) read_line(line);
    }
    end_matrix();
    if (m_.pairs.empty() && !has_errors(m_.remarks)) {
      add_error(m_.remarks, {.file = file_.name()},
                "has no matrix, such as `memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)`");
    }
    return std::move(m_);
  }

 private:
  void read_line(std::string_view line) {
    const MatrixWords words = split_words(line);
    if (words.empty()) {
      if (!series_.values.empty()) columns_.clear();
      return;
    }
    if (words[0] == "Running" && words.size() == 2) {
      end_matrix();
      std::string_view name = words[1];
      if (name.ends_with('.')) name.remove_suffix(1);
      test_ = safe_name(name);
    } else if (line.find("(row)") != line.npos && line.find("(column)") != line.npos) {
      read_title(line, words);
    } else if (words[0] == "SUM" && words.size() == 3) {
      check_sum(words[2]);
    } else if (title_ && columns_.empty() && series_.values.empty()) {
      read_columns(words);
    } else if (title_ && !columns_.empty()) {
      read_row(words);
    }
  }

  void read_title(std::string_view line, const MatrixWords& words) {
    end_matrix();
    const auto unit = rate_unit_in(line);
    MatrixTitle title;
    for (const std::string_view word : words) {
      if (word.ends_with("(row)")) title.row = safe_name(word.substr(0, word.size() - 5));
      if (word.ends_with("(column)")) title.column = safe_name(word.substr(0, word.size() - 8));
    }
    const bool is_backward = line.find("<-") != line.npos;
    const bool is_forward = line.find("->") != line.npos;
    if (!unit || is_backward == is_forward) {
      return add_error(m_.remarks, file_.line(line_),
                       "is a matrix without a unit (GB/s), or without a direction (`->`, `<-`)");
    }
    title.is_from_row = is_forward;
    title.unit = *unit;
    title_ = title;
    series_ = {.operation = test_, .gpu_memory = true, .where = file_.line(line_)};
  }

  void read_columns(const MatrixWords& words) {
    for (const std::string_view word : words) {
      const auto number = number_in<std::uint32_t>(word);
      if (!number) {
        return add_error(m_.remarks, file_.line(line_),
                         "expected the numbers of columns, found " + backquoted(word));
      }
      columns_.push_back(*number);
    }
  }

  void read_row(const MatrixWords& words) {
    const auto row = number_in<std::uint32_t>(words[0]);
    if (!row || words.size() != columns_.size() + 1) {
      return add_error(
          m_.remarks, file_.line(line_),
          fmt::format("has {} cells, and the header {}", words.size() - 1, columns_.size()));
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (words[i + 1] == "N/A") continue;
      const auto value = number_in<double>(words[i + 1]);
      if (!value || *value <= 0) {
        add_error(m_.remarks, file_.line(line_),
                  backquoted(words[i + 1]) + " is no bandwidth above 0");
        continue;
      }
      PairValue pair{.from = title_->row + std::to_string(*row),
                     .to = title_->column + std::to_string(columns_[i]),
                     .gigabytes_per_second = *value * title_->unit,
                     .where = file_.line(line_)};
      if (!title_->is_from_row) std::swap(pair.from, pair.to);
      sum_ += *value;
      series_.values.push_back(std::move(pair));
    }
  }

  void check_sum(std::string_view word) {
    const auto sum = number_in<double>(word);
    const double tolerance = 1e-3 * sum_;  // cells are rounded
    if (series_.values.empty() || (sum && std::abs(*sum - sum_) <= tolerance)) return;
    add_error(m_.remarks, file_.line(line_),
              fmt::format("does not check: the cells add up to {:.2f}, and SUM is {}", sum_,
                          backquoted(word)));
  }

  void end_matrix() {
    if (!series_.values.empty()) {
      m_.recognised.push_back(fmt::format("{}: nvbandwidth: {}, {} pairs", escaped(file_.name()),
                                          series_.operation, series_.values.size()));
      m_.pairs.push_back(std::move(series_));
    }
    series_ = {};
    title_.reset();
    columns_.clear();
    sum_ = 0;
  }

  const InputFile& file_;
  Measurements m_;
  std::string test_;
  std::optional<MatrixTitle> title_;
  std::vector<std::uint32_t> columns_;
  PairSeries series_;
  double sum_ = 0;
  std::size_t line_ = 0;
};

std::optional<std::string_view> recognise_nvbandwidth(const InputFile& file) {
  for (const std::string_view line : file.lines()) {
    const bool is_title = line.size() <= kMaxMatrixLine && line.find("(row)") != line.npos &&
                          line.find("(column)") != line.npos;
    if (is_title) return "`GPU(row)` and `GPU(column)`";
  }
  return {};
}

void read_nvbandwidth(const InputFile& file, Measurements& measurements) {
  take(measurements, NvbandwidthReader(file).read());
}

}  // namespace

Form nvbandwidth_form() {
  return {.name = "nvbandwidth",
          .about = "matrices of nvbandwidth between the GPUs of a server",
          .command = "nvbandwidth -t device_to_device_memcpy_write_ce",
          .recognise = recognise_nvbandwidth,
          .read = read_nvbandwidth};
}

}  // namespace weft::evidence
