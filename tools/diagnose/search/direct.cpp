#include "tools/diagnose/search/direct.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::diagnose {
namespace {

void add_log(const Places& places, const evidence::NcclLog& log, std::vector<Culprit>& all) {
  const bool has_network = log.nodes > 1 || log.on.hosts.size() > 1;
  if (!has_network) return;
  const auto add = [&all](const char* kind, std::string why) {
    all.push_back({.kind = kind, .explained = 0, .confidence = 0.8, .why = std::move(why)});
  };
  if (log.sockets.value_or(false)) {
    add("sockets", "NCCL's log has NET/Socket: TCP instead of RDMA");
  }
  if (log.gpu_direct && !*log.gpu_direct && !log.sockets.value_or(false)) {
    add("gpu-direct-off", "NCCL's log has no GDRDMA: data pass through host memory");
  }
  if (log.worst_path == "SYS" || log.worst_path == "NODE") {
    add("nic-affinity", fmt::format("NCCL's log has paths of type {}: a GPU uses a NIC beyond the "
                                    "host bridge",
                                    log.worst_path));
  }
  std::size_t own = 0;
  for (const ServerPlace& server : places.servers) own = std::max(own, server.nics.size());
  if (!log.nics.empty() && log.nics.size() < own) {
    add("fewer-nics", fmt::format("NCCL uses {} of {} NICs of a server: NCCL_IB_HCA, or NICs that "
                                  "are down",
                                  log.nics.size(), own));
    all.back().value = static_cast<double>(log.nics.size()) / static_cast<double>(own);
  }
}

}  // namespace

std::vector<Culprit> direct_findings(const Places& places, const evidence::Measurements& measured) {
  std::vector<Culprit> all;
  for (const evidence::NcclLog& log : measured.nccl_logs) add_log(places, log, all);
  for (const evidence::Remark& remark : measured.remarks) {
    if (remark.severity != import::Severity::kFinding) continue;
    all.push_back({.kind = "log", .explained = 0, .confidence = 0.5, .why = remark.to_string()});
  }
  return all;
}

}  // namespace weft::diagnose
