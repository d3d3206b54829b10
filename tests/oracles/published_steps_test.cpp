// Training steps as published, beside the closed forms of the same plans. Of each family, whose
// steps ran with the same kernels, one row sets the efficiency of whole tiles of matrix products
// (*calibrated*), and the others follow (*validation*) from their shapes and from what their
// framework is documented to do. Every row is printed without these, too: with one efficiency for
// all shapes, one copy of a token per expert, and nothing gathered during forward passes. Gates are
// on ratios of rows and on what the mechanisms change.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "collectives/training/compute/compute_time.hpp"
#include "collectives/training/compute/gpu.hpp"
#include "collectives/training/compute/kernels.hpp"
#include "collectives/training/compute/work.hpp"
#include "collectives/training/estimate/placed_times.hpp"
#include "collectives/training/estimate/step_estimate.hpp"
#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/presets.hpp"
#include "collectives/training/plan/expert_domains.hpp"
#include "collectives/training/plan/plan_check.hpp"
#include "collectives/training/spec/frameworks.hpp"
#include "simcore/base/units.hpp"

namespace weft::testing {
namespace {

using collectives::ExpertSpec;
using collectives::Framework;
using collectives::ModelSpec;
using collectives::NumberFormat;
using collectives::OverlapSpec;
using collectives::ParallelismSpec;
using collectives::PipelineSchedule;
using collectives::Recomputation;
using collectives::TrainingSpec;

/// What ranks of a cluster have towards each other.
struct Cluster {
  const char* gpu = "";
  std::uint32_t domain = 8;   ///< GPUs of a scale-up domain
  BitsPerSecond domain_rate;  ///< of a GPU, one direction
  BitsPerSecond network_rate;
};

// NVIDIA DGX A100, DGX H100, HGX B200, GB200 NVL72 and GB300 NVL72 data sheets: NVLink of 300, 450
// and 900 GB/s each way, NICs of 200, 400, 400 and 800 Gb/s per GPU. Of the 72 GPUs of a rack jobs
// use 64.
const Cluster kA100{"a100-sxm-80", 8, 2400_Gbps, 200_Gbps};
const Cluster kH100{"h100-sxm", 8, 3600_Gbps, 400_Gbps};
const Cluster kB200{"b200", 8, 7200_Gbps, 400_Gbps};
const Cluster kGb200{"gb200", 64, 7200_Gbps, 400_Gbps};
const Cluster kGb300{"gb300", 64, 7200_Gbps, 800_Gbps};
// DeepSeek-AI, arXiv 2505.09343, section 4: NVLink of the H800 has 200 GB/s each way.
const Cluster kH800{"h800", 8, 1600_Gbps, 400_Gbps};

collectives::RankLayout layout_on(const Cluster& cluster, std::uint32_t ranks) {
  collectives::RankLayout layout;
  layout.domain.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    layout.domain.push_back(rank / cluster.domain);
  }
  layout.domain_rate = cluster.domain_rate;
  layout.network_rate = cluster.network_rate;
  layout.domain_latency = 1_us;
  layout.network_latency = layout.farthest_latency = 5_us;
  return layout;
}

struct PublishedStep {
  std::string name;
  const Cluster* cluster = nullptr;
  TrainingSpec spec;
  double seconds = 0;
  /// What the row's framework does besides, by its documents.
  std::function<void(TrainingSpec&)> does{};
  /// Instead of its family's, where another reason than the family's moves it; 0: as those.
  double furthest = 0;
};

struct Family {
  const char* name = "";
  const char* mechanisms = "";  ///< what was added besides shapes of products
  const char* difference = "";  ///< what weft does not have of it
  /// No row is further off, as a share of its step: what is not modelled takes that much, as the
  /// tables of TRAINING_VALIDATION.md say. A model that moves a row beyond has changed.
  double furthest = 0;
  std::vector<PublishedStep> steps;
};

/// A row whose step weft estimated.
struct Predicted {
  double seconds = 0;
  double bubble = 0;   ///< share of the step
  double exposed = 0;  ///< communication that is, share of the step
};

/// With shapes of products and what the framework does, or without either.
enum class Version : std::uint8_t { kBefore, kAfter };

TrainingSpec completed_spec(const PublishedStep& step, Version version) {
  TrainingSpec spec = step.spec;
  if (version == Version::kAfter) {
    if (step.does) step.does(spec);
    spec.compute.kernels.model = collectives::KernelSpec::Model::kRoofline;
  }
  spec.model = collectives::completed(spec.model);
  spec.compute.gpu = step.cluster->gpu;
  return spec;
}

Predicted predicted(const PublishedStep& step, Version version, double efficiency) {
  TrainingSpec spec = completed_spec(step, version);
  spec.compute.gemm_efficiency = efficiency;
  collectives::CollectiveSpec how;
  how.algorithm = collectives::Algorithm::kBest;
  const auto ranks = static_cast<std::uint32_t>(ranks_of(spec.parallelism));
  const collectives::RankLayout layout = layout_on(*step.cluster, ranks);
  const auto domain = expert_domain_of(spec, layout);
  const auto* in_domain = std::get_if<std::uint32_t>(&domain);
  EXPECT_NE(in_domain, nullptr) << step.name;
  const collectives::PlacedTimes times(spec.parallelism, layout, how,
                                       in_domain == nullptr ? 1 : *in_domain);
  const collectives::StepEstimate e = estimate_step(spec, times);
  Predicted p{.seconds = e.seconds, .bubble = e.term("bubble").exposed / e.seconds};
  for (const char* kind : {"tensor", "context", "expert", "pipeline", "data"}) {
    p.exposed += e.term(kind).exposed / e.seconds;
  }
  return p;
}

/// The efficiency with which a row takes as long as published; 1 where it takes longer even so.
double calibrated(const PublishedStep& step, Version version) {
  double low = 0.02;
  double high = 1;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (predicted(step, version, middle).seconds > step.seconds ? low : high) = middle;
  }
  return high;
}

