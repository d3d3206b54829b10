#include "tools/import/server/lstopo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "tools/import/parse/pcie.hpp"
#include "tools/import/parse/quantities.hpp"
#include "tools/import/parse/text_parts.hpp"
#include "tools/import/parse/xml_text.hpp"

namespace weft::import {
namespace {

const std::vector<std::string>& object_types() {
  static const std::vector<std::string> types{
      "Machine", "Package", "Die",     "Group",   "NUMANode", "MemCache", "L1Cache",
      "L2Cache", "L3Cache", "L4Cache", "L5Cache", "L1iCache", "L2iCache", "L3iCache",
      "Core",    "PU",      "Bridge",  "PCIDev",  "OSDev",    "Misc"};
  return types;
}

/// `0302 [10de:2330] [10de:16c1] a1`
struct PciType {
  std::uint64_t kind = 0;
  std::string vendor;
  std::string device;
};

std::optional<PciType> parse_pci_type(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() < 2 || words[0].size() != 4 || words[1].size() != 11) return std::nullopt;
  const std::string_view ids = words[1];
  const std::optional<std::uint64_t> kind = parse_hex(words[0]);
  if (!kind || ids[0] != '[' || ids[5] != ':' || ids[10] != ']') return std::nullopt;
  if (!parse_hex(ids.substr(1, 4)) || !parse_hex(ids.substr(6, 4))) return std::nullopt;
  return PciType{*kind, std::string(ids.substr(1, 4)), std::string(ids.substr(6, 4))};
}

/// One object above a device, and what a path that turns around there passes.
struct Ancestor {
  int id = 0;
  std::string_view kind;  ///< `switch`, `host`, `node`, `machine`
};

template <class Facts>
struct LstopoDevice {
  Facts facts;
  std::vector<Ancestor> above;  ///< outermost first
};

std::string_view ancestor_kind(const pugi::xml_node& object) {
  const std::string_view type = object.attribute("type").value();
  if (type == "Machine") return "machine";
  if (type != "Bridge") return "node";
  return std::string_view(object.attribute("bridge_type").value()) == "0-1" ? "host" : "switch";
}

PciePath lstopo_path(const std::vector<Ancestor>& gpu, const std::vector<Ancestor>& nic,
                     std::uint32_t sockets) {
  std::size_t shared = 0;
  while (shared < std::min(gpu.size(), nic.size()) && gpu[shared].id == nic[shared].id) ++shared;
  if (shared == 0) return PciePath::kSys;
  const std::string_view turn = gpu[shared - 1].kind;
  if (turn == "switch") {
    return shared == gpu.size() && shared == nic.size() ? PciePath::kPix : PciePath::kPxb;
  }
  if (turn == "host") return PciePath::kPhb;
  return turn == "machine" && sockets > 1 ? PciePath::kSys : PciePath::kNode;
}

class LstopoReader {
 public:
  LstopoReader(Reading& reading, const XmlText& xml) : reading_(reading), xml_(xml) {}

  void read() {
    const pugi::xml_node root = xml_.root();
    const std::string_view version = root.attribute("version").value();
    if (!version.starts_with("2.") && !version.starts_with("3.")) {
      reading_.error(xml_.where(root, "topology.version"),
                     fmt::format("version {}: files of hwloc 2 and 3 are known; write it again "
                                 "with such an lstopo",
                                 version.empty() ? "(none)" : backquoted(version)));
      return;
    }
    server_.where = xml_.where(root);
    for (const pugi::xml_node& object : root.children("object")) read_object(object);
    if (reading_.has_errors()) return;
    if (gpus_.empty()) {
      reading_.error({}, "holds no GPU: use `lstopo --of xml --whole-io`");
      return;
    }
    build();
  }

 private:
  void read_object(const pugi::xml_node& object) {
    const std::string type = object.attribute("type").value();
    const auto& types = object_types();
    if (std::ranges::find(types, type) == types.end()) {
      reading_.unknown("type of object", type, xml_.where(object), types);
    }
    if (type == "Machine") read_host(object);
    if (type == "Package") ++server_.sockets;
    if (type == "PCIDev" || type == "Bridge") check_bus_id(object, type == "PCIDev");
    if (type == "PCIDev") {
      read_device(object);
      return;
    }
    above_.push_back({++objects_, ancestor_kind(object)});
    for (const pugi::xml_node& child : object.children("object")) read_object(child);
    above_.pop_back();
  }

  void read_host(const pugi::xml_node& machine) {
    for (const pugi::xml_node& info : machine.children("info")) {
      if (std::string_view(info.attribute("name").value()) != "HostName") continue;
      server_.host =
          reading_.name(info.attribute("value").value(), "the host", xml_.where(info, "HostName"));
    }
  }

  void check_bus_id(const pugi::xml_node& object, bool is_needed) {
    const std::string bus = object.attribute("pci_busid").value();
    if (bus.empty() && !is_needed) return;
    if (!is_bus_id(bus)) {
      reading_.error(xml_.where(object, "object.pci_busid"),
                     fmt::format("{} is no PCI address such as `0000:1b:00.0`", backquoted(bus)));
    } else if (const auto [at, is_new] = line_of_bus_.try_emplace(bus, xml_.line(object));
               !is_new) {
      reading_.error(
          xml_.where(object, "object.pci_busid"),
          fmt::format("{} stands twice, in lines {} and {}", bus, at->second, xml_.line(object)));
    }
  }

