#include "tools/cli/manual/culprit_topics.hpp"

#include <algorithm>
#include <utility>

#include "tools/diagnose/catalogue/hypotheses.hpp"

namespace weft::cli {
namespace {

HelpTopic culprit_topic(std::vector<std::string> words, std::string about) {
  return {std::move(words),
          "what `weft diagnose` may find: " + std::move(about),
          {},
          {"diagnose"},
          {"tools/cli/diagnose/DIAGNOSE.md"}};
}

std::vector<HelpTopic> all_culprits() {
  std::vector<HelpTopic> all;
  for (int i = 0; i < diagnose::kCulpritKinds; ++i) {
    const auto kind = static_cast<diagnose::CulpritKind>(i);
    std::vector<std::string> words{diagnose::name_of(kind)};
    if (kind == diagnose::CulpritKind::kGpuDirect) {
      words.insert(words.end(), {"gpu-direct", "gpudirect", "gdr", "gdrdma"});
    }
    all.push_back(culprit_topic(std::move(words), diagnose::meaning_of(kind)));
  }
  // What NCCL's log says by itself.
  all.push_back(culprit_topic({"sockets"}, "NCCL sends over TCP instead of RDMA (NET/Socket)"));
  all.push_back(
      culprit_topic({"nic-affinity"}, "a GPU uses a NIC beyond the PCIe switch that both have"));
  all.push_back(culprit_topic({"fewer-nics"}, "NCCL uses fewer NICs of a server than it has"));
  return all;
}

}  // namespace

const std::vector<HelpTopic>& culprit_topics() {
  static const std::vector<HelpTopic> topics = all_culprits();
  return topics;
}

const HelpTopic* find_culprit(const std::string& word) {
  const auto found = std::ranges::find_if(culprit_topics(), [&word](const HelpTopic& topic) {
    return std::ranges::find(topic.words, word) != topic.words.end();
  });
  return found == culprit_topics().end() ? nullptr : &*found;
}

}  // namespace weft::cli
