#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/blame/cause.hpp"
#include "scenarios/blame/path_finder.hpp"
#include "scenarios/build/experiment.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// As the results name a culprit, such as `rank 3 (h3)`.
[[nodiscard]] std::string culprit_name(const Experiment& experiment, const Results& results,
                                       const Culprit& culprit);

/// The same with the failure behind it, where it is known exactly: `leaf0->spine1 by link-down of
/// leaf0 to spine1`.
[[nodiscard]] std::string culprit_name_of(const Experiment& experiment, const Results& results,
                                          Cause cause, const Culprit& culprit);

/// Adds up what passed along critical paths, by cause, culprit and port.
class BlameSums {
 public:
  BlameSums() = default;
  BlameSums(const BlameSums&) = delete;
  BlameSums& operator=(const BlameSums&) = delete;

  /// Also keeps the individual charges of `paths` paths.
  void keep(std::size_t paths) { kept_.resize(paths); }
  /// Part of the path of this number.
  void add(std::size_t number, const JobPath& path, const Charge& charge) {
    sum_of({path.job, path.iteration, charge.cause, charge.culprit, charge.port.value()}) +=
        charge.end - charge.begin;
    if (!kept_.empty()) kept_[number].push_back(charge);
  }
  /// Of a path, in the order of time, neighbours that are alike as one.
  [[nodiscard]] std::vector<Charge> take_charges(std::size_t number);
  /// By job, iteration and falling time. Names ports and storms as the results do.
  [[nodiscard]] std::vector<BlameResult> rows(const Experiment& experiment,
                                              const Results& results) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, Cause, Culprit, std::uint32_t>;
  using Sums = std::map<Key, Picoseconds>;

  /// Mostly one of the last few: a message's packets alternate with those of others.
  Picoseconds& sum_of(const Key& key) {
    for (Sums::value_type* recent : recent_) {
      if (recent != nullptr && recent->first == key) return recent->second;
    }
    std::shift_right(recent_.begin(), recent_.end(), 1);
    recent_.front() = &*sums_.try_emplace(key).first;
    return recent_.front()->second;
  }

  Sums sums_;
  std::array<Sums::value_type*, 4> recent_{};
  std::vector<std::vector<Charge>> kept_;  ///< by path
};

}  // namespace weft::scenarios
