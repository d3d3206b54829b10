#include <fmt/format.h>

#include <algorithm>

#include "simcore/base/escape.hpp"
#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/evidence/counters/counter_forms.hpp"
#include "tools/evidence/counters/owner.hpp"

/// `mlnx_qos -i IF`: what a NIC of NVIDIA takes as the priority of a packet, and which priorities
/// it pauses and is paused for.
namespace weft::evidence {
namespace {

constexpr std::string_view kTrust = "Priority trust state:";
constexpr std::uint32_t kPriorities = 8;

std::optional<std::string_view> recognise_mlnx_qos(const InputFile& file) {
  const bool found = std::ranges::any_of(
      file.lines(), [](std::string_view line) { return line.starts_with(kTrust); });
  return found ? std::optional<std::string_view>(kTrust) : std::nullopt;
}

class MlnxQosReader {
 public:
  explicit MlnxQosReader(const InputFile& file) : file_(file) {
    owner_ = owner_of_name(file.name(), true);
  }

  void read(Measurements& measurements) {
    for (line_ = 1; line_ <= file_.lines().size(); ++line_) read_line(file_.lines()[line_ - 1]);
    end_nic();
    if (import::has_errors(remarks_)) {
      measurements.remarks.insert(measurements.remarks.end(), remarks_.begin(), remarks_.end());
      return;
    }
    for (NicQos& nic : nics_) {
      if (nic.host.empty()) {
        import::add_warning(remarks_, nic.where,
                            "does not say whose settings these are: write `# host interface` above "
                            "them");
      }
      measurements.nic_qos.push_back(std::move(nic));
    }
    measurements.remarks.insert(measurements.remarks.end(), remarks_.begin(), remarks_.end());
    measurements.recognised.push_back(
        fmt::format("{}: mlnx_qos: {} ports", escaped(file_.name()), nics_.size()));
  }

 private:
  void error(std::string text) {
    if (remarks_.size() < kMaxErrors)
      import::add_error(remarks_, file_.line(line_), std::move(text));
  }

  void read_line(std::string_view line) {
    if (const auto owner = owner_of_line(line)) {
      end_nic();
      owner_ = *owner;
      return;
    }
    const auto words = words_of_line(line);
    if (line.starts_with(kTrust)) {
      if (has_trust_) end_nic();
      begin_nic(words);
    } else if (!words.empty() && words[0].starts_with("prio:") && has_trust_) {
      read_mapping(words);
    } else if (!words.empty() && words[0] == "priority") {
      is_order_known_ = words.size() == kPriorities + 1;
      for (std::size_t i = 1; i < words.size(); ++i) {
        is_order_known_ = is_order_known_ && parse_unsigned(words[i]) == i - 1;
      }
    } else if (!words.empty() && words[0] == "enabled") {
      read_enabled(words);
    }
  }

  void begin_nic(const std::vector<std::string_view>& words) {
    has_trust_ = true;
    nic_ = NicQos{.host = owner_.device,
                  .interface = owner_.port,
                  .trust = {},
                  .pfc = {},
                  .priorities = {},
                  .where = file_.line(line_)};
    const std::string_view trust = words.size() == 4 ? words[3] : "";
    if (trust != "dscp" && trust != "pcp") {
      error(fmt::format("{} found, expected dscp or pcp",
                        trust.empty() ? "nothing" : backquoted(trust)));
    }
    nic_.trust = std::string(trust);
  }

  /// `prio:3 dscp:31,30,29,28,27,26,25,24,`
  void read_mapping(const std::vector<std::string_view>& words) {
    const auto priority = parse_unsigned(words[0].substr(5));
    if (!priority || *priority >= kPriorities || words.size() != 2 ||
        !words[1].starts_with("dscp:")) {
      return error("expected `prio:N dscp:N,N,`");
    }
    std::string_view rest = words[1].substr(5);
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const auto dscp = parse_unsigned(rest.substr(0, comma));
      if (!dscp || *dscp > 63) return error("expected code points of 0 to 63 after `dscp:`");
      if (!nic_.priorities.emplace(*dscp, static_cast<std::uint32_t>(*priority)).second) {
        return error(fmt::format("DSCP {} has two priorities", *dscp));
      }
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }

  void read_enabled(const std::vector<std::string_view>& words) {
    if (!has_trust_ || !is_order_known_ || words.size() != kPriorities + 1) {
      return error(
          "expected priorities 0 to 7, and `enabled` with eight of 0 and 1: pasted from a "
          "narrow window?");
    }
    has_enabled_ = true;
    for (std::uint32_t i = 0; i < kPriorities; ++i) {
      if (words[i + 1] != "0" && words[i + 1] != "1") {
        return error(fmt::format("{} found, expected 0 or 1", backquoted(words[i + 1])));
      }
      if (words[i + 1] == "1") nic_.pfc.insert(i);
    }
  }

  void end_nic() {
    if (has_trust_ && !has_enabled_) {
      error("the output ends before `PFC configuration`: it was cut; copy it again");
    }
    if (has_trust_) nics_.push_back(std::move(nic_));
    has_trust_ = has_enabled_ = is_order_known_ = false;
  }

  const InputFile& file_;
  CounterOwner owner_;
  Remarks remarks_;
  NicQos nic_;
  std::vector<NicQos> nics_;
  std::size_t line_ = 0;
  bool has_trust_ = false;
  bool has_enabled_ = false;
  bool is_order_known_ = false;
};

void read_mlnx_qos(const InputFile& file, Measurements& measurements) {
  MlnxQosReader(file).read(measurements);
}

}  // namespace

Form mlnx_qos_form() {
  return {.name = "mlnx-qos",
          .about = "priorities and PFC of a NIC",
          .command = "`(echo \"# $(hostname) IF\"; mlnx_qos -i IF)`",
          .recognise = recognise_mlnx_qos,
          .read = read_mlnx_qos};
}

}  // namespace weft::evidence
