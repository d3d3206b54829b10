#pragma once

#include <optional>
#include <string_view>

#include "tools/evidence/measurements.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::evidence {

using import::InputFile;

/// One form of log.
struct Form {
  std::string_view name;   ///< of `--format`, such as `nccl-tests`
  std::string_view about;  ///< `output of nccl-tests`
  /// How to get such a file: a command, or where it lies.
  std::string_view command;
  /// By content, never by name: the words by which it is known; nothing: another form.
  std::optional<std::string_view> (*recognise)(const InputFile& file);
  /// Adds what the log says, and what has to be said of it; nothing but remarks where one of them
  /// is an error.
  void (*read)(const InputFile& file, Measurements& measurements);
};

}  // namespace weft::evidence
