#include "tests/import/support/random_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

namespace weft::drawn {
namespace {

using Random = std::mt19937_64;

std::uint32_t draw(Random& random, std::uint32_t first, std::uint32_t last) {
  return first + static_cast<std::uint32_t>(random() % (last - first + 1));
}

/// `count` names of a site, none the beginning of another word of the test.
std::vector<std::string> server_names(Random& random, std::size_t count) {
  const std::uint32_t style = draw(random, 0, 3);
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) {
    switch (style) {
      case 0:
        names.push_back(fmt::format("gpu{:02}", i));
        break;
      case 1:
        names.push_back(fmt::format("node-{}-{}", i / 4 + 1, i % 4));
        break;
      case 2:
        names.push_back(fmt::format("dgx{}.pod3.example", i));
        break;
      default:
        names.push_back(fmt::format("r{}u{}", 7 + i / 8, 2 * i));
    }
  }
  return names;
}

RandomCluster::Port port_name(std::uint32_t vendor, std::size_t i) {
  switch (vendor) {
    case 0:  // SONiC, two ports of a cage
      return {fmt::format("Ethernet{}", 4 * i),
              fmt::format("etp{}{}", i / 2 + 1, i % 2 ? 'b' : 'a')};
    case 1:  // Cumulus, breakouts
      return {fmt::format("swp{}s{}", i / 2 + 1, i % 2), {}};
    default:  // Arista
      return {fmt::format("Ethernet{}/{}", i / 2 + 1, i % 2 ? 5 : 1), {}};
  }
}

std::string guid(std::size_t kind, std::size_t device, std::size_t port) {
  return fmt::format("{:016x}", 0x0200000000000000ULL + (kind << 40U) + (device << 12U) + port);
}

}  // namespace

RandomCluster::RandomCluster(std::uint64_t seed) {
  draw_names(seed);
  cable_up(seed);
}

void RandomCluster::draw_names(std::uint64_t seed) {
  Random random(seed);
  const std::uint32_t nics = 1U << draw(random, 1, 3);
  gpus = nics;
  gigabits = std::vector<std::uint32_t>{100, 200, 400, 800}[draw(random, 0, 3)];
  is_sonic = draw(random, 0, 2) > 0;
  const std::vector<std::string> names = server_names(random, draw(random, 2, 12));
  for (const std::string& name : names) {
    Server server{name, {}};
    std::uint32_t bus = 0;
    for (std::uint32_t i = 0; i < nics; ++i) {
      bus += draw(random, 3, 25);
      server.nics.push_back({fmt::format("mlx5_{}", i), fmt::format("enp{}s0np0", bus), bus});
    }
    servers.push_back(std::move(server));
  }
}

void RandomCluster::cable_up(std::uint64_t seed) {
  Random random(seed + 1'000'000);
  const bool has_three_tiers = draw(random, 0, 2) == 0;
  const bool by_rail = draw(random, 0, 1) == 1;
  const std::size_t nics = servers.front().nics.size();
  const std::size_t leaves = by_rail ? nics : (servers.size() + 1) / 2;
  const std::size_t spines = draw(random, 1, 4);
  const std::size_t links = draw(random, 1, 4);
  const std::uint32_t lower = is_sonic ? 0 : 1;
  const std::uint32_t upper = is_sonic ? 0 : 2;
  const char* const leaf_style = draw(random, 0, 1) == 0 ? "leaf{:02}" : "sw-1{:02}";
  const auto add = [this](std::string name, std::uint32_t tier, std::uint32_t vendor) {
    Switch s{std::move(name), tier, {}, 0};
    for (std::size_t i = 0; i < 128; ++i) s.ports.push_back(port_name(vendor, i));
    switches.push_back(std::move(s));
  };
  for (std::size_t i = 0; i < leaves; ++i)
    add(fmt::format(fmt::runtime(leaf_style), i + 1), 1, lower);
  for (std::size_t i = 0; i < spines; ++i) add(fmt::format("spine{}", i + 1), 2, upper);
  if (has_three_tiers) {
    for (std::size_t i = 0; i < 2; ++i) add(fmt::format("core{}", i + 1), 3, upper);
  }
  const auto join = [this](bool from_server, std::size_t from, std::size_t from_port,
                           std::size_t to, std::uint32_t metres) {
    if (!from_server) from_port = switches[from].used++;
    cables.push_back({from_server, from, from_port, to, switches[to].used++, metres});
  };
  for (std::size_t i = 0; i < servers.size(); ++i) {
    for (std::size_t k = 0; k < nics; ++k)
      join(true, i, k, by_rail ? k : i / 2, draw(random, 1, 3));
  }
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::size_t spine = 0; spine < spines; ++spine) {
      for (std::size_t k = 0; k < links; ++k)
        join(false, leaf, 0, leaves + spine, draw(random, 10, 40));
    }
  }
  if (!has_three_tiers) return;
  for (std::size_t spine = 0; spine < spines; ++spine) {
    for (std::size_t core = 0; core < 2; ++core)
      join(false, leaves + spine, 0, leaves + spines + core, 50);
  }
}

