#pragma once

#include <string>
#include <vector>

namespace weft::cli {

/// Where results have what a word names, with its unit and meaning: a column of a result file or a
/// field of summary.json, with its unit or without (`mfu`, `jct`, `jct_s`, `step_seconds`). Empty:
/// no result is called that.
[[nodiscard]] std::string result_word_text(const std::string& word);

/// What results are called, for those who misspell it.
[[nodiscard]] std::vector<std::string> result_words();

}  // namespace weft::cli
