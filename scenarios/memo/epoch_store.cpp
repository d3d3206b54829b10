#include "scenarios/memo/epoch_store.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::scenarios {
std::vector<std::int64_t> key_of(std::span<const EpochBegin> begins) {
  EpochStore::Key key;
  key.reserve(2 * begins.size());
  for (const EpochBegin& b : begins) {
    key.push_back(b.time.count());
    key.push_back((std::int64_t{b.call} << 32U) | (std::int64_t{b.stream} << 16U) | b.rank);
  }
  return key;
}

EpochStore::Found EpochStore::find(const EpochBegins& begins) {
  const Key key = key_of(begins.list);
  std::unique_ptr<EpochReplay> replay;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = epochs_.find(key); known != epochs_.end()) return known->second;
    replay = take_replay();
  }
  const Found found = std::make_shared<const CommEpoch>(replay->run(begins, {}));
  const std::lock_guard lock(mutex_);
  give_back(std::move(replay));
  const auto [it, is_new] = epochs_.emplace(key, found);
  if (is_new) {
    bytes_ += found->memory_bytes() + key.size() * sizeof(std::int64_t);
    if (found->is_whole) ++simulated_;
  }
  simulated_hops_ += found->simulated_hops;
  skips_ += found->skips;
  return it->second;
}

EpochStore::Found EpochStore::part(const EpochBegins& begins, const EpochWindow& window) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<EpochReplay> replay = take_replay();
  Found found = std::make_shared<const CommEpoch>(replay->run(begins, window));
  ++simulated_;
  simulated_hops_ += found->simulated_hops;
  skips_ += found->skips;
  give_back(std::move(replay));
  return found;
}

void EpochStore::forget() {
  const std::lock_guard lock(mutex_);
  std::erase_if(epochs_, [](const auto& entry) { return entry.second.use_count() == 1; });
  bytes_ = 0;
  for (const auto& [key, epoch] : epochs_) {
    bytes_ += epoch->memory_bytes() + key.size() * sizeof(std::int64_t);
  }
}

bool EpochStore::is_not_worthwhile() {
  if (simulated_hops_ > budget_ + memoised_hops_ + memoised_hops_ / 2) is_not_worthwhile_ = true;
  return is_not_worthwhile_;
}

std::vector<std::string> EpochStore::violations() const { return violations_; }

std::unique_ptr<EpochReplay> EpochStore::take_replay() {
  if (idle_.empty()) return std::make_unique<EpochReplay>(e_, options_, example_);
  std::unique_ptr<EpochReplay> replay = std::move(idle_.back());
  idle_.pop_back();
  return replay;
}

void EpochStore::give_back(std::unique_ptr<EpochReplay> replay) {
  std::ranges::copy(replay->violations(), std::back_inserter(violations_));
  if (replay->is_quiet()) idle_.push_back(std::move(replay));
}

}  // namespace weft::scenarios
