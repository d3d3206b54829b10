#pragma once

#include <string>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "collectives/traffic/size_distribution.hpp"
#include "simcore/schema/schema.hpp"

namespace weft::collectives {

/// Where the sizes of messages come from, as a scenario says it.
struct SizesSpec {
  std::string from;          ///< a published distribution, or a file of points
  std::string sha256;        ///< of that file; empty: not checked
  SizeDistribution table{};  ///< what it says, once it is read
};

[[nodiscard]] schema::Object<SizesSpec> sizes_schema();
/// One that is published, by its name.
[[nodiscard]] SizesSpec published_sizes(const std::string& name);
/// Fills in the table; `key` is that of the sizes.
void read_sizes(SizesSpec& sizes, const std::string& key, JobFiles& files);

/// Sizes of messages between which results tell: the upper ends of tenths of them, as papers plot
/// them.
[[nodiscard]] std::vector<Bytes> tenths_of(const SizeDistribution& table);

}  // namespace weft::collectives
