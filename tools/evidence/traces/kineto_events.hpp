#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::evidence {

/// What is taken of a kernel of a trace.
struct KinetoEvent {
  std::string phase{};
  std::string category{};
  std::string name{};
  double begin_us = 0;
  double time_us = 0;
  std::string collective{};  ///< empty: it has no arguments of NCCL
  std::string type{};
  std::string group{};
  std::int64_t in_elements = 0;
  std::int64_t out_elements = 0;
  std::int64_t group_ranks = 0;
  std::optional<std::int64_t> sequence{};
  std::optional<std::int64_t> from{};
  std::optional<std::int64_t> to{};
};

/// What the rest of a trace says.
struct KinetoHeader {
  std::optional<std::int64_t> rank{};
  std::string nccl_version{};
  std::string gpu{};
};

/// Passes each event of `traceEvents` on, without holding the trace. nlohmann's interface for that.
class KinetoHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit KinetoHandler(std::function<void(const KinetoEvent&)> on_event)
      : on_event_(std::move(on_event)) {}

  [[nodiscard]] const KinetoHeader& header() const { return header_; }
  /// Why it stopped; empty: it read all.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::size_t problem_at() const { return problem_at_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override;
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t&) override;
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(true); }
  bool end_object() override;
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override;
  bool key(string_t& value) override;
  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& ex) override;

 private:
  struct Level {
    bool is_object = false;
    std::string key{};
  };

  bool open(bool is_object);
  bool close();
  /// Whether the value is a member of an event, of its arguments, or of `distributedInfo`.
  [[nodiscard]] bool is_in_event() const;
  [[nodiscard]] bool is_in_arguments() const;
  [[nodiscard]] bool is_in_info() const;
  void on_whole(std::int64_t value);
  void on_number(double value);

  std::function<void(const KinetoEvent&)> on_event_;
  std::vector<Level> levels_;
  KinetoEvent event_;
  KinetoHeader header_;
  std::string problem_;
  std::size_t problem_at_ = 0;
};

}  // namespace weft::evidence
