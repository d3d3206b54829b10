#include "tools/report/data/port_data.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::report {
namespace {

/// The numbers of the rows to keep, in the order of the file.
std::vector<std::size_t> choose(const PortData& ports, std::size_t max) {
  std::vector<std::size_t> order(ports.names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= max) return order;
  const auto place = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(ports.columns, name) - ports.columns.begin());
  };
  const std::size_t queue = place("peak_queue_bytes");
  const std::size_t bytes = place("bytes");
  const auto key = [&](std::size_t i) {
    const auto at = [&](std::size_t c) {
      return c < ports.columns.size() ? ports.values[i][c] : 0;
    };
    return std::pair(at(queue), at(bytes));
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  order.resize(max);
  std::ranges::sort(order);
  return order;
}

}  // namespace

Result<PortData> read_ports(const std::filesystem::path& folder, std::size_t max) {
  TableReader table(folder / "ports.csv");
  PortData all;
  const std::size_t name = table.column("port");
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < table.header().size(); ++c) {
    if (c == name) continue;
    all.columns.push_back(table.header()[c]);
    places.push_back(c);
  }
  while (table.next()) {
    all.names.emplace_back(table.text(name));
    std::vector<double>& row = all.values.emplace_back();
    row.reserve(places.size());
    for (const std::size_t c : places) row.push_back(table.number_or_zero(c));
  }
  if (!table.errors().empty()) return table.errors();
  PortData kept;
  kept.columns = all.columns;
  for (const std::size_t i : choose(all, max)) {
    kept.numbers.emplace(all.names[i], static_cast<std::uint32_t>(kept.names.size()));
    kept.names.push_back(std::move(all.names[i]));
    kept.values.push_back(std::move(all.values[i]));
  }
  kept.left_out = all.names.size() - kept.names.size();
  return kept;
}

Json ports_json(const PortData& ports) {
  Json columns = Json::object();
  for (std::size_t c = 0; c < ports.columns.size(); ++c) {
    Json values = Json::array();
    for (const auto& row : ports.values) values.push_back(short_number(row[c]));
    columns[ports.columns[c]] = std::move(values);
  }
  return {{"names", ports.names}, {"columns", columns}, {"left_out", ports.left_out}};
}

}  // namespace weft::report