  void read_device(const pugi::xml_node& object) {
    const std::string_view text = object.attribute("pci_type").value();
    const std::optional<PciType> type = parse_pci_type(text);
    if (!type) {
      reading_.error(xml_.where(object, "object.pci_type"),
                     fmt::format("{}: `0302 [10de:2330] ...` expected", backquoted(text)));
      return;
    }
    const bool is_gpu = (type->kind == 0x0302 || type->kind == 0x0300 || type->kind == 0x1200 ||
                         type->kind == 0x0380) &&
                        (type->vendor == "10de" || type->vendor == "1002");
    const std::optional<Stated<BitsPerSecond>> pcie = read_speed(object);
    if (is_gpu) {
      ServerGpu gpu;
      gpu.where = xml_.where(object);
      gpu.bus_id = object.attribute("pci_busid").value();
      gpu.pcie = pcie;
      gpus_.push_back({std::move(gpu), above_});
    } else if (type->kind / 0x100 == 0x02) {
      read_nic(object, *type, pcie);
    }
  }

  void read_nic(const pugi::xml_node& object, const PciType& type,
                const std::optional<Stated<BitsPerSecond>>& pcie) {
    ServerNic nic;
    nic.where = xml_.where(object);
    nic.bus_id = object.attribute("pci_busid").value();
    nic.part = nic_part(type.vendor, type.device);
    nic.is_infiniband = type.kind == 0x0207;
    nic.pcie = pcie;
    for (const pugi::xml_node& part : object.children("object")) {
      const std::string_view kind = part.attribute("osdev_type").value();
      const bool is_net = kind == "2" || kind == "Network";
      const bool is_verbs = kind == "3" || kind == "OpenFabrics";
      if (!is_net && !is_verbs) continue;
      const auto name = reading_.name(part.attribute("name").value(), "a NIC", xml_.where(part));
      if (!name) continue;
      if (is_net) {
        nic.interface = *name;
      } else {
        nic.name = *name;
      }
    }
    if (nic.name.empty() && !nic.interface) return;  // a device without a driver sends nothing
    if (nic.name.empty()) nic.name = *nic.interface;
    nics_.push_back({std::move(nic), above_});
  }

  /// hwloc writes GB/s of the link after its line code; the generation and the lanes follow.
  std::optional<Stated<BitsPerSecond>> read_speed(const pugi::xml_node& object) {
    const std::string_view text = object.attribute("pci_link_speed").value();
    double speed = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), speed);
    if (!text.empty() && problem == std::errc{} && end == text.data() + text.size()) {
      if (speed == 0) return std::nullopt;
      for (const double gt : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) {
        for (const std::uint32_t lanes : {1U, 2U, 4U, 8U, 12U, 16U, 32U}) {
          const double code = gt < 8 ? 0.8 : gt < 64 ? 128.0 / 130 : 242.0 / 256;
          if (std::abs(gt * lanes * code / 8 - speed) > speed * 1e-3) continue;
          return Stated<BitsPerSecond>{pcie_payload(gt, lanes),
                                       xml_.where(object, "object.pci_link_speed")};
        }
      }
    }
    reading_.error(xml_.where(object, "object.pci_link_speed"),
                   fmt::format("{} GB/s is the speed of no PCIe link (63.015 of 16 lanes at 32 "
                               "GT/s, 31.508 of 8)",
                               text.empty() ? "(none)" : backquoted(text)));
    return std::nullopt;
  }

  void build() {
    server_.sockets = std::max(server_.sockets, 1U);
    for (auto& nic : nics_) server_.nics.push_back(nic.facts);
    for (auto& gpu : gpus_) {
      for (std::size_t n = 0; n < nics_.size(); ++n) {
        gpu.facts.nics[n] = lstopo_path(gpu.above, nics_[n].above, server_.sockets);
      }
      server_.gpus.push_back(std::move(gpu.facts));
    }
    find_slow_slots(reading_, server_);
    if (server_.nics.empty()) {
      reading_.warning({}, "holds no NIC: only collectives inside of the server can be predicted");
    }
    reading_.found.servers.push_back(std::move(server_));
  }

  Reading& reading_;
  const XmlText& xml_;
  Server server_;
  std::vector<LstopoDevice<ServerGpu>> gpus_;
  std::vector<LstopoDevice<ServerNic>> nics_;
  std::vector<Ancestor> above_;
  std::map<std::string, int> line_of_bus_;
  int objects_ = 0;
};

}  // namespace

std::optional<std::string_view> recognise_lstopo(const InputFile& file) {
  if (root_element(file.text()) != "topology") return std::nullopt;
  return "its root element `topology`";
}

void read_lstopo(const InputFile& file, Description& description) {
  Reading reading(file, description);
  if (const std::unique_ptr<XmlText> xml = XmlText::parse(reading)) {
    if (std::string_view(xml->root().name()) == "topology") {
      LstopoReader(reading, *xml).read();
    } else {
      reading.error({}, "the root element is not `topology`");
    }
  }
  const std::vector<Server>& servers = reading.found.servers;
  reading.finish("lstopo XML", servers.empty() ? "" : server_contents(servers.front()));
}

}  // namespace weft::import