std::pair<std::string, std::string> RandomCluster::end_of(const Cable& cable, bool upper) const {
  if (upper) return {switches[cable.to].name, switches[cable.to].ports[cable.to_port].name};
  if (!cable.from_server) {
    return {switches[cable.from].name, switches[cable.from].ports[cable.from_port].name};
  }
  const Server& server = servers[cable.from];
  return {server.name, server.nics[cable.from_port].interface};
}

std::vector<std::string> RandomCluster::cable_names() const {
  std::vector<std::string> names;
  for (const Cable& cable : cables) {
    const std::string upper = switches[cable.to].name;
    if (cable.from_server) {
      const Server& server = servers[cable.from];
      names.push_back(server.name + "/" + server.nics[cable.from_port].device + " - " + upper);
    } else {
      const auto [a, b] = std::minmax(switches[cable.from].name, upper);
      names.push_back(a + " - " + b);
    }
  }
  std::ranges::sort(names);
  return names;
}

WrittenFile RandomCluster::netbox() const {
  std::string text =
      "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,"
      "label,"
      "color,length,length_unit,description\n";
  std::size_t label = 0;
  for (const Cable& cable : cables) {
    const auto [a, a_port] = end_of(cable, false);
    const auto [b, b_port] = end_of(cable, true);
    text += fmt::format("{},dcim.interface,{},{},dcim.interface,{},{},connected,C{},,{},m,\n", a,
                        a_port, b, b_port, cable.from_server ? "dac-passive" : "smf-os2", ++label,
                        cable.metres);
  }
  return {"netbox.csv", text};
}

WrittenFile RandomCluster::generic_csv() const {
  std::string text = "from,from_port,to,to_port,rate,length,medium\n";
  for (const Cable& cable : cables) {
    const auto [a, a_port] = end_of(cable, false);
    const auto [b, b_port] = end_of(cable, true);
    text += fmt::format("{},{},{},{},{}G,{}m,{}\n", a, a_port, b, b_port, gigabits, cable.metres,
                        cable.from_server ? "copper" : "fibre");
  }
  return {"cables.csv", text};
}

WrittenFile RandomCluster::dot() const {
  std::string text = "graph \"drawn\" {\n";
  for (const Server& s : servers) text += fmt::format("  \"{}\" [ function=\"server\" ]\n", s.name);
  for (const Switch& s : switches) {
    text += fmt::format("  \"{}\" [ function=\"{}\" ]\n", s.name, s.tier == 1 ? "leaf" : "spine");
  }
  for (const Cable& cable : cables) {
    const auto [a, a_port] = end_of(cable, false);
    const auto [b, b_port] = end_of(cable, true);
    text += fmt::format("  \"{}\":\"{}\" -- \"{}\":\"{}\"\n", b, b_port, a, a_port);
  }
  return {"topology.dot", text + "}\n"};
}

WrittenFile RandomCluster::air() const {
  std::string nodes;
  for (const Server& s : servers) {
    nodes += fmt::format("{}\"{}\": {{\"os\": \"generic/ubuntu2404\"}}", nodes.empty() ? "" : ", ",
                         s.name);
  }
  for (const Switch& s : switches)
    nodes += fmt::format(", \"{}\": {{\"os\": \"sonic-vs-202411\"}}", s.name);
  std::string links;
  for (const Cable& cable : cables) {
    const auto [a, a_port] = end_of(cable, false);
    const auto [b, b_port] = end_of(cable, true);
    links += fmt::format(
        "{}[{{\"node\": \"{}\", \"interface\": \"{}\"}}, {{\"node\": \"{}\", \"interface\": "
        "\"{}\"}}]",
        links.empty() ? "" : ", ", a, a_port, b, b_port);
  }
  return {"air.json",
          fmt::format("{{\"format\": \"JSON\", \"title\": \"drawn\", \"content\": {{\"nodes\": "
                      "{{{}}}, \"links\": [{}]}}}}\n",
                      nodes, links)};
}

