#pragma once

#include "collectives/training/estimate/links.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/spec/training_spec.hpp"

namespace weft::collectives {

/// What a rank exchanges of the tokens of one part of a micro-batch (pass_parts) in bytes, where
/// each copy has `bytes`. All wait for the rank whose experts get most: `load` times the mean.
class TokenSizes {
 public:
  TokenSizes(const TrainingSpec& spec, const ExchangeTimes& times, double load);

  [[nodiscard]] bool has_levels() const { return has_levels_; }
  [[nodiscard]] double chunks() const { return chunks_; }
  /// Of an all-to-all between all ranks of an expert group.
  [[nodiscard]] double all(double bytes) const { return copies_ * bytes; }
  /// Of one chunk of a high-throughput exchange: along rails, and inside a domain.
  [[nodiscard]] double rail(double bytes) const { return rail_ * bytes / chunks_; }
  [[nodiscard]] double domain(double bytes) const { return domain_ * bytes / chunks_; }
  /// Among ranks that share an expert: they gather its tokens and scatter sums.
  [[nodiscard]] double sharers(double bytes) const { return copies_ * bytes * sharers_; }

 private:
  bool has_levels_;
  double chunks_;
  double copies_;
  double sharers_;
  double rail_{};
  double domain_{};
};

}  // namespace weft::collectives
