#pragma once

#include <span>

#include "tools/evidence/form.hpp"

namespace weft::evidence {

/// The forms of this folder, in the order in which they are tried.
[[nodiscard]] std::span<const Form> counter_forms();

[[nodiscard]] Form ethtool_form();
[[nodiscard]] Form rdma_counters_form();
[[nodiscard]] Form mlnx_qos_form();
[[nodiscard]] Form sonic_counters_form();

}  // namespace weft::evidence
