#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/facts/description.hpp"
#include "tools/import/source/input_file.hpp"

/// What the readers of command lines share: those that operators paste from a switch.
namespace weft::import {

struct PastedQueue {
  bool is_strict = false;
  std::optional<Stated<std::uint32_t>> weight{};
  std::optional<EcnSettings> ecn{};
};

/// The QoS of a switch or of one of its profiles. A class is a traffic class of EOS, a QoS group of
/// NX-OS, a switch priority of Cumulus; PFC's priority has the same number.
struct PastedQos {
  CodePoints classes;                                 ///< by DSCP
  std::map<std::uint32_t, std::uint32_t> queues;      ///< by class; missing: the same number
  std::map<std::uint32_t, std::uint32_t> priorities;  ///< by class; missing: the same number
  std::set<std::uint32_t> pfc;                        ///< priorities
  std::optional<SourceLocation> pfc_at;               ///< the first line that speaks of PFC
  std::map<std::uint32_t, PastedQueue> by_queue;
  std::map<std::uint32_t, BufferSettings> buffers;  ///< by priority
  std::map<std::uint32_t, Stated<Bytes>> mtus;      ///< by class
  SourceLocation where{};
};

/// One class for each that a code point, PFC or a queue names.
[[nodiscard]] std::vector<ClassSettings> classes_of(const PastedQos& qos);

/// Not of management, a loop, a VLAN or a bundle.
[[nodiscard]] bool is_front_port(std::string_view interface);

/// Reads line by line, and adds what is wrong to the remarks.
class PastedLines {
 public:
  PastedLines(const InputFile& file, Remarks& remarks) : file_(file), remarks_(remarks) {}

  /// The next line with words, without prompt and comment; false: there is none.
  bool next();
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// Blanks before its first word.
  [[nodiscard]] std::size_t indent() const { return indent_; }
  /// `leaf01` where a prompt such as `cumulus@leaf01:mgmt:~$ ` stands before a line.
  [[nodiscard]] const std::optional<std::string>& host() const { return host_; }
  [[nodiscard]] SourceLocation where() const;
  [[nodiscard]] bool starts(std::string_view words) const;

  void error(std::string text);
  void warning(std::string text);
  /// A command that is not known, once for each.
  void unknown(std::size_t words);
  /// Says `text` of `topic` once.
  void warn_once(const std::string& topic, std::string text);
  void warn_if_cut();

  /// The word at `index` as a whole number of `min` to `max`; else an error that says what it is.
  [[nodiscard]] std::optional<std::uint32_t> number(std::size_t index, std::uint32_t min,
                                                    std::uint32_t max, std::string_view what);
  /// The word at `index` as a list of numbers and ranges.
  [[nodiscard]] std::set<std::uint32_t> numbers(std::size_t index, std::uint32_t max,
                                                std::string_view what);
  /// The MTU or another size in bytes.
  [[nodiscard]] std::optional<Stated<Bytes>> bytes(std::size_t index, std::int64_t min,
                                                   std::int64_t max, std::string_view what);
  /// A rate such as `400g`, `400G-8` or `400000`.
  [[nodiscard]] std::optional<Stated<BitsPerSecond>> rate(std::string_view word);
  /// The thresholds of `random-detect`, from `index` on.
  [[nodiscard]] std::optional<EcnSettings> random_detect(std::size_t index, bool marks);
  /// `Ethernet1/1`, `Ethernet1/1-4`, lists of them.
  [[nodiscard]] std::vector<std::string> interfaces(std::string_view names);

 private:
  void refuse_if_full();
  [[nodiscard]] std::optional<Bytes> size_with_unit(std::size_t index);

  const InputFile& file_;
  Remarks& remarks_;
  std::size_t line_ = 0;
  std::size_t indent_ = 0;
  std::string_view text_;
  std::vector<std::string_view> words_;
  std::optional<std::string> host_;
  std::set<std::string> warned_;
};

/// Adds the settings, or only the remarks if one of them is an error, and says what was recognised.
void add_pasted(const InputFile& file, std::string_view form, SwitchSettings settings,
                const Remarks& remarks, Description& description);

}  // namespace weft::import
