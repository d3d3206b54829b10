#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"
#include "simcore/fabric/gpu_rates.hpp"
#include "simcore/fabric/link_errors.hpp"
#include "simcore/fabric/link_layer.hpp"

/// Hardware as the catalogue describes it. The members' initial values are those of an ideal part:
/// what a part that is written out in full leaves unsaid adds no delay.
namespace weft::topologies {

struct SwitchPart {
  Bytes buffer = Bytes(1'000'000'000'000);  ///< shared packet buffer
  Bytes cell = 1_B;                         ///< packets occupy whole cells of it
  /// Of the buffer: what the headroom of all ports is drawn from; 0: each port has its own.
  Bytes headroom_pool = 0_B;
  Picoseconds latency;  ///< pipeline: from the end of reception to the egress queue
  /// Of all its ports together, per direction. Absent: no limit.
  std::optional<BitsPerSecond> capacity{};
  LinkLayer link_layer = LinkLayer::kEthernet;
};

struct NicPart {
  BitsPerSecond rate = 400_Gbps;  ///< of one port
  /// What the part has that a scenario names and gives a lower `rate`; absent: `rate`.
  std::optional<BitsPerSecond> nominal_rate{};
  std::uint32_t ports = 1;      ///< several: for two ToRs, or a port per plane
  Picoseconds send_latency;     ///< from the host link to the wire
  Picoseconds receive_latency;  ///< from the end of reception to the transport
  /// What a message takes longer in the NIC's own transport than over InfiniBand or RoCE: the
  /// latency that a plug-in reports to NCCL. Booked with the receive latency.
  Picoseconds transport_latency;
  /// From the launch of a collective on several servers until the transports of all are at work.
  Picoseconds start_latency;
  /// Wire bytes that it takes in towards host memory; absent: it keeps up with any link. What it
  /// cannot take waits in the receive buffer, which pauses the switch above `xoff`.
  std::optional<BitsPerSecond> receive_rate{};
  Bytes receive_buffer = 1_MiB;
  Bytes xoff = 512_KiB;
  Bytes xon = 448_KiB;

  /// From the end of reception until a message counts as received.
  [[nodiscard]] constexpr Picoseconds arrival_latency() const {
    return receive_latency + transport_latency;
  }
};

/// What joins the GPUs of a server or rack to each other: links of every GPU to every scale-up
/// switch of its board. Scale-up switches are not joined, except those of two boards by trunks.
struct ScaleUpPart {
  /// How packets of one message spread over a GPU's links.
  enum class Spreading : std::uint8_t {
    kRoundRobin,  ///< packet by packet in turn
    kRandom,      ///< packet by packet at random
    kFlow,        ///< all packets of a connection by one link
  };
  std::uint32_t switches = 1;  ///< of all boards together
  /// Links from one GPU to each scale-up switch of its board; one number stands for all scale-up
  /// switches.
  std::vector<std::uint32_t> links_per_switch = {1};
  std::uint32_t boards = 1;  ///< GPUs and scale-up switches are split over them in order
  std::uint32_t trunks =
      0;  ///< links between a scale-up switch and its counterpart on the next board
  BitsPerSecond rate = 400_Gbps;  ///< of one link, per direction
  /// `rate` is what is left for payload, protocol overhead taken off already.
  bool is_effective = false;
  /// Share of `rate` that carries payload, in place of a packet header. Absent: all of it; always
  /// where the rate is an effective one.
  std::optional<double> payload_efficiency{};
  Bytes packet = 4_KiB;         ///< payload of a simulated packet
  Picoseconds link_latency;     ///< of the wire, one way
  Picoseconds gpu_latency;      ///< from the end of reception until a GPU has the data
  Picoseconds send_latency;     ///< from a GPU's memory to its link
  Picoseconds switch_latency;   ///< of the scale-up switch
  Bytes port_buffer = 128_KiB;  ///< of every receiving port; its credits
  Spreading spreading = Spreading::kRoundRobin;
  /// Packets per link and owner that the scale-up switches hold in sums that are not complete; 0:
  /// the scale-up switches do not add up.
  std::uint32_t reduction_window = 0;
  std::optional<GpuGeneration> gpus{};  ///< attached to it, where NCCL's model knows them
  /// Share of the payload rate that is left for data which scale-up switches reduce or repeat.
  double reduction_efficiency = 1;

