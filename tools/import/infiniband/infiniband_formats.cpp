#include "tools/import/infiniband/infiniband_formats.hpp"

#include <array>

#include "tools/import/infiniband/iblinkinfo.hpp"
#include "tools/import/infiniband/ibnetdiscover.hpp"

namespace weft::import {

std::span<const Format> infiniband_formats() {
  static constexpr std::array kFormats{
      Format{"ibnetdiscover", "ibnetdiscover", "ibnetdiscover, as root", recognise_ibnetdiscover,
             read_ibnetdiscover},
      Format{"iblinkinfo", "iblinkinfo", "iblinkinfo, as root", recognise_iblinkinfo,
             read_iblinkinfo}};
  return kFormats;
}

}  // namespace weft::import
