#include "tools/import/server/host_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simcore/text/counted.hpp"
#include "tools/import/parse/quantities.hpp"

namespace weft::import {
namespace {

/// What NCCL takes for the link between two sockets of AMD (topo.h, AMD_BW), the slowest of present
/// servers.
constexpr BitsPerSecond kUnknownSocketLink = 128_Gbps;

std::string word_of(PciePath path) {
  switch (path) {
    case PciePath::kPix:
      return "PIX";
    case PciePath::kPxb:
      return "PXB";
    case PciePath::kPhb:
      return "PHB";
    case PciePath::kNode:
      return "NODE";
    case PciePath::kSys:
      break;
  }
  return "SYS";
}

class PathFinder {
 public:
  explicit PathFinder(const Server& server) : server_(server) {}

  HostPaths find() {
    if (server_.gpus.empty() || server_.nics.empty()) return {};
    find_nearest();
    if (nearest_.empty()) return {};
    find_gpu_direct();
    const auto [best, worst] = std::ranges::minmax(nearest_);
    const bool is_crossing = best == PciePath::kSys;
    if (is_crossing) {
      cross_sockets();
    } else if (worst <= PciePath::kPxb) {
      if (is_off_) pass_root();
    } else if (best >= PciePath::kPhb && worst < PciePath::kSys) {
      meet_at_root();
    } else {
      say_mixed();
    }
    return std::move(paths_);
  }

 private:
  void find_nearest() {
    for (const ServerGpu& gpu : server_.gpus) {
      if (gpu.nics.empty()) continue;
      const auto path =
          std::ranges::min_element(gpu.nics, {}, [](const auto& nic) { return nic.second; });
      nearest_.push_back(path->second);
    }
  }

  void find_gpu_direct() {
    const auto is_off = [](const auto& device) { return !device.gpu_direct.value_or(true); };
    const auto nics = std::ranges::count_if(server_.nics, is_off);
    const auto gpus = std::ranges::count_if(server_.gpus, is_off);
    if (nics == std::ssize(server_.nics)) {
      off_at_ = fmt::format("GPU-direct is off (gdr 0 of the NICs, {})",
                            short_place(server_.nics.front().where));
    } else if (gpus == std::ssize(server_.gpus)) {
      off_at_ = fmt::format("GPU-direct is off (gdr 0 of the GPUs, {})",
                            short_place(server_.gpus.front().where));
    } else if (nics + gpus > 0) {
      const SourceLocation& where = nics > 0 ? std::ranges::find_if(server_.nics, is_off)->where
                                             : std::ranges::find_if(server_.gpus, is_off)->where;
      say("GPU-direct is off for {} of {} NICs and {} of {} GPUs (gdr 0, {}): host links of a "
          "server are alike, and these are as with GPU-direct",
          nics, server_.nics.size(), gpus, server_.gpus.size(), short_place(where));
    }
    is_off_ = !off_at_.empty();
  }

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    paths_.reasons.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  /// NICs side by side below each switch at the root, the same number below each; 0: they are not
  /// so.
  [[nodiscard]] std::uint32_t nics_per_trunk() const {
    const std::vector<ServerNic>& nics = server_.nics;
    std::size_t size = 0;
    std::vector<std::uint32_t> seen;
    for (std::size_t first = 0; first < nics.size();) {
      if (!nics[first].trunk) return 0;
      const std::uint32_t number = nics[first].trunk->number;
      if (std::ranges::find(seen, number) != seen.end()) return 0;
      seen.push_back(number);
      std::size_t last = first;
      while (last < nics.size() && nics[last].trunk && nics[last].trunk->number == number) ++last;
      if (size != 0 && last - first != size) return 0;
      size = last - first;
      first = last;
    }
    return static_cast<std::uint32_t>(size);
  }
  [[nodiscard]] const ServerNic* narrowest_trunk() const {
    const ServerNic* narrowest = nullptr;
    for (const ServerNic& nic : server_.nics) {
      if (!nic.trunk || !nic.trunk->rate) continue;
      if (narrowest == nullptr || nic.trunk->rate->value < narrowest->trunk->rate->value) {
        narrowest = &nic;
      }
    }
    return narrowest;
  }
  [[nodiscard]] BitsPerSecond nic_rate() const {
    BitsPerSecond fastest(0);
    for (const ServerNic& nic : server_.nics) {
      if (nic.rate) fastest = std::max(fastest, nic.rate->value);
    }
    return fastest;
  }

