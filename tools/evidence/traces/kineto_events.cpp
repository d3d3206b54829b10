#include "tools/evidence/traces/kineto_events.hpp"

#include <limits>
#include <utility>

#include "tools/evidence/json/json_text.hpp"

namespace weft::evidence {

bool KinetoHandler::open(bool is_object) {
  if (levels_.size() >= kMaxJsonDepth) {
    problem_ = "is nested too deep";
    return false;
  }
  levels_.push_back({is_object});
  if (is_object && levels_.size() == 3 && levels_[0].key == "traceEvents") event_ = {};
  return true;
}

bool KinetoHandler::close() {
  levels_.pop_back();
  return true;
}

bool KinetoHandler::end_object() {
  const bool is_event = levels_.size() == 3 && levels_[0].is_object && !levels_[1].is_object &&
                        levels_[0].key == "traceEvents";
  if (is_event) on_event_(event_);
  return close();
}

bool KinetoHandler::end_array() { return close(); }

bool KinetoHandler::key(string_t& value) {
  levels_.back().key = value;
  return true;
}

bool KinetoHandler::parse_error(std::size_t position, const std::string& /*last_token*/,
                                const nlohmann::detail::exception& ex) {
  problem_at_ = position == 0 ? 0 : position - 1;
  problem_ = "is no whole JSON: " + json_problem(ex.what());
  return false;
}

bool KinetoHandler::is_in_event() const {
  return levels_.size() == 3 && levels_[2].is_object && !levels_[1].is_object &&
         levels_[0].key == "traceEvents";
}

bool KinetoHandler::is_in_arguments() const {
  return levels_.size() == 4 && levels_[3].is_object && levels_[2].is_object &&
         levels_[2].key == "args" && levels_[0].key == "traceEvents";
}

bool KinetoHandler::is_in_info() const {
  return levels_.size() == 2 && levels_[1].is_object && levels_[0].key == "distributedInfo";
}

bool KinetoHandler::string(string_t& value) {
  if (is_in_event()) {
    const std::string& name = levels_[2].key;
    if (name == "ph") event_.phase = std::move(value);
    if (name == "cat") event_.category = std::move(value);
    if (name == "name") event_.name = std::move(value);
  } else if (is_in_arguments()) {
    const std::string& name = levels_[3].key;
    if (name == "Collective name") event_.collective = std::move(value);
    if (name == "dtype") event_.type = std::move(value);
    if (name == "Process Group Name") event_.group = std::move(value);
  } else if (is_in_info() && levels_[1].key == "nccl_version") {
    header_.nccl_version = std::move(value);
  } else if (levels_.size() == 3 && levels_[0].key == "deviceProperties" &&
             levels_[2].key == "name" && header_.gpu.empty()) {
    header_.gpu = std::move(value);
  }
  return true;
}

void KinetoHandler::on_number(double value) {
  if (!is_in_event()) return;
  if (levels_[2].key == "ts") event_.begin_us = value;
  if (levels_[2].key == "dur") event_.time_us = value;
}

void KinetoHandler::on_whole(std::int64_t value) {
  if (is_in_info() && levels_[1].key == "rank") header_.rank = value;
  if (!is_in_arguments()) return on_number(static_cast<double>(value));
  const std::string& name = levels_[3].key;
  if (name == "In msg nelems") event_.in_elements = value;
  if (name == "Out msg nelems") event_.out_elements = value;
  if (name == "Group size") event_.group_ranks = value;
  if (name == "Seq") event_.sequence = value;
  if (name == "Src Rank") event_.from = value;
  if (name == "Dst Rank") event_.to = value;
}

bool KinetoHandler::number_integer(number_integer_t value) {
  on_whole(value);
  return true;
}

bool KinetoHandler::number_unsigned(number_unsigned_t value) {
  constexpr auto kMax = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
  if (value <= kMax) on_whole(static_cast<std::int64_t>(value));
  return true;
}

bool KinetoHandler::number_float(number_float_t value, const string_t& /*text*/) {
  on_number(value);
  return true;
}

}  // namespace weft::evidence
