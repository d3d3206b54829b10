#pragma once

#include <string>
#include <vector>

#include "tools/cli/manual/help_topics.hpp"

namespace weft::cli {

/// What `weft diagnose` calls culprits, each as a topic.
[[nodiscard]] const std::vector<HelpTopic>& culprit_topics();

/// By any of its words; null: there is none.
[[nodiscard]] const HelpTopic* find_culprit(const std::string& word);

}  // namespace weft::cli
