#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

// Each field of a sending end (protocols/state/queue_pair.hpp) has one writer: the NIC's scheduler,
// its port selection, what all transports share, or the transport of the queue pair. Whoever else
// wants it changed asks that one. Queue pairs are built elsewhere, and steady states skipped.

namespace weft {
namespace {

namespace fs = std::filesystem;

const fs::path kProtocols = fs::path(WEFT_SOURCE_DIR) / "protocols";

const std::string kShared = "transports/sender.hpp";
const std::string kTransport = "transports/";
const std::string kNobody = "network/build_queue_pairs.cpp";

const std::map<std::string, std::string> kOwners = {
    {"next", kShared},
    {"posted", kShared},
    {"message", kShared},
    {"message_last", kShared},
    {"last_size", kShared},
    {"first_of_message", kShared},
    {"marks", kShared},
    {"newest_message", kShared},
    {"oldest_message", kShared},
    {"next_send", kShared},
    {"sent_end", kShared},
    {"entropy", kShared},
    {"next_ready", "host/nic_scheduler.hpp"},
    {"schedule", "host/nic_scheduler.hpp"},
    {"local_port", "host/port_selection.hpp"},
    {"turn", "host/port_selection.hpp"},
    {"window_reduced", "transports/tcp/"},
    {"asks_ack", "transports/uec/"},
    {"repeats", "transports/uec/"},
    {"unacked", kTransport},
    {"received", kTransport},
    {"window", kTransport},
    {"deadline", kTransport},
    {"retries", kTransport},
    {"timer_is_set", kTransport},
    {"traffic_class", kNobody},
    {"spreading", kNobody},
    {"transport", kNobody},
    {"connection", kNobody},
    {"host", kNobody},
    {"first_port", kNobody},
    {"first_local_port", kNobody},
    {"destination", kNobody},
    {"control_slot", kNobody},
    {"repair", kNobody},
    {"port_count", kNobody},
    {"first_turn", kNobody},
    {"process", kNobody},
};

std::string source_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The fields that the two structs declare.
std::set<std::string> declared_fields() {
  const std::string text = source_of(kProtocols / "state/queue_pair.hpp");
  static const std::regex field(
      R"(\n  [A-Z\w:]\S*(?: \S*\*)? ?\*? ?(\w+)(?: : \d+)?(?: =[^;]*|\{\})?;)");
  std::set<std::string> found;
  for (const std::string name : {"alignas(64) SendingEnd {", "SenderState : SendingEnd {"}) {
    const std::size_t begin = text.find(name);
    EXPECT_NE(begin, std::string::npos) << name;
    const std::string body = text.substr(begin, text.find("template", begin) - begin);
    for (std::sregex_iterator i(body.begin(), body.end(), field), end; i != end; ++i) {
      found.insert((*i)[1]);
    }
  }
  return found;
}

TEST(NicOwners, EveryFieldHasOne) {
  std::set<std::string> owned;
  for (const auto& [field, owner] : kOwners) {
    owned.insert(field);
    EXPECT_TRUE(fs::exists(kProtocols / owner)) << owner;
  }
  EXPECT_EQ(declared_fields(), owned);
}

TEST(NicOwners, AloneWriteTheirFields) {
  static const std::regex written(
      R"((?:\+\+)(?:s|end|whole|sender|sending)\.(\w+)\b|\b(?:s|end|whole|sender|sending)\.(\w+)\s*(?:[-+|&]?=(?!=)|\+\+))");
  std::map<std::string, int> writes;
  for (const fs::path& path : fs::recursive_directory_iterator(kProtocols)) {
    if (path.extension() != ".hpp" && path.extension() != ".cpp") continue;
    const std::string place = path.lexically_relative(kProtocols).generic_string();
    if (place == kNobody || place.starts_with("state/") || place.starts_with("steady_state/")) {
      continue;
    }
    const std::string text = source_of(path);
    for (std::sregex_iterator i(text.begin(), text.end(), written), end; i != end; ++i) {
      const std::string field = (*i)[1].matched ? (*i)[1].str() : (*i)[2].str();
      const auto owner = kOwners.find(field);
      if (owner == kOwners.end()) continue;
      ++writes[field];
      EXPECT_TRUE(place.starts_with(owner->second))
          << place << " writes " << field << ", which is " << owner->second << "'s";
    }
  }
  for (const auto& [field, owner] : kOwners) {
    EXPECT_TRUE(owner == kNobody || writes[field] > 0) << field << ": " << owner;
  }
}

}  // namespace
}  // namespace weft
