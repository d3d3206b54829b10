#include "tools/import/server/nccl_topo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/parse/pcie.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"
#include "tools/import/parse/xml_text.hpp"

namespace weft::import {
namespace {

using Words = std::vector<std::string>;

const std::map<std::string, std::pair<Words, Words>, std::less<>>& nccl_shapes() {
  static const std::map<std::string, std::pair<Words, Words>, std::less<>> shapes{
      {"system", {{"version"}, {"cpu"}}},
      {"cpu",
       {{"host_hash", "numaid", "affinity", "arch", "vendor", "familyid", "modelid"},
        {"pci", "nic"}}},
      {"pci",
       {{"busid", "class", "vendor", "device", "subsystem_vendor", "subsystem_device", "link_speed",
         "link_width"},
        {"pci", "gpu", "nic", "pcilink"}}},
      {"gpu", {{"dev", "sm", "rank", "gdr", "mlopart"}, {"nvlink", "c2c"}}},
      {"nvlink", {{"target", "count", "tclass"}, {}}},
      {"c2c", {{"bw", "count"}, {}}},
      {"pcilink", {{"target"}, {}}},
      {"nic", {{}, {"net"}}},
      {"net",
       {{"name", "dev", "speed", "port", "latency", "guid", "maxconn", "gdr", "net", "coll", "gin",
         "rma", "rail", "plane", "keep"},
        {}}}};
  return shapes;
}

/// PCIe of a device as the file has it.
struct NcclSlot {
  double gigatransfers = 0;  ///< 0: not known
  std::uint32_t lanes = 0;   ///< 0: not known
};

/// Where a device lies: its server, its CPU, and the PCI switches above it, outermost first.
struct NcclPlace {
  std::size_t server = 0;
  std::size_t cpu = 0;
  std::vector<int> switches;
  NcclSlot above;                  ///< of the switch that it is plugged into
  std::optional<PcieTrunk> trunk;  ///< of the outermost switch
};

struct NcclGpu {
  ServerGpu facts;
  NcclPlace place;
  NcclSlot slot;
  int dev = 0;
};

struct NcclNic {
  ServerNic facts;
  NcclPlace place;
};

PciePath path_between(const NcclPlace& gpu, const NcclPlace& nic) {
  if (gpu.cpu != nic.cpu) return PciePath::kSys;
  std::size_t shared = 0;
  while (shared < gpu.switches.size() && shared < nic.switches.size() &&
         gpu.switches[shared] == nic.switches[shared]) {
    ++shared;
  }
  if (shared == 0) return PciePath::kNode;
  const bool is_one = shared == gpu.switches.size() && shared == nic.switches.size();
  return is_one ? PciePath::kPix : PciePath::kPxb;
}

class NcclTopoReader {
 public:
  NcclTopoReader(Reading& reading, const XmlText& xml) : reading_(reading), xml_(xml) {}

  void read() {
    const pugi::xml_node root = xml_.root();
    const std::string_view version = root.attribute("version").value();
    if (version != "1") {
      reading_.error(xml_.where(root, "system.version"),
                     fmt::format("version {} of NCCL's topology XML; version 1 is known, and NCCL "
                                 "reads no other",
                                 version.empty() ? "(none)" : backquoted(version)));
      return;
    }
    shape(root);
    for (const pugi::xml_node& cpu : root.children("cpu")) read_cpu(cpu);
    if (reading_.has_errors()) return;
    finish_servers();
  }

 private:
  void shape(const pugi::xml_node& node) {
    const auto& [attributes, elements] = nccl_shapes().find(node.name())->second;
    check_shape(reading_, xml_, node, {attributes, elements});
  }

  std::string key(const pugi::xml_node& node, const char* attribute) const {
    return fmt::format("{}.{}", node.name(), attribute);
  }

  /// A whole number of an attribute within bounds; nothing, and an error, if it is none.
  std::optional<std::int64_t> number(const pugi::xml_node& node, const char* attribute,
                                     std::int64_t low, std::int64_t high) {
    const std::string_view text = node.attribute(attribute).value();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && problem == std::errc{} && end == text.data() + text.size() &&
        value >= low && value <= high) {
      return value;
    }
    reading_.error(xml_.where(node, key(node, attribute)),
                   fmt::format("{}: a whole number from {} to {} expected",
                               text.empty() ? "is missing" : backquoted(text), low, high));
    return std::nullopt;
  }