WrittenFile RandomCluster::ibnetdiscover() const {
  const std::map<std::uint32_t, const char*> speeds{
      {100, "EDR"}, {200, "HDR"}, {400, "NDR"}, {800, "XDR"}};
  const std::string speed = fmt::format("4x{}", speeds.at(gigabits));
  std::string text = "#\n# Topology file: generated on Mon Nov  2 09:00:00 2026\n#\n\n";
  for (std::size_t i = 0; i < switches.size(); ++i) {
    text += fmt::format(
        "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{0}\nswitchguid=0x{0}({0})\n"
        "Switch\t64 \"S-{0}\"\t\t# \"{1}\" enhanced port 0 lid {2} lmc 0\n",
        guid(1, i, 0), switches[i].name, i + 1);
    for (const Cable& cable : cables) {
      const bool is_upper = cable.to == i;
      const bool is_lower = !cable.from_server && cable.from == i;
      if (is_lower) {
        text +=
            fmt::format("[{}]\t\"S-{}\"[{}]\t\t# \"{}\" lid 3 {}\n", cable.from_port + 1,
                        guid(1, cable.to, 0), cable.to_port + 1, switches[cable.to].name, speed);
      }
      if (is_upper && cable.from_server) {
        const std::string id = guid(2, cable.from, cable.from_port);
        text += fmt::format("[{0}]\t\"H-{1}\"[1]({1}) \t\t# \"{2} {3}\" lid 9 {4}\n",
                            cable.to_port + 1, id, servers[cable.from].name,
                            servers[cable.from].nics[cable.from_port].device, speed);
      } else if (is_upper) {
        text += fmt::format("[{}]\t\"S-{}\"[{}]\t\t# \"{}\" lid 3 {}\n", cable.to_port + 1,
                            guid(1, cable.from, 0), cable.from_port + 1, switches[cable.from].name,
                            speed);
      }
    }
    text += "\n";
  }
  for (const Cable& cable : cables) {
    if (!cable.from_server) continue;
    const std::string id = guid(2, cable.from, cable.from_port);
    text += fmt::format(
        "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0x{0}\ncaguid=0x{0}\n"
        "Ca\t1 \"H-{0}\"\t\t# \"{1} {2}\"\n"
        "[1]({0}) \t\"S-{3}\"[{4}]\t\t# lid 9 lmc 0 \"{5}\" lid 1 {6}\n\n",
        id, servers[cable.from].name, servers[cable.from].nics[cable.from_port].device,
        guid(1, cable.to, 0), cable.to_port + 1, switches[cable.to].name, speed);
  }
  return {"ibnetdiscover.txt", text};
}

WrittenFile RandomCluster::iblinkinfo() const {
  const std::map<std::uint32_t, const char*> speeds{
      {100, "25.78125"}, {200, "53.125"}, {400, "106.25"}, {800, "212.5"}};
  std::string text;
  const auto line = [&](std::size_t own, std::size_t port, std::size_t lid, std::size_t peer_port,
                        const std::string& peer) {
    return fmt::format(
        "      {:6} {:4}[  ] ==( 4X {:>10} Gbps Active/  LinkUp)==>  {:6} {:4}[  ] \"{}\" ( )\n",
        own + 1, port, speeds.at(gigabits), lid + 1, peer_port, peer);
  };
  for (std::size_t i = 0; i < switches.size(); ++i) {
    text += fmt::format("Switch: 0x{} {}:\n", guid(1, i, 0), switches[i].name);
    for (const Cable& cable : cables) {
      if (!cable.from_server && cable.from == i) {
        text += line(i, cable.from_port + 1, cable.to, cable.to_port + 1, switches[cable.to].name);
      }
      if (cable.to == i && cable.from_server) {
        const Server& s = servers[cable.from];
        text += line(i, cable.to_port + 1, 1000 + 16 * cable.from + cable.from_port, 1,
                     s.name + " " + s.nics[cable.from_port].device);
      } else if (cable.to == i) {
        text +=
            line(i, cable.to_port + 1, cable.from, cable.from_port + 1, switches[cable.from].name);
      }
    }
  }
  return {"iblinkinfo.txt", text};
}

