#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "tools/import/facts/description.hpp"
#include "tools/import/source/input_file.hpp"

namespace weft::import {

/// The columns of a table: an error where a needed one is missing.
struct TableColumns {
  std::span<const char* const> needed{};
  std::span<const char* const> known{};
  std::string_view also{};  ///< what may be titled otherwise; empty: nothing
};

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
  TableColumns columns{};  ///< of a table with a line of names
};

}  // namespace weft::import
