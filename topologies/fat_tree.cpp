#include "topologies/fat_tree.hpp"

#include <string>
#include <utility>

#include "topologies/assembler.hpp"

namespace weft::topologies {
namespace {

Errors check(const FatTreeSpec& spec) {
  Errors errors;
  if (spec.k < 2 || spec.k % 2 != 0) {
    errors.push_back(error_at(
        "fabric.k", "is " + std::to_string(spec.k) + "; an even number of at least 2 is needed"));
  }
  check_link(spec.access, "links.access", errors);
  check_link(spec.uplink, "links.uplink", errors);
  check_not_negative(spec.switch_pipeline, "fabric.switch", errors);
  check_not_negative(spec.nic_pipeline, "racks.server", errors);
  const std::uint64_t hosts = saturating_product(std::uint64_t{spec.k} * spec.k, spec.k) / 4;
  // As many cables as hosts between each two tiers, two ports per cable.
  check_size(hosts, saturating_product(hosts, 6), errors);
  return errors;
}

std::string pod_name(std::uint32_t pod, const char* role, std::uint32_t index) {
  return "pod" + std::to_string(pod) + "-" + role + std::to_string(index);
}

/// Node numbers of a k-ary tree, `half` = k/2.
struct Numbering {
  std::uint32_t half;
  [[nodiscard]] std::uint32_t hosts() const { return 2 * half * half * half; }
  [[nodiscard]] NodeId host(std::uint32_t edge, std::uint32_t i) const {
    return NodeId(edge * half + i);
  }
  [[nodiscard]] NodeId edge(std::uint32_t pod, std::uint32_t i) const {
    return NodeId(hosts() + pod * half + i);
  }
  [[nodiscard]] NodeId aggregation(std::uint32_t pod, std::uint32_t i) const {
    return NodeId(hosts() + 2 * half * half + pod * half + i);
  }
  [[nodiscard]] NodeId core(std::uint32_t i) const { return NodeId(hosts() + 4 * half * half + i); }
};

void add_nodes(const FatTreeSpec& spec, const Numbering& number, Assembler& assembler) {
  const std::uint32_t half = number.half;
  for (std::uint32_t i = 0; i < number.hosts(); ++i) {
    assembler.add_host("h" + std::to_string(i), static_cast<std::int32_t>(i / (half * half)),
                       spec.nic_pipeline);
  }
  for (const std::uint32_t tier : {1U, 2U}) {
    for (std::uint32_t pod = 0; pod < spec.k; ++pod) {
      for (std::uint32_t i = 0; i < half; ++i) {
        assembler.add_switch(pod_name(pod, tier == 1 ? "edge" : "agg", i), tier,
                             static_cast<std::int32_t>(pod), spec.switch_pipeline);
      }
    }
  }
  for (std::uint32_t i = 0; i < half * half; ++i) {
    assembler.add_switch("core" + std::to_string(i), 3, -1, spec.switch_pipeline);
  }
}

}  // namespace

Result<Fabric> build_fat_tree(const FatTreeSpec& spec) {
  if (Errors errors = check(spec); !errors.empty()) return errors;
  const Numbering number{spec.k / 2};
  const std::uint32_t half = number.half;
  Assembler assembler;
  assembler.reserve(number.core(half * half).value(), std::size_t{3} * number.hosts());
  add_nodes(spec, number, assembler);
  for (std::uint32_t pod = 0; pod < spec.k; ++pod) {
    for (std::uint32_t i = 0; i < half; ++i) {
      for (std::uint32_t j = 0; j < half; ++j) {
        assembler.add_cable({number.host(pod * half + i, j), number.edge(pod, i), spec.access});
        assembler.add_cable({number.edge(pod, i), number.aggregation(pod, j), spec.uplink});
        assembler.add_cable({number.aggregation(pod, i), number.core(i * half + j), spec.uplink});
      }
    }
  }
  return std::move(assembler).finish();
}

}  // namespace weft::topologies
