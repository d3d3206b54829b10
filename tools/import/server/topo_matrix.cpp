#include "tools/import/server/topo_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/parse/pcie.hpp"
#include "tools/import/parse/text_parts.hpp"

namespace weft::import {
namespace {

/// The devices of a server: GPUs and NICs. A file with more cells is none.
constexpr std::size_t kMaxMatrixDevices = 256;

bool is_matrix_gpu(std::string_view word) {
  return word.starts_with("GPU") && parse_unsigned(word.substr(3)).has_value();
}

/// `X`, `NV18`, or one of the paths.
std::optional<std::string_view> as_cell(std::string_view word) {
  if (word == "SOC") return "SYS";  // the name before NVIDIA's driver 384
  for (const std::string_view known : {"X", "PIX", "PXB", "PHB", "NODE", "SYS"}) {
    if (word == known) return word;
  }
  const bool is_nvlink = word.starts_with("NV") && parse_unsigned(word.substr(2)).value_or(0) > 0;
  return is_nvlink && word.size() <= 4 ? std::optional(word) : std::nullopt;
}

PciePath path_of_cell(std::string_view cell) {
  if (cell == "PIX") return PciePath::kPix;
  if (cell == "PXB") return PciePath::kPxb;
  if (cell == "PHB") return PciePath::kPhb;
  return cell == "NODE" ? PciePath::kNode : PciePath::kSys;
}

/// The line of column heads; lines: there is none.
std::size_t head_line(const InputFile& file) {
  const auto& lines = file.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> words = words_of(lines[i].substr(0, 4096));
    if (words.empty() || words[0] != "GPU0" || (words.size() > 1 && as_cell(words[1]))) continue;
    return i;
  }
  return lines.size();
}

class TopoMatrixReader {
 public:
  explicit TopoMatrixReader(Reading& reading) : reading_(reading), lines_(reading.file.lines()) {}

  void read() {
    const std::size_t head = head_line(reading_.file);
    if (head == lines_.size()) {
      reading_.error({}, "no line of column heads (GPU0, GPU1, ...)");
      return;
    }
    read_head(head);
    if (reading_.has_errors()) return;
    std::size_t line = head + 1;
    for (; line < lines_.size() && !trimmed(lines_[line]).empty(); ++line) read_row(line);
    if (rows_.size() != names_.size() && !reading_.has_errors()) {
      reading_.error(reading_.file.line(line),
                     fmt::format("{} for {}: rows are missing", counted(rows_.size(), "row"),
                                 counted(names_.size(), "column")));
    }
    read_legend(line);
    if (reading_.has_errors()) return;
    check_symmetry();
    build();
  }

 private:
  void read_head(std::size_t line) {
    head_ = line;
    for (const std::string_view word : words_of(lines_[line])) {
      if (word == "CPU" || word == "NUMA") break;
      if (names_.size() >= kMaxMatrixDevices) {
        reading_.error(reading_.file.line(line + 1),
                       fmt::format("more than {} columns", kMaxMatrixDevices));
        return;
      }
      if (const auto name = reading_.name(word, "a column", reading_.file.line(line + 1))) {
        names_.push_back(*name);
      }
    }
    const std::set<std::string> different(names_.begin(), names_.end());
    if (different.size() != names_.size()) {
      reading_.error(reading_.file.line(line + 1), "two columns have the same name");
    }
  }

  void wrong_count(std::size_t line, std::size_t cells) {
    reading_.error(
        reading_.file.line(line + 1),
        fmt::format("a row of {}, and line {} heads {}: was this pasted from a narrow window?",
                    counted(cells, "cell"), head_ + 1, counted(names_.size(), "column")));
  }

  void read_row(std::size_t line) {
    const std::vector<std::string_view> words = words_of(lines_[line]);
    if (words.front() == "MIG") return;  // instances share the links of their GPU
    std::vector<std::string> cells;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::optional<std::string_view> cell = as_cell(words[i]);
      if (!cell) break;
      cells.emplace_back(*cell);
    }
    if (rows_.size() < names_.size() && words.front() == names_[rows_.size()]) {
      const bool is_short = cells.size() < names_.size() && cells.size() + 1 < words.size();
      if (is_short && !as_cell(words[cells.size() + 1]) && words.size() > names_.size()) {
        reading_.error(reading_.file.line(line + 1),
                       fmt::format("{} is no cell of this matrix: X, NV#, PIX, PXB, PHB, NODE or "
                                   "SYS expected",
                                   backquoted(words[cells.size() + 1])));
      } else if (cells.size() != names_.size()) {
        wrong_count(line, cells.size());
      }
      if (is_matrix_gpu(words.front()) && words.size() > names_.size() + 2) {
        numa_.emplace(words[names_.size() + 2]);
      }
      row_lines_.push_back(line + 1);
      rows_.push_back(std::move(cells));
      return;
    }
    if (!as_cell(words.back()) && rows_.size() == names_.size()) return;
    if (rows_.size() >= names_.size() || as_cell(words.front()) || names_.empty() ||
        std::ranges::find(names_, words.front()) == names_.end()) {
      wrong_count(line, words.size());
      return;
    }
    reading_.error(reading_.file.line(line + 1),
                   fmt::format("row {} where {} comes next in line {}", backquoted(words.front()),
                               backquoted(names_[rows_.size()]), head_ + 1));
  }

