#pragma once

namespace weft::collectives {

/// A step by the short formulas that texts about training fabrics have: a model is its number of
/// parameters, links have a rate and no latency, nothing overlaps. Of N parameters in L layers of
/// hidden size h on p pipeline, t tensor and d data ranks, with m micro-batches of b samples of s
/// tokens:
///
///   T_comp   = 8 m N b s / (p t F mu)             with full recomputation; 6 without
///   T_TP     = m (L/p) 6 (2 b s h) 2 (t-1)/t / C_TP                        4 without
///   T_DP     = 2 N / (p t) 2 (d-1)/d / C_DP        gradients of two bytes
///   T_bubble = (p-1)/m (T_comp + T_TP)
struct ShortForm {
  double parameters{};
  double layers{};
  double hidden{};
  double tensor = 1;
  double pipeline = 1;
  double data = 1;
  double micro_batches = 1;
  double micro = 1;     ///< samples
  double sequence = 1;  ///< tokens
  bool recomputes = true;
  double peak{};         ///< F, operations per second
  double efficiency{};   ///< mu
  double tensor_rate{};  ///< C_TP, bytes per second
  double data_rate{};    ///< C_DP
};

/// In seconds.
struct ShortEstimate {
  double compute{};
  double tensor{};
  double data{};
  double bubble{};

  /// Communication to computation.
  [[nodiscard]] double ratio() const { return (tensor + data) / compute; }
};

[[nodiscard]] ShortEstimate short_estimate(const ShortForm& form);

}  // namespace weft::collectives