  /// Links of one GPU to all scale-up switches of its board.
  [[nodiscard]] std::uint32_t links_per_gpu() const {
    if (links_per_switch.size() == 1) return links_per_switch.front() * (switches / boards);
    return std::accumulate(links_per_switch.begin(), links_per_switch.end(), 0U);
  }
};

/// How a GPU, or the memory of a server without GPUs, reaches its NIC: PCIe or a coherent
/// chip-to-chip link. Several may share it, as the link above a PCIe switch, or between sockets.
struct HostLinkPart {
  /// How data passes between a GPU and its NIC.
  enum class Through : std::uint8_t {
    kSwitch,       ///< straight through the PCIe switch above both
    kRootComplex,  ///< up the link above that switch, to the root complex, and down again
  };
  /// Absent: it keeps up with any NIC. A NIC that shares it, or outruns it, becomes a node of its
  /// own between the GPU and the leaf.
  std::optional<BitsPerSecond> rate{};
  Picoseconds latency;  ///< one way, PCIe switches included
  /// NICs of a server side by side that share one link, with the GPUs that they serve: it carries
  /// `rate` for all of them together. 0: every GPU has a link of its own.
  std::uint32_t shared_by = 0;
  /// Through the root complex, sent and received bytes pass the same link both ways: together they
  /// have `rate`.
  Through through = Through::kSwitch;

  [[nodiscard]] bool is_shared() const { return shared_by > 0 || is_one_way(); }
  [[nodiscard]] bool is_one_way() const { return through == Through::kRootComplex; }
  /// NICs on one link.
  [[nodiscard]] std::uint32_t nics() const { return std::max(1U, shared_by); }
};

/// What collectives have to know of a GPU besides its links.
struct GpuPart {
  /// Of its memory, reads and writes together. Absent: not known.
  std::optional<BitsPerSecond> memory_bandwidth{};
  std::optional<BitsPerSecond> copy_rate{};          ///< absent: as the memory allows
  std::optional<BitsPerSecond> reduce_rate{};        ///< absent: as the memory allows
  std::optional<BitsPerSecond> block_rate{};         ///< of one block of threads; absent: not known
  std::optional<Picoseconds> launch_latency{};       ///< by the host; absent: not known
  std::optional<Picoseconds> kernel_latency{};       ///< in LL; absent: not known
  std::optional<Picoseconds> kernel_step_latency{};  ///< of a ring in LL; absent: not known

  [[nodiscard]] constexpr GpuRates rates() const {
    const GpuRates given{copy_rate.value_or(kAsGpu), reduce_rate.value_or(kAsGpu),
                         block_rate.value_or(kAsGpu)};
    return memory_bandwidth ? given.or_else(GpuRates::of_memory(*memory_bandwidth)) : given;
  }
  [[nodiscard]] constexpr GpuTimes times() const {
    return {launch_latency, kernel_latency, kernel_step_latency};
  }
};

/// A server, or a rack that is one scale-up domain. Every GPU is a host of the fabric; a server
/// without GPUs has one host per NIC.
struct ServerPart {
  std::uint32_t gpus = 0;
  std::optional<ScaleUpPart> scale_up{};
  std::uint32_t nics = 1;   ///< 0: no scale-out network. NIC i serves GPUs i * gpus / nics ...
  std::uint32_t rails = 0;  ///< NIC i is on rail i modulo rails; 0: as many rails as NICs
  NicPart nic;
  HostLinkPart host_link;
  GpuPart gpu{};

  /// Hosts of the fabric that one server makes.
  [[nodiscard]] std::uint32_t hosts() const { return gpus == 0 ? nics : gpus; }
};

/// A cable with what is plugged in at its ends.
struct CablePart {
  Picoseconds latency_per_metre;
  Picoseconds transceivers;  ///< of both ends together
  Picoseconds fec;           ///< accumulating, coding and decoding a code word

  /// Of one direction, rounded up to a whole picosecond.
  [[nodiscard]] constexpr Picoseconds latency(Millimetres length) const {
    __extension__ using Wide = __int128;
    const Wide propagation = static_cast<Wide>(latency_per_metre.count()) * length.count();
    return Picoseconds(static_cast<std::int64_t>((propagation + 999) / 1000)) + transceivers + fec;
  }
};

/// How often frames are corrupted, as a scenario says it: by errors in bits, or frame by frame.
struct LinkErrorPart {
  std::optional<double> bit_error_rate{};  ///< of what FEC leaves
  std::optional<double> frame_loss_rate{};
  LinkErrors::Unit code_word = LinkErrors::Unit::kRs544;  ///< what a bit error corrupts

  /// Of either direction, as far as it is said.
  [[nodiscard]] std::optional<LinkErrors> given() const {
    if (frame_loss_rate) return LinkErrors{*frame_loss_rate, LinkErrors::Unit::kFrames};
    if (bit_error_rate) return LinkErrors{*bit_error_rate, code_word};
    return {};
  }
};

/// A cable as a scenario says it: a latency, or a length of some cable. What is left out has a
/// meaning where the cable's role gives it one.
struct LinkPart {
  std::optional<BitsPerSecond> rate{};
  std::optional<Picoseconds> latency{};
  std::optional<Millimetres> length{};
  std::optional<CablePart> cable{};
  LinkErrorPart errors{};

  /// Of one direction, as far as it is said.
  [[nodiscard]] constexpr std::optional<Picoseconds> wire_latency() const {
    if (latency || !length || !cable) return latency;
    return cable->latency(*length);
  }
};

}  // namespace weft::topologies