  void read_cpu(const pugi::xml_node& cpu) {
    shape(cpu);
    number(cpu, "numaid", -1, 4095);
    const std::string host = cpu.attribute("host_hash").value();
    const auto [at, is_new] = server_of_host_.try_emplace(host, servers_.size());
    if (is_new) servers_.emplace_back().where = xml_.where(cpu);
    const std::string numa = fmt::format("{} {}", host, cpu.attribute("numaid").value());
    if (const auto [seen, is_first] = line_of_numa_.try_emplace(numa, xml_.line(cpu)); !is_first) {
      reading_.error(
          xml_.where(cpu, "cpu.numaid"),
          fmt::format("NUMA node {} stands in lines {} and {}",
                      backquoted(cpu.attribute("numaid").value()), seen->second, xml_.line(cpu)));
    }
    ++servers_[at->second].sockets;
    servers_[at->second].socket_link = socket_link_of(cpu);
    NcclPlace place;
    place.server = at->second;
    place.cpu = cpus_++;
    for (const pugi::xml_node& pci : cpu.children("pci")) read_pci(pci, place);
    for (const pugi::xml_node& nic : cpu.children("nic")) read_nic(nic, {}, place, NcclSlot{});
  }

  /// What NCCL takes for the link between two such sockets (topo.h, and topo.cc for the models).
  std::optional<Stated<BitsPerSecond>> socket_link_of(const pugi::xml_node& cpu) const {
    const std::string_view arch = cpu.attribute("arch").value();
    const std::string_view vendor = cpu.attribute("vendor").value();
    const int family = cpu.attribute("familyid").as_int();
    const int model = cpu.attribute("modelid").as_int();
    std::int64_t gigabytes = 0;
    if (arch == "arm64") gigabytes = 6;
    if (arch == "ppc64") gigabytes = 32;
    if (vendor == "AuthenticAMD") gigabytes = 16;
    if (vendor == "GenuineIntel") {
      gigabytes = 6;
      if (family == 6 && model >= 0x55) gigabytes = 10;
      if (family == 6 && model >= 0x8F) gigabytes = 22;
      if (family == 6 && model >= 0xCF) gigabytes = 40;
    }
    if (gigabytes == 0) return {};
    return Stated<BitsPerSecond>{8 * gigabytes * 1_Gbps, xml_.where(cpu)};
  }

  NcclSlot read_slot(const pugi::xml_node& pci) {
    NcclSlot slot;
    const std::string_view speed = pci.attribute("link_speed").value();
    const std::string_view number_text = speed.substr(0, speed.find(' '));
    const std::string_view unit = trimmed(speed.substr(number_text.size()));
    constexpr std::array<std::pair<std::string_view, double>, 10> kSpeeds{{{"2.5", 2.5},
                                                                           {"5", 5},
                                                                           {"5.0", 5},
                                                                           {"8", 8},
                                                                           {"8.0", 8},
                                                                           {"16", 16},
                                                                           {"16.0", 16},
                                                                           {"32", 32},
                                                                           {"32.0", 32},
                                                                           {"64.0", 64}}};
    const auto found =
        std::ranges::find(kSpeeds, number_text, &std::pair<std::string_view, double>::first);
    if (found != kSpeeds.end() && (unit == "GT/s PCIe" || unit == "GT/s")) {
      slot.gigatransfers = found->second;
    } else if (speed.empty() || lower_case(speed).starts_with("unknown")) {
      slots_unknown_.push_back(xml_.where(pci, "pci.link_speed"));
    } else {
      reading_.error(
          xml_.where(pci, "pci.link_speed"),
          fmt::format("{}: 2.5, 5, 8, 16, 32 or 64 with `GT/s` expected", backquoted(speed)));
    }
    const std::optional<std::int64_t> lanes = number(pci, "link_width", 0, 32);
    if (!lanes) return slot;
    slot.lanes = static_cast<std::uint32_t>(*lanes);
    constexpr std::array<std::uint32_t, 8> kLanes{0, 1, 2, 4, 8, 12, 16, 32};
    if (std::ranges::find(kLanes, slot.lanes) == kLanes.end()) {
      reading_.error(
          xml_.where(pci, "pci.link_width"),
          fmt::format("{} lanes: 1, 2, 4, 8, 12, 16 or 32 expected, 0 if not known", slot.lanes));
    } else if (slot.lanes == 0) {
      slots_unknown_.push_back(xml_.where(pci, "pci.link_width"));
    }
    return slot;
  }