/// Every row of a family, the first of which is calibrated.
struct Rows {
  double efficiency = 0;
  std::vector<Predicted> all;
  double mean_error = 0;  ///< of those that are not calibrated
};

Rows rows_of(const Family& family, Version version) {
  Rows rows;
  rows.efficiency = calibrated(family.steps.front(), version);
  for (const PublishedStep& step : family.steps) {
    rows.all.push_back(predicted(step, version, rows.efficiency));
    if (rows.all.size() > 1) {
      rows.mean_error += std::abs(rows.all.back().seconds / step.seconds - 1) /
                         static_cast<double>(family.steps.size() - 1);
    }
  }
  return rows;
}

/// Prints the family and gives what is predicted of each row; the first one is calibrated.
std::vector<Predicted> print_family(const Family& family) {
  for (const PublishedStep& step : family.steps) {
    for (const Version version : {Version::kBefore, Version::kAfter}) {
      std::vector<schema::Problem> problems;
      check_plan(completed_spec(step, version), std::nullopt, problems);
      for (const schema::Problem& p : problems) ADD_FAILURE() << step.name << p.key << p.message;
      if (!problems.empty()) return {};
    }
  }
  const Rows before = rows_of(family, Version::kBefore);
  const Rows rows = rows_of(family, Version::kAfter);
  std::printf("%s; efficiency %.2f, of whole tiles %.2f\n", family.name, before.efficiency,
              rows.efficiency);
  for (std::size_t i = 0; i < family.steps.size(); ++i) {
    const PublishedStep& step = family.steps[i];
    const Predicted& p = rows.all[i];
    std::printf("  | %s | %.3f | %.3f | %+.1f %% | %.3f | ", step.name.c_str(), step.seconds,
                before.all[i].seconds, 100 * (before.all[i].seconds / step.seconds - 1), p.seconds);
    if (i == 0) {
      std::printf("calibrated");
    } else {
      std::printf("%+.1f %%", 100 * (p.seconds / step.seconds - 1));
    }
    std::printf(" | %.1f %% | %.1f %% |\n", 100 * p.bubble, 100 * p.exposed);
  }
  if (family.steps.size() > 1) {
    std::printf("  mean error %.1f %%, before %.1f %%\n", 100 * rows.mean_error,
                100 * before.mean_error);
  }
  std::printf("  added: %s\n  not modelled: %s\n", family.mechanisms, family.difference);
  EXPECT_NEAR(rows.all.front().seconds / family.steps.front().seconds, 1, 1e-3) << "not calibrated";
  for (std::size_t i = 1; i < rows.all.size(); ++i) {
    const double furthest =
        family.steps[i].furthest == 0 ? family.furthest : family.steps[i].furthest;
    EXPECT_NEAR(rows.all[i].seconds / family.steps[i].seconds, 1, furthest) << family.steps[i].name;
  }
  return rows.all;
}

/// The ratio of two rows is within a tenth of the published one, and nearer to it than `perfect`,
/// the ratio of their GPUs, as if nothing were lost.
void expect_ratio(const Family& family, const std::vector<Predicted>& rows, std::size_t few,
                  std::size_t many, double perfect) {
  ASSERT_GT(rows.size(), many);
  const double published = family.steps[few].seconds / family.steps[many].seconds;
  const double ratio = rows[few].seconds / rows[many].seconds;
  std::printf("  %s to %s: published %.3f, weft %.3f, perfect scaling %.3f\n",
              family.steps[few].name.c_str(), family.steps[many].name.c_str(), published, ratio,
              perfect);
  EXPECT_NEAR(ratio / published, 1, 0.1) << family.name;
  EXPECT_LT(std::abs(ratio - published), std::abs(perfect - published)) << family.name;
}

