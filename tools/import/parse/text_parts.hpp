#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Small parts of texts that several formats share.
namespace weft::import {

/// Without blanks and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The words between blanks and tabs.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// In small letters of ASCII.
[[nodiscard]] std::string lower_case(std::string_view text);

/// A number of hexadecimal digits, with or without `0x`; nothing for anything else, and beyond 64
/// bits.
[[nodiscard]] std::optional<std::uint64_t> parse_hex(std::string_view text);

/// `02:00:00:00:01:00`, also with dashes, or in three groups with dots.
[[nodiscard]] bool is_mac(std::string_view text);

}  // namespace weft::import