  void check_bus_id(const pugi::xml_node& pci) {
    const std::string bus = pci.attribute("busid").value();
    if (!is_bus_id(bus)) {
      reading_.error(xml_.where(pci, "pci.busid"),
                     fmt::format("{} is no PCI address such as `0000:1b:00.0`", backquoted(bus)));
      return;
    }
    // Servers of one file number their buses alike.
    const std::string place = fmt::format("{} {}", current_server_, lower_case(bus));
    const auto [at, is_new] = line_of_bus_.try_emplace(place, xml_.line(pci));
    if (is_new) return;
    reading_.error(xml_.where(pci, "pci.busid"), fmt::format("{} stands twice, in lines {} and {}",
                                                             bus, at->second, xml_.line(pci)));
  }

  void read_pci(const pugi::xml_node& pci, const NcclPlace& place) {
    shape(pci);
    current_server_ = place.server;
    check_bus_id(pci);
    if (!parse_hex(pci.attribute("class").value())) {
      reading_.error(xml_.where(pci, "pci.class"),
                     fmt::format("{} is no PCI class such as `0x030200`",
                                 backquoted(pci.attribute("class").value())));
    }
    const NcclSlot slot = read_slot(pci);
    for (const pugi::xml_node& gpu : pci.children("gpu")) read_gpu(gpu, pci, place, slot);
    for (const pugi::xml_node& nic : pci.children("nic")) read_nic(nic, pci, place, slot);
    for (const pugi::xml_node& link : pci.children("pcilink")) shape(link);
    NcclPlace below = place;
    below.switches.push_back(switches_++);
    if (!below.trunk) below.trunk = trunk_of(pci, slot);
    below.above = slot;
    for (const pugi::xml_node& child : pci.children("pci")) read_pci(child, below);
  }

  PcieTrunk trunk_of(const pugi::xml_node& pci, const NcclSlot& slot) const {
    PcieTrunk trunk{.number = static_cast<std::uint32_t>(switches_), .rate = {}};
    if (slot.gigatransfers > 0 && slot.lanes > 0) {
      trunk.rate = Stated<BitsPerSecond>{pcie_payload(slot.gigatransfers, slot.lanes),
                                         xml_.where(pci, "pci.link_width")};
    }
    return trunk;
  }

  void read_gpu(const pugi::xml_node& node, const pugi::xml_node& pci, const NcclPlace& place,
                const NcclSlot& slot) {
    shape(node);
    NcclGpu gpu;
    gpu.place = place;
    gpu.slot = slot;
    gpu.facts.where = xml_.where(node);
    gpu.facts.bus_id = pci.attribute("busid").value();
    gpu.dev = static_cast<int>(number(node, "dev", 0, 4095).value_or(0));
    if (const auto sm = number(node, "sm", 20, 200)) {
      gpu.facts.compute_capability = static_cast<std::uint32_t>(*sm);
    }
    if (!node.attribute("gdr").empty()) {
      if (const auto gdr = number(node, "gdr", 0, 1)) gpu.facts.gpu_direct = *gdr == 1;
    }
    if (!node.attribute("rank").empty()) number(node, "rank", -1, 100'000'000);
    for (const pugi::xml_node& link : node.children("nvlink")) read_nvlink(link, gpu);
    for (const pugi::xml_node& link : node.children("c2c")) shape(link);
    if (gpu.facts.nvlinks > 36) {
      reading_.error(gpu.facts.where,
                     fmt::format("{} NVLinks; no GPU has more than 36", gpu.facts.nvlinks));
    }
    gpus_.push_back(std::move(gpu));
  }

