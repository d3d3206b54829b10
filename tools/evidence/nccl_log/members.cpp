#include "tools/evidence/nccl_log/members.hpp"

#include <algorithm>
#include <utility>

#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

using LogWords = std::vector<std::string_view>;

std::string address_key(std::string_view process, std::string_view address) {
  return std::string(process) + ' ' + std::string(address);
}

std::optional<std::uint32_t> whole_behind(const LogWords& words, std::string_view name) {
  return number_in<std::uint32_t>(word_behind(words, name));
}

}  // namespace

bool Members::read(const LogLine& line, const SourceLocation& where) {
  const LogWords words = split_words(line.text);
  const std::string_view address = word_behind(words, "comm");
  const auto rank = whole_behind(words, "rank");
  auto ranks = whole_behind(words, "nranks");
  if (!ranks) ranks = whole_behind(words, "nRanks");
  if (!address.starts_with("0x") || !rank || !ranks || *rank >= *ranks) return false;
  const std::string_view id = word_behind(words, "commId");
  const bool is_start = line.text.find("Init START") != line.text.npos;
  const bool is_end = line.text.find("Init COMPLETE") != line.text.npos;
  Thread& thread = threads_[std::string(line.thread)];
  const std::string key = address_key(line.process, address);
  const auto known = by_address_.find(key);
  std::size_t number = 0;
  if (known != by_address_.end() && !is_start) {
    number = known->second;
  } else if (!is_start && thread.current > 0 && !thread.is_complete &&
             members_[thread.current - 1].ranks == 0) {
    number = thread.current - 1;  // described before it was named
  } else {
    number = add(line);
  }
  Member& member = members_[number];
  if (!id.empty()) member.id = safe_name(id);
  member.rank = {*rank, safe_name(line.host), whole_behind(words, "cudaDev").value_or(0)};
  member.ranks = *ranks;
  member.nodes = whole_behind(words, "nNodes").value_or(member.nodes);
  if (member.where.line == 0) member.where = where;
  by_address_[key] = number;
  thread = {number + 1, is_end};
  return true;
}

Member& Members::described_by(const LogLine& line, bool begins_set_up) {
  Thread& thread = threads_[std::string(line.thread)];
  if (thread.current > 0 && !(thread.is_complete && begins_set_up)) {
    return members_[thread.current - 1];
  }
  const auto others = of_process_.find(line.process);
  if (!begins_set_up && others != of_process_.end()) return members_[others->second.back()];
  thread = {add(line) + 1, false};
  return members_[thread.current - 1];
}

Member* Members::find(std::string_view process, std::string_view address) {
  const auto found = by_address_.find(address_key(process, address));
  return found == by_address_.end() ? nullptr : &members_[found->second];
}

Member* Members::only_of(std::string_view process) {
  const auto found = of_process_.find(process);
  if (found == of_process_.end() || found->second.size() != 1) return nullptr;
  return &members_[found->second.front()];
}

std::vector<Member> Members::take() {
  std::erase_if(members_, [](const Member& member) { return member.ranks == 0; });
  return std::move(members_);
}

std::size_t Members::add(const LogLine& line) {
  members_.push_back({.process = std::string(line.process)});
  of_process_[std::string(line.process)].push_back(members_.size() - 1);
  return members_.size() - 1;
}

}  // namespace weft::evidence
