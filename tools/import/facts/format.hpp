#pragma once

#include <optional>
#include <string_view>

#include "tools/import/facts/description.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::import {

/// One form of file that operators hold.
struct Format {
  std::string_view name;   ///< of `--format`, such as `nccl-topo`
  std::string_view about;  ///< `NCCL topology XML`
  /// How to get such a file: a command, or where it lies.
  std::string_view command;
  /// By content, never by name: the words by which it is known, for the user; nothing: another
  /// form.
  std::optional<std::string_view> (*recognise)(const InputFile& file);
  /// Adds what the file says, and what has to be said of it. Adds nothing but remarks where one of
  /// them is an error.
  void (*read)(const InputFile& file, Description& description);
};

}  // namespace weft::import
