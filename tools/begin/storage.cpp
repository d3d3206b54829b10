#include "tools/begin/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/text/plain_number.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::begin {
namespace {

constexpr Bytes kWrite = 1_MiB;
constexpr double kShare = 0.5;  ///< of what reaches the servers
constexpr std::uint32_t kMinRounds = 4;
constexpr std::uint32_t kMaxRounds = 1000;
constexpr std::uint32_t kRoundsOfUnknownJobs = 20;

/// What the storage servers' leaves let through to them: their NICs', or their uplinks'.
double reachable_bits(const Storage& storage, const Leaves& leaves) {
  const auto nic = static_cast<double>(storage.rate.count());
  const auto up = static_cast<double>((leaves.spines * leaves.uplink).count());
  double bits = 0;
  // With rails, a group of servers has a leaf for each rail; else all are on one leaf.
  const std::uint32_t group = leaves.is_rail ? leaves.group : storage.servers;
  for (std::uint32_t first = 0; first < storage.servers; first += group) {
    const std::uint32_t servers = std::min(group, storage.servers - first);
    bits += storage.nics * std::min(servers * nic, up);
  }
  return bits;
}

std::uint32_t rounds_in(double seconds, const Storage& storage) {
  if (seconds <= 0) return kRoundsOfUnknownJobs;
  const double period = static_cast<double>(kWrite.count()) * 8 /
                        (storage.load * static_cast<double>(storage.rate.count()));
  const double rounds =
      std::clamp(std::ceil(1.5 * seconds / period), static_cast<double>(kMinRounds),
                 static_cast<double>(kMaxRounds));
  return static_cast<std::uint32_t>(rounds);
}

}  // namespace

Storage plan_storage(std::uint32_t servers, bool is_tcp, const Machine& machine,
                     std::uint32_t machines, const Leaves& leaves, double seconds) {
  Storage storage{.servers = servers, .rate = machine.rate, .is_tcp = is_tcp};
  if (leaves.is_rail) storage.nics = machine.rails > 0 ? machine.rails : machine.nics;
  storage.clients = machines * machine.hosts();
  storage.load =
      std::min(kShare, kShare * reachable_bits(storage, leaves) /
                           (storage.clients * static_cast<double>(machine.rate.count())));
  storage.rounds = rounds_in(seconds, storage);
  return storage;
}

std::string storage_rack_text(const Storage& storage) {
  return fmt::format(
      "  - {{count: 1, servers: {}, server: {{part: plain, nics: {}, nic: {{rate: {}}}}}}}  # "
      "storage\n",
      storage.servers, storage.nics,
      quantity_text(storage.rate.count(), dimension_of<BitsPerSecond>()));
}

std::string storage_classes_text(const Storage& storage) {
  if (!storage.is_tcp) return {};
  return "  classes:  # in ascending priority\n"
         "    - {name: storage, weight: 1, flow_control: none, ecn: none, load_balancing: ecmp, "
         "egress_alpha: 1}\n"
         "    - {name: rdma, weight: 3}  # as flow_control and ecn of the fabric say\n"
         "    - {name: control, scheduling: strict, flow_control: none}\n";
}

std::string storage_job_text(const Storage& storage) {
  const std::uint32_t servers = storage.servers * storage.nics;
  return fmt::format(
      "  - name: storage  # every rank writes to a storage server, for as long as the others take\n"
      "    type: requests\n"
      "{}"
      "    ranks: 0-{}\n"
      "    clients: {}\n"
      "    request: {}\n"
      "    response: 64B\n"
      "    load: {}  # of a client's link, for half of what the servers take\n"
      "    arrivals: poisson\n"
      "    rounds: {}\n",
      storage.is_tcp ? "    class: storage\n"
                       "    transport: {type: tcp, congestion_control: cubic}\n"
                     : "",
      storage.clients + servers - 1, storage.clients,
      quantity_text(kWrite.count(), dimension_of<Bytes>()),
      scenarios::plain_number(storage.load, 3), storage.rounds);
}

}  // namespace weft::begin
