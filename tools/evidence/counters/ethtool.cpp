#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "simcore/text/quoted.hpp"
#include "tools/evidence/counters/counter_forms.hpp"
#include "tools/evidence/counters/owner.hpp"

/// Counters of NICs: `ethtool -S IF`, and those of RDMA, which Linux has as files.
namespace weft::evidence {
namespace {

constexpr std::string_view kRdmaFolder = "/hw_counters/";

std::optional<std::string_view> recognise_ethtool(const InputFile& file) {
  const bool found = std::ranges::any_of(
      file.lines(), [](std::string_view line) { return line == "NIC statistics:"; });
  return found ? std::optional<std::string_view>("NIC statistics:") : std::nullopt;
}

std::optional<std::string_view> recognise_rdma(const InputFile& file) {
  const bool found = std::ranges::any_of(file.lines(), [](std::string_view line) {
    return line.find(kRdmaFolder) != std::string_view::npos;
  });
  return found ? std::optional<std::string_view>("hw_counters") : std::nullopt;
}

/// The counters of one file, of one NIC after another.
class NicCounters {
 public:
  NicCounters(const InputFile& file, bool names_port) : file_(file) {
    owner_ = owner_of_name(file.name(), names_port);
  }

  /// True: the line says whose counters follow.
  bool take_owner(std::string_view line) {
    const auto owner = owner_of_line(line);
    if (!owner) return false;
    owner_ = *owner;
    seen_.clear();
    return true;
  }

  void set_port(std::string port) { owner_.port = std::move(port); }

  void add(std::size_t line, std::string_view name, std::string_view text) {
    if (remarks_.size() >= kMaxErrors) return;
    const auto value = counter_value(text);
    if (!value) {
      import::add_error(remarks_, file_.line(line),
                        fmt::format("{}: {} found, expected a whole number", backquoted(name),
                                    text.empty() ? "nothing" : backquoted(text)));
      return;
    }
    if (!seen_.insert(owner_.port + " " + std::string(name)).second) {
      import::add_error(remarks_, file_.line(line),
                        fmt::format("{} stands twice: are two outputs joined? `# host interface` "
                                    "before each tells them apart",
                                    backquoted(name)));
      return;
    }
    counters_.push_back({owner_.device, owner_.port, std::string(name), *value, file_.line(line)});
  }

  void error(std::size_t line, std::string text) {
    if (remarks_.size() < kMaxErrors)
      import::add_error(remarks_, file_.line(line), std::move(text));
  }

  void finish(std::string_view form, Measurements& measurements) {
    if (std::ranges::any_of(counters_, [](const Counter& c) { return c.device.empty(); })) {
      import::add_warning(remarks_, {.file = file_.name()},
                          "does not say whose counters these are: write `# host interface` above "
                          "them, or name the file TOOL-HOST-INTERFACE.txt");
    }
    add_counters(file_, form, std::move(counters_), std::move(remarks_), measurements);
  }

 private:
  const InputFile& file_;
  CounterOwner owner_;
  std::set<std::string> seen_;
  std::vector<Counter> counters_;
  Remarks remarks_;
};

void read_ethtool(const InputFile& file, Measurements& measurements) {
  NicCounters counters(file, true);
  for (std::size_t i = 0; i < file.lines().size(); ++i) {
    const std::string_view line = file.lines()[i];
    if (line.empty() || line == "NIC statistics:" || counters.take_owner(line)) continue;
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos || colon < begin) {
      counters.error(i + 1, fmt::format("{} found, expected `name: value`", backquoted(line)));
      continue;
    }
    const auto words = words_of_line(line.substr(colon + 1));
    counters.add(i + 1, line.substr(begin, colon - begin), words.size() == 1 ? words[0] : "");
  }
  counters.finish("ethtool -S", measurements);
}

void read_rdma(const InputFile& file, Measurements& measurements) {
  NicCounters counters(file, false);
  for (std::size_t i = 0; i < file.lines().size(); ++i) {
    const std::string_view line = file.lines()[i];
    if (line.empty() || counters.take_owner(line)) continue;
    const std::size_t folder = line.find(kRdmaFolder);
    const std::size_t colon = line.rfind(':');
    const auto bad = [&] {
      counters.error(i + 1,
                     fmt::format("{} found, expected `.../mlx5_0/ports/1/hw_counters/name:value`",
                                 backquoted(line)));
    };
    if (folder == std::string_view::npos || colon == std::string_view::npos || colon < folder) {
      bad();
      continue;
    }
    constexpr std::string_view kClass = "/infiniband/";
    const std::size_t nic = line.find(kClass);
    if (nic == std::string_view::npos || nic > folder) {
      bad();
      continue;
    }
    const std::string_view rest = line.substr(nic + kClass.size());
    counters.set_port(std::string(rest.substr(0, rest.find('/'))));
    const std::size_t name = folder + kRdmaFolder.size();
    counters.add(i + 1, line.substr(name, colon - name), line.substr(colon + 1));
  }
  counters.finish("RDMA hw_counters", measurements);
}

}  // namespace

Form ethtool_form() {
  return {.name = "ethtool",
          .about = "counters of a NIC's port",
          .command = "`(echo \"# $(hostname) IF\"; ethtool -S IF)`",
          .recognise = recognise_ethtool,
          .read = read_ethtool};
}

Form rdma_counters_form() {
  return {
      .name = "rdma-counters",
      .about = "counters of a NIC's RDMA transport",
      .command = "`(echo \"# $(hostname)\"; grep . /sys/class/infiniband/*/ports/1/hw_counters/*)`",
      .recognise = recognise_rdma,
      .read = read_rdma};
}

}  // namespace weft::evidence