WrittenFile RandomCluster::slurm() const {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const Cable& cable : cables) {
    if (cable.from_server && cable.from_port == 0) {
      nodes[switches[cable.to].name].push_back(servers[cable.from].name);
    }
  }
  std::string text;
  std::vector<std::string> leaves;
  for (const auto& [leaf, below] : nodes) {
    text += fmt::format("SwitchName={} Nodes={}\n", leaf, fmt::join(below, ","));
    leaves.push_back(leaf);
  }
  return {"topology.conf",
          text + fmt::format("SwitchName=top Switches={}\n", fmt::join(leaves, ","))};
}

std::vector<WrittenFile> RandomCluster::lldp_of_hosts() const {
  std::vector<WrittenFile> files;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    std::vector<std::string> items;
    for (const Cable& cable : cables) {
      if (!cable.from_server || cable.from != i) continue;
      const Port& port = switches[cable.to].ports[cable.to_port];
      items.push_back(
          fmt::format("{{\"{}\": {{\"via\": \"LLDP\", \"rid\": \"1\", \"age\": \"1 day, "
                      "00:00:01\", \"chassis\": {{\"{}\": "
                      "{{\"id\": {{\"type\": \"mac\", \"value\": \"02:00:00:01:00:{:02x}\"}}, "
                      "\"descr\": \"switch\", "
                      "\"capability\": [{{\"type\": \"Bridge\", \"enabled\": true}}]}}}}, "
                      "\"port\": {{\"id\": {{\"type\": "
                      "\"local\", \"value\": \"{}\"}}, \"descr\": \"{}\", \"ttl\": \"120\"}}}}}}",
                      servers[i].nics[cable.from_port].interface, switches[cable.to].name, cable.to,
                      port.alias.empty() ? port.name : port.alias, "whatever"));
    }
    // One interface is an object where several are a list.
    const std::string list =
        items.size() == 1 ? items.front() : fmt::format("[{}]", fmt::join(items, ", "));
    files.push_back({fmt::format("lldpctl-{}.json", servers[i].name),
                     fmt::format("{{\"lldp\": {{\"interface\": {}}}}}\n", list)});
  }
  return files;
}

std::vector<WrittenFile> RandomCluster::lldp_of_switches() const {
  std::vector<WrittenFile> files;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    std::string text =
        "Capability codes: (R) Router, (B) Bridge, (O) Other\n"
        "LocalPort      RemoteDevice             RemotePortID       Capability    RemotePortDescr\n"
        "-------------  -----------------------  -----------------  ------------  "
        "---------------\n";
    std::size_t entries = 0;
    const auto line = [&](const std::string& local, const std::string& peer,
                          const std::string& port, const char* capability,
                          const std::string& about) {
      text +=
          fmt::format("{:<13}  {:<23}  {:<17}  {:<12}  {}\n", local, peer, port, capability, about);
      ++entries;
    };
    for (const Cable& cable : cables) {
      if (!cable.from_server && cable.from == i) {
        line(switches[i].ports[cable.from_port].name, switches[cable.to].name,
             switches[cable.to].ports[cable.to_port].alias, "BR", "back here");
      }
      if (cable.to != i) continue;
      const std::string local = switches[i].ports[cable.to_port].name;
      if (cable.from_server) {
        const Server& s = servers[cable.from];
        line(local, s.name, fmt::format("02:00:00:00:{:02x}:{:02x}", cable.from, cable.from_port),
             "O", s.nics[cable.from_port].interface);
      } else {
        line(local, switches[cable.from].name, switches[cable.from].ports[cable.from_port].alias,
             "BR", "back here");
      }
    }
    text += fmt::format(
        "--------------------------------------------------\nTotal entries displayed:  {}\n",
        entries);
    files.push_back({fmt::format("lldp-table-{}.txt", switches[i].name), text});
  }
  return files;
}

