#include "protocols/config/link_retry.hpp"
#include "protocols/config/switch_schema.hpp"
#include "simcore/schema/schema_builder.hpp"

namespace weft::protocols {
namespace {

constexpr const char* kRetrySource = "SAI proposal of the UEC management group, 2025";

}  // namespace

schema::Object<LinkRetryConfig> link_retry_schema() {
  using Config = LinkRetryConfig;
  return schema::describe<Config>("link-level retry",
                                  "whether a link sends again what it has corrupted")
      .optional_tag("type", 0, "whether links do that")
      .mode(
          "llr", [](const Config& config) { return config.enabled; },
          [](Config& config) { config.enabled = true; },
          schema::describe<Config>("LLR",
                                   "ports keep frames until the peer has acknowledged them, and "
                                   "send all again from the first that was corrupted (UE 5.1)")
              .field("outstanding", &Config::outstanding,
                     "wire bytes that are sent and not acknowledged at which a port stops")
              .source(kRetrySource)
              .at_least(1_B)
              .at_most(64_MiB)
              .field("frames", &Config::frames,
                     "frames that are sent and not acknowledged at which a port stops")
              .source(kRetrySource)
              .range(1, 65'536)
              .field("ack_every", &Config::ack_every,
                     "an ACK goes after that many bytes of frames, or after their time on the link")
              .source(kRetrySource)
              .at_least(1_B)
              .at_most(1_MiB)
              .field("timeout", &Config::timeout, "without an ACK all is sent again")
              .source(kRetrySource)
              .at_least(1_ns)
              .at_most(1_s)
              .field("replays", &Config::replays,
                     "how often that happens without an ACK in between; then what is kept is "
                     "dropped")
              .source(kRetrySource)
              .range(1, 255)
              .field("max_age", &Config::max_age,
                     "what is kept is dropped when its oldest frame is that old; `none` or 0: at "
                     "no age")
              .source("assumed: the specification is not public")
              .special("none", std::int64_t{0})
              .at_most(1_s)
              .field("restarts", &Config::restarts,
                     "true: after that the two ends restart; false: the link stays without "
                     "retry")
              .source("assumed: the specification is not public")
              .choice("restarting", &Config::restarting,
                      {{Config::Restarting::kBestEffort, "best-effort",
                        "they are sent without a number, and lost if they are corrupted"},
                       {Config::Restarting::kDiscard, "discard", "they are dropped"}},
                      "what becomes of frames while the two ends restart")
              .source(kRetrySource)
              .only_if([](const Config& config) { return config.restarts; },
                       "with `restarts: true`"))
      .mode(
          "none", [](const Config& config) { return !config.enabled; },
          [](Config& config) { config.enabled = false; },
          schema::describe<Config>("no retry", "what a link corrupts is lost"))
      .also("off")
      .shorthand("type");
}

}  // namespace weft::protocols
