#include "scenarios/checks/odd/majority.hpp"

#include <optional>
#include <set>
#include <utility>

namespace weft::scenarios {
namespace {

class Judge {
 public:
  explicit Judge(std::span<const Vote> votes) : votes_(votes) {
    for (std::size_t i = 0; i < votes.size(); ++i) by_device_[votes[i].device].push_back(i);
    std::map<std::string, std::size_t> counts;
    for (const auto& [device, some] : by_device_) {
      std::map<std::string, std::size_t> here;
      for (const std::size_t vote : some) ++here[votes[vote].value];
      if (const std::string* own = majority(here)) {
        usual_.emplace(device, *own);
        ++counts[*own];
      }
    }
    const std::string* of_all = majority(counts);
    if (of_all != nullptr && counts[*of_all] >= 2) {
      of_all_ = *of_all;
    } else {
      of_all_ = of_most_votes();
    }
  }

  std::vector<OddVote> judge() {
    for (const auto& [device, some] : by_device_) {
      const std::string* expected = expected_of(device);
      for (const std::size_t vote : some) {
        if (expected == nullptr && votes_[vote].value != votes_[some.front()].value) {
          odd_.push_back({vote, some.front(), some.size(), true});
        } else if (expected != nullptr && votes_[vote].value != *expected) {
          odd_.push_back({vote, example(device, *expected), some.size(), false});
        }
      }
    }
    if (!of_all_) compare_devices();
    return std::move(odd_);
  }

 private:
  /// What more than half of all votes have, of two switches or more.
  [[nodiscard]] std::optional<std::string> of_most_votes() const {
    std::map<std::string, std::size_t> counts;
    std::map<std::string, std::set<std::size_t>> devices;
    for (const Vote& vote : votes_) {
      ++counts[vote.value];
      devices[vote.value].insert(vote.device);
    }
    const std::string* value = majority(counts);
    if (value == nullptr || devices.at(*value).size() < 2) return std::nullopt;
    return *value;
  }

  [[nodiscard]] const std::string* expected_of(std::size_t device) const {
    if (of_all_) return &*of_all_;
    const auto own = usual_.find(device);
    return own == usual_.end() ? nullptr : &own->second;
  }

  /// Of another switch where one has it, else of the same.
  [[nodiscard]] std::size_t example(std::size_t device, const std::string& value) const {
    std::size_t found = votes_.size();
    for (std::size_t i = 0; i < votes_.size(); ++i) {
      if (votes_[i].value != value) continue;
      if (found == votes_.size()) found = i;
      if (votes_[i].device != device) return i;
    }
    return found;
  }

  /// Each switch agrees with itself, and they differ from each other without a majority.
  void compare_devices() {
    std::optional<std::size_t> first;
    for (const auto& [device, value] : usual_) {
      const std::vector<std::size_t>& some = by_device_.at(device);
      std::size_t here = some.front();
      for (const std::size_t vote : some) {
        if (votes_[vote].value != value) continue;
        here = vote;
        break;
      }
      if (!first) {
        first = here;
      } else if (votes_[here].value != votes_[*first].value) {
        odd_.push_back({here, *first, some.size(), true});
      }
    }
  }

  std::span<const Vote> votes_;
  std::map<std::size_t, std::vector<std::size_t>> by_device_;
  std::map<std::size_t, std::string> usual_;  ///< by switch, where it has one
  std::optional<std::string> of_all_;
  std::vector<OddVote> odd_;
};

}  // namespace

std::vector<OddVote> odd_votes(std::span<const Vote> votes) { return Judge(votes).judge(); }

}  // namespace weft::scenarios
