#include "tools/evidence/measurements.hpp"

#include <iterator>

namespace weft::evidence {
namespace {

template <class T>
void move_behind(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void take(Measurements& measurements, Measurements&& of_file) {
  const bool is_usable = !has_errors(of_file.remarks);
  move_behind(measurements.remarks, of_file.remarks);
  if (!is_usable) return;
  move_behind(measurements.series, of_file.series);
  move_behind(measurements.pairs, of_file.pairs);
  move_behind(measurements.nccl_logs, of_file.nccl_logs);
  move_behind(measurements.calls, of_file.calls);
  move_behind(measurements.counters, of_file.counters);
  move_behind(measurements.nic_qos, of_file.nic_qos);
  move_behind(measurements.recognised, of_file.recognised);
}

}  // namespace weft::evidence
