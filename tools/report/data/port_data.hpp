#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "tools/report/data/table_reader.hpp"

namespace weft::report {

/// What a run knows of its ports: ports.csv, of large fabrics the ports where most happened.
struct PortData {
  std::vector<std::string> columns;  ///< with numbers
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  ///< by port, by column
  std::size_t left_out = 0;
  std::map<std::string, std::uint32_t, std::less<>> numbers;  ///< by name
};

/// At most `max` ports: those with the longest queues, then those that sent most.
[[nodiscard]] Result<PortData> read_ports(const std::filesystem::path& folder, std::size_t max);

[[nodiscard]] Json ports_json(const PortData& ports);

}  // namespace weft::report
