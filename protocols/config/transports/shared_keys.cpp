#include "protocols/config/transports/shared_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "simcore/text/nearest.hpp"
#include "simcore/text/quoted.hpp"

namespace weft::protocols {

namespace {

constexpr std::array kEncapsulations{
    Encapsulation{"vlan", 4_B, "a tag of IEEE 802.1Q"},
    Encapsulation{"vxlan", 50_B,
                  "outer Ethernet 14 B, IPv4 20, UDP 8, VXLAN 8 (RFC 7348, section 5)"},
    Encapsulation{"macsec", 32_B,
                  "SecTAG with SCI 16 B, integrity check 16 (IEEE 802.1AE, clause 9)"},
    Encapsulation{
        "macsec-without-sci", 24_B,
        "SecTAG 8 B, as on links between two, integrity check 16 (IEEE 802.1AE, clause 9)"},
    Encapsulation{"psp", 40_B,
                  "UDP 8 B, PSP header 16, integrity check 16 (PSP Architecture Specification, "
                  "Google 2022, transport mode)"}};

}  // namespace

std::span<const Encapsulation> encapsulations() { return kEncapsulations; }

Bytes encapsulation_size(const std::vector<std::string>& names) {
  Bytes size;
  for (const std::string& name : names) {
    for (const Encapsulation& e : kEncapsulations) {
      if (name == e.name) size += e.size;
    }
  }
  return size;
}

std::string encapsulation_doc() {
  std::string doc = "what is around every packet, data and answers, on every link";
  for (const Encapsulation& e : kEncapsulations) {
    doc += "; `" + std::string(e.name) + "` " + std::to_string(e.size.count()) + " B: " + e.parts;
  }
  return doc;
}

std::string encapsulation_problem(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  known.reserve(std::size(kEncapsulations));
  for (const Encapsulation& e : kEncapsulations) known.emplace_back(e.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    // Whoever reads says the value, if it is one and no list.
    return (names.size() == 1 ? "" : backquoted(name) + " ") +
           "is no encapsulation; expected some of " + listing(known) + did_you_mean(name, known);
  }
  return {};
}

}  // namespace weft::protocols
