#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/base/escape.hpp"
#include "tests/evidence/reading.hpp"
#include "tools/evidence/joined_calls.hpp"

/// Mutated copies of good samples: a reader refuses them, or reads what they now say.
namespace weft::evidence {

/// One sample for each form, and for each layout of it that is read by code of its own.
inline const std::vector<const char*> kMutated{
    "logs/nccl-tests-2.17.8-allreduce-4n-slow.txt",
    "logs/nccl-tests-2.11.0-broadcast-1n.txt",
    "logs/nccl-tests-2.17.8-reducescatter-4n-slow-interleaved.txt",
    "logs/nccl-tests-2.18.5-allreduce-4n-slow.json",
    "logs/nccl-info-2.14.3.txt",
    "logs/nccl-info-2.27.5.txt",
    "logs/inspector-gpu01-rank0.log",
    "logs/flight-recorder-rank0.json",
    "logs/kineto-rank0.json",
    "logs/ib_write_bw-gpu01-gpu02-mlx5_5-all-sizes.txt",
    "logs/ib_write_bw-out.json",
    "logs/pairs-allreduce.csv",
    "logs/pairs-rail5-write-bw.csv",
    "logs/nvbandwidth-gpu01.txt",
    "out/nccl-tuner.csv",
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Bytes flipped, a line deleted or doubled, the end cut, or one digit changed.
inline std::string mutated(const std::string& text, std::mt19937_64& random) {
  const auto draw = [&random](std::size_t below) { return random() % below; };
  std::string result = text;
  switch (draw(5)) {
    case 0:
      for (std::size_t i = 0; i <= draw(3); ++i) {
        result[draw(result.size())] ^= static_cast<char>(1U << draw(8));
      }
      return result;
    case 1:
      return result.substr(0, draw(result.size()));
    case 2: {
      std::vector<std::size_t> digits;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) digits.push_back(i);
      }
      char& digit = result[digits[draw(digits.size())]];
      digit = static_cast<char>('0' + (digit - '0' + 1 + draw(9)) % 10);
      return result;
    }
    default: {
      std::vector<std::string> lines = lines_of(text);
      const std::size_t at = draw(lines.size());
      if (draw(2) == 0) {
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
      }
      result.clear();
      for (const std::string& line : lines) result += line + "\n";
      return result;
    }
  }
}

/// Whether a word of the line is the number, as near as it is printed.
inline bool has_number(const std::string& line, double number) {
  const char* at = line.c_str();
  while (*at != 0) {
    char* end = nullptr;
    const double found = std::strtod(at, &end);
    if (end == at) {
      ++at;
      continue;
    }
    if (std::abs(found - number) <= 1e-9 * std::abs(number)) return true;
    at = end;
  }
  return false;
}

inline void expect_shown(const std::string& text) { ASSERT_EQ(escaped(text), text); }

/// Numbers that were taken stand where they are said to come from.
class TakenNumbers {
 public:
  explicit TakenNumbers(const std::string& text) : text_(text), lines_(lines_of(text)) {}

  void check(const Measurements& m) {
    for (const Series& series : m.series) {
      for (const MeasuredTime& time : series.times) {
        const std::string line = line_of(time.where);
        EXPECT_TRUE(has_number(line, static_cast<double>(time.bytes))) << time.bytes << line;
        EXPECT_TRUE(has_number(line, time.time_us)) << time.time_us << line;
        EXPECT_GT(time.time_us, 0);
      }
    }
    for (const PairSeries& series : m.pairs) {
      for (const PairValue& value : series.values) {
        if (value.where.line == 0) continue;
        const std::string line = line_of(value.where);
        const double gigabytes = value.gigabytes_per_second;
        const bool is_there = has_near(line, gigabytes) || has_near(line, gigabytes * 8) ||
                              has_near(line, gigabytes * 16) ||
                              has_near(line, gigabytes * 1e9 / 1048576);
        EXPECT_TRUE(is_there) << gigabytes << line;
      }
    }
    for (const RankCalls& rank : m.calls) {
      for (const Call& call : rank.calls) check(rank.source, call);
    }
  }

 private:
  static bool has_near(const std::string& line, double number) {
    const char* at = line.c_str();
    while (*at != 0) {
      char* end = nullptr;
      const double found = std::strtod(at, &end);
      if (end != at && std::abs(found - number) <= 1e-6 * std::abs(number)) return true;
      at = end == at ? at + 1 : end;
    }
    return false;
  }

  [[nodiscard]] std::string line_of(const SourceLocation& where) const {
    const auto number = static_cast<std::size_t>(where.line);
    EXPECT_GT(number, 0U);
    EXPECT_LE(number, lines_.size());
    if (number == 0 || number > lines_.size()) return {};
    std::string line = lines_[number - 1];
    std::ranges::replace(line, '\0', ' ');  // at which strtod would stop
    return line;
  }

  void check(const std::string& source, const Call& call) {
    EXPECT_GE(call.bytes, 0);
    if (!call.time_us) return;
    EXPECT_GT(*call.time_us, 0);
    if (source == "NCCL Inspector") {
      EXPECT_TRUE(has_number(line_of(call.where), *call.time_us)) << *call.time_us;
    } else if (source == "Kineto") {
      EXPECT_EQ(member(call.where.key, "dur"), *call.time_us);
    } else if (source == "flight recorder") {
      EXPECT_DOUBLE_EQ(member(call.where.key, "duration_ms") * 1000, *call.time_us);
    }
  }

  /// `name` of `entries[3]`
  double member(const std::string& key, const char* name) {
    if (tree_.is_null()) tree_ = nlohmann::json::parse(text_);
    const std::size_t bracket = key.find('[');
    const auto index = std::strtoul(key.c_str() + bracket + 1, nullptr, 10);
    return tree_.at(key.substr(0, bracket)).at(index).at(name).get<double>();
  }

  const std::string& text_;
  std::vector<std::string> lines_;
  nlohmann::json tree_;
};

/// `count` mutated copies of each sample.
inline void read_mutated(int count, std::uint64_t seed) {
  for (const char* name : kMutated) {
    const std::string text = text_of(name);
    ASSERT_FALSE(text.empty()) << name;
    std::mt19937_64 random(seed);
    int refused = 0;
    for (int i = 0; i < count && !::testing::Test::HasFatalFailure(); ++i) {
      const std::string copy = mutated(text, random);
      SCOPED_TRACE(std::string(name) + ", copy " + std::to_string(i));
      const InputFile file(name, copy);
      Measurements m;
      read_file(file, nullptr, m);
      if (has_errors(m.remarks)) {
        ++refused;
        EXPECT_TRUE(is_empty(m));
      }
      for (const Remark& remark : m.remarks) expect_shown(remark.text);
      for (const std::string& line : m.recognised) expect_shown(line);
      for (const NcclLog& log : m.nccl_logs) {
        for (const std::string& host : log.on.hosts) expect_shown(host);
        for (const std::string& nic : log.nics) expect_shown(nic);
      }
      TakenNumbers(std::string(file.text())).check(m);
      for (const Remark& remark : join_calls(m.calls).remarks) expect_shown(remark.text);
    }
    const bool has_checks = std::string_view(name).find("tuner") == std::string_view::npos;
    EXPECT_TRUE(refused > 0 || !has_checks) << name;
  }
}

}  // namespace weft::evidence
