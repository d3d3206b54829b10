#include "scenarios/estimate/training_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "collectives/training/compute/formats.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/estimate/placed_times.hpp"
#include "collectives/training/memory/rank_parameters.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/pipeline/pipeline_plan.hpp"
#include "collectives/training/plan/expert_domains.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/plan/stage_share.hpp"
#include "collectives/training/plan/token_copies.hpp"
#include "collectives/training/volumes/volumes.hpp"
#include "simcore/base/check.hpp"

namespace weft::scenarios {
namespace {

using collectives::PlacedTimes;
using collectives::RankParameters;
using collectives::StageShare;
using collectives::TrainingSpec;
using collectives::VolumeKind;

std::string_view name_of_volume(VolumeKind kind) {
  switch (kind) {
    case VolumeKind::kTensor:
    case VolumeKind::kTensorRegather:
    case VolumeKind::kVocabulary:
      return "tensor";
    case VolumeKind::kContext:
    case VolumeKind::kContextGradient:
      return "context";
    case VolumeKind::kExpert:
    case VolumeKind::kExpertTensor:
      return "expert";
    case VolumeKind::kPipelineForward:
    case VolumeKind::kPipelineBackward:
    case VolumeKind::kEmbedding:
    case VolumeKind::kMirror:
      return "pipeline";
    default:
      break;
  }
  return "data";
}

collectives::StateBytes state_bytes(const TrainingSpec& spec, const StageShare& share) {
  const RankParameters held = rank_parameters(spec.model, spec.parallelism, share);
  const RankParameters embedding =
      rank_parameters(spec.model, spec.parallelism, {.has_embedding = true});
  const collectives::PrecisionSpec& precision = spec.precision;
  return {.parameters = sent_parameters(precision, held.dense),
          .gradients = sent_gradients(precision, held.dense),
          .expert_parameters = sent_parameters(precision, held.experts),
          .expert_gradients = sent_gradients(precision, held.experts),
          .embedding_gradients = sent_gradients(precision, embedding.dense)};
}

class TrainingEstimator {
 public:
  TrainingEstimator(const TrainingSpec& spec, const JobSpec& job)
      : spec_(completed_spec(spec)),
        times_(spec_.parallelism, job.layout, how_of(spec), domain_of(spec_, job),
               collectives::token_algorithm(spec_.experts)),
        shares_(stage_shares(spec_.model, spec_.parallelism)) {}

  [[nodiscard]] TrainingEstimate estimate() const {
    TrainingEstimate e;
    e.step = collectives::estimate_step(spec_, times_);
    add_bytes(e);
    add_memory(e);
    return e;
  }

 private:
  static TrainingSpec completed_spec(TrainingSpec spec) {
    spec.model = collectives::completed(spec.model);
    return spec;
  }
  static collectives::CollectiveSpec how_of(const TrainingSpec& spec) {
    collectives::CollectiveSpec how;
    how.algorithm = spec.communication.algorithm;
    how.execution = spec.communication.execution;
    how.generation = spec.communication.generation;
    return how;
  }
  static std::uint32_t domain_of(const TrainingSpec& spec, const JobSpec& job) {
    const auto domain = collectives::expert_domain_of(spec, job.layout);
    const auto* ranks = std::get_if<std::uint32_t>(&domain);
    WEFT_CHECK(ranks != nullptr, "who estimates has asked whether tokens can go as they are to");
    return *ranks;
  }
  [[nodiscard]] StageShare share_of(std::uint32_t rank) const {
    return rank_share(shares_, spec_.parallelism, rank);
  }

  void add_bytes(TrainingEstimate& e) const {
    const collectives::RankGrid grid(spec_.parallelism);
    const collectives::VolumeSetting setting{.expert_domain = times_.expert_domain()};
    for (std::uint32_t rank = 0; rank < spec_.parallelism.pipeline; ++rank) {
      const auto terms = volumes_of(spec_, state_bytes(spec_, share_of(rank)), rank, setting);
      for (const collectives::VolumeTerm& term : terms) {
        const double sent = static_cast<double>(term.sent().count()) * grid.stage_ranks();
        const double share = times_.share_between_domains(term.group, term.operation);
        SentBytes& sum = entry(e.sent, name_of_volume(term.kind));
        sum.inside += sent * (1 - share);
        sum.between += sent * share;
      }
    }
  }

  static SentBytes& entry(std::vector<SentBytes>& sent, std::string_view what) {
    const auto found = std::ranges::find(sent, what, &SentBytes::what);
    return found == sent.end() ? sent.emplace_back(SentBytes{.what = what}) : *found;
  }

  void add_memory(TrainingEstimate& e) const {
    const collectives::FullestRank fullest = collectives::fullest_rank(spec_);
    e.memory = fullest.use;
    e.memory_rank = fullest.pipeline_rank;
    const collectives::Gpu* gpu = collectives::find_gpu(spec_.compute.gpu);
    WEFT_CHECK(gpu != nullptr, "the GPU of a training job is one of the table");
    e.memory_available = gpu->memory;
  }

  TrainingSpec spec_;
  PlacedTimes times_;
  std::vector<StageShare> shares_;
};

}  // namespace

TrainingEstimate estimate_training(const JobSpec& job) {
  return TrainingEstimator(std::get<TrainingSpec>(job.kind), job).estimate();
}

}  // namespace weft::scenarios
