#include "collectives/training/model/model_schema.hpp"

#include <iterator>
#include <utility>
#include <vector>

#include "collectives/training/model/completed.hpp"
#include "collectives/training/model/presets.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::collectives {
namespace {

constexpr const char* kOfPreset = "the preset's";
constexpr const char* kPlainDecoder = "as in the preset; without one a dense decoder";

using ModelChoices = std::vector<schema::Preset<ModelSpec, ModelSpec::Preset>>;

ModelChoices model_choices() {
  ModelChoices choices;
  choices.reserve(model_presets().size() + 1);
  choices.push_back(
      {ModelSpec::Preset::kNone, "custom", "all that the model has is given", [](ModelSpec&) {}});
  for (const ModelPreset& preset : model_presets()) {
    choices.push_back({preset.model.preset, preset.name, preset.source,
                       [model = preset.model](ModelSpec& spec) { spec = model; }});
  }
  return choices;
}

using ModelKeys = schema::Builder<ModelSpec>;

void add_sizes(ModelKeys& keys) {
  using M = ModelSpec;
  using Limits = ModelLimits;
  keys.field("layers", &M::layers, "transformer layers")
      .source(kOfPreset)
      .range(0, Limits::kLayers)
      .field("hidden", &M::hidden, "numbers of a token between layers")
      .source(kOfPreset)
      .range(0, Limits::kHidden)
      .field("ffn", &M::ffn, "inner size of a dense feed-forward; 0: 4 * hidden")
      .source("Vaswani et al., arXiv 1706.03762, section 3.3: four times the hidden size")
      .range(0, Limits::kFfn)
      .field("heads", &M::heads, "of attention")
      .source(kOfPreset)
      .range(0, Limits::kHeads)
      .field("kv_heads", &M::kv_heads, "of keys and values; 0: as many as heads")
      .source("multi-head attention")
      .range(0, Limits::kHeads)
      .field("head_size", &M::head_size, "numbers of a head; 0: hidden / heads")
      .source("Vaswani et al., arXiv 1706.03762, section 3.2.2")
      .range(0, Limits::kHeadSize)
      .field("vocabulary", &M::vocabulary, "tokens that there are")
      .source(kOfPreset)
      .range(0, Limits::kVocabulary)
      .field("sequence", &M::sequence, "tokens of a sample")
      .source(kOfPreset)
      .range(0, Limits::kSequence);
}

void add_kinds(ModelKeys& keys) {
  using M = ModelSpec;
  keys.field("gated_ffn", &M::gated_ffn, "three matrices per feed-forward (SwiGLU), not two")
      .source(kPlainDecoder)
      .field("tied_embeddings", &M::tied_embeddings, "the output layer is the embedding's matrix")
      .source(kPlainDecoder)
      .field("causal_attention", &M::causal_attention,
             "a token attends to those before it only, which halves attention")
      .source("decoders")
      .field("learned_positions", &M::learned_positions, "a vector per position, not rotations")
      .source(kPlainDecoder)
      .field("biases", &M::biases, "of all matrices and norms")
      .source(kPlainDecoder)
      .field("qkv_biases", &M::qkv_biases, "of queries, keys and values alone")
      .source(kPlainDecoder)
      .field("head_norms", &M::head_norms, "queries and keys are normalised head by head")
      .source(kPlainDecoder)
      .field("dropout", &M::dropout, "its masks are kept for the backward pass")
      .source(kPlainDecoder);
}

void add_experts(ModelKeys& keys) {
  using M = ModelSpec;
  using Limits = ModelLimits;
  keys.field("experts", &M::experts, "per layer that has some; 0: the model is dense")
      .source(kPlainDecoder)
      .range(0, Limits::kExperts)
      .field("top_k", &M::top_k, "experts that a token goes to")
      .source(kOfPreset)
      .range(0, Limits::kExperts)
      .field("expert_ffn", &M::expert_ffn, "inner size of an expert; 0: as ffn")
      .source("experts as large as a dense feed-forward")
      .range(0, Limits::kFfn)
      .field("shared_experts", &M::shared_experts, "that every token goes to, as large as others")
      .source(kPlainDecoder)
      .range(0, Limits::kExperts)
      .field("dense_layers", &M::dense_layers, "the first layers, which have no experts")
      .source(kPlainDecoder)
      .range(0, Limits::kLayers);
}

void add_prediction(ModelKeys& keys) {
  constexpr std::uint32_t kMaxPredicted = 16;
  keys.field("mtp_layers", &ModelSpec::mtp_layers,
             "of multi-token prediction, after the others: each is a layer more, and goes through "
             "the output layer once more")
      .source(kPlainDecoder)
      .range(0, kMaxPredicted);
}

void add_latent_attention(ModelKeys& keys) {
  using M = ModelSpec;
  using Limits = ModelLimits;
  keys.field("kv_rank", &M::kv_rank,
             "of compressed keys and values (multi-head latent attention); 0: not compressed")
      .source(kPlainDecoder)
      .range(0, Limits::kRank)
      .field("query_rank", &M::query_rank, "of compressed queries; 0: not compressed")
      .source(kPlainDecoder)
      .range(0, Limits::kRank)
      .field("rope_head_size", &M::rope_head_size,
             "numbers of a query or key for positions, with kv_rank")
      .source(kPlainDecoder)
      .range(0, Limits::kHeadSize)
      .field("value_head_size", &M::value_head_size, "numbers of a value; 0: as head_size")
      .source("as head_size")
      .range(0, Limits::kHeadSize);
}

}  // namespace

schema::Object<ModelSpec> model_schema() {
  ModelKeys keys("model", "a transformer, by the numbers that decide what it computes and sends");
  keys.presets("preset", &ModelSpec::preset, model_choices(),
               "all of them at once; other keys override it")
      .source("all that the model has is given")
      .field(
          "config", &ModelSpec::config,
          "a `config.json` as the library transformers writes it, beside the scenario, which says "
          "all of them at once; other keys override it")
      .source("all that the model has is given")
      .only_if([](const ModelSpec& model) { return model.preset == ModelSpec::Preset::kNone; },
               "without `preset`");
  add_sizes(keys);
  add_kinds(keys);
  add_experts(keys);
  add_prediction(keys);
  add_latent_attention(keys);
  keys.shorthand("preset").check([](const ModelSpec& model, std::vector<schema::Problem>& out) {
    if (!model.config.empty()) return;  // which is to be read first
    std::vector<schema::Problem> found = contradictions(model);
    out.insert(out.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  });
  return keys;
}

}  // namespace weft::collectives