ModelSpec gpt(std::uint32_t layers, std::uint32_t hidden, std::uint32_t heads,
              std::uint32_t sequence = 2048, std::uint32_t vocabulary = 51200) {
  ModelSpec model;
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.sequence = sequence;
  model.vocabulary = vocabulary;
  model.tied_embeddings = model.learned_positions = model.biases = model.dropout = true;
  return model;
}

/// The plan of a decoder on that many GPUs, data-parallel over what the rest leaves.
TrainingSpec plan_on(const ModelSpec& model, std::uint32_t gpus, std::uint32_t tensor,
                     std::uint32_t pipeline, std::uint32_t global) {
  TrainingSpec spec;
  spec.model = model;
  spec.parallelism.tensor = tensor;
  spec.parallelism.pipeline = pipeline;
  spec.parallelism.data = gpus / (tensor * pipeline);
  spec.batch.global = global;
  return spec;
}

/// What Megatron-Core does by its README.
void as_megatron_core(TrainingSpec& spec) {
  collectives::find_framework(Framework::kMegatronCore)->choose(spec);
}

/// Megatron-LM goes over its logits in separate passes, unless --cross-entropy-loss-fusion is given
/// (megatron/core/tensor_parallel/cross_entropy.py).
void separate_loss(TrainingSpec& spec) { spec.compute.fused_loss = false; }

/// Of Megatron-LM until 2022: scores of attention leave the chip (FlashAttention is of May 2022),
/// and gradients are reduced after the last backward pass.
void as_early_megatron(TrainingSpec& spec) {
  separate_loss(spec);
  spec.compute.fused_attention = false;
  spec.overlap.gradients = false;
}

/// Narayanan et al., SC'21, section 5.1: the interleaved schedule. In how many stages is not said:
/// the fewest that divide the layers of a rank.
void interleave(TrainingSpec& spec) {
  const std::uint32_t ranks = spec.parallelism.pipeline;
  if (ranks == 1) return;
  const std::uint32_t layers = spec.model.layers / ranks;
  for (std::uint32_t v = 2; v <= layers; ++v) {
    if (layers % v != 0) continue;
    spec.parallelism.virtual_stages = v;
    return;
  }
}

// Jiang et al., MegaScale, NSDI'24, table 2: 175B, sequences of 2,048, on A100; the plan is
// section 6.1's.
PublishedStep megascale_step(std::uint32_t gpus, std::uint32_t batch, double seconds,
                             std::function<void(TrainingSpec&)> does) {
  TrainingSpec spec = plan_on(gpt(96, 12288, 128), gpus, 8, 8, batch);
  spec.parallelism.virtual_stages = 6;
  spec.parallelism.sequence_parallel = true;
  spec.parallelism.zero = 1;
  spec.recomputation = Recomputation::kSelective;
  return {std::to_string(gpus) + " GPUs, batch " + std::to_string(batch), &kA100, spec, seconds,
          std::move(does)};
}

TEST(PublishedSteps, OfMegaScale) {
  const auto does = [](TrainingSpec& s) {
    as_megatron_core(s);
    separate_loss(s);
  };
  const Family family{
      "MegaScale 175B",
      "tensor-parallel sums beside products, and gathers during the forward pass (section 3.2); a "
      "loss in separate passes",
      "kernels of its own, time lost to stragglers",
      0.1,
      {megascale_step(256, 768, 32.0, does), megascale_step(512, 768, 16.5, does),
       megascale_step(1024, 768, 8.9, does), megascale_step(3072, 6144, 23.66, does),
       megascale_step(6144, 6144, 12.21, does)}};
  const auto rows = print_family(family);
  expect_ratio(family, rows, 0, 2, 4);
  expect_ratio(family, rows, 3, 4, 2);
}

TEST(PublishedSteps, OfMegatronBesideMegaScale) {
  const Family family{
      "Megatron-LM 175B, of the same authors",
      "a loss in separate passes",
      "data loading and the optimiser's own collectives, which grow into the step as "
      "it gets shorter",
      0.12,
      {megascale_step(256, 768, 40.0, separate_loss), megascale_step(512, 768, 21.2, separate_loss),
       megascale_step(1024, 768, 11.9, separate_loss),
       megascale_step(3072, 6144, 29.02, separate_loss),
       megascale_step(6144, 6144, 14.78, separate_loss)}};
  print_family(family);
}

// Smith et al., arXiv 2201.11990, section 3.2: 530B on DGX A100, batch 1,920, recomputed in full.
TEST(PublishedSteps, OfMegatronTuring) {
  const auto step = [](std::uint32_t servers, double seconds) {
    TrainingSpec spec = plan_on(gpt(105, 20480, 128), servers * 8, 8, 35, 1920);
    spec.recomputation = Recomputation::kFull;
    return PublishedStep{std::to_string(servers) + " servers", &kA100, spec, seconds,
                         as_early_megatron};
  };
  const Family family{"MT-NLG 530B",
                      "scores of attention leave the chip; a loss in separate passes; gradients "
                      "after the backward pass",
                      "DeepSpeed's kernels",
                      0.05,
                      {step(280, 60.1), step(420, 44.4)}};
  expect_ratio(family, print_family(family), 0, 1, 1.5);
}

