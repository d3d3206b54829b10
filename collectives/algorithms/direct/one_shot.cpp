#include "collectives/algorithms/direct/one_shot.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collectives/algorithms/direct/direct_schedule.hpp"
#include "collectives/algorithms/direct/exchange_cost.hpp"

namespace weft::collectives {

std::unique_ptr<const Schedule> OneShot::schedule(SchedulePlan plan) {
  return std::make_unique<DirectSchedule>(std::move(plan), DirectSchedule::Shots::kOne);
}

namespace {

/// Bytes that some rank sends to, or gets from, others.
double busiest_rank(const CostTerms& t) {
  const auto n = static_cast<std::size_t>(t.n);
  std::vector<double> out(n);
  std::vector<double> in(n);
  for (std::size_t i = 0; i < n * n && i < t.plan.matrix.size(); ++i) {
    if (i / n == i % n) continue;
    out[i / n] += static_cast<double>(t.plan.matrix[i]);
    in[i % n] += static_cast<double>(t.plan.matrix[i]);
  }
  return std::max(*std::ranges::max_element(out), *std::ranges::max_element(in));
}

}  // namespace

double OneShot::cost(const CostTerms& t) {
  const double others = t.n - 1;
  switch (t.spec.operation) {
    case Operation::kAllReduce:
    case Operation::kReduce:
      return direct_exchange_cost(t, t.size) + others * t.size * t.reduce;
    case Operation::kBroadcast:
      return direct_exchange_cost(t, t.size) + t.size * t.copy;
    case Operation::kAllToAll:
      return direct_exchange_cost(t, t.size) + others * t.size * t.copy;
    case Operation::kAllToAllV:
      return t.net.first_packet(busiest_rank(t) / others) +
             busiest_rank(t) * (t.net_per_byte(others * t.channels) + t.copy);
    case Operation::kSendReceive:
      return t.net(t.size) + t.size * t.copy;
    case Operation::kReduceScatter:
      return direct_exchange_cost(t, t.size / t.n) + others / t.n * t.size * t.reduce;
    default:
      return direct_exchange_cost(t, t.size / t.n) + others / t.n * t.size * t.copy;
  }
}

std::uint64_t OneShot::max_connections(Operation operation, std::uint64_t n) {
  switch (operation) {
    case Operation::kBroadcast:
    case Operation::kReduce:
    case Operation::kGather:
    case Operation::kScatter:
    case Operation::kSendReceive:
      return n;
    default:
      return n * (n - 1);
  }
}

double OneShot::max_messages(const BoundTerms& terms) {
  switch (terms.operation) {
    case Operation::kSendReceive:
    case Operation::kBroadcast:  // of one rank, to or from all
    case Operation::kReduce:
      return terms.chunks();
    case Operation::kGather:
    case Operation::kScatter:
      return terms.chunks(terms.n);
    case Operation::kAllGather:
    case Operation::kReduceScatter:
      return terms.n * terms.chunks(terms.n);
    default:
      return terms.n * terms.chunks();
  }
}

}  // namespace weft::collectives
