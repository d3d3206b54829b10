#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simcore/base/units.hpp"
#include "tools/begin/leaves.hpp"
#include "tools/begin/machine.hpp"

namespace weft::begin {

/// How storage traffic is sent.
inline const std::vector<std::string> kFirstStorage{"roce", "tcp"};

/// Storage servers on leaves of their own. Every host of the machines writes to one of their NICs
/// at random times, together half of what reaches them.
struct Storage {
  std::uint32_t servers = 0;
  std::uint32_t nics = 1;  ///< of each: one on every rail
  BitsPerSecond rate;
  std::uint32_t clients = 0;
  double load = 0;           ///< of a client's access rate
  Bytes write = 1_MiB;       ///< of a request: small ones where the jobs are short
  std::uint32_t rounds = 0;  ///< as long as the jobs take, and a quarter as long again
  bool is_slowed = false;    ///< `load` is less than that half, for jobs that take very long
  bool is_tcp = false;       ///< in a lossy class of its own
};

/// `seconds`: how long the jobs take by themselves; 0: not known.
[[nodiscard]] Storage plan_storage(std::uint32_t servers, bool is_tcp, const Machine& machine,
                                   std::uint32_t machines, const Leaves& leaves, double seconds);

/// An entry of `racks`.
[[nodiscard]] std::string storage_rack_text(const Storage& storage);
/// `fabric.classes`, where storage has one of its own; else nothing.
[[nodiscard]] std::string storage_classes_text(const Storage& storage);
/// Of `jobs`.
[[nodiscard]] std::string storage_job_text(const Storage& storage);

}  // namespace weft::begin