// Grattafiori et al., arXiv 2407.21783, table 4 and section 3.3.2: chunks of one layer, of which
// the first has the embedding alone and the last the output layer alone; gradients are exchanged in
// FP32.
TEST(PublishedSteps, OfLlama) {
  const auto step = [](std::uint32_t gpus, double tflops) {
    TrainingSpec spec =
        plan_on(collectives::model_preset(ModelSpec::Preset::kLlama31Of405b), gpus, 8, 16, 2048);
    spec.model.sequence = 8192;
    spec.parallelism.sequence_parallel = true;
    spec.parallelism.virtual_stages = 8;
    spec.parallelism.stage_layers.assign(128, 1);
    spec.parallelism.stage_layers.front() = spec.parallelism.stage_layers.back() = 0;
    spec.parallelism.zero = 1;
    // The published rates count 6 FLOPs per parameter and token and attention, as model FLOPs do.
    const double flops = 6.0 * 405.85e9 * 2048 * 8192;
    return PublishedStep{std::to_string(gpus) + " GPUs", &kH100, spec,
                         flops / (gpus * tflops * 1e12),
                         [](TrainingSpec& s) { s.overlap.parameters = true; }};
  };
  const Family family{"Llama 3.1 405B",
                      "parameters gathered during the forward pass (section 3.3.2)",
                      "1:7 between pods of 3,072 GPUs, collisions of flows, stragglers",
                      0.02,
                      {step(8192, 430), step(16384, 400)}};
  expect_ratio(family, print_family(family), 0, 1, 2);
}

// NVIDIA/Megatron-LM, README of core r0.8: H100, sequences of 4,096, 48 data-parallel copies.
TEST(PublishedSteps, OfMegatronCore) {
  const auto step = [](const char* name, std::uint32_t hidden, std::uint32_t layers,
                       std::uint32_t heads, std::uint32_t tensor, std::uint32_t pipeline,
                       std::uint32_t batch, double seconds) {
    TrainingSpec spec = plan_on(gpt(layers, hidden, heads, 4096, 131072), 48 * tensor * pipeline,
                                tensor, pipeline, batch);
    spec.parallelism.sequence_parallel = tensor > 1;
    spec.parallelism.zero = 1;
    return PublishedStep{name, &kH100, spec, seconds, [](TrainingSpec& s) {
                           as_megatron_core(s);
                           separate_loss(s);
                           interleave(s);
                         }};
  };
  // Sends between stages overlap by default, says the README, and only interleaved ones do
  // (megatron/training/arguments.py, overlap_p2p_comm).
  print_family(
      {"Megatron-Core r0.8",
       "tensor-parallel sums beside products, gathers during the forward pass, the interleaved "
       "schedule; a loss in separate passes",
       "micro-batches are not stated: 1",
       0.15,
       {step("16B, TP 4", 6144, 32, 48, 4, 1, 192, 0.850),
        step("1.7B", 2048, 24, 16, 1, 1, 192, 0.452),
        step("7.1B, TP 2", 4096, 30, 32, 2, 1, 192, 0.800),
        step("70B, TP 8, PP 2", 8192, 84, 64, 8, 2, 384, 2.177),
        step("119B, TP 8, PP 4", 10240, 92, 80, 8, 4, 768, 3.648),
        step("314B, TP 8, PP 8", 16384, 96, 128, 8, 8, 1536, 8.399)}});
}

/// Narayanan et al., SC'21, section 5.1: FLOPs of a step with everything recomputed.
double sc21_seconds(const TrainingSpec& spec, double gpus, double tflops) {
  const ModelSpec& m = spec.model;
  const double h = m.hidden;
  const double flops = 96.0 * spec.batch.global * m.sequence * m.layers * h * h *
                       (1 + m.sequence / (6 * h) + m.vocabulary / (16.0 * m.layers * h));
  return flops / (gpus * tflops * 1e12);
}

