#include "collectives/jitter/jitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "collectives/jitter/exponential.hpp"

namespace weft::collectives {

namespace {

constexpr double kLogUnit = 1.0 / 288230376151711744.0;  // negative_log counts in 2^-58

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = 0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

/// In the lower tail, by q = sqrt(-2 ln p).
double tail(double q) {
  static constexpr std::array<double, 6> kNumerator = {
      -7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
      -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static constexpr std::array<double, 5> kDenominator = {
      7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
      1};
  return polynomial(kNumerator, q) / polynomial(kDenominator, q);
}

double centre(double q) {
  static constexpr std::array<double, 6> kNumerator = {
      -3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
      1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static constexpr std::array<double, 6> kDenominator = {
      -5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
      6.680131188771972e+01,  -1.328068155288572e+01, 1};
  const double r = q * q;
  return polynomial(kNumerator, r) * q / polynomial(kDenominator, r);
}

/// e^x by its series around 0 and squaring: the same everywhere, unlike the library's.
double exponential_of(double x) {
  constexpr int kHalvings = 10;
  const double y = x / (1 << kHalvings);
  double term = 1;
  double sum = 1;
  for (int i = 1; i < 20; ++i) {
    term *= y / i;
    sum += term;
  }
  for (int i = 0; i < kHalvings; ++i) sum *= sum;
  return sum;
}

/// ln x for x >= 1, by the series of atanh after taking square roots.
double logarithm_of(double x) {
  int roots = 0;
  for (; x > 1.01; ++roots) x = std::sqrt(x);
  const double y = (x - 1) / (x + 1);
  double power = y;
  double sum = 0;
  for (int i = 1; i < 20; i += 2) {
    sum += power / i;
    power *= y * y;
  }
  return std::ldexp(2 * sum, roots);
}

Picoseconds rounded(double time) {
  constexpr double kLongest = 4e18;
  return Picoseconds(static_cast<std::int64_t>(std::clamp(time + 0.5, 0.0, kLongest)));
}

}  // namespace

double standard_normal(std::uint64_t bits) {
  constexpr double kTail = 0.02425;
  const double p = (static_cast<double>(bits) + 0.5) / 18446744073709551616.0;
  if (p < kTail) {
    return tail(std::sqrt(2 * kLogUnit * static_cast<double>(negative_log(bits))));
  }
  if (1 - p < kTail) {
    return -tail(std::sqrt(2 * kLogUnit * static_cast<double>(negative_log(~bits))));
  }
  return centre(p - 0.5);
}

Picoseconds draw_delay(const Jitter& jitter, std::uint64_t bits) {
  const auto mean = static_cast<double>(jitter.mean.count());
  const auto deviation = static_cast<double>(jitter.deviation.count());
  switch (jitter.distribution) {
    case Jitter::Distribution::kNone:
      break;
    case Jitter::Distribution::kExponential:
      return exponential(jitter.mean, bits);
    case Jitter::Distribution::kNormal:
      return rounded(mean + deviation * standard_normal(bits));
    case Jitter::Distribution::kLogNormal: {
      if (mean <= 0) return {};
      // ln X is normal with variance ln(1 + d^2/m^2) and mean ln m - variance / 2.
      const double variance = logarithm_of(1 + deviation / mean * (deviation / mean));
      return rounded(mean *
                     exponential_of(std::sqrt(variance) * standard_normal(bits) - variance / 2));
    }
  }
  return {};
}

}  // namespace weft::collectives
