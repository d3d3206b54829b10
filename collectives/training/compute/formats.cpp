#include "collectives/training/compute/formats.hpp"

#include "collectives/training/compute/gpu.hpp"

namespace weft::collectives {
namespace {

/// Numbers that share a scale, and its bytes.
struct Scale {
  std::uint64_t block = 0;  ///< 0: there is none
  std::uint64_t bytes = 0;
};

Scale scale_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::kFp8:
      return {128, 4};
    case NumberFormat::kMxfp8:
      return {32, 1};
    case NumberFormat::kFp4:
      return {16, 1};
    default:
      break;
  }
  return {};
}

}  // namespace

NumberFormat activation_format(NumberFormat compute) {
  return bytes_of(compute) < 2 ? NumberFormat::kBf16 : compute;
}

double sent_bytes_each(const std::optional<NumberFormat>& sent, NumberFormat kept) {
  if (!sent) return bytes_of(kept);
  const Scale scale = scale_of(*sent);
  const double shared =
      scale.block == 0 ? 0 : static_cast<double>(scale.bytes) / static_cast<double>(scale.block);
  return bytes_of(*sent) + shared;
}

Bytes sent_bytes(std::uint64_t rows, std::uint64_t numbers, const std::optional<NumberFormat>& sent,
                 NumberFormat kept) {
  if (!sent) return bytes_of_numbers(rows * numbers, kept);
  const Scale scale = scale_of(*sent);
  const std::uint64_t blocks =
      scale.block == 0 ? 0 : (numbers + scale.block - 1) / scale.block * scale.bytes;
  const Bytes row = bytes_of_numbers(numbers, *sent) + Bytes(static_cast<std::int64_t>(blocks));
  return row * static_cast<std::int64_t>(rows);
}

Bytes sent_parameters(const PrecisionSpec& precision, std::uint64_t numbers) {
  return sent_bytes(1, numbers, precision.exchange.parameters, precision.parameters);
}

Bytes sent_gradients(const PrecisionSpec& precision, std::uint64_t numbers) {
  return sent_bytes(1, numbers, precision.exchange.gradients, precision.gradients);
}

TokenBytes token_bytes(const PrecisionSpec& precision, std::uint32_t hidden) {
  const NumberFormat kept = activation_format(precision.compute);
  const ExchangeFormats& sent = precision.exchange;
  const auto of = [&](const std::optional<NumberFormat>& format) {
    return sent_bytes(1, hidden, format, kept);
  };
  return {.tensor = of(sent.tensor),
          .tensor_gather = of(sent.tensor_gather ? sent.tensor_gather : sent.tensor),
          .pipeline = of(sent.pipeline),
          .dispatch = of(sent.dispatch),
          .combine = of(sent.combine)};
}

}  // namespace weft::collectives