  void read_nvlink(const pugi::xml_node& link, NcclGpu& gpu) {
    shape(link);
    const std::string_view target = link.attribute("target").value();
    if (target.empty() || target.find_first_not_of("0123456789abcdefABCDEF:.") != target.npos) {
      reading_.error(xml_.where(link, "nvlink.target"),
                     fmt::format("{} is no PCI address", backquoted(target)));
    }
    gpu.facts.nvlinks += static_cast<std::uint32_t>(number(link, "count", 1, 36).value_or(0));
    const std::optional<std::uint64_t> kind = parse_hex(link.attribute("tclass").value());
    if (!kind) {
      reading_.error(xml_.where(link, "nvlink.tclass"),
                     fmt::format("{} is no PCI class such as `0x068000`",
                                 backquoted(link.attribute("tclass").value())));
    } else if (*kind == 0x068000) {
      nvswitches_[gpu.place.server].insert(lower_case(target));
    } else if (*kind != 0x068001 && *kind / 0x10000 != 0x03) {
      reading_.error(xml_.where(link, "nvlink.tclass"),
                     fmt::format("{:#08x}: an NVSwitch (0x068000), a CPU (0x068001) or a GPU "
                                 "(0x0302..) expected",
                                 *kind));
    }
  }

  void read_nic(const pugi::xml_node& nic, const pugi::xml_node& pci, const NcclPlace& place,
                const NcclSlot& slot) {
    shape(nic);
    for (const pugi::xml_node& net : nic.children("net")) {
      shape(net);
      NcclNic found;
      found.place = place;
      ServerNic& facts = found.facts;
      facts.where = xml_.where(net);
      facts.trunk = place.trunk;
      facts.name =
          reading_.name(net.attribute("name").value(), "a NIC", xml_.where(net, "net.name"))
              .value_or("");
      const OrProblem<BitsPerSecond> rate = port_rate_of_mbps(net.attribute("speed").value());
      if (const auto* value = std::get_if<BitsPerSecond>(&rate)) {
        facts.rate = Stated<BitsPerSecond>{*value, xml_.where(net, "net.speed")};
      } else {
        reading_.error(xml_.where(net, "net.speed"), "speed " + std::get<std::string>(rate));
      }
      if (pci) {
        facts.bus_id = pci.attribute("busid").value();
        facts.part = nic_part(pci.attribute("vendor").value(), pci.attribute("device").value());
        const std::uint64_t kind = parse_hex(pci.attribute("class").value()).value_or(0);
        if (kind / 0x100 == 0x0207 || kind / 0x100 == 0x0200) {
          facts.is_infiniband = kind / 0x100 == 0x0207;
        }
        if (slot.gigatransfers > 0 && slot.lanes > 0) {
          facts.pcie = Stated<BitsPerSecond>{pcie_payload(slot.gigatransfers, slot.lanes),
                                             xml_.where(pci, "pci.link_width")};
        }
      }
      if (!net.attribute("guid").empty()) {
        facts.guid = parse_hex(net.attribute("guid").value());
        if (!facts.guid) {
          reading_.error(xml_.where(net, "net.guid"),
                         fmt::format("{} is no GUID", backquoted(net.attribute("guid").value())));
        }
      }
      if (!net.attribute("gdr").empty()) {
        if (const auto gdr = number(net, "gdr", 0, 1)) facts.gpu_direct = *gdr == 1;
      }
      check_nic_name(found);
      nics_.push_back(std::move(found));
    }
  }

  void check_nic_name(const NcclNic& nic) {
    const std::string place = fmt::format("{} {}", nic.place.server, nic.facts.name);
    const auto [at, is_new] = line_of_nic_.try_emplace(place, nic.facts.where.line);
    if (is_new) return;
    reading_.error(nic.facts.where,
                   fmt::format("NIC {} stands twice, in lines {} and {}",
                               backquoted(nic.facts.name), at->second, nic.facts.where.line));
  }

