#include "tools/begin/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/text/plain_number.hpp"
#include "simcore/text/quantity_text.hpp"

namespace weft::begin {
namespace {

constexpr Bytes kMinWrite = 4_KiB;
constexpr double kShare = 0.5;  ///< of what reaches the servers
/// Of fewer writes at random times some clients take twice as long as the others.
constexpr std::uint32_t kMinRounds = 16;
constexpr std::uint32_t kMaxRounds = 1000;
/// Of how long the jobs take, for beside storage they take longer than estimated.
constexpr double kLonger = 1.25;
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

/// Writes of a client that begin in this time, on average.
double writes_in(double seconds, const Storage& storage) {
  return seconds * storage.load * static_cast<double>(storage.rate.count()) /
         (8 * static_cast<double>(storage.write.count()));
}

/// Storage is there for most of the run: short jobs have small writes beside them, and jobs so long
/// that nobody would wait for the packets have fewer.
void last_as_long(double seconds, Storage& storage) {
  storage.rounds = kRoundsOfUnknownJobs;
  if (seconds <= 0) return;
  const double wanted = kLonger * seconds;
  while (storage.write > kMinWrite && writes_in(wanted, storage) < kMinRounds) {
    storage.write = Bytes(storage.write.count() / 2);
  }
  const double writes = writes_in(wanted, storage);
  if (writes > kMaxRounds) {
    storage.load *= kMaxRounds / writes;
    storage.is_slowed = true;
  }
  storage.rounds = static_cast<std::uint32_t>(std::clamp(
      std::ceil(writes), static_cast<double>(kMinRounds), static_cast<double>(kMaxRounds)));
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
  last_as_long(seconds, storage);
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
      "    load: {}  # of a client's link, {}\n"
      "    arrivals: poisson\n"
      "    rounds: {}\n",
      storage.is_tcp ? "    class: storage\n"
                       "    transport: {type: tcp, congestion_control: cubic}\n"
                     : "",
      storage.clients + servers - 1, storage.clients,
      quantity_text(storage.write.count(), dimension_of<Bytes>()),
      scenarios::plain_number(storage.load, 3),
      storage.is_slowed ? fmt::format("so that {} writes last as long as the jobs", storage.rounds)
                        : "for half of what the servers take",
      storage.rounds);
}

}  // namespace weft::begin