// Narayanan et al., SC'21, table 1: A100, sequences of 2,048.
TEST(PublishedSteps, OfMegatronAtSc21) {
  const auto step = [](const char* name, std::uint32_t hidden, std::uint32_t layers,
                       std::uint32_t heads, std::uint32_t tensor, std::uint32_t pipeline,
                       std::uint32_t gpus, std::uint32_t batch, double tflops) {
    TrainingSpec spec = plan_on(gpt(layers, hidden, heads), gpus, tensor, pipeline, batch);
    spec.recomputation = Recomputation::kFull;
    return PublishedStep{name, &kA100, spec, sc21_seconds(spec, gpus, tflops), [](TrainingSpec& s) {
                           as_early_megatron(s);
                           interleave(s);
                         }};
  };
  print_family({"Megatron-LM at SC'21",
                "the interleaved schedule; scores of attention leave the chip; a loss in separate "
                "passes; gradients after the backward pass",
                "micro-batches are not stated: 1, of which small models had more",
                0.12,
                {step("39.1B, TP 8, PP 2", 8192, 48, 64, 8, 2, 512, 1536, 138),
                 step("1.7B", 2304, 24, 24, 1, 1, 32, 512, 137),
                 step("3.6B, TP 2", 3072, 30, 32, 2, 1, 64, 512, 138),
                 step("7.5B, TP 4", 4096, 36, 32, 4, 1, 128, 512, 142),
                 step("76.1B, TP 8, PP 4", 10240, 60, 80, 8, 4, 1024, 1792, 140),
                 step("310.1B, TP 8, PP 16", 16384, 96, 128, 8, 16, 1920, 2160, 155),
                 step("529.6B, TP 8, PP 35", 20480, 105, 128, 8, 35, 2520, 2520, 163)}});
}

// The same, table 2: ZeRO-3 without other parallelism. With four times the GPUs a rank has a
// quarter of the samples, but gathers all parameters as often.
TEST(PublishedSteps, OfZero3AtSc21) {
  const auto step = [](const char* name, const ModelSpec& model, std::uint32_t gpus,
                       std::uint32_t batch, double tflops) {
    TrainingSpec spec = plan_on(model, gpus, 1, 1, batch);
    spec.batch.micro = batch / gpus;
    spec.parallelism.zero = 3;
    spec.recomputation = Recomputation::kFull;
    spec.precision.gradients = NumberFormat::kFp16;
    return PublishedStep{name, &kA100, spec, sc21_seconds(spec, gpus, tflops), [](TrainingSpec& s) {
                           separate_loss(s);
                           s.compute.fused_attention = false;
                         }};
  };
  const ModelSpec large = gpt(96, 12288, 96);
  const ModelSpec largest = gpt(105, 20480, 128);
  const auto rows = print_family(
      {"ZeRO-3 at SC'21",
       "scores of attention leave the chip; a loss in separate passes",
       "DeepSpeed's limits on prefetching, and a ring of all ranks that is not as fast as "
       "its NICs",
       0.75,
       {step("174.6B on 384", large, 384, 1536, 144),
        step("174.6B on 1,536", large, 1536, 1536, 44),
        step("529.6B on 640", largest, 640, 2560, 138),
        step("529.6B on 1,120", largest, 1120, 2240, 98),
        step("529.6B on 2,240", largest, 2240, 2240, 48)}});
  // The mechanism: what is gathered does not shrink with the samples of a rank.
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_GT(rows[1].exposed, rows[0].exposed);
}

// Korthikanti et al., MLSys'23, table 5: A100; everything recomputed, or attention alone with
// sequence parallelism.
TEST(PublishedSteps, OfSelectiveRecomputation) {
  const auto step = [](const char* name, const ModelSpec& model, std::uint32_t pipeline,
                       std::uint32_t micro, std::uint32_t batch, bool is_selective,
                       double seconds) {
    TrainingSpec spec = plan_on(model, 8 * pipeline, 8, pipeline, batch);
    spec.batch.micro = micro;
    spec.recomputation = is_selective ? Recomputation::kSelective : Recomputation::kFull;
    spec.parallelism.sequence_parallel = is_selective;
    return PublishedStep{name, &kA100, spec, seconds, as_early_megatron};
  };
  const ModelSpec m22 = gpt(48, 6144, 64);
  const ModelSpec m175 = gpt(96, 12288, 96);
  const ModelSpec m1000 = gpt(128, 25600, 160);
  print_family({"Korthikanti et al.",
                "scores of attention leave the chip; a loss in separate passes; gradients after "
                "the backward pass",
                "interleaving of the 175B",
                0.11,
                {step("175B, full", m175, 8, 1, 64, false, 18.13),
                 step("175B, selective", m175, 8, 1, 64, true, 13.75),
                 step("22B, full", m22, 1, 4, 4, false, 1.42),
                 step("22B, selective", m22, 1, 4, 4, true, 1.10),
                 step("1T, full", m1000, 64, 1, 512, false, 94.42),
                 step("1T, selective", m1000, 64, 1, 512, true, 71.49)}});
}

/// A model by its config.json: layers, hidden, inner size, heads, of keys and values, vocabulary.
ModelSpec decoder(std::uint32_t layers, std::uint32_t hidden, std::uint32_t ffn,
                  std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t vocabulary,
                  std::uint32_t sequence) {
  ModelSpec model;
  model.layers = layers;
  model.hidden = hidden;
  model.ffn = ffn;
  model.heads = heads;
  model.kv_heads = kv_heads;
  model.vocabulary = vocabulary;
  model.sequence = sequence;
  model.gated_ffn = true;
  return model;
}

