#include "collectives/spec/data_type.hpp"

#include <algorithm>
#include <array>

namespace weft::collectives {
namespace {

struct Facts {
  DataType type;
  const char* name;
  std::int64_t bytes;
};

constexpr std::array<Facts, 9> kTypes{{{DataType::kFloat32, "float", 4},
                                       {DataType::kFloat16, "half", 2},
                                       {DataType::kBfloat16, "bfloat16", 2},
                                       {DataType::kFloat64, "double", 8},
                                       {DataType::kInt32, "int32", 4},
                                       {DataType::kInt64, "int64", 8},
                                       {DataType::kInt8, "int8", 1},
                                       {DataType::kUint8, "uint8", 1},
                                       {DataType::kFloat8, "float8", 1}}};

const Facts& facts_of(DataType type) { return *std::ranges::find(kTypes, type, &Facts::type); }

}  // namespace

const char* name_of(DataType type) { return facts_of(type).name; }

std::int64_t bytes_of(DataType type) { return facts_of(type).bytes; }

std::optional<DataType> data_type_of_nccl_tests(std::string_view name) {
  if (name.starts_with("f8") || name.starts_with("fp8")) return DataType::kFloat8;
  if (name == "uint32") return DataType::kInt32;
  if (name == "uint64") return DataType::kInt64;
  const auto found =
      std::ranges::find_if(kTypes, [name](const Facts& facts) { return name == facts.name; });
  if (found == kTypes.end()) return {};
  return found->type;
}

}  // namespace weft::collectives
