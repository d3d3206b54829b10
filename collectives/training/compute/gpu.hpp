#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "collectives/training/spec/training_spec.hpp"
#include "simcore/base/units.hpp"

/// GPUs, by what decides how long they compute.
namespace weft::collectives {

inline constexpr std::size_t kNumberFormats = 7;

struct Gpu {
  std::string_view name;
  std::string_view source;
  /// Of dense matrix products, in 10^12 operations per second by NumberFormat; 0: it has none.
  std::array<double, kNumberFormats> peak{};
  BitsPerSecond bandwidth;  ///< of its memory
  Bytes memory;
  std::uint32_t processors = 0;  ///< streaming multiprocessors, which share products tile by tile
  std::uint32_t tile_processors = 1;  ///< that do a tile together
};

[[nodiscard]] std::span<const Gpu> gpus();
/// Null where there is none of that name.
[[nodiscard]] const Gpu* find_gpu(std::string_view name);

/// Operations per second, dense; nothing where the GPU does not have the format.
[[nodiscard]] std::optional<double> peak_flops(const Gpu& gpu, NumberFormat format);

[[nodiscard]] std::string_view name_of(NumberFormat format);
/// Of a number as it is stored; scales that blocks share are not counted.
[[nodiscard]] double bytes_of(NumberFormat format);
/// The size of `numbers` values in memory, in whole bytes.
[[nodiscard]] Bytes bytes_of_numbers(std::uint64_t numbers, NumberFormat format);
/// Of a number between matrix products: 16 bits at least, as training in 8 bits casts inputs of
/// products only (DeepSeek-AI, arXiv 2412.19437, section 3.3.1). Left out: that it may keep some of
/// them in 8 bits for the backward pass, and send tokens to experts so.
[[nodiscard]] double activation_bytes(NumberFormat compute);

}  // namespace weft::collectives