ModelSpec with_experts(ModelSpec model, std::uint32_t head_size, std::uint32_t experts,
                       std::uint32_t top_k, std::uint32_t expert_ffn) {
  model.head_size = head_size;
  model.experts = experts;
  model.top_k = top_k;
  model.expert_ffn = expert_ffn;
  return model;
}

/// As Megatron-Bridge states it: virtual stages, context and experts besides.
struct BridgePlan {
  std::uint32_t gpus = 0;
  std::uint32_t batch = 0;
  std::uint32_t tensor = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t context = 1;
  std::uint32_t virtual_stages = 1;
  std::uint32_t expert = 1;
  std::uint32_t zero = 1;
  std::uint32_t micro = 1;    ///< its performance recipes, scripts/performance/configs
  bool overlaps_a2a = false;  ///< likewise: moe_a2a_overlap
};

/// Multi-token prediction has one more layer, and goes through the output layer once more
/// (DeepSeek- AI, arXiv 2412.19437, section 2.2; `m` in pp_layout of the recipes).
void predict_two_tokens(TrainingSpec& spec) { spec.model.mtp_layers = 1; }

/// As the recipes of DeepSeek-V3 have it (Megatron-Bridge, perf_recipes/deepseek).
struct DeepSeekRecipe {
  std::vector<std::string> modules{};  ///< recompute_modules
  bool reduces_beside = true;          ///< overlap_grad_reduce
  /// Layers of the first stage, of those between, and of the last one, which has the prediction of
  /// a second token and the loss besides (set_deepseek_v3_pipeline_model_parallel_layout).
  std::uint32_t first = 0;
  std::uint32_t between = 0;
  std::uint32_t last = 0;
};

PublishedStep by_recipe(PublishedStep step, const DeepSeekRecipe& recipe) {
  step.does = [does = step.does, recipe](TrainingSpec& s) {
    does(s);
    if (!recipe.modules.empty()) s.recomputation = Recomputation::kSelective;
    s.recomputed_modules = recipe.modules;
    s.overlap.gradients = s.overlap.gradients && recipe.reduces_beside;
    ParallelismSpec& plan = s.parallelism;
    plan.stage_layers.assign(std::size_t{plan.pipeline} * plan.virtual_stages, recipe.between);
    plan.stage_layers.front() = recipe.first;
    plan.stage_layers.back() = recipe.last;
  };
  return step;
}

/// Exchanges beside the other micro-batch take 16 multiprocessors meanwhile (Megatron-Core,
/// moe_hybridep_num_sms, by default). Recipes with moe_a2a_overlap have delay_wgrad_compute, too.
void exchange_beside(TrainingSpec& spec, const std::string& gpu) {
  spec.overlap.experts = OverlapSpec::Experts::kPairs;
  spec.overlap.weights = true;
  constexpr double kCommunicating = 16;
  const double processors = collectives::find_gpu(gpu)->processors;
  spec.compute.communication_slowdown = processors / (processors - kCommunicating);
}

PublishedStep bridge_step(const char* name, const Cluster& cluster, const ModelSpec& model,
                          const BridgePlan& plan, double seconds,
                          NumberFormat format = NumberFormat::kFp8) {
  TrainingSpec spec =
      plan_on(model, plan.gpus / plan.context, plan.tensor, plan.pipeline, plan.batch);
  spec.parallelism.sequence_parallel = plan.tensor > 1;
  spec.parallelism.context = plan.context;
  spec.parallelism.virtual_stages = plan.virtual_stages;
  spec.parallelism.expert = plan.expert;
  spec.parallelism.expert_tensor = plan.expert > 1 ? 1 : 0;
  spec.parallelism.zero = plan.zero;
  spec.overlap.tensor = plan.tensor > 1;
  spec.precision.compute = format;
  return {name, &cluster, spec, seconds, [plan, gpu = std::string(cluster.gpu)](TrainingSpec& s) {
            as_megatron_core(s);
            s.parallelism.zero = plan.zero;
            s.batch.micro = plan.micro;
            // Recipes of mixtures have `moe_flex_dispatcher_backend: hybridep`.
            s.experts.exchange = ExpertSpec::Exchange::kHighThroughput;
            if (s.model.preset == ModelSpec::Preset::kDeepSeekV3) predict_two_tokens(s);
            if (plan.overlaps_a2a) exchange_beside(s, gpu);
          }};
}

ModelSpec deepseek_v3() {
  ModelSpec model = collectives::model_preset(ModelSpec::Preset::kDeepSeekV3);
  model.sequence = 4096;
  model.mtp_layers = 0;  // see predict_two_tokens
  return model;
}

constexpr const char* kBridgeMechanisms =
    "tensor-parallel sums beside products, gathers during the forward pass; micro-batches, copies "
    "of tokens once per domain, and exchanges beside the other micro-batch as its recipes have "
    "them, with gradients of weights last, on 16 multiprocessors; conversions to 8 bits; "
    "DeepSeek-V3's prediction of two tokens, its recipes' stages, and the modules that they "
    "recompute";
