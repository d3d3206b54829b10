#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "protocols/congestion/specs.hpp"
#include "protocols/observation/observation.hpp"
#include "scenarios/text/csv_stream.hpp"
#include "simcore/base/id_vector.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// What the numbers in trace records stand for; names are CSV fields.
struct TraceNames {
  std::vector<std::string> ports;  ///< by PortId
  std::vector<PortId> peers;       ///< by PortId
  IdVector<ClassId, std::string> classes;
  struct Flow {
    std::string columns;  ///< kFlowColumns
    Bytes payload;        ///< of a full packet
    std::string title{};  ///< for people
  };
  /// What this Packet::flow is of.
  std::function<Flow(std::uint32_t flow)> flow;
  /// Of `congestion::kAllColumns`: what rates.csv has besides the first ones.
  std::vector<std::size_t> control_columns;
  bool has_trims = false;  ///< switches trim packets: packets.csv says which
};

/// What every rates.csv has of `congestion::kAllColumns`: the columns of the default control.
inline constexpr std::size_t kRateColumns = 3;

inline constexpr const char* kFlowColumns =
    "job,source_rank,destination_rank,source,destination,queue_pair";

/// rates.csv: a row per queue pair and sample, joined from the records of equal time.
class RateTrace {
 public:
  RateTrace(const std::filesystem::path& file, const TraceNames& names);
  void add(const protocols::TraceRecord& record);
  void finish();
  [[nodiscard]] const CsvStream& stream() const { return stream_; }

 private:
  struct Sample {
    Sample() { values.fill(protocols::congestion::kNoSample); }
    std::array<std::int64_t, protocols::congestion::kAllColumns.count> values;
    std::int64_t progress = -1;
  };
  struct Flow {
    TraceNames::Flow name;
    Picoseconds time;
    std::int64_t progress = 0;
  };
  void write(std::uint32_t number, const Sample& sample);
  void write_samples();

  const TraceNames& names_;
  CsvStream stream_;
  Picoseconds time_;
  std::map<std::uint32_t, Sample> samples_;  ///< at `time_`, by flow
  std::unordered_map<std::uint32_t, Flow> flows_;
};

/// packets.csv: a row per packet and hop, written when the packet arrives at the hop's end; hops
/// that a packet never finished come last.
class PacketTrace {
 public:
  PacketTrace(const std::filesystem::path& file, const TraceNames& names);
  void add(const protocols::TraceRecord& record);
  void finish();
  [[nodiscard]] const CsvStream& stream() const { return stream_; }

 private:
  struct Key {
    std::uint32_t flow;
    std::uint32_t sequence;
    std::uint32_t port;  ///< the egress
    auto operator<=>(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Hop {
    OptionalTime enqueued = {};
    OptionalTime started = {};
    OptionalTime arrived = {};
    ClassId traffic_class{};
    bool is_marked = false;
    bool is_trimmed = false;

    [[nodiscard]] OptionalTime begin() const { return enqueued ? enqueued : started; }
  };
  /// The first hop under way for which `is_wanted` holds, or a new one.
  template <class Predicate>
  Hop& find(const protocols::TraceRecord& record, Predicate is_wanted);
  void mark(const protocols::TraceRecord& record);
  void trim(const protocols::TraceRecord& record);
  void arrive(const protocols::TraceRecord& record);
  void write(const Key& key, const Hop& hop);
  const std::string& columns_of(std::uint32_t flow);

  const TraceNames& names_;
  CsvStream stream_;
  /// A packet sent again may be on the same link twice: oldest first.
  std::unordered_map<Key, std::vector<Hop>, KeyHash> hops_;
  std::unordered_map<std::uint32_t, std::string> columns_;
};

}  // namespace weft::scenarios
