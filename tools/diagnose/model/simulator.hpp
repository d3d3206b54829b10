#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/spec/collective_spec.hpp"
#include "scenarios/language/load_scenario.hpp"
#include "scenarios/results/results.hpp"
#include "simcore/base/result.hpp"
#include "simcore/fabric/gpu_generation.hpp"
#include "tools/diagnose/model/cables.hpp"
#include "tools/diagnose/model/places.hpp"
#include "tools/diagnose/model/written.hpp"

namespace weft::diagnose {

/// A collective as nccl-tests would run it.
struct Call {
  collectives::Operation operation = collectives::Operation::kAllReduce;
  Bytes size{};                        ///< nccl-tests' size
  std::vector<std::uint32_t> hosts{};  ///< by rank
  std::string algorithm = "nccl";
  std::vector<std::string> changes{};    ///< overrides of the scenario, for this run alone
  std::vector<std::string> execution{};  ///< keys beside `preset: nccl`
  std::vector<std::string> keys{};       ///< further keys of the job
};

/// What a run of packets says of a call.
struct Run {
  double time_us = 0;
  double algorithm_bandwidth = 0;  ///< GB/s
  double bus_bandwidth = 0;
  std::string algorithm;
  std::string protocol;
  std::uint32_t channels = 0;       ///< of the communicator
  std::uint32_t call_channels = 0;  ///< that NCCL gives a call of this size
  bool is_extrapolated = false;     ///< its size is more than packets were simulated of
  /// By resource: how long its busiest port sends, microseconds.
  std::vector<double> busy_us;
  scenarios::CriticalPath path;
  std::optional<GpuGeneration> gpus;  ///< whose constants NCCL goes by
  std::int64_t drops = 0;
  std::int64_t pauses = 0;
  std::vector<std::string> warnings;

  /// The resource that is busy longest.
  [[nodiscard]] std::uint32_t bottleneck() const;
  [[nodiscard]] double bottleneck_us() const;
  /// What limits the time, in words.
  [[nodiscard]] std::string limit(const Places& places) const;
};

/// The size of a job whose size nccl-tests would call `size`.
[[nodiscard]] Bytes job_size(collectives::Operation operation, Bytes size, std::size_t ranks);

/// A cable or a setting that differs from its likes (scenarios/checks/odd).
struct OddPart {
  std::string text{};                ///< with its place in the scenario and the file it is from
  std::vector<std::string> nodes{};  ///< names
};

/// Whether a scenario is taken as written, or as it was meant.
enum class Twin : std::uint8_t { kHealthy, kAsFound };

/// Runs calls on the cluster of a scenario, each once.
class Simulator {
 public:
  /// Errors of the scenario, with their places.
  [[nodiscard]] static Result<Simulator> open(const std::string& file,
                                              const std::vector<std::string>& overrides, Twin twin);
  [[nodiscard]] static Result<Simulator> of_text(std::string_view text, const std::string& file,
                                                 const std::vector<std::string>& overrides,
                                                 Twin twin);

  [[nodiscard]] const Places& places() const { return *places_; }
  [[nodiscard]] const scenarios::Scenario& scenario() const { return *scenario_; }
  /// Faults and slowed links of the scenario, which the healthy twin has not.
  [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }
  /// Nodes that these faults name: where the files of the cluster show something.
  [[nodiscard]] const std::vector<std::string>& faulty() const { return faulty_; }
  /// Parts of the scenario, as written, that are not as their likes are.
  [[nodiscard]] const std::vector<OddPart>& odd_parts() const { return odd_parts_; }
  /// What `weft import` says behind the values of the scenario.
  [[nodiscard]] const Written& written() const { return written_; }
  /// Where the NICs' cables go.
  [[nodiscard]] const Cables& cables() const { return cables_; }
  [[nodiscard]] const Fabric& fabric() const { return *fabric_; }
  /// Packets are simulated up to this size of a call of `ranks`; larger ones follow from the last
  /// two.
  [[nodiscard]] static Bytes largest(std::size_t ranks);

  [[nodiscard]] Result<Run> run(const Call& call);
  /// Algorithm, protocol and channels of a call alone, which are known before it is run.
  [[nodiscard]] Result<Run> choice(const Call& call) const;
  /// Whether the packets of collectives may meet on one path while others are idle.
  [[nodiscard]] bool hashes_flows() const;
  /// Whether calls run with faults of the scenario, or links that differ from others.
  [[nodiscard]] bool has_faults() const {
    return !scenario_->faults.empty() || !scenario_->link_changes.empty();
  }

 private:
  Simulator() = default;
  [[nodiscard]] static Result<Simulator> of(scenarios::ScenarioTemplate text,
                                            std::vector<std::string> overrides, Twin twin);
  [[nodiscard]] Result<Run> simulate(const Call& call);
  [[nodiscard]] std::vector<std::string> overrides_of(const Call& call) const;

  std::shared_ptr<scenarios::ScenarioTemplate> text_;
  std::vector<std::string> overrides_;
  std::shared_ptr<const scenarios::Scenario> scenario_;
  std::shared_ptr<const Fabric> fabric_;
  std::shared_ptr<const Places> places_;
  std::vector<std::string> left_out_;
  std::vector<std::string> faulty_;
  std::vector<OddPart> odd_parts_;
  Written written_;
  Cables cables_;
  std::string job_keys_;  ///< of the scenario's collective: class and queue pairs
  std::map<std::string, Run> done_;
};

}  // namespace weft::diagnose