constexpr const char* kBridgeDifference =
    "offloading of activations, and hosts that issue kernels more slowly than GPUs do them";

ModelSpec llama_of_405b() {
  ModelSpec model = collectives::model_preset(ModelSpec::Preset::kLlama31Of405b);
  model.sequence = 8192;
  return model;
}

ModelSpec qwen3_of_30b() {
  return with_experts(decoder(48, 2048, 6144, 32, 4, 151936, 4096), 128, 128, 8, 768);
}

PublishedStep llama_on_h100() {
  return bridge_step("Llama 3.1 405B on 1,024", kH100, llama_of_405b(), {1024, 1536, 8, 8, 2, 8},
                     37.69);
}

PublishedStep llama_on_b200() {
  return bridge_step("Llama 3.1 405B on 128", kB200, llama_of_405b(), {128, 64, 4, 8, 2, 8}, 6.20);
}

PublishedStep qwen30_on_h100() {
  return bridge_step("Qwen3 30B on 16, BF16", kH100, qwen3_of_30b(),
                     {.gpus = 16, .batch = 1024, .expert = 16}, 29.7, NumberFormat::kBf16);
}

PublishedStep deepseek_on_gb200() {
  return by_recipe(bridge_step("DeepSeek-V3 on 256", kGb200, deepseek_v3(),
                               {256, 4096, 1, 4, 1, 4, 64, 1, 1, true}, 13.34),
                   {{"mla_up_proj"}, true, 4, 4, 1});
}

PublishedStep gpt_oss_on_gb200() {
  return bridge_step("GPT-OSS 120B on 64", kGb200,
                     with_experts(decoder(36, 2880, 2880, 64, 8, 201088, 4096), 64, 128, 4, 2880),
                     {.gpus = 64, .batch = 1280, .expert = 64, .micro = 4, .overlaps_a2a = true},
                     2.86);
}

// NVIDIA-NeMo/Megatron-Bridge, performance summary, by system.
TEST(PublishedSteps, OfMegatronBridge) {
  const ModelSpec llama405 = llama_of_405b();
  const ModelSpec llama70 = decoder(80, 8192, 28672, 64, 8, 128256, 8192);
  const ModelSpec llama8 = decoder(32, 4096, 14336, 32, 8, 128256, 8192);
  const ModelSpec qwen235 =
      with_experts(decoder(94, 4096, 12288, 64, 4, 151936, 4096), 128, 128, 8, 1536);
  // Bytes do not explain these two: what is left is the host (see OfOneSampleAtATime), or kernels
  // that do not reach the bandwidth of memory.
  PublishedStep qwen_on_h100 = qwen30_on_h100();
  PublishedStep gpt_oss = gpt_oss_on_gb200();
  qwen_on_h100.furthest = gpt_oss.furthest = 0.35;
  print_family({"Megatron-Bridge, H100, FP8",
                kBridgeMechanisms,
                kBridgeDifference,
                0.12,
                {llama_on_h100(),
                 bridge_step("Llama 3 70B on 64", kH100, llama70, {64, 256, 4, 8, 1, 5}, 19.69),
                 bridge_step("Llama 3 8B on 8, FSDP", kH100, llama8,
                             {.gpus = 8, .batch = 128, .zero = 3}, 9.07),
                 by_recipe(bridge_step("DeepSeek-V3 on 1,024", kH100, deepseek_v3(),
                                       {1024, 8192, 2, 8, 1, 4, 64}, 25.26),
                           {{"mla_up_proj", "mlp"}, false, 1, 2, 0}),
                 qwen_on_h100}});
  print_family(
      {"Megatron-Bridge, GB200, FP8",
       kBridgeMechanisms,
       kBridgeDifference,
       0.125,
       {bridge_step("Llama 3.1 405B on 256", kGb200, llama405, {256, 1536, 4, 16, 1, 4}, 58.3),
        bridge_step("Llama 3 70B on 64, FSDP", kGb200, llama70,
                    {.gpus = 64, .batch = 256, .zero = 3, .micro = 2}, 7.76),
        deepseek_on_gb200(),
        bridge_step("Qwen3 235B on 256", kGb200, qwen235, {256, 8192, 1, 8, 1, 3, 32}, 18.0),
        gpt_oss}});
  print_family(
      {"Megatron-Bridge, GB300, FP8",
       kBridgeMechanisms,
       kBridgeDifference,
       0.11,
       {bridge_step("Llama 3.1 405B on 256", kGb300, llama405, {256, 1536, 4, 8, 1, 4}, 46.9),
        by_recipe(bridge_step("DeepSeek-V3 on 256", kGb300, deepseek_v3(),
                              {256, 4096, 1, 2, 1, 8, 32, 1, 1, true}, 10.42),
                  {{}, true, 4, 4, 1})}});
  print_family(
      {"Megatron-Bridge, B200, FP8", kBridgeMechanisms, kBridgeDifference, 0, {llama_on_b200()}});
}