std::vector<WrittenFile> RandomCluster::config_dbs() const {
  std::vector<WrittenFile> files;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    std::vector<std::string> ports;
    std::vector<std::string> neighbours;
    std::vector<std::string> lengths;
    const auto add = [&](const Port& port, const std::string& peer, const std::string& peer_port,
                         std::uint32_t metres) {
      ports.push_back(
          fmt::format("\"{}\": {{\"alias\": \"{}\", \"lanes\": \"1,2,3,4\", \"speed\": \"{}000\", "
                      "\"mtu\": \"9100\", \"admin_status\": \"up\"}}",
                      port.name, port.alias, gigabits));
      neighbours.push_back(fmt::format("\"{}\": {{\"name\": \"{}\", \"port\": \"{}\"}}", port.name,
                                       peer, peer_port));
      lengths.push_back(fmt::format("\"{}\": \"{}m\"", port.name, metres <= 5 ? 5 : 300));
    };
    for (const Cable& cable : cables) {
      if (!cable.from_server && cable.from == i) {
        add(switches[i].ports[cable.from_port], switches[cable.to].name,
            switches[cable.to].ports[cable.to_port].name, cable.metres);
      }
      if (cable.to == i) {
        const auto [peer, peer_port] = end_of(cable, false);
        add(switches[i].ports[cable.to_port], peer, peer_port, cable.metres);
      }
    }
    files.push_back(
        {fmt::format("config_db-{}.json", switches[i].name),
         fmt::format("{{\n\"DEVICE_METADATA\": {{\"localhost\": {{\"hostname\": \"{}\", \"type\": "
                     "\"{}\"}}}},\n"
                     "\"PORT\": {{{}}},\n\"DEVICE_NEIGHBOR\": {{{}}},\n\"CABLE_LENGTH\": "
                     "{{\"AZURE\": {{{}}}}}\n}}\n",
                     switches[i].name, switches[i].tier == 1 ? "ToRRouter" : "SpineRouter",
                     fmt::join(ports, ",\n"), fmt::join(neighbours, ",\n"),
                     fmt::join(lengths, ", "))});
  }
  return files;
}

std::vector<WrittenFile> RandomCluster::nccl_xml() const {
  std::vector<WrittenFile> files;
  for (const Server& server : servers) {
    std::string text =
        "<system version=\"1\">\n  <cpu host_hash=\"0x1\" numaid=\"0\" affinity=\"ffff\" "
        "arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">\n";
    for (std::size_t i = 0; i < server.nics.size(); ++i) {
      const Nic& nic = server.nics[i];
      text += fmt::format(
          "    <pci busid=\"0000:{0:02x}:00.0\" class=\"0x060400\" vendor=\"0x1000\" "
          "device=\"0xc030\" "
          "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n"
          "      <pci busid=\"0000:{1:02x}:00.0\" class=\"0x020000\" vendor=\"0x15b3\" "
          "device=\"0x1021\" "
          "link_speed=\"{5}.0 GT/s PCIe\" link_width=\"16\">\n        <nic>\n          <net "
          "name=\"{2}\" dev=\"{3}\" "
          "latency=\"0.000000\" speed=\"{4}000\" port=\"1\" guid=\"0x{3:x}\" maxconn=\"131072\" "
          "gdr=\"1\"/>\n"
          "        </nic>\n      </pci>\n"
          "      <pci busid=\"0000:{6:02x}:00.0\" class=\"0x030200\" vendor=\"0x10de\" "
          "device=\"0x2330\" "
          "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n        <gpu dev=\"{3}\" sm=\"90\" "
          "rank=\"{3}\" "
          "gdr=\"1\">\n          <nvlink target=\"0000:ff:00.0\" count=\"18\" "
          "tclass=\"0x068000\"/>\n"
          "        </gpu>\n      </pci>\n    </pci>\n",
          nic.bus - 2, nic.bus, nic.device, i, gigabits, gigabits == 800 ? 64 : 32, nic.bus - 1);
    }
    files.push_back({fmt::format("nccl-{}.xml", server.name), text + "  </cpu>\n</system>\n"});
  }
  return files;
}

WrittenFile RandomCluster::topo_m() const {
  const std::size_t n = servers.front().nics.size();
  std::string text;
  for (std::size_t i = 0; i < n; ++i) text += fmt::format("\tGPU{}", i);
  for (std::size_t i = 0; i < n; ++i) text += fmt::format("\tNIC{}", i);
  text += "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  for (std::size_t row = 0; row < 2 * n; ++row) {
    text += fmt::format("{}{}", row < n ? "GPU" : "NIC", row % n);
    for (std::size_t column = 0; column < 2 * n; ++column) {
      const bool is_same = row % n == column % n;
      if (row == column) {
        text += "\t X ";
      } else if (row < n && column < n) {
        text += "\tNV18";
      } else {
        text += is_same ? "\tPIX" : "\tNODE";
      }
    }
    text += row < n ? "\t0-47\t0\tN/A\n" : "\n";
  }
  text += "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n";
  for (std::size_t i = 0; i < n; ++i) text += fmt::format("  NIC{}: mlx5_{}\n", i, i);
  return {fmt::format("topo-m-{}.txt", servers.front().name), text};
}

}  // namespace weft::drawn
