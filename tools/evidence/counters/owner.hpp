#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/evidence/measurements.hpp"
#include "tools/import/source/input_file.hpp"

/// What the readers of counters share: tools print numbers, and rarely whose they are.
namespace weft::evidence {

/// Of a file that is not what it seems to be, no more are listed.
inline constexpr std::size_t kMaxErrors = 1000;

/// A host, and an interface of it where the output is of one.
struct CounterOwner {
  std::string device;
  std::string port;
};

/// Whose output begins here, if the line says so: a header `# gpu01 enp24s0np0`, or the prompt
/// before the command, such as `root@gpu01:~# ethtool -S enp24s0np0`.
[[nodiscard]] std::optional<CounterOwner> owner_of_line(std::string_view line);

/// The same by the name of the file: `ethtool-gpu01-enp24s0np0.txt`, `pfc-counters-leaf01.txt`.
/// `has_port`: whether the output is of one interface.
[[nodiscard]] CounterOwner owner_of_name(std::string_view file_name, bool has_port);

[[nodiscard]] std::vector<std::string_view> words_of_line(std::string_view line);

/// Digits, or digits in groups of three with commas.
[[nodiscard]] std::optional<std::uint64_t> counter_value(std::string_view text);

/// Adds what was read, or only the remarks if one of them is an error; says what was recognised.
void add_counters(const import::InputFile& file, std::string_view form,
                  std::vector<Counter> counters, Remarks remarks, Measurements& measurements);

}  // namespace weft::evidence
