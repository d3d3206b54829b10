#include "tools/evidence/nccl_log/calls.hpp"

#include <array>
#include <limits>
#include <optional>

#include "tools/evidence/nccl_log/structure.hpp"
#include "tools/evidence/operations.hpp"
#include "tools/evidence/text.hpp"

namespace weft::evidence {
namespace {

/// `a` times `b`; nothing where that is no size.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0) return {};
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) return {};
  return a * b;
}

/// `AllReduce` of `AllReduce: ...`; empty: the line begins otherwise.
std::string_view name_before_colon(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (colon == text.npos || text.substr(0, colon).find(' ') != text.npos) return {};
  return text.substr(0, colon);
}

/// By number until 2.22, NCCL's nccl_common.h; by name after that.
std::string algorithm_in(std::string_view word) {
  constexpr std::array<std::string_view, 7> kNumbered{
      "tree", "ring", "collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat"};
  const auto number = number_in<std::size_t>(word);
  if (!number) return algorithm_name(word);
  return *number < kNumbered.size() ? std::string(kNumbered[*number]) : safe_name(word);
}

std::string protocol_in(std::string_view word) {
  constexpr std::array<std::string_view, 3> kNumbered{"ll", "ll128", "simple"};
  const auto number = number_in<std::size_t>(word);
  if (!number) return safe_name(lower(word));
  return *number < kNumbered.size() ? std::string(kNumbered[*number]) : safe_name(word);
}

/// `16` of `channel{Lo..Hi}={0..15}`; 0: not said.
std::uint32_t channels_in(std::string_view text) {
  constexpr std::string_view kStart = "channel{Lo..Hi}={";
  const std::size_t at = text.find(kStart);
  if (at == text.npos) return 0;
  const std::string_view range = text.substr(at + kStart.size());
  const std::size_t dots = range.find("..");
  const std::size_t end = range.find('}');
  if (dots == range.npos || end == range.npos || end < dots) return 0;
  const auto low = number_in<std::uint32_t>(range.substr(0, dots));
  const auto high = number_in<std::uint32_t>(range.substr(dots + 2, end - dots - 2));
  return low && high && *low <= *high ? *high - *low + 1 : 0;
}

}  // namespace

bool CallLines::read(const LogLine& line, const SourceLocation& where, Members& members) {
  return read_choice(line, where, members) || read_call(line, where, members);
}

bool CallLines::read_call(const LogLine& line, const SourceLocation& where, Members& members) {
  const OperationFacts* facts = find_nccl_operation(name_before_colon(line.text));
  if (facts == nullptr || line.text.find(" opCount ") == line.text.npos) return false;
  const std::vector<std::string_view> words = split_words(line.text);
  const auto sequence = number_in<std::uint64_t>(word_behind(words, "opCount"), 16);
  const auto count = number_in<std::int64_t>(word_behind(words, "count"));
  const auto type = number_in<std::uint64_t>(word_behind(words, "datatype"));
  const TypeFacts* type_facts = type ? find_nccl_type(*type) : nullptr;
  const std::string_view address = word_behind(words, "comm");
  if (!sequence || !count || type_facts == nullptr || address.empty()) return false;
  has_calls_ = true;
  Member* member = members.find(line.process, address);
  const auto bytes = product(*count, type_facts->bytes);
  if (member == nullptr || !bytes) {
    ++unknown_calls_;
    return true;
  }
  const auto size = product(*bytes, facts->has_parts() ? member->ranks : 1);
  if (!size) {
    ++unknown_calls_;
    return true;
  }
  Call call{.operation = std::string(facts->name),
            .type = std::string(type_facts->name),
            .sequence = *sequence,
            .bytes = *size,
            .group_ranks = member->ranks,
            .where = where};
  const auto peer = number_in<std::uint32_t>(word_behind(words, "root"));
  if (line.text.starts_with("Send:") && peer) call.message = {member->rank.rank, *peer};
  if (line.text.starts_with("Recv:") && peer) call.message = {*peer, member->rank.rank};
  member->calls.push_back(std::move(call));
  last_[std::string(line.process)] = {std::string(facts->name), *bytes, *size,
                                      std::string(address)};
  return true;
}

bool CallLines::read_choice(const LogLine& line, const SourceLocation& where, Members& members) {
  if (line.text.find(" Bytes -> Algo ") == line.text.npos) return false;
  const std::vector<std::string_view> words = split_words(line.text);
  const OperationFacts* facts = find_nccl_operation(name_before_colon(line.text));
  const auto bytes = number_in<std::int64_t>(words[facts == nullptr ? 0 : 1]);
  const std::string_view algorithm = word_behind(words, "Algo");
  const std::string_view protocol = word_behind(words, "proto");
  if (!bytes || *bytes < 0 || algorithm.empty() || protocol.empty()) return false;
  has_choices_ = true;
  const auto last = last_.find(line.process);
  const bool follows = last != last_.end() &&
                       (facts == nullptr || last->second.operation == facts->name) &&
                       (last->second.bytes == *bytes || last->second.size == *bytes);
  Member* member =
      follows ? members.find(line.process, last->second.address) : members.only_of(line.process);
  if (member == nullptr) {
    ++unknown_choices_;
    return true;
  }
  Choice choice{.bytes = *bytes,
                .algorithm = algorithm_in(algorithm),
                .protocol = protocol_in(protocol),
                .channels = channels_in(line.text),
                .where = where};
  if (facts != nullptr) choice.operation = facts->name;
  // Versions with `time` log the size of all ranks, later ones that of a rank's part.
  const bool is_part =
      facts != nullptr && facts->has_parts() && line.text.find(" time ") == line.text.npos;
  if (follows) {
    choice.operation = last->second.operation;
    choice.bytes = last->second.size;
  } else if (is_part) {
    choice.bytes = product(*bytes, member->ranks).value_or(0);
  }
  member->choices.push_back(std::move(choice));
  return true;
}

}  // namespace weft::evidence
