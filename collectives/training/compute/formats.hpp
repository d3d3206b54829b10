#pragma once

#include <cstdint>
#include <optional>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/units.hpp"

/// How many bytes numbers take as they are sent. A format that an exchange names counts with the
/// scales that blocks share: of fp8 one of 4 bytes for 128 numbers (DeepSeek-AI, arXiv 2412.19437,
/// section 3.3.2), of mxfp8 one byte for 32 (OCP Microscaling Formats v1.0, section 5), of fp4 one
/// byte for 16 (NVFP4). Numbers that are sent as they are kept have theirs per matrix, which is
/// next to nothing.
namespace weft::collectives {

/// What numbers between matrix products are kept in: 16 bits at least (activation_bytes).
[[nodiscard]] NumberFormat activation_format(NumberFormat compute);

/// Of one number, on average.
[[nodiscard]] double sent_bytes_each(const std::optional<NumberFormat>& sent, NumberFormat kept);

/// Of `rows` rows of `numbers` each; blocks do not reach beyond a row.
[[nodiscard]] Bytes sent_bytes(std::uint64_t rows, std::uint64_t numbers,
                               const std::optional<NumberFormat>& sent, NumberFormat kept);

/// Parameters and their gradients, which have no rows.
[[nodiscard]] Bytes sent_parameters(const PrecisionSpec& precision, std::uint64_t numbers);
[[nodiscard]] Bytes sent_gradients(const PrecisionSpec& precision, std::uint64_t numbers);

/// Of a token of `hidden` numbers between layers, by what it is sent for.
struct TokenBytes {
  Bytes tensor;
  Bytes tensor_gather;
  Bytes pipeline;
  Bytes dispatch;
  Bytes combine;
};
[[nodiscard]] TokenBytes token_bytes(const PrecisionSpec& precision, std::uint32_t hidden);

}  // namespace weft::collectives
