#include "tools/evidence/counters/counter_forms.hpp"

#include <vector>

namespace weft::evidence {

std::span<const Form> counter_forms() {
  static const std::vector<Form> all{ethtool_form(), rdma_counters_form(), mlnx_qos_form(),
                                     sonic_counters_form()};
  return all;
}

}  // namespace weft::evidence
