#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "tools/evidence/forms.hpp"

/// What tests of readers have in common.
namespace weft::evidence {

inline std::filesystem::path sample(const std::string& name) {
  return std::filesystem::path(WEFT_SOURCE_DIR) / "tests/operators" / name;
}

/// What a sample says, in the form that it is recognised as.
inline Measurements read_sample(const std::string& name) {
  Measurements measurements;
  const auto file = InputFile::read(sample(name));
  if (!file) {
    for (const Error& error : file.errors()) {
      import::add_error(measurements.remarks, error.where, error.message);
    }
    return measurements;
  }
  read_file(file.value(), nullptr, measurements);
  return measurements;
}

inline Measurements read_text(const std::string& text, const std::string& name = "log.txt") {
  Measurements measurements;
  read_file(InputFile(name, text), nullptr, measurements);
  return measurements;
}

inline std::string text_of(const std::string& name) {
  const auto file = InputFile::read(sample(name));
  return file.ok() ? std::string(file.value().text()) : std::string();
}

/// All remarks, one a line.
inline std::string said(const Measurements& measurements) {
  std::string text;
  for (const Remark& remark : measurements.remarks) {
    std::string line = remark.to_string();
    if (const std::size_t at = line.find("tests/operators/"); at != std::string::npos) {
      line.erase(0, at + 16);
    }
    text += line + "\n";
  }
  return text;
}

inline bool is_empty(const Measurements& m) {
  return m.series.empty() && m.pairs.empty() && m.nccl_logs.empty() && m.calls.empty() &&
         m.recognised.empty();
}

/// `text` with the first `from` replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace weft::evidence
