#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/jitter/jitter_spec.hpp"
#include "simcore/base/units.hpp"
#include "simcore/fabric/gpu_generation.hpp"

/// A collective operation as the scenario states it.
namespace weft::collectives {

enum class Operation : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kAllToAllV,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kSendReceive,
  kBarrier,
};
inline constexpr std::size_t kOperationCount = 11;

/// How a collective is done; collectives/algorithms/list.hpp says what each is.
enum class Algorithm : std::uint8_t {
  kRing,
  kBinomialTree,
  kDoubleBinaryTree,
  kHalvingDoubling,
  kRecursiveDoubling,
  kPairwise,
  kOneShot,
  kTwoShot,
  kHierarchical,
  kNvls,
  kNvlsTree,
  kDissemination,
  kNccl,  ///< what NCCL's tuning model picks
  kBest,  ///< what weft's cost model picks
  kAuto,  ///< kNccl on GPUs that NCCL's model knows, kBest elsewhere, each with its execution
};
/// Of an execution.
inline constexpr std::uint32_t kMaxChannels = 64;

/// How NCCL marks that data is there: fences, flags in every line of 128 bytes, or beside every 4.
/// kNone: messages cost nothing besides themselves.
enum class Protocol : std::uint8_t { kNone, kSimple, kLl128, kLl };

/// Of the elements that are reduced, as NCCL names them.
enum class DataType : std::uint8_t {
  kFloat32,
  kFloat16,
  kBfloat16,
  kFloat64,
  kInt32,
  kInt64,
  kInt8,
  kUint8,
  kFloat8,  ///< e4m3 or e5m2
};

/// What makes some ranks slower than the others.
struct Straggler {
  std::vector<std::string> ranks;  ///< numbers, and ranges such as `0-3`
  Picoseconds late;                ///< every iteration begins later by this
  double compute_factor = 1;       ///< of `compute`
  double reduce_factor = 1;        ///< of the time to reduce and to copy

  bool operator==(const Straggler&) const = default;
};

/// How steps are carried out. The defaults cost nothing, as closed forms have it.
struct Execution {
  /// kAuto: where nothing else is said, NCCL's with its algorithm, and chunks by cost where the
  /// algorithm is chosen by cost for want of another; else as kPlain.
  enum class Preset : std::uint8_t { kPlain, kNccl, kAuto };
  /// What a channel does while a slice is on its way. kPosted: it continues, so that latencies hide
  /// behind other slices. kSerial: it moves one slice at a time, at `channel_rate`, and each costs
  /// it the latency of a step besides, as it does threads that read a peer's memory or wait for
  /// flags in what they receive. kPaced: it moves one slice at a time, at `channel_rate`, and does
  /// not wait for its peer, who has a slice once all of it was moved. What a link takes for it
  /// alone is part of that time. With flags in the data (LL, LL128) the peer has it as it comes,
  /// and the rate limits the channel alone. kMachine: as NCCL's protocol has it on the GPUs of
  /// `generation`.
  enum class Transfer : std::uint8_t { kPosted, kSerial, kPaced, kMachine };
  /// kSingle: hosts launch a call when the one before it is over, and each waits for its launch.
  /// kBackToBack: hosts queue calls, so that a launch overlaps with the calls before it. Calls
  /// follow each other as fast as hosts launch them or GPUs carry them out, whichever is slower.
  enum class Calls : std::uint8_t { kSingle, kBackToBack };
  Preset preset = Preset::kPlain;
  std::uint32_t channels = 1;  ///< parts of the data that run side by side; 0: as NCCL has them
  Bytes chunk = 0_B;           ///< per step and channel; 0: undivided, with kNccl as NCCL has it
  std::uint32_t slices = 1;    ///< messages per chunk; 0: as NCCL has them
  Transfer transfer = Transfer::kPosted;
  /// Data of a serial or paced channel; 0: what links and other channels leave.
  BitsPerSecond channel_rate;
  BitsPerSecond network_channel_rate;  ///< of a paced one, to another domain; 0: `channel_rate`
  std::uint32_t in_flight = 0;         ///< unacknowledged messages per connection; 0: no limit
  Protocol protocol = Protocol::kNone;
  std::optional<Picoseconds> step_latency;  ///< absent: the protocol's
  /// The same of messages between scale-up domains. Absent: as inside them, or NCCL's.
  std::optional<Picoseconds> network_step_latency;
  std::optional<Calls> calls;         ///< absent: single, or back to back where they are measured
  std::optional<Picoseconds> launch;  ///< per collective; absent: none, or the machine's
  /// From one launch to the next of calls back to back. It is `launch` until that is settled.
  Picoseconds launch_interval;
  BitsPerSecond reduce_rate;  ///< of a rank; 0: at once
  BitsPerSecond copy_rate;    ///< of a rank; 0: at once

  bool operator==(const Execution&) const = default;
};

/// A preset with all that belongs to it. What kNccl leaves open depends on machine, algorithm,
/// protocol and size: nccl_execution.hpp.
[[nodiscard]] Execution execution_preset(Execution::Preset preset);

/// What a rank has for another in an all-to-all-v.
struct Block {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Bytes size;

  bool operator==(const Block&) const = default;
};

/// How the blocks of an all-to-all-v come about if tokens go to experts.
struct Routing {
  std::uint32_t tokens = 0;  ///< per rank
  Bytes token_size;
  std::uint32_t experts_per_rank = 1;
  std::uint32_t top_k = 2;
  double skew = 0;  ///< exponent of a Zipf law of experts' popularity; 0: uniform

  bool operator==(const Routing&) const = default;
};

struct CollectiveSpec {
  Operation operation = Operation::kAllReduce;
  Bytes size;  ///< what it is of: size_meaning
  Algorithm algorithm = Algorithm::kRing;
  std::uint32_t iterations = 1;
  std::uint32_t root = 0;
  DataType data_type = DataType::kFloat32;
  Picoseconds compute;  ///< before the collective of every iteration
  Execution execution;
  std::vector<Block> blocks;       ///< all-to-all-v: those that are not empty
  std::optional<Routing> routing;  ///< all-to-all-v: in place of blocks
  /// What blocks or routing come to: bytes by source, then destination. Empty until a job is built.
  std::vector<std::int64_t> matrix;
  std::optional<Jitter> jitter;
  std::vector<Straggler> stragglers;
  std::vector<JitterSpec> noise;
  /// Whose constants NCCL goes by; absent: as the ranks' servers have them.
  std::optional<GpuGeneration> generation;
  /// Consecutive ranks that share a scale-up domain; 0: as the fabric has them.
  std::uint32_t domain_size = 0;

  [[nodiscard]] GpuGeneration gpus() const { return generation.value_or(GpuGeneration::kHopper); }
  bool operator==(const CollectiveSpec&) const = default;
};

struct RankLayout;

/// Whether the operation sums or moves anything but copies.
[[nodiscard]] bool reduces(Operation operation);

/// Whether scale-up switches can do the call's work: they reduce what NCCL's NVLS reduces, which is
/// no type of one byte (ncclNvlsSupported of NCCL 2.27, src/include/device.h), and copy anything.
[[nodiscard]] bool works_in_network(const CollectiveSpec& spec, const RankLayout& layout);

/// What a scenario means that says nothing but the operation and its size.
[[nodiscard]] CollectiveSpec default_collective(Operation operation);

[[nodiscard]] const char* name_of(Operation operation);
[[nodiscard]] const char* name_of(Protocol protocol);
[[nodiscard]] std::optional<Operation> operation_named(const std::string& name);
[[nodiscard]] std::vector<std::string> operation_names();

}  // namespace weft::collectives