  /// NCCL writes the speed that a link has at that moment, and an idle GPU lowers it.
  void fill_gpu_pcie() {
    const auto is_below = [](const NcclGpu& gpu) {
      return gpu.slot.gigatransfers > 0 && gpu.slot.gigatransfers < gpu.place.above.gigatransfers;
    };
    std::size_t idle = 0;
    for (NcclGpu& gpu : gpus_) {
      if (gpu.slot.gigatransfers == 0 || gpu.slot.lanes == 0) continue;
      const double speed = is_below(gpu) ? gpu.place.above.gigatransfers : gpu.slot.gigatransfers;
      gpu.facts.pcie = Stated<BitsPerSecond>{pcie_payload(speed, gpu.slot.lanes), gpu.facts.where};
      idle += is_below(gpu) ? 1 : 0;
    }
    if (idle == 0) return;
    const NcclGpu& first = *std::ranges::find_if(gpus_, is_below);
    reading_.warning(
        first.facts.where,
        fmt::format("the PCIe link of {} shows {} GT/s, as idle GPUs do; the switch above has {}: "
                    "{} is taken",
                    idle == gpus_.size() ? "all GPUs" : counted(idle, "GPU"),
                    first.slot.gigatransfers, first.place.above.gigatransfers,
                    first.place.above.gigatransfers));
  }

  void check_nvlinks(const Server& server) {
    std::uint32_t highest = 0;
    for (const ServerGpu& gpu : server.gpus) highest = std::max(highest, gpu.nvlinks);
    for (const ServerGpu& gpu : server.gpus) {
      if (gpu.nvlinks == highest) continue;
      reading_.finding(gpu.where, fmt::format("a GPU with {} NVLinks beside others with {}",
                                              gpu.nvlinks, highest));
    }
  }

  void finish_servers() {
    if (gpus_.empty()) {
      reading_.error({}, "holds no GPU: NCCL writes those that take part in the run");
      return;
    }
    fill_gpu_pcie();
    std::ranges::stable_sort(gpus_, {}, &NcclGpu::dev);
    for (std::size_t s = 0; s < servers_.size(); ++s) {
      Server& server = servers_[s];
      server.is_multi_node_domain = servers_.size() > 1;
      server.nvswitches = static_cast<std::uint32_t>(nvswitches_[s].size());
      fill_server(server, s);
      check_nvlinks(server);
      find_slow_slots(reading_, server);
    }
    if (nics_.empty()) {
      reading_.warning({}, "holds no NIC: only collectives inside of the server can be predicted");
    }
    if (gpus_.size() == 1) {
      reading_.warning({},
                       "holds one GPU: NCCL writes those of the communicator, so run it on all");
    }
    if (!slots_unknown_.empty()) {
      reading_.warning(slots_unknown_.front(),
                       fmt::format("the PCIe link of {} has no known speed or width: it limits "
                                   "nothing",
                                   counted(slots_unknown_.size(), "device")));
    }
    reading_.found.servers = std::move(servers_);
  }

  void fill_server(Server& server, std::size_t index) {
    std::vector<NcclPlace> places;
    for (NcclNic& nic : nics_) {
      if (nic.place.server != index) continue;
      server.nics.push_back(std::move(nic.facts));
      places.push_back(nic.place);
    }
    for (NcclGpu& gpu : gpus_) {
      if (gpu.place.server != index) continue;
      for (std::size_t n = 0; n < places.size(); ++n) {
        gpu.facts.nics[n] = path_between(gpu.place, places[n]);
      }
      server.gpus.push_back(std::move(gpu.facts));
    }
  }

  Reading& reading_;
  const XmlText& xml_;
  std::vector<Server> servers_;
  std::vector<NcclGpu> gpus_;
  std::vector<NcclNic> nics_;
  std::map<std::string, std::size_t> server_of_host_;
  std::map<std::string, int> line_of_numa_;
  std::map<std::string, int> line_of_bus_;
  std::map<std::string, int> line_of_nic_;
  std::map<std::size_t, std::set<std::string>> nvswitches_;
  std::vector<SourceLocation> slots_unknown_;
  std::size_t current_server_ = 0;
  std::size_t cpus_ = 0;
  int switches_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_nccl_topo(const InputFile& file) {
  if (root_element(file.text()) != "system") return std::nullopt;
  return "its root element `system`";
}

void read_nccl_topo(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  if (const std::unique_ptr<XmlText> xml = XmlText::parse(reading)) {
    if (std::string_view(xml->root().name()) == "system") {
      NcclTopoReader(reading, *xml).read();
    } else {
      reading.error({}, "the root element is not `system`");
    }
    const std::vector<Server>& servers = reading.found.servers;
    if (servers.size() == 1) contents = server_contents(servers.front());
    if (servers.size() > 1) contents = counted(servers.size(), "server");
  }
  reading.finish("NCCL topology XML", contents);
}

}  // namespace weft::import
