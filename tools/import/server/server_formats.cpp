#include "tools/import/server/server_formats.hpp"

#include <array>

#include "tools/import/server/lstopo.hpp"
#include "tools/import/server/nccl_topo.hpp"
#include "tools/import/server/topo_matrix.hpp"

namespace weft::import {

std::span<const Format> server_formats() {
  static constexpr std::array kFormats{
      Format{"nccl-topo", "NCCL topology XML",
             "NCCL_TOPO_DUMP_FILE=topo.xml with any NCCL program on all GPUs of a server",
             recognise_nccl_topo, read_nccl_topo},
      Format{"lstopo", "lstopo XML", "lstopo --of xml --whole-io", recognise_lstopo, read_lstopo},
      Format{"topo-m", "nvidia-smi topo -m", "nvidia-smi topo -m", recognise_topo_matrix,
             read_topo_matrix}};
  return kFormats;
}

}  // namespace weft::import
