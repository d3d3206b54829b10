#include "scenarios/memo/phase_store.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::scenarios {
namespace {

/// A few seconds of simulation, after which finding ends must not have cost half as much again as
/// it has spared.
constexpr std::uint64_t kHopsBeforeHope = 5'000'000;

}  // namespace

std::vector<std::int64_t> key_of(std::span<const PhaseBegin> begins) {
  PhaseStore::Key key;
  key.reserve(2 * begins.size());
  for (const PhaseBegin& b : begins) {
    key.push_back(b.time.count());
    key.push_back((std::int64_t{b.call} << 32U) | (std::int64_t{b.stream} << 16U) | b.rank);
  }
  return key;
}

PhaseStore::Found PhaseStore::find(const PhaseBegins& begins) {
  const Key key = key_of(begins.list);
  std::unique_ptr<PhaseReplay> replay;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = phases_.find(key); known != phases_.end()) return known->second;
    replay = take_replay();
  }
  const Found found = std::make_shared<const Phase>(replay->run(begins, {}));
  const std::lock_guard lock(mutex_);
  give_back(std::move(replay));
  const auto [it, is_new] = phases_.emplace(key, found);
  if (is_new) {
    bytes_ += found->memory_bytes() + key.size() * sizeof(std::int64_t);
    if (found->is_whole) ++simulated_;
  }
  simulated_hops_ += found->simulated_hops;
  skips_ += found->skips;
  return it->second;
}

PhaseStore::Found PhaseStore::part(const PhaseBegins& begins, const PhaseWindow& window) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<PhaseReplay> replay = take_replay();
  Found found = std::make_shared<const Phase>(replay->run(begins, window));
  ++simulated_;
  simulated_hops_ += found->simulated_hops;
  skips_ += found->skips;
  give_back(std::move(replay));
  return found;
}

void PhaseStore::forget() {
  const std::lock_guard lock(mutex_);
  std::erase_if(phases_, [](const auto& entry) { return entry.second.use_count() == 1; });
  bytes_ = 0;
  for (const auto& [key, phase] : phases_) {
    bytes_ += phase->memory_bytes() + key.size() * sizeof(std::int64_t);
  }
}

bool PhaseStore::is_hopeless() {
  if (simulated_hops_ > kHopsBeforeHope + taken_hops_ + taken_hops_ / 2) is_hopeless_ = true;
  return is_hopeless_;
}

std::vector<std::string> PhaseStore::violations() const { return violations_; }

std::unique_ptr<PhaseReplay> PhaseStore::take_replay() {
  if (idle_.empty()) return std::make_unique<PhaseReplay>(e_, options_, example_);
  std::unique_ptr<PhaseReplay> replay = std::move(idle_.back());
  idle_.pop_back();
  return replay;
}

void PhaseStore::give_back(std::unique_ptr<PhaseReplay> replay) {
  std::ranges::copy(replay->violations(), std::back_inserter(violations_));
  if (replay->is_quiet()) idle_.push_back(std::move(replay));
}

}  // namespace weft::scenarios