  void read_legend(std::size_t line) {
    for (; line < lines_.size(); ++line) {
      const std::vector<std::string_view> words = words_of(lines_[line]);
      if (words.size() != 2 || !words[0].ends_with(':') || !words[0].starts_with("NIC")) continue;
      const std::string head(words[0].substr(0, words[0].size() - 1));
      const auto name = reading_.name(words[1], "a NIC", reading_.file.line(line + 1));
      if (!name) continue;
      if (std::ranges::find(names_, head) == names_.end()) {
        reading_.error(reading_.file.line(line + 1),
                       fmt::format("the legend names {}, which is no column", backquoted(head)));
      } else if (!legend_.emplace(head, *name).second) {
        reading_.error(reading_.file.line(line + 1),
                       fmt::format("the legend names {} twice", backquoted(head)));
      }
    }
  }

  void check_symmetry() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        const bool is_self = rows_[i][k] == "X";
        if (is_self == (i == k) && rows_[i][k] == rows_[k][i]) continue;
        reading_.error(reading_.file.line(row_lines_[i]),
                       fmt::format("{} to {} is {} here and {} in line {}: was the text changed?",
                                   names_[i], names_[k], rows_[i][k], rows_[k][i], row_lines_[k]));
        return;
      }
    }
  }

  void add_nic(Server& server, std::size_t column) {
    ServerNic nic;
    nic.where = reading_.file.line(row_lines_[column]);
    const auto found = legend_.find(names_[column]);
    nic.name = found == legend_.end() ? names_[column] : found->second;
    const bool is_number = names_[column].starts_with("NIC");
    if (found == legend_.end() && is_number) nameless_ = true;
    if (!nic_names_.insert(nic.name).second) {
      reading_.error(nic.where, fmt::format("two NICs are called {}", backquoted(nic.name)));
    }
    server.nics.push_back(std::move(nic));
  }

  void add_gpu(Server& server, std::size_t row) {
    ServerGpu gpu;
    gpu.where = reading_.file.line(row_lines_[row]);
    std::set<std::string> kinds;
    std::uint32_t sum = 0;
    std::size_t peers = 0;
    std::size_t nic = 0;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::string& cell = rows_[row][k];
      if (!is_matrix_gpu(names_[k])) {
        gpu.nics[nic++] = path_of_cell(cell);
      } else if (cell.starts_with("NV")) {
        kinds.insert(cell);
        sum += static_cast<std::uint32_t>(*parse_unsigned(std::string_view(cell).substr(2)));
        ++peers;
      }
    }
    const std::uint32_t each = peers == 0 ? 0 : sum / static_cast<std::uint32_t>(peers);
    const bool by_switch = kinds.size() == 1 && needs_nvswitch(peers, each);
    gpu.nvlinks = by_switch ? each : sum;
    if (by_switch) server.nvswitches = 1;
    if (!by_switch && needs_nvswitch(1, sum)) {
      reading_.error(gpu.where, fmt::format("{} NVLinks to {}; no GPU has more than 18", sum,
                                            counted(peers, "GPU")));
    }
    server.gpus.push_back(std::move(gpu));
  }

  void build() {
    Server server;
    server.where = reading_.file.line(head_ + 1);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!is_matrix_gpu(names_[i])) add_nic(server, i);
    }
    bool crosses = false;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (is_matrix_gpu(names_[i])) add_gpu(server, i);
      crosses = crosses || std::ranges::find(rows_[i], "SYS") != rows_[i].end();
    }
    server.sockets =
        static_cast<std::uint32_t>(std::max<std::size_t>(numa_.size(), crosses ? 2 : 1));
    if (nameless_) {
      reading_.warning({},
                       "the NIC legend is missing, so names of NICs are not known: NIC0, NIC1 "
                       "and so on are used");
    }
    if (server.nics.empty()) {
      reading_.warning({}, "holds no NIC: only collectives inside of the server can be predicted");
    }
    reading_.found.servers.push_back(std::move(server));
  }

  Reading& reading_;
  const std::vector<std::string_view>& lines_;
  std::size_t head_ = 0;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> row_lines_;
  std::set<std::string> numa_;
  std::map<std::string, std::string> legend_;
  std::set<std::string> nic_names_;
  bool nameless_ = false;
};

}  // namespace

std::optional<std::string_view> recognise_topo_matrix(const InputFile& file) {
  const std::size_t head = head_line(file);
  const auto& lines = file.lines();
  const bool has_row =
      head + 1 < lines.size() &&
      std::ranges::any_of(lines.begin() + static_cast<std::ptrdiff_t>(head) + 1, lines.end(),
                          [](std::string_view line) {
                            const auto words = words_of(line.substr(0, 4096));
                            return words.size() > 1 && words[0] == "GPU0" && words[1] == "X";
                          });
  if (!has_row) return std::nullopt;
  return "its matrix of GPU0, GPU1 and so on";
}

void read_topo_matrix(const InputFile& file, Description& description) {
  Reading reading(file, description);
  TopoMatrixReader(reading).read();
  const std::vector<Server>& servers = reading.found.servers;
  reading.finish("nvidia-smi topo -m", servers.empty() ? "" : server_contents(servers.front()));
}

}  // namespace weft::import
