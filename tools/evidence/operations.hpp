#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::evidence {

/// What busbw has algbw multiplied by (nccl-tests, doc/PERFORMANCE.md).
enum class BusFactor : std::uint8_t { kOne, kPart, kTwice };  // 1, (n - 1) / n, 2 (n - 1) / n

/// What a collective does with sizes.
struct OperationFacts {
  std::string_view name{};     ///< weft's
  std::string_view program{};  ///< of nccl-tests
  std::string_view nccl{};     ///< in NCCL's log
  BusFactor factor = BusFactor::kOne;
  bool reduces = false;
  bool has_root = false;

  /// Counts are those of a rank's part.
  [[nodiscard]] bool has_parts() const { return factor == BusFactor::kPart; }
  [[nodiscard]] double bus_factor(double ranks) const;
};

/// All collectives whose sizes are known.
[[nodiscard]] std::span<const OperationFacts> operations();

/// By weft's name, by NCCL's (`AllReduce`), or by PyTorch's (`_allgather_base`,
/// `all_gather_into_tensor`); null: none of them.
[[nodiscard]] const OperationFacts* find_operation(std::string_view name);
[[nodiscard]] const OperationFacts* find_nccl_operation(std::string_view name);
[[nodiscard]] const OperationFacts* find_torch_operation(std::string_view name);

/// Types as nccl-tests spells them, which Series has.
struct TypeFacts {
  std::string_view name{};
  std::int64_t bytes = 0;
};

/// By nccl-tests' name; null: none.
[[nodiscard]] const TypeFacts* find_type(std::string_view name);
/// By the number that NCCL logs; null: none.
[[nodiscard]] const TypeFacts* find_nccl_type(std::uint64_t number);
/// By PyTorch's name (`BFloat16`); null: none.
[[nodiscard]] const TypeFacts* find_torch_type(std::string_view name);

/// `2.27.5` of `22705`, `2.7.8` of `2708`, empty of 0.
[[nodiscard]] std::string nccl_version_text(std::uint64_t number);

}  // namespace weft::evidence
