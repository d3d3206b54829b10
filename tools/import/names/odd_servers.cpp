#include "tools/import/names/odd_servers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "simcore/base/escape.hpp"
#include "simcore/text/nearest.hpp"

namespace weft::import {
namespace {

/// The ports that are slower than the fastest.
std::vector<std::string> slower_ports(const std::map<std::string, BitsPerSecond>& rates) {
  BitsPerSecond fastest;
  for (const auto& [port, rate] : rates) fastest = std::max(fastest, rate);
  std::vector<std::string> slower;
  for (const auto& [port, rate] : rates) {
    if (rate > BitsPerSecond() && rate < fastest) slower.push_back(port);
  }
  return slower;
}

/// The NICs that are below a PCIe switch with no GPU.
std::vector<std::string> nics_without_gpu(const Server& file) {
  std::vector<std::string> far;
  for (std::size_t i = 0; i < file.nics.size(); ++i) {
    const bool is_near = std::ranges::any_of(file.gpus, [i](const ServerGpu& gpu) {
      const auto path = gpu.nics.find(i);
      return path != gpu.nics.end() && path->second <= PciePath::kPxb;
    });
    if (!is_near) far.push_back(file.nics[i].name);
  }
  return far;
}

/// Nothing where they are not as many as there are too many.
std::vector<std::string> hints_of(const Server& file,
                                  const std::map<std::string, BitsPerSecond>& rates) {
  const std::size_t nics = file.nics.size();
  const bool has_other_ports = rates.size() > nics;
  std::vector<std::string> hints = has_other_ports ? slower_ports(rates) : nics_without_gpu(file);
  if (hints.size() != (has_other_ports ? rates.size() - nics : nics - rates.size())) hints.clear();
  return hints;
}

}  // namespace

void OddServers::add(const std::string& server, const Server& file,
                     const std::map<std::string, BitsPerSecond>& rates) {
  std::vector<std::string> hints = hints_of(file, rates);
  names_.push_back(escaped(server));
  if (names_.size() == 1) {
    where_ = file.where;
    nics_ = file.nics.size();
    ports_ = rates.size();
    hints_ = std::move(hints);
    return;
  }
  are_alike_ = are_alike_ && file.nics.size() == nics_ && rates.size() == ports_;
  std::erase_if(hints_, [&hints](const std::string& hint) {
    return std::ranges::find(hints, hint) == hints.end();
  });
}

void OddServers::say(Remarks& remarks) const {
  if (names_.empty()) return;
  const bool is_one = names_.size() == 1;
  const bool has_other_ports = ports_ > nics_;
  std::vector<std::string> others;
  for (const std::string& hint : hints_) others.push_back("--without " + escaped(hint));
  if (others.empty()) others.emplace_back(has_other_ports ? "--without SWITCH" : "--without NIC");
  add_error(remarks, where_,
            fmt::format("{} {} {} NICs here, and the cables name {} ports{}, so that nobody knows "
                        "which is which{}. {} out: `{}`; or name NICs as this file does in the "
                        "list of cables",
                        listing(names_), is_one ? "has" : "have", nics_, ports_,
                        is_one ? "" : " of each", are_alike_ ? "" : " (some have others)",
                        has_other_ports ? "Leave ports of storage and management"
                                        : "Leave NICs without a cable",
                        fmt::join(others, " ")));
}

}  // namespace weft::import