  /// GPU and NIC are below one switch, and data go up its link and down again.
  void pass_root() {
    const ServerNic* narrowest = narrowest_trunk();
    const std::uint32_t nics = nics_per_trunk();
    if (narrowest == nullptr) {
      say("{}: data pass through host memory; no file says the link above the PCIe switches, and "
          "the scenario has none",
          off_at_);
      return;
    }
    if (nics == 0) {
      say("{}: NICs are not below PCIe switches side by side, as many below each: every NIC is "
          "taken to have the link above its switch to itself",
          off_at_);
    }
    paths_.link = HostPath{narrowest->trunk->rate->value, nics > 1 ? nics : 0, true};
    say("{}: data pass through host memory, up the link above {} and down again, which sending "
        "and receiving share; its payload ({}, {}) is `host_link`. What the copy takes besides is "
        "not in it",
        off_at_, nics > 1 ? counted(nics, "NIC") : std::string("a NIC"),
        rate_text(paths_.link->rate), short_place(narrowest->trunk->rate->where));
  }

  /// GPU and NIC are below different switches, or none: sending takes the link of the GPU up and
  /// that of the NIC down, receiving the other way.
  void meet_at_root() {
    const std::string why =
        is_off_ ? off_at_
                : fmt::format("the nearest NIC of a GPU is {} away ({})",
                              word_of(std::ranges::max(nearest_)), short_place(gpu_place()));
    const ServerNic* narrowest = narrowest_trunk();
    const std::uint32_t nics = std::max(1U, nics_per_trunk());
    if (narrowest != nullptr && nics * nic_rate() > narrowest->trunk->rate->value) {
      paths_.link = HostPath{narrowest->trunk->rate->value, nics > 1 ? nics : 0, false};
      say("{}: data pass through the root complex; the link above {} ({}, {}) is `host_link`", why,
          counted(nics, "NIC"), rate_text(paths_.link->rate),
          short_place(narrowest->trunk->rate->where));
      return;
    }
    say("{}: data pass through the root complex, on a link of the GPU and one of the NIC; these "
        "are taken to keep up as their slots do",
        why);
  }

  /// All GPUs are on the other socket.
  void cross_sockets() {
    const auto nics = static_cast<std::uint32_t>(server_.nics.size());
    paths_.link = HostPath{server_.socket_link ? server_.socket_link->value : kUnknownSocketLink,
                           nics > 1 ? nics : 0, false};
    say("the nearest NIC of every GPU is SYS away ({}): all data cross the link between sockets, "
        "which {} shares; {} is `host_link`, {}",
        short_place(gpu_place()), counted(nics, "NIC"), rate_text(paths_.link->rate),
        server_.socket_link
            ? fmt::format("NCCL's figure for this CPU ({})",
                          short_place(server_.socket_link->where))
            : std::string("assumed: NCCL's figure for AMD, as no file says the CPU"));
    if (is_off_) say("{}: copies through host memory are not in the scenario", off_at_);
  }

  void say_mixed() {
    std::string list;
    for (const PciePath path :
         {PciePath::kPix, PciePath::kPxb, PciePath::kPhb, PciePath::kNode, PciePath::kSys}) {
      const auto gpus = std::ranges::count(nearest_, path);
      if (gpus == 0) continue;
      list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", word_of(path),
                          counted(static_cast<std::size_t>(gpus), "GPU"));
    }
    say("the nearest NIC is not as far from every GPU ({}; {}): host links of a server are alike, "
        "and these are as if it were PIX",
        list, short_place(gpu_place()));
    if (is_off_) say("{}: the scenario is as with GPU-direct", off_at_);
  }

  [[nodiscard]] const SourceLocation& gpu_place() const { return server_.gpus.front().where; }

  const Server& server_;
  std::vector<PciePath> nearest_;  ///< by GPU
  std::string off_at_;
  bool is_off_ = false;
  HostPaths paths_;
};

}  // namespace

HostPaths host_paths(const Server& server) { return PathFinder(server).find(); }

}  // namespace weft::import