// Of a layer with experts on GB200: what kernels between products take, conversions apart. It is
// less than what GPT-OSS lacks, so that no error of these bytes explains it.
TEST(PublishedSteps, OfBytesBetweenProducts) {
  const double efficiency = calibrated(
      bridge_step("Llama 3.1 405B", kGb200, llama_of_405b(), {256, 1536, 4, 16, 1, 4}, 58.3),
      Version::kAfter);
  for (const PublishedStep& step : {deepseek_on_gb200(), gpt_oss_on_gb200()}) {
    TrainingSpec spec = completed_spec(step, Version::kAfter);
    spec.compute.gemm_efficiency = efficiency;
    const collectives::PassWork work = layer_work(spec, true);
    const double bandwidth =
        static_cast<double>(collectives::find_gpu(spec.compute.gpu)->bandwidth.count()) / 8;
    const double share = (work.forward.bytes + work.backward_inputs.bytes) /
                         (bandwidth * spec.compute.memory_efficiency) /
                         to_seconds(layer_time(spec, true).total());
    std::printf("  between products: %.1f %% of a layer of %s\n", 100 * share, step.name.c_str());
    EXPECT_GT(share, 0.1) << step.name;
    EXPECT_LT(share, 0.2) << step.name;
  }
}

// Qwen3 30B with a sample per micro-batch takes as long on 8 B200 (container 25.11: 9,299 tokens
// per second and GPU) as on 16 H100, with as many micro-batches and layers per rank. What GPUs and
// links do takes less than half of it there. So neither decides the step on a B200: it is the host.
TEST(PublishedSteps, OfOneSampleAtATime) {
  const PublishedStep on_h100 = qwen30_on_h100();
  const PublishedStep on_b200 =
      bridge_step("Qwen3 30B on 8 B200", kB200, qwen3_of_30b(),
                  {.gpus = 8, .batch = 512, .expert = 8}, 512.0 * 4096 / 8 / 9299.0);
  const double h100 =
      predicted(on_h100, Version::kAfter, calibrated(llama_on_h100(), Version::kAfter)).seconds;
  const double b200 =
      predicted(on_b200, Version::kAfter, calibrated(llama_on_b200(), Version::kAfter)).seconds;
  std::printf("  | 16 H100 | %.2f | %.2f |\n  | 8 B200 | %.2f | %.2f |\n", on_h100.seconds, h100,
              on_b200.seconds, b200);
  EXPECT_NEAR(on_b200.seconds / on_h100.seconds, 1, 0.06);
  EXPECT_LT(b200 / h100, 0.5);
  // If the host issued the kernels that weft counts, and nothing else, this long each.
  const TrainingSpec spec = completed_spec(on_b200, Version::kAfter);
  const collectives::LayerProducts layer = layer_products(spec, true, 1);
  const double products =
      static_cast<double>(layer.attention.size() + layer.feed_forward.size()) + 1;  // scores
  const double between = layer.attention_kernels + layer.feed_forward_kernels;
  const double kernels = 3 * products + 2 * between;
  const double layers = 48.0 * collectives::micro_batches_of(spec);
  const double each = on_b200.seconds / layers / kernels;
  std::printf("  %.0f kernels of a layer, forward and backward: %.0f us each\n", kernels,
              1e6 * each);
  EXPECT_GT(each, 100e-6);
}

// DeepSeek-AI, arXiv 2505.09343, table 4: 2,048 H800, PP 16, EP 64, ZeRO-1, DualPipe. The bubble is
// published, too: 2.06 s of the step.
TEST(PublishedSteps, OfDeepSeek) {
  PublishedStep step =
      bridge_step("2,048 GPUs", kH800, deepseek_v3(),
                  {.gpus = 2048, .batch = 15360, .pipeline = 16, .expert = 64}, 19.926);
  step.spec.parallelism.schedule = PipelineSchedule::kDualPipe;
  step.does = [](TrainingSpec& s) {
    collectives::find_framework(Framework::kDeepSeek)->choose(s);
    predict_two_tokens(s);
  };
  const auto rows = print_family({"DeepSeek-V3 of its authors; published bubble 10.3 %",
                                  "tokens to four servers at most, once to each, out in FP8; "
                                  "multiprocessors that communicate; conversions to 8 bits; "
                                  "multi-token prediction; norms, projections of latent attention "
                                  "and activation functions run again; gradients of weights "
                                  "beside exchanges",
                                  "how much of the exchanges a pair hides is not published",
                                  0,
                                  {step}});
  // Within six points: how much of the exchanges its slots hide is not published.
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0].bubble, 2.06 / 19.926, 0.06);
}

}  // namespace
}  // namespace weft::testing
