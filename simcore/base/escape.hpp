#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Names and texts come from files, databases and result folders that somebody else may have
/// written. Whatever prints or writes them shows what a terminal or a parser would obey, or what
/// hides from the eye, instead of passing it on.
namespace weft {

/// Bytes of the UTF-8 sequence at `i`, 0 if there is none (Unicode 15, table 3-7).
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t i);

/// For one line: control characters (C0 with line ends, DEL, C1), bidirectional controls (Unicode
/// Annex 9; N. Boucher, R. Anderson, "Trojan Source", USENIX Security 2023), line separators,
/// invisible marks, non-characters and bytes that are not UTF-8 become `\x1b`, `\u202e` or
/// `\U000e0001`. What is escaped stays as it is when escaped again.
[[nodiscard]] std::string escaped(std::string_view text);

/// The same for several lines: line ends and tabs stay.
[[nodiscard]] std::string escaped_lines(std::string_view text);

/// For texts and attributes of XML 1.0, which has no way at all to write most control characters.
/// Different texts stay different: a backslash of the text becomes `\x5c`.
[[nodiscard]] std::string xml_escaped(std::string_view text);

}  // namespace weft
